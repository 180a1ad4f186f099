//! Markdown that means harm: controls in disguise, depth, size, and anything at random.

use proptest::prelude::*;

use super::*;

/// An entity becomes a character only in the parser, after the text was cleaned.
#[test]
fn entities_bring_no_controls() {
    for (text, expected) in [
        ("a&#27;[2Jb", "a[2Jb\n"),
        ("a&#x1b;]0;x&#7;b", "a]0;xb\n"),
        ("a&#155;2Jb", "a2Jb\n"),
        ("a&#13;b", "a b\n"),
        ("a&#10;b&#9;c", "a b c\n"),
        ("a&#8238;b", "ab\n"),
        ("a&#127;b&#8;c", "abc\n"),
        ("[t](http://x/&#27;[2J)", "t (http://x/)\n"),
        ("![t&#27;](&#27;)", "image: t\n"),
        ("```a&#27;]0;b\nx\n```", "```a0;b\nx\n```\n"),
        ("| &#27;[2J |\n|-|", "| [2J |\n|-----|\n"),
        ("x[^1]\n\n[^1]: &#27;c", "x[^1]\n\n[^1]: c\n"),
        ("# &#27;c", "# c\n"),
        ("`&#27;`", "`&#27;`\n"),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
}

#[test]
fn the_user_may_opt_out_of_the_cleaning() {
    let options = Options { ink: None, width: 40, hazards: Hazards::Pass };
    assert_eq!(render("a\u{1b}[5mb&#27;", &options), "a\u{1b}[5mb\u{1b}\n");
}

/// Ten thousand containers: no stack is used up, and the text is there.
#[test]
fn depth_is_harmless() {
    for text in [
        ">".repeat(10_000) + " deep",
        "- ".repeat(10_000) + "deep",
        "1. ".repeat(10_000) + "deep",
        "> - ".repeat(10_000) + "deep",
        "*".repeat(10_000) + "deep" + &"*".repeat(10_000),
        "[".repeat(10_000) + "deep" + &"](x)".repeat(10_000),
        "![".repeat(10_000) + "deep" + &"](x)".repeat(10_000),
    ] {
        let out = plain(&text);
        assert!(out.replace('\n', "").contains("deep"), "{}", &text[..4]);
        assert!(out.lines().next().is_some_and(|line| display_width(line) <= 40), "{out}");
    }
}

/// Five megabytes of ordinary Markdown, and enough of each suspect that what is quadratic does not
/// come to an end here.
#[test]
fn size_is_harmless() {
    const ORDINARY: &str = "## Title\n\nSome *words* with `code` and a [link](https://x.example).\n\n\
        - one\n- two\n\n> quote\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```rust\nlet x;\n```\n\n";
    for text in [
        ORDINARY.repeat((5 << 20) / ORDINARY.len()),
        "word ".repeat(200_000),
        "x".repeat(1_000_000),
        "漢字".repeat(100_000),
        "| a | b b b |\n|--|--|\n".to_owned() + &"| x | y |\n".repeat(30_000),
        "|a".repeat(20_000) + "|\n" + &"|-".repeat(20_000) + "|\n" + &"|b|\n".repeat(1_000),
        "[a](b) ".repeat(50_000),
        "`a ".repeat(100_000),
        "> a\n\n".repeat(50_000),
        "- a\n".repeat(50_000),
        "*a ".repeat(50_000),
        "[".repeat(100_000),
    ] {
        assert!(!plain(&text).is_empty());
    }
}

/// A table takes two hundred times its size in memory, and a rule a hundred times.
#[test]
fn what_is_too_large_is_shown_as_it_is_written() {
    let table = "|x|y|\n|-|-|\n".to_owned() + &"|x|y|\n".repeat(200_000);
    assert_eq!(plain(&table), table);
    let rules = plain(&"***\n\n".repeat(1_000_000));
    assert!(rules.len() < MAX_OUTPUT + (16 << 20), "{}", rules.len());
    assert!(rules.starts_with("----") && rules.ends_with("\n***\n"), "{}", &rules[..80]);
    // A long text of small blocks is not too large.
    let long = plain(&"## Title\n\n- *one*\n- two\n\n".repeat(20_000));
    assert_eq!(long, "## Title\n\n- *one*\n- two\n\n".repeat(20_000).trim_end().to_owned() + "\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Whatever is rendered, a terminal sees our styles and nothing else to act on.
    #[test]
    fn no_control_comes_out(text in markdown()) {
        let out = plain(&text);
        prop_assert!(!out.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{:?}", out);
        let shown = colored(&text);
        let left = crate::sanitize(&shown.replace('␛', "\u{1b}"), Styles::Strip).into_owned();
        prop_assert!(!left.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        prop_assert!(out.is_empty() || out.ends_with('\n'));
    }

    /// Prose keeps within the width, and all of its letters are there.
    #[test]
    fn lines_fit(words in prop::collection::vec("[a-zäé漢字👍]{1,30}", 1..40), width in 20_usize..60) {
        let text = words.join(" ");
        let out = plain_at(width, &text);
        for line in out.lines() {
            prop_assert!(display_width(line) <= width, "{:?} at {}", line, width);
        }
        let letters = |text: &str| text.replace([' ', '\n'], "");
        prop_assert_eq!(letters(&out), letters(&text));
    }
}

/// Pieces of Markdown, entities and controls in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "# ",
            "> ",
            "- ",
            "1. ",
            "```",
            "`",
            "*",
            "**",
            "~~",
            "[",
            "](",
            ")",
            "|",
            "|-|\n",
            "---",
            "\n",
            "\n\n",
            "    ",
            "<b>",
            "<!--",
            "&#27;",
            "&#155;",
            "&#8238;",
            "&#13;",
            "[^1]",
            "[^1]: ",
            "[x] ",
            "\\",
            "![",
            "<http://x>",
            "\u{1b}[31m",
            "\u{1b}]0;",
            "\u{9b}",
            "\r",
        ])
        .prop_map(str::to_owned),
        "[a-z漢]{1,8} ?",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}
