//! What to add to allow something, in the form in which the tool is written.

use insta::assert_snapshot;
use jp_test::TestEnv;

use super::workspace;

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
