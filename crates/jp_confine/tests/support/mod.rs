//! A workspace, a home, and programs that run confined in them.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(dead_code, reason = "each file of tests uses its part")]

use std::{ffi::OsString, fs, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, ConfineError, Confiner, Needs, Outcome, Prepared, Running, Settings, Streams, Subject,
    Surroundings,
};
use jp_process::{Bounds, Finished, Input, Output};
use jp_sandbox::{
    machine::Feature,
    plan::{Lifetime, Profile},
};
use jp_tool::access::{AccessPolicy, Capability, FsRule, SensitivePaths};

/// Far longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) const SEARCH: &str = "/usr/bin:/bin";

pub(crate) struct World {
    directory: tempfile::TempDir,
    pub(crate) confiner: Confiner,
}

/// What is run, with the usual answers.
pub(crate) struct Run<'a> {
    pub(crate) policy: Option<AccessPolicy>,
    pub(crate) profile: Option<Profile>,
    pub(crate) lifetime: Lifetime,
    pub(crate) transactional: bool,
    pub(crate) program: &'a Utf8Path,
    pub(crate) program_files: &'a [Utf8PathBuf],
    pub(crate) args: Vec<OsString>,
    /// In the workspace if it is not said.
    pub(crate) directory: Option<&'a Utf8Path>,
}

impl Run<'_> {
    /// A shell script.
    pub(crate) fn sh(script: &str) -> Self {
        Self {
            policy: None,
            profile: None,
            lifetime: Lifetime::Call,
            transactional: false,
            program: Utf8Path::new("/bin/sh"),
            program_files: &[],
            args: ["sh", "-c", script].map(Into::into).to_vec(),
            directory: None,
        }
    }

    /// Under rules like `. rcud, src r`.
    pub(crate) fn under(self, rules: &str) -> Self {
        Self { policy: Some(policy(rules)), ..self }
    }

    pub(crate) fn server(self) -> Self {
        Self { lifetime: Lifetime::Server, ..self }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::without(&[])
    }

    /// On a machine that lacks something.
    pub(crate) fn without(features: &[Feature]) -> Self {
        let directory =
            tempfile::Builder::new().prefix("jp-confine-").tempdir_in("/var/tmp").unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        fs::create_dir_all(path.join("home")).unwrap();
        fs::create_dir_all(path.join("ws")).unwrap();
        let variables = [("PATH", SEARCH), ("HOME", "/nowhere"), ("SECRET", "of the host")];
        let surroundings = Surroundings {
            helper: env!("CARGO_BIN_EXE_attempts").into(),
            variables: variables.map(|(name, value)| (name.into(), value.into())).to_vec(),
            home: Some(path.join("home")),
            stores: vec![path.join("changes")],
            shared_store: None,
            memory: None,
            hide: features.to_vec(),
        };
        let settings = Settings {
            profile: Profile::Workspace,
            allow_degraded: false,
            needs: Needs::default(),
            sensitive: SensitivePaths::builtin(),
        };
        Self { directory, confiner: Confiner::new(surroundings, settings) }
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().canonicalize_utf8().unwrap()
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        self.path().join("ws")
    }

    pub(crate) fn home(&self) -> Utf8PathBuf {
        self.path().join("home")
    }

    /// Makes a file in the workspace.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    /// Whether there is something, a dangling link for example.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    pub(crate) async fn prepare(&self, run: &Run<'_>) -> Result<Prepared, ConfineError> {
        let program = run.program.canonicalize_utf8().unwrap();
        let subject = Subject {
            policy: run.policy.as_ref(),
            key: "conversation.tools.test",
            root: &self.root(),
            profile: run.profile,
            lifetime: run.lifetime,
            transactional: run.transactional,
            needs: &Needs::default(),
            approved: &[],
            program: &program,
            program_files: run.program_files,
        };
        self.confiner.prepare(subject).await
    }

    pub(crate) async fn start(&self, run: Run<'_>) -> Running {
        let prepared = self.prepare(&run).await.unwrap_or_else(|error| panic!("{error}"));
        self.start_prepared(prepared, run).await
    }

    pub(crate) async fn start_prepared(&self, prepared: Prepared, run: Run<'_>) -> Running {
        let root = self.root();
        let command = Command {
            path: run.program,
            args: run.args,
            extra: Vec::new(),
            directory: run.directory.unwrap_or(&root),
            observe: false,
            sha256: None,
        };
        let streams = Streams { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Pipe };
        let started = self.confiner.start(prepared, command, streams).await;
        started.unwrap_or_else(|error| panic!("{error}: {:?}", std::error::Error::source(&error)))
    }

    /// Runs to the end.
    pub(crate) async fn run(&self, run: Run<'_>) -> (Finished, Outcome) {
        let running = self.start(run).await;
        running.finish(Vec::new(), bounds(), std::future::pending()).await.unwrap()
    }
}

pub(crate) fn bounds() -> Bounds {
    Bounds { time: Some(LONG), ..Bounds::default() }
}

/// Rules like `. rcud, src r, .env -`.
pub(crate) fn policy(rules: &str) -> AccessPolicy {
    let rule = |line: &str| {
        let (path, letters) = line.trim().split_once(' ').unwrap();
        let grants = letters.chars().filter_map(|letter| match letter {
            'r' => Some(Capability::Read),
            'c' => Some(Capability::Create),
            'u' => Some(Capability::Update),
            'd' => Some(Capability::Delete),
            'x' => Some(Capability::Execute),
            _ => None,
        });
        FsRule::new(path, grants)
    };
    AccessPolicy { fs: rules.split(',').map(rule).collect(), ..AccessPolicy::default() }
}

/// What a program wrote.
pub(crate) fn output(finished: &Finished) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&finished.stdout.bytes) + &text(&finished.stderr.bytes)
}
