//! Code, highlighted by classes.
//!
//! A grammar gives every piece of code a stack of scopes, hundreds of names in all. A page needs a dozen
//! colors, so the innermost scope that says something chooses one short class; that keeps a page small
//! and its style readable. A grammar can be driven into its worst case, so long texts and long lines are
//! not highlighted.

use std::sync::OnceLock;

use maud::{Escaper, Markup, PreEscaped, html};
use syntect::{
    easy::ScopeRegionIterator,
    parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet},
};

/// A text longer than this is not highlighted.
const LONGEST_TEXT: usize = 1 << 20;

/// A line longer than this is data rather than code, and some grammars take time that grows with its
/// square.
const LONGEST_LINE: usize = 4 << 10;

/// Code as a block. The language is what people write on a fence; one that is not known has no colors.
pub fn code(language: Option<&str>, text: &str) -> Markup {
    let name = language.and_then(word);
    let highlighted = name.and_then(find_syntax).and_then(|syntax| highlight(syntax, text));
    html! {
        pre.code data-language=[name] tabindex="0" {
            code { @match highlighted {
                Some(markup) => (markup),
                None => (text),
            } }
        }
    }
}

/// Does what the first piece of code would wait for: reads the definitions, and compiles some that
/// stand in most conversations. A server has time for it before anybody asks.
pub fn prepare() {
    for (language, text) in USUAL {
        drop(code(Some(language), text));
    }
}

/// A piece of code in some languages that stand in most conversations.
const USUAL: [(&str, &str); 3] = [
    ("json", "{\n  \"a\": [1.5, true, null, \"b\\n\"]\n}\n"),
    ("rust", "/// A\npub fn a<T>(b: &str) -> u32 { let c = vec![1]; c.len() } // d\n"),
    ("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-c\n+d\n"),
];

/// The first word on a fence, which may say more than the language: `rust,ignore` or `{.python}`.
fn word(fence: &str) -> Option<&str> {
    fence
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '{' | '}'))
        .map(|word| word.trim_start_matches('.'))
        .find(|word| !word.is_empty())
}

fn highlight(syntax: &SyntaxReference, text: &str) -> Option<Markup> {
    if text.len() > LONGEST_TEXT || text.lines().any(|line| line.len() > LONGEST_LINE) {
        return None;
    }
    let mut out = Spans::default();
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    for line in text.split_inclusive('\n') {
        let operations = state.parse_line(line, syntaxes()).ok()?;
        for (piece, operation) in ScopeRegionIterator::new(&operations, line) {
            stack.apply(operation).ok()?;
            out.push(class(stack.as_slice()), piece);
        }
    }
    Some(out.finish())
}

/// Pieces of text in spans, as few as it takes.
#[derive(Default)]
struct Spans {
    html: String,
    class: &'static str,
}

impl Spans {
    fn push(&mut self, class: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        // Nobody sees the color of a space, so it keeps the one before.
        if class != self.class && !text.trim().is_empty() {
            self.close();
            if !class.is_empty() {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
            }
            self.class = class;
        }
        escape(&mut self.html, text);
    }

    fn close(&mut self) {
        if !self.class.is_empty() {
            self.html.push_str("</span>");
        }
    }

    fn finish(mut self) -> Markup {
        self.close();
        PreEscaped(self.html)
    }
}

/// Appends text so that it stays text.
pub(crate) fn escape(html: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = std::fmt::Write::write_str(&mut Escaper::new(html), text);
}

/// Scopes and the class of what they are about. The first that fits counts, so the narrower come first.
const CLASSES: &[(&str, &str)] = &[
    // Code in a string is no string.
    ("meta.interpolation", ""),
    ("meta.template.expression", ""),
    ("comment", "hc"),
    ("punctuation.definition.comment", "hc"),
    ("constant.character.escape", "he"),
    ("constant.other.placeholder", "he"),
    ("constant.numeric", "hn"),
    ("constant", "hn"),
    ("string", STRING),
    ("keyword.operator", "ho"),
    ("keyword", "hk"),
    ("storage", "hk"),
    ("variable.language", "hk"),
    ("entity.name.function", "hf"),
    ("support.function", "hf"),
    ("support.macro", "hf"),
    ("entity.name.macro", "hf"),
    ("variable.function", "hf"),
    ("entity.name.tag", "hk"),
    ("entity.other.attribute-name", NAME),
    ("support.type.property-name", NAME),
    ("entity.name.section", "ht"),
    ("entity.name", "ht"),
    ("entity.other.inherited-class", "ht"),
    ("support.type", "ht"),
    ("support.class", "ht"),
    ("markup.inserted", "hi"),
    ("markup.deleted", "hd"),
    ("markup.heading", "ht"),
    ("meta.diff", "hc"),
];

const STRING: &str = "hs";
const NAME: &str = "ha";

fn class(stack: &[Scope]) -> &'static str {
    static TABLE: OnceLock<Vec<(Scope, &'static str)>> = OnceLock::new();
    static KEY: OnceLock<Option<Scope>> = OnceLock::new();
    // A scope that cannot be built has more parts than the library knows, and ours have three.
    let table = TABLE.get_or_init(|| {
        let scope = |(name, class): &(&str, &'static str)| Some((Scope::new(name).ok()?, *class));
        CLASSES.iter().filter_map(scope).collect()
    });
    let key = KEY.get_or_init(|| Scope::new("meta.mapping.key").ok());
    let of = |(index, scope): (usize, &Scope)| {
        let (_, class) = table.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope))?;
        // The key of an object is a string too, and yet a name.
        let around = index.checked_sub(1).and_then(|index| stack.get(index));
        let is_key = around.zip(*key).is_some_and(|(around, key)| key.is_prefix_of(*around));
        Some(if *class == STRING && is_key { NAME } else { *class })
    };
    stack.iter().enumerate().rev().find_map(of).unwrap_or("")
}

fn find_syntax(language: &str) -> Option<&'static SyntaxReference> {
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

/// The definitions, decoded at the first piece of code that needs them.
fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(two_face::syntax::extra_newlines)
}

#[cfg(test)]
mod tests;
