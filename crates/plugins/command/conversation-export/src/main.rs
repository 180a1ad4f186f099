//! `jp conversation export`: a conversation as a file that can be kept or passed on.

use std::process::ExitCode;

use jp_plugin_sdk::{Failure, Plugin, Session};

fn main() -> ExitCode {
    let description = "Export conversations as HTML, Markdown or JSON";
    Plugin::new("conversation-export", env!("CARGO_PKG_VERSION"), description).run(export)
}

/// The events of the latest conversation, or of the one that is named.
fn export(session: &Session) -> Result<(), Failure> {
    let latest = || Ok(session.list_conversations()?.into_iter().next().map(|one| one.id));
    let id = match session.args() {
        [id] => Some(id.clone()),
        _ => latest().map_err(|error: jp_plugin_sdk::RequestError| Failure::from(error))?,
    };
    let id = id.ok_or_else(|| Failure::new("there is no conversation"))?;
    Ok(session.print_json(&session.read_raw_events(&id)?)?)
}
