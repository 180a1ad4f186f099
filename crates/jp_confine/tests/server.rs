//! Processes that live long: what is kept from them stays so, whatever the host does meanwhile.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own files")]

mod support;

use std::fs;

use jp_confine::Running;
use jp_sandbox::plan::{Fidelity, Lifetime};
use support::{LONG, Run, World};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Answers each line, a script, with what it wrote, and goes on.
const SERVE: &str = "while read -r line; do out=$(eval \"$line\" 2>&1); code=$?; \
                     echo \"$code $out\" | tr '\\n' ' '; echo; done";

/// A server that does what it is told.
struct Server {
    running: Running,
    answers: tokio::io::Lines<BufReader<tokio::net::unix::pipe::Receiver>>,
}

impl Server {
    async fn start(world: &World, rules: &str) -> Self {
        Self::start_as(world, rules, Lifetime::Server).await
    }

    async fn start_as(world: &World, rules: &str, lifetime: Lifetime) -> Self {
        let mut run = Run::sh(SERVE);
        run.lifetime = lifetime;
        let run = if rules.is_empty() { run } else { run.under(rules) };
        let mut running = world.start(run).await;
        let answers = BufReader::new(running.child.stdout.take().unwrap()).lines();
        Self { running, answers }
    }

    /// What a script of one line wrote, after its exit code.
    async fn ask(&mut self, script: &str) -> String {
        let stdin = self.running.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{script}\n").as_bytes()).await.unwrap();
        let answer = tokio::time::timeout(LONG, self.answers.next_line()).await;
        answer.unwrap().unwrap().unwrap_or_default()
    }

    async fn works(&mut self, script: &str) -> bool {
        self.ask(script).await.starts_with("0 ")
    }
}

fn world() -> World {
    let world = World::new();
    world
        .file(".env", "SECRET")
        .file("src/lib", "lib")
        .file("top", "top")
        .file("packages/a/.env", "SECRET")
        .file("packages/a/index", "index")
        .file("packages/b/index", "index")
        .file("config/settings", "settings");
    std::os::unix::fs::symlink("top", world.root().join("link")).unwrap();
    world
}

#[tokio::test]
async fn a_server_writes_around_what_is_hidden_from_it() {
    let world = world();
    for rules in ["", ". rcudx"] {
        let mut server = Server::start(&world, rules).await;
        for (script, works) in [
            ("cat top link src/lib packages/a/index", true),
            ("echo new > src/new && mv src/new src/newer && rm src/newer", true),
            ("mkdir -p packages/b/deep && echo x > packages/b/deep/x", true),
            ("echo changed > top && echo changed > packages/a/index", true),
            ("cat .env", false),
            ("cat packages/a/.env", false),
            ("chmod 644 .env && cat .env", false),
            ("echo x > .env", false),
            ("rm .env", false),
            ("mv .env moved", false),
            ("ln .env src/linked && cat src/linked", false),
            ("mv packages moved", false),
            // The price: nothing directly in the directories above.
            ("echo x > new", false),
            ("echo x > packages/a/new", false),
            ("rm top", false),
        ] {
            assert_eq!(server.works(script).await, works, "{rules:?}: {script}");
        }
        // It reached the host at once.
        assert_eq!(world.read("top").as_deref(), Some("changed\n"));
        assert_eq!(world.read("packages/b/deep/x").as_deref(), Some("x\n"));
        assert_eq!(world.read(".env").as_deref(), Some("SECRET"));
        fs::remove_dir_all(world.root().join("packages/b/deep")).unwrap();
    }
}

/// What a mask does not survive.
#[tokio::test]
async fn what_is_hidden_stays_hidden_when_the_host_saves_it_anew() {
    let world = world();
    let root = world.root();
    let mut server = Server::start(&world, ". rcud").await;
    let save = |name: &str| {
        fs::write(root.join("saved"), "SECRET anew").unwrap();
        fs::rename(root.join("saved"), root.join(name)).unwrap();
    };
    let look = "cat .env packages/a/.env packages/*/.env packages/*/*/.env moved/a/.env .env/x";
    for round in 0..30 {
        save(".env");
        save("packages/a/.env");
        assert!(!server.ask(look).await.contains("SECRET"), "round {round}");
        // Removed and made again.
        fs::remove_file(root.join(".env")).unwrap();
        assert!(!server.ask(look).await.contains("SECRET"), "round {round}");
        fs::write(root.join(".env"), "SECRET made").unwrap();
        assert!(!server.ask(look).await.contains("SECRET"), "round {round}");
        // The directory above is exchanged for another.
        fs::rename(root.join("packages"), root.join("moved")).unwrap();
        fs::create_dir_all(root.join("packages/a")).unwrap();
        save("packages/a/.env");
        let seen = server.ask("cat packages/a/.env").await;
        assert!(!seen.contains("SECRET"), "round {round}: {seen}");
        fs::remove_dir_all(root.join("packages")).unwrap();
        fs::rename(root.join("moved"), root.join("packages")).unwrap();
    }
    assert!(server.works("cat src/lib").await, "and it still runs");
}

/// The same all the time, from both sides.
#[tokio::test]
async fn and_when_it_is_saved_all_the_time() {
    let world = world();
    let root = world.root();
    let mut server = Server::start(&world, ". rcud").await;
    let saving = std::thread::spawn(move || {
        for _ in 0..2_000 {
            fs::write(root.join("saved"), "SECRET anew").unwrap();
            fs::rename(root.join("saved"), root.join(".env")).unwrap();
        }
    });
    while !saving.is_finished() {
        let seen = server.ask("for i in 1 2 3 4 5 6 7 8 9; do cat .env; done").await;
        assert!(!seen.contains("SECRET"), "{seen}");
    }
    saving.join().unwrap();
}

#[tokio::test]
async fn what_is_read_only_stays_so_when_the_host_replaces_it() {
    let world = world();
    let root = world.root();
    let rules = ". rcud, config r, top ru, later r";
    let mut server = Server::start(&world, rules).await;
    assert!(!server.works("echo x > config/settings").await);
    assert!(server.works("echo x > top").await, "it may be changed");
    assert!(!server.works("rm top").await, "and not removed");
    // A directory that can only be read is exchanged for another, and so are files.
    fs::rename(root.join("config"), root.join("old")).unwrap();
    fs::create_dir(root.join("config")).unwrap();
    fs::write(root.join("config/settings"), "new").unwrap();
    fs::write(root.join("saved"), "saved").unwrap();
    fs::rename(root.join("saved"), root.join("top")).unwrap();
    fs::create_dir(root.join("later")).unwrap();
    for script in
        ["echo x > config/settings", "rm -r config", "rm top", "mv src/lib top", "echo x > later/x"]
    {
        assert!(!server.works(script).await, "{script}");
    }
    assert_eq!(world.read("config/settings").as_deref(), Some("new"));
    assert_eq!(world.read("top").as_deref(), Some("saved"));
}

/// A place with something hidden in it, inside one that says something else: the directory that it is
/// mounted on could be moved away. Also for calls.
#[tokio::test]
async fn a_place_with_something_hidden_stays_where_it_is() {
    for (rules, lifetime) in [
        (". r, packages/a rx", Lifetime::Call),
        (". r, packages/a r", Lifetime::Call),
        (". r, packages/a rx", Lifetime::Server),
        (". rcud, packages/a rx", Lifetime::Server),
    ] {
        let world = World::new();
        world.file("packages/a/.env", "SECRET").file("packages/b/index", "index");
        let root = world.root();
        let mut server = Server::start_as(&world, rules, lifetime).await;
        assert!(!server.ask("cat packages/a/.env").await.contains("SECRET"));
        fs::rename(root.join("packages/a"), root.join("packages/moved")).unwrap();
        fs::create_dir(root.join("packages/a")).unwrap();
        fs::write(root.join("packages/a/.env"), "SECRET anew").unwrap();
        let seen = server.ask("cat packages/a/.env").await;
        assert!(!seen.contains("SECRET"), "{rules} {lifetime:?}: {seen}");
    }
}

/// The plan says what holds, and that it may be carried out.
#[tokio::test]
async fn the_plan_of_a_server_is_never_looser() {
    let world = world();
    for rules in
        [". rcud", ". rcud, src r", ". rcud, missing -", ". rcud, top ru", ". rcudx, src rcud"]
    {
        let prepared = world.prepare(&Run::sh("true").under(rules).server()).await.unwrap();
        assert!(prepared.warning.is_none(), "{rules}");
        assert!(prepared.plan.fidelity() <= Fidelity::Stricter, "{rules}: {}", prepared.plan);
        assert!(!prepared.plan.transactional, "what a server writes is seen at once");
    }
}
