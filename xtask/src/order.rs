//! `cargo xtask order`: which functions a start of `jp` reaches, so that the linker puts them side by side.
//!
//! The kernel maps a program piece by piece where it is reached. Functions that a start needs lie all over 20
//! megabytes if nobody says otherwise; side by side they fill one. The names are those of one compiler and one set of
//! dependencies: with others the list says nothing, and the program is as it would be without. So it is made again
//! after such a change, and only speed depends on it.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::{env, fs, io};

use camino::{Utf8Path, Utf8PathBuf};

use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::{needs, own_dir, root};

/// What the build script of `jp` gives to the linker.
const LIST: &str = "crates/jp_cli/functions.txt";

/// Finds out what a run reaches.
const TRACER: &str = "xtask/src/order/reached.py";

/// What is started, what people wait for most first.
const RUNS: &[&[&str]] = &[
    &["noop"],
    &["--version"],
    &["-h"],
    &["config", "show"],
    &["tool", "list"],
    &["conversation", "list"],
];

/// Writes the list.
pub(crate) fn run() -> Result {
    needs::meet(needs::ORDER)?;
    Cmd::cargo(&["build", "--release", "--package", "jp_cli"]).run()?;
    let own = own_dir()?;
    let world = World::new(own.parent().unwrap_or(&own));
    let world = world.map_err(Failure::because("cannot make a workspace"))?;
    let (mut seen, mut names) = (HashSet::new(), String::new());
    for words in RUNS {
        for name in world.reached(words)?.lines().filter(|name| seen.insert((*name).to_owned())) {
            names += name;
            names += "\n";
        }
    }
    let list = root().join(LIST);
    fs::write(&list, names).map_err(Failure::because(format!("cannot write {list}")))?;
    println!("{list} has {} functions; they take their places with the next build", seen.len());
    Ok(())
}

/// How many of the functions of the list the program still has, of how many.
pub(crate) fn known(program: &Utf8Path) -> Result<(usize, usize)> {
    let list = root().join(LIST);
    let list =
        fs::read_to_string(&list).map_err(Failure::because(format!("cannot read {list}")))?;
    let symbols = Cmd::new("nm", &[program.as_str()]).output()?.stdout;
    let symbols = String::from_utf8_lossy(&symbols).into_owned();
    let names: HashSet<&str> = symbols.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    Ok((list.lines().filter(|name| names.contains(name)).count(), list.lines().count()))
}

/// A user with a workspace and a plugin that does nothing, removed at the end.
struct World {
    dir: Utf8PathBuf,
    jp: Utf8PathBuf,
}

impl World {
    /// In the directory where Cargo keeps what it builds.
    fn new(target: &Utf8Path) -> io::Result<Self> {
        let world = Self { dir: target.join("order"), jp: target.join("release/jp") };
        let _ = fs::remove_dir_all(&world.dir);
        let plugin = "#!/bin/sh\nread -r init\necho '{\"type\":\"exit\",\"code\":0}'\n";
        let trust = "[plugins.command.noop]\nrun = 'unattended'\n";
        for (path, text) in [
            ("bin/jp-noop", plugin),
            ("home/.config/jp/config.toml", trust),
            ("project/.jp/config.toml", ""),
        ] {
            let path = world.dir.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&world.dir))?;
            fs::write(&path, text)?;
        }
        fs::set_permissions(world.dir.join("bin/jp-noop"), fs::Permissions::from_mode(0o755))?;
        Ok(world)
    }

    /// The functions that `jp` reaches with these words, a line each.
    fn reached(&self, words: &[&str]) -> Result<String> {
        let (found, project) = (self.dir.join("reached"), self.dir.join("project"));
        let tracer = root().join(TRACER);
        let home = format!("HOME={}", self.dir.join("home"));
        let others = env::var("PATH").unwrap_or_default();
        let path = format!("PATH={}:{others}", self.dir.join("bin"));
        let mut command = vec!["-C", project.as_str(), &home, &path, "python3", tracer.as_str()];
        command.extend([found.as_str(), self.jp.as_str()]);
        command.extend(words);
        let run = Cmd::new("env", &command);
        let output = run.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::new(format!("`{run}` failed: {said}")));
        }
        fs::read_to_string(&found).map_err(Failure::because(format!("cannot read {found}")))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}
