//! Splitting a command line into words, as a shell does, without looking into placeholders.
//!
//! `{{…}}`, `{%…%}` and `{#…#}` may hold spaces and quotes of their own and are taken whole, inside
//! quotes as well as outside. Everything else follows the rules of a shell for quotes and
//! backslashes; variables, globs and comments mean nothing here.

/// A line that ends in the middle of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclosed;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// The same for every call.
    Literal(String),
    /// A template.
    Template(String),
}

impl Word {
    /// A word that was written by itself and needs no splitting.
    pub(super) fn whole(text: &str) -> Self {
        if has_template(text) {
            Self::Template(text.to_owned())
        } else {
            Self::Literal(text.to_owned())
        }
    }

    /// The text, where nothing is filled in.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Template(_) => None,
        }
    }

    /// What was written, quotes removed.
    pub(super) fn source(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Template(text) => text,
        }
    }

    /// Whether nothing at all was written.
    pub(super) fn is_empty(&self) -> bool {
        self.source().is_empty()
    }
}

/// Whether there is a placeholder in a text.
pub(super) fn has_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|start| text.contains(start))
}

/// Splits a command line.
pub(super) fn split(line: &str) -> Result<Vec<Word>, Unclosed> {
    split_at(line, |_| false)
}

/// What looks like words without placeholders in the text of a shell. Text that is no words is none.
pub(super) fn shell_literals(line: &str) -> Vec<String> {
    let words = split_at(line, |c| ";|&()<>`".contains(c)).unwrap_or_default();
    words.iter().filter_map(Word::literal).map(str::to_owned).collect()
}

/// The length of the placeholder that the text begins with. One that does not end reaches to the end
/// of the text, for the template's own parser to complain about.
pub(super) fn placeholder(text: &str) -> Option<usize> {
    let close = match text.get(..2)? {
        "{#" => return Some(text.find("#}").map_or(text.len(), |at| at + 2)),
        "{{" => "}}",
        "{%" => "%}",
        _ => return None,
    };
    let mut depth = 0_usize;
    let mut quote = None;
    let mut chars = text.char_indices().skip(2);
    while let Some((at, c)) = chars.next() {
        match quote {
            Some(_) if c == '\\' => drop(chars.next()),
            Some(open) if c == open => quote = None,
            None if depth == 0 && text[at..].starts_with(close) => return Some(at + close.len()),
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '{' => depth += 1,
            None if c == '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Some(text.len())
}

fn split_at(line: &str, is_break: impl Fn(char) -> bool) -> Result<Vec<Word>, Unclosed> {
    let mut words = Words::default();
    let mut quote = Quote::None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = placeholder(rest) {
            words.template(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match (quote, c) {
            (Quote::None | Quote::Single, '\'') => {
                words.begin();
                quote = if quote == Quote::None { Quote::Single } else { Quote::None };
            }
            (Quote::None | Quote::Double, '"') => {
                words.begin();
                quote = if quote == Quote::None { Quote::Double } else { Quote::None };
            }
            (Quote::None | Quote::Double, '\\') => {
                let next = rest.chars().next().ok_or(Unclosed)?;
                rest = &rest[next.len_utf8()..];
                words.escaped(next, quote == Quote::Double);
            }
            (Quote::None, c) if matches!(c, ' ' | '\t' | '\n') || is_break(c) => words.end(),
            (_, c) => words.push(c),
        }
    }
    if quote != Quote::None {
        return Err(Unclosed);
    }
    words.end();
    Ok(words.done)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// The words found so far, and the one that is being read.
#[derive(Debug, Default)]
struct Words {
    done: Vec<Word>,
    current: Option<Current>,
}

/// A word twice: as plain text, and as the source of a template in which the plain text stays plain.
#[derive(Debug, Default)]
struct Current {
    text: String,
    source: String,
    is_template: bool,
}

impl Words {
    fn begin(&mut self) -> &mut Current {
        self.current.get_or_insert_default()
    }

    fn push(&mut self, c: char) {
        let current = self.begin();
        current.text.push(c);
        // A brace that was taken for text must not begin a placeholder with what follows it.
        match c {
            '{' => current.source.push_str("{{'{'}}"),
            c => current.source.push(c),
        }
    }

    /// What follows a backslash. Inside quotes most characters keep the backslash before them.
    fn escaped(&mut self, c: char, in_quotes: bool) {
        match c {
            '\n' => return,
            '$' | '`' | '"' | '\\' => {}
            _ if in_quotes => self.push('\\'),
            _ => {}
        }
        self.push(c);
    }

    fn template(&mut self, placeholder: &str) {
        let current = self.begin();
        current.source.push_str(placeholder);
        current.is_template = true;
    }

    fn end(&mut self) {
        if let Some(Current { text, source, is_template }) = self.current.take() {
            self.done.push(if is_template { Word::Template(source) } else { Word::Literal(text) });
        }
    }
}
