//! `jp sandbox`: real programs on the real kernel.
//!
//! The danger in such tests is a denial for the wrong reason: a secret below `/tmp` is out of sight
//! because `/tmp` is, and proves nothing. So these environments lie elsewhere, and what a test says is
//! kept from a program is first shown to be there without the sandbox.

mod changes;
mod doctor;
mod endings;
mod grants;
mod json;
mod network;
mod presets;
mod profiles;
mod refusals;
mod run;
mod sensitive;
mod shown;
mod tiers;
mod users;

use jp_test::{Run, TestEnv};

/// All rights for the whole workspace.
const EVERYTHING: &str = "[[access.fs]]
path = \".\"
read = true
write = true
execute = true
";

/// A workspace and a home outside of the directories that every confined program has for itself.
pub(super) fn world() -> TestEnv {
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), place());
    env.write(".jp/config.toml", "");
    env
}

/// A directory for the environment that no view replaces by an empty one, wherever the checkout is.
fn place() -> &'static str {
    const PLACES: [&str; 6] =
        [env!("CARGO_TARGET_TMPDIR"), "/srv", "/opt", "/var/lib", "/home", "/mnt"];
    let is_private = |place: &str| {
        ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|temp| place.starts_with(temp))
    };
    let is_writable = |place: &str| tempfile::tempdir_in(place).is_ok();
    let found = PLACES.into_iter().find(|place| !is_private(place) && is_writable(place));
    found.expect("these tests need a directory to write to outside of /tmp and /var/tmp")
}

/// A script of the shell, run confined.
fn script<'env>(env: &'env TestEnv, options: &[&str], script: &str) -> Run<'env> {
    confined(env, options, &["/bin/sh", "-c", script])
}

/// Any program, run confined.
fn confined<'env>(env: &'env TestEnv, options: &[&str], program: &[&str]) -> Run<'env> {
    env.jp([&["sandbox", "run"], options, &["--"], program].concat())
}
