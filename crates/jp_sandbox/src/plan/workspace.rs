//! The rules for files as places of a view.
//!
//! A rule for a directory is a place: hidden, read-only or writable. Two things need more than that.
//! Where a rule tells create, update and delete apart, or something narrower lies inside a writable
//! place, writes are kept apart and judged when the call ends. And a file, or something that does not
//! exist yet, cannot be given rights of its own by a mount, because making and removing a name is a
//! change of the directory it is in. There the directory around it becomes a judged place: what is
//! written beside the file looks as if it worked, and is refused when the call ends.

use std::collections::BTreeMap;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability};

use super::{Facts, Fidelity, Kind, Profile, Request, words};
use crate::view::{Place, View, What, Write};

/// The capabilities that change something.
pub(super) const WRITES: [Capability; 3] =
    [Capability::Create, Capability::Update, Capability::Delete];

/// A path that has a rule, or the root.
pub(super) struct Node {
    pub(super) path: Utf8PathBuf,
    pub(super) kind: Kind,
    pub(super) grants: Grants,
    /// Whether something on the way to it is neither a directory nor missing, so that there cannot
    /// be anything. No place is made of such a rule.
    pub(super) is_impossible: bool,
}

/// What a rule grants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Grants([bool; Capability::ALL.len()]);

/// Something about a place that its path does not show.
#[derive(Clone)]
pub(super) struct Remark {
    pub(super) path: Utf8PathBuf,
    pub(super) capabilities: Vec<Capability>,
    pub(super) fidelity: Fidelity,
    pub(super) reason: String,
}

/// The nodes of a request, each before everything below it.
pub(super) fn nodes(request: &Request<'_>, facts: &dyn Facts) -> Vec<Node> {
    let mut by_path = BTreeMap::new();
    by_path.insert(request.root.to_owned(), Grants::by_default(request));
    if let Some(policy) = request.policy.filter(|policy| !policy.fs.is_empty()) {
        let relative = policy.fs.iter().filter_map(|rule| below_root(rule.path()));
        for path in relative.chain([Utf8PathBuf::new()]) {
            by_path.insert(absolute(request.root, &path), Grants::of(policy, &path));
        }
    }
    let node = |(path, grants): (Utf8PathBuf, _)| Node {
        kind: facts.kind(&path),
        is_impossible: is_impossible(request.root, &path, facts),
        path,
        grants,
    };
    by_path.into_iter().map(node).collect()
}

/// The places of the workspace, with what has to be said about them.
pub(super) fn compile(request: &Request<'_>, facts: &dyn Facts) -> (View, Vec<Remark>) {
    let mut nodes = nodes(request, facts);
    nodes.retain(|node| !node.is_impossible);
    let mut work = Work { request, facts, nodes: &nodes, view: View::default(), remarks: vec![] };
    // Directories come first: what is to be done about a file depends on the place around it.
    let (leaves, rest): (Vec<_>, Vec<_>) = nodes.iter().partition(|node| node.is_leaf());
    for node in rest {
        work.add_region(node);
    }
    for node in leaves {
        work.add_leaf(node);
    }
    (work.view, work.remarks)
}

fn is_impossible(root: &Utf8Path, path: &Utf8Path, facts: &dyn Facts) -> bool {
    let on_the_way = path.ancestors().skip(1).take_while(|ancestor| *ancestor != root);
    let is_passable = |kind| matches!(kind, Kind::Directory | Kind::Missing);
    path != root && on_the_way.map(|ancestor| facts.kind(ancestor)).any(|kind| !is_passable(kind))
}

/// The path of a rule below the root in the form that policies compare; `None` if it has none.
pub(super) fn below_root(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut below = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::Normal(name) => below.push(name),
            Utf8Component::ParentDir if below.file_name().is_some() => drop(below.pop()),
            _ => return None,
        }
    }
    Some(below)
}

/// A relative path below a root; the root itself for an empty one.
pub(super) fn absolute(root: &Utf8Path, below: &Utf8Path) -> Utf8PathBuf {
    if below.as_str().is_empty() { root.to_owned() } else { root.join(below) }
}

impl Grants {
    fn by_default(request: &Request<'_>) -> Self {
        let reads_only = request.profile == Profile::Strict;
        Self(Capability::ALL.map(|capability| !reads_only || capability == Capability::Read))
    }

    /// As the policy itself says, so that rules nobody can read count as they do there.
    fn of(policy: &AccessPolicy, below: &Utf8Path) -> Self {
        let path = if below.as_str().is_empty() { Utf8Path::new(".") } else { below };
        Self(Capability::ALL.map(|capability| policy.can(capability, path)))
    }

    pub(super) fn has(self, capability: Capability) -> bool {
        self.0[capability as usize]
    }

    pub(super) fn reads(self) -> bool {
        self.has(Capability::Read)
    }

    pub(super) fn executes(self) -> bool {
        self.has(Capability::Execute)
    }

    pub(super) fn writes_all(self) -> bool {
        WRITES.into_iter().all(|capability| self.has(capability))
    }

    pub(super) fn writes_some(self) -> bool {
        WRITES.into_iter().any(|capability| self.has(capability))
    }
}

impl Remark {
    /// A file that became read-only because it is a mount inside a judged place.
    pub(super) fn of_file_mount(path: Utf8PathBuf) -> Self {
        let reason = words::FILE_MOUNT.to_owned();
        Self { path, capabilities: WRITES.to_vec(), fidelity: Fidelity::Stricter, reason }
    }
}

impl Node {
    /// A readable file, or nothing that can be read or made.
    fn is_leaf(&self) -> bool {
        match self.kind {
            Kind::File => self.grants.reads(),
            Kind::Missing => self.grants.reads() || self.grants.has(Capability::Create),
            _ => false,
        }
    }

    /// Whether something that a writable place allows is not allowed here.
    pub(super) fn is_narrow(&self) -> bool {
        !self.grants.reads() || !self.grants.writes_all()
    }
}

struct Work<'a> {
    request: &'a Request<'a>,
    facts: &'a dyn Facts,
    nodes: &'a [Node],
    view: View,
    remarks: Vec<Remark>,
}

impl Work<'_> {
    /// A directory, or something that is hidden whatever it is.
    fn add_region(&mut self, node: &Node) {
        let what = match node.kind {
            Kind::Directory if node.grants.reads() => {
                What::Host { write: self.write_of_directory(node), execute: node.grants.executes() }
            }
            Kind::Directory if self.is_made_unseen(node) => What::Blank,
            _ => What::Hidden,
        };
        self.view.set(node.path.clone(), what);
    }

    /// Whether new names can be made in a directory of which nothing is seen. What somebody makes there
    /// that exists already is an update, and refused. A rule that grants that too would have it
    /// overwritten by a program that took it for missing, so there nothing is made.
    fn is_made_unseen(&self, node: &Node) -> bool {
        let grants = node.grants;
        let is_new_only = grants.has(Capability::Create) && !grants.has(Capability::Update);
        is_new_only && self.request.can_judge()
    }

    fn write_of_directory(&self, node: &Node) -> Write {
        let is_judged = self.request.transactional
            || !node.grants.writes_all()
            || self.nodes.iter().any(|other| {
                other.path != node.path && other.path.starts_with(&node.path) && other.is_narrow()
            });
        if node.grants.writes_some() && is_judged && self.request.can_judge() {
            Write::Judged
        } else if node.grants.writes_all() && !self.request.transactional {
            Write::Direct
        } else {
            Write::No
        }
    }

    /// A file, or something that may be made.
    fn add_leaf(&mut self, node: &Node) {
        let around = self.view.at(&node.path);
        if node.kind == Kind::Missing {
            if node.grants.has(Capability::Create) {
                self.let_be_made(node);
            }
            if !node.grants.reads() {
                self.view.set(node.path.clone(), What::Hidden);
            }
            return;
        }
        let What::Host { write, execute } = around else {
            return self.mount_file(node);
        };
        let grants = node.grants;
        let runs_alike = execute == grants.executes();
        let changes_names = grants.has(Capability::Delete)
            || (self.request.transactional && grants.has(Capability::Update));
        match write {
            Write::Judged if runs_alike => {}
            Write::Direct if runs_alike && grants.writes_all() => {}
            Write::No if runs_alike && !changes_names && !grants.has(Capability::Update) => {}
            Write::No if runs_alike && changes_names && self.request.can_judge() => {
                self.let_be_made(node);
            }
            _ => self.mount_file(node),
        }
    }

    /// A file in a place of its own: it can be changed, and cannot be removed.
    fn mount_file(&mut self, node: &Node) {
        let changes = node.grants.has(Capability::Update) && !self.request.transactional;
        let write = if changes { Write::Direct } else { Write::No };
        self.view.set(node.path.clone(), What::Host { write, execute: node.grants.executes() });
    }

    /// Turns the directory in which a name is to be made or removed into a judged place.
    fn let_be_made(&mut self, node: &Node) {
        let Some(directory) = self.directory_of(&node.path) else { return };
        let Some(around) = self.view.place_of(&node.path).cloned() else { return };
        // Something on the way does not exist and is hidden: then it cannot be made either.
        if !self.request.can_judge() || !directory.starts_with(&around.path) {
            return;
        }
        let what = match around.what {
            What::Host { write: Write::No, execute } => {
                self.remark_beside(&directory, node);
                What::Host { write: Write::Judged, execute }
            }
            // A directory that exists has to be seen to be made in, also inside one like it.
            What::Hidden | What::Blank => What::Blank,
            other => other,
        };
        if what != around.what || what == What::Blank {
            self.view.set(directory, what);
        }
    }

    /// The nearest directory that exists, unless something else is in the way.
    fn directory_of(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        for ancestor in path.ancestors().skip(1) {
            match self.facts.kind(ancestor) {
                Kind::Directory => return Some(ancestor.to_owned()),
                Kind::Missing if ancestor != self.request.root => {}
                _ => return None,
            }
        }
        None
    }

    fn remark_beside(&mut self, directory: &Utf8Path, node: &Node) {
        let governing = self.nodes.iter().rfind(|other| directory.starts_with(&other.path));
        let shown = node.path.strip_prefix(self.request.root).unwrap_or(&node.path);
        self.remarks.extend(governing.map(|governing| Remark {
            path: governing.path.clone(),
            capabilities: WRITES.to_vec(),
            fidelity: Fidelity::Exact,
            reason: words::beside(shown),
        }));
    }
}

/// Puts the places of the workspace into a view, in which nothing else may speak about it.
pub(super) fn add(view: &mut View, workspace: &View) {
    workspace.places().iter().cloned().for_each(|Place { path, what }| view.set(path, what));
}
