//! Highlights code by its language.
//!
//! The definitions are decoded once, at the first piece of code that needs them. Highlighting costs
//! a few hundred times more than printing, and a grammar can be driven into its worst case, so one
//! print spends a bounded [`Budget`] on it; what is beyond is shown in one colour. Lines are never
//! wrapped: code is there to be copied.

use std::{fmt::Write as _, sync::OnceLock, time::Duration};

use anstyle::Style;
use rustix::time::{ClockId, clock_gettime};
use syntect::{
    easy::HighlightLines,
    parsing::{SyntaxReference, SyntaxSet},
};

use crate::color::Ink;

/// What one print may spend on highlighting.
pub(super) struct Budget {
    bytes: usize,
    /// Processor time: what others do on the machine takes no colour away.
    time: Duration,
}

/// A line longer than this is data rather than code. Some grammars take time that grows with the
/// square of a line, and nobody looks at the clock inside of one.
const MAX_LINE: usize = 512;

/// What a block costs however short it is, since each starts a grammar from its beginning.
const MIN_COST: usize = 1 << 10;

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 512 << 10, time: Duration::from_secs(2) }
    }
}

/// The code as a block: highlighted where that is possible, and always ended by a newline.
pub(super) fn render(text: &str, language: Option<&str>, ink: Option<Ink>) -> String {
    let highlighted = ink
        .zip(language)
        .and_then(|(ink, language)| highlight(text, language, ink, &mut Budget::default()));
    let mut out = highlighted.unwrap_or_else(|| text.to_owned());
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// The code in colour, each line closing its own styles. `None` where the language is not known or
/// the budget does not cover the text.
pub(super) fn highlight(
    text: &str,
    language: &str,
    ink: Ink,
    budget: &mut Budget,
) -> Option<String> {
    let left = budget.bytes.checked_sub(text.len().max(MIN_COST))?;
    if text.lines().any(|line| line.len() > MAX_LINE) {
        return None;
    }
    let syntax = find_syntax(language)?;
    budget.bytes = left;
    let end = processor_time() + budget.time;

    let mut lines = HighlightLines::new(syntax, ink.theme.definition());
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.split_inclusive('\n') {
        let pieces = lines.highlight_line(line, syntaxes()).ok()?;
        let styled = pieces
            .into_iter()
            .map(|(style, piece)| (ink.style(style), piece.trim_end_matches('\n')));
        write_line(&mut out, styled);
        if line.ends_with('\n') {
            out.push('\n');
        }
        budget.time = end.saturating_sub(processor_time());
        if budget.time.is_zero() {
            return None;
        }
    }
    Some(out)
}

/// How long this thread has worked.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Writes a line with as few changes of style as it takes.
fn write_line<'a>(out: &mut String, pieces: impl Iterator<Item = (Style, &'a str)>) {
    let mut current = Style::new();
    for (style, piece) in pieces {
        if piece.is_empty() {
            continue;
        }
        // Nobody sees the colour of a space, so it keeps the one before.
        if style != current && !piece.trim().is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}{}", current.render_reset(), style.render());
            current = style;
        }
        out.push_str(piece);
    }
    let _ = write!(out, "{}", current.render_reset());
}

fn find_syntax(language: &str) -> Option<&'static SyntaxReference> {
    // A fence may say more than the language, as in `rust,ignore` or `{.python}`.
    let language = language
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '{' | '}'))
        .map(|word| word.trim_start_matches('.'))
        .find(|word| !word.is_empty())?;
    syntaxes()
        .find_syntax_by_token(language)
        .or_else(|| syntaxes().find_syntax_by_token(alias(language)?))
}

/// Names that people write on a fence and the definitions do not know.
fn alias(language: &str) -> Option<&'static str> {
    match language.to_ascii_lowercase().as_str() {
        "console" | "shell" | "shell-session" | "zsh" => Some("sh"),
        "golang" => Some("go"),
        "jsx" => Some("tsx"),
        "docker" => Some("dockerfile"),
        "jsonc" | "json5" | "jsonl" | "ndjson" => Some("json"),
        "csharp" => Some("cs"),
        "fsharp" => Some("fs"),
        "py3" | "python3" => Some("py"),
        "node" | "mjs" | "cjs" => Some("js"),
        _ => None,
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(two_face::syntax::extra_newlines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColorDepth, Theme};

    fn ink(depth: ColorDepth) -> Ink {
        Ink { theme: "Nord".parse::<Theme>().unwrap(), depth }
    }

    fn visible(text: &str) -> String {
        text.replace('\u{1b}', "␛")
    }

    /// 072-247: highlighted by the language.
    #[test]
    fn code_is_highlighted_at_every_depth() {
        let check = |depth| visible(&render("let x = \"a\";", Some("rust"), Some(ink(depth))));
        insta::assert_snapshot!(check(ColorDepth::TrueColor), @r#"␛[38;2;129;161;193mlet␛[0m x ␛[38;2;129;161;193m= ␛[0m␛[38;2;163;190;140m"a"␛[0m␛[38;2;236;239;244m;␛[0m"#);
        insta::assert_snapshot!(check(ColorDepth::Ansi256), @r#"␛[38;5;109mlet␛[0m x ␛[38;5;109m= ␛[0m␛[38;5;144m"a"␛[0m␛[38;5;255m;␛[0m"#);
        insta::assert_snapshot!(check(ColorDepth::Ansi16), @r#"␛[34mlet␛[0m x ␛[34m= ␛[0m␛[32m"a"␛[0m␛[97m;␛[0m"#);
    }

    /// 072-248: accepted without a language. Neither an unknown one nor colour off is an error.
    #[test]
    fn code_without_colors_is_the_text() {
        let colored = Some(ink(ColorDepth::TrueColor));
        for (language, ink) in [
            (None, None),
            (None, colored),
            (Some("rust"), None),
            (Some("no such language"), colored),
            (Some(""), colored),
            (Some(" ,{}"), colored),
        ] {
            assert_eq!(render("let x = 1;", language, ink), "let x = 1;\n", "{language:?}");
            assert_eq!(render("let x = 1;\n", language, ink), "let x = 1;\n", "{language:?}");
            assert_eq!(render("", language, ink), "", "{language:?}");
        }
    }

    #[test]
    fn what_people_write_on_a_fence_is_understood() {
        const NAMES: &str = "
            rust rs Rust rust,ignore {.rust} python py python3 js javascript ts typescript tsx jsx
            json jsonc jsonl yaml yml toml sh bash zsh fish shell console c cpp c++ h cs csharp
            fsharp go golang java kotlin swift ruby rb php perl lua r sql html css scss xml svg
            diff patch dockerfile docker make makefile cmake nix haskell ocaml elixir erlang
            clojure scala julia dart zig markdown md ini graphql proto protobuf terraform hcl
            vim latex tex";
        for language in NAMES.split_whitespace().chain(["rust ignore"]) {
            assert!(find_syntax(language).is_some(), "{language}");
        }
    }

    #[test]
    fn what_is_too_long_keeps_its_text_and_gets_no_color() {
        let ink = ink(ColorDepth::TrueColor);
        let line = "let x = 1;".repeat(MAX_LINE / 10 + 1);
        let large = "let x = 1;\n".repeat(60_000);
        for text in [line, large] {
            assert_eq!(highlight(&text, "rust", ink, &mut Budget::default()), None);
        }
    }

    #[test]
    fn a_budget_is_spent_once() {
        let ink = ink(ColorDepth::TrueColor);
        let mut budget = Budget { bytes: 2 * MIN_COST, ..Budget::default() };
        let mut highlighted = || highlight("x", "rust", ink, &mut budget).is_some();
        assert_eq!([highlighted(), highlighted(), highlighted()], [true, true, false]);
        // The first line takes longer than this, and nothing is left for what comes after it.
        let mut budget = Budget { time: Duration::from_nanos(1), ..Budget::default() };
        for text in ["x", "y"] {
            assert_eq!(highlight(text, "rust", ink, &mut budget), None, "{text}");
            assert!(budget.time.is_zero());
        }
    }

    /// A style that runs over several lines is opened again on each, so that a margin between them
    /// is not painted.
    #[test]
    fn every_line_closes_its_styles() {
        let text = "/* one\ntwo */\n";
        let out = highlight(text, "rust", ink(ColorDepth::Ansi16), &mut Budget::default()).unwrap();
        insta::assert_snapshot!(visible(&out), @"
        ␛[90m/* one␛[0m
        ␛[90mtwo */␛[0m
        ");
    }
}
