//! The kernel and the policy agree: random policies over random trees, every path and capability
//! tried by a real confined process.
//!
//! Where the plan says `exact`, what is done must be what the policy allows. Where it says less, the
//! process may do less and never more. What a process wrote counts by what is on the host's disk when
//! everything is settled: a write that is kept apart and thrown away was no write.
//!
//! `cargo xtask agree` runs more cases with other seeds: `JP_AGREE_CASES`, `JP_AGREE_SEED`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::Write as _,
    os::{fd::OwnedFd, unix::fs::PermissionsExt as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, ConfineError, Confiner, Needs, Settings, Streams, Subject, Surroundings,
};
use jp_process::{Input, Output};
use jp_sandbox::plan::{Aspect, Fidelity, Lifetime, Plan, Profile};
use jp_tool::access::{AccessPolicy, Capability, FsRule, SensitivePaths};

const PROGRAM: &str = env!("CARGO_BIN_EXE_attempts");

#[test]
fn the_kernel_agrees_with_the_policy() {
    let count = agree(Lifetime::Call, 1_000);
    println!("{count:?}");
    assert!(count.exact > count.cases * 20, "{count:?}");
}

/// A server is not judged, so more is stricter; and nothing is looser, so nothing is refused.
#[test]
fn so_it_does_for_servers() {
    let count = agree(Lifetime::Server, 300);
    println!("{count:?}");
    assert!(count.exact > count.cases * 10, "{count:?}");
    assert_eq!(count.refused, 0, "{count:?}");
}

fn agree(lifetime: Lifetime, usual: u64) -> Count {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().map_or(default, |text| text.parse().unwrap())
    };
    let (cases, seed) = (number("JP_AGREE_CASES", usual), number("JP_AGREE_SEED", 76));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut count = Count { cases, ..Count::default() };
    let mut draw = Draw(seed);
    runtime.block_on(async {
        let world = World::new();
        for case in 0..cases {
            let name = format!("{lifetime:?}, seed {seed}, case {case}");
            world.case(&mut draw, lifetime, &mut count, &name).await;
        }
    });
    // Or nothing would have been compared.
    assert!(count.refused * 4 < cases, "{count:?}");
    assert!(count.allowed > cases * 5 && count.denied > cases * 5, "{count:?}");
    count
}

/// What was tried.
#[derive(Debug, Default)]
struct Count {
    cases: u64,
    refused: u64,
    exact: u64,
    stricter: u64,
    allowed: u64,
    denied: u64,
}

/// Numbers that are the same for the same seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// One thing that is tried.
struct Attempt {
    verb: &'static str,
    path: Utf8PathBuf,
    capability: Capability,
}

struct World {
    directory: tempfile::TempDir,
    confiner: Confiner,
}

impl World {
    fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("jp-agree-").tempdir_in("/var/tmp").unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        let home = path.join("home");
        fs::create_dir_all(&home).unwrap();
        let surroundings = Surroundings {
            helper: PROGRAM.into(),
            variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
            home: Some(home),
            stores: vec![path.join("changes")],
            shared_store: None,
            memory: None,
            hide: Vec::new(),
        };
        let settings = Settings {
            profile: Profile::Workspace,
            allow_degraded: false,
            needs: Needs::default(),
            sensitive: SensitivePaths::builtin(),
        };
        Self { directory, confiner: Confiner::new(surroundings, settings) }
    }

    fn root(&self) -> Utf8PathBuf {
        let path = Utf8Path::from_path(self.directory.path()).unwrap();
        path.canonicalize_utf8().unwrap().join("ws")
    }

    async fn case(&self, draw: &mut Draw, lifetime: Lifetime, count: &mut Count, name: &str) {
        let root = self.root();
        let _ = fs::remove_dir_all(&root);
        let attempts = tree(draw, &root);
        let policy = policy(draw, &attempts);
        let program = Utf8Path::new(PROGRAM).canonicalize_utf8().unwrap();
        let subject = Subject {
            policy: Some(&policy),
            key: "conversation.tools.agree",
            root: &root,
            profile: None,
            lifetime,
            transactional: false,
            needs: &Needs::default(),
            approved: &[],
            program: &program,
            program_files: &[],
        };
        let prepared = match self.confiner.prepare(subject).await {
            Ok(prepared) => prepared,
            Err(ConfineError::Refused(_)) => {
                count.refused += 1;
                return;
            }
            Err(error) => panic!("{name}: {error}\n{policy:#?}"),
        };
        let plan = prepared.plan.clone();
        let answers = self.run(prepared, &root, &attempts, name).await;
        for (attempt, answer) in attempts.iter().zip(answers) {
            let done = answer && is_on_disk(&root, attempt);
            compare(&policy, &plan, attempt, done, count).unwrap_or_else(|problem| {
                panic!("{name}: {problem}\n{}\n{plan}", show(&policy));
            });
        }
    }

    /// The answers of a confined process, after its changes were settled.
    async fn run(
        &self,
        prepared: jp_confine::Prepared,
        root: &Utf8Path,
        attempts: &[Attempt],
        name: &str,
    ) -> Vec<bool> {
        let lines: String = attempts.iter().fold(String::new(), |mut lines, attempt| {
            let _ = writeln!(lines, "{} {}", attempt.verb, root.join(&attempt.path));
            lines
        });
        let input = file_with(&lines);
        let output = tempfile::tempfile().unwrap();
        let own = |file: &fs::File| OwnedFd::from(file.try_clone().unwrap());
        let streams = Streams {
            stdin: Input::Descriptor(own(&input)),
            stdout: Output::Descriptor(own(&output)),
            stderr: Output::Null,
        };
        let command = Command {
            path: Utf8Path::new(PROGRAM),
            args: vec!["attempts".into()],
            extra: Vec::new(),
            directory: Utf8Path::new("/"),
            observe: false,
            sha256: None,
        };
        let mut running =
            self.confiner.start(prepared, command, streams).await.unwrap_or_else(|error| {
                panic!("{name}: {error}");
            });
        let exit = running.child.wait().await.unwrap();
        assert!(exit.is_success(), "{name}: {exit}");
        if let Some(pending) = running.end(&exit).unwrap().pending {
            let report = pending.commit();
            assert!(report.failed.is_empty(), "{name}: {report:?}");
        }
        let text = read_from_start(output);
        let answers: Vec<bool> = text.lines().map(|line| line == "yes").collect();
        assert_eq!(answers.len(), attempts.len(), "{name}: {text}");
        answers
    }
}

fn file_with(text: &str) -> fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    file
}

fn read_from_start(mut file: fs::File) -> String {
    std::io::Seek::rewind(&mut file).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut file, &mut text).unwrap();
    text
}

/// A random tree, and what is tried in it: every file and directory is read, and each has one thing
/// more done to it, so that no attempt spoils another. What does not exist yet is made.
fn tree(draw: &mut Draw, root: &Utf8Path) -> Vec<Attempt> {
    let mut directories = vec![Utf8PathBuf::new()];
    for _ in 0..3 + draw.below(5) {
        let parent = draw.pick(&directories).clone();
        let path = parent.join(draw.pick(&["a", "b", "c"]));
        if path.components().count() <= 4 && !directories.contains(&path) {
            directories.push(path);
        }
    }
    let mut reads = Vec::new();
    let mut others = Vec::new();
    let add = |list: &mut Vec<Attempt>, verb, path: &Utf8Path, capability| {
        list.push(Attempt { verb, path: path.to_owned(), capability });
    };
    for directory in &directories {
        fs::create_dir_all(root.join(directory)).unwrap();
        fs::write(root.join(directory).join("marker"), "").unwrap();
        add(&mut reads, "list", directory, Capability::Read);
        for (verb, capability) in [
            ("update", Capability::Update),
            ("delete", Capability::Delete),
            ("execute", Capability::Execute),
        ] {
            let path = directory.join(format!("{verb}.file"));
            let target = root.join(&path);
            if verb == "execute" {
                fs::copy("/bin/true", &target).unwrap();
                fs::set_permissions(&target, fs::Permissions::from_mode(0o755)).unwrap();
            } else {
                fs::write(&target, path.as_str()).unwrap();
            }
            add(&mut reads, "read", &path, Capability::Read);
            add(&mut others, verb, &path, capability);
        }
        let empty = directory.join("empty");
        fs::create_dir(root.join(&empty)).unwrap();
        add(&mut others, "delete-dir", &empty, Capability::Delete);
        for (verb, name) in [("create", "new.file"), ("create-dir", "new.dir")] {
            add(&mut others, verb, &directory.join(name), Capability::Create);
        }
    }
    reads.extend(others);
    reads
}

/// A few rules over paths of the tree, over paths that are to be made, and over paths of nothing.
fn policy(draw: &mut Draw, attempts: &[Attempt]) -> AccessPolicy {
    let mut rules = BTreeMap::new();
    for _ in 0..=draw.below(6) {
        let path = match draw.below(8) {
            0 => Utf8PathBuf::from("."),
            1 => Utf8PathBuf::from(*draw.pick(&["d", "a/d", "d/e/f"])),
            _ => draw.pick(attempts).path.clone(),
        };
        let path = if path.as_str().is_empty() { Utf8PathBuf::from(".") } else { path };
        let all = Capability::ALL;
        let grants: Vec<Capability> = match draw.below(5) {
            0 => Vec::new(),
            1 => vec![Capability::Read],
            2 => all.to_vec(),
            3 => vec![Capability::Read, Capability::Create, Capability::Update, Capability::Delete],
            _ => all.into_iter().filter(|_| !draw.one_in(2)).collect(),
        };
        rules.insert(path.clone(), FsRule::new(path, grants));
    }
    AccessPolicy { fs: rules.into_values().collect(), ..AccessPolicy::default() }
}

/// Whether what was attempted is so on the host's disk.
fn is_on_disk(root: &Utf8Path, attempt: &Attempt) -> bool {
    let path = root.join(&attempt.path);
    match attempt.verb {
        "update" => fs::read_to_string(path).is_ok_and(|text| text.ends_with(" updated")),
        "create" | "create-dir" => path.exists(),
        "delete" | "delete-dir" => !path.exists(),
        _ => true,
    }
}

fn compare(
    policy: &AccessPolicy,
    plan: &Plan,
    attempt: &Attempt,
    done: bool,
    count: &mut Count,
) -> Result<(), String> {
    let path = if attempt.path.as_str().is_empty() { Utf8Path::new(".") } else { &attempt.path };
    let allowed = policy.can(attempt.capability, path);
    let rule = policy.fs.winner(path).map(|rule| rule.path().as_str());
    let is_it = |subject: &str| rule == Some(subject);
    let rows = plan.rows.iter();
    let fidelity = rows
        .filter(|row| is_it(&row.subject) && row.aspect == Aspect::Fs(attempt.capability))
        .map(|row| row.fidelity)
        .max()
        .unwrap_or(Fidelity::Exact);
    *(if allowed { &mut count.allowed } else { &mut count.denied }) += 1;
    let agrees = match fidelity {
        Fidelity::Exact => {
            count.exact += 1;
            done == allowed
        }
        Fidelity::Stricter | Fidelity::MediatedOnly => {
            count.stricter += 1;
            allowed || !done
        }
        Fidelity::Looser => return Err("a looser plan was carried out".to_owned()),
    };
    if agrees {
        return Ok(());
    }
    let says = if allowed { "allows" } else { "denies" };
    let did = if done { "was done" } else { "was not done" };
    Err(format!("the policy {says} {} {path} by {rule:?}, and it {did} ({fidelity})", attempt.verb))
}

fn show(policy: &AccessPolicy) -> String {
    policy.fs.iter().fold(String::new(), |mut text, rule| {
        let grants: Vec<_> = Capability::ALL.into_iter().filter(|one| rule.grants(*one)).collect();
        let _ = writeln!(text, "  {} {grants:?}", rule.path());
        text
    })
}
