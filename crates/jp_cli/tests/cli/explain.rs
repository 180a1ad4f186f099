//! `jp tool explain`: questions a person asks about a policy.

use insta::assert_snapshot;
use jp_test::TestEnv;

/// A workspace with one tool that has rules of every kind, and one without any.
fn workspace() -> TestEnv {
    let env = jp_test::env!();
    env.write(
        ".jp/config.toml",
        r#"
[conversation.tools.edit]
source = "local"
command = "edit"

[conversation.tools.edit.access]
fs = [{ path = ".", read = true }, { path = "docs", read = true, write = true }, { path = ".env" }]
net = [{ host = "api.github.com", allow = true }, { host = "api.github.com", path_prefix = "/admin" }]
env = [{ name = "AWS_*", read = true }, { name = "AWS_SECRET_ACCESS_KEY" }]
commands.cargo.args = [["check", "**"]]

[conversation.tools.free]
source = "local"
command = "free"

[conversation.tools.mediated]
source = "local"
command = "mediated"
runtime = "vfs"
"#,
    );
    env
}

/// Each rule with how faithfully it is enforced: 076-278, 076-279.
#[test]
fn the_rules_and_where_they_were_written() {
    let env = workspace();
    assert_snapshot!(env.jp(["tool", "explain", "edit"]).run().success(), @r#"
    $ jp tool explain edit
    exit code: 0
    --- stdout
    What `edit` may touch:

    KIND     TARGET                 GRANTS                     FROM
    fs       .                      read                       .jp/config.toml:7
    fs       docs                   read create update delete  .jp/config.toml:7
    fs       .env                   nothing                    .jp/config.toml:7
    net      api.github.com         allow                      .jp/config.toml:8
    net      api.github.com/admin   nothing                    .jp/config.toml:8
    env      AWS_*                  read                       .jp/config.toml:9
    env      AWS_SECRET_ACCESS_KEY  nothing                    .jp/config.toml:9
    command  cargo                  check **                   .jp/config.toml:10

    Sensitive, so a person is asked once per run although it is granted, and with nobody to ask it is denied:
      **/.env
      **/.env.*

    How the kernel keeps it (namespaces, Landlock and seccomp):
      . read: exact
      . create update delete: exact (writes beside docs seem to work and are refused when the call ends)
      . execute: exact (no program is run from here, but an interpreter can be given a file that it can read)
      docs read: exact
      docs create update delete: exact (judged when the call ends)
      docs execute: exact (no program is run from here, but an interpreter can be given a file that it can read)
      .env read create update delete execute: exact
      api.github.com net: stricter (http is judged by its path; https hides the path, so a connection is refused unless the whole host is allowed)
      api.github.com/admin net: exact (through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY)
      AWS_* env: exact
      AWS_SECRET_ACCESS_KEY env: exact
      commands commands: looser (the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = "vfs"` has them started and judged by the host)
    "#);
    assert_snapshot!(env.jp(["tool", "explain", "free"]).run().success(), @"
    $ jp tool explain free
    exit code: 0
    --- stdout
    What `free` may touch:

    No rules for files: everything in the workspace is allowed.
    No rules for hosts: all are allowed.
    No rules for variables: all are allowed.
    No rules for programs: all are allowed.

    Sensitive, and kept from a tool without rules for files:
      **/.env
      **/.env.*

    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly
    ");
    assert_snapshot!(env.jp(["tool", "explain", "mediated"]).run().success(), @"
    $ jp tool explain mediated
    exit code: 0
    --- stdout
    What `mediated` may touch:

    No rules for files: the workspace can be read, anything else is asked about.
    No rules for hosts: each is asked about.
    No rules for variables: each is asked about.
    No rules for programs: each is asked about.

    Sensitive, so a person is asked once per run although it is granted, and with nobody to ask it is denied:
      **/.env
      **/.env.*

    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly
    ");
}

#[test]
fn questions_about_files() {
    let env = workspace();
    let ask = |flag: &str, path: &str| env.jp(["tool", "explain", "edit", flag, path]).run();
    assert_snapshot!(ask("--read", "README.md").success(), @"
    $ jp tool explain edit --read README.md
    exit code: 0
    --- stdout
    allowed: read on README.md
      target     README.md
      decided by fs `.` (read, .jp/config.toml:7)
      because    it is the only rule that matches
    ");
    assert_snapshot!(ask("--create", "README.md").code(4), @r#"
    $ jp tool explain edit --create README.md
    exit code: 4
    --- stdout
    denied: create on README.md
      target     README.md
      decided by fs `.` (read, .jp/config.toml:7)
      because    it is the only rule that matches

    To allow it, add behind the other rules of `conversation.tools.edit.access.fs`:

      { path = "README.md", read = true, create = true }

    It covers everything below `README.md` as well.
    "#);
    assert_snapshot!(ask("--update", "docs/../docs//x.md").success(), @"
    $ jp tool explain edit --update docs/../docs//x.md
    exit code: 0
    --- stdout
    allowed: update on docs/../docs//x.md
      target     docs/x.md
      decided by fs `docs` (read create update delete, .jp/config.toml:7)
      because    of the 2 rules that match it has the longest path
      not by     fs `.` (read, .jp/config.toml:7)
    ");
    assert_snapshot!(ask("--read", ".env").code(4), @r#"
    $ jp tool explain edit --read .env
    exit code: 4
    --- stdout
    denied: read on .env
      target     .env
      decided by fs `.env` (nothing, .jp/config.toml:7)
      because    of the 2 rules that match it has the longest path
      not by     fs `.` (read, .jp/config.toml:7)

    To allow it, add behind the other rules of `conversation.tools.edit.access.fs`:

      { path = ".env", read = true }

    It covers everything below `.env` as well.
    Even then a person is asked once per run, because it is sensitive (`**/.env`).
    "#);
    assert_snapshot!(ask("--read", "../x").code(4), @"
    $ jp tool explain edit --read ../x
    exit code: 4
    --- stdout
    denied: read on ../x
      because    path escapes the workspace: ../x
    ");
    assert_snapshot!(ask("--read", "/etc/passwd").code(4), @"
    $ jp tool explain edit --read /etc/passwd
    exit code: 4
    --- stdout
    denied: read on /etc/passwd
      because    path is outside the workspace: /etc/passwd
    ");
    ask("--delete", "docs/x").success();
    ask("--execute", "docs/x").code(4);
}

#[test]
fn another_name_of_a_denied_file_is_denied() {
    // 076-158
    let env = workspace();
    env.write(".env", "secret");
    env.write("a", "build output");
    env.command("/bin/ln", [".env", "alias"]).run().success();
    env.command("/bin/ln", ["a", "b"]).run().success();
    let ask = |path: &str| env.jp(["tool", "explain", "edit", "--read", path]).run();
    assert_snapshot!(ask("alias").code(4), @"
    $ jp tool explain edit --read alias
    exit code: 4
    --- stdout
    denied: read on alias
      target     alias
      because    it is another name of a file that a rule denies (access denied: read on .env)
    ");
    ask("b").success();
}

#[test]
fn questions_about_hosts() {
    let env = workspace();
    let ask = |flag: &str, what: &str| env.jp(["tool", "explain", "edit", flag, what]).run();
    assert_snapshot!(ask("--url", "https://api.github.com/repos").success(), @"
    $ jp tool explain edit --url https://api.github.com/repos
    exit code: 0
    --- stdout
    allowed: fetching https://api.github.com/repos
      target     https://api.github.com/repos
      decided by net `api.github.com` (allow, .jp/config.toml:8)
      because    it is the only rule that matches
    ");
    assert_snapshot!(ask("--url", "https://api.github.com/admin/users").code(4), @r#"
    $ jp tool explain edit --url https://api.github.com/admin/users
    exit code: 4
    --- stdout
    denied: fetching https://api.github.com/admin/users
      target     https://api.github.com/admin/users
      decided by net `api.github.com/admin` (nothing, .jp/config.toml:8)
      because    of the 2 rules that match it has the most of scheme, port and path segments
      not by     net `api.github.com` (allow, .jp/config.toml:8)

    To allow it, add behind the other rules of `conversation.tools.edit.access.net`:

      { host = "api.github.com", path_prefix = "/admin/users", allow = true }

    It covers `/admin/users` of api.github.com and everything below it, over http and https.
    "#);
    assert_snapshot!(ask("--url", "https://example.com").code(4), @r#"
    $ jp tool explain edit --url https://example.com
    exit code: 4
    --- stdout
    uncovered: fetching https://example.com
      target     https://example.com/
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `conversation.tools.edit.access.net`:

      { host = "example.com", allow = true }

    It covers every path of example.com, over http and https.
    "#);
    assert_snapshot!(ask("--url", "https://api.github.com/%2e%2e/admin").code(4), @"
    $ jp tool explain edit --url https://api.github.com/%2e%2e/admin
    exit code: 4
    --- stdout
    denied: fetching https://api.github.com/%2e%2e/admin
      target     https://api.github.com/admin
      because    access denied: https://api.github.com/admin: the path has an encoded dot, and a rule for api.github.com depends on the path
    ");
}

#[test]
fn questions_about_variables_and_programs() {
    let env = workspace();
    let ask = |flag: &str, what: &str| env.jp(["tool", "explain", "edit", flag, what]).run();
    assert_snapshot!(ask("--env", "AWS_REGION").success(), @"
    $ jp tool explain edit --env AWS_REGION
    exit code: 0
    --- stdout
    allowed: reading the variable AWS_REGION
      target     AWS_REGION
      decided by env `AWS_*` (read, .jp/config.toml:9)
      because    it is the only rule that matches
    ");
    assert_snapshot!(ask("--env", "AWS_SECRET_ACCESS_KEY").code(4), @r#"
    $ jp tool explain edit --env AWS_SECRET_ACCESS_KEY
    exit code: 4
    --- stdout
    denied: reading the variable AWS_SECRET_ACCESS_KEY
      target     AWS_SECRET_ACCESS_KEY
      decided by env `AWS_SECRET_ACCESS_KEY` (nothing, .jp/config.toml:9)
      because    of the 2 rules that match it has the longest name
      not by     env `AWS_*` (read, .jp/config.toml:9)

    To allow it, add behind the other rules of `conversation.tools.edit.access.env`:

      { name = "AWS_SECRET_ACCESS_KEY", read = true }
    "#);
    assert_snapshot!(ask("--command", "cargo check --all").success(), @"
    $ jp tool explain edit --command 'cargo check --all'
    exit code: 0
    --- stdout
    allowed: running cargo check --all
      target     cargo check --all
      decided by command `cargo` (check **, .jp/config.toml:10)
      because    these arguments are listed
    ");
    assert_snapshot!(ask("--command", "cargo publish").code(4), @r#"
    $ jp tool explain edit --command 'cargo publish'
    exit code: 4
    --- stdout
    denied: running cargo publish
      target     cargo publish
      decided by command `cargo` (check **, .jp/config.toml:10)
      because    these arguments are not listed

    To allow it, set `conversation.tools.edit.access.commands.cargo.args`:

      [["check", "**"], ["publish"]]
    "#);
    assert_snapshot!(ask("--command", "rm -rf /").code(4), @r#"
    $ jp tool explain edit --command 'rm -rf /'
    exit code: 4
    --- stdout
    uncovered: running rm -rf /
      target     rm -rf /
      because    the program is not listed

    To allow it, set `conversation.tools.edit.access.commands.rm.args`:

      [["-rf", "/"]]
    "#);
}

#[test]
fn a_question_with_a_star_gets_no_suggestion() {
    let env = workspace();
    for (flag, what) in [("--env", "X*"), ("--command", "cargo **"), ("--command", "'' x")] {
        let output = env.jp(["tool", "explain", "edit", flag, what]).run().code(4);
        assert!(!output.stdout().contains("To allow it"), "{output}");
    }
}

#[test]
fn what_has_no_rules() {
    let env = workspace();
    let ask = |tool: &str, flag: &str| env.jp(["tool", "explain", tool, flag, "x"]).run();
    // 076-020, 076-250: without rules everything in the workspace is allowed, outside still nothing.
    assert_snapshot!(ask("free", "--delete").success(), @"
    $ jp tool explain free --delete x
    exit code: 0
    --- stdout
    allowed: delete on x
      target     x
      because    no rules for files, so none are restricted
    ");
    env.jp(["tool", "explain", "free", "--read", "/etc/passwd"]).run().code(4);
    // 076-035 to 076-037
    env.write(".jp.toml", "[[tools.mediated_files.access.fs]]\npath = \".\"\n[tools.mediated_files]\nsource = \"local\"\nruntime = \"vfs\"\n");
    for flag in ["--env", "--command", "--url=https://example.org/"] {
        let words = ["tool", "explain", "mediated_files", flag];
        let target = (!flag.contains('=')).then_some("x");
        env.jp(words.into_iter().chain(target)).run().code(4);
    }
    ask("mediated", "--read").success();
    assert_snapshot!(ask("mediated", "--create").code(4), @r#"
    $ jp tool explain mediated --create x
    exit code: 4
    --- stdout
    uncovered: create on x
      target     x
      because    no rules for files, so a person is asked; with nobody to ask it is denied

    To allow it, add to `conversation.tools.mediated.access.fs`:

      { path = ".", read = true }
      { path = "x", read = true, create = true }

    It covers everything below `x` as well.
    What is covered then and not granted is denied, and no longer asked about.
    "#);
    ask("mediated", "--env").code(4);
}

#[test]
fn as_json() {
    let env = workspace();
    let output =
        env.jp(["tool", "explain", "edit", "--read", ".env", "--format=json"]).run().code(4);
    assert_snapshot!(output, @r#"
    $ jp tool explain edit --read .env --format=json
    exit code: 4
    --- stdout
    {"tool":"edit","question":"read on .env","decision":"denied","target":".env","rule":{"kind":"fs","target":".env","grants":"nothing","origin":".jp/config.toml:7"},"because":"of the 2 rules that match it has the longest path","others":[{"kind":"fs","target":".","grants":"read","origin":".jp/config.toml:7"}],"sensitive":"**/.env","to_allow":{"how":"add","key":"conversation.tools.edit.access.fs","instead_of":null,"toml":["{ path = \".env\", read = true }"],"notes":["It covers everything below `.env` as well.","Even then a person is asked once per run, because it is sensitive (`**/.env`)."]}}
    "#);
    let output = env.jp(["tool", "explain", "edit", "--format=json"]).run().success();
    let line: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(line["policy"]["fs"][1]["create"], true);
    assert_eq!(line["rules"][0]["origin"], ".jp/config.toml:7");
}

#[test]
fn an_unknown_tool_suggests_the_nearest() {
    let env = workspace();
    assert_snapshot!(env.jp(["tool", "explain", "edti"]).run().code(2), @"
    $ jp tool explain edti
    exit code: 2
    --- stderr
    error: no tool is called `edti`
    hint: did you mean `edit`?
    ");
    env.jp(["tool", "explain", "edit", "--read", "a", "--create", "b"]).run().code(2);
}

#[test]
fn rules_that_cannot_be_enforced_stop_everything() {
    // 076-126 to 076-129
    let env = workspace();
    env.write(
        ".jp.toml",
        "[[tools.x.access.fs]]\npath = \"../..\"\n[tools.x]\nsource = \"local\"\n",
    );
    assert_snapshot!(env.jp(["conversation", "ls"]).run().code(2), @"
    $ jp conversation ls
    exit code: 2
    --- stderr
    error: `conversation.tools.x.access.fs[0]`: path escapes the workspace: ../..
     --> .jp.toml:1:1
      |
    1 | [[tools.x.access.fs]]
      | ^^^^^^^^^^^^^^^^^^^^^
    ");
}

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

/// Tools in the short form and under the other name of the table.
fn short_forms() -> TestEnv {
    let env = jp_test::env!();
    env.write(
        ".jp/config.toml",
        r#"
[tools.short]
source = "local"
sandbox.filesystem.allow = ["docs"]
sandbox.network.allow = ["a.example/x"]
sandbox.network.envs = ["TOKEN"]
sandbox.commands.cargo.args = []
sandbox.commands.git.envs = ["HOME"]

[tools.two-words]
source = "local"
access.env = [{ name = "A" }]

[conversation.tools.writer]
source = "local"
sandbox.filesystem = { allow = ["docs"], writable = true }
"#,
    );
    env
}

#[test]
fn suggestions_for_files_have_the_form_of_the_tool() {
    let env = short_forms();
    let ask =
        |tool: &str, flag: &str, what: &str| env.jp(["tool", "explain", tool, flag, what]).run();
    assert_snapshot!(ask("short", "--read", "src").code(4), @r#"
    $ jp tool explain short --read src
    exit code: 4
    --- stdout
    uncovered: read on src
      target     src
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `tools.short.sandbox.filesystem.allow`:

      "src"

    It covers everything below `src` as well.
    "#);
    assert_snapshot!(ask("short", "--update", "docs/a").code(4), @r#"
    $ jp tool explain short --update docs/a
    exit code: 4
    --- stdout
    denied: update on docs/a
      target     docs/a
      decided by fs `docs` (read, .jp/config.toml:4)
      because    it is the only rule that matches

    To allow it, write this instead of `tools.short.sandbox`, which cannot say it:

      [tools.short.access]
      fs = [
        { path = "docs", read = true },
        { path = "docs/a", read = true, update = true },
      ]
      net = [
        { host = "a.example", path_prefix = "/x", allow = true },
      ]
      env = [
        { name = "TOKEN", read = true },
      ]
      commands.cargo = { args = [] }
      commands.git = { envs = ["HOME"] }

    It covers everything below `docs/a` as well.
    "#);
    assert_snapshot!(ask("writer", "--create", "src/x").code(4), @r#"
    $ jp tool explain writer --create src/x
    exit code: 4
    --- stdout
    uncovered: create on src/x
      target     src/x
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `conversation.tools.writer.sandbox.filesystem.allow`:

      "src/x"

    As for the other paths there, it also grants read, update, delete.
    It covers everything below `src/x` as well.
    "#);
}

#[test]
fn other_suggestions_have_the_form_of_the_tool() {
    let env = short_forms();
    let ask =
        |tool: &str, flag: &str, what: &str| env.jp(["tool", "explain", tool, flag, what]).run();
    assert_snapshot!(ask("short", "--url", "https://b.example:8443/y").code(4), @r#"
    $ jp tool explain short --url https://b.example:8443/y
    exit code: 4
    --- stdout
    uncovered: fetching https://b.example:8443/y
      target     https://b.example:8443/y
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `tools.short.sandbox.network.allow`:

      "b.example:8443"

    It covers every path of b.example:8443, over http and https.
    "#);
    assert_snapshot!(ask("short", "--env", "B").code(4), @r#"
    $ jp tool explain short --env B
    exit code: 4
    --- stdout
    uncovered: reading the variable B
      target     B
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `tools.short.sandbox.network.envs`:

      "B"
    "#);
    assert_snapshot!(ask("short", "--command", "cargo 'a b'").code(4), @r#"
    $ jp tool explain short --command 'cargo '\''a b'\'''
    exit code: 4
    --- stdout
    denied: running cargo 'a b'
      target     cargo 'a b'
      decided by command `cargo` (no arguments, .jp/config.toml:7)
      because    these arguments are not listed

    To allow it, set `tools.short.sandbox.commands.cargo.args`:

      [[], ["a b"]]
    "#);
    assert_snapshot!(ask("two-words", "--env", "B").code(4), @r#"
    $ jp tool explain two-words --env B
    exit code: 4
    --- stdout
    uncovered: reading the variable B
      target     B
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `tools.two-words.access.env`:

      { name = "B", read = true }
    "#);
}

#[test]
fn a_suggestion_says_what_else_it_changes() {
    let env = workspace();
    let ask =
        |tool: &str, flag: &str, what: &str| env.jp(["tool", "explain", tool, flag, what]).run();
    assert_snapshot!(ask("mediated", "--command", "rm x").code(4), @r#"
    $ jp tool explain mediated --command 'rm x'
    exit code: 4
    --- stdout
    uncovered: running rm x
      target     rm x
      because    no rules for programs, so a person is asked; with nobody to ask it is denied

    To allow it, set `conversation.tools.mediated.access.commands.rm.args`:

      [["x"]]

    Other arguments of `rm` are denied then, and no longer asked about.
    "#);
    assert_snapshot!(ask("mediated", "--url", "https://example.org/a").code(4), @r#"
    $ jp tool explain mediated --url https://example.org/a
    exit code: 4
    --- stdout
    uncovered: fetching https://example.org/a
      target     https://example.org/a
      because    no rules for hosts, so a person is asked; with nobody to ask it is denied

    To allow it, add to `conversation.tools.mediated.access.net`:

      { host = "example.org", allow = true }

    It covers every path of example.org, over http and https.
    "#);
    env.write(
        ".jp.toml",
        r#"
[conversation.tools.net]
source = "local"
access.net = [{ host = "a.example", scheme = "https", allow = true }, { host = "a.example", port = 8080 }]
"#,
    );
    assert_snapshot!(ask("net", "--url", "http://a.example:8080/x").code(4), @r#"
    $ jp tool explain net --url http://a.example:8080/x
    exit code: 4
    --- stdout
    denied: fetching http://a.example:8080/x
      target     http://a.example:8080/x
      decided by net `a.example:8080` (nothing, .jp.toml:4)
      because    it is the only rule that matches

    To allow it, add behind the other rules of `conversation.tools.net.access.net`:

      { host = "a.example", port = 8080, path_prefix = "/x", allow = true }

    It covers `/x` of a.example:8080 and everything below it, over http and https.
    From then on, URLs of a.example whose path has two readings are refused.
    "#);
    assert_snapshot!(ask("net", "--url", "http://a.example/x").code(4), @r#"
    $ jp tool explain net --url http://a.example/x
    exit code: 4
    --- stdout
    uncovered: fetching http://a.example/x
      target     http://a.example/x
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `conversation.tools.net.access.net`:

      { host = "a.example", path_prefix = "/x", allow = true }

    It covers `/x` of a.example and everything below it, over http and https.
    From then on, URLs of a.example whose path has two readings are refused.
    "#);
}

#[test]
fn a_suggestion_overrules_nobody_or_says_whom() {
    let env = jp_test::env!();
    env.write(
        ".jp/config.toml",
        r#"
[tools.careful]
source = "local"
access.net = [{ host = "a.example", scheme = "http" }]
[tools.blunt]
source = "local"
access.net = [
  { host = "a.example", scheme = "https", port = 443 },
  { host = "a.example", path_prefix = "/a/b" },
]
"#,
    );
    let ask = |tool: &str, url: &str| env.jp(["tool", "explain", tool, "--url", url]).run();
    assert_snapshot!(ask("careful", "https://a.example/x").code(4), @r#"
    $ jp tool explain careful --url https://a.example/x
    exit code: 4
    --- stdout
    uncovered: fetching https://a.example/x
      target     https://a.example/x
      because    no rule matches, and what no rule covers is denied

    To allow it, add behind the other rules of `tools.careful.access.net`:

      { host = "a.example", scheme = "https", path_prefix = "/x", allow = true }

    It covers `/x` of a.example and everything below it, over https.
    From then on, URLs of a.example whose path has two readings are refused.
    "#);
    assert_snapshot!(ask("blunt", "https://a.example/a").code(4), @r#"
    $ jp tool explain blunt --url https://a.example/a
    exit code: 4
    --- stdout
    denied: fetching https://a.example/a
      target     https://a.example/a
      decided by net `https://a.example:443` (nothing, .jp/config.toml:8)
      because    it is the only rule that matches

    To allow it, add behind the other rules of `tools.blunt.access.net`:

      { host = "a.example", scheme = "https", path_prefix = "/a", allow = true }

    It covers `/a` of a.example and everything below it, over https.
    Where both match, it decides instead of the rule `a.example/a/b`, which denies.
    "#);
}
