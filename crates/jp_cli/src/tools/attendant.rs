//! The person at the terminal, as tools see them: asked before a call, asked by a tool, shown what a
//! call would change. Where nobody is there, every question is answered by saying so.

use std::cell::RefCell;

use jp_changes::Reviewed;
use jp_config::conversation::tool::RunMode;
use jp_llm::tool::{
    Answer, Approval, Asked, Asker, Changes, Interaction, Notice, Proposed, Verdict,
    render::to_text,
};
use jp_printer::{Format, Print, single_line, truncate_to_width, visible};
use jp_tool::AnswerType;
use serde_json::{Map, Value};

use super::progress::Progress;
use crate::{
    cmd::sandbox::run::changes::{self, Detail},
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    terminal::{Reply, Terminal},
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
    /// The warnings that were given; each is given once, however often a tool is started.
    pub(crate) warned: &'a RefCell<Vec<String>>,
}

/// What came of a question with a yes or a no.
#[derive(Debug)]
enum Said {
    Yes,
    No,
    /// They want an end.
    Stop,
    /// Nobody is there.
    Nothing,
}

impl From<Said> for Verdict {
    fn from(said: Said) -> Self {
        match said {
            Said::Yes => Self::Yes,
            Said::No | Said::Nothing => Self::No,
            Said::Stop => Self::Cancel,
        }
    }
}

impl Attendant<'_> {
    fn say(&self, text: &str) {
        // Whoever cannot be told something is still there to be asked.
        let _ = self.ctx.printer().print(Print::chrome(text).untrusted());
    }

    fn confirm(&self, text: &str, question: &str) -> Said {
        let terminal = self.ctx.terminal();
        if !terminal.can_ask() {
            return Said::Nothing;
        }
        let _turn = Terminal::turn();
        let _pause = self.progress.pause();
        match terminal.confirm_after(text, question) {
            Ok(true) => Said::Yes,
            Ok(false) => Said::No,
            Err(error) if error.exit() == Exit::Interrupted => Said::Stop,
            Err(_) => Said::Nothing,
        }
    }

    fn edit(&self, proposed: &Proposed<'_>) -> Approval {
        let _pause = self.progress.pause();
        let text = serde_json::to_string_pretty(proposed.arguments).unwrap_or_default();
        match self.ctx.terminal().edit(&text, ".json") {
            Ok(None) => {
                let reason = "it was not run: the person left the arguments without saving";
                Approval::Skip(reason.to_owned())
            }
            Ok(Some(text)) => match serde_json::from_str::<Map<String, Value>>(&text) {
                Ok(arguments) => Approval::Run(arguments),
                Err(error) => Approval::Skip(format!(
                    "it was not run: the edited arguments are not a JSON object: {error}"
                )),
            },
            Err(error) => {
                error.report(self.ctx);
                Approval::Nobody
            }
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
        match self.confirm(&block(&arguments), &format!("Run {}?", proposed.tool)) {
            Said::Yes => Approval::Run(proposed.arguments.clone()),
            Said::No => Approval::Skip("it was not run: the person said no".to_owned()),
            Said::Stop => Approval::Cancel,
            Said::Nothing => Approval::Nobody,
        }
    }

    async fn ask(&self, who: Asker<'_>, asked: &Asked) -> Answer {
        let terminal = self.ctx.terminal();
        if !terminal.can_ask() {
            return Answer::Nobody;
        }
        let _turn = Terminal::turn();
        let _pause = self.progress.pause();
        let before = format!("{}\n{}", asks(who), block(&to_text(&asked.preamble)));
        if terminal.show(&before).is_err() {
            return Answer::Nobody;
        }
        let question = cut(&asked.text, QUESTION);
        let answer = match AnswerType::from_schema(&asked.schema) {
            Some(AnswerType::Boolean) => {
                let default = asked.default.as_ref().and_then(Value::as_bool);
                terminal.ask_bool(&question, default).map(|reply| reply.map(Value::from))
            }
            Some(AnswerType::Select { options }) => {
                let default = asked.default.as_ref().and_then(Value::as_str);
                let default = options.iter().position(|option| Some(option.as_str()) == default);
                let shown: Vec<_> = options.iter().map(|option| cut(option, OPTION)).collect();
                let chosen = terminal.select(&question, &shown, default.unwrap_or(0));
                chosen.map(|reply| reply.map(|at| Value::from(options[at].as_str())))
            }
            Some(AnswerType::Text) => {
                // One that cannot be read whole is not agreed to by a key.
                let default = asked.default.as_ref().and_then(Value::as_str);
                let default = default.filter(|default| default.len() <= OPTION);
                terminal.ask_text(&question, default).map(|reply| reply.map(Value::from))
            }
            // A form that only a schema can describe is answered in JSON.
            None => {
                let schema = cut(&asked.schema.to_string(), QUESTION);
                let typed = terminal.ask_text(&format!("{question} (JSON: {schema})"), None);
                typed.map(|reply| {
                    reply.map(|text| serde_json::from_str(&text).unwrap_or(text.into()))
                })
            }
        };
        match answer {
            Ok(Reply::Given(answer)) => Answer::Given(answer),
            Ok(Reply::Left) => Answer::Left,
            Err(error) if error.exit() == Exit::Interrupted => Answer::Cancel,
            Err(_) => Answer::Nobody,
        }
    }

    async fn accept(&self, tool: &str, result: &str) -> Verdict {
        self.confirm(&block(result), &format!("Hand over this result of {tool}?")).into()
    }

    async fn review(&self, _: &str, judged: &dyn Reviewed, mode: Changes) -> Verdict {
        let detail = if self.stat { Detail::Names } else { Detail::Lines };
        let text = changes::diff(judged, detail).text + &changes::refused(judged.refused(), false);
        if text.is_empty() {
            self.say("It would change nothing.\n");
            return Verdict::Yes;
        }
        if mode == Changes::Show {
            let print = Print::content(&text).format(Format::Code).language(Some("diff"));
            let _ = self.ctx.printer().print(print.untrusted());
            return Verdict::No;
        }
        self.confirm(&text, "Make these changes?").into()
    }

    fn notice(&self, tool: &str, notice: Notice<'_>) {
        match notice {
            Notice::Retry { attempt, error } => {
                let error = truncate_to_width(&single_line(error), 200).into_owned();
                self.say(&format!("{tool}: {error}; trying again ({attempt})\n"));
            }
            // The error that follows says the same.
            Notice::Denied(_) => {}
            Notice::Misfit(reason) => {
                // Where the question was seen, its second coming is explained.
                let _ = self.ctx.terminal().show(&format!("{reason}\n"));
            }
            Notice::Warning(warning) => {
                let mut warned = self.warned.borrow_mut();
                if !warned.iter().any(|other| other == warning) {
                    self.say(&format!("warning: {warning}\n"));
                    warned.push(warning.to_owned());
                }
            }
        }
    }
}

/// How long a question may be, and what can be chosen, in bytes.
const QUESTION: usize = 1000;
const OPTION: usize = 200;

/// Who asks, as a line before the question: words of a server must not be taken for ours.
fn asks(asker: Asker<'_>) -> String {
    let tool = single_line(asker.tool);
    match asker.server {
        Some(server) => format!("{tool} of the MCP server {} asks:", single_line(server)),
        None => format!("{tool} asks:"),
    }
}

/// A text of somebody else's, in one line that is not too long to be read.
fn cut(text: &str, most: usize) -> String {
    let text = visible(text);
    let text = single_line(&text);
    let end = text.floor_char_boundary(most);
    match text.len() - end {
        0 => text.into_owned(),
        rest => format!("{}… [{rest} more bytes]", &text[..end]),
    }
}

/// A text to be read before a question: whole lines, and not so many that the question makes no sense
/// any more.
fn block(text: &str) -> String {
    const LINES: usize = 500;
    const BYTES: usize = 32 * 1024;
    let text = text.trim_end();
    if text.is_empty() {
        return String::new();
    }
    let lines = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at);
    let end = text.floor_char_boundary(BYTES.min(lines));
    match text.len() - end {
        0 => format!("{text}\n"),
        rest => format!("{}\n[{rest} more bytes are not shown]\n", &text[..end]),
    }
}

/// Whether somebody can be asked if a result may be handed over.
pub(crate) fn can_accept(ctx: &Ctx, tool: &str) -> Result {
    if ctx.terminal().can_ask() {
        return Ok(());
    }
    let message = format!("nobody can be asked whether the result of `{tool}` may be handed over");
    let hint = format!("`conversation.tools.{tool}.result = \"unattended\"` does not ask");
    Err(Error::new(Exit::NeedsInput, message).hint(hint))
}

/// Whether a review can be asked for. A long call must not end with the news that it was for nothing.
pub(crate) fn can_review(ctx: &Ctx) -> Result {
    if ctx.terminal().can_ask() {
        return Ok(());
    }
    let error = Error::new(Exit::NeedsInput, "nobody can be asked whether to make the changes");
    Err(error.hint("--dry-run shows them without making them"))
}
