//! What the program says about its tools, and what it does when it only has to say something.

use serde_json::{Value, json};

use crate::support::World;

const TOOLS: [&str; 8] = [
    "fs_read_file",
    "fs_list_files",
    "fs_grep_files",
    "fs_create_file",
    "fs_modify_file",
    "fs_delete_file",
    "fs_move_file",
    "unix_utils",
];

fn schema(world: &World, name: &str, arguments: Value) -> Value {
    world.tool(name).action("schema").run(arguments).value
}

#[test]
fn all_tools_are_described() {
    // D06-044
    let schema = schema(&World::new(&[]), "fs_read_file", json!({}));
    let tools = schema["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in tools {
        let summary = tool["summary"].as_str().unwrap();
        assert!(summary.ends_with('.') && summary.len() < 80, "{summary}");
        for (name, parameter) in tool["parameters"].as_object().unwrap() {
            let described = parameter["summary"].as_str().is_some_and(|text| text.len() > 10);
            assert!(described, "{} {name}: {parameter}", tool["name"]);
        }
    }
}

#[test]
fn every_part_of_an_argument_is_described() {
    let schema = schema(&World::new(&[]), "fs_modify_file", json!({}));
    let edit = &schema["tools"][4]["parameters"]["edits"]["items"]["properties"];
    insta::assert_snapshot!(edit["old"], @r#"{"type":"string","summary":"The text to replace, exactly as it is in the file; with `regex`, a regular expression."}"#);
    insta::assert_snapshot!(edit["all"], @r#"{"type":"boolean","summary":"Replace every occurrence.","default":false}"#);
    insta::assert_snapshot!(schema["tools"][4]["summary"], @r#""Change parts of files.""#);
}

#[test]
fn the_programs_are_listed() {
    let schema = schema(&World::new(&[]), "unix_utils", json!({}));
    let utils = &schema["tools"][7];
    let listed = utils["parameters"]["util"]["enum"].as_array().unwrap();
    for name in listed {
        let described = utils["description"].as_str().unwrap();
        assert!(described.contains(name.as_str().unwrap()), "{name} in {described}");
    }
    assert!(listed.contains(&json!("wc")) && !listed.contains(&json!("sh")));
}

#[test]
fn a_description_runs_nothing() {
    // D06-045
    let world = World::new(&[("a", "a\n")]);
    let before = world.everything();
    for name in TOOLS.into_iter().chain(["no_such_tool"]) {
        let arguments = json!({ "path": "a", "source": "a", "target": "b", "content": "x" });
        assert!(schema(&world, name, arguments)["tools"].is_array());
    }
    assert_eq!(world.everything(), before);
}

#[test]
fn showing_the_arguments_does_nothing_else() {
    // 076-261: with the policy in the context, which nothing is asked of
    let world = World::new(&[("a.txt", "a\n")]);
    let before = world.everything();
    let show = |tool: &str, arguments: Value| {
        let rules = json!([{ "path": "nowhere", "read": true }]);
        world.tool(tool).rules(rules).action("format_arguments").run(arguments).text().to_owned()
    };
    insta::assert_snapshot!(show("fs_create_file", json!({ "path": "n.txt", "content": "x\ny\n" })), @r"
    Create `n.txt`:

    --- /dev/null
    +++ b/n.txt
    @@ -0,0 +1,2 @@
    +x
    +y
    ");
    let edits = json!([{ "old": "a", "new": "b" }, { "old": "^c$", "new": "d", "regex": true, "all": true }]);
    insta::assert_snapshot!(show("fs_modify_file", json!({ "path": "a.txt", "edits": edits })), @r"
    Change `a.txt`:

    --- a/a.txt
    +++ b/a.txt
    @@ -1 +1 @@
    -a
    \ No newline at end of file
    +b
    \ No newline at end of file

    a.txt: /^c$/ → d, everywhere
    ");
    insta::assert_snapshot!(
        show("unix_utils", json!({ "util": "cut", "args": ["-d", " ", "-f1"], "stdin": "a b" })),
        @r#"cut -d " " -f1 < 3 bytes"#
    );
    insta::assert_snapshot!(show("fs_delete_file", json!({ "path": "a.txt" })), @r#"fs_delete_file(path: "a.txt")"#);
    assert_eq!(world.everything(), before);
}

#[test]
fn an_unknown_tool_and_wrong_arguments_are_named() {
    let world = World::new(&[]);
    assert!(world.tool("fs_format_disk").run(json!({})).error().contains("fs_format_disk"));
    for (arguments, expected) in [
        (json!({}), "path"),
        (json!({ "path": 1 }), "path"),
        (json!({ "path": "a", "star_line": 1 }), "star_line"),
        (json!({ "path": "a", "start_line": -1 }), "start_line"),
        (json!({ "path": "a", "start_line": 1.5 }), "start_line"),
    ] {
        let answer = world.tool("fs_read_file").run(arguments.clone());
        assert!(answer.error().contains(expected), "{arguments}: {}", answer.error());
    }
}
