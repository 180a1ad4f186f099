//! Waiting for the program, and what is passed on to it meanwhile.

use std::io;

use jp_confine::Running;
use jp_process::{Exit, Signal};
use tokio::signal::unix::{SignalKind, signal};

use crate::error::{Error, Result};

/// What jp is told from outside. From when this exists, it is not ended by it.
pub(super) struct Signals {
    interrupts: tokio::signal::unix::Signal,
    terminations: tokio::signal::unix::Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let interrupts = signal(SignalKind::interrupt())?;
        Ok(Self { interrupts, terminations: signal(SignalKind::terminate())? })
    }
}

/// Waits for the end; says with it whether somebody asked for it. The program is not in the
/// terminal's foreground, so what the person types there is passed on; asked a second time, it is
/// ended.
pub(super) async fn wait(
    running: &mut Running,
    mut signals: Signals,
) -> Result<(Exit, Option<Signal>)> {
    let mut asked = None;
    loop {
        let wanted = tokio::select! {
            exit = running.child.wait() => return Ok((exit.map_err(Error::failure)?, asked)),
            _ = signals.interrupts.recv() => Signal::Interrupt,
            _ = signals.terminations.recv() => Signal::Terminate,
        };
        if asked.is_some() {
            return Ok((running.child.kill().await.map_err(Error::failure)?, asked));
        }
        asked = Some(wanted);
        running.child.signal(wanted).map_err(Error::failure)?;
    }
}
