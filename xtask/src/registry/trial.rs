//! What docs/plugins.md tells a user to type, typed in a home that has nothing yet.
//!
//! The tests of the plugins take programs that were built before. This is the whole way, from a checkout
//! to a page in a browser, so that the words of the documentation stay true.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use jp_test::{Signal, TestEnv};

use super::{Wanted, address, run};
use crate::failure::{Failure, Result};

/// How long each command may take; the programs of a debug build are large.
const PATIENCE: Duration = Duration::from_mins(3);

/// Builds the registry, installs the web view from it, and looks at its first page.
pub(crate) fn try_out() -> Result {
    let wanted = Wanted::default();
    run(&wanted)?;
    let programs = super::programs(&wanted)?;
    let registry = super::out(&wanted, &programs).join("registry.json");
    let env = TestEnv::new(programs.join("jp"));
    let setting = format!("plugins.registry = \"{}\"\n", address(&registry)?);
    env.write(env.config_home().join("jp/config.toml"), setting);
    for words in ["init", "plugin update", "plugin install serve-web", "serve web -h"] {
        println!("$ jp {words}");
        let output = env.jp(words.split(' ')).timeout(PATIENCE).run();
        if output.exit_code() != Some(0) {
            return Err(Failure::new(format!("`jp {words}` failed\n{output}")));
        }
    }
    serve(&env)
}

/// The first page of a server that is there as long as it takes.
fn serve(env: &TestEnv) -> Result {
    println!("$ jp serve web --port 0");
    let running = env.jp(["serve", "web", "--port", "0"]).timeout(PATIENCE).spawn();
    running.expect_stdout("/?token=");
    running.expect_stdout("\n");
    let text = running.stdout_so_far();
    let url = text.trim().trim_start_matches("http://");
    let (address, query) = url.split_once('/').unwrap_or((url, ""));
    let failed = Failure::because(format!("cannot read http://{address}/"));
    let page = get(address, query).map_err(failed)?;
    if !page.starts_with("HTTP/1.1 200 ") || !page.contains("There are no conversations yet") {
        return Err(Failure::new(format!("http://{address}/ is no empty list\n{page}")));
    }
    running.signal(Signal::INT);
    let output = running.wait();
    match output.exit_code() {
        Some(0) => Ok(()),
        _ => Err(Failure::new(format!("`jp serve web` does not end well\n{output}"))),
    }
}

fn get(address: &str, query: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let fields = format!("Host: {address}\r\nAccept: */*\r\nConnection: close");
    let request = format!("GET /{query} HTTP/1.1\r\n{fields}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    Ok(page)
}
