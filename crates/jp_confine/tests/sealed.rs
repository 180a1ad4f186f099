//! The sealed profile, with real programs: each runs, and reaches nothing but itself.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own files")]

mod support;

use std::{ffi::OsStr, fs, os::unix::fs::PermissionsExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{CommandLine, ConfineError, ProgramParts, Word, resolve};
use jp_process::Finished;
use jp_sandbox::{
    event::Ended,
    machine::Feature,
    plan::{Profile, blocked_by},
};
use jp_tool::access::CommandRule;
use support::{Run, SEARCH, World, output, policy};

const SEALED: Profile = Profile::Sealed { may_execute_system: false };
const DESCRIBED: Profile = Profile::Sealed { may_execute_system: true };

/// What a program of the workspace must not do, in Python: prints what it could.
const REACHES: &str = r#"
import os, socket, subprocess, sys
root, home = sys.argv[1], sys.argv[2]
def tries(name, body):
    try:
        if body() is not False: print("could", name)
    except (OSError, PermissionError): pass
tries("read the workspace", lambda: open(root + "/workspace-file").read())
tries("list the workspace", lambda: "workspace-file" in os.listdir(root))
tries("read a sibling", lambda: open(root + "/tool/sibling").read())
def become():
    child = os.fork()
    if child == 0:
        try: os.execv(sys.executable, ["x", "-c", ""])
        except OSError: os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
# The directory around it may be one of its own, which nobody else sees.
try: open(root + "/tool/new", "w").write("new")
except OSError: pass
tries("write itself", lambda: open(root + "/tool/main", "r+"))
tries("read the home", lambda: open(home + "/private").read())
tries("list the home", lambda: "private" in os.listdir(home))
tries("read the accounts", lambda: open("/etc/passwd").read())
tries("see what is in /tmp", lambda: len(os.listdir("/tmp")) > 0)
tries("see a variable", lambda: "SECRET" in os.environ)
tries("connect", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 2))
tries("make a socket with a path", lambda: socket.socket(socket.AF_UNIX))
tries("start itself", lambda: subprocess.run([sys.executable, "-c", ""]))
tries("start a program", lambda: subprocess.run(["/usr/bin/true"]))
tries("start a library's program", lambda: subprocess.run(["/usr/lib/git-core/git"]))
tries("become a program", become)
open(os.environ.get("TMPDIR", "/tmp") + "/own", "w").write("own")
print("done")
"#;

fn world(hide: &[Feature]) -> World {
    let world = World::without(hide);
    world.file("workspace-file", "workspace").file("tool/sibling", "sibling");
    fs::write(world.home().join("private"), "private").unwrap();
    world
}

/// Makes a file that can be executed.
fn program(world: &World, path: &str, text: &str) {
    world.file(path, text);
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(world.root().join(path), mode).unwrap();
}

fn parts(world: &World, command: &[&str], listed: &[&str]) -> ProgramParts {
    let literal = |text: &&str| Word { text: text.into(), literal: true };
    let words: Vec<Word> = command.iter().map(literal).collect();
    let program_files: Vec<_> = listed.iter().map(Utf8PathBuf::from).collect();
    resolve(CommandLine {
        words: &words,
        search_path: OsStr::new(SEARCH),
        directory: &world.root(),
        program_files: &program_files,
    })
    .unwrap()
}

async fn run(world: &World, profile: Profile, parts: &ProgramParts) -> Finished {
    let run = Run {
        profile: Some(profile),
        program: &parts.path,
        program_files: &parts.files,
        args: parts.args.clone(),
        directory: Some(&parts.directory),
        ..Run::sh("")
    };
    world.run(run).await.0
}

/// Makes what is run, and says which command that is and what it lists.
type Make = fn(&World) -> (Vec<String>, Vec<&'static str>);

/// Runs a command sealed, with namespaces and without, and compares what it says.
async fn check(make: Make, profile: Profile, want: &str) {
    check_without(&[&[], &[Feature::Namespaces]], make, profile, want).await;
}

async fn check_without(hidden: &[&[Feature]], make: Make, profile: Profile, want: &str) {
    for hide in hidden.iter().copied() {
        let here = world(hide);
        let (command, listed) = make(&here);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let finished = run(&here, profile, &parts(&here, &command, &listed)).await;
        assert_eq!(output(&finished), want, "{command:?} without {hide:?}: {}", finished.exit);
        assert!(finished.exit.is_success());
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// D11-006: the executable and its libraries.
#[tokio::test]
async fn a_dynamic_program_runs() {
    check(|_| (words(&["printf", "%s", "said"]), vec![]), SEALED, "said").await;
    // One of the workspace, with a library beside it.
    check(
        |world| {
            world.file("tool/one.c", "int one(void) { return 7; }").file(
                "tool/main.c",
                "#include <stdio.h>\nint one(void); int main(void) { printf(\"%d\", one()); }",
            );
            let script = "cc -shared -fPIC -o libone.so.1 one.c && ln -s libone.so.1 libone.so && \
                          cc -o main main.c -Wl,-rpath,'$ORIGIN' -L. -lone";
            compile(&world.root().join("tool"), script);
            (words(&["tool/main"]), vec![])
        },
        SEALED,
        "7",
    )
    .await;
}

#[tokio::test]
async fn a_static_program_runs() {
    check(
        |world| {
            world.file("tool/main.c", FIRST);
            compile(&world.root().join("tool"), MAKE_FIRST);
            (words(&["tool/main", "/dev/null"]), vec![])
        },
        SEALED,
        "",
    )
    .await;
}

#[tokio::test]
async fn a_shell_script_runs() {
    check(
        |world| {
            program(world, "tool/main", "#!/bin/sh -e\necho \"$1 $(( 3 + 4 ))\"; false; echo late");
            (words(&["sh", "-c", ". ./tool/main || true", "x"]), vec!["tool/main"])
        },
        SEALED,
        " 7\nlate\n",
    )
    .await;
    check(
        |world| {
            program(world, "tool/main", "#!/bin/sh\necho \"$1 $(( 3 + 4 ))\"");
            (words(&["./tool/main", "said"]), vec![])
        },
        SEALED,
        "said 7\n",
    )
    .await;
}

#[tokio::test]
async fn a_python_script_runs_by_env() {
    check(
        |world| {
            program(
                world,
                "tool/main",
                "#!/usr/bin/env python3\nimport json, ssl\nprint(json.dumps([7]))",
            );
            (words(&["tool/main"]), vec![])
        },
        SEALED,
        "[7]\n",
    )
    .await;
}

/// D11-008: what is listed, and no sibling of it.
#[tokio::test]
async fn a_python_script_finds_the_module_that_is_listed() {
    const MAIN: &str = "import helper\nprint(helper.value())\n\
                        try:\n import sibling\nexcept ModuleNotFoundError:\n print('alone')";
    // Landlock cannot let a directory be listed without its siblings, so there it has to be listed whole.
    check_without(
        &[&[]],
        |world| {
            world.file("tool/helper.py", "def value(): return 7").file("tool/sibling.py", "");
            program(world, "tool/main.py", MAIN);
            (words(&["python3", "tool/main.py"]), vec!["tool/helper.py"])
        },
        SEALED,
        "7\nalone\n",
    )
    .await;
}

#[tokio::test]
async fn a_node_script_runs() {
    check(
        |world| {
            world.file("tool/lib/seven.js", "module.exports = 7;");
            program(
                world,
                "tool/main.js",
                "#!/usr/bin/env node\nconsole.log(require('./lib/seven'), require('os').EOL.length);",
            );
            (words(&["tool/main.js"]), vec!["tool/lib"])
        },
        SEALED,
        "7 1\n",
    )
    .await;
}

/// D11-002, D11-003, D11-004, D11-005, D11-009: no workspace, no home, no network, no other program, and
/// an empty directory of its own. Shown to be possible without the seal.
#[tokio::test]
async fn a_sealed_program_reaches_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for hide in [&[][..], &[Feature::Namespaces]] {
        let world = world(hide);
        program(&world, "tool/main", &format!("#!/usr/bin/env python3\n{REACHES}"));
        let (root, home) = (world.root(), world.home());
        let command = ["tool/main", root.as_str(), home.as_str(), port.as_str()];
        let parts = parts(&world, &command, &[]);
        let finished = run(&world, SEALED, &parts).await;
        assert_eq!(output(&finished), "done\n", "without {hide:?}");
        assert!(!world.has("tool/new"), "it wrote beside itself");
        let open = run(&world, Profile::Off, &parts).await;
        assert_eq!(output(&open).matches("could").count(), 15, "{}", output(&open));
    }
}

/// A describe may start the programs of the system, behind the same walls.
#[tokio::test]
async fn a_describe_starts_programs_of_the_system_only() {
    const DESCRIBE: &str = "#!/bin/sh\n\
        echo '{\"a\": [1, 2]}' | jq -c .a | sed s/1/7/ | tr -d '\\n'\n\
        ./tool/other 2>/dev/null || cat workspace-file 2>/dev/null || cat /etc/passwd 2>/dev/null\n\
        ls \"$HOME_OF_TEST\" 2>/dev/null; ls /tmp 2>/dev/null; python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>/dev/null || printf ' alone'";
    check(
        |world| {
            program(world, "tool/other", "#!/bin/sh\necho other");
            program(world, "tool/describe", DESCRIBE);
            (words(&["tool/describe"]), vec![])
        },
        DESCRIBED,
        "[7,2] alone",
    )
    .await;
}

/// What nobody said yes to stays hidden, also where a command names it.
#[tokio::test]
async fn a_sensitive_file_is_no_part_of_a_program() {
    let world = world(&[]);
    world.file(".env", "SECRET");
    world.file("plain", "plain");
    let finished = run(&world, SEALED, &parts(&world, &["cat", "plain", ".env"], &[".env"])).await;
    assert!(!output(&finished).contains("SECRET") && !finished.exit.is_success());
}

/// Opens what it is given, makes a socket and executes, in its first instructions: there is no loader
/// before them, and no library. Its code says what worked.
const FIRST: &str = r#"
#if defined(__x86_64__)
static long call(long n, long a, long b, long c) {
    long r; __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
enum { OPENAT = 257, SOCKET = 41, EXECVE = 59, EXIT = 60 };
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call first");
#elif defined(__aarch64__)
static long call(long n, long a, long b, long c) {
    register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
enum { OPENAT = 56, SOCKET = 198, EXECVE = 221, EXIT = 93 };
__asm__(".globl _start\n_start: mov x0, sp\n bl first");
#endif
void first(long *stack) {
    char **words = (char **)(stack + 1);
    long could = 0;
    if (stack[0] > 2 && call(OPENAT, -100, (long)words[1], 0) >= 0) could |= 1;
    if (stack[0] > 2 && call(SOCKET, 2, 1, 0) >= 0) could |= 2;
    if (stack[0] > 2 && could == 0) { call(EXECVE, (long)words[2], (long)(words + 2), 0); could |= 4; }
    call(EXIT, could, 0, 0);
}
"#;
const MAKE_FIRST: &str = "cc -static -nostdlib -fno-stack-protector -O1 -o main main.c";

fn compile(directory: &Utf8Path, script: &str) {
    let done =
        std::process::Command::new("sh").args(["-c", script]).current_dir(directory).status();
    assert!(done.unwrap().success(), "a C compiler is needed for this test");
}

/// D11-171: the sandbox is in force before the first instruction of the tool.
#[tokio::test]
async fn the_first_instruction_is_confined() {
    let world = World::without(&[Feature::Namespaces]);
    world.file("workspace-file", "workspace").file("tool/main.c", FIRST);
    compile(&world.root().join("tool"), MAKE_FIRST);
    let file = world.root().join("workspace-file");
    let main = world.root().join("tool/main");
    let open = std::process::Command::new(&main).args([file.as_str(), "/usr/bin/true"]).status();
    assert_eq!(open.unwrap().code(), Some(3), "it can do all of that by itself");
    let mut parts = parts(&world, &["tool/main"], &[]);
    parts.args.extend([file.as_str().into(), "/usr/bin/true".into()]);
    // Nothing was opened, there is no socket, and the call to execute came back.
    let finished = run(&world, SEALED, &parts).await;
    assert_eq!(finished.exit.ended, Ended::Code(4));
}

/// D11-201: the profile is made from the policy before the process is: there is no other way to a
/// process than through a plan, and what the plan says is what the process finds.
#[tokio::test]
async fn the_profile_comes_from_the_policy_and_before_the_process() {
    let world = world(&[]);
    let script = "cat workspace-file; cat tool/sibling; touch tool/made; true";
    for (rules, seen) in
        [(". r", "workspacesibling"), ("tool r", "sibling"), ("workspace-file r", "workspace")]
    {
        let run = || Run::sh(&format!("{script} 2>/dev/null")).under(rules);
        let prepared = world.prepare(&run()).await.unwrap();
        for (file, text) in [("workspace-file", "workspace"), ("tool/sibling", "sibling")] {
            let denied = blocked_by(
                &prepared.plan.view,
                &world.root().join(file),
                jp_sandbox::event::Wanted::Read,
            );
            assert_eq!(denied.is_none(), seen.contains(text), "{rules}");
        }
        // A rule that comes later is too late.
        let running = world.start_prepared(prepared, run().under(". rcud")).await;
        let finished = running.finish(Vec::new(), support::bounds(), std::future::pending()).await;
        let text = String::from_utf8(finished.unwrap().0.stdout.bytes).unwrap();
        assert_eq!(text, seen, "{rules}");
        assert!(!world.has("tool/made"));
    }
    // A policy that cannot be kept leads to no process at all.
    let mut commands = policy(". rcud");
    let allowed = [("git".to_owned(), CommandRule::default())];
    commands.commands = Some(allowed.into_iter().collect());
    let run = Run { policy: Some(commands), ..Run::sh("touch started") };
    assert!(matches!(world.prepare(&run).await, Err(ConfineError::Refused(_))));
    assert!(!world.has("started"));
}
