//! The person at the terminal, as tools see them: asked before a call, asked by a tool, shown what a
//! call would change. Where nobody is there, every question is answered by saying so.

use jp_changes::Judged;
use jp_config::conversation::tool::RunMode;
use jp_llm::tool::{
    Answer, Approval, Asked, Changes, Interaction, Notice, Proposed, render::to_text,
};
use jp_printer::{Format, Print};
use jp_tool::AnswerType;
use serde_json::{Map, Value};

use super::progress::Progress;
use crate::{
    cmd::sandbox::run::changes::{self, Detail},
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    terminal::Reply,
};

/// Asks the person at the terminal.
#[derive(Debug)]
pub(crate) struct Attendant<'a> {
    pub(crate) ctx: &'a Ctx,
    /// Whether calls that would be asked about may run.
    pub(crate) yes: bool,
    /// Whether changes are shown as one line each.
    pub(crate) stat: bool,
    pub(crate) progress: &'a Progress,
}

impl Attendant<'_> {
    fn say(&self, text: &str) {
        // Whoever cannot be told something is still there to be asked.
        let _ = self.ctx.printer().print(Print::chrome(text).untrusted());
    }

    fn confirm(&self, text: &str, question: &str) -> Option<bool> {
        let terminal = self.ctx.terminal();
        if !terminal.can_ask() {
            return None;
        }
        let _pause = self.progress.pause();
        terminal.confirm_after(text, question).ok()
    }

    fn edit(&self, proposed: &Proposed<'_>) -> Approval {
        let _pause = self.progress.pause();
        let text = serde_json::to_string_pretty(proposed.arguments).unwrap_or_default();
        match self.ctx.terminal().edit(&text, ".json") {
            Ok(None) => Approval::Skip("the person left the arguments without saving".to_owned()),
            Ok(Some(text)) => match serde_json::from_str::<Map<String, Value>>(&text) {
                Ok(arguments) => Approval::Run(arguments),
                Err(error) => {
                    Approval::Skip(format!("the edited arguments are no object: {error}"))
                }
            },
            Err(_) => Approval::Nobody,
        }
    }
}

impl Interaction for Attendant<'_> {
    async fn approve(&self, proposed: &Proposed<'_>, mode: RunMode) -> Approval {
        if self.yes {
            return Approval::Run(proposed.arguments.clone());
        }
        if mode == RunMode::Edit && self.ctx.terminal().can_ask() {
            return self.edit(proposed);
        }
        let arguments = match proposed.shown {
            Some(shown) => shown.to_owned(),
            None => serde_json::to_string_pretty(proposed.arguments).unwrap_or_default(),
        };
        match self.confirm(&format!("{arguments}\n"), &format!("Run {}?", proposed.tool)) {
            Some(true) => Approval::Run(proposed.arguments.clone()),
            Some(false) => Approval::Skip("the person said no".to_owned()),
            None => Approval::Nobody,
        }
    }

    async fn ask(&self, _: &str, asked: &Asked) -> Answer {
        let terminal = self.ctx.terminal();
        if !terminal.can_ask() {
            return Answer::Nobody;
        }
        let _pause = self.progress.pause();
        let preamble = to_text(&asked.preamble);
        let preamble = if preamble.is_empty() { preamble } else { preamble + "\n" };
        if terminal.show(&preamble).is_err() {
            return Answer::Nobody;
        }
        let answer = match AnswerType::from_schema(&asked.schema) {
            Some(AnswerType::Boolean) => {
                let default = asked.default.as_ref().and_then(Value::as_bool);
                terminal.ask_bool(&asked.text, default).map(|reply| reply.map(Value::from))
            }
            Some(AnswerType::Select { options }) => {
                let default = asked.default.as_ref().and_then(Value::as_str);
                let default = options.iter().position(|option| Some(option.as_str()) == default);
                let chosen = terminal.select(&asked.text, &options, default.unwrap_or(0));
                chosen.map(|reply| reply.map(|at| Value::from(options[at].as_str())))
            }
            Some(AnswerType::Text) => {
                let default = asked.default.as_ref().and_then(Value::as_str);
                terminal.ask_text(&asked.text, default).map(|reply| reply.map(Value::from))
            }
            // A form that only a schema can describe is answered in JSON.
            None => {
                let prompt = format!("{} (JSON: {})", asked.text, asked.schema);
                let typed = terminal.ask_text(&prompt, None);
                typed.map(|reply| {
                    reply.map(|text| serde_json::from_str(&text).unwrap_or(text.into()))
                })
            }
        };
        match answer {
            Ok(Reply::Given(answer)) => Answer::Given(answer),
            Ok(Reply::Left) => Answer::Cancel,
            Err(_) => Answer::Nobody,
        }
    }

    async fn accept(&self, tool: &str, result: &str) -> bool {
        let shown = format!("{result}\n");
        self.confirm(&shown, &format!("Hand over this result of {tool}?")).unwrap_or(false)
    }

    async fn review(&self, _: &str, judged: &Judged, mode: Changes) -> bool {
        let detail = if self.stat { Detail::Names } else { Detail::Lines };
        let diff = changes::diff(judged, detail).text;
        let diff = if diff.is_empty() { "It would change nothing.\n".to_owned() } else { diff };
        let text = diff + &changes::refused(judged.refused(), false);
        if mode == Changes::Show {
            let print = Print::content(&text).format(Format::Code).language(Some("diff"));
            let _ = self.ctx.printer().print(print.untrusted());
            return false;
        }
        self.confirm(&text, "Make these changes?").unwrap_or(false)
    }

    fn notice(&self, tool: &str, notice: Notice<'_>) {
        match notice {
            Notice::Retry { attempt, error } => {
                self.say(&format!("{tool}: {error}; trying again ({attempt})\n"));
            }
            Notice::Denied(advice) => {
                self.say("\nThe sandbox denied:\n");
                for one in advice {
                    self.say(&format!("  {one}\n"));
                }
            }
            Notice::Warning(warning) => self.say(&format!("warning: {warning}\n")),
        }
    }
}

/// Whether a review can be asked for. A long call must not end with the news that it was for nothing.
pub(crate) fn can_review(ctx: &Ctx) -> Result {
    if ctx.terminal().can_ask() {
        return Ok(());
    }
    let error = Error::new(Exit::NeedsInput, "nobody can be asked whether to make the changes");
    Err(error.hint("--dry-run shows them without making them"))
}
