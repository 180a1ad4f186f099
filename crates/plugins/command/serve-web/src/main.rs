//! `jp serve web`: the conversations of a workspace in a browser.
//!
//! ```text
//! browser ─► server ─► guard ─► app ─► pages ─► HTML
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
mod server;
mod settings;
mod token;
mod when;

use std::{io, net::SocketAddr, process::ExitCode, time::Duration};

use jp_plugin_sdk::{Failure, Plugin, args::Stop, asynchronous::Session};
use tokio::{net::TcpListener, runtime};
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    guard::Gate,
    settings::{COMMAND, Settings, SettingsError},
};

/// How many pages are made at a time. The rest of the plugin is one thread that never waits.
const WORKERS: usize = 4;
/// What wrong flags and settings end with.
const USAGE: u8 = 2;
/// What is left of the time to end for saying so.
const MARGIN: Duration = Duration::from_millis(500);

/// Why nobody can be served.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("cannot listen on {0}: it is in use; choose another port with `--port`, or `--port 0`")]
    InUse(SocketAddr),
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    #[error("there is no randomness to make secrets of")]
    Random(#[source] getrandom::Error),
}

fn main() -> ExitCode {
    let description = "Show the conversations of this workspace in a browser, read-only";
    let plugin = Plugin::new("serve-web", env!("CARGO_PKG_VERSION"), description)
        .help(Settings::help())
        .command(COMMAND);
    let runtime =
        runtime::Builder::new_current_thread().enable_all().max_blocking_threads(WORKERS).build();
    match (plugin, runtime) {
        (Ok(plugin), Ok(runtime)) => plugin.run_with(&runtime, run),
        _ => ExitCode::FAILURE,
    }
}

async fn run(session: Session) -> Result<(), Failure> {
    match Settings::read(session.init()) {
        Ok(settings) => serve(session, settings).await,
        Err(SettingsError::Args(Stop::Help(text))) => Ok(session.print(&text).await?),
        Err(error) => Err(Failure::from(error).code(USAGE)),
    }
}

async fn serve(session: Session, settings: Settings) -> Result<(), Failure> {
    let listener = listen(settings.address).await?;
    let address =
        listener.local_addr().map_err(|error| StartError::Listen(settings.address, error))?;
    session.print(&welcome(&settings, address)).await?;
    let gate = Gate::new(settings, address.port()).map_err(StartError::Random)?;
    let ending = CancellationToken::new();
    let app = App::start(session.clone(), gate, ending.clone());
    let server = server::serve(listener, app, ending.clone(), grace(&session));
    tokio::pin!(server);
    tokio::select! {
        _ = session.wait_for_shutdown() => ending.cancel(),
        () = server.as_mut() => return Ok(()),
    }
    server.await;
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => StartError::InUse(address),
        _ => StartError::Listen(address, error),
    })
}

/// The address for a browser, and a warning where others can reach it.
fn welcome(settings: &Settings, address: SocketAddr) -> String {
    let token = settings.token.as_ref().filter(|_| settings.token_is_new);
    let token = token.map(|token| format!("?token={}", token.reveal())).unwrap_or_default();
    let open = match address.ip() {
        ip if ip.is_loopback() => "",
        _ => "Other machines can reach it, and nothing is encrypted on the way.\n",
    };
    format!("http://{address}/{token}\n{open}")
}

/// How long requests under way may take when it is time to end: a bit less than the host waits.
fn grace(session: &Session) -> Duration {
    let plugins = session.init().config.get("plugins");
    let seconds = plugins.and_then(|plugins| plugins.get("shutdown_timeout_secs")?.as_u64());
    Duration::from_secs(seconds.unwrap_or(5)).saturating_sub(MARGIN)
}
