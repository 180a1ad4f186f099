//! Where it goes: printed, to a file, or to a directory.

use std::path::{Path, PathBuf};

use jp_plugin_sdk::{Failure, FindError, Summary};

use crate::args::{Args, Form};

/// Where it goes.
#[derive(Debug, PartialEq)]
pub(crate) enum Target<'a> {
    Printed(&'a Summary),
    File(&'a Summary, PathBuf),
    Directory(PathBuf),
}

pub(crate) fn choose<'a>(
    args: &Args,
    chosen: &'a [Summary],
    form: Form,
) -> Result<Target<'a>, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    match (chosen, output) {
        ([], _) => Err(FindError::Empty.into()),
        ([one], None) if !args.all => Ok(Target::Printed(one)),
        (several, None) => {
            let number = several.len();
            let what = if number == 1 { "conversation goes" } else { "conversations go" };
            let reason = format!("{number} {what} to a directory: name one with `--output DIR`");
            Err(Failure::new(reason).code(2))
        }
        ([one], Some(path)) if !args.all => Ok(Target::File(one, in_directory(path, one, form))),
        (_, Some(path)) => Ok(Target::Directory(path.to_owned())),
    }
}

/// A file of its own where a directory is named.
fn in_directory(path: &Path, conversation: &Summary, form: Form) -> PathBuf {
    let says_so = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if says_so || path.is_dir() {
        path.join(file_name(conversation, form))
    } else {
        path.to_owned()
    }
}

/// What the file of a conversation is called in a directory.
pub(crate) fn file_name(conversation: &Summary, form: Form) -> String {
    // Ids are numbers. Should a host ever say something else, it must not lead out of the directory.
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name: String = conversation.id.chars().map(safe).collect();
    format!("{name}.{}", form.extension())
}

#[cfg(test)]
mod tests {
    use jp_plugin_sdk::args::parse;

    use super::*;
    use crate::args::Options;

    fn summary(id: &str) -> Summary {
        Summary {
            id: id.to_owned(),
            title: None,
            last_activated_at: String::new(),
            events_count: 0,
        }
    }

    #[test]
    fn one_or_several() {
        let (one, two) = ([summary("1")], [summary("1"), summary("2")]);
        let check = |words: &str, chosen: &[Summary], want: Result<Target<'_>, &str>| {
            let args: Args = parse("export", words.split_whitespace()).unwrap();
            let got = choose(&args, chosen, args.form(&Options::default()));
            match want {
                Ok(want) => assert_eq!(got.ok(), Some(want), "{words}"),
                Err(part) => {
                    assert!(format!("{:?}", got.unwrap_err()).contains(part), "{words}: {part}");
                }
            }
        };
        check("", &one, Ok(Target::Printed(&one[0])));
        check("-o -", &one, Ok(Target::Printed(&one[0])));
        check("-o a.md", &one, Ok(Target::File(&one[0], "a.md".into())));
        check("-o none/", &one, Ok(Target::File(&one[0], "none/1.md".into())));
        check("--html -o /", &one, Ok(Target::File(&one[0], "/1.html".into())));
        check("--all -o a", &one, Ok(Target::Directory("a".into())));
        check("1 2 -o a", &two, Ok(Target::Directory("a".into())));
        check("--all", &one, Err("1 conversation goes to a directory"));
        check("1 2 -o -", &two, Err("2 conversations go to a directory"));
        check("--all -o a", &[], Err("there are no conversations yet"));
    }

    #[test]
    fn a_name_stays_in_its_directory() {
        assert_eq!(file_name(&summary("17127583920"), Form::Json), "17127583920.json");
        assert_eq!(file_name(&summary("../a/b"), Form::Html), "___a_b.html");
    }
}
