//! Tests of taking pages apart, on pages of the form that rustdoc writes.

use super::*;

const ENUM: &str = r##"<html><body><nav>x</nav><main><section id="main-content" class="content">
<div class="main-heading"><h1>Enum <span class="enum">Color</span>&nbsp;<button id="copy-path">Copy item path</button></h1>
<span class="sub-heading"><a class="src" href="../src/paint/lib.rs.html#3-6">Source</a></span></div>
<pre class="rust item-decl"><code>pub enum Color {
    Red,
}</code></pre>
<details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary>
<div class="docblock"><p>What it <em>looks</em> like.</p><p>More.</p></div></details>
<h2 id="variants">Variants</h2><div class="variants">
<section id="variant.Red" class="variant"><a href="#variant.Red" class="anchor">§</a><h3 class="code-header">Red</h3></section>
<div class="docblock"><p>Like blood.</p></div></div>
<details class="toggle method-toggle" open><summary><section id="method.mix" class="method">
<a class="src rightside" href="../src/paint/lib.rs.html#9-12">Source</a>
<h4 class="code-header">pub fn <a href="#method.mix">mix</a>(&amp;self) -&gt; Self</h4></section></summary>
<div class="docblock"><p>Mixes.</p></div></details>
<section id="method.fmt-2" class="method trait-impl"><h4 class="code-header">fn fmt()</h4></section>
</section></main></body></html>"##;

#[test]
fn the_page_of_a_type() {
    let page = Page::parse(ENUM, &DocPath::new("paint/enum.Color.html").unwrap()).unwrap().unwrap();
    assert_eq!(page.title, "Enum Color");
    assert_eq!(page.declaration, "pub enum Color {\n    Red,\n}");
    assert_eq!(page.docs, "What it *looks* like.\n\nMore.");
    assert_eq!(page.source.as_deref(), Some("../src/paint/lib.rs.html#3-6"));
    let members: Vec<_> = page
        .members
        .iter()
        .map(|m| (m.kind, m.name.as_str(), m.declaration.as_str(), m.docs.as_str(), m.of_trait))
        .collect();
    assert_eq!(
        members,
        [
            (Kind::Variant, "Red", "Red", "Like blood.", false),
            (Kind::Method, "mix", "pub fn mix(&self) -> Self", "Mixes.", false),
            (Kind::Method, "fmt", "fn fmt()", "", true),
        ]
    );
    assert_eq!(page.members[1].source.as_deref(), Some("../src/paint/lib.rs.html#9-12"));
}

#[test]
fn the_page_of_a_module() {
    let html = r#"<section id="main-content"><div class="main-heading"><h1>Crate paint</h1></div>
        <dl class="item-table"><dt><a class="enum" href="enum.Color.html">Co<wbr>lor</a></dt>
        <dd>What it looks like.</dd><dt><a class="fn" href="fn.f.html">f</a></dt></dl></section>"#;
    let page = Page::parse(html, &DocPath::new("paint/index.html").unwrap()).unwrap().unwrap();
    let row =
        |kind: &str, name: &str, says: &str| (kind.to_owned(), name.to_owned(), says.to_owned());
    assert_eq!(page.contents, [row("enum", "Color", "What it looks like."), row("fn", "f", "")]);
    assert_eq!(page.title, "Crate paint");
}

#[test]
fn another_page_is_none() {
    let path = DocPath::new("paint/index.html").unwrap();
    for html in ["", "not html", "<h1>404</h1>", "\0\u{fffd}<<<>>>"] {
        assert!(Page::parse(html, &path).unwrap().is_none(), "{html}");
    }
}

/// Members within members, and documentation within documentation: without a bound each level would
/// have a copy of all that is below it, here a gigabyte of ten megabytes.
#[test]
fn what_lies_within_each_other_is_taken_once() {
    const LEVELS: usize = 100;
    let path = DocPath::new("paint/struct.A.html").unwrap();
    let filling = "y ".repeat(5 << 20);
    for level in [
        "<div id=\"method.a\">",
        "<i id=\"method.a\"></i><div class=\"docblock\">",
        "<dl class=\"item-table\"><dt><a>a</a></dt><dd>",
    ] {
        let html = format!(
            "<section id=\"main-content\"><h1>Struct A</h1>{}{filling}",
            level.repeat(LEVELS)
        );
        let page = Page::parse(&html, &path).unwrap().unwrap();
        let members = page.members.iter().map(|m| m.declaration.len() + m.docs.len());
        let contents =
            page.contents.iter().map(|(kind, name, says)| kind.len() + name.len() + says.len());
        let taken: usize = members.chain(contents).sum();
        assert!(!page.members.is_empty() || !page.contents.is_empty(), "{level}");
        assert!(taken <= MAX_TEXT, "{level}: {taken}");
    }
}
