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

use std::{collections::HashMap, io::BufRead as _, thread};

use jp_config::conversation::tool::RunMode;
use jp_llm::tool::{
    Approval, Handles, Interaction as _, LiveRuntime, Proposed, ResolvedTool, Spawn, arguments,
    render,
};
use jp_printer::Print;
use jp_tool::{AnswerType, Question, ToolCommand, ToolState};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{find, run::interruptible};
use crate::{
    args::ToolSession,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes, attendant::Attendant, progress::Progress},
};

/// The id of a tool that was started without one.
const ID: &str = "session";

pub(crate) fn run(ctx: &Ctx, args: &ToolSession) -> Result {
    find(ctx, &args.name)?;
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        tools::approve(ctx, &resolver, &args.name, &[]).await?;
        let tool = resolver.resolve(&args.name).await?;
        let cancel = CancellationToken::new();
        let session = Session::new(ctx, args, &tool, &cancel)?;
        interruptible(session.attend(), &cancel).await?
    })
}

struct Session<'a> {
    ctx: &'a Ctx,
    tool: &'a ResolvedTool,
    runtime: &'a dyn LiveRuntime,
    attendant_yes: bool,
    handles: Handles,
    /// What is waited for, by id.
    questions: HashMap<String, Question>,
    cancel: &'a CancellationToken,
}

impl<'a> Session<'a> {
    fn new(
        ctx: &'a Ctx,
        args: &ToolSession,
        tool: &'a ResolvedTool,
        cancel: &'a CancellationToken,
    ) -> Result<Self> {
        let runtime = tool.live.as_deref().ok_or_else(|| {
            Error::usage(format!("`{}` does not stay alive between calls", args.name))
                .hint(format!("`jp tool run {}` calls it once", args.name))
        })?;
        let (handles, questions) = (Handles::default(), HashMap::new());
        Ok(Self { ctx, tool, runtime, attendant_yes: args.yes, handles, questions, cancel })
    }

    async fn attend(mut self) -> Result {
        let mut lines = lines();
        let mut failed = false;
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = self.cancel.cancelled() => None,
            };
            let Some(line) = line else { break };
            if line.trim().is_empty() {
                continue;
            }
            // One that is wrong is no reason to end the others.
            if let Err(error) = self.obey(line.trim()).await {
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
        let state = match command {
            ToolCommand::Spawn { id, args } => self.spawn(&id, args).await?,
            other => {
                let told = self.handles.tell(&self.tool.name_at_source, &other, self.cancel).await;
                told.map_err(Error::failure)?
            }
        };
        self.questions.remove(&id);
        if let ToolState::Waiting { question, .. } = &state {
            self.questions.insert(id.clone(), question.clone());
        }
        self.print(&id, state)
    }

    async fn spawn(&self, id: &str, arguments: Map<String, Value>) -> Result<ToolState> {
        let prepared = self.tool.prepare(arguments);
        let arguments = prepared.map_err(|failure| Error::usage(failure.error.message))?;
        self.permit(&arguments).await?;
        let spawn = Spawn {
            name: &self.tool.name_at_source,
            id,
            arguments: &arguments,
            options: &self.tool.settings.options,
            hold: false,
            cancel: self.cancel,
        };
        self.handles.spawn(self.runtime, spawn).await.map_err(Error::failure)
    }

    /// Asks before the start, and only then.
    async fn permit(&self, arguments: &Map<String, Value>) -> Result {
        let mode = self.tool.settings.run;
        if mode == RunMode::Unattended {
            return Ok(());
        }
        let progress = Progress::new(true);
        let attendant =
            Attendant { ctx: self.ctx, yes: self.attendant_yes, stat: false, progress: &progress };
        let tool = &self.tool.definition.name;
        let proposed = Proposed { tool, arguments, shown: None };
        match attendant.approve(&proposed, RunMode::Ask).await {
            Approval::Run(_) if mode != RunMode::Skip => Ok(()),
            Approval::Run(_) => {
                Err(Error::new(Exit::Declined, "the configuration says not to run this tool"))
            }
            Approval::Nobody => {
                let message = format!("nobody can be asked whether `{tool}` may run");
                Err(Error::new(Exit::NeedsInput, message).hint("`--yes` allows it"))
            }
            Approval::Skip(reason) => Err(Error::new(Exit::Declined, reason)),
            Approval::Cancel => Err(Error::new(Exit::Interrupted, "cancelled")),
        }
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
            _ => Err(Error::usage(format!("not a command: {line}")).hint(
                "write `spawn [ID] [key=value …]`, `fetch [ID]`, `apply [ID] VALUE`, `abort [ID]`, or JSON",
            )),
        }
    }

    /// A value in the type that is asked for.
    fn apply(&self, id: &str, value: &str) -> ToolCommand {
        let answer_type = self.questions.get(id).map(|question| &question.answer_type);
        let input = match (answer_type, value) {
            (Some(AnswerType::Boolean), "y" | "yes" | "true") => json!(true),
            (Some(AnswerType::Boolean), "n" | "no" | "false") => json!(false),
            _ => json!(value),
        };
        ToolCommand::Apply { id: id.to_owned(), input }
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

/// The lines of stdin. They are read in a thread of its own, because a terminal can be read in no other
/// way without waiting for it.
fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(16);
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
