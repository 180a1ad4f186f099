//! The reader: one conversation laid out in lines of the screen, and where the user is in it.
//!
//! Lines are made once for each width and not for each picture. Whoever reads at the end stays at the end when
//! more comes; whoever reads further up stays where they are.

mod lay;

use ratatui::text::Line;

use self::lay::Row;
use crate::{
    theme::Theme,
    transcript::{Role, Transcript},
};

/// A conversation that is read.
#[derive(Debug)]
pub(crate) struct Reader {
    theme: Theme,
    assistant: String,
    /// The id of the conversation that is shown, or will be.
    id: Option<String>,
    content: Content,
    rows: Vec<Row>,
    /// What the rows were made for.
    laid: Option<Laid>,
    /// The first row on the screen.
    top: usize,
    /// Whether the end is on the screen, and stays there.
    at_end: bool,
    /// Whether everything is shown whole.
    pub(crate) is_expanded: bool,
    sought: String,
    /// The row it was found in last.
    found: Option<usize>,
    /// How many rows are on the screen.
    height: usize,
}

#[derive(Debug, PartialEq)]
enum Content {
    Nothing,
    Transcript(Transcript),
    Failed(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Laid {
    width: usize,
    is_expanded: bool,
}

impl Reader {
    pub(crate) fn new(assistant: String, theme: Theme) -> Self {
        Self {
            theme,
            assistant,
            id: None,
            content: Content::Nothing,
            rows: Vec::new(),
            laid: None,
            top: 0,
            at_end: true,
            is_expanded: false,
            sought: String::new(),
            found: None,
            height: 0,
        }
    }

    /// Turns to another conversation, which is empty until its transcript comes.
    pub(crate) fn turn_to(&mut self, id: Option<&str>) {
        if self.id.as_deref() != id {
            self.id = id.map(str::to_owned);
            self.content = Content::Nothing;
            (self.laid, self.at_end, self.top, self.found) = (None, true, 0, None);
        }
    }

    /// Shows this, if it is still what is looked at.
    pub(crate) fn show(&mut self, id: &str, transcript: Result<Transcript, String>) {
        if self.id.as_deref() == Some(id) {
            self.content = match transcript {
                Ok(transcript) => Content::Transcript(transcript),
                Err(reason) => Content::Failed(reason),
            };
            self.laid = None;
        }
    }

    /// Why there is nothing to read.
    pub(crate) fn failure(&self) -> Option<&str> {
        match &self.content {
            Content::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.id.is_some() && self.content == Content::Nothing
    }

    /// The lines for a part of the screen of this size.
    pub(crate) fn lines(&mut self, width: usize, height: usize) -> Vec<Line<'_>> {
        self.lay(width);
        self.height = height;
        self.settle();
        let rows = self.rows.iter().skip(self.top).take(height);
        rows.map(|row| row.line(&self.sought, self.theme)).collect()
    }

    /// How far the reading has come, in words.
    pub(crate) fn place(&self) -> String {
        match self.last_top() {
            0 => "all".to_owned(),
            _ if self.at_end => "end".to_owned(),
            last => format!("{}%", self.top * 100 / last),
        }
    }

    pub(crate) fn step(&mut self, rows: isize) {
        self.go(self.top.saturating_add_signed(rows));
    }

    /// How much a page is: a line less than what is shown, so that the eye finds its place.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    pub(crate) fn go_to_start(&mut self) {
        self.go(0);
    }

    pub(crate) fn go_to_end(&mut self) {
        self.go(usize::MAX);
    }

    /// To the beginning of a turn: the next one, or the one before.
    pub(crate) fn go_by_turn(&mut self, forward: bool) {
        let begins = |row: &Row| row.role == Some(Role::Turn);
        let found = if forward {
            let later = self.rows.iter().skip(self.top + 1).position(begins);
            later.map(|rows| self.top + 1 + rows)
        } else {
            self.rows[..self.top].iter().rposition(begins)
        };
        if let Some(row) = found {
            self.go(row);
        }
    }

    /// Looks for this text from here on; true if it is there.
    pub(crate) fn search(&mut self, text: &str) -> bool {
        text.clone_into(&mut self.sought);
        self.find(true, self.top.checked_sub(1))
    }

    pub(crate) fn sought(&self) -> &str {
        &self.sought
    }

    /// Where it is found next, or before.
    pub(crate) fn search_on(&mut self, forward: bool) -> bool {
        // What was found near the end is not at the top, and the next place comes after it all the same.
        let visible = self.top..self.top + self.height;
        let here = self.found.filter(|row| visible.contains(row)).unwrap_or(self.top);
        self.find(forward, Some(here))
    }

    /// The next place after a row, or the last one before it; beyond an end it goes on at the other.
    fn find(&mut self, forward: bool, from: Option<usize>) -> bool {
        let rows = self.rows.iter().enumerate();
        let hits = rows.filter(|(_, row)| row.contains(&self.sought)).map(|(at, _)| at);
        let hits: Vec<_> = hits.collect();
        let found = if forward {
            hits.iter().find(|&&at| from.is_none_or(|from| at > from)).or(hits.first())
        } else {
            hits.iter().rfind(|&&at| from.is_none_or(|from| at < from)).or(hits.last())
        };
        self.found = found.copied();
        if let Some(row) = self.found {
            self.go(row);
        }
        self.found.is_some()
    }

    fn go(&mut self, top: usize) {
        self.top = top.min(self.last_top());
        self.at_end = self.top == self.last_top();
    }

    fn last_top(&self) -> usize {
        self.rows.len().saturating_sub(self.height)
    }

    /// Where the top is once the size of the screen is known.
    fn settle(&mut self) {
        let last = self.last_top();
        if self.at_end {
            self.top = last;
        }
        self.top = self.top.min(last);
    }

    /// Makes the rows anew if something has changed, and finds the place of the old ones in them.
    fn lay(&mut self, width: usize) {
        let laid = Laid { width, is_expanded: self.is_expanded };
        if self.laid == Some(laid) {
            return;
        }
        self.laid = Some(laid);
        let anchor = self.rows.get(self.top).map(|row| row.block);
        let first = |rows: &[Row], block| rows.iter().position(|row| row.block >= block);
        let deep =
            anchor.and_then(|block| first(&self.rows, block)).map_or(0, |row| self.top - row);
        let blank = Transcript::default();
        let transcript = match &self.content {
            Content::Transcript(transcript) => transcript,
            _ => &blank,
        };
        self.rows = lay::out(transcript, width, self.is_expanded, &self.assistant, self.theme);
        if let Some(block) = anchor
            && let Some(row) = first(&self.rows, block)
        {
            let rows = self.rows[row..].iter().take_while(|row| row.block == block).count();
            self.top = row + deep.min(rows.saturating_sub(1));
        }
    }
}
