//! What a person agreed to start in a workspace.
//!
//! A workspace may come from anybody, and a server is a program with a network, whatever confines it. So one
//! that the files of a workspace bring along is started only when the user has seen it and said yes, once.
//! The yes is for this workspace and for what was seen: the whole table of the server, and what the workspace
//! says about the sandbox that holds it. If either changes, it is asked again. Servers of the user's own
//! settings, and of the command line, need no yes.
//!
//! What is kept belongs to the user; a file in the workspace would be for whoever writes the workspace.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
};

use camino::Utf8PathBuf;
use jp_config::{Config, Foreign};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::kept;

/// The keys of the configuration that decide how a server is held.
const SANDBOX: &str = "sandbox";

/// A server that the files of a workspace bring along.
#[derive(Debug, Clone, PartialEq)]
pub struct Stranger {
    /// What they say about it.
    pub server: Foreign,
    /// What they say about the sandbox.
    pub sandbox: Option<Foreign>,
}

impl Stranger {
    /// The server of this name, if any of it comes from the workspace.
    pub fn of(config: &Config, name: &str) -> Option<Self> {
        let server = config.foreign(&config.server_key(name, &[]))?;
        Some(Self { server, sandbox: config.foreign(SANDBOX) })
    }

    /// What a yes is bound to.
    fn sum(&self) -> String {
        let sandbox = self.sandbox.as_ref().map(|sandbox| &sandbox.value);
        let all = json!({ "server": self.server.value, "sandbox": sandbox });
        Sha256::digest(all.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What was agreed to in one workspace.
#[derive(Debug)]
pub struct Agreements {
    /// Where it is kept; `None` to keep it for this run only.
    file: Option<Utf8PathBuf>,
    root: Utf8PathBuf,
    /// What is known of it in this run.
    known: Mutex<BTreeMap<String, String>>,
}

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Agreed {
    /// For whoever opens the file.
    root: Utf8PathBuf,
    /// The sum of what was agreed to, by server.
    servers: BTreeMap<String, String>,
}

impl Agreements {
    /// Those of the workspace with this root, canonical, kept below a directory.
    pub fn new(directory: Option<&Utf8PathBuf>, root: Utf8PathBuf) -> Self {
        let file = directory.map(|directory| kept::path(directory, &root, "servers"));
        Self { file, root, known: Mutex::default() }
    }

    /// Whether somebody has agreed to start this server as it is.
    pub fn has(&self, name: &str, stranger: &Stranger) -> io::Result<bool> {
        let sum = stranger.sum();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(name) == Some(&sum) {
            return Ok(true);
        }
        let Some(file) = &self.file else { return Ok(false) };
        let agreed = kept::read::<Agreed>(file)?.unwrap_or_default();
        let is_agreed = agreed.servers.get(name) == Some(&sum);
        if is_agreed {
            known.insert(name.to_owned(), sum);
        }
        Ok(is_agreed)
    }

    /// Keeps that somebody has agreed to start this server as it is.
    pub fn add(&self, name: &str, stranger: &Stranger) -> io::Result<()> {
        let sum = stranger.sum();
        self.change(|agreed| {
            agreed.servers.insert(name.to_owned(), sum.clone());
        })?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(name.to_owned(), sum);
        Ok(())
    }

    /// Takes it back.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.change(|agreed| {
            agreed.servers.remove(name);
        })
    }

    fn change(&self, work: impl FnOnce(&mut Agreed)) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        kept::change(file, |agreed: &mut Agreed| {
            agreed.root.clone_from(&self.root);
            (work(agreed), true)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jp_config::Layer;

    use super::*;

    fn stranger(text: &str) -> Option<Stranger> {
        let config = Config::load(vec![Layer::workspace("w", text)]).unwrap();
        Stranger::of(&config, "s")
    }

    #[test]
    fn a_yes_is_for_one_workspace_and_one_table() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
        let agreements = |root: &str| Agreements::new(Some(&place), root.into());
        let s = stranger("[providers.mcp.s]\ncommand = 'x'").unwrap();
        assert!(!agreements("/w").has("s", &s).unwrap());
        agreements("/w").add("s", &s).unwrap();
        assert!(agreements("/w").has("s", &s).unwrap());
        assert!(!agreements("/v").has("s", &s).unwrap());
        assert!(!agreements("/w").has("t", &s).unwrap());
        for changed in [
            "[providers.mcp.s]\ncommand = 'y'",
            "[providers.mcp.s]\ncommand = 'x'\narguments = ['--all']",
            "[providers.mcp.s]\ncommand = 'x'\nvariables.A = '${JP_A}'",
            "[providers.mcp.s]\ncommand = 'x'\naccess.fs = []",
            "[providers.mcp.s]\ncommand = 'x'\n[sandbox]\ndefault = 'off'",
        ] {
            let changed = stranger(changed).unwrap();
            assert!(!agreements("/w").has("s", &changed).unwrap(), "{changed:?}");
        }
        agreements("/w").remove("s").unwrap();
        assert!(!agreements("/w").has("s", &s).unwrap());
    }

    #[test]
    fn what_the_user_says_needs_no_yes_and_takes_none_away() {
        let text = "[providers.mcp.s]\ncommand = 'x'";
        let own = Config::load(vec![Layer::user("u", text)]).unwrap();
        assert_eq!(Stranger::of(&own, "s"), None);
        let given = Layer::assignment("providers.mcp.s.variables.A=1");
        let both = Config::load(vec![Layer::workspace("w", text), given]).unwrap();
        assert_eq!(Stranger::of(&both, "s").unwrap().sum(), stranger(text).unwrap().sum());
        // Without a place to keep it, a yes holds for the run.
        let agreements = Agreements::new(None, "/w".into());
        let s = stranger(text).unwrap();
        agreements.add("s", &s).unwrap();
        assert!(agreements.has("s", &s).unwrap());
    }
}
