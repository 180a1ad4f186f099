//! A plugin that runs, for async code on tokio: the same names as [`crate::Session`], awaited.
//!
//! Pipes block, so two threads stand between them and the tasks: one reads and routes answers, as for
//! every session, and one writes what tasks put into its queue. A task waits until its line is written;
//! so the queue is never longer than there are tasks that wait.

mod locked;

use std::{
    io::{self, BufRead, BufReader, Write},
    process::ExitCode,
    sync::Arc,
    thread,
};

use jp_plugin::{
    Channel, Format, HostToPlugin, Level, Log, PluginToHost, Print, Request,
    to_host::{CreateConversation, ReadConfig},
    to_plugin::{Init, Summary},
};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{mpsc, oneshot},
};

pub use self::locked::Locked;
use crate::{
    answer,
    core::{Answer, Core, Reply},
    error::{Failure, RequestError},
    plugin::{Begun, Plugin, finish},
    session::{about, pieces, plain},
    shutdown::Why,
};

type Result<T = ()> = std::result::Result<T, RequestError>;

/// The host, as a plugin sees it. Copies are the same session; any task may use one.
#[derive(Debug, Clone)]
pub struct Session {
    core: Arc<Core>,
    init: Arc<Init>,
    jobs: mpsc::UnboundedSender<Job>,
}

/// Something to be written.
enum Job {
    /// A request; the reply also hears if it cannot be sent.
    Ask {
        request: Request,
        reply: Reply,
        in_order: bool,
    },
    Send {
        message: PluginToHost,
        done: oneshot::Sender<Result>,
    },
    /// Nothing; everything before it is written.
    Flush(oneshot::Sender<Result>),
}

impl Plugin {
    /// Does what the host wants, as [`Plugin::run`] does, on a runtime of one thread.
    pub fn run_async<F: Future<Output = std::result::Result<(), Failure>>>(
        self,
        plugin: impl FnOnce(Session) -> F,
    ) -> ExitCode {
        match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => self.run_with(&runtime, plugin),
            Err(error) => {
                let _ = writeln!(io::stderr(), "cannot start the runtime: {error}");
                ExitCode::FAILURE
            }
        }
    }

    /// The same on a runtime of the plugin's own making.
    pub fn run_with<F: Future<Output = std::result::Result<(), Failure>>>(
        self,
        runtime: &Runtime,
        plugin: impl FnOnce(Session) -> F,
    ) -> ExitCode {
        if let Some(code) = self.started_by_hand() {
            return ExitCode::from(code);
        }
        let (stdin, stdout) = (BufReader::new(io::stdin()), io::stdout());
        ExitCode::from(self.run_async_on(runtime, stdin, stdout, plugin))
    }

    /// The same on any two streams; returns the exit code.
    pub fn run_async_on<F: Future<Output = std::result::Result<(), Failure>>>(
        self,
        runtime: &Runtime,
        reader: impl BufRead + Send + 'static,
        writer: impl Write + Send + 'static,
        plugin: impl FnOnce(Session) -> F,
    ) -> u8 {
        let (core, init) = match self.begin(reader, writer) {
            Begun::Done(code) => return code,
            Begun::Run(core, init) => (core, init),
        };
        let (jobs, queue) = mpsc::unbounded_channel();
        let writing = Arc::clone(&core);
        thread::spawn(move || write_all(&writing, queue));
        let session = Session { core: Arc::clone(&core), init: Arc::from(init), jobs };
        finish(&core, || {
            runtime.block_on(async {
                let result = plugin(session.clone()).await;
                // What was printed comes before the end.
                let _ = session.flush().await;
                result
            })
        })
    }
}

impl Session {
    /// What the host said at the beginning: workspace, configuration, arguments, paths.
    pub fn init(&self) -> &Init {
        &self.init
    }

    /// The words after the command.
    pub fn args(&self) -> &[String] {
        &self.init.args
    }

    /// All conversations, the latest first.
    pub async fn list_conversations(&self) -> Result<Vec<Summary>> {
        answer::conversations(self.ask(Request::ListConversations).await?)
    }

    /// The events of a conversation, as they are stored, with encoded texts decoded. Those that no [`Value`] can
    /// hold, because they are nested too deep or have a number beyond all bounds, are left out, and the log is told.
    pub async fn read_events(&self, conversation: &str) -> Result<Vec<Value>> {
        let answer = self.ask(Request::ReadEvents(about(conversation))).await?;
        let (events, log) = answer::events(answer)?;
        if let Some(log) = log {
            self.send(log).await?;
        }
        Ok(events)
    }

    /// The same events as text, for whoever passes them on or reads them into types.
    pub async fn read_raw_events(&self, conversation: &str) -> Result<Vec<Box<RawValue>>> {
        answer::raw_events(self.ask(Request::ReadEvents(about(conversation))).await?)
    }

    /// The configuration, or the part of it under a path such as `assistant.model`.
    pub async fn read_config(&self, path: Option<&str>) -> Result<Value> {
        let path = path.map(str::to_owned);
        answer::config(self.ask(Request::ReadConfig(ReadConfig { path })).await?)
    }

    /// Locks a conversation for writing, until the guard is dropped.
    pub async fn lock(&self, conversation: &str) -> Result<Locked> {
        self.core.hold(conversation)?;
        // Made first, so that a task that is dropped while it waits gives back what it may have got.
        let guard = Locked::new(self.clone(), conversation.to_owned());
        let answer = self.queue_request(Request::Lock(about(conversation)), true);
        let answer = answer.await.unwrap_or(Err(RequestError::Closed));
        match answer.and_then(|answer| answer::locked(&answer)) {
            Ok(()) => Ok(guard),
            Err(error) => {
                guard.forget();
                Err(error)
            }
        }
    }

    /// Makes a conversation; it is locked.
    pub async fn create_conversation(&self, title: Option<&str>) -> Result<Locked> {
        let title = title.map(str::to_owned);
        let request = Request::CreateConversation(CreateConversation { title });
        let conversation = answer::created(self.ask(request).await?)?;
        self.core.hold(&conversation)?;
        Ok(Locked::new(self.clone(), conversation))
    }

    /// Shows a text as it is. No line end is added.
    pub async fn print(&self, text: &str) -> Result {
        for piece in pieces(text) {
            self.print_with(plain(piece)).await?;
        }
        Ok(())
    }

    /// Shows Markdown, rendered.
    pub async fn print_markdown(&self, text: &str) -> Result {
        self.print_with(Print { format: Format::Markdown, ..plain(text) }).await
    }

    /// Shows a value as JSON. One that is too long for a message is shown as plain text, as the host shows
    /// what is too long to be laid out: on one line.
    pub async fn print_json(&self, value: &impl Serialize) -> Result {
        let text = serde_json::to_string(value).map_err(RequestError::Json)?;
        match self.print_with(Print { format: Format::Json, ..plain(&text) }).await {
            Err(RequestError::TooLong(_)) => self.print(&(text + "\n")).await,
            done => done,
        }
    }

    /// Shows code, colored for its language.
    pub async fn print_code(&self, language: &str, text: &str) -> Result {
        let language = Some(language.to_owned());
        self.print_with(Print { format: Format::Code, language, ..plain(text) }).await
    }

    /// Shows a text that is not the result itself: a heading, how far it is.
    pub async fn print_chrome(&self, text: &str) -> Result {
        self.print_with(Print { channel: Channel::Chrome, ..plain(text) }).await
    }

    /// Shows a text in any channel and format.
    pub async fn print_with(&self, print: Print) -> Result {
        self.send(PluginToHost::Print(print)).await
    }

    /// Writes to the log of the host.
    pub async fn log(&self, level: Level, message: &str, fields: Map<String, Value>) -> Result {
        let message = message.to_owned();
        self.send(PluginToHost::Log(Log { level, message, fields })).await
    }

    /// Why the plugin is to end, if it is.
    pub fn shutdown(&self) -> Option<Why> {
        self.core.shutdown.why()
    }

    /// Waits until the plugin is to end.
    pub async fn wait_for_shutdown(&self) -> Why {
        let (sender, receiver) = oneshot::channel();
        self.core.shutdown.then(move |why| {
            // Whoever waited may have given up.
            let _ = sender.send(why);
        });
        receiver.await.unwrap_or(Why::HostGone)
    }

    async fn ask(&self, request: Request) -> Result<HostToPlugin> {
        let answer = self.queue_request(request, false);
        answer.await.unwrap_or(Err(RequestError::Closed))
    }

    fn queue_request(&self, request: Request, in_order: bool) -> oneshot::Receiver<Answer> {
        let (sender, receiver) = oneshot::channel();
        let reply: Reply = Box::new(move |answer| drop(sender.send(answer)));
        self.queue(Job::Ask { request, reply, in_order });
        receiver
    }

    async fn send(&self, message: PluginToHost) -> Result {
        let (done, receiver) = oneshot::channel();
        self.queue(Job::Send { message, done });
        receiver.await.unwrap_or(Err(RequestError::Closed))
    }

    async fn flush(&self) -> Result {
        let (done, receiver) = oneshot::channel();
        self.queue(Job::Flush(done));
        receiver.await.unwrap_or(Err(RequestError::Closed))
    }

    /// A job that nobody takes any more is dropped, and whoever waits for it learns that.
    fn queue(&self, job: Job) {
        let _ = self.jobs.send(job);
    }
}

/// Writes what is in the queue until no session is left.
fn write_all(core: &Core, mut queue: mpsc::UnboundedReceiver<Job>) {
    while let Some(job) = queue.blocking_recv() {
        match job {
            Job::Ask { request, reply, in_order: true } => core.ask_in_order(request, reply),
            Job::Ask { request, reply, in_order: false } => core.ask(request, reply),
            Job::Send { message, done } => drop(done.send(core.outbox.send(&message))),
            Job::Flush(done) => drop(done.send(Ok(()))),
        }
    }
}
