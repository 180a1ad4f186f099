//! What the user can say.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use serde::Deserialize;

/// Export conversations as HTML, Markdown or JSON.
///
/// One conversation is printed, or goes to the file of `--output`. Several go to a directory, with an
/// index. Files that exist stay as they are unless `--force` is there.
#[derive(Debug, clap::Parser)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool, and there are four")]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids, or the beginning or end of one; `last` and nothing at all mean the last one
    #[arg(value_name = "CONVERSATION")]
    pub(crate) conversations: Vec<String>,

    /// Export all conversations
    #[arg(short, long, conflicts_with = "conversations")]
    pub(crate) all: bool,

    /// One page without any reference to the outside
    #[arg(long, group = "form")]
    html: bool,

    /// Text to read, and for other programs
    #[arg(long, group = "form", visible_alias = "md")]
    markdown: bool,

    /// Everything, as it is stored
    #[arg(long, group = "form")]
    json: bool,

    /// The same by name; without any, the name of the output decides, and then it is markdown
    #[arg(short, long, group = "form", value_enum)]
    format: Option<Form>,

    /// A file, a directory for several conversations, or `-` to print
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
}

const EXAMPLES: &str = "\
Examples:
  jp conversation export last                   print the last conversation as Markdown
  jp conversation export 1773 -o talk.html      write one page
  jp conversation export --all --html -o talks  write all, with an index
";

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Html,
    #[value(alias = "md")]
    #[serde(alias = "md")]
    Markdown,
    Json,
}

impl Form {
    /// How names of files end.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }

    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// `[plugins.command.conversation-export.options]`: what is meant where nothing is said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    format: Option<Form>,
    /// Where several conversations go, in the workspace.
    directory: Option<PathBuf>,
}

/// A directory of the options that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DirectoryError {
    #[error(
        "the option `directory` is `{}`, which is not inside of the workspace: settings can come with \
         somebody's workspace, so name such a place with `--output`",
        .0.display()
    )]
    Outside(PathBuf),
    #[error("the option `directory` is `{}`, and nobody can say where that is", .0.display())]
    Nowhere(PathBuf, #[source] io::Error),
}

impl Options {
    /// The directory for several conversations: where its name leads when all links are followed, so that
    /// the place that was judged is the one that is written to.
    pub(crate) fn directory(&self, workspace: &Path) -> Result<Option<PathBuf>, DirectoryError> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let nowhere = |source| DirectoryError::Nowhere(directory.clone(), source);
        let is_inside = directory
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err(DirectoryError::Outside(directory.clone()));
        }
        let root = workspace.canonicalize().map_err(nowhere)?;
        let place = resolve(&root.join(directory)).map_err(nowhere)?;
        if !place.starts_with(&root) {
            return Err(DirectoryError::Outside(directory.clone()));
        }
        Ok(Some(place))
    }
}

/// Where a path leads, of which the end need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let is_missing = |path: &Path| {
        path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    // A link that leads nowhere is there, and then nobody can say what will be at its end.
    let there = path.ancestors().find(|path| !is_missing(path)).unwrap_or(path);
    let real = there.canonicalize()?;
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    // A path with nothing behind it would end in a slash.
    Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

impl Args {
    pub(crate) fn form(&self, options: &Options) -> Form {
        let said = match self {
            Self { html: true, .. } => Some(Form::Html),
            Self { markdown: true, .. } => Some(Form::Markdown),
            Self { json: true, .. } => Some(Form::Json),
            Self { format, .. } => *format,
        };
        let seen = || Form::of(self.output.as_deref()?);
        said.or_else(seen).or(options.format).unwrap_or(Form::Markdown)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use jp_plugin_sdk::args::parse;

    use super::*;

    #[test]
    fn the_form_is_said_or_seen_in_the_name() {
        let check = |words: &str, want: Form| {
            let args: Args = parse("export", words.split_whitespace()).unwrap();
            assert_eq!(args.form(&Options::default()), want, "{words}");
        };
        check("", Form::Markdown);
        check("--html", Form::Html);
        check("--md", Form::Markdown);
        check("--json -o a.html", Form::Json);
        check("--format html", Form::Html);
        check("-f md", Form::Markdown);
        check("-o a.HTML", Form::Html);
        check("-o a/b.json", Form::Json);
        check("-o a.txt", Form::Markdown);
    }

    /// Options say what is meant, and whatever is said wins over them.
    #[test]
    fn options_come_last() {
        let options: Options =
            serde_json::from_str(r#"{ "format": "html", "directory": "out/talks" }"#).unwrap();
        let check = |words: &str, want: Form| {
            let args: Args = parse("export", words.split_whitespace()).unwrap();
            assert_eq!(args.form(&options), want, "{words}");
        };
        check("", Form::Html);
        check("--md", Form::Markdown);
        check("-o a.json", Form::Json);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes directories of its own")]
    fn a_directory_of_the_options_is_in_the_workspace() {
        let temp = tempfile::tempdir().unwrap();
        let outside = temp.path().canonicalize().unwrap().join("outside");
        let root = outside.with_file_name("root");
        std::fs::create_dir_all(root.join("deep/er")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        for (link, to) in [
            ("out", outside.as_path()),
            ("deep/out", Path::new("../..")),
            ("in", Path::new("deep/er")),
            ("nowhere", Path::new("/no/such/place")),
            ("a", Path::new("b")),
            ("b", Path::new("a")),
        ] {
            symlink(to, root.join(link)).unwrap();
        }
        // The workspace itself may be behind a link.
        symlink(&root, temp.path().join("link")).unwrap();
        let directory = |path: &str| {
            let options = Options { directory: Some(path.into()), ..Options::default() };
            options.directory(&temp.path().join("link"))
        };
        for (path, want) in [
            ("talks", "talks"),
            (".", ""),
            ("deep/new/talks", "deep/new/talks"),
            ("in", "deep/er"),
            ("in/talks", "deep/er/talks"),
        ] {
            let want = if want.is_empty() { root.clone() } else { root.join(want) };
            assert_eq!(directory(path).unwrap(), Some(want), "{path}");
        }
        for path in
            ["/etc", "../a", "talks/../../b", "../root/talks", "out", "out/talks", "deep/out/a"]
        {
            assert!(directory(path).unwrap_err().to_string().contains("not inside"), "{path}");
        }
        for path in ["nowhere", "nowhere/talks", "a", "a/talks"] {
            assert!(directory(path).unwrap_err().to_string().contains("nobody can say"), "{path}");
        }
    }

    #[test]
    fn what_excludes_each_other_is_refused() {
        for words in ["--html --json", "--format html --markdown", "--all 17", "--format pdf"] {
            assert!(parse::<Args>("export", words.split_whitespace()).is_err(), "{words}");
        }
    }
}
