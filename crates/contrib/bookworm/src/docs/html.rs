//! Parsing a page, for as long and as deep as is reasonable.
//!
//! Documentation may contain any HTML, also such as was written to keep a parser busy: the time that
//! elements within elements take grows with the square of their depth, in the parser and in most of
//! what is done with its result. So the parser gets a page in pieces and is stopped when its time is
//! over, or when the page is deeper or has more in it than any page of rustdoc. A few letters can also
//! make many elements, so it is these that are counted: a tree has a million nodes at most, some
//! hundred megabytes.

use std::time::{Duration, Instant};

use html5ever::{
    driver::{ParseOpts, parse_document},
    tendril::{StrTendril, TendrilSink},
};
use jp_tool::ToolError;
use scraper::{Html, HtmlTreeSink};
use thiserror::Error;

const PATIENCE: Duration = Duration::from_secs(10);
const PIECE: usize = 4 << 10;
/// Pages of rustdoc have some twenty levels, and what people write into them a few more.
const MAX_DEPTH: usize = 256;

/// Sources of ten thousand lines have a fifth of it.
const MAX_NODES: usize = 1_000_000;

/// A page that is not used.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum PageError {
    #[error("the page takes longer than {} seconds to read", PATIENCE.as_secs())]
    Slow,
    #[error("the page has elements within elements deeper than {MAX_DEPTH}")]
    Deep,
    #[error("the page has more than {MAX_NODES} elements and texts")]
    Large,
}

/// What a page may cost.
#[derive(Debug, Clone, Copy)]
struct Limits {
    patience: Duration,
    nodes: usize,
}

/// The tree of a page.
pub(super) fn parse(text: &str) -> Result<Html, PageError> {
    parse_within(Limits { patience: PATIENCE, nodes: MAX_NODES }, text)
}

fn parse_within(limits: Limits, text: &str) -> Result<Html, PageError> {
    let start = Instant::now();
    let sink = HtmlTreeSink::new(Html::new_document());
    let mut parser = parse_document(sink, ParseOpts::default());
    let (mut rest, mut nodes) = (text, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE));
        parser.process(StrTendril::from_slice(piece));
        if start.elapsed() > limits.patience {
            return Err(PageError::Slow);
        }
        nodes = grown(&parser.tokenizer.sink.sink.0.borrow(), nodes, limits)?;
        rest = after;
    }
    let html = parser.finish();
    // Elements can be moved below others after they were made.
    if depth(&html) > MAX_DEPTH { Err(PageError::Deep) } else { Ok(html) }
}

/// How many nodes there are now, after so many before; an error if they are too many or too deep.
fn grown(html: &Html, before: usize, limits: Limits) -> Result<usize, PageError> {
    let nodes = html.tree.nodes();
    let count = nodes.len();
    if count > limits.nodes {
        return Err(PageError::Large);
    }
    let mut new = nodes.rev().take(count.saturating_sub(before));
    if new.any(|node| node.ancestors().nth(MAX_DEPTH).is_some()) {
        return Err(PageError::Deep);
    }
    Ok(count)
}

/// How deep the tree is; found by walking along it, because a recursion would be as deep.
fn depth(html: &Html) -> usize {
    let (mut node, mut depth, mut deepest) = (html.tree.root(), 0, 0);
    loop {
        if let Some(child) = node.first_child() {
            (node, depth) = (child, depth + 1);
            deepest = deepest.max(depth);
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return deepest };
            (node, depth) = (parent, depth - 1);
        }
    }
}

impl From<PageError> for ToolError {
    fn from(error: PageError) -> Self {
        Self::from_error(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_parsed_up_to_a_depth() {
        let nested = |depth: usize| format!("{}ä{}", "<div>".repeat(depth), "</div>".repeat(depth));
        let html = parse(&format!("<p>a</p>{}<p>b</p>", nested(200))).unwrap();
        assert_eq!(html.root_element().text().collect::<String>(), "aäb");
        assert_eq!(parse(&nested(300)).unwrap_err(), PageError::Deep);
    }

    /// Hundreds of thousands of levels would take hours, and formatting that is taken up again in every
    /// paragraph would fill the memory.
    #[test]
    fn a_page_made_to_keep_us_busy_is_given_up() {
        let start = Instant::now();
        assert_eq!(parse(&"<div>".repeat(400_000)).unwrap_err(), PageError::Deep);
        let formats: String = (0..100_000).map(|n| format!("<p><b id={n}>x</p>")).collect();
        assert_eq!(parse(&formats).unwrap_err(), PageError::Deep);
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    }

    #[test]
    fn time_and_nodes_have_an_end() {
        let page = "<b></b>".repeat(2_000);
        let parse = |patience, nodes| parse_within(Limits { patience, nodes }, &page).map(drop);
        assert_eq!(parse(PATIENCE, 5_000), Ok(()));
        assert_eq!(parse(PATIENCE, 1_000), Err(PageError::Large));
        assert_eq!(parse(Duration::ZERO, 5_000), Err(PageError::Slow));
    }
}
