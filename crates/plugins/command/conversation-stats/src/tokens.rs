//! Tokens, where the metadata of an answer has them.
//!
//! There is no rule for metadata, so the usual names are looked for: `usage` or `tokens` or the metadata
//! itself, with `input_tokens` and `output_tokens`, `prompt_tokens` and `completion_tokens`, or `input` and
//! `output`.

use serde_json::{Map, Value};

/// Names of what went in, and of what came out.
const INPUT: [&str; 3] = ["input_tokens", "prompt_tokens", "input"];
const OUTPUT: [&str; 3] = ["output_tokens", "completion_tokens", "output"];

/// What went in and what came out; none where neither is known.
pub(crate) fn tokens(metadata: &Map<String, Value>) -> Option<(u64, u64)> {
    let inner = ["usage", "tokens"].into_iter().find_map(|name| metadata.get(name)?.as_object());
    let fields = inner.unwrap_or(metadata);
    let number = |names: [&str; 3]| names.into_iter().find_map(|name| fields.get(name)?.as_u64());
    match (number(INPUT), number(OUTPUT)) {
        (None, None) => None,
        (input, output) => Some((input.unwrap_or(0), output.unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usual_names_are_known() {
        let check = |metadata: Value, want: Option<(u64, u64)>| {
            assert_eq!(tokens(metadata.as_object().unwrap()), want, "{metadata}");
        };
        check(json!({ "usage": { "input_tokens": 1, "output_tokens": 2 } }), Some((1, 2)));
        check(json!({ "usage": { "prompt_tokens": 1, "completion_tokens": 2 } }), Some((1, 2)));
        check(json!({ "tokens": { "input": 1 } }), Some((1, 0)));
        check(json!({ "output_tokens": 2 }), Some((0, 2)));
        check(json!({ "model": "m" }), None);
        check(json!({ "usage": { "input_tokens": "many" } }), None);
        check(json!({ "usage": { "input_tokens": -1, "output_tokens": 1.5 } }), None);
    }
}
