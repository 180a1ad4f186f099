//! `cargo xtask soak`: many sealed tools at once, most of which misbehave, on the files of one project.
//!
//! Each tool is a process of its own ([`tool`]) that writes files with known content and notes what the
//! host has acknowledged. Then it is killed, floods the host, stops reading or goes wrong in one of the other
//! ways of [`Fault`]. Whatever they do, at the end every write that was acknowledged is there and whole, no
//! process is left, and the host has no more files open, no more threads and hardly more memory than before.
//!
//! What happens is drawn from a seed, which is printed. How processes take turns is not, so the same seed
//! gives the same tools with the same faults and not the same run.

mod content;
mod leak;
mod random;
mod tool;

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use jp_project::{FsProjectFiles, Rules};
use jp_tool::access::path::Root;
use jp_tool::access::{AccessPolicy, Capability, FsRule};
use jp_tool::vfs::{Answer, Init, InitContext, PROTOCOL_VERSION};
use jp_vfs::gate::Gate;
use jp_vfs::{End, Host, Limits, Pipes, Session, ToolAccess};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use self::leak::Footprint;
use self::random::Random;
pub(crate) use self::tool::run as be_a_tool;
use self::tool::{Fault, Job};
use crate::failure::{Failure, Result};
use crate::role::Role;

/// How long a tool may be silent or deaf before it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// When a session that has not ended is stuck, also on a busy machine.
const STUCK: Duration = Duration::from_mins(1);
/// How long what was ended may take to be gone.
const GONE: Duration = Duration::from_secs(10);

/// A file that is larger than what a pipe holds.
const BIG: &str = "big.txt";

/// How long, how many, and from which seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) time: Duration,
    pub(crate) tools: u64,
    pub(crate) seed: Option<u64>,
}

/// Runs the tools and looks at what is left.
pub(crate) fn run(plan: Plan) -> Result {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = plan.seed.unwrap_or_else(now);
    println!("{} tools for {:?}, seed {seed}", plan.tools, plan.time);
    let arena = Arena::new(seed)?;
    // The first tools make everything that stays: buffers of the allocator, threads, caches.
    arena.round(plan.tools, Duration::ZERO, seed)?;
    let before = Footprint::settled(None)?;
    arena.round(plan.tools, plan.time, seed.wrapping_add(1))?;
    let after = Footprint::settled(Some(&before))?;
    after.compare(&before)?;
    let files = content::check(&arena.root, &arena.logs)?;
    let started = arena.started.load(Ordering::Relaxed);
    println!("{started} tools, {files} files whole, {before} before, {after} after");
    Ok(())
}

/// What all tools share.
struct Arena {
    dir: Utf8PathBuf,
    /// The project.
    root: Utf8PathBuf,
    /// Where tools note what was acknowledged.
    logs: Utf8PathBuf,
    runtime: Runtime,
    host: Arc<Host>,
    started: AtomicU64,
}

impl Arena {
    fn new(seed: u64) -> Result<Self> {
        let dir = crate::root().join(format!("target/soak-{seed}"));
        let (root, logs) = (dir.join("project"), dir.join("logs"));
        let _ = fs::remove_dir_all(&dir);
        for made in [&root, &logs] {
            fs::create_dir_all(made).map_err(Failure::because(format!("cannot make {made}")))?;
        }
        let big = fs::write(root.join(BIG), "a line\n".repeat(150_000));
        big.map_err(Failure::because("cannot write"))?;
        // Threads that nobody needs go soon, so that those that are left are told from a leak.
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_keep_alive(Duration::from_millis(100))
            .enable_time()
            .build()
            .map_err(Failure::because("cannot start a runtime"))?;
        let limits = Limits { request_timeout: PATIENCE, ..Limits::default() };
        let host = Arc::new(Host::without_means(limits));
        Ok(Self { dir, root, logs, runtime, host, started: AtomicU64::new(0) })
    }

    /// So many tools at once, each followed by another until the time is over.
    fn round(&self, tools: u64, time: Duration, seed: u64) -> Result {
        let end = Instant::now() + time;
        thread::scope(|scope| {
            let slots = (0..tools).map(|slot| {
                let random = Random::new(seed ^ (slot << 32));
                scope.spawn(move || self.slot(slot, end, random))
            });
            let slots: Vec<_> = slots.collect();
            slots.into_iter().try_for_each(|slot| {
                slot.join().unwrap_or_else(|_| Err(Failure::new("a thread of the host panicked")))
            })
        })
    }

    /// One tool after the other.
    fn slot(&self, slot: u64, end: Instant, mut random: Random) -> Result {
        loop {
            let fault = *random.one_of(Fault::ALL);
            let number = self.started.fetch_add(1, Ordering::Relaxed);
            let log = self.logs.join(format!("{slot}.log")).into_string();
            let job = Job { fault, number, seed: random.next(), log };
            self.one(&job, &mut random).map_err(Failure::because(format!("{job:?}")))?;
            if Instant::now() >= end {
                return Ok(());
            }
        }
    }

    /// One tool, from its start until nothing of it is left.
    fn one(&self, job: &Job, random: &mut Random) -> Result {
        let mut child = Process::start()?;
        let session = self.session(&mut child, job)?;
        let end = self.runtime.block_on(async {
            let pause = Duration::from_millis(random.below(200));
            match job.fault {
                Fault::Killed => {
                    tokio::time::sleep(pause).await;
                    child.kill();
                }
                Fault::HostCancel => {
                    tokio::time::sleep(pause).await;
                    session.cancel();
                }
                // The handle goes while the tool is at work.
                Fault::HostGone => {
                    tokio::time::sleep(pause).await;
                    return Ok(None);
                }
                _ => {}
            }
            let end = tokio::time::timeout(STUCK, session.end()).await;
            end.map(Some).map_err(Failure::because("the session is stuck"))
        })?;
        drop(session);
        child.kill();
        child.check_gone()?;
        expect(job.fault, end.as_ref())
    }

    fn session(&self, child: &mut Process, job: &Job) -> Result<Session> {
        let failed = Failure::because("cannot serve the tool");
        let root = Root::open(&self.root).map_err(Failure::because("cannot open the project"))?;
        let files = FsProjectFiles::new(root, Rules::default());
        let all = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
        let fs = vec![FsRule::new(".", all)];
        let policy = AccessPolicy { fs: fs.into(), ..AccessPolicy::default() };
        let access = ToolAccess::new("soak", "conversation.tools.soak", Some(policy), None);
        let gate = Gate::new(Arc::new(access), Arc::new(files), self.dir.join("scratch"));
        let _entered = self.runtime.enter();
        let pipes = child.pipes()?;
        Session::start(pipes, init(job)?, Arc::new(gate), self.host.clone(), false).map_err(failed)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Whether a tool ended as one with this fault has to.
fn expect(fault: Fault, end: Option<&End>) -> Result {
    let is_expected = match (fault, end) {
        (Fault::None | Fault::NoNewline | Fault::SlowReader, Some(End::Result(answer))) => {
            matches!(answer, Answer::Content(_))
        }
        (Fault::HalfLine | Fault::Leaves, Some(End::Closed))
        | (Fault::HostGone, None)
        // Its child keeps the stream open for a while, and then it is closed, or nothing came for too long.
        | (Fault::HoldsPipe, Some(End::Closed | End::Silent(_)))
        | (Fault::Silent, Some(End::Silent(_)))
        | (Fault::NeverReads, Some(End::Deaf(_)))
        // It may have been done, or not have begun; a half line is none.
        | (Fault::Killed | Fault::HostCancel, Some(_))
        // It is told to wait until it reads, which it never does.
        | (Fault::Flood, Some(End::Deaf(_) | End::Closed)) => true,
        _ => false,
    };
    if is_expected { Ok(()) } else { Err(Failure::new(format!("it ended with {end:?}"))) }
}

fn init(job: &Job) -> Result<Init> {
    let job = serde_json::to_value(job).map_err(Failure::because("no job"))?;
    let mut tool = jp_tool::Tool { name: "soak".to_owned(), ..jp_tool::Tool::default() };
    tool.options.insert("job".to_owned(), json!(job));
    let context = InitContext::default();
    Ok(Init { tool, context, protocol_version: PROTOCOL_VERSION.to_owned() })
}

/// A process in a group of its own, with what it starts.
struct Process {
    child: Child,
    group: Option<Pid>,
}

impl Process {
    fn start() -> Result<Self> {
        let mut command = Role::SoakTool.command();
        command.current_dir(Utf8Path::new("/")).process_group(0);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = child.spawn().map_err(Failure::because("cannot start a tool"))?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Ok(Self { child, group })
    }

    fn pipes(&mut self) -> Result<Pipes> {
        match (self.child.stdin.take(), self.child.stdout.take()) {
            (Some(to_tool), Some(from_tool)) => {
                Ok(Pipes { to_tool: to_tool.into(), from_tool: from_tool.into() })
            }
            _ => Err(Failure::new("the tool has no streams")),
        }
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// That nothing of the group is left.
    fn check_gone(&mut self) -> Result {
        self.child.wait().map_err(Failure::because("cannot wait for the tool"))?;
        let deadline = Instant::now() + GONE;
        while self.group.is_some_and(|group| test_kill_process_group(group).is_ok()) {
            if Instant::now() > deadline {
                return Err(Failure::new("a process of the tool is left"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}
