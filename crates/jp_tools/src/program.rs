//! Starting a program that somebody else wrote, for a moment and under limits.
//!
//! The environment is made anew, there is no shell, and the program is looked for in the places of
//! the system only, never in the workspace. It is stopped with everything it has started when it
//! takes too long or says too much.

use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use rustix::process::{Pid, Signal};

/// Where programs are.
const PATH: &str =
    "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin:/run/current-system/sw/bin";

/// What to start.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) name: &'a str,
    pub(crate) args: &'a [String],
    /// Variables besides `PATH` and the locale.
    pub(crate) env: &'a [(&'a str, &'a str)],
    pub(crate) dir: &'a Utf8Path,
    pub(crate) stdin: &'a [u8],
    pub(crate) max_time: Duration,
    /// How much is read of what it says, in bytes.
    pub(crate) max_output: usize,
}

/// How it went.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None`: it was stopped because it took too long.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Said,
    pub(crate) stderr: Said,
}

/// What a program said, from the beginning.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) bytes: Vec<u8>,
    /// Whether it said more.
    pub(crate) is_cut: bool,
}

impl Program<'_> {
    /// Runs it to its end.
    pub(crate) fn run(&self) -> io::Result<Ran> {
        let mut child = self.command().spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("a stream of the program is missing"));
        };
        thread::scope(|scope| {
            // A program that does not read must not stop us, nor one that ends before it has read.
            scope.spawn(move || drop(stdin.write_all(self.stdin)));
            let stdout = scope.spawn(|| read(stdout, self.max_output));
            let stderr = scope.spawn(|| read(stderr, self.max_output));
            let status = wait(&mut child, self.max_time);
            let said =
                |reader: thread::ScopedJoinHandle<'_, Said>| reader.join().unwrap_or_default();
            Ok(Ran { status: status?, stdout: said(stdout), stderr: said(stderr) })
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a tool is a program of its own inside the sandbox, without the host's runtime"
    )]
    fn command(&self) -> Command {
        let mut command = Command::new(self.name);
        command
            .args(self.args)
            .env_clear()
            .env("PATH", PATH)
            .env("LC_ALL", "C.UTF-8")
            .envs(self.env.iter().copied())
            .current_dir(self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // So that what it starts can be stopped with it.
            .process_group(0);
        command
    }
}

/// Reads up to a limit. Closing the stream then ends a program that goes on.
fn read(stream: impl Read, max: usize) -> Said {
    let mut said = Said::default();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    // What was read before an error counts.
    let _broken = stream.take(limit).read_to_end(&mut said.bytes);
    said.is_cut = said.bytes.len() > max;
    said.bytes.truncate(max);
    said
}

/// Waits for the end, or makes it. Everything that the program has started ends with it, so that the
/// streams are closed.
fn wait(child: &mut Child, max: Duration) -> io::Result<Option<ExitStatus>> {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(200));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() >= max {
            break None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let _already_gone = rustix::process::kill_process_group(Pid::from_child(child), Signal::KILL);
    if status.is_none() {
        child.wait()?;
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program<'a>(name: &'a str, args: &'a [String]) -> Program<'a> {
        Program {
            name,
            args,
            env: &[("TZ", "UTC")],
            dir: Utf8Path::new("/"),
            stdin: b"",
            max_time: Duration::from_secs(20),
            max_output: 1_000,
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_environment_is_made_anew() {
        let ran = program("env", &[]).run().unwrap();
        let text = String::from_utf8(ran.stdout.bytes).unwrap();
        let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["LC_ALL", "PATH", "TZ"]);
    }

    #[test]
    fn what_takes_too_long_is_stopped_with_all_it_started() {
        let args = words(&["-c", "sleep 300 & sleep 300"]);
        let start = Instant::now();
        let program = Program { max_time: Duration::from_millis(200), ..program("sh", &args) };
        assert!(program.run().unwrap().status.is_none());
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_was_started_and_left_behind_does_not_hold_us_up() {
        let args = words(&["-c", "echo done; sleep 300 &"]);
        let start = Instant::now();
        let ran = program("sh", &args).run().unwrap();
        assert_eq!(ran.stdout.bytes, b"done\n");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn output_without_end_is_cut_and_input_that_nobody_reads_is_no_error() {
        let input = vec![b'x'; 1 << 20];
        let cut = Program { stdin: &input, ..program("yes", &[]) }.run().unwrap();
        assert!(cut.stdout.is_cut && cut.stdout.bytes.len() == 1_000);
        assert!(cut.status.is_some());
    }
}
