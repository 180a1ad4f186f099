//! A project, a home, and programs that run confined in them.
#![expect(clippy::disallowed_methods, reason = "tests build their own files and look into /proc")]

use std::{fs, os::unix::fs::PermissionsExt as _};

use jp_confine::{Settings, Surroundings};
use jp_sandbox::machine::Feature;
use jp_tool::access::{CommandRule, SensitivePaths};

use super::super::*;

/// Far longer than anything here takes.
pub(super) const LONG: Duration = Duration::from_mins(1);

pub(super) const SEARCH: &str = "/usr/bin:/bin:/usr/local/bin";

/// A project, a home, and a place for a copy.
pub(super) struct World {
    directory: tempfile::TempDir,
    pub(super) programs: ConfinedPrograms,
}

/// What is run, with the usual answers.
pub(super) struct Run<'a> {
    pub(super) policy: AccessPolicy,
    /// Below the directory of the world.
    pub(super) directory: &'a str,
    pub(super) program: &'a str,
    pub(super) args: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) time: Duration,
    pub(super) output_bytes: usize,
}

impl<'a> Run<'a> {
    /// A program that a rule names, with rules for files like `. rcud, src r`.
    pub(super) fn new(program: &'a str, args: &[&str], rules: &str) -> Self {
        let commands = [(program, CommandRule::default())].into_iter().collect();
        Self {
            policy: AccessPolicy { commands: Some(commands), ..files(rules) },
            directory: "project",
            program,
            args: args.iter().map(ToString::to_string).collect(),
            variables: Vec::new(),
            time: LONG,
            output_bytes: 1_000_000,
        }
    }

    pub(super) fn sh(script: &str, rules: &str) -> Self {
        Self::new("sh", &["-c", script], rules)
    }

    pub(super) fn bash(script: &str, net: &[NetRule]) -> Self {
        let mut run = Self::new("bash", &["-c", script], "");
        run.policy.net = net.to_vec();
        run
    }
}

impl World {
    /// What tools without rules get is nothing to programs, so it is everything here.
    pub(super) fn new() -> Self {
        Self::without(&[], Profile::Off)
    }

    /// On a machine that lacks something.
    pub(super) fn without(hide: &[Feature], profile: Profile) -> Self {
        let directory =
            tempfile::Builder::new().prefix("jp-programs-").tempdir_in("/var/tmp").unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["home/.cargo/bin", "home/.ssh", "project/bin", "copy", "outside"] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        let home = path.join("home");
        let variables =
            [("PATH", SEARCH), ("HOME", home.as_str()), ("LC_TIME", "C"), ("SECRET", "s3cr3t")];
        let surroundings = Surroundings {
            helper: jp_test::find_bin("sandbox_helper").into(),
            variables: variables.map(|(name, value)| (name.into(), value.into())).to_vec(),
            home: Some(home.clone()),
            stores: vec![path.join("changes")],
            shared_store: None,
            memory: None,
            hide: hide.to_vec(),
        };
        let settings = Settings {
            profile,
            allow_degraded: false,
            needs: Needs::default(),
            sensitive: SensitivePaths::builtin(),
        };
        let confiner = Arc::new(Confiner::new(surroundings, settings));
        let search = format!("{home}/.cargo/bin:{path}/project/bin:{path}/outside:{SEARCH}");
        let programs = ConfinedPrograms::new(confiner, search.into(), HashMap::new());
        Self { directory, programs }
    }

    pub(super) fn path(&self, below: &str) -> Utf8PathBuf {
        let path = Utf8Path::from_path(self.directory.path()).unwrap();
        path.canonicalize_utf8().unwrap().join(below)
    }

    pub(super) fn file(&self, path: &str, text: &str) -> &Self {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
        self
    }

    pub(super) fn script(&self, path: &str, text: &str) -> &Self {
        self.file(path, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    pub(super) async fn run(&self, run: &Run<'_>) -> Result<Ran, ProgramError> {
        let directory = self.path(run.directory);
        let run = ProgramRun {
            key: "conversation.tools.test",
            policy: &run.policy,
            directory: &directory,
            program: run.program,
            args: &run.args,
            variables: &run.variables,
            time: run.time,
            output_bytes: run.output_bytes,
        };
        timeout(LONG, self.programs.run(run)).await.expect("it has a limit of its own")
    }

    /// What it printed; it has to end well.
    pub(super) async fn output(&self, run: &Run<'_>) -> String {
        let ran = self.run(run).await.unwrap();
        let (stdout, stderr) = (text(&ran.stdout), text(&ran.stderr));
        assert_eq!(ran.exit_code, 0, "{stdout}{stderr}");
        stdout
    }

    /// How many processes mention the directory of this world.
    pub(super) fn processes(&self) -> usize {
        let token = self.path("");
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let commands = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        commands.filter(|command| text(command).contains(token.as_str())).count()
    }

    pub(super) async fn wait_for(&self, has_some: bool) {
        let wait = async {
            while (self.processes() > 0) != has_some {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(LONG, wait).await.expect("processes come and go");
    }
}

/// Rules like `. rcud, src r, .env -`; none where there is no text.
fn files(rules: &str) -> AccessPolicy {
    let rule = |line: &str| {
        let (path, letters) = line.trim().split_once(' ').unwrap();
        let grants = letters.chars().filter(|letter| *letter != '-').map(|letter| match letter {
            'r' => Capability::Read,
            'c' => Capability::Create,
            'u' => Capability::Update,
            'd' => Capability::Delete,
            'x' => Capability::Execute,
            other => panic!("{other}"),
        });
        FsRule::new(path, grants)
    };
    let rules = rules.split(',').filter(|line| !line.is_empty()).map(rule);
    AccessPolicy { fs: rules.collect(), ..AccessPolicy::default() }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
