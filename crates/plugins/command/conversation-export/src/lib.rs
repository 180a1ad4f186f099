//! The plugin `jp conversation export`, also called `jp export`: conversations as files that can be kept,
//! read and passed on.
//!
//! HTML is one file without any reference to the outside, Markdown is for reading and for other programs,
//! JSON is everything as it is stored. One conversation is printed or goes to a file, several go to a
//! directory with an index.
//!
//! The danger is what is written over: a file appears whole or not at all, and one that exists stays as it
//! is unless the user says `--force`.

mod args;
mod conversation;
mod html;
mod json;
mod many;
mod markdown;
mod target;
mod write;

use std::process::ExitCode;

use jp_plugin_sdk::{
    Channel, Failure, Format, Plugin, Print, RequestError, Session, find_conversations, options,
};

use self::{
    args::{Args, Form, Options},
    conversation::Conversation,
    target::Target,
};

const DESCRIPTION: &str = "Export conversations as HTML, Markdown or JSON";

/// Runs the plugin under one of its names.
pub fn main(name: &str, command: &'static str) -> ExitCode {
    let plugin = Plugin::new(name, env!("CARGO_PKG_VERSION"), DESCRIPTION)
        .help(jp_plugin_sdk::args::help::<Args>(command))
        .command(command);
    match plugin {
        Ok(plugin) => {
            let id = name.to_owned();
            plugin.run(move |session| export(session, &id, command))
        }
        // The words of a command are in the source, and the tests run both.
        Err(_) => ExitCode::FAILURE,
    }
}

fn export(session: &Session, id: &str, command: &str) -> Result<(), Failure> {
    let mut args: Args = session.parse_args(command)?;
    let options: Options = options(session.init(), id)?;
    let listing = session.list_conversations()?;
    let chosen =
        if args.all { listing } else { find_conversations(&listing, &args.conversations)? };
    let form = args.form(&options);
    if args.output.is_none() && (args.all || chosen.len() > 1) {
        args.output = options.directory(session.init().workspace.root.as_ref())?;
    }
    match target::choose(&args, &chosen, form)? {
        Target::Printed(one) => {
            let conversation = Conversation::read(session, one)?;
            warn(session, conversation.warning())?;
            Ok(session.print(&conversation.to_text(form))?)
        }
        Target::File(one, path) => {
            let conversation = Conversation::read(session, one)?;
            write::file(&path, conversation.to_text(form).as_bytes(), args.force)?;
            warn(session, conversation.warning())?;
            Ok(session.print_chrome(&format!("Wrote {}\n", path.display()))?)
        }
        Target::Directory(path) => many::export(session, chosen, form, &path, args.force),
    }
}

/// Says something that the user should know, whatever else is printed.
fn warn(session: &Session, warnings: impl IntoIterator<Item = String>) -> Result<(), RequestError> {
    let (channel, format) = (Channel::Error, Format::Plain);
    warnings
        .into_iter()
        .try_for_each(|text| session.print_with(Print { channel, format, language: None, text }))
}

impl Conversation {
    /// All of it, in one of the forms.
    fn to_text(&self, form: Form) -> String {
        match form {
            Form::Html => html::page(self),
            Form::Markdown => markdown::document(self),
            Form::Json => json::document(self),
        }
    }
}
