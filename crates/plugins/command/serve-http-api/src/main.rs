//! `jp serve http-api`: the conversations of a workspace as JSON over HTTP, to be read and added to.
//!
//! The danger is that conversations are private and a port is not: every program of this machine can
//! reach it, and so can every web page in the user's browser. So every request needs a token, and one
//! that was made under another name than ours, or for a page of somebody else, is refused before that
//! (`guard.rs`). What a client can make the server hold in memory has a limit (`limits.rs`). What this
//! server has in common with others is in `plugin_server`.
//!
//! ```text
//! connection ─► plugin_server ─► guard.rs ─► api/… ─► store.rs ─► the host
//! ```

mod api;
mod args;
mod etag;
mod guard;
mod limits;
mod problem;
mod promise;
mod store;

use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
};

use jp_plugin_sdk::{Failure, Plugin, asynchronous::Session};
use plugin_server::{Listen, Server, Token, stopped};

use crate::{args::Args, guard::Guard, store::Store};

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
    match args::read(session.init())? {
        args::Task::Print(text) => Ok(session.print(&text).await?),
        args::Task::Document => Ok(session.print(&api::document_text()?).await?),
        args::Task::Listen(listen) => serve(session, listen).await,
    }
}

async fn serve(session: Session, listen: Listen) -> Result<(), Failure> {
    let server = Server::bind(listen.address, limits::SERVER).await?;
    session.print(&format!("Listening on http://{}{}\n", server.address(), api::ROOT)).await?;
    // Without a word of the user there still is a token.
    let token = listen.token.map_or_else(Token::random, Ok)?;
    if token.is_new() {
        // The only time that anybody gets to see it: it is kept nowhere.
        session.print(&format!("Authorization: Bearer {}\n", token.reveal())).await?;
    }
    session.print_chrome("Press Ctrl-C to stop.\n").await?;
    let store = Arc::new(Store::new(session.clone()));
    let router = Guard::new(listen.names, token).protect(api::router(Arc::clone(&store)));
    server.run(router, stopped(&session)).await;
    // What is being written is written to its end, even if its client is gone.
    store.idle().await;
    Ok(())
}
