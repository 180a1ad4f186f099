//! Runs an attempt, plainly or confined, and says how it went.
//!
//! An attempt that breaks is neither an escape nor contained: a script with a mistake in it would
//! otherwise look like a sandbox that holds.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, PipeReader, Read, Write, pipe},
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    path::PathBuf,
    process::{Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use jp_sandbox::{
    confinement::{Confinement, Program, Tier},
    event::{Ended, Event},
    linux::{Spawner, Stdio},
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use super::{
    fixture::{Fixture, program},
    header::{Header, Judge, Stdin},
    host::Host,
    views,
};

/// How long an attempt may take.
const LONGEST: Duration = Duration::from_secs(40);

/// How an attempt went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It got what it wanted.
    Escaped(String),
    /// It did not.
    Contained(String),
    /// It did not even start.
    NotStarted(String),
    /// This machine lacks what it is about.
    Missing(String),
    /// It is wrong itself.
    Broken(String),
}

/// The program and words of an attempt.
fn command(fixture: &Fixture, script: &str) -> Vec<PathBuf> {
    let path = fixture.scripts.join(script).into_std_path_buf();
    if path.extension().is_some_and(|extension| extension == "sh") {
        return vec![program("sh", "dash"), path];
    }
    vec![program("python3", "python3"), PathBuf::from("-B"), path]
}

/// Runs it without any sandbox, as a host program would be run.
pub(crate) fn plainly(fixture: &mut Fixture, header: &Header, script: &str) -> Outcome {
    let prefix = fixture.prefix.iter().map(PathBuf::from);
    let words: Vec<PathBuf> = prefix.chain(command(fixture, script)).collect();
    let mut host = Host::new(&fixture.root, fixture.user);
    for line in &header.before {
        host.serve(line);
    }
    let streams = Streams::new(fixture, header.stdin);
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .envs(fixture.variables(fixture.workspace.join("tmp").as_str()))
        .current_dir(fixture.workspace.join("src"))
        .stdin(streams.stdio.stdin)
        .stdout(streams.stdio.stdout)
        .stderr(streams.stdio.stderr);
    let mut child = command.spawn().expect("an attempt starts");
    drop(command);
    let talk = Talk::start(streams.ours, host);
    let until = Instant::now() + LONGEST;
    let ended = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => break of_status(status),
            None if Instant::now() > until => {
                let _ = child.kill();
                let _ = child.wait();
                return Outcome::Broken("it took too long".into());
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = talk.finish();
    judge(fixture, header, ended, &said)
}

fn of_status(status: ExitStatus) -> Ended {
    status.code().map_or_else(|| Ended::Signal(status.signal().unwrap_or_default()), Ended::Code)
}

/// Runs it confined.
pub(crate) fn confined(
    fixture: &mut Fixture,
    header: &Header,
    script: &str,
    tier: Tier,
) -> Outcome {
    let mut host = Host::new(&fixture.root, fixture.user);
    for line in &header.before {
        host.serve(line);
    }
    let (confinement, program) = order(fixture, header, script, tier);
    let before = fixture.fingerprint();
    let spawner = Spawner::start(fixture.helper.as_std_path()).expect("the helper starts");
    let streams = Streams::new(fixture, header.stdin);
    let child = spawner.spawn(confinement, program, &streams.stdio).expect("an order can be sent");
    drop(streams.stdio);
    let talk = Talk::start(streams.ours, host);
    let ended = wait(&child);
    let said = talk.finish();
    let outcome = match ended {
        Ok(ended) => judge(fixture, header, ended, &said),
        Err(outcome) => return outcome,
    };
    // What the process says about itself is one thing, what became of the host another.
    if !said.host_was_asked && before != fixture.fingerprint() {
        return Outcome::Escaped(format!("files of the host changed; it said {outcome:?}"));
    }
    if !fixture.neighbor_lives() {
        return Outcome::Escaped(format!("its neighbor is gone; it said {outcome:?}"));
    }
    outcome
}

fn order(fixture: &Fixture, header: &Header, script: &str, tier: Tier) -> (Confinement, Program) {
    let (view, changes, temporary) = views::make(fixture, header, tier);
    let confinement = Confinement {
        tier,
        view,
        links: Vec::new(),
        changes,
        network: header.network,
        execute: header.execute,
        limits: header.limits,
        observe: false,
        terminal: None,
    };
    let words = command(fixture, script);
    let variables = fixture.variables(temporary.as_str());
    let program = Program {
        path: words[0].clone(),
        args: words.into_iter().map(PathBuf::into_os_string).collect(),
        env: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        directory: fixture.workspace.join("src").into(),
        sha256: None,
    };
    (confinement, program)
}

fn wait(child: &jp_sandbox::linux::Child) -> Result<Ended, Outcome> {
    let until = Instant::now() + LONGEST;
    // The listener of a proxy is kept for as long as the process runs.
    let mut kept = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = left.try_into().expect("a short time");
        let mut wanted = [PollFd::new(child, PollFlags::IN)];
        if poll(&mut wanted, Some(&left)) == Ok(0) {
            let _ = child.kill();
            return Err(Outcome::Broken("it took too long".into()));
        }
        match child.event().expect("a supervisor can be heard") {
            Some((Event::Ended(ended), _)) => return Ok(ended),
            Some((Event::Failed(failure), _)) => {
                return Err(Outcome::NotStarted(failure.to_string()));
            }
            Some((_, descriptor)) => kept.push(descriptor),
            None => return Err(Outcome::Broken("the supervisor is gone".into())),
        }
    }
}

fn judge(fixture: &Fixture, header: &Header, ended: Ended, said: &Said) -> Outcome {
    let text = said.out.trim().to_owned();
    if header.judge == Judge::Heartbeat && ended == Ended::Code(0) {
        return judge_heartbeat(fixture);
    }
    match ended {
        Ended::Code(0) if text.starts_with("ESCAPED") => Outcome::Escaped(text),
        Ended::Code(3) if text.starts_with("contained: ") => Outcome::Contained(text),
        Ended::Code(4) if text.starts_with("missing: ") => Outcome::Missing(text),
        Ended::Signal(signal) if header.dies => Outcome::Contained(format!("signal {signal}")),
        _ => Outcome::Broken(format!("{ended:?}, it said `{text}` and `{}`", said.error.trim())),
    }
}

/// Whether something still writes to a file that it kept writing to.
fn judge_heartbeat(fixture: &Fixture) -> Outcome {
    let beat = fixture.workspace.join("noexec/beat");
    let length = || fs::metadata(&beat).map_or(0, |found| found.len());
    let before = length();
    thread::sleep(Duration::from_millis(400));
    match (before, length()) {
        (0, _) => Outcome::Broken("there never was a heartbeat".into()),
        (before, after) if after > before => Outcome::Escaped("it still runs".into()),
        _ => Outcome::Contained("it has ended".into()),
    }
}

/// The standard streams of an attempt and the other ends of them.
struct Streams {
    stdio: Stdio,
    ours: Ours,
}

struct Ours {
    stdin: Option<File>,
    stdout: PipeReader,
    stderr: PipeReader,
}

impl Streams {
    fn new(fixture: &Fixture, kind: Stdin) -> Self {
        let (stdout, their_stdout) = pipe().expect("a pipe");
        let (stderr, their_stderr) = pipe().expect("a pipe");
        let (input, our_input) = match kind {
            Stdin::Pipe => {
                let (theirs, ours) = pipe().expect("a pipe");
                (theirs.into(), Some(File::from(OwnedFd::from(ours))))
            }
            Stdin::Terminal => terminal(fixture),
            Stdin::File => (open(&fixture.outside.join("inner/file")), None),
            Stdin::Directory => (open(&fixture.outside), None),
        };
        let stdio =
            Stdio { stdin: input, stdout: their_stdout.into(), stderr: their_stderr.into() };
        Self { stdio, ours: Ours { stdin: our_input, stdout, stderr } }
    }
}

fn open(path: &camino::Utf8Path) -> OwnedFd {
    File::open(path).expect("it was made").into()
}

/// A terminal of the user's, and its other side.
fn terminal(fixture: &Fixture) -> (OwnedFd, Option<File>) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
    let ours = ours.expect("a terminal");
    grantpt(&ours).expect("a terminal");
    unlockpt(&ours).expect("a terminal");
    let name = ptsname(&ours, Vec::new()).expect("a terminal has a name").into_string();
    let name = camino::Utf8PathBuf::from(name.expect("a readable name"));
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let theirs = rustix::fs::open(name.as_std_path(), flags, rustix::fs::Mode::empty());
    super::fixture::give(name.as_std_path(), fixture.user);
    (theirs.expect("a terminal can be opened"), Some(File::from(ours)))
}

/// A conversation with an attempt.
struct Talk {
    out: thread::JoinHandle<(String, bool)>,
    error: thread::JoinHandle<String>,
}

/// What an attempt said.
struct Said {
    out: String,
    error: String,
    host_was_asked: bool,
}

impl Talk {
    fn start(ours: Ours, host: Host) -> Self {
        let Ours { stdin, stdout, mut stderr } = ours;
        let out = thread::spawn(move || converse(stdin, stdout, host));
        let error = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { out, error }
    }

    fn finish(self) -> Said {
        let (out, host_was_asked) = self.out.join().expect("the host can do what it is asked for");
        let error = self.error.join().expect("nothing goes wrong there");
        Said { out, error, host_was_asked }
    }
}

fn converse(mut stdin: Option<File>, stdout: PipeReader, mut host: Host) -> (String, bool) {
    let mut text = String::new();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        let Some(wish) = line.strip_prefix("@host ") else {
            text.push_str(&line);
            text.push('\n');
            continue;
        };
        let answer = host.serve(wish);
        let stdin = stdin.as_mut().expect("who asks the host has a pipe");
        let _ = writeln!(stdin, "{answer}");
    }
    (text, host.was_asked)
}
