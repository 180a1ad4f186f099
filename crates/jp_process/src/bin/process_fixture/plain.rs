//! What the fixture and the tests start: a shell that sees everything and can write nothing.

use std::{ffi::OsString, path::Path};

use jp_sandbox::{
    confinement::{Confinement, Program, Tier},
    view::{Place, View, What, Write},
};

/// `sh` with a script, in which `$0` is the fixture and `$1` and so on are the other words.
pub(crate) fn shell(script: &str, fixture: &Path, words: &[&str]) -> Program {
    let first = ["sh", "-c", script].map(OsString::from).into_iter();
    let words = words.iter().map(OsString::from);
    Program {
        path: "/bin/sh".into(),
        args: first.chain([fixture.into()]).chain(words).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        directory: "/".into(),
        sha256: None,
    }
}

/// Everything can be read and run.
pub(crate) fn confinement(tier: Tier) -> Confinement {
    let everything = What::Host { write: Write::No, execute: true };
    Confinement::of(tier, View::new([Place { path: "/".into(), what: everything }]))
}
