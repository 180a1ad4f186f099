//! Code, highlighted by classes.
//!
//! A grammar gives every piece of code a stack of scopes, hundreds of names in all. A page needs a dozen
//! colors, so the innermost scope that says something chooses one short class; that keeps a page small
//! and its style readable. A grammar can be driven into its worst case, so long texts and long lines are
//! not highlighted, and the rest only as long as there is time: see [`Budget`].

use std::sync::OnceLock;

use maud::{Escaper, Markup, PreEscaped, html};
use syntect::{
    easy::ScopeRegionIterator,
    parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet},
};

use crate::budget::Budget;

/// A text longer than this is not highlighted.
const LONGEST_TEXT: usize = 1 << 20;

/// A line longer than this is data rather than code. Some grammars take time that grows with its square
/// or cube, and no line can be interrupted: one of this length takes half a second at worst (Less, of
/// `a-a-a-…`), and one of five hundred bytes takes several.
const LONGEST_LINE: usize = 200;

/// The same for grammars whose time grows with the length: this takes ten milliseconds at worst, and texts
/// in JSON are long.
const LONGEST_LINE_OF_QUICK: usize = 4 << 10;
const QUICK: [&str; 2] = ["JSON", "Diff"];

/// Code as a block. The language is what people write on a fence; one that is not known has no colors, and
/// neither has what there is no time for.
pub fn code(language: Option<&str>, text: &str, budget: &Budget<'_>) -> Markup {
    let name = language.and_then(word);
    let highlighted = name.and_then(find_syntax).and_then(|syntax| highlight(syntax, text, budget));
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
        drop(code(Some(language), text, &Budget::endless()));
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

fn highlight(syntax: &SyntaxReference, text: &str, budget: &Budget<'_>) -> Option<Markup> {
    if text.len() > LONGEST_TEXT {
        return None;
    }
    let is_quick = QUICK.contains(&syntax.name.as_str());
    let longest = if is_quick { LONGEST_LINE_OF_QUICK } else { LONGEST_LINE };
    let block = budget.block();
    let mut out = Spans::default();
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    let mut rest = text;
    while let Some(line) = rest.split_inclusive('\n').next()
        && !block.is_over()
    {
        rest = &rest[line.len()..];
        // What follows is colored as if a long line were not there, which is right for most: a long text
        // in JSON, or a line of data.
        if line.len() > longest {
            out.push("", line);
            continue;
        }
        let operations = state.parse_line(line, syntaxes()).ok()?;
        for (piece, operation) in ScopeRegionIterator::new(&operations, line) {
            stack.apply(operation).ok()?;
            out.push(class(stack.as_slice()), piece);
        }
    }
    out.push("", rest);
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
