//! The page that lines are written on: margins of quotes and lists, and the space between blocks.
//!
//! Margins are bounded by the width. A document can nest ten thousand quotes, and the text inside
//! still needs room: containers that would leave less than [`MIN_CONTENT`] columns get no margin of
//! their own. A line therefore costs what it is wide, however deep it stands.

/// The columns that are always left for text.
const MIN_CONTENT: usize = 10;

pub(super) struct Page {
    out: String,
    width: usize,
    margins: Vec<Margin>,
    /// How many containers inside the last margin have none of their own.
    without_margin: usize,
    /// Whether the next block is to be set apart by an empty line.
    gap_due: bool,
}

/// What a container puts in front of the lines inside it.
pub(super) struct Margin {
    /// In front of the first line only, as the bullet of an item.
    pub(super) first: Option<String>,
    pub(super) rest: String,
    /// The columns of either.
    pub(super) columns: usize,
}

impl Page {
    pub(super) fn new(width: usize) -> Self {
        Self { out: String::new(), width, margins: Vec::new(), without_margin: 0, gap_due: false }
    }

    /// The columns a line has for its text.
    pub(super) fn room(&self) -> usize {
        let taken: usize = self.margins.iter().map(|margin| margin.columns).sum();
        self.width.saturating_sub(taken).max(MIN_CONTENT)
    }

    pub(super) fn enter(&mut self, margin: Margin) {
        let fits = self.room() >= margin.columns + MIN_CONTENT;
        if self.without_margin == 0 && fits {
            self.margins.push(margin);
        } else {
            self.without_margin += 1;
        }
    }

    pub(super) fn leave(&mut self) {
        if self.without_margin > 0 {
            self.without_margin -= 1;
            return;
        }
        // An item without any text still shows its bullet.
        if self.margins.last().is_some_and(|margin| margin.first.is_some()) {
            self.line("");
        }
        self.margins.pop();
    }

    pub(super) fn line(&mut self, text: &str) {
        let start = self.out.len();
        for margin in &mut self.margins {
            match margin.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(&margin.rest),
            }
        }
        self.out.push_str(text);
        if text.is_empty() {
            let used = self.out[start..].trim_end_matches(' ').len();
            self.out.truncate(start + used);
        }
        self.out.push('\n');
    }

    /// Asks for an empty line before the next block, or takes the wish back.
    pub(super) fn set_gap(&mut self, due: bool) {
        self.gap_due = due;
    }

    /// Starts a block: the empty line before it is written now, if one is due, and in the margins
    /// of what surrounds it.
    pub(super) fn start_block(&mut self) {
        if std::mem::take(&mut self.gap_due) {
            self.line("");
        }
    }

    /// How many bytes there are on it.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}
