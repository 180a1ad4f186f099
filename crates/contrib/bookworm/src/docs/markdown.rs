//! Documentation as Markdown, from the HTML that rustdoc made of it.
//!
//! Only what rustdoc writes is known; everything else is its text. What is written by recursion has
//! a depth, because a page may have been written to exhaust the stack, and everything that is written
//! takes up room (`room.rs`), because one may have been written to exhaust the memory.

use scraper::{ElementRef, Node};

use super::room::Room;

/// Deeper than this, elements are only their text.
const MAX_DEPTH: usize = 48;
/// What a node takes up besides its text: what is written around it, and the time to look at it.
const NODE: usize = 4;

/// Where the writing is: how deep, and how much room there is.
#[derive(Clone, Copy)]
struct Place<'a> {
    depth: usize,
    room: &'a Room,
}

impl Place<'_> {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// An element as Markdown, as far as there is room.
pub(crate) fn markdown(element: ElementRef<'_>, room: &Room) -> String {
    blocks(element, Place { depth: 0, room }).trim().to_owned()
}

/// The text of code as it stands, without the numbers of lines, as far as there is room.
pub(crate) fn code(element: ElementRef<'_>, room: &Room) -> String {
    let mut code = String::new();
    for node in element.descendants().take_while(|_| room.take(NODE)) {
        let Some(text) = node.value().as_text() else { continue };
        let hidden = node.ancestors().filter_map(ElementRef::wrap).any(|parent| {
            parent.value().attr("data-nosnippet").is_some() || parent.value().name() == "button"
        });
        if !hidden {
            code += room.fit(text);
        }
    }
    code.truncate(code.trim_end().len());
    code
}

/// The text of an element, as far as there is room.
pub(crate) fn plain(element: ElementRef<'_>, room: &Room) -> String {
    let nodes = element.descendants().take_while(|_| room.take(NODE));
    nodes.filter_map(|node| node.value().as_text().map(|text| room.fit(text))).collect()
}

/// The children of an element: text and what stands in a line make paragraphs between blocks.
fn blocks(element: ElementRef<'_>, at: Place<'_>) -> String {
    if at.depth > MAX_DEPTH {
        return collapse(&plain(element, at.room));
    }
    let (mut parts, mut line) = (Vec::new(), String::new());
    for child in element.children().take_while(|_| at.room.take(NODE)) {
        match ElementRef::wrap(child) {
            Some(child) if is_noise(child) => {}
            Some(child) if is_block(child) => {
                parts.push(std::mem::take(&mut line));
                parts.push(block(child, at.deeper()));
            }
            Some(child) => line += &inline_element(child, at.deeper()),
            None => line += &text_of(child.value(), at.room),
        }
    }
    parts.push(line);
    let parts = parts.iter().map(|part| part.trim_matches([' ', '\n']));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn block(element: ElementRef<'_>, at: Place<'_>) -> String {
    match element.value().name() {
        name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
            let level = name[1..].parse().unwrap_or(1);
            format!("{} {}", "#".repeat(level), inline(element, at).trim())
        }
        "p" => inline(element, at),
        "pre" => fence(element, at.room),
        "ul" => list(element, at, |_| "- ".to_owned()),
        "ol" => list(element, at, |index| format!("{}. ", index + 1)),
        "blockquote" => prefixed(&blocks(element, at), "> ", "> ", at.room),
        "table" => table(element, at),
        "hr" => "---".to_owned(),
        _ => blocks(element, at),
    }
}

fn inline(element: ElementRef<'_>, at: Place<'_>) -> String {
    if at.depth > MAX_DEPTH {
        return collapse(&plain(element, at.room));
    }
    let part = |child| match ElementRef::wrap(child) {
        Some(child) if is_noise(child) => String::new(),
        Some(child) => inline_element(child, at.deeper()),
        None => text_of(child.value(), at.room),
    };
    element.children().take_while(|_| at.room.take(NODE)).map(part).collect()
}

fn inline_element(element: ElementRef<'_>, at: Place<'_>) -> String {
    match element.value().name() {
        "code" => format!("`{}`", plain(element, at.room)),
        "em" | "i" => format!("*{}*", inline(element, at)),
        "strong" | "b" => format!("**{}**", inline(element, at)),
        "br" => "\n".to_owned(),
        "img" => at.room.fit(element.value().attr("alt").unwrap_or_default()).to_owned(),
        "a" => {
            let text = inline(element, at);
            match element.value().attr("href").filter(|link| link.starts_with("https://")) {
                // Links to the standard library are in every line, and everybody knows where it is.
                Some(link)
                    if !link.starts_with("https://doc.rust-lang.org/")
                        && at.room.take(link.len()) =>
                {
                    format!("[{text}]({link})")
                }
                _ => text,
            }
        }
        _ => inline(element, at),
    }
}

fn fence(element: ElementRef<'_>, room: &Room) -> String {
    let text = code(element, room);
    let classes = element.value().classes().chain(
        element.child_elements().flat_map(|child| child.value().classes().collect::<Vec<_>>()),
    );
    let language = classes
        .filter_map(
            |class| if class == "rust" { Some("rust") } else { class.strip_prefix("language-") },
        )
        .find(|language| language.len() < 32 && language.chars().all(|c| c.is_ascii_alphanumeric()))
        .unwrap_or_default();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn list(element: ElementRef<'_>, at: Place<'_>, mark: impl Fn(usize) -> String) -> String {
    let items = element.child_elements().filter(|child| child.value().name() == "li");
    let items = items.enumerate().take_while(|_| at.room.take(NODE)).map(|(index, item)| {
        let mark = mark(index);
        prefixed(&blocks(item, at.deeper()), &mark, &" ".repeat(mark.len()), at.room)
    });
    items.collect::<Vec<_>>().join("\n")
}

fn table(element: ElementRef<'_>, at: Place<'_>) -> String {
    let mut lines = Vec::new();
    let rows = element.descendent_elements().filter(|child| child.value().name() == "tr");
    for row in rows.take_while(|_| at.room.take(NODE)) {
        let cells: Vec<String> = row
            .child_elements()
            .take_while(|_| at.room.take(NODE))
            .map(|cell| inline(cell, at.deeper()).trim().replace('|', "\\|").replace('\n', " "))
            .collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if lines.len() == 1 {
            lines.push(format!("|{}", "---|".repeat(cells.len())));
        }
    }
    lines.join("\n")
}

/// Lines, each behind a prefix, which takes up room as well: there may be many short ones.
fn prefixed(text: &str, first: &str, rest: &str, room: &Room) -> String {
    let mut prefix = first;
    let lines = text.lines().take_while(|_| room.take(rest.len())).map(|line| {
        let line = format!("{prefix}{line}");
        prefix = rest;
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is for the eye or the mouse.
fn is_noise(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let noisy = ["doc-anchor", "anchor", "tooltip", "test-arrow", "hideme", "src", "scrape-help"];
    matches!(value.name(), "script" | "style" | "button" | "wbr" | "svg" | "rustdoc-toolbar")
        || value.classes().any(|class| noisy.contains(&class))
}

fn is_block(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "p" | "pre"
            | "ul"
            | "ol"
            | "blockquote"
            | "table"
            | "hr"
            | "div"
            | "section"
            | "details"
            | "summary"
            | "dl"
            | "dt"
            | "dd"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
    )
}

fn text_of(node: &Node, room: &Room) -> String {
    node.as_text().map(|text| collapse(room.fit(text))).unwrap_or_default()
}

/// White space as a browser shows it; the ends keep one space, because words stand next to them.
fn collapse(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() || text.starts_with(char::is_whitespace) {
            words.push(' ');
        }
        words += word;
    }
    if text.ends_with(char::is_whitespace) {
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use scraper::Html;

    use super::*;

    fn check(html: &str, want: &str) {
        let document = Html::parse_fragment(html);
        let room = Room::new(10_000);
        assert_eq!(markdown(document.root_element(), &room), want, "{html}");
    }

    #[test]
    fn what_rustdoc_writes() {
        check(
            "<p>A <code>b</code>\n <em>c</em> <strong>d</strong>.</p><p>E</p>",
            "A `b` *c* **d**.\n\nE",
        );
        check(
            "<h2 id=\"x\"><a class=\"doc-anchor\" href=\"#x\">§</a>Examples</h2>text",
            "## Examples\n\ntext",
        );
        check(
            "<div class=\"example-wrap\"><pre class=\"rust rust-example-rendered\"><code><span class=\"kw\">let </span>x = 1;\n    y</code></pre></div>",
            "```rust\nlet x = 1;\n    y\n```",
        );
        check(
            "<pre class=\"language-json\"><code>{\"a\": \"```\"}</code></pre>",
            "````json\n{\"a\": \"```\"}\n````",
        );
        check(
            "<ul><li>one</li><li><p>two</p><ol><li>x</li></ol></li></ul>",
            "- one\n- two\n\n  1. x",
        );
        check("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b");
        check(
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x|y</td></tr></tbody></table>",
            "| a | b |\n|---|---|\n| 1 | x\\|y |",
        );
        check(
            "<p><a href=\"https://x.example/y\">z</a> <a href=\"struct.A.html\"><code>A</code></a></p>",
            "[z](https://x.example/y) `A`",
        );
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}x{}", "<div>".repeat(250), "</div>".repeat(250));
        check(&deep, "x");
    }

    /// Pages on which the same text would be written once for each level.
    #[test]
    fn length_is_bounded() {
        const ROOM: usize = 20_000;
        let nested = |open: &str, close: &str| {
            format!("{}{}", open.repeat(45), "y".repeat(10_000)) + &close.repeat(45)
        };
        for html in [
            nested("<table><tr><td>", "</td></tr></table>"),
            nested("<blockquote>", "</blockquote>"),
            format!("{}{}", "<blockquote>".repeat(45), "x<p>".repeat(10_000)),
            format!("{}{}", "<ul><li>".repeat(20), "x<br>".repeat(10_000)),
            "<em></em>".repeat(10_000),
            "<ul>".to_owned() + &"<li>x".repeat(10_000),
            "a ".repeat(30_000),
        ] {
            let document = Html::parse_fragment(&html);
            let root = document.root_element();
            for text in [markdown(root, &Room::new(ROOM)), code(root, &Room::new(ROOM))] {
                assert!(text.len() <= 2 * ROOM, "{} bytes of {}", text.len(), &html[..40]);
            }
        }
    }
}
