//! `[sandbox]` and the `system` table of a tool: what they take, and what they refuse to open.

use camino::Utf8Path;

use super::{config, errors, errors_of, merged};
use crate::Layer;
use crate::sandbox::{Preset, SandboxDefault};

#[test]
fn it_is_read_in_full() {
    let config = config(
        r#"
        [sandbox]
        default = "strict"
        allow_degraded = true
        presets = ["rust", "git"]
        read = ["/opt/sdk", "~/.config/tool"]
        write = ["~/.cache/tool"]
        sensitive_paths = ["**/secrets.toml", "~/.netrc"]

        [conversation.tools.t]
        source = "local"
        system = { presets = ["node"], read = ["/srv"], write = ["~/x"] }
        "#,
    );
    let sandbox = &config.app.sandbox;
    assert_eq!((sandbox.default, sandbox.allow_degraded), (SandboxDefault::Strict, true));
    assert_eq!(*sandbox.presets, [Preset::Rust, Preset::Git]);
    assert_eq!(&*sandbox.read[1], "~/.config/tool");
    assert_eq!(&*sandbox.write[0], "~/.cache/tool");
    let system = config.app.tool("t").unwrap().config.system.as_ref().unwrap();
    assert_eq!(*system.presets, [Preset::Node]);
    assert_eq!((&*system.read[0], &*system.write[0]), ("/srv", "~/x"));
    assert!(config.warnings().is_empty());
}

/// 076-039.
#[test]
fn the_workspace_is_the_default() {
    assert_eq!(config("").app, config("sandbox.default = 'workspace'").app);
}

#[test]
fn wrong_values_are_refused() {
    insta::assert_snapshot!(
        errors("[sandbox]\ndefault = 'open'\npresets = ['rust', 'ruby']\nread = ['x']\nwrite = ['~me/x', '/a/../b']\nsensitive_paths = ['a/*', '*.pem']"),
        @r#"
    w.toml:2:11: `sandbox.default` must be one of "workspace", "strict", "off", found "open"
    w.toml:3:20: `sandbox.presets[1]` must be one of "rust", "node", "python", "go", "java", "git", found "ruby"
    w.toml:4:9: `sandbox.read[0]`: "x" is not an absolute path
    w.toml:5:10: `sandbox.write[0]`: "~me/x" is not an absolute path
    w.toml:5:19: `sandbox.write[1]`: "/a/../b" has `..` in it
    w.toml:6:20: `sandbox.sensitive_paths[0]`: "a/*" is not a pattern for sensitive paths: there is a `*` in a path
    w.toml:6:27: `sandbox.sensitive_paths[1]`: "*.pem" is not a pattern for sensitive paths: there is a `*` in a path
    "#
    );
    insta::assert_snapshot!(errors("[tools.'*'.system]\nread = []"), @r#"w.toml:1:12: `tools."*".system` cannot be set"#);
}

/// 076-163, D11-220.
#[test]
fn sensitive_paths_are_extended_by_every_layer_and_shortened_by_none() {
    let list = |value: &str| Layer::file("f.toml", format!("sandbox.sensitive_paths = {value}"));
    let patterns = |layers: Vec<Layer>| {
        let config = merged(layers);
        config.sensitive_paths().patterns().map(str::to_owned).collect::<Vec<_>>()
    };
    let builtin = patterns(Vec::new());
    assert!(builtin.iter().any(|it| it == "~/.ssh"));
    let longer = patterns(vec![
        list("['a']"),
        list("['b']"),
        list("{ strategy = 'prepend', value = ['c'] }"),
        list("{ strategy = 'dedup', value = ['a', 'd'] }"),
        // Nothing in it, and still nothing is gone.
        list("[]"),
    ]);
    assert_eq!(longer, [&builtin[..], &["c", "a", "b", "d"].map(str::to_owned)].concat());
    insta::assert_snapshot!(
        errors_of(vec![list("['a']"), list("{ strategy = 'replace', value = ['b'] }")]),
        @"f.toml:1:40: `sandbox.sensitive_paths` cannot be combined by `replace`: the list can only be extended, so that no layer takes away what another protects"
    );
    insta::assert_snapshot!(errors_of(vec![list("{ strategy = 'drop', value = [] }")]), @r#"f.toml:1:40: `sandbox.sensitive_paths.strategy` must be one of "append", "prepend", "dedup", found "drop""#);
    let many: Vec<String> = (0..1_200).map(|it| format!("'{it}'")).collect();
    insta::assert_snapshot!(errors(&format!("sandbox.sensitive_paths = [{}]", many.join(","))), @"w.toml:1:5870: `sandbox.sensitive_paths[992]`: more than 1000 patterns for sensitive paths");
}

#[test]
fn sensitive_paths_are_found_by_what_was_added() {
    let config = config("sandbox.sensitive_paths = ['**/secrets.toml']");
    let find = |path: &str| {
        let (root, home) = (Utf8Path::new("/w"), Utf8Path::new("/home/me"));
        config.sensitive_paths().find(root, Some(home), path.into()).map(str::to_owned)
    };
    assert_eq!(find("a/secrets.toml").as_deref(), Some("**/secrets.toml"));
    assert_eq!(find(".env").as_deref(), Some("**/.env"));
    assert_eq!(find("a/b.toml"), None);
}

#[test]
fn what_is_sensitive_is_not_opened() {
    let text = r#"
        [sandbox]
        read = ["~/.ssh", "~/.config", "/home/me/.ssh/id_rsa", "~", "/srv/.env", "/a/b"]
        write = ["~/.aws/credentials", "~/.aws", "~/.NETRC"]
        sensitive_paths = ["a/b"]
        [tools.t]
        source = "local"
        system.read = ["~/.kube/config"]
        system.write = ["/x/.env.local", "~/.kube"]
    "#;
    // What was added by another layer counts as well, and a pattern for the workspace does not.
    let layers = vec![
        Layer::user("u.toml", "sandbox.sensitive_paths = ['~/.netrc']"),
        Layer::workspace("w.toml", text),
    ];
    insta::assert_snapshot!(errors_of(layers), @r#"
    w.toml:3:17: `sandbox.read[0]`: "~/.ssh" is sensitive (`~/.ssh`), and no program is let at it
    w.toml:3:40: `sandbox.read[2]`: "/home/me/.ssh/id_rsa" is sensitive (`~/.ssh`), and no program is let at it
    w.toml:3:69: `sandbox.read[4]`: "/srv/.env" is sensitive (`**/.env`), and no program is let at it
    w.toml:4:18: `sandbox.write[0]`: "~/.aws/credentials" is sensitive (`~/.aws/credentials`), and no program is let at it
    w.toml:4:50: `sandbox.write[2]`: "~/.NETRC" is sensitive (`~/.netrc`), and no program is let at it
    w.toml:8:24: `conversation.tools.t.system.read[0]`: "~/.kube/config" is sensitive (`~/.kube/config`), and no program is let at it
    w.toml:9:25: `conversation.tools.t.system.write[0]`: "/x/.env.local" is sensitive (`**/.env.*`), and no program is let at it
    "#);
}

#[test]
fn a_table_nobody_reads_is_reported() {
    insta::assert_snapshot!(errors("[tools.t]\nsource = 'builtin'\nsystem.read = ['/a']"), @"w.toml:3:1: `conversation.tools.t.system` on a tool whose source is `builtin`: only local tools are programs that we confine");
    let config = config("[tools.t]\nsource = 'local'\nruntime = 'vfs'\nsystem.presets = ['go']");
    let warnings: Vec<String> = config.warnings().problems().map(|it| it.to_string()).collect();
    insta::assert_snapshot!(warnings.join("\n"), @"w.toml:4:1: `conversation.tools.t.system` has no effect: the program of a `vfs` tool opens nothing itself");
}

#[test]
fn the_name_that_was_used_for_a_tool_is_known() {
    let config =
        config("[tools.a]\nsource = 'local'\n[conversation.tools.'b.c']\nsource = 'local'");
    assert_eq!(config.tool_key("a"), "tools.a");
    assert_eq!(config.tool_key("b.c"), "conversation.tools.\"b.c\"");
}
