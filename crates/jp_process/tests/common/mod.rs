//! What the tests share: a host of their own, programs, and a look at all processes.
#![expect(clippy::disallowed_methods, reason = "tests look into /proc and make their own files")]
#![expect(dead_code, reason = "each file of tests uses its part")]

// The same shell as in the fixture.
#[path = "../../src/bin/process_fixture/plain.rs"]
mod plain;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use jp_process::{Bounds, Call, Finished, Host, RunError, Spawn, Stop};
use jp_sandbox::confinement::{Program, Tier};

pub(crate) use self::plain::confinement;

pub(crate) const TIERS: [Tier; 3] = [Tier::None, Tier::Landlock, Tier::Namespaces];

/// Far longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// A host with a copy of the fixture as its helper, so that its processes can be told from those of
/// other tests: the path of the copy is their token.
pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) fixture: PathBuf,
    _directory: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let fixture = directory.path().join("fixture");
        fs::copy(env!("CARGO_BIN_EXE_process_fixture"), &fixture).unwrap();
        Self { host: Host::new(&fixture), fixture, _directory: directory }
    }

    /// `sh` with a script, in which `$0` is the fixture.
    pub(crate) fn shell(&self, script: &str) -> Program {
        plain::shell(script, &self.fixture, &[])
    }

    pub(crate) fn call(&self, tier: Tier, script: &str) -> Call {
        let stop = Stop { terminate_after: Duration::ZERO, kill_after: LONG };
        Call {
            program: self.shell(script),
            confinement: confinement(tier),
            input: Vec::new(),
            bounds: Bounds { time: Some(LONG), stop, ..Bounds::default() },
        }
    }

    pub(crate) fn spawn(&self, tier: Tier, script: &str) -> Spawn {
        Spawn::new(self.shell(script), confinement(tier)).piped()
    }

    pub(crate) async fn run(&self, call: Call) -> Result<Finished, RunError> {
        jp_process::run(&self.host, call, std::future::pending()).await
    }

    /// Processes that were started from the fixture of this world or got it as an argument, without
    /// the helper and its supervisors.
    pub(crate) fn programs(&self) -> Vec<String> {
        let mut found = processes_with(&self.fixture);
        found.retain(|command| !command.ends_with("__sandbox"));
        found
    }

    /// The helper, which is the child of this process that has this world's fixture as its program.
    pub(crate) fn helper(&self) -> i32 {
        let fixture = self.fixture.to_str().unwrap();
        let command = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/cmdline"));
        let mut found = children().into_iter();
        found.find(|pid| command(pid).is_ok_and(|command| command.contains(fixture))).unwrap()
    }

    /// Waits until no such process is left.
    pub(crate) fn assert_no_program(&self) {
        wait_until(|| self.programs().is_empty(), || format!("left: {:?}", self.programs()));
    }

    /// Ends the world and waits until nothing of it is left.
    pub(crate) fn assert_end(self) {
        let Self { host, fixture, .. } = self;
        drop(host);
        assert_nothing_left(&fixture);
    }
}

pub(crate) fn assert_nothing_left(fixture: &Path) {
    let left = || processes_with(fixture);
    wait_until(|| left().is_empty(), || format!("left: {:?}", left()));
}

pub(crate) fn wait_until(condition: impl Fn() -> bool, or: impl Fn() -> String) {
    let until = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < until, "{}", or());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The command lines of all processes that mention a path. One that is a zombie has none.
pub(crate) fn processes_with(path: &Path) -> Vec<String> {
    let path = path.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|entry| {
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " "))
    });
    commands.filter(|command| command.contains(path)).collect()
}

/// The children of this process, zombies included.
pub(crate) fn children() -> Vec<i32> {
    children_of(rustix::process::getpid().as_raw_nonzero().get())
}

pub(crate) fn children_of(pid: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// How many descendants of a process have ended and were not waited for.
pub(crate) fn zombies_below(pid: i32) -> usize {
    let is_zombie = |pid: i32| {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    };
    let below = |child: i32| usize::from(is_zombie(child)) + zombies_below(child);
    children_of(pid).into_iter().map(below).sum()
}

pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}
