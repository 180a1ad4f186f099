//! Arguments as people type them.

use super::*;

fn tool() -> ToolDefinition {
    definition(json!({
        "path": { "type": "string" },
        "lines": { "type": "integer", "default": 1 },
        "paths": { "type": "array", "items": { "type": "string" }, "required": false },
        "numbers": { "type": "array", "items": { "type": "integer" }, "required": false },
        "options": { "type": "object", "required": false, "properties": {
            "depth": { "type": "integer", "required": false },
            "a.b": { "type": "string", "required": false },
            "names": { "type": "array", "items": { "type": "string" }, "required": false },
        } },
        "free": { "type": "object", "required": false },
        "how": { "required": false, "oneOf": [
            { "type": "string" }, { "type": "object", "properties": { "from": { "type": "integer" } } } ] },
    }))
}

fn read(definition: &ToolDefinition, words: &[&str]) -> Result<Value, String> {
    let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
    from_words(definition, &words).map(Value::Object).map_err(|error| error.to_string())
}

#[test]
fn words_become_arguments() {
    let check = |words: &[&str], expected: Value| {
        assert_eq!(read(&tool(), words), Ok(expected), "{words:?}");
    };
    check(&[], json!({}));
    check(&["path=a b=c:=d", "lines=5"], json!({ "path": "a b=c:=d", "lines": "5" }));
    check(&["path="], json!({ "path": "" }));
    check(&["lines:=5", "path:=null"], json!({ "lines": 5, "path": null }));
    check(&["src/main.rs"], json!({ "path": "src/main.rs" }));
    check(&["-x", "lines=2"], json!({ "path": "-x", "lines": "2" }));
    check(&["paths=a"], json!({ "paths": ["a"] }));
    check(&["paths=a", "paths=b", "paths:=\"c\""], json!({ "paths": ["a", "b", "c"] }));
    check(&["paths=[\"a\"]"], json!({ "paths": "[\"a\"]" }));
    check(&["paths=[1]"], json!({ "paths": ["[1]"] }));
    check(&["paths=[a-z]"], json!({ "paths": ["[a-z]"] }));
    check(&["paths:=[\"a\"]", "paths=b"], json!({ "paths": ["a", "b"] }));
    check(&["numbers=1", "numbers=2"], json!({ "numbers": ["1", "2"] }));
    check(
        &["options.depth=3", "options.a.b=x", "options.names=n", "options.names=m"],
        json!({ "options": { "depth": "3", "a.b": "x", "names": ["n", "m"] } }),
    );
    check(
        &["options:={\"depth\":1}", "options.a.b=x"],
        json!({ "options": { "depth": 1, "a.b": "x" } }),
    );
    check(
        &["free.a.b:=1", "free.a.c=d", "free.e="],
        json!({ "free": { "a": { "b": 1, "c": "d" }, "e": "" } }),
    );
    check(&["how=x"], json!({ "how": "x" }));
    check(&["how.from=1"], json!({ "how": { "from": "1" } }));
}

#[test]
fn what_was_typed_is_what_the_tool_gets() {
    let definition = tool();
    let words = [
        "a",
        "lines=5",
        "numbers=1",
        "numbers=2",
        "paths=[\"5\"]",
        "options.depth=3",
        "how.from=7",
    ];
    let arguments = read(&definition, &words).unwrap();
    let prepared =
        Validator::new(&definition).unwrap().prepare(arguments.as_object().unwrap().clone());
    insta::assert_snapshot!(Value::Object(prepared.unwrap()), @r#"{"path":"a","lines":5,"numbers":[1,2],"paths":["5"],"options":{"depth":3},"how":{"from":7}}"#);
}

#[test]
fn wrong_words_are_explained() {
    let check = |words: &[&str]| read(&tool(), words).unwrap_err();
    insta::assert_snapshot!(check(&["paht=x"]), @"there is no parameter `paht`; did you mean `path`?");
    insta::assert_snapshot!(check(&["zzzzz=x"]), @"there is no parameter `zzzzz`; there is `path`, `lines`, `paths`, `numbers`, `options`, `free`, `how`");
    insta::assert_snapshot!(check(&["options.detph=x"]), @"there is no parameter `options.detph`; did you mean `options.depth`?");
    insta::assert_snapshot!(check(&["options.=x"]), @"there is no parameter `options.`; there is `options.depth`, `options.a.b`, `options.names`");
    insta::assert_snapshot!(check(&["=x"]), @r#""=x" does not say which argument it is; write `path=x`"#);
    insta::assert_snapshot!(check(&[":=x"]), @r#"":=x" does not say which argument it is; write `path=x`"#);
    insta::assert_snapshot!(check(&["a", "b"]), @"`path` is given twice");
    insta::assert_snapshot!(check(&["lines=1", "lines=2"]), @"`lines` is given twice");
    insta::assert_snapshot!(check(&["path.x=1"]), @"`path` is not an object, so it has no `x`; for an array write `path:=[…]`");
    insta::assert_snapshot!(check(&["paths.0=1"]), @"`paths` is not an object, so it has no `0`; for an array write `paths:=[…]`");
    insta::assert_snapshot!(check(&["how=x", "how.from=1"]), @"`how` is not an object, so it has no `from`; for an array write `how:=[…]`");
    insta::assert_snapshot!(check(&["path:=x"]), @"what follows `path:=` is not JSON (expected value at line 1 column 1); for text write `path=…`");
    insta::assert_snapshot!(check(&["fn main() { let x = 5; }"]), @r#""fn main() { let x = 5; }" does not say which argument it is; write `path=fn main() { let x = 5; }`"#);
    let deep = format!("free{}=1", ".a".repeat(100_000));
    insta::assert_snapshot!(check(&[&deep]), @"`free.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a…` is nested more than 64 levels deep");
    let two = definition(json!({ "from": {}, "to": {} }));
    insta::assert_snapshot!(read(&two, &["x"]).unwrap_err(), @r#""x" does not say which argument it is; write `from=x`"#);
    let none = definition(json!({}));
    insta::assert_snapshot!(read(&none, &["x"]).unwrap_err(), @r#""x" does not say which argument it is; write `key=x`"#);
    insta::assert_snapshot!(read(&none, &["x=1"]).unwrap_err(), @"there is no parameter `x`; there are none");
    // With one required parameter that is an array, every bare word is an element.
    let list = definition(json!({ "files": { "type": "array" } }));
    assert_eq!(read(&list, &["a", "b"]), Ok(json!({ "files": ["a", "b"] })));
}

proptest! {
    #[test]
    fn any_word_is_read_or_refused(words in prop::collection::vec("\\PC{0,6}([.:=]\\PC{0,6}){0,3}", 0..4)) {
        let _ = from_words(&tool(), &words);
    }

    #[test]
    fn a_value_is_taken_as_it_is(value in any::<String>()) {
        let words = [format!("path={value}")];
        let arguments = from_words(&tool(), &words).unwrap();
        prop_assert_eq!(&arguments["path"], &Value::from(value));
    }
}
