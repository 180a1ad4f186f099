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

#[test]
fn the_rules_and_where_they_were_written() {
    let env = workspace();
    assert_snapshot!(env.jp(["tool", "explain", "edit"]).run().success(), @"
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
    command  cargo                  check **
    ");
    assert_snapshot!(env.jp(["tool", "explain", "free"]).run().success(), @"
    $ jp tool explain free
    exit code: 0
    --- stdout
    What `free` may touch:

    No rules for files: everything in the workspace is allowed.
    No rules for hosts: all are allowed.
    No rules for variables: all are allowed.
    No rules for programs: all are allowed.
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
      decided by command `cargo` (check **)
      because    these arguments are listed
    ");
    assert_snapshot!(ask("--command", "cargo publish").code(4), @r#"
    $ jp tool explain edit --command 'cargo publish'
    exit code: 4
    --- stdout
    denied: running cargo publish
      target     cargo publish
      decided by command `cargo` (check **)
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
    assert_snapshot!(ask("mediated", "--create").code(4), @"
    $ jp tool explain mediated --create x
    exit code: 4
    --- stdout
    uncovered: create on x
      target     x
      because    no rules for files, so a person is asked; with nobody to ask it is denied
    ");
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
    {"tool":"edit","question":"read on .env","decision":"denied","target":".env","rule":{"kind":"fs","target":".env","grants":"nothing","origin":".jp/config.toml:7"},"because":"of the 2 rules that match it has the longest path","others":[{"kind":"fs","target":".","grants":"read","origin":".jp/config.toml:7"}],"to_allow":{"list":"conversation.tools.edit.access.fs","rule":"{ path = \".env\", read = true }"}}
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
