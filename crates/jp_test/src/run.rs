//! One run of a program, described before it starts.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::env::TestEnv;
use crate::output::Output;
use crate::pty::{Pty, Size};
use crate::running::Running;

/// How long a run may take unless the test says otherwise. Generous, because a
/// busy machine is no failure; finite, because a hang is.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// A program, its arguments and its surroundings. Nothing happens until
/// [`run`](Run::run), [`spawn`](Run::spawn) or [`pty`](Run::pty).
#[derive(Debug)]
#[must_use = "nothing has been started yet"]
pub struct Run<'env> {
    pub(crate) env: &'env TestEnv,
    pub(crate) timeout: Duration,
    program: Utf8PathBuf,
    args: Vec<OsString>,
    cwd: Utf8PathBuf,
    vars: Vec<(OsString, Option<OsString>)>,
    stdin: Option<Vec<u8>>,
}

impl<'env> Run<'env> {
    pub(crate) fn new(env: &'env TestEnv, program: Utf8PathBuf, args: Vec<OsString>) -> Self {
        Self {
            env,
            timeout: DEFAULT_TIMEOUT,
            program,
            args,
            cwd: env.project().to_owned(),
            vars: Vec::new(),
            stdin: None,
        }
    }

    /// Runs in this directory instead of the project.
    #[track_caller]
    pub fn cwd(mut self, dir: impl AsRef<Utf8Path>) -> Self {
        self.cwd = self.env.path(dir);
        self
    }

    /// Sets one variable on top of the sealed ones.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.vars.push((name.into(), Some(value.into())));
        self
    }

    /// Takes one of the sealed variables away, `HOME` for example.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.vars.push((name.into(), None));
        self
    }

    /// What the program reads; without this its input is empty. Ignored on a terminal.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// Another limit than a minute for the whole run.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs to the end. Panics with what was printed when the time is up.
    #[must_use = "check it with success() or code(), or compare it with a snapshot"]
    #[track_caller]
    pub fn run(self) -> Output {
        self.spawn().wait()
    }

    /// Starts the program and returns while it runs.
    #[track_caller]
    pub fn spawn(mut self) -> Running {
        let stdin = self.stdin.take();
        let mut command = self.command(&self.program, &self.args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        Running::start(&self, command, stdin)
    }

    /// Starts the program on a terminal of this size.
    #[track_caller]
    pub fn pty(self, size: Size) -> Pty {
        Pty::start(&self, size)
    }

    /// The command on a terminal: `wrapper` executes the program as its argument.
    pub(crate) fn wrapped(&self, wrapper: &Utf8Path, wrapper_args: &[&str]) -> Command {
        let own = wrapper_args.iter().map(OsString::from);
        let program = std::iter::once(OsString::from(self.program.as_str()));
        let args: Vec<_> = own.chain(program).chain(self.args.iter().cloned()).collect();
        self.command(wrapper, &args)
    }

    /// The run as a person would type it, for snapshots and failures.
    pub(crate) fn title(&self) -> String {
        let mut title = format!("$ {}", self.program.file_name().unwrap_or(self.program.as_str()));
        for arg in &self.args {
            let _ = write!(title, " {}", quoted(arg));
        }
        title
    }

    fn command(&self, program: &Utf8Path, args: &[OsString]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.cwd).env_clear().envs(self.env.variables());
        for (name, value) in &self.vars {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

/// Quotes only what a shell would take apart, so that snapshots stay easy to read.
fn quoted(arg: &OsStr) -> String {
    let arg = arg.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,@%+".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        return arg.into_owned();
    }
    format!("'{}'", arg.replace('\'', r"'\''"))
}
