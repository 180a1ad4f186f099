//! Text of other people in a document of ours.
//!
//! The danger: an HTML comment or a fence that is not closed swallows everything after it, and a script
//! in a message is one for whoever turns the document into a page. So HTML becomes text, and what is open
//! at the end is closed. Which parts of a text are HTML is for the parser to say. Each change can move the
//! borders of others, so it is asked again until it finds nothing; where that takes too long, every `<`
//! is text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// How often the parser is asked.
const PASSES: usize = 4;

/// Markdown of somebody else, as it was written but for what would reach beyond it.
pub(super) fn contain(text: &str) -> String {
    let mut text = unambiguous(text);
    for _ in 0..PASSES {
        let Some(changed) = escape_html(&text) else { return close_fence(text) };
        text = changed;
    }
    close_fence(text.replace('<', "&lt;"))
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

/// The text with its HTML as text; none if there is no HTML.
fn escape_html(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) || range.start < copied {
            continue;
        }
        out.push_str(&text[copied..range.start]);
        out.push_str(&text[range.clone()].replace('<', "&lt;"));
        copied = range.end;
    }
    (copied > 0).then(|| out + &text[copied..])
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
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
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
        let parser = Parser::new_ext(&document, options()).into_offset_iter();
        let own = document.rfind("# Our own heading").unwrap();
        let mut depth = 0;
        let mut found = false;
        for (event, range) in parser {
            match event {
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
        ] {
            assert_eq!(contain(text), text);
        }
        assert_eq!(contain("a <b>c</b>"), "a &lt;b>c&lt;/b>");
        assert_eq!(contain("```\na"), "```\na\n```");
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
