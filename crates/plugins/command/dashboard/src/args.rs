//! The words after `jp dashboard`.

use clap::{CommandFactory as _, Parser};
use jp_plugin_sdk::{Failure, Summary};

/// What a command line that cannot be understood ends with.
const USAGE: u8 = 2;

/// How many conversations an error names.
const NAMED: usize = 5;

/// Browse the conversations of this workspace on the whole terminal
///
/// The list is on one side and the conversation on the other. Both change as conversations do, whoever
/// writes to them. Nothing is ever changed from here. Press ? for all keys.
#[derive(Debug, Parser)]
#[command(name = "jp dashboard", bin_name = "jp dashboard", disable_help_subcommand = true)]
pub(crate) struct Args {
    /// Begin with this conversation: an id, the beginning or end of one, or `latest`
    pub(crate) conversation: Option<String>,
    /// Show only conversations with this in their title or id
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
}

impl Args {
    /// Reads the words; an error says what is wrong with them.
    pub(crate) fn parse(words: &[String]) -> Result<Self, Failure> {
        let words = std::iter::once("jp dashboard").chain(words.iter().map(String::as_str));
        Self::try_parse_from(words).map_err(|error| {
            let text = error.render().to_string();
            // The host says `error:` itself.
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Failure::new(text).code(USAGE)
        })
    }
}

/// What `jp dashboard -h` prints.
pub(crate) fn help() -> String {
    Args::command().render_long_help().to_string()
}

/// The id of the conversation that is meant; none if none is.
pub(crate) fn find(name: Option<&str>, all: &[Summary]) -> Result<Option<String>, Failure> {
    let Some(name) = name else { return Ok(None) };
    if name == "latest" {
        let latest = all.first().ok_or_else(|| failure("there are no conversations yet"))?;
        return Ok(Some(latest.id.clone()));
    }
    if let Some(exact) = all.iter().find(|it| it.id == name) {
        return Ok(Some(exact.id.clone()));
    }
    let fits = |it: &&Summary| it.id.starts_with(name) || it.id.ends_with(name);
    let found: Vec<_> = all.iter().filter(fits).map(|it| it.id.as_str()).collect();
    match found[..] {
        [one] if !name.is_empty() => Ok(Some(one.to_owned())),
        [] => Err(failure(&format!("there is no conversation `{name}`; see `jp conversation ls`"))),
        _ => Err(failure(&format!(
            "`{name}` can be {} conversations: {}{}",
            found.len(),
            found[..found.len().min(NAMED)].join(", "),
            if found.len() > NAMED { ", …" } else { "" },
        ))),
    }
}

fn failure(reason: &str) -> Failure {
    Failure::new(reason).code(USAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversations() -> Vec<Summary> {
        let summary = |id: &str| Summary {
            id: id.to_owned(),
            title: None,
            last_activated_at: String::new(),
            events_count: 0,
        };
        ["17127583920", "17127583921", "17738399530"].map(summary).into()
    }

    #[test]
    fn a_conversation_has_many_names() {
        let check = |name: Option<&str>, want: Result<Option<&str>, &str>| {
            let got = find(name, &conversations());
            let want = want.map(|id| id.map(str::to_owned)).map_err(failure);
            assert_eq!(got, want, "{name:?}");
        };
        check(None, Ok(None));
        check(Some("latest"), Ok(Some("17127583920")));
        check(Some("17127583921"), Ok(Some("17127583921")));
        check(Some("177"), Ok(Some("17738399530")));
        check(Some("921"), Ok(Some("17127583921")));
        check(Some("171"), Err("`171` can be 2 conversations: 17127583920, 17127583921"));
        check(Some(""), Err("`` can be 3 conversations: 17127583920, 17127583921, 17738399530"));
        check(Some("x"), Err("there is no conversation `x`; see `jp conversation ls`"));
        assert_eq!(find(Some("latest"), &[]), Err(failure("there are no conversations yet")));
    }

    #[test]
    fn words_are_read() {
        let parse = |words: &[&str]| {
            Args::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let args = parse(&["latest", "--search", "config"]).unwrap();
        assert_eq!(args.conversation.as_deref(), Some("latest"));
        assert_eq!(args.search.as_deref(), Some("config"));
        let error = format!("{:?}", parse(&["--nothing"]).unwrap_err());
        assert!(
            error.contains("code: 2") && error.contains("\"unexpected argument '--nothing'"),
            "{error}"
        );
    }
}
