//! `jp serve web` in a world of its own.

use std::{os::unix::fs::symlink, time::Duration};

use jp_test::{Running, TestEnv, find_bin};

use crate::http::{Reply, request};

/// A workspace with the plugin on the search path of the user, who lets it run.
pub(crate) fn workspace() -> TestEnv {
    let env = TestEnv::new(find_bin("jp"));
    env.jp(["init"]).run().success();
    let bin = env.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_jp-serve-web"), bin.join("jp-serve-web")).unwrap();
    configure(&env, "[plugins.command.serve-web]\nrun = 'unattended'\n");
    env
}

/// Adds to the user's own settings.
pub(crate) fn configure(env: &TestEnv, text: &str) {
    let path = env.config_home().join("jp/config.toml");
    let before = if path.exists() { env.read(&path) } else { String::new() };
    env.write(&path, before + text);
}

/// A run of `jp serve web` with these arguments.
pub(crate) fn jp<'env>(env: &'env TestEnv, args: &[&str]) -> jp_test::Run<'env> {
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    env.jp(["serve", "web"].iter().chain(args)).env("PATH", path)
}

/// A server that runs. Dropping it ends it.
pub(crate) struct Web {
    pub(crate) running: Running,
    /// With its port, without a slash at the end.
    pub(crate) url: String,
    /// What was printed: the same with a token, where there is a new one.
    pub(crate) entrance: String,
    /// The field that lets a request in, where there is a new token.
    pub(crate) cookie: Option<String>,
}

impl Web {
    /// Starts it on a port that is free, and is let in.
    pub(crate) fn start(env: &TestEnv) -> Self {
        Self::start_with(env, &["--port", "0"])
    }

    /// Starts it so that everybody on this machine is let in.
    pub(crate) fn start_open(env: &TestEnv) -> Self {
        Self::start_with(env, &["--port", "0", "--no-token"])
    }

    /// Starts it with these arguments.
    pub(crate) fn start_with(env: &TestEnv, args: &[&str]) -> Self {
        let running = jp(env, args).timeout(Duration::from_mins(5)).spawn();
        running.expect_stdout("http://");
        running.expect_stdout("\n");
        running.expect_stderr("Press Ctrl-C to stop.");
        let text = running.stdout_so_far();
        let entrance = text.lines().next().unwrap().to_owned();
        let (url, query) = entrance.rsplit_once('/').unwrap();
        let mut web =
            Self { running, url: url.to_owned(), entrance: entrance.clone(), cookie: None };
        if query.starts_with("?token=") {
            let reply = web.get(&format!("/{query}")).expect(303);
            let cookie = reply.field("set-cookie").split(';').next().unwrap();
            web.cookie = Some(format!("Cookie: {cookie}"));
        }
        web
    }

    /// The host and port, as they stand in a request.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// Has a conversation read, which can take a busy machine longer than a page may.
    pub(crate) fn warm(&self, id: &str) {
        let read = (0..5).any(|_| self.get(&format!("/c/{id}")).status == 200);
        assert!(read, "conversation {id} cannot be read");
    }

    /// What is at a path.
    pub(crate) fn get(&self, path: &str) -> Reply {
        let host = format!("Host: {}", self.host());
        let fields: Vec<_> = [&host].into_iter().chain(&self.cookie).map(String::as_str).collect();
        request(self.host(), &format!("GET {path}"), &fields, "")
    }
}
