//! Markdown of all kinds, and everything that people have tried to smuggle through it.

use proptest::prelude::*;
use scraper::{Html, Selector};

use super::*;

fn html(text: &str) -> String {
    markdown(text, &Budget::endless()).into_string()
}

#[test]
fn what_people_write_is_rendered() {
    let check = |text: &str, want: &str| assert_eq!(html(text), want, "{text}");
    check(
        "a *b* **c** ~~d~~ `e<`",
        "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;</code></p>",
    );
    check("a\nb  \nc", "<p>a\nb<br>c</p>");
    check("# A\n\n## B\n\n#### D\n\n###### F", "<h3>A</h3><h4>B</h4><h6>D</h6><h6>F</h6>");
    check("- a\n  1. b\n- c", "<ul><li>a<ol start=\"1\"><li>b</li></ol></li><li>c</li></ul>");
    check("7. a", "<ol start=\"7\"><li>a</li></ol>");
    check("> a\n\n---", "<blockquote><p>a</p></blockquote><hr>");
    check(
        "- [x] a\n- [ ] b",
        "<ul><li><input type=\"checkbox\" disabled checked> a</li>\
         <li><input type=\"checkbox\" disabled> b</li></ul>",
    );
    check(
        "|a|b|c|\n|-|-:|:-:|\n|1|2|3|",
        "<div class=\"table\"><table><thead><tr><th>a</th><th class=\"right\">b</th>\
         <th class=\"center\">c</th></tr></thead><tbody><tr><td>1</td><td class=\"right\">2</td>\
         <td class=\"center\">3</td></tr></tbody></table></div>",
    );
    check(
        "```\na\n```\n\n    b<",
        "<pre class=\"code\" tabindex=\"0\"><code>a\n</code></pre>\
         <pre class=\"code\" tabindex=\"0\"><code>b&lt;</code></pre>",
    );
}

#[test]
fn links_lead_to_the_web_or_to_mail() {
    let linked = |address: &str| {
        let page = Html::parse_fragment(&html(&format!("[a](<{address}>)")));
        let links = Selector::parse("a").unwrap();
        let link = page.select(&links).next()?;
        assert_eq!(link.attr("rel"), Some("noopener noreferrer"));
        link.attr("href").map(str::to_owned)
    };
    for address in ["https://a.example/?b=c&d", "HTTP://a.example", "mailto:a@b.example", "#turn-3"]
    {
        assert_eq!(linked(address).as_deref(), Some(address));
    }
    for address in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.example/1",
        "//a.example",
        "/settings",
        "src/main.rs",
        "https:alert(1)",
        " javascript:alert(1)",
        "https://a b",
        "",
    ] {
        assert_eq!(linked(address), None, "{address}");
    }
}

#[test]
fn images_are_not_loaded() {
    assert_eq!(
        html("![a](https://a.example/b.png)"),
        "<p><a class=\"image\" href=\"https://a.example/b.png\" rel=\"noopener noreferrer\">image: a</a></p>"
    );
    assert_eq!(
        html("![a](data:image/png;base64,AA)"),
        "<p><span class=\"unlinked image\" title=\"data:image/png;base64,AA\">image: a</span></p>"
    );
    // A link in a link would end the first one.
    let nested = html("[![a](https://a.example/b.png) c](https://d.example)");
    assert_eq!(nested.matches("<a ").count(), 1, "{nested}");
}

/// Everything a page may hold that this made; whatever else there is came from the text.
const MADE: &[&str] = &[
    "p",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "em",
    "strong",
    "del",
    "a",
    "span",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "pre",
    "code",
    "br",
    "hr",
    "input",
];

#[track_caller]
fn assert_inert(text: &str) {
    let made = html(text);
    let page = Html::parse_fragment(&made);
    let all = Selector::parse("*").unwrap();
    for element in page.select(&all).skip(1) {
        let value = element.value();
        assert!(MADE.contains(&value.name()), "{}: {made}", value.name());
        for (name, value) in value.attrs() {
            let known = ["class", "href", "rel", "title", "start", "type", "disabled", "checked"];
            let known = known.contains(&name) || ["data-language", "tabindex"].contains(&name);
            assert!(known, "{name}: {made}");
            assert!(name != "href" || is_safe(value), "{value}: {made}");
        }
    }
}

#[test]
fn html_is_text() {
    for text in [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div style='x'>\n\n*a*\n\n</div>",
        "<!-- a --> <?php ?> <![CDATA[a]]>",
        "[a](https://b.example \"\\\" onclick=alert(1)\")",
        "[a](<https://b.example/\" onclick=\"alert(1)>)",
        "![\" onerror=\"alert(1)](https://b.example)",
        "<https://a.example/\"onclick=alert(1)>",
        "```\"><script>alert(1)</script>\nx\n```",
        "```rust\n</code></pre><script>alert(1)</script>\n```",
        "| <script> | `<b>` |\n|-|-|\n| <td> | </table> |",
        "[^1]\n\n[^1]: <b>",
        "$<b>$ $$<b>$$",
    ] {
        assert_inert(text);
    }
    assert_eq!(html("a <b>c</b>"), "<p>a &lt;b&gt;c&lt;/b&gt;</p>");
}

#[test]
fn nesting_ends_somewhere() {
    for piece in ["> ", "- ", "*a ", "[", "![", "**a ", "1. > "] {
        let text = piece.repeat(20_000) + "x";
        let made = html(&text);
        assert!(made.contains('x'), "{piece}");
        for tag in ["<blockquote>", "<li>"] {
            assert!(made.matches(tag).count() <= DEEPEST, "{tag} of {piece}");
        }
        assert_inert(&text);
    }
}

#[test]
fn what_is_too_long_is_shown_as_it_is() {
    let text = "*a* ".repeat(LONGEST_TEXT / 4 + 1);
    assert_eq!(html(&text), format!("<pre class=\"text\" tabindex=\"0\">{text}</pre>"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_is_made_that_is_not_known(
        text in "([a-c \n]|[<>&\"'`*_~|\\[\\]()!#-]|javascript:|https://a|<script>|```|\\| ){0,60}"
    ) {
        assert_inert(&text);
    }
}
