//! Runs a shell script under a view and says what came out.

use std::{io::Read, os::fd::OwnedFd, path::Path, sync::LazyLock};

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    confinement::{Confinement, Network, Program, Tier},
    event::{Blocked, Ended, Event},
    failure::Failure,
    linux::{Spawner, Stdio},
    view::{View, What, Write},
};

/// The helper of all tests of a process.
pub(crate) static SPAWNER: LazyLock<Spawner> =
    LazyLock::new(|| Spawner::start(Path::new(env!("CARGO_BIN_EXE_sandbox_helper"))).unwrap());

/// Readable and not more.
pub(crate) const READ: What = What::Host { write: Write::No, execute: false };
/// Readable and executable.
pub(crate) const RUN: What = What::Host { write: Write::No, execute: true };
/// Everything, at once.
pub(crate) const DIRECT: What = What::Host { write: Write::Direct, execute: true };
/// Everything, judged afterwards.
pub(crate) const JUDGED: What = What::Host { write: Write::Judged, execute: true };

/// A directory of the host with a workspace in it, and what is confined to it.
pub(crate) struct Sandbox {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) confinement: Confinement,
}

/// What came of a script.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) output: String,
    pub(crate) ended: Result<Ended, Failure>,
    pub(crate) blocked: Vec<Blocked>,
}

impl Sandbox {
    /// With the directories of the system, a private `/tmp`, and no network.
    pub(crate) fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("jp-sandbox-").tempdir_in("/var/tmp").unwrap();
        let mut view = View::default();
        for path in ["/usr", "/etc", "/opt"] {
            view.set(path, RUN);
        }
        view.set("/tmp", What::Private { execute: true });
        let confinement =
            Confinement { network: Network::None, ..Confinement::of(Tier::Namespaces, view) };
        Self { directory, confinement }
    }

    /// The workspace on the host.
    pub(crate) fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().join("ws")
    }

    /// Makes a file of the host.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Adds a place below the workspace; `.` is the workspace.
    pub(crate) fn place(&mut self, path: &str, what: What) -> &mut Self {
        let path = if path == "." { self.root() } else { self.root().join(path) };
        self.confinement.view.set(path, what);
        self
    }

    /// Gives judged places their directories.
    pub(crate) fn keep_changes(&mut self) -> Utf8PathBuf {
        let changes = Utf8Path::from_path(self.directory.path()).unwrap().join("changes");
        for index in 0..4 {
            std::fs::create_dir_all(changes.join(format!("{index}/upper"))).unwrap();
            std::fs::create_dir_all(changes.join(format!("{index}/work"))).unwrap();
        }
        self.confinement.changes = Some(changes.clone());
        changes
    }

    /// Runs a script in the workspace.
    pub(crate) fn sh(&self, script: &str) -> Outcome {
        self.run("/bin/sh", &["sh", "-c", script])
    }

    /// Runs a program in the workspace.
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> Outcome {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let null = std::fs::File::open("/dev/null").unwrap();
        let stdio = Stdio {
            stdin: null.into(),
            stdout: writer.try_clone().unwrap().into(),
            stderr: OwnedFd::from(writer),
        };
        let program = Program {
            path: program.into(),
            args: args.iter().map(Into::into).collect(),
            env: vec![("PATH".into(), "/usr/bin:/bin:/usr/sbin".into())],
            directory: self.root().into(),
            sha256: None,
        };
        let child = SPAWNER.spawn(self.confinement.clone(), program, &stdio).unwrap();
        drop(stdio);
        let reading = std::thread::spawn(move || {
            let mut output = Vec::new();
            reader.read_to_end(&mut output).unwrap();
            String::from_utf8_lossy(&output).into_owned()
        });
        let mut blocked = Vec::new();
        let ended = loop {
            match child.event().unwrap().expect("the supervisor says how it ended").0 {
                Event::Started | Event::Listening | Event::LeftBehind => {}
                Event::Blocked(all) => blocked = all,
                Event::Failed(failure) => break Err(failure),
                Event::Ended(ended) => break Ok(ended),
            }
        };
        drop(child);
        Outcome { output: reading.join().unwrap(), ended, blocked }
    }
}
