//! A program that has been started and not yet waited for.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Instant;

use rustix::process::Signal;

use crate::group::Group;
use crate::normalize::Normalizer;
use crate::output::Output;
use crate::pump::{MAX_BYTES, Pump};
use crate::run::Run;

/// A running program. Dropping it kills the program and all it started.
#[derive(Debug)]
#[must_use = "the program is killed at the end of this statement"]
pub struct Running {
    title: String,
    normalizer: Normalizer,
    deadline: Instant,
    group: Group,
    stdout: Pump<Vec<u8>>,
    stderr: Pump<Vec<u8>>,
}

impl Running {
    #[track_caller]
    pub(crate) fn start(run: &Run<'_>, mut command: Command, stdin: Option<Vec<u8>>) -> Self {
        let mut child = command
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start `{}`: {error}", run.title()));
        if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
            // In a thread of its own, because the child may print before it reads.
            // A child that stops reading early is its own affair.
            thread::spawn(move || drop(pipe.write_all(&text)));
        }
        Self {
            title: run.title(),
            normalizer: run.env.normalizer(),
            deadline: Instant::now() + run.timeout,
            stdout: Pump::start(child.stdout.take().expect("stdout is a pipe"), Vec::new()),
            stderr: Pump::start(child.stderr.take().expect("stderr is a pipe"), Vec::new()),
            group: Group::new(child),
        }
    }

    /// The process id, which is also the id of its process group.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Sends a signal to the program and everything it started.
    pub fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// What the program has printed on its standard output until now.
    pub fn stdout_so_far(&self) -> String {
        self.stdout.look(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Waits until the program's standard output contains `text`.
    #[track_caller]
    pub fn expect_stdout(&self, text: &str) {
        self.expect(&self.stdout, text);
    }

    /// Waits until the program's standard error contains `text`.
    #[track_caller]
    pub fn expect_stderr(&self, text: &str) {
        self.expect(&self.stderr, text);
    }

    /// Waits for the end. Panics with what was printed when the time is up, when a
    /// process that the program left behind keeps its output open, or when there was
    /// too much of it.
    #[must_use = "check it with success() or code(), or compare it with a snapshot"]
    #[track_caller]
    pub fn wait(mut self) -> Output {
        let Some(status) = self.group.wait_until(self.deadline) else {
            self.group.kill();
            panic!("not finished in time, so it was killed:\n{}", self.output(None));
        };
        let deadline = self.deadline;
        if ![&self.stdout, &self.stderr].iter().all(|pump| pump.wait_finished(deadline)) {
            self.group.kill();
            panic!(
                "the program ended, but something it started kept its output open:\n{}",
                self.output(Some(status))
            );
        }
        let most = [&self.stdout, &self.stderr].map(|pump| pump.look(Vec::len)).into_iter().max();
        assert!(most <= Some(MAX_BYTES), "{} printed more than {MAX_BYTES} bytes", self.title);
        self.output(Some(status))
    }

    #[track_caller]
    fn expect(&self, stream: &Pump<Vec<u8>>, text: &str) {
        let found = stream.wait(self.deadline, |state| {
            let found = String::from_utf8_lossy(&state.sink).contains(text);
            (found || state.finished).then_some(found)
        });
        assert!(found == Some(true), "`{text}` was not printed:\n{}", self.output(None));
    }

    fn output(&self, status: Option<ExitStatus>) -> Output {
        Output::new(
            self.title.clone(),
            status,
            self.stdout.look(Clone::clone),
            self.stderr.look(Clone::clone),
            self.normalizer.clone(),
        )
    }
}
