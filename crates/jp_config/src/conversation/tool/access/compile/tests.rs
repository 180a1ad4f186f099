//! From layers of text to a policy, with real directories where the canonical form needs them.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::symlink};

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use super::*;
use crate::Layer;

struct Workspace {
    _temp: tempfile::TempDir,
    root: Utf8PathBuf,
}

fn workspace() -> Workspace {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::try_from(temp.path().canonicalize().unwrap()).unwrap();
    Workspace { _temp: temp, root }
}

const SOURCE: &str = "[conversation.tools.t]\nsource = \"local\"\ncommand = \"t\"\n";

/// The compiled policy of tool `t`, or all that is wrong, from layers `a.toml`, `b.toml`, …
fn compile(root: &Utf8Path, layers: &[&str]) -> Result<ToolPolicy, String> {
    let named =
        layers.iter().zip('a'..).map(|(text, name)| Layer::file(format!("{name}.toml"), *text));
    let config = Config::load(named.collect()).map_err(|errors| errors.to_string())?;
    let policies = config.policies(root).map_err(|errors| errors.to_string())?;
    Ok(policies.get("t").cloned().unwrap_or_default())
}

fn rules(layers: &[&str]) -> String {
    let all: Vec<&str> = [SOURCE].iter().chain(layers).copied().collect();
    let compiled = compile(&workspace().root, &all).unwrap();
    serde_json::to_string(&compiled.policy).unwrap()
}

fn refusal(layers: &[&str]) -> String {
    compile(&workspace().root, layers).unwrap_err()
}

#[test]
fn every_kind_of_rule_has_its_documented_shape() {
    // 076-001 to 076-004, 076-044, 076-232
    let text = r#"
        [[conversation.tools.t.access.fs]]
        path = "src"
        read = true
        write = true
        delete = false
        [[conversation.tools.t.access.net]]
        host = "API.GitHub.com."
        scheme = "https"
        port = 8443
        path_prefix = "/repos"
        allow = true
        [[conversation.tools.t.access.env]]
        name = "AWS_*"
        read = true
        [conversation.tools.t.access.commands.cargo]
        args = [["check", "**"]]
        envs = ["HOME"]
    "#;
    assert_snapshot!(rules(&[text]), @r#"{"fs":[{"path":"src","read":true,"create":true,"update":true}],"net":[{"host":"api.github.com","scheme":"https","port":8443,"path_prefix":"/repos","allow":true}],"env":[{"name":"AWS_*","read":true}],"commands":{"cargo":{"args":[["check","**"]],"envs":["HOME"]}}}"#);
}

#[test]
fn layers_build_the_lists_together() {
    // 076-052, 076-053, 076-057
    let a = "[[conversation.tools.t.access.fs]]\npath = \".\"\nread = true\n";
    let b = "[[conversation.tools.t.access.fs]]\npath = \".config/jp/tools\"\nread = true\nwrite = true\n";
    let both = r#"{"fs":[{"path":".","read":true},{"path":".config/jp/tools","read":true,"create":true,"update":true,"delete":true}],"net":[],"env":[]}"#;
    assert_eq!(rules(&[a, b]), both);
    let value = r#"value = [{ path = ".config/jp/tools", read = true, write = true }]"#;
    let with = |strategy: &str| {
        format!("[conversation.tools.t.access.fs]\nstrategy = \"{strategy}\"\n{value}\n")
    };
    assert_eq!(rules(&[a, &with("append")]), both);
    // 076-054, 076-055
    let only = r#"{"fs":[{"path":".config/jp/tools","read":true,"create":true,"update":true,"delete":true}],"net":[],"env":[]}"#;
    assert_eq!(rules(&[a, &with("replace")]), only);
    // 076-058
    let swapped = r#"{"fs":[{"path":".config/jp/tools","read":true,"create":true,"update":true,"delete":true},{"path":".","read":true}],"net":[],"env":[]}"#;
    assert_eq!(rules(&[a, &with("prepend")]), swapped);
    // 076-059
    assert_eq!(rules(&[a, b, &with("dedup")]), both);
}

#[test]
fn the_three_lists_are_merged_apart() {
    // 076-056, 076-060, 076-061
    let a = r#"
        [conversation.tools.t.access]
        fs = [{ path = "a", read = true }]
        net = [{ host = "a.example", allow = true }]
        env = [{ name = "A", read = true }]
    "#;
    let b = r#"
        [conversation.tools.t.access]
        fs = { strategy = "replace", value = [{ path = "b" }] }
        net = [{ host = "b.example" }]
    "#;
    assert_eq!(
        rules(&[a, b]),
        r#"{"fs":[{"path":"b"}],"net":[{"host":"a.example","allow":true},{"host":"b.example","allow":false}],"env":[{"name":"A","read":true}]}"#,
    );
    let c = "[conversation.tools.t.access]\nnet = { strategy = \"replace\", value = [] }\n";
    let d = "[conversation.tools.t.access]\nenv = { strategy = \"prepend\", value = [{ name = \"B\" }] }\n";
    assert_eq!(
        rules(&[a, c, d]),
        r#"{"fs":[{"path":"a","read":true}],"net":[],"env":[{"name":"B","read":false},{"name":"A","read":true}]}"#,
    );
}

#[test]
fn what_is_emptied_is_not_declared_any_more() {
    // 076-032, 076-033
    let a = "[[conversation.tools.t.access.fs]]\npath = \"src\"\n";
    let b = "[conversation.tools.t.access]\nfs = { strategy = \"replace\", value = [] }\n";
    let compiled = compile(&workspace().root, &[SOURCE, a, b]).unwrap();
    assert!(compiled.policy.can_execute("anything".into()));
}

#[test]
fn both_names_of_the_table_give_the_same_policy() {
    // 076-009
    let rule = "access.fs]]\npath = \"src\"\nread = true\n";
    let alias = format!("[tools.t]\nsource = \"local\"\n[[tools.t.{rule}");
    let root = workspace();
    let canonical =
        format!("[conversation.tools.t]\nsource = \"local\"\n[[conversation.tools.t.{rule}");
    let policy = |text: &str| compile(&root.root, &[text]).unwrap().policy;
    assert_eq!(policy(&alias), policy(&canonical));
}

#[test]
fn a_tool_without_rules_has_no_policy_and_others_do_not_matter() {
    // 076-014, 076-015
    let other = "[conversation.tools.o]\nsource = \"local\"\n[[conversation.tools.o.access.fs]]\npath = \"x\"\n";
    let config = Config::load(vec![Layer::file("a", SOURCE), Layer::file("b", other)]).unwrap();
    let policies = config.policies(&workspace().root).unwrap();
    assert!(policies.get("t").is_none() && policies.get("o").is_some());
}

#[test]
fn wrong_rules_are_refused_with_their_place() {
    let rule = |list: &str, rule: &str| {
        refusal(&[SOURCE, &format!("[[conversation.tools.t.access.{list}]]\n{rule}\n")])
    };
    // 076-005 to 076-007
    assert_snapshot!(rule("fs", "read = true"), @"b.toml:1:1: `conversation.tools.t.access.fs` has no `path`");
    assert_snapshot!(rule("net", "allow = true"), @"b.toml:1:1: `conversation.tools.t.access.net` has no `host`");
    assert_snapshot!(rule("env", "read = true"), @"b.toml:1:1: `conversation.tools.t.access.env` has no `name`");
    // 076-008
    assert_snapshot!(rule("fs", "path = \".\"\nread = \"yes\""), @"b.toml:3:8: `conversation.tools.t.access.fs[0].read` must be a boolean, found a string");
    assert_snapshot!(rule("net", "host = \"h\"\nport = 70000"), @"b.toml:3:8: `conversation.tools.t.access.net[0].port` must be an integer from 0 to 65535, found 70000");
    // 076-126, 076-127
    assert_snapshot!(rule("fs", "path = \"../x\""), @"b.toml:1:1: `conversation.tools.t.access.fs[0]`: path escapes the workspace: ../x");
    assert_snapshot!(rule("fs", "path = \"/etc\""), @"b.toml:1:1: `conversation.tools.t.access.fs[0]`: path is outside the workspace: /etc");
    // 076-169, 076-170
    assert_snapshot!(rule("net", "host = \"a b\""), @r#"b.toml:1:1: `conversation.tools.t.access.net[0]`: not a host: "a b": invalid international domain name; write a domain or an address"#);
    assert_snapshot!(rule("net", "host = \"*.github.com\""), @"b.toml:1:1: `conversation.tools.t.access.net[0]`: wildcards are not supported in a host: *.github.com; write one rule for each host");
    // 076-218
    assert_snapshot!(rule("env", "name = \"A*B\""), @r#"b.toml:1:1: `conversation.tools.t.access.env[0]`: `*` can only be the last character of a variable name: "A*B""#);
    assert_snapshot!(rule("files", "path = \".\""), @"b.toml:1:31: unknown key `files` in `conversation.tools.t.access`");
}

#[test]
fn paths_are_compiled_to_where_they_lead() {
    // 076-119 to 076-125, 076-130
    let workspace = workspace();
    fs::create_dir(workspace.root.join("code")).unwrap();
    symlink("code", workspace.root.join("src")).unwrap();
    let path = |path: &str| {
        let text = format!("[[conversation.tools.t.access.fs]]\npath = {path:?}\nread = true\n");
        let compiled = compile(&workspace.root, &[SOURCE, &text]).unwrap();
        compiled.policy.fs[0].path().to_string()
    };
    for spelling in ["code", "./code", "code/", "code//.", "src", "src/"] {
        assert_eq!(path(spelling), "code", "{spelling}");
    }
    assert_eq!(path(workspace.root.join("code").as_str()), "code");
    assert_eq!(path("new/dir"), "new/dir");
    assert_eq!(path("."), ".");
}

#[test]
fn a_link_that_leads_outside_is_refused() {
    // 076-128
    let workspace = workspace();
    symlink("/etc", workspace.root.join("out")).unwrap();
    let text = "[[conversation.tools.t.access.fs]]\npath = \"out\"\n";
    assert_snapshot!(compile(&workspace.root, &[SOURCE, text]).unwrap_err(), @"b.toml:1:1: `conversation.tools.t.access.fs[0]`: path escapes the workspace: out");
}

#[test]
fn only_local_tools_can_have_rules() {
    let rule = "[[conversation.tools.t.access.fs]]\npath = \".\"\n";
    let source = |source: &str| format!("[conversation.tools.t]\nsource = \"{source}\"\n");
    // 076-041 to 076-043, 076-046
    assert_snapshot!(refusal(&[&source("builtin"), rule]), @"b.toml:1:24: `conversation.tools.t.access` on a tool whose source is `builtin`: only local tools can be restricted");
    assert_snapshot!(refusal(&[&source("mcp.server.tool"), rule]), @"b.toml:1:24: `conversation.tools.t.access` on a tool whose source is `mcp.server.tool`: only local tools can be restricted");
    // 076-048, 076-049
    assert!(compile(&workspace().root, &[SOURCE, rule, &source("builtin")]).is_err());
    assert!(refusal(&[rule]).contains("source"));
    // 076-045, 076-047
    assert!(compile(&workspace().root, &[SOURCE, rule]).is_ok());
    assert!(compile(&workspace().root, &[&source("mcp.server.tool"), rule, SOURCE]).is_ok());
}

#[test]
fn the_short_form_compiles_to_the_same_policy() {
    // 076-011, D11-205, D11-206, D11-244 to D11-246
    let short = r#"
        [conversation.tools.t.sandbox]
        filesystem.allow = ["src", "doc"]
        filesystem.writable = true
        network.allow = ["API.github.com", "https://example.org:8443/v1"]
        network.envs = ["GITHUB_TOKEN"]
        commands.cargo.args = [["check", "**"]]
        commands.cargo.envs = ["HOME"]
    "#;
    let long = r#"
        [conversation.tools.t.access]
        fs = [{ path = "src", read = true, write = true }, { path = "doc", read = true, write = true }]
        net = [
            { host = "api.github.com", allow = true },
            { host = "example.org", scheme = "https", port = 8443, path_prefix = "/v1", allow = true },
        ]
        env = [{ name = "GITHUB_TOKEN", read = true }]
        commands.cargo = { args = [["check", "**"]], envs = ["HOME"] }
    "#;
    assert_eq!(rules(&[short]), rules(&[long]));
    let reading = "[conversation.tools.t.sandbox]\nfilesystem.allow = [\".\"]\n";
    assert_eq!(rules(&[reading]), r#"{"fs":[{"path":".","read":true}],"net":[],"env":[]}"#);
    // Without a path it is the whole workspace, and not everything.
    let hosts =
        "[conversation.tools.t.sandbox]\nnetwork.allow = [\"2001:db8::5:6\", \"[::1]:80\"]\n";
    assert_eq!(
        rules(&[hosts]),
        r#"{"fs":[{"path":".","read":true}],"net":[{"host":"[2001:db8::5:6]","allow":true},{"host":"[::1]","port":80,"allow":true}],"env":[]}"#,
    );
}

#[test]
fn the_short_form_and_the_long_one_exclude_each_other() {
    // 076-012, 076-013, D11-243
    let short = "[conversation.tools.t.sandbox]\nfilesystem.allow = [\".\"]\n";
    let long = "[[conversation.tools.t.access.fs]]\npath = \".\"\n";
    assert_snapshot!(refusal(&[SOURCE, short, long]), @"b.toml:1:23: `conversation.tools.t.access` and `conversation.tools.t.sandbox` say the same thing twice");
}

#[test]
fn rules_are_no_defaults_for_all_tools() {
    let text = "[[conversation.tools.\"*\".access.fs]]\npath = \".\"\n";
    assert_snapshot!(refusal(&[text]), @r#"a.toml:1:26: `conversation.tools."*".access` cannot be set"#);
}

#[test]
fn rules_can_be_given_on_the_command_line() {
    // 076-255
    let argument = r#"conversation.tools.t.access.fs=[{path="src",read=true}]"#;
    let layers = vec![Layer::file("a.toml", SOURCE), Layer::assignment(argument)];
    let config = Config::load(layers).unwrap();
    let policies = config.policies(&workspace().root).unwrap();
    assert!(policies.get("t").unwrap().policy.can_read("src/x".into()));
}

#[test]
fn every_rule_knows_where_it_was_written() {
    let a = "[[conversation.tools.t.access.fs]]\npath = \"a\"\n";
    let b = "\n[[conversation.tools.t.access.fs]]\npath = \"b\"\n[[conversation.tools.t.access.env]]\nname = \"N\"\n";
    let compiled = compile(&workspace().root, &[SOURCE, a, b]).unwrap();
    assert_eq!(compiled.fs_places, ["b.toml:1", "c.toml:2"]);
    assert_eq!(compiled.env_places, ["c.toml:4"]);
    let commands = "[conversation.tools.t.access.commands]\nb = {}\na.args = []\n";
    let table = "[conversation.tools.t.sandbox.commands.c]\n";
    let places = |text: &str| compile(&workspace().root, &[SOURCE, text]).unwrap().command_places;
    assert_eq!(places(commands), ["b.toml:3", "b.toml:2"]);
    assert_eq!(places(table), ["b.toml:1"]);
}

#[test]
fn every_wrong_part_of_every_command_is_reported_where_it_is() {
    let text = r#"
        [conversation.tools.t.access.commands]
        cargo = { args = [["check", "**"], ["**", "x"], ["a", "**", "b"]], envs = ["A*", "A*B"] }
        "" = { args = [["**", "x"]] }
        [conversation.tools.t.access.commands.npm]
        args = [["**", "**"]]
    "#;
    assert_snapshot!(refusal(&[SOURCE, text]), @r#"
    b.toml:3:44: `conversation.tools.t.access.commands.cargo.args[1]`: command cargo: `**` can only be the last of the arguments: ["**", "x"]
    b.toml:3:57: `conversation.tools.t.access.commands.cargo.args[2]`: command cargo: `**` can only be the last of the arguments: ["a", "**", "b"]
    b.toml:3:90: `conversation.tools.t.access.commands.cargo.envs[1]`: command cargo: `*` can only be the last character of a variable name: "A*B"
    b.toml:4:14: `conversation.tools.t.access.commands.""`: not the name of a program: ""
    b.toml:6:17: `conversation.tools.t.access.commands.npm.args[0]`: command npm: `**` can only be the last of the arguments: ["**", "**"]
    "#);
    let short = "[conversation.tools.t.sandbox.commands]\ngo = { envs = ['='] }\n";
    assert_snapshot!(refusal(&[SOURCE, short]), @r#"b.toml:2:16: `conversation.tools.t.sandbox.commands.go.envs[0]`: command go: a variable name cannot contain '=': "=""#);
}

#[test]
fn what_is_shown_compiles_to_the_same_policy() {
    // 076-257, 076-259
    let text = "[[conversation.tools.t.access.fs]]\npath = \"a\"\nwrite = true\ndelete = false\n";
    let layers = vec![Layer::file("a.toml", SOURCE), Layer::file("b.toml", text)];
    let config = Config::load(layers).unwrap();
    assert!(config.app.tool("t").unwrap().config.access.is_some());
    let shown = config.show(None, crate::ShowFormat::Toml, false).unwrap();
    let root = workspace();
    let again = Config::load(vec![Layer::file("c.toml", shown)]).unwrap();
    let policy =
        |config: &Config| config.policies(&root.root).unwrap().get("t").unwrap().policy.clone();
    assert_eq!(policy(&again), policy(&config));
}

#[test]
fn hosts_are_compiled_to_their_normal_form() {
    // 076-258
    let host = |host: &str| {
        let text = format!("[[conversation.tools.t.access.net]]\nhost = {host:?}\nallow = true\n");
        let compiled = compile(&workspace().root, &[SOURCE, &text]).unwrap();
        compiled.policy.net[0].host.clone()
    };
    assert_eq!(host("API.GitHub.com."), "api.github.com");
    assert_eq!(host("münchen.de"), "xn--mnchen-3ya.de");
}
