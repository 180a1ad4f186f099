//! The roles: which one is played is said by the first argument.
//!
//! Children carry a token in their arguments, by which a test finds them among all processes.
#![expect(clippy::disallowed_methods, reason = "it starts processes behind the back of the crate")]
#![expect(clippy::print_stdout, reason = "it talks to the test")]

use std::{
    io::{self, Write},
    path::Path,
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use jp_process::{Bounds, Call, Host, Spawn, Stop, run};
use jp_sandbox::{
    confinement::{Confinement, Tier},
    linux::helper,
};

use crate::{
    plain::{confinement, shell},
    waiting,
};

/// Longer than any test, so that whoever is forgotten is seen; short enough not to stay for long.
const LONG: Duration = Duration::from_mins(2);

pub(crate) fn play() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [helper::WORD] => return helper::serve(),
        ["sleep", ..] => {
            thread::sleep(LONG);
            Ok(())
        }
        ["flood", stream, bytes] => flood(stream, bytes.parse().unwrap_or(0)),
        ["daemon", token, depth] => daemon(token, depth.parse().unwrap_or(0)),
        ["swarm", token, size] => swarm(token, size.parse().unwrap_or(0)),
        ["parent", what, helper, token] => parent(what, helper, token),
        ["waiting", what, helper, script] => waiting::play(what, helper, script),
        _ => Err(io::Error::other("unknown role")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Writes as fast as it can.
fn flood(stream: &str, mut bytes: u64) -> io::Result<()> {
    let piece = vec![b'x'; 64 * 1024];
    while bytes > 0 {
        let length = usize::try_from(bytes).unwrap_or(usize::MAX).min(piece.len());
        if stream != "stderr" {
            io::stdout().write_all(&piece[..length])?;
        }
        if stream != "stdout" {
            io::stderr().write_all(&piece[..length])?;
        }
        bytes -= length as u64;
    }
    Ok(())
}

/// Starts a process in a session of its own that starts another, and so on, each ending after it has;
/// the last one stays, with the streams open.
fn daemon(token: &str, depth: u32) -> io::Result<()> {
    let _ = rustix::process::setsid();
    if depth == 0 {
        thread::sleep(LONG);
        return Ok(());
    }
    let next = (depth - 1).to_string();
    Command::new(std::env::current_exe()?).args(["daemon", token, &next]).spawn()?;
    Ok(())
}

/// A tree of processes, all of which stay.
fn swarm(token: &str, size: u32) -> io::Result<()> {
    for _ in 0..2 {
        if let Some(smaller) = size.checked_sub(1) {
            let smaller = smaller.to_string();
            Command::new(std::env::current_exe()?)
                .args(["swarm", token, &smaller])
                .stdout(Stdio::null())
                .spawn()?;
        }
    }
    thread::sleep(LONG);
    Ok(())
}

/// Uses the crate.
fn parent(what: &str, helper: &str, token: &str) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let host = Host::new(helper);
    match what {
        "hold" => runtime.block_on(hold(&host, helper, token)),
        "lend" => runtime.block_on(lend(&host)),
        "swallow" => {
            runtime.block_on(swallow(&host, helper))?;
            println!("{}", most_memory()?);
            Ok(())
        }
        "heavy" => {
            let memory = vec![1_u8; 512 << 20];
            let succeeded = runtime.block_on(succeed_often(&host))?;
            println!("{succeeded} {}", memory.iter().step_by(4096).all(|byte| *byte == 1));
            Ok(())
        }
        _ => Err(io::Error::other("unknown parent")),
    }
}

/// Starts daemons and swarms under every tier, says so, and waits to be killed.
async fn hold(host: &Host, fixture: &str, token: &str) -> io::Result<()> {
    let mut children = Vec::new();
    for tier in [Tier::None, Tier::Landlock, Tier::Namespaces] {
        for script in ["$0 daemon $1 3; exec $0 sleep $1", "exec $0 swarm $1 3"] {
            let program = shell(script, Path::new(fixture), &[token]);
            let spawn = Spawn::new(program, confinement(tier)).piped();
            children.push(host.spawn(spawn).await.map_err(io::Error::other)?);
        }
    }
    println!("ready");
    tokio::time::sleep(LONG).await;
    drop(children);
    Ok(())
}

/// Lends its terminal to a shell that reads from it, is interrupted, and dies with the terminal in a state that
/// nobody else could use; then reads from it itself.
async fn lend(host: &Host) -> io::Result<()> {
    let script = "trap 'echo child interrupted >/dev/tty; stty raw -echo </dev/tty; kill -9 $$' INT; \
                  read line </dev/tty; echo child got $line >/dev/tty; while :; do sleep 1; done";
    let terminal = Some(rustix::process::getpgrp().as_raw_pid());
    let confinement = Confinement { terminal, ..confinement(Tier::None) };
    let mut child = host
        .spawn(Spawn::new(shell(script, Path::new("sh"), &[]), confinement).piped())
        .await
        .map_err(io::Error::other)?;
    println!("lent");
    let exit = child.wait().await.map_err(io::Error::other)?;
    println!("back: {exit}");
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    println!("parent got {line}");
    Ok(())
}

/// Reads a gigabyte from a process that does not let itself be stopped.
async fn swallow(host: &Host, fixture: &str) -> io::Result<()> {
    let script = "trap '' TERM; exec $0 flood both 500000000";
    let stop = Stop { terminate_after: Duration::ZERO, kill_after: LONG };
    let call = Call {
        program: shell(script, Path::new(fixture), &[]),
        confinement: confinement(Tier::None),
        input: Vec::new(),
        bounds: Bounds { stop, ..Bounds::default() },
    };
    let finished = run(host, call, std::future::pending()).await.map_err(io::Error::other)?;
    let is_kept = |length| length == Bounds::default().output;
    let is_right = finished.exit.is_success()
        && is_kept(finished.stdout.bytes.len())
        && is_kept(finished.stderr.bytes.len());
    if is_right { Ok(()) } else { Err(io::Error::other("not what was expected")) }
}

async fn succeed_often(host: &Host) -> io::Result<usize> {
    let mut succeeded = 0;
    for tier in [Tier::None, Tier::Landlock, Tier::Namespaces].repeat(5) {
        let call = Call {
            program: shell("exit 0", Path::new("sh"), &[]),
            confinement: confinement(tier),
            input: Vec::new(),
            bounds: Bounds::default(),
        };
        let finished = run(host, call, std::future::pending()).await.map_err(io::Error::other)?;
        succeeded += usize::from(finished.exit.is_success());
    }
    Ok(succeeded)
}

/// The most memory that this process had, in kilobytes.
fn most_memory() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| io::Error::other("no VmHWM"))
}
