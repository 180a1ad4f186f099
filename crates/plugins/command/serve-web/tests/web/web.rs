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
}

impl Web {
    /// Starts it on a port that is free.
    pub(crate) fn start(env: &TestEnv) -> Self {
        Self::start_with(env, &["--port", "0"])
    }

    /// Starts it with these arguments.
    pub(crate) fn start_with(env: &TestEnv, args: &[&str]) -> Self {
        let running = jp(env, args).timeout(Duration::from_mins(5)).spawn();
        running.expect_stdout("http://");
        running.expect_stdout("\n");
        let text = running.stdout_so_far();
        let url = text.lines().next().unwrap().trim_end_matches('/').to_owned();
        Self { running, url }
    }

    /// The host and port, as they stand in a request.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split(['/', '?']).next().unwrap()
    }

    /// What is at a path.
    pub(crate) fn get(&self, path: &str) -> Reply {
        request(self.host(), &format!("GET {path}"), &[&format!("Host: {}", self.host())], "")
    }
}
