//! One question: may it read this, fetch that, start the other.

use insta::assert_snapshot;

use super::workspace;

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
