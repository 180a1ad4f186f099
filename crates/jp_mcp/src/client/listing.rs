//! The tools of a server: all pages, kept until it says that they have changed.

use std::{
    collections::HashSet,
    sync::{Arc, Weak},
    time::Duration,
};

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Client, Request, lock};
use crate::{
    connection::Connection,
    decode,
    error::McpError,
    limits::{MAX_LIST, MAX_PAGES, MAX_TOOLS},
    request::Failure,
    tools::Tools,
};

const LIST: &str = "tools/list";

/// The tools as they were listed.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) tools: Arc<Tools>,
    /// The process that listed them; another one may have others.
    of: Weak<Connection>,
    /// How often they had changed then.
    changes: u64,
}

/// The tools, from memory if they are still the same.
pub(super) async fn tools(client: &Client) -> Result<Arc<Tools>, McpError> {
    // Every process of a server that has no state lists the same.
    if !client.spec.stateful
        && let Some(kept) = &*lock(&client.kept)
    {
        return Ok(kept.tools.clone());
    }
    let never = CancellationToken::new();
    let mut again = true;
    loop {
        let connection = client.connected().await?;
        let changes = connection.changes().await;
        if let Some(kept) = &*lock(&client.kept)
            && kept.changes == changes
            && kept.of.as_ptr() == Arc::as_ptr(&connection)
        {
            return Ok(kept.tools.clone());
        }
        let listed = pages(client, &connection, &never).await;
        let words = if listed.is_err() { connection.last_words().await } else { String::new() };
        if !client.spec.stateful {
            client.end(&connection).await;
        }
        match listed {
            Ok(tools) => {
                let (tools, of) = (Arc::new(tools), Arc::downgrade(&connection));
                *lock(&client.kept) = Some(Kept { tools: tools.clone(), of, changes });
                return Ok(tools);
            }
            // A process that was already dead when it was asked. Listing does no harm.
            Err(NotListed::Failure(Failure::NotSent | Failure::Closed)) if again => again = false,
            Err(NotListed::Failure(failure)) => {
                return Err(client.error(LIST, failure, words, !again));
            }
            Err(NotListed::Error(error)) => return Err(error),
        }
    }
}

/// Why there is no list.
enum NotListed {
    Failure(Failure),
    Error(McpError),
}

async fn pages(
    client: &Client,
    connection: &Connection,
    never: &CancellationToken,
) -> Result<Tools, NotListed> {
    let end = Instant::now() + client.spec.patience;
    let mut tools = Tools::default();
    let mut cursors = HashSet::new();
    let mut room = MAX_LIST;
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let left = end.saturating_duration_since(Instant::now());
        let page = page(connection, cursor, left, never).await.map_err(NotListed::Failure)?;
        let next = decode::page(page, &mut tools, &mut room)
            .map_err(|error| NotListed::Error(client.undecoded(LIST, error)))?;
        if tools.tools.len() + tools.malformed.len() > MAX_TOOLS {
            return Err(endless(client, format!("it has more than {MAX_TOOLS} tools")));
        }
        let Some(next) = next else { return Ok(tools) };
        if !cursors.insert(next.clone()) {
            return Err(endless(client, "the list of its tools leads in a circle".to_owned()));
        }
        cursor = Some(next);
    }
    Err(endless(client, format!("the list of its tools has more than {MAX_PAGES} pages")))
}

async fn page(
    connection: &Connection,
    cursor: Option<String>,
    patience: Duration,
    never: &CancellationToken,
) -> Result<Value, Failure> {
    let message = || {
        let cursor = cursor.clone();
        let params =
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        ClientRequest::ListToolsRequest(request)
    };
    connection.ask(Request::plain(LIST, &message, never).ask(patience)).await
}

fn endless(client: &Client, reason: String) -> NotListed {
    NotListed::Error(client.undecoded(LIST, decode::DecodeError::Malformed(reason)))
}
