//! What an attempt says about itself in the comment at its beginning.
//!
//! Each line is `# key: value`, from the second line of the file to the first line that is no comment.
//! An unknown key is an error: a misspelt one would silently test something else.

use std::path::Path;

use jp_sandbox::confinement::{Execute, Limits, Network, Tier};

/// The meaning of a header.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// `tries:` what the attempt tries, for the reader of a failure.
    pub(crate) tries: String,
    /// `escaped:` how its success looks, for the same reader.
    pub(crate) escaped: String,
    /// `tiers:` in which it must be contained. Both unless said.
    pub(crate) tiers: Vec<Tier>,
    /// `open:` in which it is known not to be contained, with the reason after a dash. The runner
    /// checks that too: a line here that is no longer true must go.
    pub(crate) open: Vec<Tier>,
    /// `plain:` who can do it without a sandbox.
    pub(crate) plain: Plain,
    /// `view:` what the workspace looks like.
    pub(crate) workspace: Workspace,
    /// `network:` `none` unless it says `shared`, `proxy` or `sealed`.
    pub(crate) network: Network,
    /// `execute:` `view` unless it says `itself`.
    pub(crate) execute: Execute,
    /// `limits:` `name=number` pairs that differ from what is usual.
    pub(crate) limits: Limits,
    /// `stdin:` what the attempt gets as its standard input.
    pub(crate) stdin: Stdin,
    /// `judge:` who says whether it got out.
    pub(crate) judge: Judge,
    /// `mount:` a directory of the workspace that is a file system of its own on the host.
    pub(crate) mount: Option<String>,
    /// `dies: yes` when being killed is one way to be contained.
    pub(crate) dies: bool,
    /// `starts: no` when a process that is confined so must not start at all.
    pub(crate) starts: bool,
    /// `before:` what is done to the files before the process starts, each as in [`super::host`].
    pub(crate) before: Vec<String>,
}

/// Who can do it without a sandbox, so that the attempt is shown to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    /// Every user.
    Any,
    /// Only the root user.
    Root,
    /// Only an ordinary user, because root has it without any trick.
    Ordinary,
}

/// What becomes of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workspace {
    /// It is read-only, with something hidden in it.
    Standard,
    /// It is written to a change set, with something hidden in it.
    Judged,
    /// It is written to at once, with something read-only in it.
    Direct,
    /// The same, and all of the host is visible but the outside.
    Whole,
}

/// What an attempt gets as its standard input. The runner answers on it, except where it is no pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    Pipe,
    /// A terminal.
    Terminal,
    /// A file outside the view, opened for reading.
    File,
    /// A directory outside the view.
    Directory,
}

/// Who says whether an attempt got out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judge {
    /// It says so itself.
    Attempt,
    /// The runner does: something of it still runs when the call has ended.
    Heartbeat,
}

impl Header {
    /// Reads the header of an attempt.
    pub(crate) fn read(script: &Path) -> Self {
        let text = std::fs::read_to_string(script).expect("an attempt can be read");
        let mut header = Self::usual();
        for line in text.lines().skip(1).map_while(|line| line.strip_prefix('#')) {
            let (key, value) = line.split_once(':').unwrap_or_else(|| {
                panic!("{}: `{line}` is not `key: value`", script.display());
            });
            header.set(key.trim(), value.trim(), script);
        }
        let open = header.open.clone();
        header.tiers.retain(|tier| !open.contains(tier));
        for (key, value) in [("tries", &header.tries), ("escaped", &header.escaped)] {
            assert!(!value.is_empty(), "{}: the header has no `{key}`", script.display());
        }
        header
    }

    fn usual() -> Self {
        Self {
            tries: String::new(),
            escaped: String::new(),
            tiers: vec![Tier::Namespaces, Tier::Landlock],
            open: Vec::new(),
            plain: Plain::Any,
            workspace: Workspace::Standard,
            network: Network::None,
            execute: Execute::View,
            limits: Limits { private: 64 << 20, ..Limits::default() },
            stdin: Stdin::Pipe,
            judge: Judge::Attempt,
            mount: None,
            dies: false,
            starts: true,
            before: Vec::new(),
        }
    }

    fn set(&mut self, key: &str, value: &str, script: &Path) {
        match (key, value) {
            ("tries", _) => self.tries = value.into(),
            ("escaped", _) => self.escaped = value.into(),
            ("tiers", _) => self.tiers = tiers(value),
            ("open", _) => self.open = tiers(value.split(" - ").next().unwrap_or_default()),
            ("plain", "any") => self.plain = Plain::Any,
            ("plain", "root") => self.plain = Plain::Root,
            ("plain", "ordinary") => self.plain = Plain::Ordinary,
            ("view", "standard") => self.workspace = Workspace::Standard,
            ("view", "judged") => self.workspace = Workspace::Judged,
            ("view", "direct") => self.workspace = Workspace::Direct,
            ("view", "whole") => self.workspace = Workspace::Whole,
            ("network", "shared") => self.network = Network::Shared,
            ("network", "proxy") => self.network = Network::Proxy,
            ("network", "sealed") => self.network = Network::Sealed,
            ("execute", "itself") => self.execute = Execute::Itself,
            ("limits", _) => value.split(' ').for_each(|pair| self.limit(pair)),
            ("stdin", "terminal") => self.stdin = Stdin::Terminal,
            ("stdin", "file") => self.stdin = Stdin::File,
            ("stdin", "directory") => self.stdin = Stdin::Directory,
            ("judge", "heartbeat") => self.judge = Judge::Heartbeat,
            ("mount", _) => self.mount = Some(value.into()),
            ("dies", "yes") => self.dies = true,
            ("starts", "no") => self.starts = false,
            ("before", _) => self.before.push(value.into()),
            // What somebody who reads the attempt should know.
            ("note", _) => {}
            _ => panic!("{}: `{key}: {value}` means nothing", script.display()),
        }
    }

    fn limit(&mut self, pair: &str) {
        let (name, number) = pair.split_once('=').expect("a limit is `name=number`");
        let number: u64 = number.parse().expect("a limit is a number");
        match name {
            "processes" => self.limits.processes = number,
            "files" => self.limits.files = number,
            "memory" => self.limits.memory = Some(number),
            "file_size" => self.limits.file_size = Some(number),
            "private" => self.limits.private = number,
            "cpu" => self.limits.cpu = Some(std::time::Duration::from_secs(number)),
            _ => panic!("there is no limit `{name}`"),
        }
    }
}

fn tiers(value: &str) -> Vec<Tier> {
    let tier = |word: &str| match word {
        "1" => Tier::Namespaces,
        "2" => Tier::Landlock,
        _ => panic!("there is no tier `{word}`"),
    };
    value.split_whitespace().map(tier).collect()
}
