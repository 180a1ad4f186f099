//! Lays JSON out over lines.
//!
//! The text is checked by a parser and then laid out token by token, so that what is shown is what
//! was sent: numbers keep all their digits, keys their order, and repeated keys are seen. Neither
//! step recurses. Depth and size are bounded, since indents can make the output far larger than the
//! input; beyond the bounds the text is shown as it came.

use serde_json::value::RawValue;

use super::code;
use crate::color::Ink;

/// Deeper than this, indents have left the screen anyway.
const MAX_DEPTH: usize = 64;

/// More than this is not read by a person.
const MAX_OUTPUT: usize = 16 << 20;

/// `None` where the text is not JSON, or not within bounds.
pub(super) fn render(text: &str, ink: Option<Ink>) -> Option<String> {
    let pretty = pretty(text)?;
    Some(
        ink.and_then(|ink| code::highlight(&pretty, "json", ink, &mut code::Budget::default()))
            .unwrap_or(pretty),
    )
}

fn pretty(text: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(token) = next_token(&mut rest) {
        match token {
            "{" | "[" => {
                out.push_str(token);
                if let Some(close) = rest.trim_start().strip_prefix(['}', ']']) {
                    out.push_str(if token == "{" { "}" } else { "]" });
                    rest = close;
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push_str(token);
                new_line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            value => out.push_str(value),
        }
        if depth > MAX_DEPTH || out.len() > MAX_OUTPUT {
            return None;
        }
    }
    out.push('\n');
    Some(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Takes the next token off text that is known to be JSON.
fn next_token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let length = match text.as_bytes().first()? {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        b'"' => string_length(text),
        _ => text.find([',', ':', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(text.len()),
    };
    let (token, left) = text.split_at(length);
    *rest = left;
    Some(token)
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 072-245: pretty-printed, with nothing changed but the space between tokens.
    #[test]
    fn json_is_laid_out() {
        let text = r#" {"b":[1, 2.50,1e400],"a":{},"c":[ ],"s":"a\"{,:\u001b","n":null,"b":true}"#;
        insta::assert_snapshot!(pretty(text).unwrap(), @r#"
        {
          "b": [
            1,
            2.50,
            1e400
          ],
          "a": {},
          "c": [],
          "s": "a\"{,:\u001b",
          "n": null,
          "b": true
        }
        "#);
    }

    #[test]
    fn bare_values_are_json() {
        for text in ["1", "\"x\"", "null", "[]", "{}", " true "] {
            assert_eq!(pretty(text).unwrap(), format!("{}\n", text.trim()));
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "{", "{a: 1}", "[1,]", "1 2", "\"open", "nul"] {
            assert_eq!(pretty(text), None, "{text}");
        }
    }

    /// A thousand times deeper than a stack could follow, and indents that would fill the memory.
    #[test]
    fn depth_is_bounded() {
        let nested = |depth| "[".repeat(depth) + "1" + &"]".repeat(depth);
        assert!(pretty(&nested(MAX_DEPTH)).is_some());
        assert_eq!(pretty(&nested(MAX_DEPTH + 1)), None);
        assert_eq!(pretty(&nested(1_000_000)), None);
    }

    #[test]
    fn size_is_bounded() {
        let wide = "[".repeat(60) + &"1,".repeat(500_000) + "1" + &"]".repeat(60);
        assert_eq!(pretty(&wide), None);
    }
}
