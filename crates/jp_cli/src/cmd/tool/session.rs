//! `jp tool session`: a tool that stays alive, commanded line by line.
//!
//! A line is a command in JSON, as the assistant writes it, or in words:
//!
//! ```text
//! spawn [ID] [key=value …]
//! fetch [ID]
//! apply [ID] VALUE
//! abort [ID]
//! ```
//!
//! Without an id the command is about the tool that was started without one. Every command is answered
//! by the state of the tool. At the end of the input everything that is alive is ended.

use std::{
    cell::RefCell,
    collections::HashMap,
    io::{self, BufRead, IsTerminal as _, stdin},
    sync::Arc,
    thread,
    time::Duration,
};

use jp_llm::tool::{CallEnd, Coordinator, Handles, ResolvedTool, arguments, inquiry, render};
use jp_printer::Print;
use jp_tool::{AnswerType, Question, ToolCommand, ToolState};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    find,
    run::{interruptible, plain},
};
use crate::{
    args::ToolSession,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes, attendant::Attendant, progress::Progress, recorder::TraceFile},
};

/// The id of a tool that was started without one.
const ID: &str = "session";

/// What can be written.
const COMMANDS: &str =
    "`spawn [ID] [key=value …]`, `fetch [ID]`, `apply [ID] VALUE`, `abort [ID]`, or JSON";

pub(crate) fn run(ctx: &Ctx, args: &ToolSession) -> Result {
    let tool = find(ctx, &args.name)?;
    let trace = args.trace.as_deref().map(|path| TraceFile::open(ctx, &tool, path)).transpose()?;
    tools::block_on(async {
        let attended = Some(Arc::new(Progress::new(true)));
        let resolver = tools::resolver(ctx, Wishes { attended, trace, ..Wishes::default() })?;
        if ctx.terminal().can_ask() {
            tools::approve(ctx, &resolver, &args.name, &resolver.covered(&args.name).await)?;
        }
        let tool = resolver.resolve(&args.name).await;
        let warned = tools::warn(ctx, &resolver)?;
        let tool = tool?;
        let cancel = CancellationToken::new();
        let session = Session::new(ctx, args, (&tool, warned), &cancel)?;
        interruptible(session.attend(), &cancel).await?
    })
}

struct Session<'a> {
    ctx: &'a Ctx,
    tool: &'a ResolvedTool,
    yes: bool,
    warned: RefCell<Vec<String>>,
    handles: Handles,
    /// What is waited for, by id.
    questions: HashMap<String, Question>,
    cancel: &'a CancellationToken,
}

impl<'a> Session<'a> {
    fn new(
        ctx: &'a Ctx,
        args: &ToolSession,
        (tool, warned): (&'a ResolvedTool, Vec<String>),
        cancel: &'a CancellationToken,
    ) -> Result<Self> {
        if tool.live.is_none() {
            let error = Error::usage(format!("`{}` does not stay alive between calls", args.name));
            return Err(error.hint(format!("`jp tool run {}` calls it once", args.name)));
        }
        let (handles, questions) = (Handles::default(), HashMap::new());
        let (yes, warned) = (args.yes, RefCell::new(warned));
        Ok(Self { ctx, tool, yes, warned, handles, questions, cancel })
    }

    async fn attend(mut self) -> Result {
        if stdin().is_terminal() {
            let text = format!("Commands: {COMMANDS}. Control-D ends the session.\n");
            self.ctx.printer().print(Print::chrome(&text))?;
        }
        let mut lines = lines();
        let mut failed = false;
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = self.cancel.cancelled() => None,
            };
            let Some(line) = line else { break };
            // One that is wrong is no reason to end the others.
            let text = match &line {
                Line::Whole(line) => str::from_utf8(line)
                    .map(str::trim)
                    .map_err(|_| Error::usage("not a command: it is not UTF-8 text")),
                Line::Long => {
                    Err(Error::usage(format!("not a command: longer than {LONGEST} bytes")))
                }
            };
            let obeyed = match text {
                Ok("") => continue,
                Ok(line) => self.obey(line).await,
                Err(error) => Err(error),
            };
            if let Err(error) = obeyed {
                // Nobody reads the answers any more.
                if error.exit() == Exit::Success {
                    break;
                }
                failed = true;
                error.report(self.ctx);
            }
            self.ctx.printer().flush()?;
        }
        self.handles.abort_all(&CancellationToken::new()).await;
        match (self.cancel.is_cancelled(), failed) {
            (true, _) => Err(Error::new(Exit::Interrupted, "interrupted; the tool was ended")),
            (_, true) => Err(Error::said(Exit::Failure)),
            _ => Ok(()),
        }
    }

    async fn obey(&mut self, line: &str) -> Result {
        let command = if line.starts_with('{') {
            serde_json::from_str(line)
                .map_err(|error| Error::usage(format!("not a command: {error}")))?
        } else {
            self.in_words(line)?
        };
        let id = command.id().to_owned();
        // Of a value of two words the first is taken for an id.
        let is_unknown = matches!(command, ToolCommand::Apply { .. })
            && id != ID
            && !self.handles.alive().await.contains(&id);
        let told = self.tell(command).await;
        let state = told.map_err(|error| {
            if is_unknown && !line.starts_with('{') {
                return error.hint("a value with spaces needs quotes: `apply 'one two'`");
            }
            error
        })?;
        self.questions.remove(&id);
        if let ToolState::Waiting { question, .. } = &state {
            self.questions.insert(id.clone(), question.clone());
        }
        self.print(&id, state)
    }

    async fn tell(&self, command: ToolCommand) -> Result<ToolState> {
        let progress = Progress::new(true);
        let (ctx, yes, warned) = (self.ctx, self.yes, &self.warned);
        let attendant = Attendant { ctx, yes, stat: false, progress: &progress, warned };
        let coordinator = Coordinator {
            interaction: &attendant,
            backend: None,
            handles: &self.handles,
            record: &|_| {},
            pause: Duration::ZERO,
        };
        let (name, id) = (&self.tool.definition.name, command.id().to_owned());
        let told = coordinator.obey(self.tool, &id, command, self.cancel).await;
        told.map_err(|end| match end {
            CallEnd::Failed(failure) => plain(name, failure),
            CallEnd::Skipped(reason) => Error::new(Exit::Declined, format!("{name}: {reason}")),
            CallEnd::Done(_) | CallEnd::Cancelled => {
                Error::new(Exit::Interrupted, format!("{name} was cancelled"))
            }
        })
    }

    fn in_words(&self, line: &str) -> Result<ToolCommand> {
        let words =
            shell_words::split(line).map_err(|error| Error::usage(format!("{line}: {error}")))?;
        let (action, rest) = words.split_first().ok_or_else(|| Error::usage("no command"))?;
        let own = |rest: &[String]| rest.first().cloned().unwrap_or_else(|| ID.to_owned());
        match (action.as_str(), rest) {
            ("spawn", rest) => {
                let named = rest.first().filter(|word| !word.contains('='));
                let id = named.cloned().unwrap_or_else(|| ID.to_owned());
                let words = &rest[usize::from(named.is_some())..];
                let args = arguments::from_words(&self.tool.definition, words);
                Ok(ToolCommand::Spawn { id, args: args.map_err(Error::usage)? })
            }
            ("fetch", rest @ ([] | [_])) => Ok(ToolCommand::Fetch { id: own(rest) }),
            ("abort", rest @ ([] | [_])) => Ok(ToolCommand::Abort { id: own(rest) }),
            ("apply", [value]) => Ok(self.apply(ID, value)),
            ("apply", [id, value]) => Ok(self.apply(id, value)),
            _ => Err(Error::usage(format!("not a command: {line}"))
                .hint(format!("write {COMMANDS}; a value with spaces needs quotes"))),
        }
    }

    /// A value in the type that is asked for. What is none is given as it is, and refused with a
    /// reason.
    fn apply(&self, id: &str, value: &str) -> ToolCommand {
        let question = self.questions.get(id).cloned();
        let input = question.and_then(|question| inquiry::typed(&question.into(), value).ok());
        ToolCommand::Apply { id: id.to_owned(), input: input.unwrap_or_else(|| json!(value)) }
    }

    fn print(&self, id: &str, state: ToolState) -> Result {
        if self.ctx.is_json() {
            let mut object = json!({ "id": id });
            object["state"] = json!(state);
            return self.ctx.print_json(&object);
        }
        let (status, content, question) = match state {
            ToolState::Running { content } => ("running", content, None),
            ToolState::Waiting { content, question } => ("waiting", content, Some(question)),
            ToolState::Stopped { result } => ("stopped", Some(result), None),
        };
        let mut text = format!("[{id}: {status}]\n");
        for part in [
            content.map(|content| render::to_text(&content.into_blocks())),
            question.as_ref().and_then(|question| question.pre_amble.clone()),
            question.as_ref().map(asked),
        ] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                text += part.trim_end();
                text.push('\n');
            }
        }
        Ok(self.ctx.printer().print(Print::content(&text).untrusted())?)
    }
}

fn asked(question: &Question) -> String {
    let how = match &question.answer_type {
        AnswerType::Boolean => "apply yes|no".to_owned(),
        AnswerType::Select { options } => format!("apply {}", options.join("|")),
        AnswerType::Text => "apply TEXT".to_owned(),
    };
    format!("{} ({how})", question.text)
}

/// The longest line that is taken for a command.
const LONGEST: usize = 16 * 1024 * 1024;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// One that is longer than any command. It was passed over.
    Long,
}

/// The lines of stdin. They are read in a thread of its own, because a terminal can be read in no other
/// way without waiting for it.
fn lines() -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(16);
    thread::spawn(move || {
        let mut input = stdin().lock();
        while let Ok(Some(line)) = read_line(&mut input, LONGEST) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next line, without what ends it; `None` at the end of the input.
fn read_line(input: &mut impl BufRead, longest: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut is_long, mut is_empty) = (false, true);
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            break;
        }
        is_empty = false;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = &piece[..end.unwrap_or(piece.len())];
        is_long |= line.len() + part.len() > longest;
        if is_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (is_empty, is_long) {
        (true, _) => None,
        (false, true) => Some(Line::Long),
        (false, false) => Some(Line::Whole(line)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_largest_size() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        for (text, expected) in [
            ("", vec![]),
            ("a\n\nb", vec![whole("a"), whole(""), whole("b")]),
            ("12345\n", vec![whole("12345")]),
            ("123456\nb\n", vec![Line::Long, whole("b")]),
            ("b\n123456789", vec![whole("b"), Line::Long]),
        ] {
            // However it comes in.
            for piece in [1, 3, 64] {
                let mut input = io::BufReader::with_capacity(piece, text.as_bytes());
                let mut lines = Vec::new();
                while let Some(line) = read_line(&mut input, 5).unwrap() {
                    lines.push(line);
                }
                assert_eq!(lines, expected, "{text:?} in pieces of {piece}");
            }
        }
    }
}
