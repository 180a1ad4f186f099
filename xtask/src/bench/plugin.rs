//! Plugins: what a request costs, and what it costs to start one, against the least one could do.
//!
//! The plugin is this program in another role ([`work`]), started by the real `jp`. It says how long its requests
//! took by its own clock. One request at a time goes back and forth between two processes, so all share a core,
//! as in the benchmarks of the VFS protocol.

mod help;

use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
    rc::Rc,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::{Event, encode_batch};
use jp_workspace::{FsStore, Select, Store as _};
use serde_json::{Value, json};

use super::{
    Programs,
    measure::{Pair, Work},
    pin,
    store::usual_event,
};
use crate::{
    failure::{Failure, Result},
    role::Role,
};

/// How many round trips are one sample.
const TRIPS: u32 = 2_000;
const EVENTS: usize = 10_000;
const CONVERSATION: u64 = 17_127_583_920;

/// Reads what it is told, and says that it is done. Both sides of the comparison give it the same line.
const NO_OP: &str = "#!/bin/sh\nread -r init\necho '{\"type\":\"exit\",\"code\":0}'\n";

/// Prints the line that it is told first.
const FIRST: &str = r#"#!/bin/sh
read -r init
quoted=$(printf %s "$init" | sed 's/["\\]/\\&/g')
printf '{"type":"print","text":"%s\\n"}\n{"type":"exit","code":0}\n' "$quoted"
"#;

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let world = Rc::new(World::new(programs)?);
    let mut pairs = vec![round_trip(&world), read_events(&world), dispatch(&world)?];
    pairs.extend(help::pairs(programs)?);
    Ok(pairs)
}

/// A request that is answered from memory, against a line that comes back as it is.
fn round_trip(world: &Rc<World>) -> Pair {
    let world = Rc::clone(world);
    Pair {
        name: "plugin request, against a bare pipe echo".to_owned(),
        limit: 2.0,
        samples: 30,
        subject: Work::timed(move || {
            let _pinned = pin::to_one_core()?;
            world.measured(&["bench", "trips"])
        }),
        peer: Work::timed(|| {
            let _pinned = pin::to_one_core()?;
            echo()
        }),
    }
}

/// All events of a conversation as a line in the plugin, against having them as types in this program.
fn read_events(world: &Rc<World>) -> Pair {
    let (subject, peer) = (Rc::clone(world), Rc::clone(world));
    Pair {
        name: "plugin read_events, 10,000, against loading them".to_owned(),
        limit: 2.0,
        samples: 20,
        subject: Work::timed(move || subject.measured(&["bench", "events"])),
        peer: Work::repeat(1, move || {
            let store = FsStore::new(&peer.project().join(".jp"));
            let id = jp_conversation::ConversationId::from_u64(CONVERSATION);
            let stream = store.events(id, Select::All).map_err(Failure::because("cannot read"))?;
            let events: Vec<Event> = stream.events().flatten().collect();
            if events.len() == EVENTS { Ok(()) } else { Err(Failure::new("events are missing")) }
        }),
    }
}

/// `jp noop` against the script itself, both in the same surroundings and heard to their end.
fn dispatch(world: &Rc<World>) -> Result<Pair> {
    let (subject, peer) = (Rc::clone(world), Rc::clone(world));
    let init = world.run(&["first"])?;
    let script = world.dir.join("bin/jp-noop");
    Ok(Pair {
        name: "plugin dispatch, against running it bare".to_owned(),
        limit: 3.0,
        samples: 60,
        subject: Work::repeat(1, move || subject.run(&["noop"]).map(drop)),
        peer: Work::repeat(1, move || peer.run_bare(&script, &init)),
    })
}

/// A user, a workspace and three plugins, removed at the end.
struct World {
    dir: Utf8PathBuf,
    jp: Utf8PathBuf,
}

impl World {
    fn new(programs: &Programs) -> Result<Self> {
        let world = Self { dir: programs.dir.join("bench-plugin"), jp: programs.path("jp")? };
        let _ = fs::remove_dir_all(&world.dir);
        world.fill().map_err(Failure::because("cannot make a workspace"))?;
        Ok(world)
    }

    fn fill(&self) -> io::Result<()> {
        let role =
            format!("#!/bin/sh\nexec {} role plugin-worker\n", env::current_exe()?.display());
        let events: Vec<Event> = (0..EVENTS).map(usual_event).collect();
        let conversation = format!("project/.jp/conversations/{CONVERSATION}/events.jsonl");
        let trust = "[plugins.command.bench]\nrun = 'unattended'\n\
                     [plugins.command.noop]\nrun = 'unattended'\n\
                     [plugins.command.first]\nrun = 'unattended'\n";
        for (path, content) in [
            ("bin/jp-bench", role.as_bytes()),
            ("bin/jp-noop", NO_OP.as_bytes()),
            ("bin/jp-first", FIRST.as_bytes()),
            ("home/.config/jp/config.toml", trust.as_bytes()),
            ("project/.jp/config.toml", b""),
            (&conversation, &encode_batch(&events)),
        ] {
            let path = self.dir.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&self.dir))?;
            fs::write(&path, content)?;
        }
        for name in ["jp-bench", "jp-noop", "jp-first"] {
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(self.dir.join("bin").join(name), executable)?;
        }
        Ok(())
    }

    fn project(&self) -> Utf8PathBuf {
        self.dir.join("project")
    }

    /// What a plugin prints.
    fn run(&self, words: &[&str]) -> Result<String> {
        let mut command = self.command(&self.jp);
        let output = command.args(words).stdin(Stdio::null()).output();
        let output = output.map_err(Failure::because("cannot start jp"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(Failure::new(format!("the plugin failed: {}", String::from_utf8_lossy(&output.stderr))))
    }

    /// Runs a script without `jp`, with this line on its standard input.
    fn run_bare(&self, script: &Utf8Path, line: &str) -> Result {
        let run = || -> io::Result<()> {
            let mut command = self.command(script);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn()?;
            if let Some(mut stdin) = child.stdin.take() {
                // It may have ended by itself.
                let _ = stdin.write_all(line.as_bytes());
            }
            child.wait_with_output().map(drop)
        };
        run().map_err(Failure::because("cannot run the plugin"))
    }

    fn command(&self, program: &Utf8Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.dir.join("home"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.dir.join("bin")));
        command
    }

    /// How long the plugin says that it took.
    fn measured(&self, words: &[&str]) -> Result<Duration> {
        let text = self.run(words)?;
        let nanoseconds = text.trim().parse();
        let nanoseconds = nanoseconds.map_err(Failure::because(format!("it says {text}")))?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A line to another process and back, which does nothing with it.
pub(super) fn echo() -> Result<Duration> {
    let failed = Failure::because("cannot talk to an echo");
    let talk = || -> io::Result<Duration> {
        let mut child =
            Role::PluginEcho.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (mut to, from) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let mut from = BufReader::new(from);
        let took =
            trips(&mut from, &mut to, "{\"type\":\"read_config\",\"path\":\"style.color\"}\n")?;
        drop(to);
        child.wait()?;
        Ok(took)
    };
    talk().map_err(failed)
}

/// How long one line and its answer take.
fn trips(from: &mut impl io::BufRead, to: &mut impl io::Write, line: &str) -> io::Result<Duration> {
    let mut answer = Vec::new();
    let mut trip = || {
        to.write_all(line.as_bytes())?;
        to.flush()?;
        answer.clear();
        match from.read_until(b'\n', &mut answer)? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            _ => Ok(()),
        }
    };
    for _ in 0..TRIPS / 10 {
        trip()?;
    }
    let start = Instant::now();
    for _ in 0..TRIPS {
        trip()?;
    }
    Ok(start.elapsed() / TRIPS)
}

/// Sends every line back.
pub(crate) fn be_an_echo() -> Result {
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    let mut talk = || -> io::Result<()> {
        while from.read_until(b'\n', &mut line)? > 0 {
            to.write_all(&line)?;
            to.flush()?;
            line.clear();
        }
        Ok(())
    };
    talk().map_err(Failure::because("cannot send a line back"))
}

/// The plugin that is measured: does what the first word of `init.args` says, and prints how long it took.
pub(crate) fn work() -> Result {
    let failed = Failure::because("cannot talk to the host");
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let mut talk = || -> io::Result<()> {
        let mut init = String::new();
        from.read_line(&mut init)?;
        let init: Value = serde_json::from_str(&init)?;
        let took = match init["args"][0].as_str() {
            Some("trips") => {
                trips(&mut from, &mut to, "{\"type\":\"read_config\",\"path\":\"style.color\"}\n")?
            }
            _ => events(&mut from, &mut to)?,
        };
        let print = json!({ "type": "print", "text": format!("{}\n", took.as_nanos()) });
        writeln!(to, "{print}\n{}", json!({ "type": "exit", "code": 0 }))?;
        to.flush()
    };
    talk().map_err(failed)
}

fn events(from: &mut impl io::BufRead, to: &mut impl io::Write) -> io::Result<Duration> {
    let ask = json!({ "type": "read_events", "conversation": CONVERSATION.to_string() });
    let start = Instant::now();
    writeln!(to, "{ask}")?;
    to.flush()?;
    let mut answer = Vec::new();
    from.read_until(b'\n', &mut answer)?;
    let took = start.elapsed();
    let answer: Value = serde_json::from_slice(&answer)?;
    match answer["data"].as_array().map(Vec::len) {
        Some(EVENTS) => Ok(took),
        found => Err(io::Error::other(format!("{found:?} events"))),
    }
}
