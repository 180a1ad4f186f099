//! What a confined process finds, tried by real processes.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own files, and fail loudly"
)]

#[path = "support/mod.rs"]
mod support;

use std::time::Duration;

use jp_sandbox::{
    confinement::{Execute, Network, Tier},
    event::{Blocked, Ended, Wanted},
    failure::Step,
    machine::Feature,
    view::What,
};
use support::{DIRECT, JUDGED, READ, RUN, SPAWNER, Sandbox};

/// A workspace with something to hide.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("src/lib.rs", "lib")
        .file("src/generated/old", "old")
        .file(".env", "SECRET")
        .file("secret/key", "KEY")
        .file("secret/public/p", "public")
        .file("sub/a/k", "K");
    sandbox
}

/// Each line is tried as a script; what follows the arrow is expected in its output, or `fails`.
#[track_caller]
fn check(sandbox: &Sandbox, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (script, expected) = line.split_once("=>").expect("script => expectation");
        let outcome = sandbox.sh(script);
        let works = outcome.ended == Ok(Ended::Code(0));
        let fits = match expected.trim() {
            "fails" => !works,
            "works" => works,
            text => works && outcome.output.trim() == text,
        };
        assert!(fits, "{line}\n{outcome:?}");
    }
}

#[test]
fn the_deepest_place_decides() {
    let mut sandbox = workspace();
    sandbox.keep_changes();
    sandbox
        .place(".", JUDGED)
        .place("src", RUN)
        .place("src/generated", DIRECT)
        .place(".env", What::Hidden)
        .place("secret", What::Hidden)
        .place("secret/public", READ)
        .place("sub/a/k", What::Hidden);
    check(
        &sandbox,
        "cat src/lib.rs => lib
         echo x > src/lib.rs => fails
         rm src/lib.rs => fails
         chmod 777 src => fails
         mv src elsewhere => fails
         echo new > src/generated/new && cat src/generated/new => new
         cat .env => fails
         cat secret/key => fails
         ls secret => public
         cat secret/public/p => public
         echo x > secret/public/p => fails
         echo x > secret/new => fails
         cat sub/a/k => fails
         ls sub => a
         echo hi > made && cat made => hi",
    );
    assert_eq!(std::fs::read_to_string(sandbox.root().join("src/generated/new")).unwrap(), "new\n");
    assert!(!sandbox.root().join("made").exists(), "what is judged waits for the judge");
    let changes = sandbox.confinement.changes.clone().unwrap();
    assert_eq!(std::fs::read_to_string(changes.join("0/upper/made")).unwrap(), "hi\n");
}

#[test]
fn what_no_place_covers_is_not_there() {
    let mut sandbox = workspace();
    sandbox.place("src", READ);
    check(
        &sandbox,
        "ls -a | tr '\\n' ' ' => . .. src
         test -e /root => fails
         test -e /home => fails
         test -e /sys => fails
         test -e /run => fails
         test -e .env => fails
         touch new => fails
         touch /new => fails
         touch /usr/new => fails
         ls /tmp | wc -l => 0
         echo x > /tmp/x && cat /tmp/x => x
         test -c /dev/null && echo > /dev/null => works
         ls /dev/mem /dev/tty /dev/vda => fails",
    );
}

/// A program that commits what it finds must not take what it cannot read for deleted.
#[test]
fn what_is_hidden_is_there_and_cannot_be_opened() {
    for around in [RUN, JUDGED] {
        let mut sandbox = workspace();
        sandbox.keep_changes();
        sandbox.place(".", around).place(".env", What::Hidden).place("secret", What::Hidden);
        check(
            &sandbox,
            "test -f .env => works
             test -d secret => works
             cat .env => fails
             ls secret => fails
             cat secret/key => fails
             chmod 777 secret; cat secret/key => fails
             test -e nothing => fails",
        );
        let leaked = sandbox.sh("chmod 777 .env secret; cat .env secret/key; ls -R secret");
        assert!(!leaked.output.contains("SECRET") && !leaked.output.contains("KEY"), "{leaked:?}");
    }
}

#[test]
fn names_that_do_not_exist_yet_are_hidden_too() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN).place("later/secret", What::Hidden).place("soon", What::Hidden);
    // The host makes them while the process looks.
    let root = sandbox.root();
    let host = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        std::fs::create_dir_all(root.join("later")).unwrap();
        std::fs::write(root.join("later/secret"), "LATER").unwrap();
        std::fs::write(root.join("later/plain"), "plain").unwrap();
        std::fs::write(root.join("soon"), "SOON").unwrap();
    });
    let script = "for i in $(seq 40); do cat later/secret soon 2>/dev/null; sleep 0.01; done; true";
    let outcome = sandbox.sh(script);
    host.join().unwrap();
    assert_eq!(outcome.output, "");
    assert_eq!(outcome.ended, Ok(Ended::Code(0)));
}

#[test]
fn nothing_appears_where_the_host_has_nothing() {
    let mut sandbox = workspace();
    sandbox.keep_changes();
    sandbox.place(".", JUDGED).place("not/yet/there", What::Hidden);
    check(
        &sandbox,
        "ls | tr '\\n' ' ' => secret src sub
         mkdir not && mkdir not/yet && echo x > not/yet/other && cat not/yet/other => x",
    );
}

/// The host's root cannot be an overlay, so what is hidden in it is hidden one level down.
#[test]
fn what_is_hidden_in_a_root_that_is_shown_is_hidden() {
    let mut sandbox = workspace();
    sandbox.confinement.view.set("/", RUN);
    sandbox.confinement.view.set("/etc/shadow", What::Hidden);
    sandbox.confinement.view.set("/etc/ssl/private", What::Hidden);
    sandbox.confinement.view.set("/var/lib", What::Hidden);
    sandbox.confinement.view.set("/run", What::Hidden);
    check(
        &sandbox,
        "cat /etc/passwd => works
         cat /etc/shadow => fails
         ls /etc/ssl/private => fails
         ls /var/lib => fails
         ls /var/cache => works
         ls -A /run | grep . => fails
         touch /etc/new => fails",
    );
    sandbox.confinement.view.set("/etc", What::Hidden);
    check(&sandbox, "cat /etc/passwd => fails");
}

/// A mount that hides a file is dropped when the host renames another to its name.
#[test]
fn a_file_stays_hidden_when_the_host_saves_it_anew() {
    for around in [RUN, JUDGED] {
        let mut sandbox = workspace();
        sandbox.keep_changes();
        sandbox.place(".", around).place(".env", What::Hidden).place("secret", What::Hidden);
        let root = sandbox.root();
        let host = std::thread::spawn(move || {
            for round in 0..200 {
                std::fs::write(root.join(".env.tmp"), format!("SAVED {round}")).unwrap();
                std::fs::rename(root.join(".env.tmp"), root.join(".env")).unwrap();
                std::fs::rename(root.join("secret"), root.join("moved")).unwrap();
                std::fs::rename(root.join("moved"), root.join("secret")).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let outcome = sandbox
            .sh("for i in $(seq 100); do cat .env secret/key; ls secret; done 2>/dev/null; true");
        host.join().unwrap();
        assert_eq!(outcome.output, "", "{around:?}");
    }
}

#[test]
fn what_may_be_made_where_nothing_is_seen() {
    let mut sandbox = workspace();
    let changes = sandbox.keep_changes();
    sandbox.place(".", What::Blank).place("src", READ);
    check(
        &sandbox,
        "cat .env => fails
         cat src/lib.rs => lib
         mkdir out && echo x > out/file && cat out/file => x",
    );
    assert!(!sandbox.root().join("out").exists());
    assert_eq!(std::fs::read_to_string(changes.join("0/upper/out/file")).unwrap(), "x\n");
}

#[test]
fn what_must_not_run_does_not() {
    let mut sandbox = workspace();
    std::fs::copy("/bin/true", sandbox.root().join("program")).unwrap();
    sandbox.place(".", READ);
    check(
        &sandbox,
        "./program => fails
         /lib64/ld-linux-x86-64.so.2 ./program => fails",
    );
    sandbox.place(".", RUN);
    check(&sandbox, "./program => works");
}

#[test]
fn a_program_that_may_start_nothing_starts_nothing() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN);
    sandbox.confinement.execute = Execute::Itself;
    let outcome = sandbox.sh("echo begun; /bin/true; echo $?");
    assert_eq!(outcome.ended, Ok(Ended::Code(0)), "{outcome:?}");
    assert!(outcome.output.starts_with("begun"), "{outcome:?}");
    assert!(outcome.output.ends_with("126\n"), "{outcome:?}");
}

#[test]
fn what_was_denied_is_named() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN).place(".env", What::Hidden);
    sandbox.confinement.observe = true;
    let outside = sandbox.directory.path().join("outside");
    std::fs::write(&outside, "outside").unwrap();
    let outcome = sandbox.sh(&format!(
        "cat .env /etc/hostname missing; echo x > src/lib.rs; cat {}; \
         touch /tmp/own; cat /tmp/own; exit 9",
        outside.display()
    ));
    assert_eq!(outcome.ended, Ok(Ended::Code(9)));
    let denied = |path: &str, wanted| Blocked::Path { path: sandbox.root().join(path), wanted };
    let outside = outside.to_str().unwrap().into();
    assert_eq!(
        outcome.blocked,
        [
            denied(".env", Wanted::Read),
            denied("src/lib.rs", Wanted::Write),
            Blocked::Path { path: outside, wanted: Wanted::Read },
        ]
    );
}

#[test]
fn an_address_that_was_denied_is_named() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN);
    sandbox.confinement.observe = true;
    let script = "import socket\ns = socket.socket()\ns.connect(('192.0.2.7', 80))";
    let outcome = sandbox.run("/usr/bin/python3", &["python3", "-c", script]);
    assert!(matches!(outcome.ended, Ok(Ended::Code(1))), "{outcome:?}");
    assert_eq!(outcome.blocked, [Blocked::Address("192.0.2.7:80".into())]);
}

#[test]
fn how_a_program_ended_is_told() {
    for tier in [Tier::Namespaces, Tier::Landlock, Tier::None] {
        let mut sandbox = workspace();
        sandbox.confinement.view.set("/", RUN);
        sandbox.confinement.tier = tier;
        assert_eq!(sandbox.sh("exit 7").ended, Ok(Ended::Code(7)), "{tier:?}");
        assert_eq!(sandbox.sh("kill -9 $$").ended, Ok(Ended::Signal(9)), "{tier:?}");
        let missing = sandbox.run("/usr/bin/no-such-program", &["x"]).ended.unwrap_err();
        assert_eq!(missing.step, Step::Execute, "{tier:?}");
    }
}

#[test]
fn nothing_is_left_in_the_workspace() {
    let listing = |sandbox: &Sandbox| {
        let output = std::process::Command::new("find")
            .arg(sandbox.root())
            .args(["-printf", "%p %y %m %s %T@ %C@\n"])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut sandbox = workspace();
    sandbox.keep_changes();
    sandbox
        .place(".", JUDGED)
        .place(".env", What::Hidden)
        .place("missing/deep", What::Hidden)
        .place("src", RUN);
    let before = listing(&sandbox);
    sandbox.sh("true");
    sandbox.sh("kill -9 $$");
    sandbox.sh("echo x > new; rm -r sub; exit 1");
    sandbox.run("/no/such/program", &["x"]);
    assert_eq!(listing(&sandbox), before);
}

#[test]
fn there_is_no_network_but_ones_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut sandbox = workspace();
    sandbox.place(".", RUN);
    let connect = format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)");
    let connect = |sandbox: &Sandbox| {
        sandbox.run("/usr/bin/python3", &["python3", "-c", &connect]).ended == Ok(Ended::Code(0))
    };
    assert!(!connect(&sandbox));
    sandbox.confinement.network = Network::Shared;
    assert!(connect(&sandbox), "or the test could not fail");
    sandbox.confinement.network = Network::None;
    let own = "import socket\nl = socket.create_server(('127.0.0.1', 0))\n\
               socket.create_connection(l.getsockname(), 2)";
    assert_eq!(sandbox.run("/usr/bin/python3", &["python3", "-c", own]).ended, Ok(Ended::Code(0)));
}

/// Two may have a network of their own, until there is one for all who need none. There is nothing in any.
#[test]
fn who_makes_no_sockets_is_nowhere() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN);
    sandbox.confinement.network = Network::Sealed;
    let look = "readlink /proc/self/ns/net; wc -l < /proc/self/net/unix; wc -l < /proc/self/net/tcp; \
                tail -n +3 /proc/self/net/dev | tr -d ' ' | tr ':' ' '";
    let seen: Vec<String> = (0..6).map(|_| sandbox.sh(look).output).collect();
    let ours = std::fs::read_link("/proc/self/ns/net").unwrap();
    for seen in &seen {
        let lines: Vec<&str> = seen.lines().collect();
        assert!(lines[0].starts_with("net:") && lines[0] != ours.to_str().unwrap(), "{seen}");
        assert_eq!((lines[1..3].to_vec(), lines.len()), (vec!["1", "1"], 4), "{seen}");
        assert!(lines[3].starts_with("lo 0000"), "{seen}");
    }
    assert!(seen[2..].iter().all(|other| *other == seen[2]), "{seen:?}");
    sandbox.confinement.network = Network::None;
    // That of the first is gone, and its number may be used again.
    assert_ne!(sandbox.sh(look).output, seen[2], "or they would meet others there");
}

#[test]
fn who_is_sealed_makes_no_sockets() {
    let mut sandbox = workspace();
    sandbox.place(".", RUN);
    let make = "import socket\nfor family in (1, 2, 10, 16, 40):\n try: socket.socket(family, 3 if family == 16 \
                else 1)\n except PermissionError: print('no')\n else: print('yes')\nsocket.socketpair()";
    let make = |sandbox: &Sandbox| sandbox.run("/usr/bin/python3", &["python3", "-c", make]).output;
    for tier in [Tier::Namespaces, Tier::Landlock] {
        sandbox.confinement.tier = tier;
        sandbox.confinement.network = Network::Sealed;
        assert_eq!(make(&sandbox), "no\n".repeat(5), "{tier:?}");
        sandbox.confinement.network = Network::Shared;
        assert!(make(&sandbox).contains("yes"), "or the test could not fail");
    }
}

#[test]
fn this_machine_has_what_the_tests_need() {
    let machine = SPAWNER.probe(Duration::from_mins(1)).unwrap();
    assert_eq!(machine.tier(), Tier::Namespaces, "{machine:?}");
    assert_eq!(machine.clone().hiding(&[Feature::Namespaces]).tier(), Tier::Landlock);
    assert_eq!(machine.hiding(&[Feature::Seccomp]).tier(), Tier::None);
}
