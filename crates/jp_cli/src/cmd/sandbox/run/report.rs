//! What is told about a run: lines for a person as things happen, or one object for a program at the
//! end.
//!
//! With `--format json` standard output holds that object and nothing else, whatever the program
//! prints and however the run ends; so warnings wait until then.

use camino::{Utf8Path, Utf8PathBuf};
use jp_changes::Failure;
use jp_confine::Advice;
use jp_printer::{Print, single_line};
use jp_sandbox::event::Ended;
use serde_json::{Value, json};

use super::changes::number;
use crate::{
    confine::allow::ToAllow,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
};

/// More denials than this nobody reads; an object has all of them.
const MOST: usize = 20;

/// Collects what is told.
pub(super) struct Report<'a> {
    ctx: &'a Ctx,
    object: Value,
}

impl<'a> Report<'a> {
    pub(super) fn new(ctx: &'a Ctx) -> Self {
        let object = json!({
            "ran": false,
            "exit_code": null,
            "program": null,
            "interrupted": false,
            "warnings": [],
            "sensitive": { "allowed": [], "hidden": [] },
            "denied": [],
            "changes": null,
            "error": null,
            "hints": [],
        });
        Self { ctx, object }
    }

    /// Something that the person should know before the program runs.
    pub(super) fn warn(&mut self, warning: &str) -> Result {
        if let Some(warnings) = self.object["warnings"].as_array_mut() {
            warnings.push(warning.into());
        }
        self.say(&format!("warning: {}\n", single_line(warning)))
    }

    /// A line for a person; a program gets the same from the object.
    pub(super) fn say(&self, text: &str) -> Result {
        if self.ctx.is_json() {
            return Ok(());
        }
        Ok(self.ctx.printer().print(Print::chrome(text).untrusted())?)
    }

    /// The same about something that went wrong, which is told also to who wants to hear little.
    pub(super) fn complain(&self, text: &str) -> Result {
        if self.ctx.is_json() {
            return Ok(());
        }
        Ok(self.ctx.printer().print(Print::error(text).untrusted())?)
    }

    pub(super) fn sensitive(&mut self, allowed: &[Utf8PathBuf], hidden: &[Utf8PathBuf]) {
        self.object["sensitive"] = json!({ "allowed": allowed, "hidden": hidden });
    }

    pub(super) fn ended(&mut self, ended: Ended, interrupted: bool) {
        self.object["ran"] = true.into();
        self.object["interrupted"] = interrupted.into();
        self.object["program"] = match ended {
            Ended::Code(code) => json!({ "code": code }),
            Ended::Signal(number) => json!({ "signal": number }),
        };
    }

    pub(super) fn changes(&mut self, changes: Vec<Value>) {
        self.object["changes"] = changes.into();
    }

    /// A change that should have been made and could not be.
    pub(super) fn failed(&mut self, failure: &Failure) -> Result {
        let changes = self.object["changes"].as_array_mut();
        let path = Value::from(failure.change.path.as_str());
        for change in changes.into_iter().flatten().filter(|change| change["path"] == path) {
            change["outcome"] = "failed".into();
            change["reason"] = failure.error.to_string().into();
        }
        self.complain(&format!("error: {failure}\n"))
    }

    /// What the program was denied. A person is told if it failed: then it may be the reason.
    pub(super) fn denied(&mut self, advice: &[Advice], how: How<'_>, failed: bool) -> Result {
        let to_allow = |advice: &Advice| ToAllow::of(advice, how.has_rules);
        let object = |advice: &Advice| {
            json!({
                "wanted": advice.denied.verb(),
                "what": what(advice),
                "reason": advice.reason,
                "to_allow": to_allow(advice).as_ref().map(ToAllow::to_json),
            })
        };
        self.object["denied"] = advice.iter().map(object).collect();
        if !failed || advice.is_empty() {
            return Ok(());
        }
        self.say("\nThe sandbox denied:\n")?;
        for advice in advice.iter().take(MOST) {
            self.say(&format!("  {} ({})\n", advice.denied, advice.reason))?;
            if let Some(to_allow) = to_allow(advice) {
                let text = to_allow.text(how.policy);
                self.say(&format!("    to allow it: {}\n", single_line(&text)))?;
            }
        }
        match advice.len().checked_sub(MOST) {
            None | Some(0) => Ok(()),
            Some(more) => self.say(&format!(
                "  … and {}, which --format json lists\n",
                number(more, "more denial")
            )),
        }
    }

    /// Prints the object, if one is wanted, and says how to end.
    pub(super) fn finish(mut self, result: Result<Exit>) -> Result {
        let code = match result {
            Ok(code) => code,
            Err(error) if self.ctx.is_json() && error.parts().is_some() => self.note(&error),
            Err(error) => return Err(error),
        };
        if self.ctx.is_json() {
            self.object["exit_code"] = code.code().into();
            self.ctx.print_json(&self.object)?;
        }
        if code == Exit::Success { Ok(()) } else { Err(Error::said(code)) }
    }

    fn note(&mut self, error: &Error) -> Exit {
        if let Some((message, hints)) = error.parts() {
            self.object["error"] = message.into();
            self.object["hints"] = hints.into();
        }
        error.exit()
    }
}

/// How the program was run, for advice on how to run it differently.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) policy: Option<&'a Utf8Path>,
    pub(super) has_rules: bool,
}

fn what(advice: &Advice) -> Value {
    use jp_confine::Denied;

    match &advice.denied {
        Denied::Path { path, .. } => path.as_str().into(),
        Denied::Connect(target) => target.as_str().into(),
        Denied::Lookup => Value::Null,
    }
}
