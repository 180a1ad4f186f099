//! Real programs, really confined: what they get, what they cannot do, and how they end.
#![expect(clippy::disallowed_methods, reason = "tests look at their own files")]

mod world;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
};

use jp_sandbox::{machine::Feature, presets::Preset};

use self::world::{LONG, Run, SEARCH, World, text};
use super::*;

#[tokio::test]
async fn what_it_says_and_how_it_ends_comes_back() {
    let world = World::new();
    let ran = |stdout: &str, stderr: &str, exit_code| Ran {
        stdout: stdout.into(),
        stderr: stderr.into(),
        exit_code,
        lost: None,
    };
    let cases = [
        // D11-149
        ("echo out; echo err >&2", ran("out\n", "err\n", 0)),
        // D11-150
        ("echo bad; exit 3", ran("bad\n", "", 3)),
        ("kill -9 $$", ran("", "", 137)),
        // There is no input, and nobody waits for any.
        ("cat; readlink /proc/self/fd/0", ran("/dev/null\n", "", 0)),
    ];
    for (script, expected) in cases {
        assert_eq!(world.run(&Run::sh(script, "")).await.unwrap(), expected, "{script}");
    }
}

#[tokio::test]
async fn words_and_directory_are_as_given() {
    let world = World::new();
    // D11-151
    let words = ["[%s]", "a b", "$HOME", "*", "; exit 1", "`id`", "", "--"];
    let shown = world.output(&Run::new("printf", &words, "")).await;
    assert_eq!(shown, "[a b][$HOME][*][; exit 1][`id`][][--]");
    // D11-157
    let run = Run::new("pwd", &[], "");
    assert_eq!(world.output(&run).await.trim_end(), world.path("project"));
    let copy = Run { directory: "copy", ..run };
    assert_eq!(world.output(&copy).await.trim_end(), world.path("copy"));
    let failed = world.run(&Run::new("printf", &["a\0b"], "")).await;
    assert!(matches!(failed, Err(ProgramError::Failed(_))), "{failed:?}");
}

#[tokio::test]
async fn only_what_was_named_is_in_the_environment() {
    let world = World::new();
    let mut run = Run::new("env", &[], "");
    // What the tool may put into its requests is not what its programs get.
    run.policy.env = vec![EnvRule::new("SECRET", true)];
    let sorted = |shown: String| {
        let mut lines: Vec<_> = shown.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let home = format!("HOME={}", world.path("home"));
    let path = format!("PATH={SEARCH}");
    // D11-154
    assert_eq!(sorted(world.output(&run).await), [home.as_str(), "LC_TIME=C", &path]);
    // D11-155
    run.variables = vec![("SECRET".to_owned(), "given".to_owned())];
    run.policy.env = vec![EnvRule::new("HOME", false)];
    assert_eq!(sorted(world.output(&run).await), ["LC_TIME=C", &path, "SECRET=given"]);
}

#[tokio::test]
async fn files_are_those_of_the_tool() {
    // The rules, a script, and whether it can be done.
    let cases = [
        ("", "cat a.txt", true),
        // D11-207
        ("", "echo new > a.txt", false),
        ("", "echo new > b.txt", false),
        ("", "rm a.txt", false),
        (". r, out rcud", "echo new > out/made && rm out/made", true),
        (". r, out rcud", "echo new > a.txt", false),
        // Whatever it starts is confined as it is.
        ("", "sh -c \"sh -c 'echo new > a.txt'\"", false),
        (". r, out rcud", "cat secret/b.txt", true),
        (". r, secret -", "cat a.txt", true),
        (". r, secret -", "cat secret/b.txt", false),
        ("out rcud", "cat a.txt", false),
        // Sensitive, at home, and outside.
        (". rcud", "cat .env", false),
        ("", "cat .env", false),
        (". rcud", "cat ../home/.ssh/id", false),
        (". rcud", "cat ../home/note", false),
        (". rcud", "cat ../outside/c.txt", false),
        (". rcud", "echo new > ../outside/c.txt", false),
        // It cannot give itself more.
        (". rcud", "echo new > .jp.toml", false),
        // Only what a rule lets run is run, and not from a private place either.
        (". rcud", "bin/run.sh", false),
        (". rcudx", "bin/run.sh", true),
        ("", "cp /bin/true /tmp/t && /tmp/t", false),
    ];
    let worlds = [("project", World::new()), ("copy", World::new())];
    for (directory, world) in &worlds {
        for (path, content) in [("a.txt", "a"), ("secret/b.txt", "b"), (".env", "KEY=1")] {
            world.file(&format!("{directory}/{path}"), content);
        }
        world.file(&format!("{directory}/.jp.toml"), "").file(&format!("{directory}/out/o"), "");
        world.script(&format!("{directory}/bin/run.sh"), "exit 0");
        world.file("home/.ssh/id", "key").file("home/note", "n").file("outside/c.txt", "c");
        for (rules, script, can) in cases {
            let run = Run { directory, ..Run::sh(script, rules) };
            let did = world.run(&run).await.is_ok_and(|ran| ran.exit_code == 0);
            assert_eq!(did, can, "{directory}: {script} under {rules:?}");
        }
        assert_eq!(fs::read_to_string(world.path(directory).join("a.txt")).unwrap(), "a");
        assert_eq!(fs::read_to_string(world.path("outside/c.txt")).unwrap(), "c");
    }
}

#[tokio::test]
async fn there_is_no_network_without_a_rule() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let direct = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    let denies = NetRule::new("example.com", false);
    let other = NetRule::new("example.com", true);
    let here = NetRule { port: Some(port), ..NetRule::new("127.0.0.1", true) };
    let landlock = || World::without(&[Feature::Namespaces], Profile::Strict);
    for world in [World::new(), landlock()] {
        for net in [vec![], vec![denies.clone()], vec![other.clone()], vec![here.clone()]] {
            let ran = world.run(&Run::bash(&direct, &net)).await.unwrap();
            assert_ne!(ran.exit_code, 0, "{net:?}: {}", text(&ran.stdout));
        }
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody has come through");
    listener.set_nonblocking(false).unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let _ = stream.read(&mut [0; 1024]).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").unwrap();
    });
    let asked = |url: &str| {
        let request = format!("GET {url} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
        format!(
            "proxy=${{http_proxy##*:}}; exec 3<>/dev/tcp/127.0.0.1/$proxy; printf '{request}' >&3; \
             head -c 12 <&3"
        )
    };
    let world = World::new();
    let refused = Run::bash(&asked("http://example.com/"), std::slice::from_ref(&here));
    assert_eq!(world.output(&refused).await, "HTTP/1.1 403");
    let allowed = Run::bash(&asked(&format!("http://127.0.0.1:{port}/")), &[here]);
    assert_eq!(world.output(&allowed).await, "HTTP/1.1 200");
    served.join().unwrap();
}

#[tokio::test]
async fn toolchains_work_and_their_secrets_are_hidden() {
    let mut world = World::new();
    world.script("home/.cargo/bin/hello", "cat ~/.cargo/credentials.toml; ls -A ~ ~/.cargo");
    world.file("home/.cargo/credentials.toml", "token").file("home/.netrc", "password");
    let ran = world.run(&Run::new("hello", &[], "")).await.unwrap();
    let shown = text(&ran.stdout);
    assert!(shown.contains("bin") && !shown.contains("netrc") && !shown.contains("token"));
    // A repository is made by a program that may, and looked at by one that may only look.
    let made = Run::sh("git init -q . && git add . && git status --porcelain", ". rcudx");
    world.file("project/a.txt", "a");
    assert!(world.output(&made).await.contains("A  a.txt"));
    let looked = Run::new("git", &["status", "--porcelain"], "");
    assert!(world.output(&looked).await.contains("A  a.txt"));
    // A cache can be written where the tool names the preset.
    world.file("home/.cargo/registry/x", "");
    let fetched = Run::sh("echo new > ~/.cargo/registry/made", "");
    assert_ne!(world.run(&fetched).await.unwrap().exit_code, 0);
    let needs = Needs { presets: vec![Preset::Rust], ..Needs::default() };
    world.programs.needs.insert("conversation.tools.test".to_owned(), needs);
    world.output(&fetched).await;
    assert!(world.path("home/.cargo/registry/made").is_file());
}

#[tokio::test]
async fn a_name_means_a_program_of_the_host() {
    let world = World::new();
    world.script("project/bin/tool", "echo from the project");
    world.script("project/tool.sh", "echo by its path");
    world.file("project/plain", "no program");
    std::os::unix::fs::symlink(world.path("project/bin/tool"), world.path("outside/linked"))
        .unwrap();
    // D11-161, and a program that lies in wait.
    for name in ["no-such-program", "tool", "linked", "./missing", "./plain", "", "a\0b"] {
        let ran = world.run(&Run::new(name, &[], ". rcudx")).await;
        assert!(matches!(ran, Err(ProgramError::NotFound(_))), "{name:?}: {ran:?}");
    }
    world.script("outside/tool", "echo from the host");
    for (name, says) in [("tool", "from the host\n"), ("./tool.sh", "by its path\n")] {
        assert_eq!(world.output(&Run::new(name, &[], "")).await, says);
    }
    // What no rule names is not started, whoever asks.
    let unnamed = Run { program: "/usr/bin/env", ..Run::new("env", &[], "") };
    let ran = world.run(&unnamed).await;
    assert!(matches!(ran, Err(ProgramError::Refused(_))), "{ran:?}");
}

#[tokio::test]
async fn what_takes_too_long_or_says_too_much_is_ended_with_all_that_it_started() {
    let world = World::new();
    let token = world.path("token");
    let stays = format!(
        "(setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' {token} >/dev/null 2>&1 &); \
         trap '' TERM;"
    );
    let time = Duration::from_secs(1);
    let slow = Run { time, ..Run::sh(&format!("{stays} while :; do sleep 1; done"), "") };
    let ran = world.run(&slow).await;
    assert!(matches!(ran, Err(ProgramError::Time(limit)) if limit == time), "{ran:?}");
    world.wait_for(false).await;
    for script in ["yes", "yes >&2", "head -c 100001 /dev/zero"] {
        let loud = Run { output_bytes: 100_000, ..Run::sh(&format!("{stays} {script}"), "") };
        let ran = world.run(&loud).await;
        assert!(matches!(ran, Err(ProgramError::Output(100_000))), "{script}: {ran:?}");
        world.wait_for(false).await;
    }
    // What has ended leaves nothing behind either.
    world.output(&Run::sh(&format!("{stays} exit 0"), "")).await;
    world.wait_for(false).await;
    // Nobody waits any more.
    let run = Run::sh(&format!("{stays} while :; do sleep 1; done"), "");
    tokio::select! {
        ran = world.run(&run) => panic!("{ran:?}"),
        () = world.wait_for(true) => {}
    }
    world.wait_for(false).await;
}

#[tokio::test]
async fn what_cannot_be_confined_is_refused_with_advice() {
    let nothing = [Feature::Namespaces, Feature::Landlock];
    let run = Run::sh("echo ran", "");
    for profile in [Profile::Workspace, Profile::Strict] {
        match World::without(&nothing, profile).run(&run).await {
            Err(ProgramError::Refused(text)) => {
                assert!(text.contains("jp sandbox doctor"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Unless somebody has turned it off. No variable of the host is passed on even then.
    let world = World::without(&nothing, Profile::Off);
    assert_eq!(world.output(&Run::sh("echo ${SECRET-none}", "")).await, "none\n");
    let ran = World::new().run(&Run { directory: "nowhere", ..run }).await;
    assert!(matches!(ran, Err(ProgramError::Failed(_))), "{ran:?}");
}

#[tokio::test]
async fn changes_are_judged_where_a_rule_tells_them_apart() {
    let world = World::new();
    world.file("project/log/old", "old");
    let made = Run::sh("echo new > log/new; exit 4", ". r, log rc");
    assert_eq!(world.run(&made).await.unwrap().exit_code, 4);
    assert_eq!(fs::read_to_string(world.path("project/log/new")).unwrap(), "new\n");
    let both = "echo other > log/old; echo other > log/other; echo said; exit 5";
    let ran = world.run(&Run::sh(both, ". r, log rc")).await.unwrap();
    assert_eq!((text(&ran.stdout).as_str(), ran.exit_code), ("said\n", 5));
    assert!(matches!(&ran.lost, Some(Lost::Refused(why)) if why.contains("log/old")), "{ran:?}");
    assert_eq!(fs::read_to_string(world.path("project/log/old")).unwrap(), "old");
    assert!(world.path("project/log/other").is_file());
}
