//! `jp dashboard`: the conversations of a workspace on the whole terminal, as they change.
//!
//! ```text
//! keys    ─┐                        ┌─► App ─► draw ─► /dev/tty
//! signals ─┼─► one queue of Input ─►┤
//! host    ─┘                        └─► Wanted ─► the thread that asks the host
//! ```
//!
//! One thread owns everything that is shown, so nothing is ever drawn half. Others wait for keys, for signals
//! and for the host, and tell it through one queue.
//!
//! The danger is a terminal that stays in a state in which nobody can type. It is put back by the destructor
//! of [`Device`], which runs at every end but SIGKILL: leaving, errors, panics, signals, a shutdown. What
//! SIGKILL leaves behind is put back by jp. stdin and stdout carry the messages of the host and are never
//! drawn on.

mod app;
mod draw;
mod feed;
mod input;
mod list;
mod reader;
mod terminal;
mod text;
mod theme;
mod transcript;
mod when;

use std::{process::ExitCode, sync::mpsc, time::Duration};

use jiff::Timestamp;
use jp_plugin_sdk::{Failure, Plugin, Session, args, find_conversation};

use crate::{
    app::{App, Step},
    feed::Wanted,
    input::{End, Input},
    terminal::Device,
    theme::Theme,
};

const COMMAND: &str = "dashboard";
const DESCRIPTION: &str = "Browse conversations on the whole terminal, live";

/// Browse the conversations of this workspace on the whole terminal.
///
/// The list is on one side and the conversation on the other. Both change as conversations do, whoever
/// writes to them. Nothing is ever changed from here. Press ? for all keys.
#[derive(Debug, clap::Parser)]
struct Args {
    /// Begin with this one: an id, the beginning or end of one, or `last`
    conversation: Option<String>,

    /// Show only conversations with this in their title or id
    #[arg(short, long, value_name = "TEXT")]
    search: Option<String>,
}

/// How often the screen is drawn anew while nothing happens, because "2m" becomes "3m".
const REFRESH: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let plugin = Plugin::new(COMMAND, env!("CARGO_PKG_VERSION"), DESCRIPTION)
        .help(args::help::<Args>(COMMAND))
        .tty()
        .command(COMMAND);
    match plugin {
        Ok(plugin) => plugin.run(dashboard),
        Err(_) => ExitCode::FAILURE,
    }
}

fn dashboard(session: &Session) -> Result<(), Failure> {
    let args: Args = session.parse_args(COMMAND)?;
    // Before anything is drawn, so that what is wrong is said where it stays to be read.
    let conversations = session.list_conversations()?;
    let selected = args.conversation.map(|text| find_conversation(&conversations, &text));
    let selected = selected.transpose()?;
    let selected = selected.map(|conversation| conversation.id.clone());
    let mut app = App::new(workspace(session), assistant(session), theme(session));
    app.filter(&text::clean(args.search.as_deref().unwrap_or_default()));
    app.listing(conversations);
    if let Some(id) = selected {
        app.select(&id);
    }

    let (sender, inputs) = mpsc::channel();
    let mut device = Device::open()?;
    let wanted = Wanted::default();
    input::keys(sender.clone());
    input::signals(sender.clone())?;
    let shutdown = sender.clone();
    session.on_shutdown(move |_| drop(shutdown.send(Input::End(End::Wanted))));
    feed::start(session.clone(), wanted.clone(), sender);
    match show(&mut app, &mut device, &wanted, &inputs)? {
        End::Wanted => Ok(()),
        End::Signal(number) => Err(Failure::silent(number.saturating_add(128))),
        End::Failed(reason) => Err(Failure::new(reason)),
    }
}

/// Draws and listens until there is an end.
fn show(
    app: &mut App,
    device: &mut Device,
    wanted: &Wanted,
    inputs: &mpsc::Receiver<Input>,
) -> Result<End, Failure> {
    loop {
        wanted.set(app.wanted());
        device.draw(|frame| draw::app(app, frame, Timestamp::now()))?;
        let mut next = match inputs.recv_timeout(REFRESH) {
            Ok(input) => Some(input),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(End::Wanted),
        };
        // A key that is held down makes more inputs than a slow terminal makes pictures.
        while let Some(input) = next {
            match input {
                Input::End(end) => return Ok(end),
                Input::Resized => {}
                Input::Listing(conversations) => app.listing(conversations),
                Input::Transcript(id, transcript) => app.transcript(&id, transcript),
                Input::Trouble(what) => app.trouble(what),
                Input::Key(key) => {
                    if app.key(key) == Step::Leave {
                        return Ok(End::Wanted);
                    }
                }
            }
            next = inputs.try_recv().ok();
        }
    }
}

/// What the workspace is called: its directory.
fn workspace(session: &Session) -> String {
    let root = &session.init().workspace.root;
    let name = root.file_name().unwrap_or_else(|| root.as_os_str());
    text::clean(&name.to_string_lossy())
}

/// What the assistant is called.
fn assistant(session: &Session) -> String {
    let name = session.init().config.pointer("/assistant/name");
    let name = name.and_then(|name| name.as_str()).filter(|name| !name.trim().is_empty());
    text::clean(name.unwrap_or("Assistant"))
}

/// With colors, unless the user does not want any.
fn theme(session: &Session) -> Theme {
    let never = session.init().config.pointer("/style/color").is_some_and(|mode| mode == "never");
    #[expect(clippy::disallowed_methods, reason = "the variable is a setting of this program")]
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Theme::new(!never && !no_color)
}
