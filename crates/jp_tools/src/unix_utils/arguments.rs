//! The arguments of a program, read as the program will read them.
//!
//! The danger is reading them differently: what we take for text and the program for a file. So only
//! forms that leave no doubt are accepted. Long options are written in full; what is not known is
//! refused and not guessed.

use super::table::{Operands, Util};
use crate::text::beginning;

/// Why arguments are refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("the option {0:?} is not among those accepted here")]
    Unknown(String),
    #[error("the option {0:?} needs a value")]
    NoValue(String),
    #[error("the option {0:?} takes no value")]
    Value(String),
    #[error("only {0} files can be given")]
    TooMany(usize),
    #[error("{0:?} does not begin with `+`")]
    NoFormat(String),
    #[error("`import`, `include` and `modulemeta` are not accepted in a filter")]
    Import,
    #[error("{0:?} begins with `@`, which would be replaced by words from a file")]
    Expanded(String),
}

/// The arguments that name files, for somebody to check where they lead.
pub(super) fn paths<'a>(util: &Util, args: &'a [String]) -> Result<Vec<&'a str>, ArgumentError> {
    // This is done before options are told from values, so it counts for every word.
    if let Some(word) = args.iter().find(|word| util.expands && word.starts_with('@')) {
        return Err(ArgumentError::Expanded(beginning(word, 40).to_owned()));
    }
    let mut paths = Vec::new();
    let mut operands = Vec::new();
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            operands.extend(words);
            break;
        }
        if let Some(name) = word.strip_prefix("--") {
            long(util, name, &mut words)?;
        } else if word.len() > 1 && word.starts_with('-') {
            match util.operands {
                _ if !is_number(util, word) => short(util, word, &mut words)?,
                Operands::Text => operands.push(word),
                // `head -5` is an option.
                _ => {}
            }
        } else {
            operands.push(word);
        }
    }
    paths.extend(operand_paths(util, &operands)?.iter().filter(|path| **path != "-"));
    Ok(paths)
}

fn long<'a>(
    util: &Util,
    name: &str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<(), ArgumentError> {
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    };
    let shown = || format!("--{}", beginning(name, 40));
    let takes = |end: &str| {
        util.long.iter().any(|known| known.strip_suffix(end).is_some_and(|known| known == name))
    };
    // A value that is optional has to be in the same word.
    match (value, takes("=="), takes("=")) {
        (None, true, _) => {
            let both = words.next().and(words.next());
            both.map(drop).ok_or_else(|| ArgumentError::NoValue(shown()))
        }
        (Some(_), false, true) => Ok(()),
        (None, false, _) if util.long.contains(&name) => Ok(()),
        (None, false, true) => {
            words.next().map(drop).ok_or_else(|| ArgumentError::NoValue(shown()))
        }
        (Some(_), _, _) if util.long.contains(&name) => Err(ArgumentError::Value(shown())),
        _ => Err(ArgumentError::Unknown(shown())),
    }
}

/// Letters in one word; the value of the last is the rest of the word or the next word.
fn short<'a>(
    util: &Util,
    word: &str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<(), ArgumentError> {
    for (at, letter) in word.char_indices().skip(1) {
        if util.flags.contains(letter) {
            continue;
        }
        // The next word is never its value, but a file.
        if util.optional.contains(letter) {
            return Ok(());
        }
        if !util.values.contains(letter) {
            return Err(ArgumentError::Unknown(format!("-{letter}")));
        }
        let has_rest = at + letter.len_utf8() < word.len();
        if !has_rest && words.next().is_none() {
            return Err(ArgumentError::NoValue(format!("-{letter}")));
        }
        return Ok(());
    }
    Ok(())
}

/// `-5`, and for those that take numbers as operands also `-0.5`.
fn is_number(util: &Util, word: &str) -> bool {
    let digits = &word[1..];
    util.numbers && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn operand_paths<'b, 'a>(
    util: &Util,
    operands: &'b [&'a str],
) -> Result<&'b [&'a str], ArgumentError> {
    match util.operands {
        Operands::Text => Ok(&[]),
        Operands::Files(max) if operands.len() > max => Err(ArgumentError::TooMany(max)),
        Operands::Files(_) => Ok(operands),
        Operands::Format => match operands.iter().find(|word| !word.starts_with('+')) {
            Some(word) => Err(ArgumentError::NoFormat(beginning(word, 40).to_owned())),
            None => Ok(&[]),
        },
        Operands::Jq => match operands.split_first() {
            Some((filter, _)) if imports(filter) => Err(ArgumentError::Import),
            Some((_, files)) => Ok(files),
            None => Ok(&[]),
        },
    }
}

/// Whether a filter could read modules, which are files that no argument names. The words may occur as
/// the name of a field or at the beginning of a string.
fn imports(filter: &str) -> bool {
    ["import", "include", "modulemeta"].iter().any(|word| {
        filter.match_indices(word).any(|(at, _)| {
            let before = filter[..at].chars().next_back();
            let after = filter[at + word.len()..].chars().next();
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            !before.is_some_and(|c| is_part(c) || matches!(c, '.' | '"' | '$'))
                && !after.is_some_and(is_part)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{super::table, *};

    fn check(command: &str) -> Result<String, String> {
        let words: Vec<String> = command.split(' ').map(ToOwned::to_owned).collect();
        let util = table::find(&words[0]).unwrap();
        let paths = paths(util, &words[1..]).map_err(|error| error.to_string())?;
        Ok(paths.join(" "))
    }

    #[test]
    fn what_names_a_file_is_found() {
        for (command, files) in [
            ("sort -n -k 2,2 a b", "a b"),
            ("sort -nk2 -t, a", "a"),
            ("sort --key=2 --key 3 a", "a"),
            ("sort -- -o x", "-o x"),
            ("sort - a", "a"),
            ("head -5 a", "a"),
            ("head -n 5 a", "a"),
            ("head -n5 -c 3 a", "a"),
            ("tr a-z A-Z", ""),
            ("date +%F -u", ""),
            ("date -d /etc/passwd", ""),
            ("jq .a /etc/passwd", "/etc/passwd"),
            ("jq --arg x y . f", "f"),
            ("jq -r .include f", "f"),
            ("jq .[\"import\"] f", "f"),
            ("uniq -c a", "a"),
            ("seq -5 5", ""),
            // A value that is optional is in the same word, so the next is a file.
            ("od -c -w a", "a"),
            ("od -cw a", "a"),
            ("od -w8 a", "a"),
            ("od -wx a", "a"),
            ("od --width a", "a"),
            ("od --width=8 a", "a"),
            ("date -I", ""),
            ("date -Iseconds -d @0", ""),
            ("uniq --all-repeated a", "a"),
            ("diff --unified a b", "a b"),
            ("strings -n 8 a", "a"),
        ] {
            assert_eq!(check(command).as_deref(), Ok(files), "{command}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for command in [
            "sort -o x a",
            "sort -nox a",
            "sort --output=x a",
            "sort --out x",
            "sort --compress-program=sh a",
            "sort -T /tmp a",
            "sort a -o x",
            "sort -k",
            "sort --key",
            "sort --reverse=1",
            "sort --files0-from=x",
            "uniq a b",
            "date -s 2020",
            "date 010203042020",
            "date --set=2020",
            "tail -f a",
            "tail -5f a",
            "file -m x a",
            "jq -f x",
            "jq -L / .",
            "jq --slurpfile a /etc/passwd .",
            "jq --arg x",
            "jq import f",
            "jq (include f",
            "wc --files0-from=/etc/passwd",
            "jq modulemeta f",
            "diff -r a b",
            // `-Id` is the day and not `-d`, so a clock would be set.
            "date -Id 010203042020",
            "od --wid /etc/passwd",
            "od --strings /etc/passwd",
            "strings @a",
            "strings -n @a b",
            "strings --bytes @a b",
            "strings -- @a",
            "file --files-from a",
        ] {
            assert!(check(command).is_err(), "{command}");
        }
    }
}
