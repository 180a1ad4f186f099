//! Several conversations, into a directory with an index.
//!
//! One that cannot be read is named at the end and keeps nobody else back; where nothing can be written,
//! it ends, and nothing is left behind.

use std::{path::Path, sync::Arc};

use jp_plugin_sdk::{Failure, RequestError, Session, Summary, words};

use crate::{
    args::Form, conversation::Conversation, html, json, markdown, target::file_name, warn,
    write::Folder,
};

/// A conversation that was written.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) summary: Summary,
    pub(crate) heading: String,
    pub(crate) turns: usize,
    pub(crate) file: String,
    /// What is missing in it.
    pub(crate) warning: Option<String>,
}

pub(crate) fn export(
    session: &Session,
    chosen: Vec<Summary>,
    form: Form,
    path: &Path,
    force: bool,
) -> Result<(), Failure> {
    let folder = Arc::new(Folder::begin(path, force)?);
    let what = format!("Exporting {}", conversations(chosen.len()));
    let into = Arc::clone(&folder);
    let work = move |session: &Session, summary: &Summary| one(session, summary, form, &into);
    // Workers may still be at it when somebody wants an end; they must not write any more.
    let done = session.each_conversation(&what, chosen, work).inspect_err(|_| folder.abandon())?;
    let mut failed = Vec::new();
    let entries: Vec<_> =
        done.into_iter().filter_map(|one| one.map_err(|reason| failed.push(reason)).ok()).collect();
    folder.add(&format!("index.{}", form.extension()), index(form, &entries).as_bytes())?;
    folder.finish()?;
    warn(session, entries.iter().filter_map(|entry| entry.warning.clone()))?;
    report(session, path, entries.len(), &failed)
}

/// A conversation that could not be read: its id, and why.
type Unread = (String, String);

/// The outer error ends everything.
fn one(
    session: &Session,
    summary: &Summary,
    form: Form,
    folder: &Folder,
) -> Result<Result<Entry, Unread>, Failure> {
    let conversation = match Conversation::read(session, summary) {
        Ok(conversation) => conversation,
        Err(error @ RequestError::Refused { .. }) => {
            return Ok(Err((summary.id.clone(), error.to_string())));
        }
        // With the host gone nobody hears what else there is to say.
        Err(error) => return Err(error.into()),
    };
    let file = file_name(summary, form);
    folder.add(&file, conversation.to_text(form).as_bytes())?;
    let (heading, turns) = (conversation.heading(), conversation.exchanges());
    let warning = conversation.warning();
    Ok(Ok(Entry { summary: conversation.summary, heading, turns, file, warning }))
}

fn index(form: Form, entries: &[Entry]) -> String {
    match form {
        Form::Html => html::index(entries),
        Form::Markdown => markdown::index(entries),
        Form::Json => json::index(entries),
    }
}

/// Says what was done. What could not be read is an error, although all others are there.
fn report(
    session: &Session,
    path: &Path,
    written: usize,
    failed: &[Unread],
) -> Result<(), Failure> {
    let written = conversations(written);
    session.print_chrome(&format!("Wrote {written} to {}\n", path.display()))?;
    warn(session, failed.iter().map(|(id, reason)| format!("{id}: {reason}\n")))?;
    match failed.len() {
        0 => Ok(()),
        number => Err(Failure::new(format!("{} could not be read", conversations(number)))),
    }
}

fn conversations(number: usize) -> String {
    words::count(number, "conversation")
}
