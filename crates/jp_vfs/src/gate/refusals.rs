//! What a person has said no to, so that nobody is asked the same again.
//!
//! A tool chooses what it asks for and how long that is, so both the number and the length of all together have an
//! end. What is beyond is asked about again, which costs a person a key and the host nothing.

use crate::approve::Wanted;

/// How many refusals are remembered.
const MOST: usize = 1_000;

/// How many bytes they take together, more or less: 8 KiB each, where there are as many as there can be.
const MOST_BYTES: usize = MOST * (8 << 10);

/// What an argument of a command takes beside its text.
const WORD: usize = 32;

/// What a person said no to.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    all: Vec<Wanted>,
    bytes: usize,
}

impl Refusals {
    /// Whether a person said no to this already.
    pub(super) fn contain(&self, wanted: &Wanted) -> bool {
        self.all.contains(wanted)
    }

    /// Remembers one, as long as there is room.
    pub(super) fn add(&mut self, wanted: &Wanted) {
        let bytes = self.bytes.saturating_add(weight(wanted));
        if self.all.len() < MOST && bytes <= MOST_BYTES {
            self.all.push(wanted.clone());
            self.bytes = bytes;
        }
    }
}

/// How much memory it takes, more or less.
fn weight(wanted: &Wanted) -> usize {
    match wanted {
        Wanted::Fs { path, .. } => path.as_str().len(),
        Wanted::Sensitive { path, pattern } => path.as_str().len() + pattern.len(),
        // The rule has parts of the URL.
        Wanted::Net { url, .. } => 2 * url.len(),
        Wanted::Command { program, args } => {
            program.len() + args.iter().map(|arg| arg.len() + WORD).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, args: Vec<String>) -> Wanted {
        Wanted::Command { program: program.to_owned(), args }
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let mut refusals = Refusals::default();
        let short = |n: usize| command("cargo", vec![n.to_string()]);
        (0..2_000).for_each(|n| refusals.add(&short(n)));
        assert!(refusals.contain(&short(0)) && refusals.contain(&short(999)));
        assert!(!refusals.contain(&short(1_000)));
        // Text counts, and so do many words without any.
        for args in [vec!["a".repeat(1 << 20)], vec![String::new(); 30_000]] {
            let mut refusals = Refusals::default();
            let long = |n: usize| command(&n.to_string(), args.clone());
            (0..20).for_each(|n| refusals.add(&long(n)));
            assert!(refusals.contain(&long(0)) && !refusals.contain(&long(19)));
            // There is still room for a short one.
            refusals.add(&short(0));
            assert!(refusals.contain(&short(0)));
        }
    }
}
