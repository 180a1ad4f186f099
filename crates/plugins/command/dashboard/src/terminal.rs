//! The terminal itself: taken over, drawn on, put back.
//!
//! Everything goes to `/dev/tty`, because stdin and stdout carry messages. What is put back is put back by
//! [`Drop`], so that no way out of the program can forget it; a panic unwinds through it like everything else.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
};

use crossterm::{
    cursor, queue,
    terminal::{
        BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
        EnterAlternateScreen, LeaveAlternateScreen,
    },
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};
use rustix::{
    fs::{Mode, OFlags},
    process::getpgrp,
    termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr},
};

/// Room for a picture, so that it reaches the terminal in one piece.
const PICTURE: usize = 64 << 10;

/// Why there is nothing to draw on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeviceError {
    #[error("`jp dashboard` draws on a terminal, and there is none here")]
    None(#[source] io::Error),
    #[error("`jp dashboard` needs the terminal, and is in the background")]
    Background,
    #[error("the terminal cannot be drawn on")]
    Io(#[from] io::Error),
}

/// A terminal that is ours until this is dropped.
pub(crate) struct Device {
    canvas: Terminal<CrosstermBackend<BufWriter<File>>>,
    /// After the canvas, which has something to write when it is dropped.
    _guard: Guard,
}

/// Puts back what was before.
struct Guard {
    file: File,
    before: Termios,
}

impl Device {
    /// Takes over the terminal that the program was started from.
    pub(crate) fn open() -> Result<Self, DeviceError> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = rustix::fs::open("/dev/tty", flags, Mode::empty());
        let file = File::from(file.map_err(|error| DeviceError::None(error.into()))?);
        // From the background the kernel would stop this program at its first change, and nobody would know.
        if tcgetpgrp(&file).map_err(io::Error::from)? != getpgrp() {
            return Err(DeviceError::Background);
        }
        let guard = Guard::enter(file)?;
        let writer = BufWriter::with_capacity(PICTURE, guard.file.try_clone()?);
        Ok(Self { canvas: Terminal::new(CrosstermBackend::new(writer))?, _guard: guard })
    }

    /// Draws a picture. Only what is different from the one before is written, and a terminal that can shows
    /// it at once.
    pub(crate) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> Result<(), DeviceError> {
        queue!(self.canvas.backend_mut(), BeginSynchronizedUpdate)?;
        self.canvas.draw(picture)?;
        queue!(self.canvas.backend_mut(), EndSynchronizedUpdate)?;
        Ok(self.canvas.backend_mut().flush()?)
    }
}

impl Guard {
    fn enter(file: File) -> io::Result<Self> {
        let before = tcgetattr(&file)?;
        // From here on the destructor puts everything back, whatever of it was changed.
        let mut guard = Self { file, before };
        let mut raw = guard.before.clone();
        raw.make_raw();
        tcsetattr(&guard.file, OptionalActions::Drain, &raw)?;
        queue!(guard.file, EnterAlternateScreen, DisableLineWrap, cursor::Hide)?;
        guard.file.flush()?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to put back, and nobody to tell.
        let _ = queue!(
            self.file,
            EndSynchronizedUpdate,
            EnableLineWrap,
            cursor::Show,
            LeaveAlternateScreen
        );
        let _ = self.file.flush();
        let _ = tcsetattr(&self.file, OptionalActions::Drain, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        panic::{AssertUnwindSafe, catch_unwind},
    };

    use rustix::{
        pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
        termios::LocalModes,
    };

    use super::*;

    /// Both ends of a terminal: what is shown, and what programs write to.
    fn pair() -> (File, File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        (File::from(ours), File::from(theirs))
    }

    #[test]
    fn a_panic_puts_the_terminal_back() {
        let (mut ours, theirs) = pair();
        let before = tcgetattr(&theirs).unwrap();
        let guarded = theirs.try_clone().unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let guard = Guard::enter(guarded).unwrap();
            let raw = tcgetattr(&guard.file).unwrap();
            assert!(!raw.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO));
            panic!("while drawing");
        }));
        assert!(panicked.is_err());
        let after = tcgetattr(&theirs).unwrap();
        assert_eq!(after.local_modes, before.local_modes);
        assert_eq!(after.input_modes, before.input_modes);
        assert_eq!(after.output_modes, before.output_modes);
        // Once the other end is closed, reading ends with an error.
        drop(theirs);
        let mut written = Vec::new();
        let _ = ours.read_to_end(&mut written);
        let written = String::from_utf8_lossy(&written);
        // The alternate screen, the cursor and the wrapping of lines: away, and back in the other order.
        assert!(written.starts_with("\x1b[?1049h\x1b[?7l\x1b[?25l"), "{written:?}");
        assert!(written.ends_with("\x1b[?7h\x1b[?25h\x1b[?1049l"), "{written:?}");
    }
}
