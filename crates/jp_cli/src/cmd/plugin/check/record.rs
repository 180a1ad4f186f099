//! What was said, in a file: whole runs, and no more of them than can be played again.

use std::{
    fmt,
    io::{self, Write},
};

use jp_plugin_check::Transcript;

/// The most that a transcript may be, written or read: all of it is in memory when it is played.
pub(super) const LARGEST: u64 = 64 << 20;

/// Writes runs until there is no more room.
pub(super) struct Record<W> {
    to: W,
    room: u64,
    left_out: usize,
}

impl<W: Write> Record<W> {
    pub(super) fn new(to: W, room: u64) -> Self {
        Self { to, room, left_out: 0 }
    }

    /// Writes a run, or leaves it out if it is too long for what is there already.
    pub(super) fn add(&mut self, run: &Transcript) -> io::Result<()> {
        let mut size = Size(0);
        let counted = fmt::write(&mut size, format_args!("{run}"));
        let left = self.room.checked_sub(size.0).filter(|_| counted.is_ok());
        let Some(left) = left else {
            self.left_out += 1;
            return Ok(());
        };
        self.room = left;
        write!(self.to, "{run}")?;
        self.to.flush()
    }

    /// How many runs were left out.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }
}

/// How long a text is, without the text.
struct Size(u64);

impl fmt::Write for Size {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len() as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_whole_or_left_out() {
        let runs = ["# a\n> {}\n< {}\n", "# long\n> {\"x\":[1,2,3]}\n", "# b\n>\n"];
        let mut record = Record::new(Vec::new(), 24);
        for run in runs {
            record.add(&Transcript::parse(run).unwrap()).unwrap();
        }
        assert_eq!(String::from_utf8(record.to.clone()).unwrap(), [runs[0], runs[2]].concat());
        assert_eq!((record.left_out(), record.room), (1, 4));
    }
}
