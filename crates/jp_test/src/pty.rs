//! A program on a terminal of its own, driven as a person would.
//!
//! The kernel gives a pair of devices: the program has one end as its terminal,
//! the test holds the other and types and reads. To ask through `/dev/tty` a
//! program needs the terminal to be its *controlling* one, which a process can
//! only arrange for itself between fork and exec. `setsid --ctty` of util-linux
//! does exactly that and then becomes the program, under the same process id.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::group::Group;
use crate::normalize::Normalizer;
use crate::output::Ending;
use crate::pump::Pump;
use crate::run::Run;
use crate::screen::Terminal;

/// How long typing may take. A terminal holds a few thousand bytes that nobody reads.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// How many character cells a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub cols: u16,
}

impl Default for Size {
    fn default() -> Self {
        Self { rows: 24, cols: 80 }
    }
}

/// A program that runs on a terminal. Dropping it kills the program.
#[derive(Debug)]
pub struct Pty {
    title: String,
    normalizer: Normalizer,
    group: Group,
    keyboard: File,
    display: Pump<Terminal>,
    /// How much of the transcript earlier expectations have used up.
    seen: usize,
}

impl Pty {
    #[track_caller]
    pub(crate) fn start(run: &Run<'_>, size: Size) -> Self {
        assert!(size.rows > 0 && size.cols > 0, "a terminal has at least one cell");
        let (ours, theirs) = open_pair(size).expect("the system gives us a terminal");
        let mut command = run.wrapped(setsid(), &["--ctty"]);
        let stdio = || Stdio::from(theirs.try_clone().expect("a descriptor can be copied"));
        command.stdin(stdio()).stdout(stdio()).stderr(stdio()).env("TERM", "xterm-256color");
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start `{}`: {error}", run.title()));
        // Our copies of the program's end close here, with `command` and `theirs`;
        // otherwise the display would never come to an end.
        let display = File::from(ours.try_clone().expect("a descriptor can be copied"));
        Self {
            title: run.title(),
            normalizer: run.env.normalizer(),
            group: Group::new(child),
            keyboard: File::from(ours),
            display: Pump::start(display, Terminal::new(size)),
            seen: 0,
        }
    }

    /// Waits until this text has been printed after what earlier calls waited for.
    /// Colours and cursor movements between its letters do not matter.
    #[track_caller]
    pub fn expect(&mut self, text: &str, within: Duration) -> &mut Self {
        let seen = self.seen;
        let found = self.display.wait(Instant::now() + within, |state| {
            let new = &state.sink.transcript()[seen..];
            let end = new.find(text).map(|start| seen + start + text.len());
            (end.is_some() || state.finished).then_some(end)
        });
        match found.flatten() {
            Some(end) => self.seen = end,
            None => panic!("`{text}` did not appear:\n{}", self.output(None)),
        }
        self
    }

    /// Waits until the program reads key by key. Before that a control-C is a signal, and from then on
    /// it is a key.
    #[track_caller]
    pub fn expect_keys(&mut self, within: Duration) -> &mut Self {
        let deadline = Instant::now() + within;
        let reads_lines = |keyboard: &File| {
            let modes = tcgetattr(keyboard).expect("our own terminal has modes");
            modes.local_modes.contains(LocalModes::ICANON)
        };
        while reads_lines(&self.keyboard) {
            assert!(Instant::now() < deadline, "no keys are read:\n{}", self.output(None));
            thread::sleep(Duration::from_millis(2));
        }
        self
    }

    /// Types this text. The enter key is `\r`, which a terminal turns into `\n`
    /// for programs that read lines; control-C is `\x03`.
    #[track_caller]
    pub fn send(&mut self, text: &str) -> &mut Self {
        let mut keyboard = self.keyboard.try_clone().expect("a descriptor can be copied");
        let bytes = text.as_bytes().to_owned();
        let (done, written) = mpsc::channel();
        // A program that does not read fills the terminal, and the write then waits.
        thread::spawn(move || done.send(keyboard.write_all(&bytes)));
        let written = written.recv_timeout(SEND_TIMEOUT);
        assert!(
            matches!(written, Ok(Ok(()))),
            "cannot type {text:?}, {written:?}:
{}",
            self.output(None)
        );
        self
    }

    /// Changes the size of the window; the program is told by the system.
    pub fn resize(&self, size: Size) {
        self.display.change(|terminal| terminal.resize(size));
        tcsetwinsize(&self.keyboard, winsize(size)).expect("our own terminal has a size");
    }

    /// Waits until this is on the screen, as a person sees it, and returns all that is.
    #[track_caller]
    pub fn expect_screen(&self, text: &str, within: Duration) -> String {
        self.expect_screen_where(&format!("`{text}`"), within, |screen| screen.contains(text))
    }

    /// Waits until the screen is as it should be, and returns it.
    #[track_caller]
    pub fn expect_screen_where(
        &self,
        what: &str,
        within: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> String {
        let found = self.display.wait(Instant::now() + within, |state| {
            let screen = self.normalizer.apply(&state.sink.screen());
            let fits = wanted(&screen);
            (fits || state.finished).then_some(fits.then_some(screen))
        });
        let found = found.flatten();
        found.unwrap_or_else(|| panic!("{what} is not on the screen:\n{}", self.output(None)))
    }

    /// How many bytes the program has written to the terminal.
    pub fn written(&self) -> usize {
        self.display.look(|terminal| terminal.raw().len())
    }

    /// What is on the screen now.
    pub fn screen(&self) -> String {
        self.display.look(Terminal::screen)
    }

    /// Sends a signal to the program's process group.
    pub fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// Waits for the program to end. Panics with the screen when the time is up.
    #[must_use = "check it with success() or code(), or compare it with a snapshot"]
    #[track_caller]
    pub fn wait(mut self, within: Duration) -> PtyOutput {
        let deadline = Instant::now() + within;
        let Some(status) = self.group.wait_until(deadline) else {
            self.group.kill();
            panic!("not finished in time, so it was killed:\n{}", self.output(None));
        };
        if !self.display.wait_finished(deadline) {
            self.group.kill();
            panic!(
                "the program ended, but something it started kept the terminal open:\n{}",
                self.output(Some(status))
            );
        }
        self.output(Some(status))
    }

    fn output(&self, status: Option<ExitStatus>) -> PtyOutput {
        PtyOutput {
            title: self.normalizer.apply(&self.title),
            status,
            screen: self.normalizer.apply(&self.screen()),
            raw: self.display.look(Terminal::raw),
        }
    }
}

/// How a program on a terminal ended, and its last screen with paths replaced.
#[derive(Debug, Clone)]
pub struct PtyOutput {
    title: String,
    status: Option<ExitStatus>,
    screen: String,
    raw: String,
}

impl PtyOutput {
    /// Panics unless the exit code is 0.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "a checked output has served its purpose")]
    pub fn success(self) -> Self {
        self.code(0)
    }

    /// Panics unless the exit code is this one.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "a checked output has served its purpose")]
    pub fn code(self, code: i32) -> Self {
        assert!(self.exit_code() == Some(code), "expected exit code {code}:\n{self}");
        self
    }

    /// The exit code; `None` when a signal ended the program.
    pub fn exit_code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Everything that was printed, colours and other control sequences included.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What was on the screen at the end.
    pub fn screen(&self) -> &str {
        &self.screen
    }
}

impl fmt::Display for PtyOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, status, screen, .. } = self;
        write!(f, "{title}\n{}\n--- screen\n{screen}", Ending(*status))
    }
}

/// Our end and the program's end.
fn open_pair(size: Size) -> io::Result<(OwnedFd, OwnedFd)> {
    // Neither end may become the terminal of the test itself.
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = rustix::fs::open(ptsname(&ours, Vec::new())?, flags, Mode::empty())?;
    tcsetwinsize(&ours, winsize(size))?;
    Ok((ours, theirs))
}

fn winsize(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 }
}

#[track_caller]
fn setsid() -> &'static Utf8Path {
    ["/usr/bin/setsid", "/bin/setsid"]
        .into_iter()
        .map(Utf8Path::new)
        .find(|path| path.is_file())
        .expect("tests of prompts need the program `setsid` (package util-linux)")
}
