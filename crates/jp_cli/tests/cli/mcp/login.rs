//! `jp mcp login`: a server that wants a login, through the real program and a browser.
#![expect(clippy::disallowed_methods, reason = "tests look at the files of the program")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{os::unix::fs::PermissionsExt as _, time::Duration};

use jp_test::{Running, Size};

use super::*;

const GUARDED: &str = include_str!("guarded.py");
const LIMIT: Duration = Duration::from_secs(30);
const SIZE: Size = Size { rows: 40, cols: 200 };

/// Opens the page, and whatever that leads to.
const BROWSER: &str =
    "import sys, urllib.request as r\nr.urlopen(sys.argv[1], timeout=20).read()\n";

/// A workspace whose user has configured the server `far`. It ends with what is returned.
fn guarded() -> (TestEnv, Running) {
    let env = super::super::workspace();
    env.write("guarded.py", GUARDED);
    env.write("browser.py", BROWSER);
    let server = env.command("python3", ["guarded.py"]).timeout(4 * LIMIT).spawn();
    server.expect_stdout("listens");
    let url = server.stdout_so_far().split_whitespace().next().unwrap().to_owned();
    env.write(
        env.config_home().join("jp/config.toml"),
        format!("[providers.mcp.far]\nurl = '{url}/mcp?key=hidden-key'\n"),
    );
    (env, server)
}

fn state(env: &TestEnv) -> String {
    let output = env.jp(["mcp", "list", "--format", "json"]).run();
    let row: Value = serde_json::from_str(output.stdout().lines().next().unwrap()).unwrap();
    row["state"].as_str().unwrap().to_owned()
}

fn logins(env: &TestEnv) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(env.state_home().join("jp/mcp/logins"));
    let files = files.into_iter().flatten().map(|it| it.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
}

#[test]
fn a_server_is_logged_in_to_in_a_browser_and_logged_out_of() {
    let (env, _server) = guarded();
    assert_eq!(state(&env), "needs login");
    let refused = env.jp(["mcp", "call", "far", "t"]).run().code(3);
    assert!(refused.stderr().contains("run `jp mcp login far`"), "{refused}");

    let browser = format!("python3 {}", env.path("browser.py"));
    let login = env.jp(["-vvvv", "--log-file", "log", "mcp", "login", "far"]);
    let output = login.env("BROWSER", browser).pty(SIZE).wait(LIMIT).success();
    assert!(output.raw().contains("far is logged in to."), "{}", output.raw());
    assert!(output.raw().contains("/authorize?"), "{}", output.raw());
    // Neither the code nor the token, nor the key in the address.
    for text in [output.raw(), &env.read("log")] {
        assert!(!text.contains("hidden"), "{text}");
    }
    let kept = logins(&env);
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(state(&env), "logged in");
    let called = env.jp(["mcp", "call", "far", "t"]).run().success();
    assert!(called.stdout().contains("let in"), "{called}");
    let again = env.jp(["mcp", "login", "far"]).run().success();
    assert_eq!(again.stderr(), "far is logged in to already.\n");

    let output = env.jp(["mcp", "logout", "far"]).run().success();
    assert_eq!(output.stderr(), "The login of far is forgotten.\n");
    assert!(logins(&env).is_empty());
    assert_eq!(state(&env), "needs login");
    let output = env.jp(["mcp", "logout", "far"]).run().success();
    assert_eq!(output.stderr(), "The login of far was not there.\n");
}

#[test]
fn a_login_of_the_user_is_not_that_of_a_workspace() {
    let (env, _server) = guarded();
    let browser = format!("python3 {}", env.path("browser.py"));
    let login = env.jp(["mcp", "login", "far"]).env("BROWSER", browser);
    login.pty(SIZE).wait(LIMIT).success();
    let own = env.config_home().join("jp/config.toml");
    let config = env.read(&own);
    env.write(".jp/config.toml", &config);
    env.write(&own, "");
    allow(&env, &["far"]);
    assert_eq!(state(&env), "needs login");
}

#[test]
fn what_cannot_be_logged_in_to_says_so() {
    let (env, _server) = guarded();
    let nobody = env.jp(["--no-interaction", "mcp", "login", "far"]).run().code(3);
    assert!(nobody.stderr().contains("nobody can be asked"), "{nobody}");
    env.write(".jp/config.toml", "[providers.mcp.here]\ncommand = 'python3'\n");
    allow(&env, &["here"]);
    let program = env.jp(["mcp", "login", "here"]).run().code(2);
    assert!(program.stderr().contains("cannot be logged in to"), "{program}");
    let unknown = env.jp(["mcp", "logout", "fa"]).run().code(2);
    assert!(unknown.stderr().contains("did you mean `far`?"), "{unknown}");
}
