//! A parent that has a copy of itself from its first moment on, which carries out its first order.
//!
//! What the copy must not hand on is there before it is made: a descriptor that would survive, and variables of
//! whoever started this.
#![expect(clippy::disallowed_methods, reason = "it looks into /proc")]
#![expect(clippy::print_stdout, reason = "it talks to the test")]

use std::{fs::File, io, path::Path, thread, time::Duration};

use jp_process::{Bounds, Call, Host, Spawn, run};
use jp_sandbox::{confinement::Tier, linux::Waiting};
use rustix::{
    io::{FdFlags, fcntl_setfd},
    process::{Pid, Signal, getpid, kill_process},
};
use tokio::{runtime::Runtime, time::timeout};

use crate::plain::{confinement, shell};

/// Longer than any test.
const LONG: Duration = Duration::from_mins(2);

/// How long a copy that does nothing is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

pub(crate) fn play(what: &str, helper: &str, script: &str) -> io::Result<()> {
    let open = File::open("/proc/self/exe")?;
    fcntl_setfd(&open, FdFlags::empty())?;
    let waiting = Waiting::fork()?;
    let copy = *children(getpid())?.first().ok_or_else(|| io::Error::other("there is no copy"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let host = Host::new(helper).patience(PATIENCE);
    match what {
        "late" | "cancel" | "hold stopped" => stop(begun_by(copy)?)?,
        // It stops as soon as its process runs a program.
        "hold stopping" => kill_process(copy, Signal::STOP)?,
        _ => {}
    }
    match what {
        "hold" | "hold stopped" | "hold stopping" => {
            println!("ready {}", copy.as_raw_nonzero());
            thread::sleep(LONG);
            drop(waiting);
        }
        "drop" => {
            drop(waiting);
            println!("{} left", children(getpid())?.len());
        }
        // A script says whose child it is, so that it is seen who carried out the order.
        "twice" => {
            let host = host.begun(Some(waiting));
            for _ in 0..2 {
                print(&runtime, &host, script, copy)?;
            }
        }
        "late" | "begin" => {
            let host = host.begun(Some(waiting));
            let spawned = runtime.block_on(host.spawn(order(script)));
            println!("{}", spawned.err().map_or_else(|| "started".to_owned(), |it| it.to_string()));
            println!("{} left", children(getpid())?.len());
            if what == "late" {
                print(&runtime, &host, script, copy)?;
            }
        }
        "cancel" => {
            let host = host.begun(Some(waiting));
            let spawn = runtime.block_on(async {
                timeout(Duration::from_millis(100), host.spawn(order(script))).await
            });
            println!("{}", if spawn.is_err() { "cancelled" } else { "not cancelled" });
            let ended = (0..500).any(|_| {
                thread::sleep(Duration::from_millis(10));
                state(copy).is_none_or(|state| state == 'Z')
            });
            println!("{}", if ended { "gone" } else { "still there" });
        }
        // Its script stops whoever minds it.
        "kill" => {
            let host = host.begun(Some(waiting));
            let killed = runtime.block_on(async {
                let mut child = host.spawn(order(script)).await.map_err(io::Error::other)?;
                let stopped = (0..500).any(|_| {
                    thread::sleep(Duration::from_millis(10));
                    state(copy) == Some('T')
                });
                println!("{}", if stopped { "stopped" } else { "not stopped" });
                child.kill().await.map_err(io::Error::other)
            });
            println!("{}", killed?);
        }
        _ => return Err(io::Error::other("unknown parent")),
    }
    Ok(())
}

fn order(script: &str) -> Spawn {
    Spawn::new(shell(script, Path::new("sh"), &[]), confinement(Tier::None)).piped()
}

/// Runs the script and prints what it says, and how it ended if that was no success; its first word is who started it.
fn print(runtime: &Runtime, host: &Host, script: &str, copy: Pid) -> io::Result<()> {
    let call = Call {
        program: shell(script, Path::new("sh"), &[]),
        confinement: confinement(Tier::None),
        input: Vec::new(),
        bounds: Bounds::default(),
    };
    let finished = runtime.block_on(run(host, call, std::future::pending()));
    let finished = finished.map_err(io::Error::other)?;
    let said = String::from_utf8_lossy(&finished.stdout.bytes);
    let by = said.split_whitespace().next().unwrap_or_default();
    let by_copy = by == copy.as_raw_nonzero().to_string();
    let end =
        if finished.exit.is_success() { String::new() } else { format!(" {}", finished.exit) };
    println!("{} {}{end}", if by_copy { "copy" } else { "helper" }, said.trim_end());
    Ok(())
}

/// The process that waits for the order, and becomes the program.
fn begun_by(copy: Pid) -> io::Result<Pid> {
    for _ in 0..5_000 {
        if let Some(first) = children(copy)?.first() {
            return Ok(*first);
        }
        thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::other("nobody waits for the order"))
}

fn stop(pid: Pid) -> io::Result<()> {
    kill_process(pid, Signal::STOP)?;
    while state(pid) != Some('T') {
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// The letter that the kernel has for what a process does; `None` if there is no such process.
fn state(pid: Pid) -> Option<char> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

/// Zombies included.
fn children(of: Pid) -> io::Result<Vec<Pid>> {
    let of = of.as_raw_nonzero();
    let text = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"))?;
    Ok(text.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect())
}
