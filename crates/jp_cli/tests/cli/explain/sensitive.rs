//! Sensitive paths: what a rule grants and a person is asked about all the same.

use insta::assert_snapshot;

use super::workspace;

#[test]
fn a_sensitive_path_is_asked_about_although_a_rule_grants_it() {
    let env = workspace();
    env.write(".env.local", "secret");
    env.write("certs/x.pem", "secret");
    env.command("/bin/ln", ["-s", "certs/x.pem", "plain"]).run().success();
    env.command("/bin/ln", ["-s", "README.md", "link.pem"]).run().success();
    env.write(".jp.toml", "sandbox.sensitive_paths = [\"**/*.pem\"]\n");
    let ask =
        |tool: &str, flag: &str, path: &str| env.jp(["tool", "explain", tool, flag, path]).run();
    assert_snapshot!(ask("edit", "--read", ".env.local").code(4), @"
    $ jp tool explain edit --read .env.local
    exit code: 4
    --- stdout
    asked: read on .env.local
      target     .env.local
      granted by fs `.` (read, .jp/config.toml:7)
      because    the path is sensitive (`**/.env.*`): a person is asked once per run, and with nobody to ask it is denied
    ");
    assert_snapshot!(ask("edit", "--create", "docs/.env").code(4), @"
    $ jp tool explain edit --create docs/.env
    exit code: 4
    --- stdout
    asked: create on docs/.env
      target     docs/.env
      granted by fs `docs` (read create update delete, .jp/config.toml:7)
      because    the path is sensitive (`**/.env`): a person is asked once per run, and with nobody to ask it is denied
      not by     fs `.` (read, .jp/config.toml:7)
    ");
    assert_snapshot!(ask("edit", "--create", ".env").code(4), @r#"
    $ jp tool explain edit --create .env
    exit code: 4
    --- stdout
    denied: create on .env
      target     .env
      decided by fs `.env` (nothing, .jp/config.toml:7)
      because    of the 2 rules that match it has the longest path
      not by     fs `.` (read, .jp/config.toml:7)

    To allow it, add behind the other rules of `conversation.tools.edit.access.fs`:

      { path = ".env", create = true }

    It covers everything below `.env` as well.
    Even then a person is asked once per run, because it is sensitive (`**/.env`).
    "#);
    assert_snapshot!(ask("mediated", "--read", "x/.env").code(4), @"
    $ jp tool explain mediated --read x/.env
    exit code: 4
    --- stdout
    asked: read on x/.env
      target     x/.env
      because    the path is sensitive (`**/.env`): a person is asked once per run, and with nobody to ask it is denied
    ");
    // Whether by its own name or by that of a link.
    assert_snapshot!(ask("edit", "--read", "plain").code(4), @"
    $ jp tool explain edit --read plain
    exit code: 4
    --- stdout
    asked: read on plain
      target     certs/x.pem
      granted by fs `.` (read, .jp/config.toml:7)
      because    the path is sensitive (`**/*.pem`): a person is asked once per run, and with nobody to ask it is denied
    ");
    ask("edit", "--read", "link.pem").code(4);
    ask("edit", "--read", "certs").success();
    let output = env.jp(["tool", "explain", "edit", "--read", ".env.local", "--format=json"]);
    assert_snapshot!(output.run().code(4), @r#"
    $ jp tool explain edit --read .env.local --format=json
    exit code: 4
    --- stdout
    {"tool":"edit","question":"read on .env.local","decision":"asked","target":".env.local","rule":{"kind":"fs","target":".","grants":"read","origin":".jp/config.toml:7"},"because":"the path is sensitive (`**/.env.*`): a person is asked once per run, and with nobody to ask it is denied","others":[],"sensitive":"**/.env.*","to_allow":null}
    "#);
}

#[test]
fn a_tool_without_rules_is_kept_from_sensitive_paths() {
    let env = workspace();
    let ask = |tool: &str| env.jp(["tool", "explain", tool, "--read", "a/.env"]).run();
    assert_snapshot!(ask("free").code(4), @r#"
    $ jp tool explain free --read a/.env
    exit code: 4
    --- stdout
    denied: read on a/.env
      target     a/.env
      because    the path is sensitive (`**/.env`), and without rules for files such paths are kept from the tool

    To allow it, add to `conversation.tools.free.access.fs`:

      { path = ".", read = true, create = true, update = true, delete = true, execute = true }

    Other sensitive paths are asked about then too, instead of being kept from the tool.
    Even then a person is asked once per run, because it is sensitive (`**/.env`).
    "#);
    env.write(".jp.toml", "sandbox.default = \"strict\"\n");
    ask("free").code(4);
    env.write(".jp.toml", "sandbox.default = \"off\"\n");
    ask("free").success();
}

#[test]
fn the_rules_come_with_the_sensitive_paths_they_grant() {
    let env = workspace();
    env.write(
        ".jp.toml",
        r#"
sandbox.sensitive_paths = ["certs/private", "docs/keys", "here", "~/.netrc", "/etc/shadow"]
[conversation.tools.narrow]
source = "local"
access.fs = [{ path = "docs", read = true }]
[conversation.tools.nothing]
source = "local"
access.fs = [{ path = "." }]
"#,
    );
    for file in ["certs/private/x", "docs/keys", "readme"] {
        env.write(file, "");
    }
    assert_snapshot!(env.jp(["tool", "explain", "narrow"]).run().success(), @"
    $ jp tool explain narrow
    exit code: 0
    --- stdout
    What `narrow` may touch:

    KIND  TARGET  GRANTS  FROM
    fs    docs    read    .jp.toml:5

    No rules for hosts: all are allowed.
    No rules for variables: all are allowed.
    No rules for programs: all are allowed.

    Sensitive, so a person is asked once per run although it is granted, and with nobody to ask it is denied:
      **/.env
      **/.env.*
      docs/keys
    ");
    assert_snapshot!(env.jp(["tool", "explain", "nothing"]).run().success(), @"
    $ jp tool explain nothing
    exit code: 0
    --- stdout
    What `nothing` may touch:

    KIND  TARGET  GRANTS   FROM
    fs    .       nothing  .jp.toml:8

    No rules for hosts: all are allowed.
    No rules for variables: all are allowed.
    No rules for programs: all are allowed.
    ");
    let output = env.jp(["tool", "explain", "edit", "--format=json"]).run().success();
    let line: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(
        line["sensitive"],
        serde_json::json!({
            "patterns": ["**/.env", "**/.env.*", "certs/private", "docs/keys"],
            "decision": "asked",
        })
    );
}

#[test]
fn strict_is_what_a_mediated_tool_has_with_nobody_to_ask() {
    let env = workspace();
    env.write(".jp.toml", "sandbox.default = \"strict\"\n");
    assert_snapshot!(env.jp(["tool", "explain", "free"]).run().success(), @"
    $ jp tool explain free
    exit code: 0
    --- stdout
    What `free` may touch:

    No rules for files: the workspace can be read, anything else is denied.
    No rules for hosts: all are denied.
    No rules for variables: all are denied.
    No rules for programs: all are denied.

    Sensitive, and kept from a tool without rules for files:
      **/.env
      **/.env.*

    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly
    ");
    let ask = |flag: &str| env.jp(["tool", "explain", "free", flag]).run();
    ask("--read=x").success();
    for flag in ["--update=x", "--env=x", "--command=x"] {
        ask(flag).code(4);
    }
    assert_snapshot!(ask("--url=https://a.example/").code(4), @r#"
    $ jp tool explain free --url=https://a.example/
    exit code: 4
    --- stdout
    uncovered: fetching https://a.example/
      target     https://a.example/
      because    no rules for hosts, so it is denied: `sandbox.default` is `strict`

    To allow it, add to `conversation.tools.free.access.net`:

      { host = "a.example", allow = true }

    It covers every path of a.example, over http and https.
    "#);
    // What has rules is not concerned.
    env.jp(["tool", "explain", "edit", "--update", "docs/x"]).run().success();
}
