//! The entry of a plugin: what it is, and what happens when its program is started.

use std::{
    io::{self, BufRead, BufReader, IsTerminal as _, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::Arc,
    thread,
};

use jp_plugin::{
    Describe, HostToPlugin, InvalidPath, Level, PluginToHost,
    to_host::{Exit, Ready},
    to_plugin::{self, Init},
};

use crate::{
    core::{Core, next_line},
    error::Failure,
    logs::Logs,
    outbox::Outbox,
    session::Session,
};

/// What a program that is no good as it was started ends with.
const USAGE: u8 = 2;

/// A plugin before it runs.
#[derive(Debug)]
pub struct Plugin {
    describe: Describe,
    pub(crate) logs: Arc<Logs>,
    /// Whether the log gets what the user does not want to see, too.
    pub(crate) logs_everything: bool,
    #[cfg(feature = "tracing")]
    pub(crate) layer: Option<crate::layer::LogLayer>,
}

/// What the host wants.
pub(crate) enum Begun {
    /// It has been done already; the program ends with this code.
    Done(u8),
    /// The plugin is to run.
    Run(Arc<Core>, Box<Init>),
}

impl Plugin {
    /// A plugin with what everyone has to say: its name, its version, and one line for lists.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self::from(Describe {
            name: name.into(),
            version: version.into(),
            description: description.into(),
            command: None,
            author: None,
            help: None,
            repository: None,
            tty: false,
        })
    }

    /// The words it answers to, for example `serve web`. Without it they come from the name of its file.
    pub fn command(mut self, path: &str) -> Result<Self, InvalidPath> {
        self.describe.command = Some(path.parse()?);
        Ok(self)
    }

    /// What `jp <plugin> -h` prints.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.describe.help = Some(help.into());
        self
    }

    /// Who made it.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.describe.author = Some(author.into());
        self
    }

    /// Where its source is.
    #[must_use]
    pub fn repository(mut self, repository: impl Into<String>) -> Self {
        self.describe.repository = Some(repository.into());
        self
    }

    /// It draws on the terminal itself, through `/dev/tty`.
    #[must_use]
    pub fn tty(mut self) -> Self {
        self.describe.tty = true;
        self
    }

    /// Does what the host wants, on stdin and stdout of this program, and says what it is to end with.
    pub fn run(self, plugin: impl FnOnce(&Session) -> Result<(), Failure>) -> ExitCode {
        if let Some(code) = self.started_by_hand() {
            return ExitCode::from(code);
        }
        ExitCode::from(self.run_on(BufReader::new(io::stdin()), io::stdout(), plugin))
    }

    /// The same on any two streams; returns the exit code.
    pub fn run_on(
        self,
        reader: impl BufRead + Send + 'static,
        writer: impl Write + Send + 'static,
        plugin: impl FnOnce(&Session) -> Result<(), Failure>,
    ) -> u8 {
        match self.begin(reader, writer) {
            Begun::Done(code) => code,
            Begun::Run(core, init) => {
                let session = Session::new(Arc::clone(&core), init);
                finish(&core, || plugin(&session))
            }
        }
    }

    /// With a terminal on stdin there is no host. Somebody wants to know what this is.
    pub(crate) fn started_by_hand(&self) -> Option<u8> {
        io::stdin().is_terminal().then(|| {
            // Where not even stderr can be written to, there is nobody to tell.
            let _ = self.explain(&mut io::stderr());
            USAGE
        })
    }

    /// What it is, for somebody who has started the program by hand.
    pub fn explain(&self, to: &mut impl Write) -> io::Result<()> {
        let Describe { name, version, description, help, .. } = &self.describe;
        let help = help.as_deref().unwrap_or(description).trim_end();
        writeln!(to, "{help}\n\n{name} {version} is a plugin of jp: run `jp {}`.", self.words())
    }

    /// Reads what the host wants. With `init` the plugin is `ready`, and somebody listens.
    pub(crate) fn begin(
        self,
        mut reader: impl BufRead + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Begun {
        let outbox = Arc::new(Outbox::new(writer, Arc::clone(&self.logs)));
        let first = next_line(&mut reader).ok().flatten();
        let first = first.and_then(|line| to_plugin::parse(&line).ok());
        match first {
            Some(HostToPlugin::Describe) => {
                let sent = outbox.send(&PluginToHost::Describe(self.describe));
                Begun::Done(u8::from(sent.is_err()))
            }
            Some(HostToPlugin::Init(init)) => {
                let core = Arc::new(Core::new(Arc::clone(&outbox)));
                if !self.logs_everything {
                    self.logs.limit(level(init.log_level));
                }
                if outbox.send(&PluginToHost::Ready(Ready::default())).is_err() {
                    return Begun::Done(1);
                }
                #[cfg(feature = "tracing")]
                if let Some(layer) = &self.layer {
                    layer.connect(&outbox);
                }
                let listening = Arc::clone(&core);
                thread::spawn(move || listening.listen(reader));
                Begun::Run(core, init)
            }
            _ => {
                let _ = self.explain(&mut io::stderr());
                Begun::Done(USAGE)
            }
        }
    }

    fn words(&self) -> String {
        let command = self.describe.command.as_ref();
        command.map_or_else(|| self.describe.name.clone(), ToString::to_string)
    }
}

impl From<Describe> for Plugin {
    fn from(describe: Describe) -> Self {
        Self {
            describe,
            logs: Arc::default(),
            logs_everything: false,
            #[cfg(feature = "tracing")]
            layer: None,
        }
    }
}

/// Runs the plugin and says `exit`. One that panics has failed, and its user learns about it.
pub(crate) fn finish(core: &Core, plugin: impl FnOnce() -> Result<(), Failure>) -> u8 {
    let result = catch_unwind(AssertUnwindSafe(plugin)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.map(|text| format!(": {text}")).unwrap_or_default();
        Err(Failure::new(format!("the plugin panicked{text}")))
    });
    let Failure { code, reason } = result.err().unwrap_or(Failure::silent(0));
    // A reason that is too long to be sent must not cost the code.
    let reason = reason.map(|reason| reason.chars().take(64 * 1024).collect());
    let _ = core.outbox.send(&PluginToHost::Exit(Exit { code, reason }));
    code
}

/// The level that a number of `init` stands for.
fn level(number: u8) -> Level {
    match number {
        0 => Level::Error,
        1 => Level::Warn,
        2 => Level::Info,
        3 => Level::Debug,
        _ => Level::Trace,
    }
}
