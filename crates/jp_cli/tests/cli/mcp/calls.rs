//! One call: what is sent, what comes back, and how it ends.

use super::*;

const ENVELOPE: &str = r#"{"type":"success","content":"from the envelope"}"#;

/// D31-041, D31-043, D31-044, D31-047: a first call says nothing of jp, and to an older server `_meta` not
/// at all.
#[test]
fn a_plain_call_says_nothing_of_jp() {
    both_eras(|era| {
        let env = served(&script(era, &json!(["echo"])), "");
        let output = run(&env, &["t", "q=hello"]).run().success();
        let sent: Value = serde_json::from_str(output.stdout()).unwrap();
        assert_eq!((&sent["name"], &sent["arguments"]), (&json!("t"), &json!({ "q": "hello" })));
        let meta = sent.get("_meta").cloned().unwrap_or_default();
        assert!(!meta.to_string().contains("computer.jp/tool"), "{era}: {meta}");
        assert!(!meta.to_string().contains("computer.jp/context"), "{era}: {meta}");
        if era == "legacy" {
            assert_eq!(sent.get("_meta"), None);
        }
    });
}

/// D31-033, D31-034, D31-035, D31-037, D31-038, D31-040, D31-041, D31-042, D31-045: options cause both keys to be sent on the first call, in both eras, beside
/// what belongs to the protocol.
#[test]
fn options_reach_the_server_in_both_eras() {
    both_eras(|era| {
        let more = "[conversation.tools.own]\nsource = 'mcp.s.t'\nrun = 'unattended'\noptions = { site = 'x', deep = { a = [1] } }";
        let env = served(&script(era, &json!(["echo"])), more);
        let output = run(&env, &["own", "q=hello"]).run().success();
        let sent: Value = serde_json::from_str(output.stdout()).unwrap();
        let meta = &sent["_meta"];
        let tool = &meta["computer.jp/tool"];
        assert_eq!(tool["name"], "t");
        assert_eq!(tool["arguments"], sent["arguments"]);
        assert_eq!(tool["answers"], json!({}));
        assert_eq!(tool["options"], json!({ "site": "x", "deep": { "a": [1] } }));
        let context = &meta["computer.jp/context"];
        assert_eq!((&context["action"], &context["root"]), (&json!("run"), &json!(env.project())));
        let ours: Vec<_> = meta
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| key.contains("jp"))
            .filter(|key| !key.starts_with("io."))
            .collect();
        assert_eq!(ours, ["computer.jp/tool", "computer.jp/context"], "{era}");
        if era == "modern" {
            assert!(meta.as_object().unwrap().len() > 2, "{meta}");
        }
    });
}

/// D31-001, D31-007, D31-065, and D31-017: nothing had to be configured for it.
#[test]
fn an_envelope_is_unwrapped_and_what_only_looks_like_one_is_not() {
    let look_alike = r#"{"type":"success","content":"x","id":7}"#;
    both_eras(|era| {
        for (body, shown) in [(ENVELOPE, "from the envelope"), (look_alike, look_alike)] {
            let env = served(&script(era, &json!([text(body)])), "");
            let output = run(&env, &["t"]).run().success();
            assert_eq!(output.stdout(), format!("{shown}\n"), "{era}");
        }
    });
}

#[test]
fn errors_are_errors() {
    let mut native = text("no such note");
    native["isError"] = json!(true);
    let env = served(&script("modern", &json!([native])), "");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 1
    --- stderr
    error: no such note
    ");
    let envelope = r#"{"type":"error","message":"no","trace":["because"]}"#;
    let env = served(&script("modern", &json!([text(envelope)])), "");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 1
    --- stderr
    error: no
      because
    ");
    // D31-026: the server contradicts itself, and the person is told.
    let mut both = text(ENVELOPE);
    both["isError"] = json!(true);
    let env = served(&script("modern", &json!([both])), "");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @r#"
    $ jp tool run t
    exit code: 1
    --- stderr
    warning: the server marks the result as an error, and its text says success; it counts as an error
    error: {"type":"success","content":"from the envelope"}
    "#);
}

/// D31-020: as a program's would be.
#[test]
fn a_passing_error_is_tried_again() {
    let busy = text(r#"{"type":"error","message":"busy","transient":true}"#);
    let env = served(&script("modern", &json!([busy, busy, text("there")])), "");
    let output = run(&env, &["t"]).run().success();
    assert_eq!(output.stdout(), "there\n");
    assert_eq!(wire(&env, "tools/call").len(), 3);
    let env = served(
        &script("modern", &json!([busy])),
        "[conversation.tools.own]\nsource = 'mcp.s.t'\nrun = 'unattended'\nretries = 1",
    );
    run(&env, &["own"]).run().code(1);
    assert_eq!(wire(&env, "tools/call").len(), 2);
}

#[test]
fn every_kind_of_block_is_shown() {
    let blocks = json!({ "content": [
        { "type": "text", "text": "one" },
        { "type": "image", "data": "aGVsbG8=", "mimeType": "image/png" },
        { "type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "file:///a.rs", "mimeType": "text/rust", "text": "fn a() {}" } },
        { "type": "resource", "resource": { "uri": "file:///b", "blob": "aGVsbG8=" } },
        { "type": "resource_link", "uri": "file:///c", "name": "c" },
        { "type": "hologram" },
    ], "structuredContent": { "not": "shown" } });
    let env = served(&script("modern", &json!([blocks])), "");
    let output = run(&env, &["t"]).run().success();
    insta::assert_snapshot!(env.normalizer().apply(output.stdout()), @"
    one

    [image/png, 5 bytes: $HOME/.cache/jp/mcp/media/2cf24dba5fb0a30e26e83b2ac5b9e29e.png]

    [audio/wav, 5 bytes: $HOME/.cache/jp/mcp/media/2cf24dba5fb0a30e26e83b2ac5b9e29e.wav]

    file:///a.rs
    ```rust
    fn a() {}
    ```

    file:///b
    [application/octet-stream, 5 bytes: $HOME/.cache/jp/mcp/media/2cf24dba5fb0a30e26e83b2ac5b9e29e.bin]

    [c: file:///c]

    [block 7 of the answer could not be delivered: unknown variant `hologram`, expected one of `text`, `image`, `audio`, `resource`, `resource_link`, `question`]
    ");
    let saved = env.cache_home().join("jp/mcp/media/2cf24dba5fb0a30e26e83b2ac5b9e29e.png");
    assert_eq!(env.read(&saved), "hello");
    // Programs get the blocks themselves.
    let output = run(&env, &["t", "--format", "json"]).run().success();
    assert_eq!(json(&output)["content"][1]["data"], "aGVsbG8=");
    let only = json!({ "content": [], "structuredContent": { "a": [1] } });
    let env = served(&script("modern", &json!([only])), "");
    insta::assert_snapshot!(run(&env, &["t"]).run().success().stdout(), @r#"
    ```json
    {
      "a": [
        1
      ]
    }
    ```
    "#);
}

#[test]
fn what_a_link_leads_to_is_shown_behind_it() {
    let link = |uri: &str| json!({ "type": "resource_link", "uri": uri, "name": "it" });
    let uris = ["note:a", "note:gone", "https://example.org/a", "note:large", "note:b"];
    let answer = json!({ "content": uris.map(link) });
    both_eras(|era| {
        let mut script = script(era, &json!([answer]));
        let large = "x".repeat(300 << 10);
        script["resources"] = json!({ "note:a": "first", "note:b": "second", "note:large": large });
        let env = served(&script, "");
        let output = run(&env, &["t"]).run().success();
        insta::allow_duplicates! {
            insta::assert_snapshot!(output.stdout(), @"
            [it: note:a]

            note:a
            ```
            first
            ```

            [it: note:gone]

            [it: https://example.org/a]

            [it: note:large]

            [it: note:b]

            note:b
            ```
            second
            ```
            ");
        }
        let warning = "`note:large` is too large to be shown with its link";
        assert!(output.stderr().contains(warning), "{output}");
        let asked = wire(&env, "resources/read");
        let asked: Vec<_> = asked.iter().map(|params| params["uri"].as_str().unwrap()).collect();
        assert_eq!(asked, ["note:a", "note:gone", "note:large", "note:b"]);
    });
    // Not all of a long list.
    let many: Vec<_> = (0..20).map(|number| link(&format!("note:{number}"))).collect();
    let env = served(&script("modern", &json!([{ "content": many }])), "");
    run(&env, &["t"]).run().success();
    assert_eq!(wire(&env, "resources/read").len(), 5);
}

#[test]
fn arguments_are_checked_before_the_server_sees_them() {
    let env = served(&script("modern", &json!(["echo"])), "");
    let output = run(&env, &["t", "--json", r#"{"q": [1]}"#]).run().code(2);
    assert!(output.stderr().contains("`q`"), "{output}");
    assert!(wire(&env, "tools/call").is_empty());
}

#[test]
fn a_server_that_dies_is_an_error_with_its_last_words() {
    let env = served(&script("modern", &json!([{ "exit": 3 }])), "");
    let output = run(&env, &["t"]).run().code(1);
    assert!(output.stderr().contains("out of ideas"), "{output}");
    // It may have done what it was asked before it died.
    assert_eq!(wire(&env, "tools/call").len(), 1);
}

#[test]
fn changes_of_a_server_cannot_be_shown_first() {
    let env = served(&script("modern", &json!(["echo"])), "");
    run(&env, &["t", "--dry-run"]).run().code(4);
    assert!(wire(&env, "tools/call").is_empty());
}

/// One process for all calls, or one for each.
#[test]
fn a_server_without_a_state_gets_a_process_for_each_call() {
    let steps = json!([text("first"), text("second")]);
    let env = served(&script("modern", &steps), "");
    env.write(
        ".jp/config.toml",
        env.read(".jp/config.toml").replace("[conversation", "stateful = false\n[conversation"),
    );
    allow(&env, &["s"]);
    assert_eq!(run(&env, &["t"]).run().success().stdout(), "first\n");
    assert!(wire(&env, "server/discover").len() >= 2);
}

/// The era is remembered: an older server is probed once.
#[test]
fn an_older_server_is_recognized_the_next_time() {
    let env = served(&script("legacy", &json!(["echo"])), "");
    run(&env, &["t"]).run().success();
    assert_eq!(wire(&env, "server/discover").len(), 1);
    run(&env, &["t"]).run().success();
    assert_eq!(wire(&env, "server/discover").len(), 1);
    assert_eq!(wire(&env, "initialize").len(), 2);
}

/// What the configuration changes of a tool, it changes in the same way whoever described the tool.
#[test]
fn overrides_make_the_same_of_a_server_and_of_a_program() {
    // D06-025
    let parameters = json!({
        "path": { "type": "string", "description": "The file." },
        "count": { "type": "integer", "default": 1, "minimum": 1 },
        "mode": { "type": "string", "enum": ["fast", "slow"] },
    });
    let own = json!({
        "path": { "type": "string", "summary": "The file.", "required": true },
        "count": { "type": "integer", "default": 1, "minimum": 1 },
        "mode": { "type": "string", "enum": ["fast", "slow"], "required": false },
    });
    let schema = json!({ "type": "object", "properties": parameters, "required": ["path"] });
    let script = json!({
        "era": "modern",
        "tools": [{ "name": "t", "description": "Tries it.", "inputSchema": schema }],
        "calls": { "t": [text("x")] },
    });
    let described =
        json!({ "tools": [{ "name": "t", "summary": "Tries it.", "parameters": own }] });
    for overrides in [
        "",
        "summary = 'S'",
        "description = 'D'",
        "parameters.path.summary = 'Which file.'",
        "parameters.count.default = 3",
        "parameters.count = { summary = 'How often.', default = 2 }",
        "parameters.mode.default = 'slow'",
    ] {
        let entry = |name: &str, source: &str| {
            format!("[conversation.tools.{name}]\nsource = '{source}'\n{overrides}\n")
        };
        let own = format!("{}command = 'cat described.json'\n", entry("own", "local"));
        let env = served(&script, &(entry("theirs", "mcp.s.t") + &own));
        env.write("described.json", described.to_string());
        let shown = |name: &str| {
            let shown = json(&env.jp(["--format", "json", "tool", "show", name]).run().success());
            let takes = &shown["parameters"];
            let texts = ["summary", "description", "examples"].map(|key| shown[key].clone());
            let overridden = shown["origins"]["parameters"].as_object().unwrap().values();
            let overridden: Vec<_> = overridden.map(|from| from["overridden"].clone()).collect();
            (texts, takes["properties"].clone(), takes["required"].clone(), overridden)
        };
        assert_eq!(shown("theirs"), shown("own"), "{overrides}");
    }
}
