//! Asks a person whether a plugin may run.
//!
//! They are shown what there is to know: the file, who published it, its checksum, and what it will be able
//! to do. A yes for always is about these bytes in this place and is kept outside of any workspace.

use std::fmt::Write as _;

use jp_plugin_host::{
    catalog::{Binary, Plugin},
    help::one_line,
    trust::{Approval, Approvals, By, publisher},
};

use super::{Shelf, approvals_file};
use crate::{
    confine::granted::rights,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    terminal::Terminal,
};

/// How often the question is put to somebody who answers something else.
const ATTEMPTS: usize = 5;

/// What somebody said.
enum Said {
    No,
    Once,
    Always,
}

/// Asks, and keeps the answer if it is to be kept. No is an error.
pub(super) fn ask(
    ctx: &Ctx,
    shelf: &Shelf,
    plugin: &Plugin,
    binary: &Binary,
    sha256: &str,
) -> Result {
    if !ctx.terminal().can_ask() {
        return Err(nobody(ctx, shelf, plugin, binary));
    }
    ctx.end_waiting();
    let _turn = Terminal::turn();
    match put(ctx, &question(ctx, shelf, plugin, binary, sha256)?)? {
        Said::No => {
            Err(Error::new(Exit::Declined, format!("the plugin `{}` was not run", plugin.id)))
        }
        Said::Once => Ok(()),
        Said::Always => {
            let path = binary.canonical.clone();
            let approval = Approval { path, sha256: sha256.to_owned(), by: By::Person };
            let Some(file) = approvals_file() else {
                return ctx.terminal().show("It cannot be kept without a home directory.\n");
            };
            // Whoever wants it always wants it now, even if that cannot be kept.
            match Approvals::add(&file, &approval) {
                Ok(()) => Ok(()),
                Err(error) => ctx.terminal().show(&format!("{error}\n")),
            }
        }
    }
}

fn put(ctx: &Ctx, question: &str) -> Result<Said> {
    let mut shown = question;
    for _ in 0..ATTEMPTS {
        let Some(typed) = ctx.terminal().ask_line(shown, &|| false)? else { break };
        match typed.trim().to_ascii_lowercase().as_str() {
            "" | "n" | "no" => return Ok(Said::No),
            "o" | "once" | "y" | "yes" => return Ok(Said::Once),
            "a" | "always" => return Ok(Said::Always),
            _ => shown = "One of the letters, please: ",
        }
    }
    Ok(Said::No)
}

fn question(
    ctx: &Ctx,
    shelf: &Shelf,
    plugin: &Plugin,
    binary: &Binary,
    sha256: &str,
) -> Result<String> {
    let before = shelf.policy.agreed_to(binary);
    let mut text = match before {
        Some(_) => format!("`jp {}` has changed since somebody agreed to it.\n", plugin.command),
        None => format!("`jp {}` is a plugin that nobody has agreed to yet.\n", plugin.command),
    };
    let says = plugin
        .said()
        .map(|said| format!("{} ({})", one_line(&said.description), one_line(&said.version)));
    let known = [
        ("file", Some(one_line_path(binary))),
        ("publisher", Some(one_line(&publisher(plugin)))),
        ("sha256", Some(sha256.to_owned())),
        ("agreed to", before.map(|sum| format!("sha256 {sum}"))),
        ("says", says),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (name, value) in known.chain(rights(ctx, &plugin.id)?) {
        let _ = writeln!(text, "  {name:9}  {value}");
    }
    if shelf.policy.rules(&plugin.id).is_loosened() {
        text +=
            "This workspace says that it runs without a question. Only your own settings can.\n";
    }
    text += "  n  no\n  o  yes, once\n  a  always, as long as the file is the same\n[n/o/a] ";
    Ok(text)
}

/// A path is shown whole: the end of it is what matters.
fn one_line_path(binary: &Binary) -> String {
    let plain = |path: &str| path.replace(char::is_control, " ");
    if binary.path == binary.canonical {
        return plain(binary.path.as_str());
    }
    format!("{} (a link to {})", plain(binary.path.as_str()), plain(binary.canonical.as_str()))
}

fn nobody(ctx: &Ctx, shelf: &Shelf, plugin: &Plugin, binary: &Binary) -> Error {
    let key = ctx.config().plugin_key(&plugin.id, &["run"]);
    let message =
        format!("nobody can be asked whether the plugin `{}` may run: {}", plugin.id, binary.path);
    let error = Error::new(Exit::NeedsInput, message)
        .hint("run it once in a terminal and agree to it there")
        .hint(format!("`--cfg {key}=unattended` runs it without a question"));
    let error = match shelf.policy.agreed_to(binary) {
        Some(sum) => {
            error.hint(format!("it has changed since somebody agreed to it: its sha256 was {sum}"))
        }
        None => error,
    };
    if shelf.policy.rules(&plugin.id).is_loosened() {
        let place = ctx.config().place(&key).unwrap_or_default();
        return error.hint(format!(
            "{place} says that it runs without a question, and only your own settings can"
        ));
    }
    error
}
