//! As much of Rust as is needed to see where the tests of a source file are.
//!
//! No parser: comments and literals are blanked, and what is left is searched for
//! attributes and counted braces. That also sees tests inside macro calls, such as
//! those of property tests, which a syntax tree would hide.

use std::ops::Range;

/// The parts of a source file that are tests.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// Test functions with their comments and attributes.
    tests: Vec<(String, Range<usize>)>,
    /// Bodies of modules that are compiled for tests only.
    test_modules: Vec<Range<usize>>,
    /// Names of modules that are compiled for tests only and have their own file.
    pub(crate) test_module_files: Vec<String>,
}

impl Regions {
    /// The test function that a place is in.
    pub(crate) fn test_at(&self, at: usize) -> Option<&str> {
        let test = self.tests.iter().find(|(_, span)| span.contains(&at))?;
        Some(&test.0)
    }

    pub(crate) fn in_test_module(&self, at: usize) -> bool {
        self.test_modules.iter().any(|span| span.contains(&at))
    }
}

/// Finds the tests of a source file.
pub(crate) fn regions(source: &str) -> Regions {
    let code = blank(source);
    let mut regions = Regions::default();
    let mut from = 0;
    while let Some(start) = code[from..].find("#[").map(|at| from + at) {
        let end = closing(&code, start + 1);
        from = end;
        match code.get(start + 2..end - 1).unwrap_or_default() {
            attribute if is_test(attribute) => {
                if let Some((name, body)) = item(&code, end, "fn") {
                    let span = with_comments(source, start)..closing(&code, body);
                    regions.tests.push((name.to_owned(), span));
                }
            }
            attribute if is_cfg_test(attribute) => match item(&code, end, "mod") {
                Some((name, at)) if code[at..].starts_with(';') => {
                    regions.test_module_files.push(name.to_owned());
                }
                Some((_, body)) => regions.test_modules.push(body..closing(&code, body)),
                None => {}
            },
            _ => {}
        }
    }
    regions
}

/// The source with everything inside comments, strings and characters replaced by
/// blanks. Every other byte stays where it is.
pub(crate) fn blank(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    while out.len() < source.len() {
        let at = out.len();
        let hidden = hidden_len(source, at);
        if hidden == 0 {
            out.extend(source[at..].chars().next());
            continue;
        }
        let bytes = source.as_bytes()[at..at + hidden].iter();
        out.extend(bytes.map(|byte| if *byte == b'\n' { '\n' } else { ' ' }));
    }
    out
}

/// Length of the comment or literal that begins here, 0 if none does.
fn hidden_len(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_len(rest);
    }
    if rest.starts_with('"') {
        return quoted_len(rest, '"');
    }
    if rest.starts_with('\'') {
        // A character ends after one character or an escape; a lifetime does not.
        let mut chars = rest.chars().skip(1);
        let escape = chars.next() == Some('\\');
        return if escape || chars.next() == Some('\'') { quoted_len(rest, '\'') } else { 0 };
    }
    let in_word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let raw = ["r", "br", "cr"].iter().find_map(|prefix| {
        let hashes = rest.strip_prefix(prefix)?;
        let text = hashes.trim_start_matches('#').strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes.len() - text.len() - 1));
        let len = text.find(&end).map_or(text.len(), |found| found + end.len());
        Some(rest.len() - text.len() + len)
    });
    raw.filter(|_| !in_word).unwrap_or(0)
}

/// Block comments nest.
fn block_comment_len(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `test`, `tokio::test`, `test(…)`.
fn is_test(attribute: &str) -> bool {
    let path = attribute.split(['(', '=']).next().unwrap_or_default();
    path.trim().rsplit("::").next() == Some("test")
}

fn is_cfg_test(attribute: &str) -> bool {
    let condition = attribute.trim().strip_prefix("cfg(");
    let mut words = condition.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
    words.clone().any(|word| word == "test") && words.all(|word| word != "not")
}

/// The name of the item of this kind that the attribute ending at `at` belongs to, and
/// where its body or its semicolon is. Other attributes may come in between.
fn item<'code>(code: &'code str, mut at: usize, kind: &str) -> Option<(&'code str, usize)> {
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            break;
        }
        at = closing(code, at + 1);
    }
    let end = body(code, at)?;
    let head = &code[at..end];
    let mut words = head.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    let name = words.find(|word| word.trim_end() == kind).and_then(|_| words.next())?;
    Some((name.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_'), end))
}

/// The brace or semicolon that ends the head of an item; those in parentheses and
/// brackets, as in `[u8; 3]`, belong to the head.
fn body(code: &str, mut at: usize) -> Option<usize> {
    loop {
        at += code[at..].find(['(', '[', '{', ';'])?;
        if code[at..].starts_with(['{', ';']) {
            return Some(at);
        }
        at = closing(code, at);
    }
}

/// The end of what the bracket at `at` opens, all kinds of brackets being counted.
fn closing(code: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

/// Where the comments and attributes directly above a place begin.
fn with_comments(source: &str, at: usize) -> usize {
    let mut start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    while let Some(above) = source[..start].strip_suffix('\n') {
        let line = above.rfind('\n').map_or(0, |end| end + 1);
        let text = above[line..].trim_start();
        if !text.starts_with("//") && !text.starts_with("#[") {
            break;
        }
        start = line;
    }
    start
}

#[cfg(test)]
mod tests;
