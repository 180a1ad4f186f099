//! Test support: a workspace, a store, and tools that run in a real overlay.
//!
//! The overlays are the kernel's, mounted without privileges as the sandbox does. Where that is not
//! possible the tests fail and say so; a test that was skipped would prove nothing.

#![expect(clippy::disallowed_methods, reason = "tests build their own files and start a shell")]

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability, FsRule};

use crate::{Change, ChangeSet, Changes, Judged, Kind, Node, Outside, Store};

/// A workspace and a store.
pub(crate) struct World {
    temp: tempfile::TempDir,
    other: Option<tempfile::TempDir>,
    pub(crate) store: Store,
}

impl World {
    /// Workspace and store on one file system.
    pub(crate) fn new() -> Self {
        Self::with(None)
    }

    /// The workspace in memory and the store on disk.
    pub(crate) fn on_two_file_systems() -> Self {
        let other = tempfile::tempdir_in("/dev/shm").unwrap();
        let world = Self::with(Some(other));
        let device = |path: &Utf8Path| fs::metadata(path).unwrap().dev();
        assert_ne!(device(&world.root()), device(world.store.path()), "one file system");
        world
    }

    fn with(other: Option<tempfile::TempDir>) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::open(&utf8(temp.path()).join("store")).unwrap();
        let world = Self { temp, other, store };
        fs::create_dir(world.root()).unwrap();
        world
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        utf8(self.other.as_ref().unwrap_or(&self.temp).path()).join("root")
    }

    /// A directory for whatever a test needs.
    pub(crate) fn scratch(&self, name: &str) -> Utf8PathBuf {
        let path = utf8(self.temp.path()).join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Runs a script in the workspace itself.
    pub(crate) fn host(&self, script: &str) {
        let status = Command::new("sh").args(["-ec", script]).current_dir(self.root()).status();
        assert!(status.unwrap().success(), "{script}");
    }

    pub(crate) fn begin(&self) -> ChangeSet {
        self.store.begin(&[self.root()]).unwrap()
    }

    /// Begins, runs a script as the tool, and reads.
    pub(crate) fn changes(&self, tool: &str) -> Changes {
        let set = self.begin();
        self.tool(&set, tool);
        set.read(&self.root()).unwrap()
    }

    /// Runs a script in the overlays of a set, whose places are mounted one in the other.
    pub(crate) fn tool(&self, set: &ChangeSet, script: &str) {
        Self::run_tool(&self.root(), &self.scratch("merged"), set, script);
    }

    /// The same for a test that has only the paths.
    pub(crate) fn run_tool(root: &Utf8Path, merged: &Utf8Path, set: &ChangeSet, script: &str) {
        let nothing = merged.with_file_name("nothing");
        fs::create_dir_all(merged).unwrap();
        fs::create_dir_all(&nothing).unwrap();
        let mut mounts = vec![format!("root={root}\nmerged={merged}")];
        for (index, place) in set.places().iter().enumerate() {
            let below = place.strip_prefix(root).unwrap();
            let lower = if place.is_dir() { place.clone() } else { nothing.clone() };
            let (at, own) = (merged.join(below), set.path().join(index.to_string()));
            mounts.push(format!(
                "mkdir -p {at}\nmount -t overlay overlay -o userxattr,lowerdir={lower},upperdir={own}/upper,workdir={own}/work {at}"
            ));
        }
        let script = format!("{}\ncd {merged}\n{script}", mounts.join("\n"));
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-ec", &script])
            .stdin(Stdio::null())
            .output()
            .expect("`unshare` is needed for the tests");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "overlays are needed for the tests: {errors}\n{script}");
    }
}

impl Drop for World {
    /// Directories that keep their owner out would stay for ever.
    fn drop(&mut self) {
        let mut chmod = Command::new("chmod");
        let _opened = chmod.args(["-R", "u+rwx", self.root().as_str()]).status();
    }
}

/// A set whose changes are all allowed.
pub(crate) fn allow_all(changes: Changes) -> Judged {
    changes.judge(None, Outside::nothing(), |_| Ok::<_, String>(()))
}

/// A policy from lines like `src rcud`.
pub(crate) fn policy(rules: &str) -> AccessPolicy {
    let rule = |line: &str| {
        let (path, letters) = line.trim().split_once(' ').unwrap();
        let grants = letters.chars().filter_map(|letter| match letter {
            'r' => Some(Capability::Read),
            'c' => Some(Capability::Create),
            'u' => Some(Capability::Update),
            'd' => Some(Capability::Delete),
            _ => None,
        });
        FsRule::new(path, grants)
    };
    AccessPolicy { fs: rules.split(',').map(rule).collect(), ..AccessPolicy::default() }
}

/// Changes in a short form, one a line.
pub(crate) fn short<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let line = |change: &Change| {
        let what = match &change.kind {
            Kind::Created(node) => format!("+{}", node_letter(node)),
            Kind::Deleted(node) => format!("-{}", node_letter(node)),
            Kind::Replaced { old, new } => format!("{}>{}", node_letter(old), node_letter(new)),
            Kind::Retargeted { old, new } => format!("~l({old}>{new})"),
            Kind::Updated { content, mode } => {
                let mode = mode.map(|mode| format!("({:o}>{:o})", mode.from, mode.to));
                format!("~{}{}", if *content { "c" } else { "" }, mode.unwrap_or_default())
            }
        };
        let implied = if change.implied { "*" } else { "" };
        let obstacle = change.obstacle.as_ref().map(|why| format!(" !{why}")).unwrap_or_default();
        format!("{what} {}{implied}{obstacle}", change.path)
    };
    changes.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn node_letter(node: &Node) -> String {
    match node {
        Node::File => "f".to_owned(),
        Node::Directory => "d".to_owned(),
        Node::Link { target } => format!("l({target})"),
        Node::Special => "s".to_owned(),
    }
}

/// What has a name in a tree: kind, permissions, and content or target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thing {
    File(u32, Vec<u8>),
    Dir(u32),
    Link(String),
}

/// Everything below a directory, by relative path.
pub(crate) fn tree(root: &Utf8Path) -> BTreeMap<Utf8PathBuf, Thing> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        // What nobody can read is at least there.
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries {
            let path = utf8(&entry.unwrap().path());
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let thing = if metadata.is_symlink() {
                Thing::Link(path.read_link_utf8().unwrap().into_string())
            } else if metadata.is_dir() {
                todo.push(path.clone());
                Thing::Dir(mode)
            } else {
                Thing::File(mode, fs::read(&path).unwrap_or_default())
            };
            found.insert(path.strip_prefix(root).unwrap().to_owned(), thing);
        }
    }
    found
}

pub(crate) fn utf8(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(path.to_owned()).unwrap()
}
