//! Takes the controls out of text that other people wrote.
//!
//! The idea: a terminal obeys what it is sent. Text from a plugin, a tool or a model can therefore
//! move the cursor over a question and repaint it, set the clipboard or the title, hide words, or
//! make a terminal type an answer back. What leaves here consists of printable characters, newline,
//! tab and, where the caller wants them, colours that we wrote again ourselves. No byte of a
//! sequence is ever copied: a sequence is understood and rebuilt, or it is dropped, so nothing can
//! come together from what is left over after a removal.
//!
//! The choices:
//! - A lone carriage return becomes a newline, and `\r\n` becomes `\n`. Dropping it would glue two
//!   lines into one; keeping it would let the second overwrite the first.
//! - A string sequence (OSC, DCS, APC, PM, SOS) goes with its payload. One that never ends loses its
//!   introducer only, so that a stray byte cannot swallow the rest of the text.
//! - Overrides and isolates of writing direction go too: with them, text reads differently from what
//!   it says.
//! - A colour that is still on at the end is turned off.
//!
//! Text in the color of its own background is out of reach here, since the palette is the user's.

mod sgr;

#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt::Write as _};

/// What becomes of colours and the other text styles (the SGR sequences).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Styles {
    Keep,
    Strip,
}

/// The text without anything a terminal would act on, other than newline, tab and kept styles.
///
/// Clean text is returned as it came, without a copy.
pub fn sanitize(text: &str, styles: Styles) -> Cow<'_, str> {
    if text.contains(is_hazard) { Cow::Owned(rebuild(text, styles)) } else { Cow::Borrowed(text) }
}

/// The text with every character to be seen for what it is: controls, and what changes how others look, stand there
/// by their number. Newline and tab stay.
///
/// For what somebody is to agree to. What [`sanitize`] takes away would be agreed to as well, and be done.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_shown = |c: char| !is_hazard(c) && !is_unseen(c);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        if is_shown(c) {
            out.push(c);
        } else {
            let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
    Cow::Owned(out)
}

/// Characters without a shape of their own. Those that join letters and pictures belong to what people write.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

const ESC: char = '\u{1b}';
const RESET: &str = "\u{1b}[0m";

/// The characters that need a decision; all others are copied.
fn is_hazard(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

fn rebuild(text: &str, styles: Styles) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open = false;
    let mut rest = text;
    while let Some((clean, hazard, after)) = split_at_hazard(rest) {
        out.push_str(clean);
        let (sequence, left) = read(hazard, after);
        rest = left;
        match sequence {
            Sequence::Sgr(params) if styles == Styles::Keep => {
                if let Some(still_open) = sgr::write_allowed(params, &mut out) {
                    open = still_open;
                }
            }
            Sequence::LineEnd => out.push('\n'),
            Sequence::Sgr(_) | Sequence::Other => {}
        }
    }
    out.push_str(rest);
    if open {
        out.push_str(RESET);
    }
    out
}

/// What stood at a hazard.
enum Sequence<'a> {
    /// `CSI … m`, with its parameters.
    Sgr(&'a str),
    /// A carriage return that ends a line by itself.
    LineEnd,
    /// Anything we never pass on.
    Other,
}

fn split_at_hazard(text: &str) -> Option<(&str, char, &str)> {
    let at = text.find(is_hazard)?;
    let (clean, rest) = text.split_at(at);
    let mut chars = rest.chars();
    let hazard = chars.next()?;
    Some((clean, hazard, chars.as_str()))
}

/// Reads the sequence that `hazard` starts, and says what is left after it.
fn read(hazard: char, after: &str) -> (Sequence<'_>, &str) {
    match hazard {
        ESC => read_escape(after),
        '\u{9b}' => read_csi(after),
        // The 8-bit forms of DCS, SOS, OSC, PM and APC.
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
            (Sequence::Other, skip_string(after))
        }
        '\r' if !after.starts_with('\n') => (Sequence::LineEnd, after),
        _ => (Sequence::Other, after),
    }
}

fn read_escape(after: &str) -> (Sequence<'_>, &str) {
    let Some(&first) = after.as_bytes().first() else {
        return (Sequence::Other, after);
    };
    let left = match first {
        b'[' => return read_csi(&after[1..]),
        b']' | b'P' | b'X' | b'^' | b'_' => skip_string(&after[1..]),
        // Intermediate bytes and then a final one, as in the choice of a character set.
        b' '..=b'/' => {
            let left = after.trim_start_matches(|c| matches!(c, ' '..='/'));
            left.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(left)
        }
        b'0'..=b'~' => &after[1..],
        // A bare escape: what follows is read for itself.
        _ => after,
    };
    (Sequence::Other, left)
}

/// Reads a control sequence after its introducer: parameters and intermediates, then a final byte.
/// One that is cut off by anything else loses what was read of it, and the rest is text.
fn read_csi(after: &str) -> (Sequence<'_>, &str) {
    let left = after.trim_start_matches(|c| matches!(c, ' '..='?'));
    let params = &after[..after.len() - left.len()];
    match left.strip_prefix(|c| matches!(c, '@'..='~')) {
        Some(rest) if left.starts_with('m') => (Sequence::Sgr(params), rest),
        Some(rest) => (Sequence::Other, rest),
        None => (Sequence::Other, left),
    }
}

/// Skips the payload of a string sequence.
///
/// It ends at BEL, CAN, SUB or ST, and also where another sequence starts, which keeps the whole
/// scan linear: no stretch of text is looked at again from a later introducer.
fn skip_string(after: &str) -> &str {
    let Some(end) =
        after.find(|c| matches!(c, '\u{7}' | '\u{18}' | '\u{1a}' | ESC | '\u{80}'..='\u{9f}'))
    else {
        return after;
    };
    let left = &after[end..];
    left.strip_prefix("\u{1b}\\").unwrap_or(left)
}
