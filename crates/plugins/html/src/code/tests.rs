//! What is highlighted, what is not, and that it is always the text.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use scraper::Html;

use super::*;

/// What a reader of the page sees.
fn text_of(markup: &Markup) -> String {
    Html::parse_fragment(&markup.0).root_element().text().collect()
}

#[test]
fn code_has_classes_and_no_styles() {
    let html = code(Some("rust"), "/// Doc.\nlet x = \"a\\n<b>\" + 1; // é\n", &Budget::endless())
        .into_string();
    insta::assert_snapshot!(html, @r#"
    <pre class="code" data-language="rust" tabindex="0"><code><span class="hc">/// Doc.
    </span><span class="hk">let</span> x <span class="ho">= </span><span class="hs">&quot;a</span><span class="he">\n</span><span class="hs">&lt;b&gt;&quot; </span><span class="ho">+ </span><span class="hn">1</span>; <span class="hc">// é
    </span></code></pre>
    "#);
}

#[test]
fn keys_are_not_values() {
    let html = code(Some("json"), r#"{"a": "b"}"#, &Budget::endless()).into_string();
    assert!(html.contains(r#"<span class="ha">&quot;a&quot;</span>"#), "{html}");
    assert!(html.contains(r#"<span class="hs">&quot;b&quot;</span>"#), "{html}");
}

#[test]
fn a_language_is_what_people_write_on_a_fence() {
    for language in
        ["rust", "rs", "Rust", "rust,ignore", "{.rust}", "rust ignore", "console", "jsonc"]
    {
        let html = code(Some(language), "\"a\" # b", &Budget::endless()).into_string();
        assert!(html.contains("<span"), "{language}: {html}");
    }
}

#[test]
fn without_a_language_it_is_the_text() {
    for language in [None, Some(""), Some(" ,{}"), Some("no such language")] {
        let html = code(language, "let <x> = 1;", &Budget::endless()).into_string();
        assert!(html.ends_with("<code>let &lt;x&gt; = 1;</code></pre>"), "{html}");
    }
    let odd = code(Some("\"><script>"), "x", &Budget::endless()).into_string();
    assert!(odd.contains("data-language=\"&quot;&gt;&lt;script&gt;\""), "{odd}");
}

#[test]
fn what_is_too_long_keeps_its_text_and_gets_no_color() {
    let line = "let x = 1;".repeat(LONGEST_LINE / 10 + 1);
    let large = "let x = 1;\n".repeat(LONGEST_TEXT / 11 + 1);
    for text in [line, large] {
        let markup = code(Some("rust"), &text, &Budget::endless());
        assert!(!markup.0.contains("<span"));
        assert!(markup.0.contains(&text));
    }
}

#[test]
fn a_long_line_is_no_reason_to_color_nothing() {
    let long = format!("\"b\": \"{}\",\n", "x".repeat(LONGEST_LINE_OF_QUICK));
    let text = format!("{{\n\"a\": 1,\n{long}\"c\": 2\n}}\n");
    let markup = code(Some("json"), &text, &Budget::endless());
    assert_eq!(text_of(&markup), text);
    for key in ["a", "c"] {
        assert!(
            markup.0.contains(&format!(r#"<span class="ha">&quot;{key}&quot;</span>"#)),
            "{key}"
        );
    }
    assert!(!markup.0.contains("\"ha\">&quot;b"), "{}", markup.0);
}

/// Each look at the clock is forty milliseconds later than the one before: so many lines of each block are
/// colored, and all of it is there.
#[test]
fn what_there_is_no_time_for_stays_plain() {
    let now = Cell::new(0);
    let clock = || {
        now.set(now.get() + 40);
        Duration::from_millis(now.get())
    };
    let budget = Budget::new(Duration::from_secs(1), &clock);
    let text = "[1]\n".repeat(20);
    let colored: Vec<usize> = (0..5)
        .map(|_| {
            let markup = code(Some("json"), &text, &budget);
            assert_eq!(text_of(&markup), text);
            markup.0.matches("<span class=\"hn\">").count()
        })
        .collect();
    assert_eq!(colored, [9, 9, 2, 0, 0]);
}

/// What would take half an hour otherwise: lines that a grammar is slow with, as long as lines may be.
#[test]
fn slow_lines_end() {
    let began = Instant::now();
    let clock = || began.elapsed();
    let budget = Budget::new(Duration::from_secs(1), &clock);
    let line = "a-".repeat(LONGEST_LINE / 2 - 1) + "\n";
    let text = line.repeat(200);
    for _ in 0..20 {
        assert_eq!(text_of(&code(Some("less"), &text, &budget)), text);
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    // One that is longer is not even begun.
    let long = "[a](".repeat(1_000);
    let markup = code(Some("less"), &long, &Budget::endless());
    assert!(!markup.0.contains("<span"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a grammar makes of it, a reader sees the text that was there.
    #[test]
    fn nothing_is_lost(text in "[a-z<>&\"'/*#{}\\\\ \n\t]{0,200}", language in "rust|html|python|sh|json|md|diff") {
        let text = format!("x{text}");
        prop_assert_eq!(text_of(&code(Some(&language), &text, &Budget::endless())), text);
    }
}

/// What is prepared is a language that there is, and its code has colors.
#[test]
fn what_is_prepared_is_known() {
    for (language, text) in USUAL {
        assert!(
            code(Some(language), text, &Budget::endless()).into_string().contains("<span class="),
            "{language}"
        );
    }
}
