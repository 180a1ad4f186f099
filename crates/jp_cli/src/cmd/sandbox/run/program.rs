//! Why a program that is there cannot be started: what the view hides on the way to it.
//!
//! The file itself is always seen. What can be missing is the name it was called by, if that is a link
//! in a place that is hidden, and the interpreter that a script names in its first line. The kernel says
//! "No such file" in both cases, which sends people looking for a file that is there.

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::Prepared;
use jp_sandbox::event::Wanted;
use rustix::fs::{Mode, OFlags};

use super::request::Request;
use crate::{confine::allow::ToAllow, error::Error, exit::Exit};

/// Something on the way to a program that it cannot see.
pub(super) struct Obstacle {
    why: String,
    hint: Option<String>,
}

/// What stands in the way, if anything does.
pub(super) fn obstacle(request: &Request, prepared: &Prepared) -> Option<Obstacle> {
    let Request { program, canonical, .. } = request;
    if program != canonical
        && let Some(advice) = prepared.advice_for(program, Wanted::Read)
    {
        let why = hidden_by(request, program, &advice.reason);
        let hint = Some(format!("it is a link to {canonical}; name that instead"));
        return Some(Obstacle { why, hint });
    }
    let interpreter = interpreter(canonical)?;
    let hidden = prepared.advice_for(&interpreter, Wanted::Read);
    let advice = hidden.or_else(|| prepared.advice_for(&interpreter, Wanted::Execute))?;
    let why = hidden_by(request, &interpreter, &advice.reason);
    let why = format!("it is a script for {interpreter}, and {why}");
    let to_allow = ToAllow::of(&advice, request.has_fs_rules());
    let hint = to_allow.map(|to_allow| format!("to allow it: {}", to_allow.text(None)));
    Some(Obstacle { why, hint })
}

impl Obstacle {
    pub(super) fn explain(self, error: Error) -> Error {
        let error = error.with_exit(Exit::Refused).hint(self.why);
        self.hint.into_iter().fold(error, Error::hint)
    }
}

/// What hides a path, in words.
fn hidden_by(request: &Request, path: &Utf8Path, reason: &str) -> String {
    let below: Option<Utf8PathBuf> = path.strip_prefix(&request.root).ok().map(Utf8Path::to_owned);
    let rules = request.policy.as_ref().map(|policy| &policy.fs);
    let rule = below.and_then(|below| Some(rules?.winner(&below)?.path().to_owned()));
    match rule {
        Some(rule) => format!("the rule for `{rule}` hides {path}"),
        None if path.starts_with(&request.root) => format!("no rule grants {path}"),
        None if request.has_fs_rules() => {
            format!(
                "{path} is {reason}: with rules for files, places outside of the root are hidden"
            )
        }
        None => format!("{path} is {reason}"),
    }
}

/// The interpreter that a script names in its first line. The kernel looks no further than this.
fn interpreter(script: &Utf8Path) -> Option<Utf8PathBuf> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(script.as_std_path(), flags, Mode::empty()).ok()?;
    let mut start = [0; 256];
    let length = rustix::io::read(&file, &mut start).ok()?;
    let line = start[..length].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = std::str::from_utf8(line).ok()?.split_whitespace().next()?;
    Some(word.into())
}
