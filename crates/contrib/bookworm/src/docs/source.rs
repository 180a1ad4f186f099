//! The source of an item, from the page that rustdoc makes of a source file.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use scraper::Selector;

use super::{
    html::{self, PageError},
    markdown::code,
    path::DocPath,
    room::Room,
};

/// What is read of a file; its page has 16 MiB at most.
const MAX_TEXT: usize = 16 << 20;
/// Longer items are cut off.
const MAX_LINES: usize = 2_000;

/// Which page a link of this page leads to, and which lines of it: `….rs.html#3-6`.
pub(super) fn parse_link(page: &DocPath, link: &str) -> Option<(DocPath, RangeInclusive<usize>)> {
    let (path, lines) = page.follow(link)?;
    let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (1..=to).contains(&from).then_some((path, from..=to))
}

/// Lines of a source file; `None` if the page has no source or not that many lines.
pub(super) fn lines(html: &str, lines: RangeInclusive<usize>) -> Result<Option<String>, PageError> {
    let document = html::parse(html)?;
    let source = Selector::parse("pre.rust > code").ok();
    let source = source.and_then(|source| document.select(&source).next());
    let text = source.map(|source| code(source, &Room::new(MAX_TEXT)));
    Ok(text.and_then(|text| cut_out(&text, lines)))
}

fn cut_out(text: &str, lines: RangeInclusive<usize>) -> Option<String> {
    let count = lines.clone().count();
    let wanted: Vec<&str> =
        text.lines().skip(lines.start() - 1).take(count.min(MAX_LINES)).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut text = wanted.join("\n") + "\n";
    if count > MAX_LINES {
        let _ = writeln!(text, "// … and {} more lines", count - MAX_LINES);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_lines() {
        let page = DocPath::new("a/struct.A.html").unwrap();
        let parse = |link| parse_link(&page, link).map(|(path, lines)| (path.to_string(), lines));
        assert_eq!(
            parse("../src/a/lib.rs.html#3-6"),
            Some(("src/a/lib.rs.html".to_owned(), 3..=6))
        );
        assert_eq!(parse("../src/a/lib.rs.html#3"), Some(("src/a/lib.rs.html".to_owned(), 3..=3)));
        for wrong in ["../src/a/lib.rs.html", "../src/a/lib.rs.html#6-3", "x#0-1", "https://x#1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_of_lines_are_not_source() {
        let html = "<section id=\"main-content\"><pre class=\"rust\"><code>\
            <a href=#1 id=1 data-nosnippet>1</a><span class=\"kw\">fn </span>a() {\n\
            <a href=#2 id=2 data-nosnippet>2</a>    1\n<a href=#3 id=3 data-nosnippet>3</a>}</code></pre>";
        assert_eq!(lines(html, 1..=3).unwrap().as_deref(), Some("fn a() {\n    1\n}\n"));
        assert_eq!(lines(html, 2..=2).unwrap().as_deref(), Some("    1\n"));
        assert_eq!(lines(html, 9..=9).unwrap(), None);
        assert_eq!(lines("<p>no</p>", 1..=1).unwrap(), None);
    }
}
