//! Asking about sensitive paths that a grant covers, once for each run.
//!
//! A rule for a whole workspace grants the `.env` in it, and hardly anybody means that. So the person is
//! asked, one question for all of them, and no is what happens by default; where nobody can be asked
//! they stay hidden, and one line says so and how to allow them. Whatever runs programs asks here.

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{Covered, Grant};
use jp_printer::{single_line, visible};

use super::allow::quoted;
use crate::{
    ctx::{self, Ctx},
    error::Result,
};

/// More than this nobody reads before answering. What was not read is not allowed.
const MOST: usize = 20;

/// The option that allows a path without a question.
const OPTION: &str = "--allow-sensitive";

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What the person said yes to.
    pub(crate) allowed: Vec<Utf8PathBuf>,
    /// What stays hidden.
    pub(crate) hidden: Vec<Utf8PathBuf>,
    /// What has to be said about that.
    pub(crate) warning: Option<String>,
}

/// Asks about sensitive paths, or says why they stay hidden. `who` gets to see them: `the program`.
pub(crate) fn ask(ctx: &Ctx, covered: &[Covered], root: &Utf8Path, who: &str) -> Result<Answer> {
    let (asked, rest) = covered.split_at(covered.len().min(MOST));
    if asked.is_empty() {
        return Ok(Answer::default());
    }
    if !ctx.terminal().can_ask() {
        let hidden = covered.iter().map(|one| one.path.clone()).collect();
        let warning = Some(denied(ctx, covered));
        return Ok(Answer { allowed: Vec::new(), hidden, warning });
    }
    let list = asked.iter().map(|one| format!("  {}\n", described(ctx, one, root)));
    let text = format!("Sensitive, and granted:\n{}", list.collect::<String>());
    let said_yes = ctx.terminal().confirm_after(&text, &format!("Show this to {who}?"))?;
    let paths = |list: &[Covered]| list.iter().map(|one| one.path.clone()).collect();
    let (allowed, hidden) =
        if said_yes { (paths(asked), paths(rest)) } else { (Vec::new(), paths(covered)) };
    let warning = (!rest.is_empty()).then(|| denied(ctx, rest));
    Ok(Answer { allowed, hidden, warning })
}

/// A path as the user would write it here.
fn shown<'a>(ctx: &Ctx, path: &'a Utf8Path) -> &'a Utf8Path {
    path.strip_prefix(ctx.cwd()).ok().filter(|below| !below.as_str().is_empty()).unwrap_or(path)
}

fn described(ctx: &Ctx, covered: &Covered, root: &Utf8Path) -> String {
    let Covered { path, by } = covered;
    let home = ctx::home().and_then(|home| home.canonicalize_utf8().ok());
    let known = ctx.config().sensitive_paths();
    let why = known.find(root, home.as_deref(), path).map_or_else(
        || "leads to something sensitive, or cannot be looked into".to_owned(),
        |pattern| format!("sensitive by `{pattern}`"),
    );
    // A path with a line break could put words into this question.
    let path_here = single_line(&visible(shown(ctx, path).as_str())).into_owned();
    format!("{path_here}: {why}, {}", granted(path, by))
}

fn granted(path: &Utf8Path, by: &Grant) -> String {
    match by {
        Grant::Rule(rule) => format!("granted by the rule for `{rule}`"),
        Grant::Place(place) if place == path => "granted by name".to_owned(),
        Grant::Place(place) => format!("granted with {}", single_line(place.as_str())),
        Grant::Profile => "seen without rules".to_owned(),
    }
}

fn denied(ctx: &Ctx, covered: &[Covered]) -> String {
    let name = |one: &Covered| quoted(shown(ctx, &one.path).as_str()).into_owned();
    if let [one] = covered {
        let (path, by) = (name(one), granted(&one.path, &one.by));
        return format!(
            "{path} is sensitive and stays hidden, though it is {by}; to show it: {OPTION} {path}"
        );
    }
    let list: Vec<String> = covered.iter().take(MOST).map(name).collect();
    let more = covered.len() - list.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let list = list.join(", ");
    format!(
        "sensitive paths stay hidden, though they are granted: {list}{more}; to show one: {OPTION} \
         PATH"
    )
}
