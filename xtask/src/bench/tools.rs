//! Tools as a person meets them, whole commands: searching a large tree against ripgrep, and finding
//! out what thirty programs are against finding out what one is.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::Programs;
use super::measure::{Pair, Work};
use crate::cmd::tools_dir;
use crate::failure::{Failure, Result};
use crate::needs;

/// Enough that searching takes longer than the tenth of a second from which it counts.
const FILES: usize = 40_000;
const FILE_LINES: usize = 260;

/// How many programs describe themselves.
const TOOLS: usize = 30;

/// What is searched for.
pub(super) const NEEDLE: &str = "needle_[0-9]+";

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    needs::meet(needs::BENCH)?;
    let jp = programs.path("jp")?;
    let tree = tree(programs)?;
    let grep = ["tool", "run", "fs_grep_files", &format!("pattern={NEEDLE}")];
    let many = registered(programs, "bench-many-tools", TOOLS)?;
    let one = registered(programs, "bench-one-tool", 1)?;
    Ok(vec![
        Pair {
            name: "fs_grep_files, large tree".to_owned(),
            limit: 1.3,
            samples: 12,
            subject: whole(&jp, &grep, &tree, Cache::Kept),
            peer: ripgrep(&["--json"], &tree),
        },
        Pair {
            name: "30 tools described, cold".to_owned(),
            limit: 8.0,
            samples: 30,
            subject: whole(&jp, &["tool", "list"], &many, Cache::Empty),
            peer: whole(&jp, &["tool", "list"], &one, Cache::Empty),
        },
        Pair {
            name: "30 tools described, warm".to_owned(),
            limit: 1.0,
            samples: 30,
            subject: whole(&jp, &["tool", "list"], &many, Cache::Kept),
            peer: whole(&jp, &["tool", "list"], &one, Cache::Empty),
        },
    ])
}

/// The same tool sealed off and not, from the command to its last byte. How much more a seal costs is told;
/// nobody has said how much it may.
#[cfg(target_os = "linux")]
pub(super) fn sealed(programs: &Programs) -> Result<Vec<Pair>> {
    let jp = programs.path("jp")?;
    let root = programs.dir.join("bench-sealed");
    let _ = fs::remove_dir_all(&root);
    let failed = || Failure::because(format!("cannot make {root}"));
    fs::create_dir_all(root.join(".jp")).map_err(failed())?;
    fs::write(root.join(".jp/id"), "bench\n").map_err(failed())?;
    fs::write(root.join("file.txt"), "one line\n".repeat(100)).map_err(failed())?;
    let table = |name: &str, runtime: &str| {
        format!(
            "[conversation.tools.{name}]\nsource = \"local.fs_read_file\"\ncommand = \"jp-tools\"\n\
             runtime = \"{runtime}\"\nrun = \"unattended\"\n\
             access.fs = [{{ path = \".\", read = true }}]\n"
        )
    };
    let config = table("plain", "stdio") + &table("sealed", "vfs");
    fs::write(root.join(".jp/config.toml"), config).map_err(failed())?;
    let run = |name| whole(&jp, &["tool", "run", name, "path=file.txt"], &root, Cache::Kept);
    Ok(vec![Pair {
        name: "fs_read_file, vfs against stdio".to_owned(),
        limit: f64::INFINITY,
        samples: 30,
        subject: run("sealed"),
        peer: run("plain"),
    }])
}

/// The large tree, and what is needed to search it.
pub(super) fn searched_tree(programs: &Programs) -> Result<Utf8PathBuf> {
    needs::meet(needs::BENCH)?;
    tree(programs)
}

/// Ripgrep looking for the needle.
pub(super) fn ripgrep(args: &[&str], tree: &Utf8Path) -> Work {
    let args: Vec<&str> = args.iter().copied().chain([NEEDLE]).collect();
    whole(&tools_dir().join("bin/rg"), &args, tree, Cache::Kept)
}

/// Whether what programs said about themselves is still known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Kept,
    Empty,
}

/// A command from its start to the last byte of its output.
fn whole(program: &Utf8Path, args: &[&str], directory: &Utf8Path, cache: Cache) -> Work {
    let program = program.to_owned();
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let directory = directory.to_owned();
    Work::timed(move || {
        let home = directory.with_extension("home");
        if cache == Cache::Empty {
            let _ = fs::remove_dir_all(&home);
        }
        timed(&program, &args, &directory, &home)
    })
}

fn timed(
    program: &Utf8Path,
    args: &[String],
    directory: &Utf8Path,
    home: &Utf8Path,
) -> Result<Duration> {
    let failed = Failure::because(format!("cannot run {program}"));
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(args).current_dir(directory).env("HOME", home).env_remove("XDG_CACHE_HOME");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(failed)?;
    let mut printed = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        // What could not be read shows in the status.
        let _ = stdout.read_to_end(&mut printed);
    }
    let status = child.wait().map_err(Failure::because(format!("cannot wait for {program}")))?;
    let time = start.elapsed();
    if status.success() && !printed.is_empty() {
        return Ok(time);
    }
    Err(Failure::new(format!("{program} {} failed ({status})", args.join(" "))))
}

/// A workspace with many files, a few of which have what is looked for.
fn tree(programs: &Programs) -> Result<Utf8PathBuf> {
    let root = programs.dir.join(format!("bench-tree-{FILES}"));
    let done = root.join(".jp/config.toml");
    if done.is_file() {
        return Ok(root);
    }
    let _ = fs::remove_dir_all(&root);
    let failed = || Failure::because(format!("cannot make {root}"));
    let text: String =
        (0..FILE_LINES).map(|line| format!("let value_{line} = other({line});\n")).collect();
    for number in 0..FILES {
        let directory = root.join(format!("part{}/unit{}", number % 40, number % 400));
        fs::create_dir_all(&directory).map_err(failed())?;
        let mut text = text.clone();
        if number % 200 == 0 {
            let _ = writeln!(text, "// needle_{number}");
        }
        fs::write(directory.join(format!("file{number}.rs")), text).map_err(failed())?;
    }
    fs::create_dir_all(root.join(".jp")).map_err(failed())?;
    fs::write(root.join(".jp/id"), "bench\n").map_err(failed())?;
    let table = "[conversation.tools.fs_grep_files]\nsource = \"local\"\ncommand = \"jp-tools\"\n\
        run = \"unattended\"\naccess.fs = [{ path = \".\", read = true }]\n";
    fs::write(done, table).map_err(failed())?;
    Ok(root)
}

/// A workspace with some tools, each a program of its own.
fn registered(programs: &Programs, name: &str, count: usize) -> Result<Utf8PathBuf> {
    let root = programs.dir.join(name);
    let _ = fs::remove_dir_all(&root);
    let failed = || Failure::because(format!("cannot make {root}"));
    fs::create_dir_all(root.join(".jp")).map_err(failed())?;
    fs::write(root.join(".jp/id"), "bench\n").map_err(failed())?;
    let program = programs.path("jp-tools")?;
    let mut config = String::new();
    for number in 0..count {
        fs::copy(&program, root.join(format!("tool{number}"))).map_err(failed())?;
        let _ = writeln!(
            config,
            "[conversation.tools.tool{number}]\nsource = \"local.fs_read_file\"\n\
             command = \"./tool{number}\""
        );
    }
    fs::write(root.join(".jp/config.toml"), config).map_err(failed())?;
    Ok(root)
}
