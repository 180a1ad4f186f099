//! A conversation as a document.

use serde_json::json;

use super::*;
use crate::conversation::tests::conversation;

#[test]
fn a_document() {
    let time = "2026-03-18T13:19:05Z";
    let events = [
        json!({ "type": "config_delta", "delta": { "a": 1 } }),
        json!({ "type": "turn_start", "timestamp": time }),
        json!({ "type": "chat_request", "content": "Where is `main`?", "author": "Ada *A*", "schema": {} }),
        json!({ "type": "chat_response", "reasoning": "Hm.\n\nYes." }),
        json!({ "type": "tool_call_request", "id": "1", "name": "fs_grep", "arguments": { "a": "b" } }),
        json!({ "type": "tool_call_response", "id": "1", "content": "```\nc", "is_error": true }),
        json!({ "type": "inquiry_request", "id": "2", "source": "t", "question": { "text": "?" } }),
        json!({ "type": "inquiry_response", "id": "2", "answer": true }),
        json!({ "type": "chat_response", "message": "Here <b>:\n\n```rust\nfn main() {}", "metadata": { "model": "m" } }),
        json!({ "type": "chat_response", "data": 42 }),
        json!({ "type": "hologram", "beam": 1 }),
        json!({ "type": "chat_response" }),
        json!({ "no": "type" }),
    ];
    insta::assert_snapshot!(document(&conversation(Some("A [title]"), events)), @r#"
    # A \[title\]

    Conversation 17127583920 · last used 2026-03-18 13:19 UTC

    ## Before the first turn

    **Settings changed**

    ```json
    {
      "a": 1
    }
    ```

    ## Turn 1 · 2026-03-18 13:19

    ### Ada \*A\*

    Where is `main`?

    Schema:

    ```json
    {}
    ```

    **Reasoning**

    > Hm.
    >
    > Yes.

    **Call of `fs_grep`**

    ```json
    {
      "a": "b"
    }
    ```

    **Error of `fs_grep`**

    ````
    ```
    c
    ````

    **Question of `t`**

    ```json
    {
      "text": "?"
    }
    ```

    **Answer**

    ```json
    true
    ```

    ### Assistant (m)

    Here &lt;b>:

    ```rust
    fn main() {}
    ```

    ### Assistant

    ```json
    42
    ```

    **Unknown event `hologram`**

    ```json
    {
      "beam": 1
    }
    ```

    **Damaged event `chat_response`**

    ```json
    {}
    ```

    **Unknown event**

    ```json
    {
      "no": "type"
    }
    ```
    "#);
}

#[test]
fn an_index_leads_to_every_document() {
    let Conversation { summary, .. } = conversation(None, []);
    let entry =
        Entry { summary, heading: "a ](b) c".into(), turns: 1, file: "1.md".into(), warning: None };
    assert_eq!(index(&[entry]), "# Conversations\n\n- [a \\](b) c](1.md) · 2026-03-18 13:19 UTC\n");
}
