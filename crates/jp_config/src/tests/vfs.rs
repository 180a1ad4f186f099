//! `[vfs]` and the `program_files` of a tool: what they take and what they refuse.

use std::time::Duration;

use super::{config, errors, merged};
use crate::vfs::VfsConfig;
use crate::{Config, Layer};

#[test]
fn every_limit_is_read() {
    let config = config(
        "[vfs]\nfile_bytes = 1\nmessage_bytes = 4096\nrequest_timeout_secs = 2\n\
         cancel_grace_secs = 0\nkill_after_secs = 3\nhttp_timeout_secs = 4\n\
         process_timeout_secs = 5\n",
    );
    let vfs = config.app.vfs;
    assert_eq!((vfs.file_bytes, vfs.message_bytes), (1, 4096));
    let found = [
        vfs.request_timeout(),
        vfs.cancel_grace(),
        vfs.kill_after(),
        vfs.http_timeout(),
        vfs.process_timeout(),
    ];
    assert_eq!(found, [2, 0, 3, 4, 5].map(Duration::from_secs));
    assert!(config.warnings().is_empty());
}

/// D11-255: the defaults of the limits, which the generated table in `docs/configuration.md` prints.
#[test]
fn a_layer_changes_what_it_names() {
    let layers =
        vec![Layer::user("u", "vfs.file_bytes = 7"), Layer::assignment("vfs.kill_after_secs=9")];
    let wanted = VfsConfig { file_bytes: 7, kill_after_secs: 9, ..VfsConfig::default() };
    assert_eq!(merged(layers).app.vfs, wanted);
    let document = include_str!("../../../../docs/configuration.md");
    for row in [
        "| `vfs.file_bytes` | an integer from 1 to 1000000000 | `10000000` |",
        "| `vfs.request_timeout_secs` | an integer from 1 to 86400 | `60` |",
        "| `vfs.cancel_grace_secs` | an integer from 0 to 3600 | `5` |",
        "| `vfs.kill_after_secs` | an integer from 0 to 3600 | `2` |",
    ] {
        assert!(document.contains(row), "{row}");
    }
}

#[test]
fn no_limit_can_be_taken_away() {
    insta::assert_snapshot!(
        errors("[vfs]\nfile_bytes = 0\nmessage_bytes = 1_000_000_000\nrequest_timeout_secs = 0\ncancel_grace_secs = -1\nkill_after_secs = 4000\nhttp_timeout_secs = 1e3\nprocess_timeouts = 1"),
        @"
    w.toml:2:14: `vfs.file_bytes` must be an integer from 1 to 1000000000, found 0
    w.toml:3:17: `vfs.message_bytes` must be an integer from 4096 to 268435456, found 1000000000
    w.toml:4:24: `vfs.request_timeout_secs` must be an integer from 1 to 86400, found 0
    w.toml:5:21: `vfs.cancel_grace_secs` must be an integer from 0 to 3600, found -1
    w.toml:6:19: `vfs.kill_after_secs` must be an integer from 0 to 3600, found 4000
    w.toml:7:21: `vfs.http_timeout_secs` must be an integer from 1 to 86400, found a float
    w.toml:8:1: unknown key `process_timeouts` in `vfs`; did you mean `process_timeout_secs`?
    "
    );
}

#[test]
fn a_file_that_fits_into_no_message_is_warned_of() {
    let check = |text: &str, place: &str| {
        let config = config(text);
        let found: Vec<String> = config.warnings().problems().map(|it| it.to_string()).collect();
        let wanted: Vec<&str> = place.split_terminator(',').collect();
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.starts_with(wanted), "{found}");
        }
    };
    check("vfs.file_bytes = 20_000_000", "w.toml:1:18: `vfs.file_bytes` is 20000000");
    check("vfs.message_bytes = 4096", "w.toml:1:21: `vfs.file_bytes` is 10000000");
    check("vfs = { file_bytes = 4096, message_bytes = 4096 }", "");
    check("", "");
}

fn warnings(config: &Config) -> String {
    let all: Vec<String> = config.warnings().problems().map(|it| it.to_string()).collect();
    all.join("\n")
}

#[test]
fn program_files_are_those_of_a_vfs_tool() {
    insta::assert_snapshot!(warnings(&config("[tools.t]\nsource = 'local'\nprogram_files = ['lib']")), @"w.toml:3:1: `conversation.tools.t.program_files` has no effect: only the program of a `vfs` tool is sealed");
    insta::assert_snapshot!(warnings(&config("[tools.t]\nsource = 'builtin'\nprogram_files = ['lib']")), @"w.toml:3:1: `conversation.tools.t.program_files` has no effect: only the program of a `vfs` tool is sealed");
    // The runtime may come from the defaults of all tools.
    let quiet =
        "[tools.'*']\nruntime = 'vfs'\n[tools.t]\nsource = 'local'\nprogram_files = ['lib']";
    assert!(config(quiet).warnings().is_empty());
    insta::assert_snapshot!(errors("[tools.'*']\nprogram_files = ['lib']"), @r#"w.toml:2:1: `tools."*".program_files` cannot be set"#);
}

#[test]
fn program_files_of_several_layers_join() {
    let config = merged(vec![
        Layer::workspace("w", "[tools.t]\nsource='local'\nruntime='vfs'\nprogram_files=['a']"),
        Layer::directory("d", "[tools.t]\nprogram_files=['b']"),
    ]);
    let files = &config.app.tool("t").unwrap().config.program_files;
    assert_eq!(files.iter().map(|it| &**it).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn what_would_open_everything_or_a_secret_is_refused() {
    let text = "sandbox.sensitive_paths = ['conf/keys']\n[tools.t]\nsource = 'local'\nruntime = 'vfs'\n\
                program_files = ['.', '/', '', '../x', '~/lib', 'a\\u0007']";
    insta::assert_snapshot!(errors(&text.replace("'a\\u0007'", "\"a\\u0007\"")), @r#"
    w.toml:5:18: `tools.t.program_files[0]`: "." is the whole workspace
    w.toml:5:23: `tools.t.program_files[1]`: "/" is the whole file system
    w.toml:5:28: `tools.t.program_files[2]`: "" is not a path: it is empty
    w.toml:5:32: `tools.t.program_files[3]`: "../x" has `..` in it
    w.toml:5:40: `tools.t.program_files[4]`: "~/lib" begins with `~`, which means nothing here
    w.toml:5:49: `tools.t.program_files[5]`: "a\u0007" has a control character in it
    "#);
    let secrets = "program_files = ['.env', 'lib/.env', '/home/me/.ssh', 'conf/keys/a', './conf/keys', 'lib', '/opt/x']";
    let head = text.split_once("program_files").unwrap().0;
    insta::assert_snapshot!(errors(&format!("{head}{secrets}")), @r#"
    w.toml:5:18: `conversation.tools.t.program_files[0]`: ".env" is sensitive (`**/.env`), and no program is let at it
    w.toml:5:26: `conversation.tools.t.program_files[1]`: "lib/.env" is sensitive (`**/.env`), and no program is let at it
    w.toml:5:38: `conversation.tools.t.program_files[2]`: "/home/me/.ssh" is sensitive (`~/.ssh`), and no program is let at it
    w.toml:5:55: `conversation.tools.t.program_files[3]`: "conf/keys/a" is sensitive (`conf/keys`), and no program is let at it
    w.toml:5:70: `conversation.tools.t.program_files[4]`: "./conf/keys" is sensitive (`conf/keys`), and no program is let at it
    "#);
}
