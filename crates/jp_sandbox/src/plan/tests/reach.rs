//! What is denied, and what to add.

use super::*;
use crate::{event::Wanted, presets::Preset};

const DISK: &str = "/usr/bin/tool /etc/hosts /home/me/.cargo/registry/ /home/me/.rustup/ \
                    /home/me/ws/src/lib.rs /home/me/ws/.env";

#[test]
fn what_is_denied() {
    let plan = Case::with_rules(DISK, ".:r src:rw out:rw").plan();
    let table = [
        ("/home/me/ws/src/lib.rs", Wanted::Write, None),
        ("/home/me/ws/README", Wanted::Read, None),
        ("/home/me/ws/src/lib.rs", Wanted::Execute, Some(Denial::NotExecutable)),
        ("/usr/lib/x", Wanted::Write, Some(Denial::ReadOnly)),
        ("/usr/bin/sh", Wanted::Execute, None),
        ("/srv/data", Wanted::Read, Some(Denial::Hidden)),
        ("/home/me/.rustup/x", Wanted::Read, Some(Denial::Private)),
        ("/home/me/x", Wanted::Write, None),
        ("/tmp/x", Wanted::Execute, Some(Denial::NotExecutable)),
        ("/dev/null", Wanted::Write, None),
        ("/dev/sda", Wanted::Read, Some(Denial::Device)),
        ("/dev/nullx", Wanted::Read, Some(Denial::Device)),
        ("/proc/self/maps", Wanted::Read, None),
    ];
    for (path, access, expected) in table {
        assert_eq!(blocked_by(&plan.view, path.into(), access), expected, "{access:?} {path}");
    }
}

#[test]
fn what_to_add() {
    let sensitive = vec!["/home/me/ws/.env".into(), "/home/me/.ssh".into()];
    let case = Case { sensitive, ..Case::with_rules(DISK, "src:r") };
    let presets = [Preset::Rust, Preset::Git]
        .map(|preset| (preset, preset.places(&|_| None, Utf8Path::new("/home/me"))));
    let table = [
        ("/home/me/ws/docs/a", Wanted::Read),
        ("/home/me/ws/docs/a", Wanted::Write),
        ("/home/me/ws/run", Wanted::Execute),
        ("/home/me/ws", Wanted::Read),
        ("/home/me/.rustup/toolchains", Wanted::Execute),
        ("/home/me/.cargo/registry/x", Wanted::Write),
        ("/home/me/.rustup/toolchains", Wanted::Write),
        ("/srv/data", Wanted::Read),
        ("/srv/data", Wanted::Write),
        ("/home/me/.gitconfig", Wanted::Read),
        // Never for secrets and sockets.
        ("/home/me/ws/.env", Wanted::Read),
        ("/home/me/.ssh/id", Wanted::Read),
        ("/home/me/.cargo/credentials.toml", Wanted::Read),
        ("/home/me/.config/git/credentials", Wanted::Read),
        ("/etc/shadow", Wanted::Read),
        ("/run/docker.sock", Wanted::Write),
        ("/dev/sda", Wanted::Read),
    ];
    let shown = table.map(|(path, access)| {
        let found = case.with_request(|request| suggest(request, &presets, path.into(), access));
        let found = found.map_or("nothing".to_owned(), |found| found.to_string());
        format!("{access:?} {path} => {found}\n")
    });
    insta::assert_snapshot!(shown.concat(), @r#"
    Read /home/me/ws/docs/a => access.fs: { path = "docs/a", read = true }
    Write /home/me/ws/docs/a => access.fs: { path = "docs/a", read = true, create = true, update = true, delete = true }
    Execute /home/me/ws/run => access.fs: { path = "run", read = true, execute = true }
    Read /home/me/ws => access.fs: { path = ".", read = true }
    Execute /home/me/.rustup/toolchains => [sandbox] presets = ["rust"]
    Write /home/me/.cargo/registry/x => [sandbox] presets = ["rust"]
    Write /home/me/.rustup/toolchains => [sandbox] write = ["/home/me/.rustup/toolchains"]
    Read /srv/data => [sandbox] read = ["/srv/data"]
    Write /srv/data => [sandbox] write = ["/srv/data"]
    Read /home/me/.gitconfig => [sandbox] presets = ["git"]
    Read /home/me/ws/.env => nothing
    Read /home/me/.ssh/id => nothing
    Read /home/me/.cargo/credentials.toml => nothing
    Read /home/me/.config/git/credentials => nothing
    Read /etc/shadow => nothing
    Write /run/docker.sock => nothing
    Read /dev/sda => nothing
    "#);
}

/// A rule that is suggested allows what was denied.
#[test]
fn a_suggested_rule_helps() {
    for (path, access) in [
        ("/home/me/ws/src/lib.rs", Wanted::Write),
        ("/home/me/ws/src/lib.rs", Wanted::Execute),
        ("/home/me/ws/.env", Wanted::Read),
    ] {
        let mut case = Case::with_rules(DISK, "src:r");
        assert!(blocked_by(&case.plan().view, path.into(), access).is_some(), "{path}");
        let found = case.with_request(|request| suggest(request, &[], path.into(), access));
        let Some(Suggestion::Rule { path: rule, capabilities }) = found else { panic!("no rule") };
        let more = FsRule::new(rule, capabilities);
        let policy = case.policy.as_mut().unwrap();
        policy.fs = policy.fs.iter().cloned().chain([more]).collect();
        assert_eq!(blocked_by(&case.plan().view, path.into(), access), None, "{path}");
    }
}
