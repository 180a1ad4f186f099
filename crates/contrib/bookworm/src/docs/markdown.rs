//! Documentation as Markdown, from the HTML that rustdoc made of it.
//!
//! Only what rustdoc writes is known; everything else is its text. What is written by recursion has
//! a depth, because a page may have been written to exhaust the stack.

use scraper::{ElementRef, Node};

/// Deeper than this, elements are only their text.
const MAX_DEPTH: usize = 48;

/// An element as Markdown.
pub(crate) fn markdown(element: ElementRef<'_>) -> String {
    blocks(element, 0).trim().to_owned()
}

/// The text of code as it stands, without the numbers of lines.
pub(crate) fn code(element: ElementRef<'_>) -> String {
    let shown = element.descendants().filter_map(|node| {
        let text = node.value().as_text()?;
        let hidden = node.ancestors().filter_map(ElementRef::wrap).any(|parent| {
            parent.value().attr("data-nosnippet").is_some() || parent.value().name() == "button"
        });
        (!hidden).then(|| &**text)
    });
    shown.collect::<String>().trim_end().to_owned()
}

/// The children of an element: text and what stands in a line make paragraphs between blocks.
fn blocks(element: ElementRef<'_>, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return collapse(&element.text().collect::<String>());
    }
    let (mut parts, mut line) = (Vec::new(), String::new());
    for child in element.children() {
        match ElementRef::wrap(child) {
            Some(child) if is_noise(child) => {}
            Some(child) if is_block(child) => {
                parts.push(std::mem::take(&mut line));
                parts.push(block(child, depth + 1));
            }
            Some(child) => line += &inline_element(child, depth + 1),
            None => line += &text_of(child.value()),
        }
    }
    parts.push(line);
    let parts = parts.iter().map(|part| part.trim_matches([' ', '\n']));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn block(element: ElementRef<'_>, depth: usize) -> String {
    match element.value().name() {
        name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
            let level = name[1..].parse().unwrap_or(1);
            format!("{} {}", "#".repeat(level), inline(element, depth).trim())
        }
        "p" => inline(element, depth),
        "pre" => fence(element),
        "ul" => list(element, depth, |_| "- ".to_owned()),
        "ol" => list(element, depth, |index| format!("{}. ", index + 1)),
        "blockquote" => prefixed(&blocks(element, depth), "> ", "> "),
        "table" => table(element, depth),
        "hr" => "---".to_owned(),
        _ => blocks(element, depth),
    }
}

fn inline(element: ElementRef<'_>, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return collapse(&element.text().collect::<String>());
    }
    let part = |child| match ElementRef::wrap(child) {
        Some(child) if is_noise(child) => String::new(),
        Some(child) => inline_element(child, depth + 1),
        None => text_of(child.value()),
    };
    element.children().map(part).collect()
}

fn inline_element(element: ElementRef<'_>, depth: usize) -> String {
    match element.value().name() {
        "code" => format!("`{}`", element.text().collect::<String>()),
        "em" | "i" => format!("*{}*", inline(element, depth)),
        "strong" | "b" => format!("**{}**", inline(element, depth)),
        "br" => "\n".to_owned(),
        "img" => element.value().attr("alt").unwrap_or_default().to_owned(),
        "a" => {
            let text = inline(element, depth);
            match element.value().attr("href").filter(|link| link.starts_with("https://")) {
                // Links to the standard library are in every line, and everybody knows where it is.
                Some(link) if !link.starts_with("https://doc.rust-lang.org/") => {
                    format!("[{text}]({link})")
                }
                _ => text,
            }
        }
        _ => inline(element, depth),
    }
}

fn fence(element: ElementRef<'_>) -> String {
    let text = code(element);
    let classes = element.value().classes().chain(
        element.child_elements().flat_map(|child| child.value().classes().collect::<Vec<_>>()),
    );
    let language = classes
        .filter_map(
            |class| if class == "rust" { Some("rust") } else { class.strip_prefix("language-") },
        )
        .find(|language| language.chars().all(|c| c.is_ascii_alphanumeric()))
        .unwrap_or_default();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn list(element: ElementRef<'_>, depth: usize, mark: impl Fn(usize) -> String) -> String {
    let items = element.child_elements().filter(|child| child.value().name() == "li");
    let items = items.enumerate().map(|(index, item)| {
        let mark = mark(index);
        prefixed(&blocks(item, depth + 1), &mark, &" ".repeat(mark.len()))
    });
    items.collect::<Vec<_>>().join("\n")
}

fn table(element: ElementRef<'_>, depth: usize) -> String {
    let mut lines = Vec::new();
    let rows = element.descendent_elements().filter(|child| child.value().name() == "tr");
    for row in rows {
        let cells: Vec<String> = row
            .child_elements()
            .map(|cell| inline(cell, depth + 1).trim().replace('|', "\\|").replace('\n', " "))
            .collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if lines.len() == 1 {
            lines.push(format!("|{}", "---|".repeat(cells.len())));
        }
    }
    lines.join("\n")
}

fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let mut prefix = first;
    let lines = text.lines().map(|line| {
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

fn text_of(node: &Node) -> String {
    node.as_text().map(|text| collapse(text)).unwrap_or_default()
}

/// White space as a browser shows it; the ends keep one space, because words stand next to them.
fn collapse(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.starts_with(char::is_whitespace) && !words.is_empty() {
        words.insert(0, ' ');
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
        assert_eq!(markdown(document.root_element()), want, "{html}");
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
}
