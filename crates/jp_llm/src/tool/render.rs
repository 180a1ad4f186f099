//! Blocks as text, for the model and for the terminal.
//!
//! Text is shown as it is, a resource as a fenced block with the language of its kind, and what cannot
//! be shown as text is named in one line.

use jp_tool::{Blocks, ContentBlock, Resource, ResourceData, ResourceLink};
use serde_json::Value;

use super::mcp::media;

/// All blocks, one below the other, with an empty line between them.
pub fn to_text(content: &Blocks) -> String {
    let mut text = String::new();
    for (index, part) in content.blocks.iter().map(block).enumerate() {
        if index > 0 {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(&part);
    }
    text
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text, mime_type, .. } => match mime_type.as_deref().and_then(language)
        {
            Some(language) => fenced(text, language),
            None => text.clone(),
        },
        ContentBlock::Image { data, mime_type, annotations }
        | ContentBlock::Audio { data, mime_type, annotations } => {
            unshown(mime_type, data, annotations.as_ref())
        }
        ContentBlock::Resource { formatted: Some(text), .. } => text.clone(),
        ContentBlock::Resource { resource, annotations, .. } => {
            resource_text(resource, annotations.as_ref())
        }
        ContentBlock::ResourceLink(ResourceLink { uri, name, .. }) => format!("[{name}: {uri}]"),
        ContentBlock::Question { question } => question.text.clone(),
    }
}

fn resource_text(
    Resource { uri, mime_type, data }: &Resource,
    annotations: Option<&Value>,
) -> String {
    let kind = mime_type.as_deref();
    match data {
        ResourceData::Text(text) => {
            let language = kind.and_then(language).unwrap_or_default();
            format!("{uri}\n{}", fenced(text, language))
        }
        ResourceData::Blob(data) => {
            let kind = kind.unwrap_or("application/octet-stream");
            format!("{uri}\n{}", unshown(kind, data, annotations))
        }
    }
}

/// A fence longer than any in the text, so that the text cannot end it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// What it is, and the file that it was saved to.
fn unshown(kind: &str, base64: &str, annotations: Option<&Value>) -> String {
    let bytes = base64.trim_end_matches('=').len() * 3 / 4;
    match media::file(annotations) {
        Some(file) => format!("[{kind}, {bytes} bytes: {file}]"),
        None => format!("[{kind}, {bytes} bytes]"),
    }
}

/// The language of a MIME type; `None` for plain text. `text/x-rust` and `text/rust` are both in use.
fn language(mime_type: &str) -> Option<&str> {
    let kind = mime_type.split(';').next().unwrap_or_default().trim();
    let (_, name) = kind.split_once('/')?;
    let name = name.strip_prefix("x-").unwrap_or(name);
    let name = name.rsplit_once('+').map_or(name, |(_, suffix)| suffix);
    let is_plain = name == "plain" || name == "octet-stream";
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (!is_plain && is_word && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_kinds() {
        for (kind, expected) in [
            ("text/rust", Some("rust")),
            ("text/x-python; charset=utf-8", Some("python")),
            ("application/ld+json", Some("json")),
            ("text/plain", None),
            ("rust", None),
            ("text/`", None),
        ] {
            assert_eq!(language(kind), expected, "{kind}");
        }
    }

    #[test]
    fn a_text_cannot_end_its_own_fence() {
        assert_eq!(fenced("a", "rust"), "```rust\na\n```");
        assert_eq!(fenced("```\n", ""), "````\n```\n````");
    }

    #[test]
    fn blocks_one_below_the_other() {
        let resource = |data| {
            let kind = Some("text/rust".to_owned());
            ContentBlock::resource(Resource { uri: "file:///a".to_owned(), mime_type: kind, data })
        };
        let blocks = vec![
            ContentBlock::text("one"),
            resource(ResourceData::Text("fn a() {}\n".to_owned())),
            resource(ResourceData::Blob("aGVsbG8=".to_owned())),
        ];
        insta::assert_snapshot!(to_text(&blocks.into()), @r"
        one

        file:///a
        ```rust
        fn a() {}
        ```

        file:///a
        [text/rust, 5 bytes]
        ");
    }
}
