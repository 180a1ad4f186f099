//! Asking the person at the terminal.
//!
//! Questions go to the controlling terminal and not to the standard streams, so that they are seen
//! and can be answered while both streams go into files. Where there is no such terminal, or the
//! user forbids it, there is nobody to ask, and the caller has to do without or fail with exit
//! code 3.
#![expect(clippy::disallowed_methods, reason = "the terminal is opened here and nowhere else")]

use std::{
    fs::File,
    io::{self, Read as _},
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use dialoguer::{Confirm, Editor, Input, MultiSelect, Select, console::Term};
use jp_printer::{single_line, visible};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr},
};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{
    error::{Error, Result},
    exit::Exit,
};

/// The person we can ask, if there is one.
#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    allowed: bool,
}

/// One of several things to choose.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) chosen: bool,
}

/// What somebody who was asked said.
#[derive(Debug)]
pub(crate) enum Reply<T> {
    Given(T),
    /// They left the question.
    Left,
}

impl<T> Reply<T> {
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Reply<U> {
        match self {
            Self::Given(value) => Reply::Given(f(value)),
            Self::Left => Reply::Left,
        }
    }
}

impl<T> From<Option<T>> for Reply<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Left, Self::Given)
    }
}

/// The only one who asks.
#[derive(Debug)]
pub(crate) struct Turn(MutexGuard<'static, Option<Instant>>);

impl Turn {
    /// Says that a question was taken back. Somebody may be about to answer it, so the next one comes a moment later:
    /// what is typed until then answers nothing.
    pub(crate) fn was_taken_back(&mut self) {
        *self.0 = Some(Instant::now());
    }
}

impl Terminal {
    pub(crate) fn new(allowed: bool) -> Self {
        Self { allowed }
    }

    /// Whether somebody can be asked, and nobody has redirected the input to somewhere else: then a
    /// question that is merely helpful is welcome.
    pub(crate) fn is_welcome(&self) -> bool {
        use io::IsTerminal as _;

        io::stdin().is_terminal() && self.open().is_some()
    }

    /// Whether the user does not want to be asked anything.
    pub(crate) fn is_forbidden(&self) -> bool {
        !self.allowed
    }

    /// Whether somebody can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.open().is_some()
    }

    /// Shows a text where questions are asked, whatever becomes of the standard streams.
    pub(crate) fn show(&self, text: &str) -> Result {
        let Some(term) = self.open() else { return Ok(()) };
        term.write_str(&visible(text))
            .map_err(|error| Error::failure(format!("cannot ask: {error}")))
    }

    /// Asks a question that follows from a text of several lines.
    pub(crate) fn confirm_after(&self, text: &str, question: &str) -> Result<bool> {
        self.show(text)?;
        self.confirm(question, "run it in a terminal")
    }

    /// Asks a question that has to be answered; leaving it is a no. `otherwise` says how to do
    /// without asking.
    pub(crate) fn confirm(&self, question: &str, otherwise: &str) -> Result<bool> {
        let term = self.open().ok_or_else(|| nobody(question, otherwise))?;
        let prompt = Confirm::new()
            .with_prompt(line(question))
            .default(false)
            // One key is too little to lose something by.
            .wait_for_newline(true);
        interruptible(&term, || prompt.interact_on_opt(&term)).map(|answer| answer.unwrap_or(false))
    }

    /// Lets the person change what is chosen.
    pub(crate) fn choose(&self, question: &str, choices: &[Choice]) -> Result<Vec<usize>> {
        let term = self.open().ok_or_else(|| nobody(question, "run it in a terminal"))?;
        let items: Vec<(&str, bool)> =
            choices.iter().map(|choice| (choice.label.as_str(), choice.chosen)).collect();
        let prompt = MultiSelect::new().with_prompt(question).items_checked(items).report(false);
        interruptible(&term, || prompt.interact_on_opt(&term))?.ok_or_else(cancelled)
    }

    /// Asks for a yes or a no, for somebody else who wants to know.
    pub(crate) fn ask_bool(&self, question: &str, default: Option<bool>) -> Result<Reply<bool>> {
        let term = self.open().ok_or_else(|| nobody(question, ELSEWHERE))?;
        let prompt = Confirm::new().with_prompt(line(question)).wait_for_newline(true);
        let prompt = match default {
            Some(default) => prompt.default(default),
            None => prompt,
        };
        Ok(interruptible(&term, || prompt.interact_on_opt(&term))?.into())
    }

    /// Asks for a text.
    pub(crate) fn ask_text(&self, question: &str, default: Option<&str>) -> Result<Reply<String>> {
        let term = self.open().ok_or_else(|| nobody(question, ELSEWHERE))?;
        let prompt = Input::<String>::new().with_prompt(line(question)).allow_empty(true);
        // It is printed as it is. One that would do more than stand there is not offered.
        let prompt = match default.filter(|default| line(default) == **default) {
            Some(default) => prompt.default(default.to_owned()),
            None => prompt,
        };
        Ok(Reply::Given(interruptible(&term, || prompt.interact_text_on(&term))?))
    }

    /// Asks for one of several.
    pub(crate) fn select(
        &self,
        question: &str,
        options: &[String],
        default: usize,
    ) -> Result<Reply<usize>> {
        let term = self.open().ok_or_else(|| nobody(question, ELSEWHERE))?;
        let options: Vec<_> = options.iter().map(|option| line(option)).collect();
        let prompt = Select::new().with_prompt(line(question)).items(&options).default(default);
        Ok(interruptible(&term, || prompt.interact_on_opt(&term))?.into())
    }

    /// Waits until nobody else asks. Nothing else is asked until the result is dropped.
    pub(crate) fn turn() -> Turn {
        static TURN: Mutex<Option<Instant>> = Mutex::new(None);
        let mut turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = turn.take() {
            thread::sleep(REACTION.saturating_sub(since.elapsed()));
        }
        Turn(turn)
    }

    /// Shows a text and waits for a line, or until the question is over; `None` if there is no line.
    ///
    /// Keys that were pressed before are no answer to it. The terminal stays as it is, so whoever ends the
    /// program meanwhile leaves nothing behind, and control-C is a signal to the program as always.
    pub(crate) fn ask_line(
        &self,
        text: &str,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<String>> {
        let failed = |error: io::Error| Error::failure(format!("cannot ask: {error}"));
        let mut tty = File::open("/dev/tty").map_err(failed)?;
        tcflush(&tty, QueueSelector::IFlush).map_err(|error| failed(error.into()))?;
        self.show(text)?;
        loop {
            if is_over() {
                self.show("(not asked any more)\n")?;
                return Ok(None);
            }
            let mut waiting = [PollFd::new(&tty, PollFlags::IN)];
            match poll(&mut waiting, Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(failed(error.into())),
            }
            let mut line = [0; 1024];
            let read = tty.read(&mut line).map_err(failed)?;
            let typed = String::from_utf8_lossy(&line[..read]).into_owned();
            // Without a line there is nobody who answers.
            return Ok((read > 0).then_some(typed));
        }
    }

    /// Lets the person change a text in their editor; `None` if they leave it without saving.
    pub(crate) fn edit(&self, text: &str, extension: &str) -> Result<Option<String>> {
        self.open().ok_or_else(|| nobody("how should this be edited?", ELSEWHERE))?;
        let edited = Editor::new().extension(extension).require_save(true).edit(text);
        edited.map_err(|error| Error::failure(format!("cannot edit: {error}")))
    }

    fn open(&self) -> Option<Term> {
        if !self.allowed {
            return None;
        }
        let read = File::open("/dev/tty").ok()?;
        let write = File::options().write(true).open("/dev/tty").ok()?;
        Some(Term::read_write_pair(read, write))
    }
}

/// How long somebody may take to see that a question was taken back, and not to type the answer.
const REACTION: Duration = Duration::from_secs(1);

/// How often a question looks whether it is over.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What to do where nobody can be asked.
const ELSEWHERE: &str = "run it in a terminal";

/// How long after an interruption a prompt may take to notice it by itself.
const KEY_ENDS_WITHIN: Duration = Duration::from_millis(200);

/// What a tool asks, as one line that cannot draw over what stands around it.
fn line(text: &str) -> String {
    single_line(&visible(text)).into_owned()
}

fn nobody(question: &str, otherwise: &str) -> Error {
    Error::new(Exit::NeedsInput, format!("nobody can be asked: {question}")).hint(otherwise)
}

fn cancelled() -> Error {
    Error::new(Exit::Interrupted, "cancelled; nothing was changed")
}

/// Runs a prompt so that control-C ends the program in an orderly way: a prompt hides the cursor and
/// changes how keys are read, and whoever just dies leaves the terminal like that.
///
/// The key ends the prompt, and the caller can clean up. A signal from elsewhere does not end it, so the
/// program is ended here.
///
/// Keys that were pressed before the question was there are no answer to it, and are forgotten.
fn interruptible<T>(term: &Term, prompt: impl FnOnce() -> dialoguer::Result<T>) -> Result<T> {
    let failed = |error: io::Error| Error::failure(format!("cannot ask: {error}"));
    let tty = File::open("/dev/tty").map_err(failed)?;
    let before = tcgetattr(&tty).map_err(|error| failed(error.into()))?;
    tcflush(&tty, QueueSelector::IFlush).map_err(|error| failed(error.into()))?;
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let handle = signals.handle();
    let screen = term.clone();
    let (ended, is_over) = mpsc::channel::<()>();
    let watcher = thread::spawn(move || {
        let was_interrupted = signals.forever().next().is_some();
        if was_interrupted && is_over.recv_timeout(KEY_ENDS_WITHIN).is_err() {
            let _ = tcsetattr(&tty, OptionalActions::Now, &before);
            let _ = screen.show_cursor().and_then(|()| screen.write_line(""));
            std::process::exit(Exit::Interrupted.code().into());
        }
        was_interrupted
    });
    let answer = prompt();
    // If the watcher is gone, it needs no message.
    let _ = ended.send(());
    handle.close();
    let was_interrupted = watcher.join().unwrap_or(false);
    let is_interruption = |error: &io::Error| error.kind() == io::ErrorKind::Interrupted;
    match answer {
        Ok(answer) if !was_interrupted => return Ok(answer),
        Err(dialoguer::Error::IO(error)) if !was_interrupted && !is_interruption(&error) => {
            let _ = term.show_cursor();
            return Err(failed(error));
        }
        Ok(_) | Err(_) => {}
    }
    let _ = term.show_cursor().and_then(|()| term.write_line(""));
    Err(cancelled())
}
