//! Text of other people in a document of ours.
//!
//! The danger: an HTML comment or a fence that is not closed swallows everything after it, and a script
//! in a message is one for whoever turns the document into a page; so is a link to `javascript:`. An image
//! tells its server that somebody reads this. A heading looks like one of ours, and a definition says
//! where the links of other messages lead. So HTML and definitions become text, headings stand below ours,
//! an image is a link, and what is open at the end is closed. Which parts of a text are what is for the
//! parser to say. Each change can move the borders of others, so it is asked again until it finds nothing;
//! where that takes too long, the text stands in a fence.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag};

/// How often the parser is asked.
const PASSES: usize = 8;
/// How much lower the headings of a message stand: ours are of the first three levels.
const LOWER: &str = "###";
/// Where links may lead, besides places in the same directory and document.
const SCHEMES: [&str; 3] = ["https", "http", "mailto"];

/// Markdown of somebody else, as it was written but for what would reach beyond it.
pub(super) fn contain(text: &str) -> String {
    let mut text = unambiguous(text);
    for _ in 0..PASSES {
        let changes = changes(&text);
        if changes.is_empty() {
            return close_fence(text);
        }
        text = apply(&text, &changes);
    }
    fence("", &text)
}

/// A text in a fence that it cannot close.
pub(super) fn fence(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// A text that is no Markdown, in a line.
pub(super) fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => line.push(' '),
            // Letters and digits mean nothing, and neither do most signs. What is left is escaped even
            // where it would mean nothing either.
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~'
            | '&' => {
                line.push('\\');
                line.push(c);
            }
            c => line.push(c),
        }
    }
    line.trim().to_owned()
}

/// A name, as code in a line.
pub(super) fn span(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    let text = text.trim();
    let ticks = "`".repeat(longest_run(text) + 1);
    match text {
        "" => "–".to_owned(),
        text if text.contains('`') => format!("{ticks} {text} {ticks}"),
        text => format!("`{text}`"),
    }
}

/// Markdown as a quotation.
pub(super) fn quote(markdown: &str) -> String {
    let line = |line: &str| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
    markdown.lines().map(line).collect()
}

/// The text without what readers of Markdown see differently: a carriage return alone ends a line for
/// some, and a tab after a fence keeps it from being one.
fn unambiguous(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    let is_fence = |line: &str| line.trim().chars().all(|c| matches!(c, '`' | '~'));
    let lines = text.trim_end().split('\n');
    let lines = lines.map(|line| if is_fence(line) { line.trim_end() } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// Something to put into the place of a part of a text.
struct Change {
    place: Range<usize>,
    by: String,
}

impl Change {
    fn insert(at: usize, text: &str) -> Self {
        Self { place: at..at, by: text.to_owned() }
    }
}

/// What has to be changed, from the beginning to the end.
fn changes(text: &str) -> Vec<Change> {
    let mut parser = Parser::new_ext(text, options()).into_offset_iter();
    let mut changes: Vec<Change> = parser
        .by_ref()
        .filter_map(|(event, place)| match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                Some(Change { by: text[place.clone()].replace('<', "&lt;"), place })
            }
            Event::Start(tag) => change_of(&tag, text, place),
            _ => None,
        })
        .collect();
    let definitions = parser.reference_definitions().iter();
    changes.extend(definitions.map(|(_, definition)| Change::insert(definition.span.start, "\\")));
    changes.sort_by_key(|change| change.place.start);
    changes
}

fn change_of(tag: &Tag<'_>, text: &str, place: Range<usize>) -> Option<Change> {
    let start = place.start;
    match tag {
        Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2 | HeadingLevel::H3, .. } => {
            Some(lower(text, place))
        }
        // The sign before an image makes it a link.
        Tag::FootnoteDefinition(_) | Tag::Image { .. } => Some(Change::insert(start, "\\")),
        Tag::Link { link_type: LinkType::Autolink | LinkType::Email, dest_url, .. } => {
            let by = text[place.clone()].replace('<', "&lt;");
            (!is_safe(dest_url)).then_some(Change { place, by })
        }
        Tag::Link { dest_url, .. } => (!is_safe(dest_url)).then(|| Change::insert(start, "\\")),
        _ => None,
    }
}

/// A heading below ours. One that is made by a line below it is no heading any more, and keeps the line.
fn lower(text: &str, place: Range<usize>) -> Change {
    let heading = &text[place.clone()];
    let hashes = heading.trim_start_matches(' ');
    let after = hashes.trim_start_matches('#');
    let has_hashes =
        after.len() < hashes.len() && after.chars().next().is_none_or(char::is_whitespace);
    if has_hashes {
        return Change::insert(place.start + (heading.len() - hashes.len()), LOWER);
    }
    let end = heading.trim_end();
    Change::insert(place.start + end.trim_end_matches(['=', '-']).len(), "\\")
}

/// Whether an address leads to the web or to mail, or has no scheme at all.
fn is_safe(address: &str) -> bool {
    let start = address.split(['/', '?', '#']).next().unwrap_or_default();
    // Browsers remove these before they look for a scheme.
    let is_plain = !address.chars().any(|c| c.is_control() || c == ' ');
    let scheme = start.split_once(':').map(|(scheme, _)| scheme);
    let is_known = |scheme: &str| SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    is_plain && scheme.is_none_or(is_known)
}

/// The text with what was changed. What begins within another change is for the next time.
fn apply(text: &str, changes: &[Change]) -> String {
    let mut out = String::with_capacity(text.len() + changes.len() * LOWER.len());
    let mut copied = 0;
    for Change { place, by } in changes {
        if place.start < copied {
            continue;
        }
        out.push_str(&text[copied..place.start]);
        out.push_str(by);
        copied = place.end;
    }
    out + &text[copied..]
}

/// Closes the fence that is open at the end, if one is. One in a list or a quotation ends with it.
fn close_fence(mut text: String) -> String {
    let (mut last, mut depth) = (None, 0_usize);
    for (event, range) in Parser::new_ext(&text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_))) {
                    last = Some(range);
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let Some(block) = last.map(|range| &text[range]) else { return text };
    let Some(sign) = block.chars().next().filter(|sign| matches!(sign, '`' | '~')) else {
        return text;
    };
    let run = |line: &str| line.chars().take_while(|c| *c == sign).count();
    let opened = run(block);
    // What closes a fence is as long, and moved to the right by three spaces at most.
    let is_closed = block.lines().skip(1).last().is_some_and(|line| {
        let fence = line.trim_start_matches(' ');
        let is_near = line.len() - fence.len() <= 3;
        is_near && run(fence) >= opened && fence.trim_start_matches(sign).trim().is_empty()
    });
    if !is_closed {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.extend(std::iter::repeat_n(sign, opened));
    }
    text
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a reader makes of a heading that follows the text.
    fn is_contained(text: &str) -> Result<(), String> {
        let contained = contain(text);
        let document = format!("# One\n\n{contained}\n\n# Our own heading\n\nend\n");
        let mut parser = Parser::new_ext(&document, options()).into_offset_iter();
        let own = document.rfind("# Our own heading").unwrap();
        let mut depth = 0;
        let mut found = false;
        for (event, range) in parser.by_ref() {
            match event {
                Event::Start(Tag::Heading { level, .. })
                    if level <= HeadingLevel::H3 && range.start > 0 && range.start != own =>
                {
                    return Err(format!("a heading like ours: {contained:?}"));
                }
                Event::Start(Tag::Image { .. } | Tag::FootnoteDefinition(_)) => {
                    return Err(format!("an image or a note: {contained:?}"));
                }
                Event::Start(Tag::Link { dest_url, .. }) if !is_safe(&dest_url) => {
                    return Err(format!("{dest_url}: {contained:?}"));
                }
                Event::Html(_) | Event::InlineHtml(_) => {
                    return Err(format!("HTML: {contained:?}"));
                }
                Event::Start(Tag::Heading { .. }) if range.start == own => {
                    found = depth == 0;
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        if parser.reference_definitions().iter().next().is_some() {
            return Err(format!("a definition: {contained:?}"));
        }
        if found { Ok(()) } else { Err(format!("swallowed: {contained:?}")) }
    }

    #[test]
    fn nothing_reaches_beyond_its_place() {
        for text in [
            "a",
            "<!-- a",
            "a <!-- b",
            "<script>alert(1)</script>",
            "<div>\n```\n</div>",
            "```\na",
            "~~~~ rust\na\n~~~",
            "- ```\n  a",
            "> ```\n> a",
            "   ```\n   a\n   ```",
            "```a`b\n<b>\n",
            "<pre>\n\n# a",
            "<![CDATA[",
            "<?php",
            "a\r<b>\rc",
            "|a|\n|-|\n|<b>|",
            "[a]: <b> '\n\nc",
            "    <b>",
            "`<b>",
            "a\n===\n```",
            "# a\n## Turn 9\n### Assistant\n   # b",
            "Turn 9\n---\n\na\nb\n===",
            "> # a\n> b\n> ---\n\n- # c\n  d\n  ===",
            "#a\n---",
            "[x](javascript:alert(1)) [y](<data:text/html,a>) <javascript:alert(1)>",
            "[a](java&#9;script:b) [a](JAVASCRIPT:b) [a](vbscript:b)",
            "![](http://tracker.example/a.png) ![a][b] [![c](d)](e)\n\n[b]: http://b.example",
            "[a]: javascript:b\n[a]: c\n[a]: d\n[a]: e\n[a]: f\n[a]: g",
            "> [a]: b\n\n- [c]: d",
            "[^1]: a\n\n    b\n\n[^1]: c",
        ] {
            is_contained(text).unwrap();
        }
    }

    #[test]
    fn what_is_harmless_stays_as_it_is() {
        for text in [
            "a *b* `<c>` **d**  \n\n- e\n\n```rust\nVec<u8>\n```",
            "1 < 2 and <https://a.example>",
            "| a |\n|---|\n| b |",
            "#### a\n\n[b](https://c.example) [d](src/main.rs#L1) [e](#f) [g](mailto:h) `[i]: j`",
            "```\n# a\n[b]: c\n![](d)\n```",
        ] {
            assert_eq!(contain(text), text);
        }
        assert_eq!(contain("a <b>c</b>"), "a &lt;b>c&lt;/b>");
        assert_eq!(contain("```\na"), "```\na\n```");
        assert_eq!(contain("## Turn 9"), "##### Turn 9");
        assert_eq!(contain("Turn 9\n---"), "Turn 9\n\\---");
        assert_eq!(contain("![a](https://b.example)"), "\\![a](https://b.example)");
        assert_eq!(contain("[a](javascript:b)"), "\\[a](javascript:b)");
        assert_eq!(contain("[a][b]\n\n[b]: https://c"), "[a][b]\n\n\\[b]: https://c");
        assert_eq!(contain("```\na\n```\t\nb\n\n"), "```\na\n```\nb");
    }

    #[test]
    fn fences_are_longer_than_what_is_in_them() {
        assert_eq!(fence("", "a"), "```\na\n```");
        assert_eq!(fence("json", "a\n"), "```json\na\n```");
        assert_eq!(fence("", "````\n``"), "`````\n````\n``\n`````");
        assert_eq!(fence("", ""), "```\n```");
    }

    #[test]
    fn a_line_has_no_meaning() {
        assert_eq!(inline("a *b*\n<c> [d](e) `f`"), "a \\*b\\* \\<c\\> \\[d\\](e) \\`f\\`");
        assert_eq!(span("a_b\n<c>"), "`a_b <c>`");
        assert_eq!(span("a`b``"), "``` a`b`` ```");
        assert_eq!(span("\n"), "–");
        assert_eq!(quote("a\n\nb"), "> a\n>\n> b\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn whatever_it_is_it_stays_in_its_place(
            text in "([ab]|[<>!`~*_#|\\[\\]()&;:\"'-]|\n|\n\n|    |<!--|-->|```|~~~|<div>|</div>|<pre>|> |- |1\\. |\r|\t){0,30}"
        ) {
            prop_assert_eq!(is_contained(&text), Ok(()));
        }
    }
}
