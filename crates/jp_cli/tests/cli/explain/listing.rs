//! Everything at once: the rules of a tool, where they were written, how they are kept.

use insta::assert_snapshot;

use super::workspace;

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
    No rules for variables: none can be used.
    No rules for programs: each is asked about.

    Sensitive, so a person is asked once per run although it is granted, and with nobody to ask it is denied:
      **/.env
      **/.env.*

    How the kernel keeps it (namespaces, Landlock and seccomp):
      exactly
    ");
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
