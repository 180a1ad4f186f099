//! `jp conversation`: one file for each command, and how a conversation is named.

mod ls;
mod new;
mod path;
mod rename;
mod rm;
mod show;

use std::time::Duration;

use jp_conversation::ConversationId;
use jp_workspace::{FsStore, Store as _, Wait};

use crate::{
    args::Conversation,
    ctx::Ctx,
    error::{Error, LIST_HINT, Result},
};

pub(crate) fn run(ctx: &Ctx, args: Conversation) -> Result {
    match args {
        Conversation::Ls(args) => ls::run(ctx, &args),
        Conversation::Show(args) => show::run(ctx, &args),
        Conversation::New(args) => new::run(ctx, &args),
        Conversation::Rm(args) => rm::run(ctx, &args),
        Conversation::Rename(args) => rename::run(ctx, &args),
        Conversation::Path(args) => path::run(ctx, &args),
    }
}

/// How long to wait for somebody else who is writing to a conversation.
pub(crate) const PATIENCE: Wait = Wait::AtMost(Duration::from_secs(5));

/// The conversation that the user means: `last`, an id, or the beginning of exactly one id.
pub(crate) fn find(store: &FsStore, text: &str) -> Result<ConversationId> {
    let listing = || store.list().map(|listing| listing.conversations);
    if text == "last" {
        let last = listing()?.first().map(|conversation| conversation.id);
        return last.ok_or_else(|| {
            Error::failure("there are no conversations yet").hint("`jp conversation new` makes one")
        });
    }
    let id: ConversationId = text.parse()?;
    if store.path(id).is_ok() {
        return Ok(id);
    }
    let begins = |id: &ConversationId| id.to_string().starts_with(text);
    let matches: Vec<_> = listing()?.iter().map(|c| c.id).filter(begins).collect();
    match matches.as_slice() {
        [] => Err(Error::failure(format!("conversation not found: {text}")).hint(LIST_HINT)),
        [id] => Ok(*id),
        [first, second, ..] => {
            let number = matches.len();
            let message = format!(
                "`{text}` is the beginning of {number} ids, {first} and {second} among them"
            );
            Err(Error::usage(message).hint("write more digits"))
        }
    }
}
