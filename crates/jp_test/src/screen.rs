//! A terminal small enough to read: what a person would see after the program ran.
//!
//! Prompts redraw themselves by moving the cursor and erasing lines, so the raw
//! bytes say little. This keeps two views of them: the *screen*, as it looks now,
//! and the *transcript*, all text in the order it was printed, in which a test can
//! wait for a word even if it has been erased since.
//!
//! Colours are ignored, and every character takes one cell.

use vte::{Params, Parser, Perform};

use crate::pty::Size;
use crate::pump::Sink;

/// The most text that is remembered; a program that prints more is not prompting.
const MAX_TEXT: usize = 4 << 20;

/// The number of the alternate screen.
const ALTERNATE: usize = 1049;

/// The parser and what it has drawn.
pub(crate) struct Terminal {
    parser: Parser,
    grid: Grid,
    /// The bytes as they came, for tests of colours.
    raw: Vec<u8>,
}

impl Terminal {
    pub(crate) fn new(size: Size) -> Self {
        let grid = Grid {
            rows: size.rows.into(),
            cols: size.cols.into(),
            lines: vec![Vec::new()],
            row: 0,
            col: 0,
            main: None,
            transcript: String::new(),
        };
        Self { parser: Parser::new(), grid, raw: Vec::new() }
    }

    /// Gives the screen another size, as somebody does who pulls at the corner of a window.
    pub(crate) fn resize(&mut self, size: Size) {
        (self.grid.rows, self.grid.cols) = (size.rows.into(), size.cols.into());
        if self.grid.main.is_some() {
            self.grid.lines.truncate(self.grid.rows);
        }
        self.grid.move_to(self.grid.row, self.grid.col);
    }

    /// Everything printed so far, control sequences included.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// All text printed so far, without control sequences.
    pub(crate) fn transcript(&self) -> &str {
        &self.grid.transcript
    }

    /// What is visible, with what has scrolled off above it, without trailing blanks.
    pub(crate) fn screen(&self) -> String {
        let line = |cells: &Vec<char>| cells.iter().collect::<String>().trim_end().to_owned();
        let text = self.grid.lines.iter().map(line).collect::<Vec<_>>().join("\n");
        text.trim_end().to_owned()
    }
}

impl Sink for Terminal {
    fn take(&mut self, bytes: &[u8]) {
        if self.grid.transcript.len() < MAX_TEXT {
            self.parser.advance(&mut self.grid, bytes);
            self.raw.extend_from_slice(bytes);
        }
    }
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Terminal").field(&self.screen()).finish()
    }
}

/// All lines ever shown; the last `rows` of them are the screen.
struct Grid {
    rows: usize,
    cols: usize,
    lines: Vec<Vec<char>>,
    row: usize,
    col: usize,
    /// Lines and cursor of the main screen, while a program draws on the alternate one.
    main: Option<(Vec<Vec<char>>, usize, usize)>,
    transcript: String,
}

impl Grid {
    /// The first line that the cursor can reach.
    fn top(&self) -> usize {
        self.lines.len().saturating_sub(self.rows)
    }

    fn move_to(&mut self, row: usize, col: usize) {
        self.row = row.clamp(self.top(), self.top() + self.rows - 1);
        self.col = col.min(self.cols - 1);
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
    }

    /// One line down; the screen scrolls when there is none.
    fn line_feed(&mut self) {
        self.row += 1;
        if self.row == self.lines.len() {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, c: char) {
        if self.col == self.cols {
            self.col = 0;
            self.line_feed();
        }
        let line = &mut self.lines[self.row];
        if line.len() <= self.col {
            line.resize(self.col + 1, ' ');
        }
        line[self.col] = c;
        self.col += 1;
    }

    /// Programs that draw on the whole screen do it on another one, and leave the main one as it was.
    fn alternate(&mut self, enter: bool) {
        match (enter, self.main.take()) {
            (true, None) => {
                let lines = std::mem::replace(&mut self.lines, vec![Vec::new()]);
                self.main = Some((lines, self.row, self.col));
                (self.row, self.col) = (0, 0);
            }
            (false, Some(main)) => (self.lines, self.row, self.col) = main,
            (_, main) => self.main = main,
        }
    }

    fn erase_in_line(&mut self, mode: u16) {
        let line = &mut self.lines[self.row];
        match mode {
            0 => line.truncate(self.col),
            1 => line.iter_mut().take(self.col + 1).for_each(|cell| *cell = ' '),
            _ => line.clear(),
        }
    }

    fn erase_in_screen(&mut self, mode: u16) {
        self.erase_in_line(mode);
        let (top, end) = (self.top(), self.lines.len());
        let range = match mode {
            0 => self.row + 1..end,
            1 => top..self.row,
            _ => top..end,
        };
        self.lines[range].iter_mut().for_each(Vec::clear);
    }
}

impl Perform for Grid {
    fn print(&mut self, c: char) {
        self.put(c);
        self.transcript.push(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.line_feed();
                self.transcript.push('\n');
            }
            b'\r' => self.col = 0,
            b'\t' => self.move_to(self.row, (self.col / 8 + 1) * 8),
            0x08 => self.col = self.col.saturating_sub(1),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, marks: &[u8], _: bool, action: char) {
        let number = |index, default: u16| {
            let given = params.iter().nth(index).and_then(|param| param.first().copied());
            given.filter(|value| *value != 0).unwrap_or(default)
        };
        let count = usize::from(number(0, 1));
        match action {
            'h' | 'l' if marks == b"?" && count == ALTERNATE => self.alternate(action == 'h'),
            'A' => self.move_to(self.row.saturating_sub(count), self.col),
            'B' => self.move_to(self.row + count, self.col),
            'C' => self.move_to(self.row, self.col + count),
            'D' => self.move_to(self.row, self.col.saturating_sub(count)),
            'E' => self.move_to(self.row + count, 0),
            'F' => self.move_to(self.row.saturating_sub(count), 0),
            'G' => self.move_to(self.row, count - 1),
            'H' | 'f' => self.move_to(self.top() + count - 1, usize::from(number(1, 1)) - 1),
            'J' => self.erase_in_screen(number(0, 0)),
            'K' => self.erase_in_line(number(0, 0)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(printed: &str, screen: &str, transcript: &str) {
        let mut terminal = Terminal::new(Size { rows: 3, cols: 10 });
        terminal.take(printed.as_bytes());
        assert_eq!(terminal.screen(), screen, "screen of {printed:?}");
        assert_eq!(terminal.transcript(), transcript, "transcript of {printed:?}");
    }

    #[test]
    fn text_and_lines() {
        check("a\r\nb  \r\n", "a\nb", "a\nb  \n");
        check("\x1b[1;31mred\x1b[0m", "red", "red");
        check("\x1b]0;title\x07x", "x", "x");
        check("abc\rX", "Xbc", "abcX");
        check("ab\x08X", "aX", "abX");
        check("a\tb", "a       b", "ab");
    }

    #[test]
    fn long_lines_wrap_and_old_lines_stay_above() {
        check("0123456789AB", "0123456789\nAB", "0123456789AB");
        check("1\r\n2\r\n3\r\n4", "1\n2\n3\n4", "1\n2\n3\n4");
    }

    #[test]
    fn prompts_redraw_themselves() {
        check("one\r\ntwo\r\n\x1b[1A\x1b[2KTWO", "one\nTWO", "one\ntwo\nTWO");
        check("menu\r\nitem\x1b[2F\x1b[0Jdone", "done", "menu\nitemdone");
        check("yes\x1b[2D\x1b[K", "y", "yes");
        check("yes\x1b[1K", "", "yes");
        check("abc\x1b[2Gx", "axc", "abcx");
    }

    #[test]
    fn the_cursor_stays_on_the_screen() {
        check("1\r\n2\r\n3\r\n4\x1b[99A!", "1\n2!\n3\n4", "1\n2\n3\n4!");
        check("\x1b[99;99Hx", "\n\n         x", "x");
        check("\x1b[99Bx", "\n\nx", "x");
        check("a\r\nb\x1b[2J\x1b[Hc", "c", "a\nbc");
        check("a\r\nb\x1b[1J", "", "a\nb");
    }

    #[test]
    fn the_alternate_screen_leaves_nothing_behind() {
        check("a\r\nb\x1b[?1049h\x1b[2;2Hx", "\n x", "a\nbx");
        check("a\r\nb\x1b[?1049hx\r\ny\x1b[?1049lc", "a\nbc", "a\nbx\nyc");
        check("a\x1b[?1049lb", "ab", "ab");
        let mut terminal = Terminal::new(Size { rows: 3, cols: 10 });
        terminal.take(b"\x1b[?1049h\x1b[3;1Hold");
        terminal.resize(Size { rows: 2, cols: 4 });
        terminal.take(b"\x1b[2J\x1b[2;3Hxyz");
        assert_eq!(terminal.screen(), "\n  xy\nz");
    }

    #[test]
    fn a_flood_is_cut_off() {
        let mut terminal = Terminal::new(Size { rows: 3, cols: 10 });
        let piece = "x".repeat(64 << 10);
        for _ in 0..200 {
            terminal.take(piece.as_bytes());
        }
        assert!(terminal.transcript().len() <= MAX_TEXT + piece.len());
    }
}
