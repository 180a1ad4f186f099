//! `jp serve web`: the conversations of a workspace in a browser.
//!
//! ```text
//! browser ─► plugin_server ─► guard ─► app ─► pages ─► HTML
//!                                └─► library ─► host (list_conversations, read_events)
//!                                └─► live ─► events, as long as the page is open
//! ```
//!
//! The plugin only reads, and only through the host: it opens no file. The danger is who else is on the
//! other end: another page in the same browser, another machine, a conversation that holds a script.
//! `guard` is about the first two; the markup, which escapes everything, and the policy that `guard` sends
//! along are about the third.

mod answers;
mod app;
mod assets;
mod guard;
mod library;
mod live;
mod pages;
mod search;
mod settings;
mod when;

use std::{net::SocketAddr, process::ExitCode, time::Duration};

use jp_plugin_sdk::{Failure, Plugin, args::Stop, asynchronous::Session};
use plugin_server::{Limits, Listen, Patience, Server, Token, stopped};
use tokio::runtime;
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    guard::Gate,
    settings::{COMMAND, SettingsError},
};

/// How many pages are made at a time. The rest of the plugin is one thread that never waits.
const WORKERS: usize = 4;
/// What wrong flags and settings end with.
const USAGE: u8 = 2;
/// What a browser may take.
const LIMITS: Limits = Limits {
    connections: 256,
    idle: Duration::from_secs(20),
    head: 16 << 10,
    fields: 64,
    patience: Patience { credit: Duration::from_secs(30), rate: 16 << 10 },
};

fn main() -> ExitCode {
    let description = "Show the conversations of this workspace in a browser, read-only";
    let plugin = Plugin::new("serve-web", env!("CARGO_PKG_VERSION"), description)
        .help(settings::help_text())
        .command(COMMAND);
    let runtime =
        runtime::Builder::new_current_thread().enable_all().max_blocking_threads(WORKERS).build();
    match (plugin, runtime) {
        (Ok(plugin), Ok(runtime)) => plugin.run_with(&runtime, run),
        _ => ExitCode::FAILURE,
    }
}

async fn run(session: Session) -> Result<(), Failure> {
    match settings::read(session.init()) {
        Ok(listen) => serve(session, listen).await,
        Err(SettingsError::Args(Stop::Help(text))) => Ok(session.print(&text).await?),
        Err(error) => Err(Failure::from(error).code(USAGE)),
    }
}

async fn serve(session: Session, listen: Listen) -> Result<(), Failure> {
    let server = Server::bind(listen.address, LIMITS).await?;
    let address = server.address();
    session.print(&entrance(address, listen.token.as_ref())).await?;
    session.print_chrome(&hints(address, listen.token.as_ref())).await?;
    let gate = Gate::new(listen.names, listen.token, address.port())?;
    let ending = CancellationToken::new();
    let app = App::start(session.clone(), gate, ending.clone());
    let stop = async {
        let grace = stopped(&session).await;
        // Pages that follow would wait for ever.
        ending.cancel();
        grace
    };
    server.run(app, stop).await;
    Ok(())
}

/// The address for a browser, with the token in it that nobody knows yet.
fn entrance(address: SocketAddr, token: Option<&Token>) -> String {
    let token = token.filter(|token| token.is_new());
    let token = token.map(|token| format!("?token={}", token.reveal())).unwrap_or_default();
    format!("http://{address}/{token}\n")
}

/// What a person has to know besides.
fn hints(address: SocketAddr, token: Option<&Token>) -> String {
    let who = match token {
        Some(token) if token.is_new() => {
            "The address lets in whoever has it: keep it to yourself.\n"
        }
        Some(_) => "The browser will ask for your token.\n",
        None => "Everybody on this machine can look.\n",
    };
    let open = match address.ip() {
        ip if ip.is_loopback() => "",
        _ => "Other machines can reach it, and nothing is encrypted on the way.\n",
    };
    format!("{who}{open}Press Ctrl-C to stop.\n")
}
