//! Everything that can happen, in one queue: keys, signals, answers of the host.

use std::{io, sync::mpsc::Sender, thread};

use crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use jp_plugin_sdk::Summary;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::transcript::Transcript;

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Input {
    Key(KeyEvent),
    /// The window has another size; whoever draws asks for it.
    Resized,
    /// All conversations, after something in them has changed.
    Listing(Vec<Summary>),
    /// What is in the conversation of this id, or why that cannot be said.
    Transcript(String, Result<Transcript, String>),
    /// The host cannot answer; it is asked again.
    Trouble(String),
    End(End),
}

/// Why it is over.
#[derive(Debug)]
pub(crate) enum End {
    /// The user or the host wants it.
    Wanted,
    /// A signal to this very process.
    Signal(u8),
    /// Something that should not.
    Failed(String),
}

/// Says that a thread has ended on whose work everything depends, however it ended.
pub(crate) struct Sentinel(pub(crate) Sender<Input>, pub(crate) &'static str);

impl Drop for Sentinel {
    fn drop(&mut self) {
        let end = if thread::panicking() { End::Failed(self.1.to_owned()) } else { End::Wanted };
        // Nobody listens if everything is over already.
        let _ = self.0.send(Input::End(end));
    }
}

/// Listens to the terminal until it is gone.
pub(crate) fn keys(sender: Sender<Input>) {
    thread::spawn(move || {
        let sentinel = Sentinel(sender, "the keyboard cannot be read");
        while let Ok(event) = event::read() {
            let input = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => Input::Key(key),
                Event::Resize(..) => Input::Resized,
                _ => continue,
            };
            if sentinel.0.send(input).is_err() {
                return;
            }
        }
    });
}

/// Makes an orderly end of signals that would end the program where it stands.
pub(crate) fn signals(sender: Sender<Input>) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let _ = sender.send(Input::End(End::Signal(u8::try_from(signal).unwrap_or(0))));
        }
    });
    Ok(())
}
