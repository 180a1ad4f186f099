//! What a failed call may not have known: that a file it names is there and kept from it.
//!
//! A tool that opens a hidden file hears of a permission, like any program, and says so in its own words. So
//! the words are looked at for a path that is sensitive. It is a hint and may be wrong; it opens nothing.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::SensitivePaths;

/// How far a message is read.
const MOST_WORDS: usize = 200;

/// How to show the first sensitive path that a message names, unless it was shown already.
pub(super) fn hint(
    message: &str,
    paths: &SensitivePaths,
    root: &Utf8Path,
    home: Option<&Utf8Path>,
    shown: &[Utf8PathBuf],
) -> Option<String> {
    // Whoever speaks of it knows.
    if message.contains("sensitive") {
        return None;
    }
    let around = |letter: char| matches!(letter, ':' | ',' | ';' | '\'' | '"' | '`' | '(' | ')');
    let words = message.split_whitespace().take(MOST_WORDS).map(|word| word.trim_matches(around));
    let (path, pattern) = words.map(Utf8Path::new).find_map(|path| {
        let path = path.strip_prefix(root).unwrap_or(path);
        let is_shown = shown.iter().any(|shown| path.starts_with(shown));
        Some((path, paths.find(root, home, path).filter(|_| !is_shown)?))
    })?;
    Some(format!(
        "{path} is sensitive (`{pattern}`) and hidden from tools; `--allow-sensitive {path}` shows it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: Option<&str>) {
        let paths = SensitivePaths::builtin();
        let hint =
            hint(message, &paths, "/p".into(), Some("/home/me".into()), &["kept/.env".into()]);
        let path = hint.as_deref().and_then(|hint| Some(hint.split_once(' ')?.0));
        assert_eq!(path, expected, "{message}");
    }

    #[test]
    fn a_path_is_found_in_the_words_of_any_tool() {
        check(".env: Permission denied (os error 13)", Some(".env"));
        check("[Errno 13] Permission denied: 'sub/.env'", Some("sub/.env"));
        check("cannot open `/p/sub/.env`", Some("sub/.env"));
    }

    #[test]
    fn what_is_not_sensitive_or_shown_or_known_has_no_hint() {
        check("a.rs: Permission denied (os error 13)", None);
        check("kept/.env: Permission denied (os error 13)", None);
        check(".env is sensitive, and nobody was asked", None);
        check("", None);
    }
}
