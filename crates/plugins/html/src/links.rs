//! Where things are: the one thing that differs between a file and a server.

/// Addresses of what a transcript refers to.
pub trait Links {
    /// A turn.
    fn turn(&self, number: usize) -> String {
        format!("#turn-{number}")
    }

    /// An event.
    fn event(&self, position: usize) -> String {
        format!("#e{position}")
    }

    /// Everything of an event, for one that is too long to be shown; where there is no such address, it
    /// is shown whole.
    fn whole(&self, position: usize) -> Option<String> {
        let _ = position;
        None
    }
}

/// Everything is on the same page, and whole.
#[derive(Debug, Clone, Copy)]
pub struct OnePage;

impl Links for OnePage {}

/// What a tool returned, or was given, is cut beyond so many bytes if all of it can be seen elsewhere.
pub const LONGEST: usize = 64 << 10;
