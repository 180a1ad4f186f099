//! Parsing a page, for as long and as deep as is reasonable.
//!
//! Documentation may contain any HTML, also such as was written to keep a parser busy: the time that
//! elements within elements take grows with the square of their depth, in the parser and in most of
//! what is done with its result. So the parser gets a page in pieces and is stopped when its time is
//! over, and a page that came out deeper than any page of rustdoc is not used.

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

/// A page that is not used.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum PageError {
    #[error("the page takes longer than {} seconds to read", PATIENCE.as_secs())]
    TooLong,
    #[error("the page has elements within elements deeper than {MAX_DEPTH}")]
    TooDeep,
}

/// The tree of a page.
pub(super) fn parse(text: &str) -> Result<Html, PageError> {
    parse_within(PATIENCE, text)
}

fn parse_within(patience: Duration, text: &str) -> Result<Html, PageError> {
    let start = Instant::now();
    let sink = HtmlTreeSink::new(Html::new_document());
    let mut parser = parse_document(sink, ParseOpts::default());
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE));
        parser.process(StrTendril::from_slice(piece));
        if start.elapsed() > patience {
            return Err(PageError::TooLong);
        }
        rest = after;
    }
    let html = parser.finish();
    if depth(&html) > MAX_DEPTH { Err(PageError::TooDeep) } else { Ok(html) }
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
        assert_eq!(parse(&nested(300)).unwrap_err(), PageError::TooDeep);
    }

    /// Hundreds of thousands of levels would take hours.
    #[test]
    fn a_page_made_to_keep_us_busy_is_given_up() {
        let start = Instant::now();
        let page = "<div>".repeat(400_000);
        let error = parse_within(Duration::from_millis(200), &page).unwrap_err();
        assert_eq!(error, PageError::TooLong);
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    }
}
