//! What the user can say.

use std::path::{Component, Path, PathBuf};

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

/// A directory of the options that leads out of the workspace.
#[derive(Debug, thiserror::Error)]
#[error(
    "the option `directory` is `{}`, which is not inside of the workspace: settings can come with \
     somebody's workspace, so name such a place with `--output`",
    .0.display()
)]
pub(crate) struct OutsideError(PathBuf);

impl Options {
    /// The directory for several conversations.
    pub(crate) fn directory(&self, workspace: &Path) -> Result<Option<PathBuf>, OutsideError> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let is_inside = directory
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err(OutsideError(directory.clone()));
        }
        Ok(Some(workspace.join(directory)))
    }
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
        let directory = |path: &str| {
            let options = Options { directory: Some(path.into()), ..Options::default() };
            options.directory(Path::new("/w"))
        };
        assert_eq!(directory("out/talks").unwrap(), Some("/w/out/talks".into()));
        for path in ["/etc", "../a", "a/../../b"] {
            assert!(directory(path).unwrap_err().to_string().contains("not inside"), "{path}");
        }
    }

    #[test]
    fn what_excludes_each_other_is_refused() {
        for words in ["--html --json", "--format html --markdown", "--all 17", "--format pdf"] {
            assert!(parse::<Args>("export", words.split_whitespace()).is_err(), "{words}");
        }
    }
}
