//! What a view keeps from a process, and which setting would change that.
//!
//! When a confined program fails, the report should name the path it was denied and the line of
//! configuration that would grant it. A path in the workspace wants a rule, a path of a known
//! toolchain its preset, and any other path an entry of `[sandbox]`. Nothing is ever suggested for a
//! path that holds secrets or sockets: whoever wants a tool to have those has to think of it without help.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::Capability;

use super::{Request, places, secrets};
use crate::{
    event::Wanted,
    presets::{Preset, PresetPlaces},
    view::{View, What, Write},
};

/// Why a view denies something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// Nothing is seen there.
    #[error("hidden")]
    Hidden,
    /// An empty directory of the process's own is seen instead.
    #[error("replaced by a private directory")]
    Private,
    /// It can be read only.
    #[error("read-only")]
    ReadOnly,
    /// Programs are not run from there.
    #[error("not executable")]
    NotExecutable,
    /// Not one of the few devices that every process has.
    #[error("not a device that confined processes have")]
    Device,
}

/// What would allow a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// A rule for files of the workspace.
    Rule {
        /// Relative to the root.
        path: Utf8PathBuf,
        /// What it has to grant.
        capabilities: Vec<Capability>,
    },
    /// A preset.
    Preset(Preset),
    /// An entry of `[sandbox] read` or, if it is for writing, `write`.
    System {
        /// The path that was denied.
        path: Utf8PathBuf,
        /// Which list it belongs in.
        write: bool,
    },
}

/// The devices that are there in every view.
const DEVICES: [&str; 10] = [
    "/dev/fd",
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/shm",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/urandom",
    "/dev/zero",
];

/// Why a view denies an absolute path, if it does. What is judged when a call ends is not denied.
/// `/proc` is made for each process and no part of a view.
pub fn blocked_by(view: &View, path: &Utf8Path, wanted: Wanted) -> Option<Denial> {
    if path.starts_with("/proc") {
        return None;
    }
    if path.starts_with("/dev") {
        let known = path == "/dev" || DEVICES.iter().any(|device| path.starts_with(device));
        return (!known).then_some(Denial::Device);
    }
    match (view.at(path), wanted) {
        (What::Hidden, _) | (What::Blank, Wanted::Read | Wanted::Execute) => Some(Denial::Hidden),
        (What::Private { execute: false } | What::Host { execute: false, .. }, Wanted::Execute) => {
            Some(Denial::NotExecutable)
        }
        (What::Private { .. }, Wanted::Read | Wanted::Execute) => Some(Denial::Private),
        (What::Host { write: Write::No, .. }, Wanted::Write) => Some(Denial::ReadOnly),
        (What::Private { .. } | What::Blank | What::Host { .. }, _) => None,
    }
}

/// What would allow an absolute path that was denied, if that can be suggested at all.
pub fn suggest(
    request: &Request<'_>,
    presets: &[(Preset, PresetPlaces)],
    path: &Utf8Path,
    wanted: Wanted,
) -> Option<Suggestion> {
    let is_secret = secrets::unapproved(request).any(|secret| path.starts_with(secret))
        || presets.iter().any(|(_, places)| places.hides(path))
        || places::is_root_secret(path)
        || places::is_for_sockets(path);
    if request.is_sealed() || is_secret || path.starts_with("/dev") || path == "/" {
        return None;
    }
    if let Ok(below) = path.strip_prefix(request.root) {
        return Some(rule(below, wanted));
    }
    let of_preset = |(preset, places): &(Preset, PresetPlaces)| {
        let covers = match wanted {
            Wanted::Read | Wanted::Execute => places.shows(path),
            Wanted::Write => places.keeps(path),
        };
        covers.then_some(Suggestion::Preset(*preset))
    };
    let system = || Suggestion::System { path: path.to_owned(), write: wanted == Wanted::Write };
    Some(presets.iter().find_map(of_preset).unwrap_or_else(system))
}

fn rule(below: &Utf8Path, wanted: Wanted) -> Suggestion {
    let capabilities = match wanted {
        Wanted::Read => vec![Capability::Read],
        Wanted::Write => {
            vec![Capability::Read, Capability::Create, Capability::Update, Capability::Delete]
        }
        Wanted::Execute => vec![Capability::Read, Capability::Execute],
    };
    let path = if below.as_str().is_empty() { "." } else { below.as_str() };
    Suggestion::Rule { path: path.into(), capabilities }
}

/// As a line of configuration.
impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { path, capabilities } => {
                write!(f, "access.fs: {{ path = {:?}", path.as_str())?;
                for capability in capabilities {
                    write!(f, ", {} = true", capability.as_str())?;
                }
                f.write_str(" }")
            }
            Self::Preset(preset) => write!(f, "[sandbox] presets = [{:?}]", preset.as_str()),
            Self::System { path, write } => {
                let list = if *write { "write" } else { "read" };
                write!(f, "[sandbox] {list} = [{:?}]", path.as_str())
            }
        }
    }
}
