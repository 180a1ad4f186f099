//! Cuts a long text where one block ends and the next begins, so that memory does not grow with the text.
//!
//! What the parser and a table make of a text takes up to two hundred times its size, so a long one is rendered
//! piece by piece. A cut is made before a line that starts at the margin and follows an empty one, outside of a
//! block of code: no list, quote or table goes on there. What is beyond is a link or a footnote that is defined
//! in another piece, which then stays as it is written.

/// A text up to this size is rendered whole.
pub(super) const LARGEST: usize = 128 << 10;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Markdown(&'a str),
    /// A block that is too large to be rendered.
    TooLarge(&'a str),
}

/// The parts of a text, in order; together they are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = end_of_first(rest);
        let (first, others) = rest.split_at(end);
        rest = others;
        Some(if first.len() <= LARGEST { Piece::Markdown(first) } else { Piece::TooLarge(first) })
    })
}

/// Where the first piece ends: at the last cut within the limit, or at the first one behind it.
fn end_of_first(text: &str) -> usize {
    if text.len() <= LARGEST {
        return text.len();
    }
    let (mut at, mut cut) = (0, None);
    let (mut fence, mut after_empty) = (None, false);
    for line in text.split_inclusive('\n') {
        if at > LARGEST && cut.is_some() {
            break;
        }
        let is_empty = line.trim().is_empty();
        let may_cut = at > 0 && after_empty && !is_empty && fence.is_none();
        if may_cut && !line.starts_with([' ', '\t']) {
            if at > LARGEST {
                return cut.unwrap_or(at);
            }
            cut = Some(at);
        }
        fence = fence_after(fence, line);
        after_empty = is_empty;
        at += line.len();
    }
    cut.unwrap_or(text.len())
}

/// The marks of the block of code that a line is followed by more of.
fn fence_after(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let text = line.trim_end();
    let marks = text.trim_start_matches(' ');
    let is_indented = text.len() - marks.len() > 3;
    let mark = marks.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let Some(mark) = mark.filter(|_| !is_indented) else { return open };
    let info = marks.trim_start_matches(mark);
    let count = marks.len() - info.len();
    match open {
        Some((its, least)) if mark == its && count >= least && info.is_empty() => None,
        Some(_) => open,
        None if count >= 3 && !(mark == '`' && info.contains('`')) => Some((mark, count)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[usize]) {
        let found: Vec<_> = pieces(text).collect();
        let text_of = |piece: &Piece<'_>| match piece {
            Piece::Markdown(text) | Piece::TooLarge(text) => (*text).to_owned(),
        };
        assert_eq!(found.iter().map(text_of).collect::<String>(), text);
        assert_eq!(found.iter().map(|piece| text_of(piece).len()).collect::<Vec<_>>(), expected);
        for piece in found {
            assert_eq!(matches!(piece, Piece::Markdown(_)), text_of(&piece).len() <= LARGEST);
        }
    }

    #[test]
    fn a_text_is_cut_between_blocks() {
        let half = "x".repeat(LARGEST / 2);
        check("", &[]);
        check("one\n\ntwo\n", &[9]);
        let block = half.len() + 2;
        check(&format!("{half}\n\n{half}\n\n{half}"), &[block, block, half.len()]);
        // What belongs to an item of a list, and what is in a block of code, is not cut off.
        check(&format!("- {half}\n\n  {half}\n\n{half}"), &[2 * block + 4, half.len()]);
        check(&format!("```\n{half}\n\n{half}\n```\n\n{half}"), &[2 * block + 8, half.len()]);
        check(&format!("~~~~ a\n\nb\n~~~\n\nc {half}{half}"), &[2 * half.len() + 17]);
        check(&format!("``` a ` ```\n\nb {half}{half}"), &[13, 2 * half.len() + 2]);
        check(&format!("{half}{half}x\n\n{half}"), &[2 * half.len() + 3, half.len()]);
    }
}
