//! `jp serve http-api`: the conversations of a workspace as JSON over HTTP, to be read and added to.
//!
//! The danger is that conversations are private and a port is not: every program of this machine can
//! reach it, and so can every web page in the user's browser. So every request needs a token, and one
//! that was made under another name than ours, or for a page of somebody else, is refused before that
//! (`guard.rs`). What a client can make the server hold in memory has a limit (`limits.rs`).
//!
//! ```text
//! connection ─► server.rs ─► guard.rs ─► api/… ─► store.rs ─► the host
//! ```

mod api;
mod args;
mod etag;
mod guard;
mod limits;
mod problem;
mod server;
mod store;
mod token;

use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use jp_plugin_sdk::{Failure, Plugin, Why, asynchronous::Session};

use crate::{
    args::{Args, Listen},
    guard::Guard,
    server::Server,
    store::Store,
};

const NAME: &str = "serve-http-api";
const DESCRIPTION: &str = "Serve conversations as JSON over HTTP";

fn main() -> ExitCode {
    let plugin = Plugin::new(NAME, env!("CARGO_PKG_VERSION"), DESCRIPTION);
    match plugin.command(args::COMMAND) {
        Ok(plugin) => plugin.help(Args::help()).run_async(run),
        Err(error) => {
            // Where not even stderr can be written to, there is nobody to tell.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(session: Session) -> Result<(), Failure> {
    let options = session.init().options.clone();
    match args::read(session.args(), options)? {
        args::Task::Print(text) => Ok(session.print(&text).await?),
        args::Task::Document => Ok(session.print(&api::document_text()?).await?),
        args::Task::Listen(listen) => serve(session, listen).await,
    }
}

async fn serve(session: Session, listen: Listen) -> Result<(), Failure> {
    let server = Server::bind(listen.address).await?;
    let address = server.address();
    session.print(&format!("Listening on http://{address}{}\n", api::ROOT)).await?;
    if listen.token.is_new() {
        // The only time that anybody gets to see it: it is kept nowhere.
        session.print(&format!("Authorization: Bearer {}\n", listen.token.reveal())).await?;
    }
    session.print_chrome("Press Ctrl-C to stop.\n").await?;
    let guard = Guard::new(address, listen.names, &listen.token);
    let store = Arc::new(Store::new(session.clone()));
    let router = guard.protect(api::router(Arc::clone(&store)));
    server.run(router, stop(&session)).await;
    // An append that has begun ends, even if its client is gone.
    store.idle().await;
    Ok(())
}

/// Waits until it is time to end; returns how long requests in flight may still take.
async fn stop(session: &Session) -> Duration {
    match session.wait_for_shutdown().await {
        Why::Asked => grace(session),
        // Nobody answers any more.
        Why::HostGone => Duration::ZERO,
    }
}

/// A little less than the host waits before it kills.
fn grace(session: &Session) -> Duration {
    let plugins = &session.init().config["plugins"];
    let seconds = plugins["shutdown_timeout_secs"].as_u64().unwrap_or(5).min(3_600);
    Duration::from_secs(seconds).mul_f64(0.8)
}
