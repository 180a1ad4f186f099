//! Tables: columns that line up and share the width.
//!
//! A table that is too wide gives its narrow columns what they need and divides the rest evenly;
//! cells then wrap. Where there are too many columns even for that, each row becomes a short list of
//! `heading: cell` lines, which reads better than any grid of three letters.

use pulldown_cmark::Alignment;

use super::{
    inline::Inline,
    look::{Look, styled},
    page::{Margin, Page},
    wrap::{Addresses, Line, width_of, wrap},
};
use crate::text::truncate_to_width;

/// A column that wraps is at least this wide.
const MIN_COLUMN: usize = 6;

/// A heading is repeated in every row of a list, so a long one is cut.
const MAX_LABEL: usize = 40;

pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// The first row is the heading.
    rows: Vec<Vec<Inline>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(super) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn push_cell(&mut self, cell: Inline) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    pub(super) fn draw(&self, page: &mut Page, look: &Look) {
        let frame = Frame::new(look);
        let room = page.room().saturating_sub(frame.columns(self.alignments.len()));
        match fit(&self.natural_widths(), room) {
            Some(widths) => self.draw_grid(&widths, &frame, page),
            None => self.draw_list(page, look),
        }
    }

    fn natural_widths(&self) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = width_of(cell.text().trim_end()).max(*width);
            }
        }
        widths
    }

    fn draw_grid(&self, widths: &[usize], frame: &Frame, page: &mut Page) {
        let rows: Vec<Vec<Vec<Line>>> = self.rows.iter().map(|row| wrap_row(row, widths)).collect();
        // Rows of several lines run into each other unless something is drawn between them.
        let wrapped = rows.iter().skip(1).any(|row| row.iter().any(|cell| cell.len() > 1));
        for (at, (row, lines)) in self.rows.iter().zip(&rows).enumerate() {
            if at == 1 {
                page.line(&frame.heading_rule(widths, &self.alignments));
            } else if at > 1 && wrapped {
                frame.row_rule(widths).into_iter().for_each(|rule| page.line(&rule));
            }
            let height = lines.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..height {
                page.line(&self.grid_line(row, lines, line, widths, frame));
            }
        }
        if self.rows.len() == 1 {
            page.line(&frame.heading_rule(widths, &self.alignments));
        }
    }

    /// One line through all the cells of a row.
    fn grid_line(
        &self,
        row: &[Inline],
        lines: &[Vec<Line>],
        at: usize,
        widths: &[usize],
        frame: &Frame,
    ) -> String {
        let mut out = frame.left.to_owned();
        for (column, (&width, alignment)) in widths.iter().zip(&self.alignments).enumerate() {
            if column > 0 {
                out.push_str(&frame.between);
            }
            let line = lines.get(column).and_then(|cell| cell.get(at));
            let space = width.saturating_sub(line.map_or(0, |line| line.width));
            let before = match alignment {
                Alignment::Right => space,
                Alignment::Center => space / 2,
                Alignment::None | Alignment::Left => 0,
            };
            out.extend(std::iter::repeat_n(' ', before));
            if let (Some(cell), Some(line)) = (row.get(column), line) {
                cell.paint(line.range.clone(), &mut out);
            }
            out.extend(std::iter::repeat_n(' ', space - before));
        }
        out.push_str(frame.right);
        out.truncate(out.trim_end_matches(' ').len());
        out
    }

    fn draw_list(&self, page: &mut Page, look: &Look) {
        let Some((heading, rows)) = self.rows.split_first() else {
            return;
        };
        if rows.is_empty() {
            for cell in heading {
                draw_cell(cell, page);
            }
        }
        for (at, row) in rows.iter().enumerate() {
            page.set_gap(at > 0);
            page.start_block();
            for (label, cell) in heading.iter().zip(row).filter(|(_, cell)| !cell.is_blank()) {
                let mut line = Inline::default();
                let label = truncate_to_width(label.text().trim_end(), MAX_LABEL);
                line.push_prose(&format!("{label}:"), look.strong);
                line.push_prose(" ", anstyle::Style::new());
                line.append(cell);
                draw_cell(&line, page);
            }
        }
    }
}

fn draw_cell(cell: &Inline, page: &mut Page) {
    page.enter(Margin { first: Some(String::new()), rest: "  ".to_owned(), columns: 2 });
    for line in wrap(cell.text(), page.room(), Addresses::Whole) {
        let mut out = String::new();
        cell.paint(line.range, &mut out);
        page.line(&out);
    }
    page.leave();
}

fn wrap_row(row: &[Inline], widths: &[usize]) -> Vec<Vec<Line>> {
    row.iter().zip(widths).map(|(cell, &width)| wrap(cell.text(), width, Addresses::Cut)).collect()
}

/// The widths that fill the room and no more; `None` where the columns do not get what they need.
fn fit(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let least: usize = natural.iter().map(|&width| width.min(MIN_COLUMN)).sum();
    if least > room || natural.is_empty() {
        return None;
    }
    let mut sorted = natural.to_vec();
    sorted.sort_unstable();
    // From narrow to wide: whoever needs less than an even share leaves the difference to the rest.
    let mut left = room;
    let mut widest = room;
    for (at, &width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at);
        if width > share {
            widest = share;
            break;
        }
        left -= width;
    }
    Some(natural.iter().map(|&width| width.min(widest)).collect())
}

/// The lines around and between cells.
struct Frame {
    left: &'static str,
    between: String,
    right: &'static str,
    look: Look,
}

impl Frame {
    fn new(look: &Look) -> Self {
        let (left, right) = if look.keeps_marks() { ("| ", " |") } else { ("", "") };
        let bar = if look.keeps_marks() { "|" } else { "│" };
        Self { left, between: format!(" {} ", styled(bar, look.faint)), right, look: *look }
    }

    /// The columns taken by everything but the cells.
    fn columns(&self, cells: usize) -> usize {
        cells.saturating_sub(1) * 3 + self.left.len() + self.right.len()
    }

    fn heading_rule(&self, widths: &[usize], alignments: &[Alignment]) -> String {
        if !self.look.keeps_marks() {
            return self.drawn_rule(widths);
        }
        let cells: Vec<String> = widths
            .iter()
            .zip(alignments)
            .map(|(&width, alignment)| {
                let dashes = "-".repeat(width);
                match alignment {
                    Alignment::None => format!("-{dashes}-"),
                    Alignment::Left => format!(":{dashes}-"),
                    Alignment::Right => format!("-{dashes}:"),
                    Alignment::Center => format!(":{dashes}:"),
                }
            })
            .collect();
        format!("|{}|", cells.join("|"))
    }

    /// A rule between rows, which Markdown has no mark for.
    fn row_rule(&self, widths: &[usize]) -> Option<String> {
        (!self.look.keeps_marks()).then(|| self.drawn_rule(widths))
    }

    fn drawn_rule(&self, widths: &[usize]) -> String {
        let cells: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        styled(&cells.join("─┼─"), self.look.faint)
    }
}
