//! From a policy to what the kernel is asked to do, with a word about how faithful that is.
//!
//! A policy says what a tool may touch. The kernel knows mounts, Landlock rules and network
//! namespaces, which are not the same thing. [`plan`] translates, and states for every rule and
//! capability whether the kernel will do exactly that, less, or more ([`Fidelity`]). A plan that lets
//! a tool do more than its policy is never carried out in silence ([`Plan::verdict`]).
//!
//! The translation is pure: what is on the disk comes in through [`Facts`], and the result is plain
//! data. So it can be printed, tested against thousands of policies, and judged without a kernel.
//!
//! The danger is a place that says more than its rule. Three habits guard against it: rules are
//! evaluated by [`AccessPolicy`] itself and never a second time here; what cannot be expressed is
//! hidden or read-only; and the rows are found by comparing the finished view with the policy, not by
//! remembering what the translation meant to do.

mod environment;
mod landlock;
mod network;
mod places;
mod reach;
mod row;
mod rows;
mod secrets;
mod server;
mod settings;
mod text;
mod tidy;
mod verdict;
mod words;
mod workspace;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::AccessPolicy;

use self::workspace::Remark;
pub use self::{
    environment::{Environment, MINIMAL},
    reach::{Denial, Suggestion, blocked_by, suggest},
    row::{Aspect, Fidelity, Row},
    verdict::{Refusal, Verdict},
};
use crate::{
    confinement::{Confinement, Execute, Limits, Link, Network, Tier},
    view::{View, What, Write},
};

/// What a plan is made of. All paths are absolute and canonical; the rules of the policy are in their
/// canonical form, relative to `root`.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The rules of the tool; `None` for a tool without `access`.
    pub policy: Option<&'a AccessPolicy>,
    /// The workspace.
    pub root: &'a Utf8Path,
    /// What holds where no rule says anything.
    pub profile: Profile,
    /// What the machine offers.
    pub tier: Tier,
    /// How long the process lives.
    pub lifetime: Lifetime,
    /// Whether every write to the workspace has to be judged before it is made: a dry run, a review.
    pub transactional: bool,
    /// Places with secrets in them. One that does not exist is kept hidden where nothing can be
    /// written; in a writable place it is passed over, because hiding it would turn every call into
    /// a transaction for the sake of a file that is not there.
    pub sensitive: &'a [Utf8PathBuf],
    /// Those of them that a person said yes to.
    pub approved: &'a [Utf8PathBuf],
    /// What programs need outside the workspace.
    pub system: &'a SystemPaths,
    /// The home directory.
    pub home: Option<&'a Utf8Path>,
    /// Where the private temporary directory is. With namespaces it is any path, usually `/tmp`, at
    /// which an empty directory appears. With Landlock alone it has to be a directory that was made
    /// for this call; a shared one such as `/tmp` is then left out.
    pub temp: &'a Utf8Path,
    /// The file that is executed.
    pub program: &'a Utf8Path,
    /// What else belongs to the program: its interpreter, files named in its command, and what
    /// `program_files` lists. A link among them is shown as a link.
    pub program_files: &'a [Utf8PathBuf],
    /// Whether the process runs as root, who can read what file modes keep from others.
    pub as_root: bool,
}

/// What holds where no rule says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The host can be read and the workspace written; network and environment are left alone.
    Workspace,
    /// The workspace can be read. No network, no other programs, no variables.
    Strict,
    /// The program sees itself and nothing else; the host does everything for it.
    Sealed {
        /// Whether it can start the programs of the system, as a script that describes itself needs.
        may_execute_system: bool,
    },
    /// No confinement for tools without rules.
    Off,
}

/// How long a process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// For one call. Its writes can be kept apart until it ends.
    Call,
    /// Until nobody needs it any more. Its writes have to be seen at once.
    Server,
}

/// What programs need outside the workspace, from presets and configuration. What lies in the
/// workspace is passed over: there the rules decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemPaths {
    /// Toolchains: read and executed.
    pub read: Vec<Utf8PathBuf>,
    /// Caches: read and written.
    pub write: Vec<Utf8PathBuf>,
    /// What stays hidden inside the others.
    pub hidden: Vec<Utf8PathBuf>,
}

/// What is on the disk, as far as a plan depends on it.
pub trait Facts {
    /// What an absolute path is, without following a link at its end.
    fn kind(&self, path: &Utf8Path) -> Kind;

    /// The names in a directory; none if it cannot be listed. Asked only without namespaces, and for
    /// servers.
    fn children(&self, directory: &Utf8Path) -> Vec<String>;

    /// The mount points strictly below a directory. An overlay does not show what is mounted inside
    /// its lower directory, so each needs a place of its own there.
    fn mounts(&self, below: &Utf8Path) -> Vec<Utf8PathBuf>;
}

/// What is found at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link and its text.
    Link(Utf8PathBuf),
    /// A socket, a pipe, a device.
    Other,
}

/// How a process will be confined, and how faithful that is to its policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// By what means.
    pub tier: Tier,
    /// The files it sees.
    pub view: View,
    /// Links to make where the view itself is empty.
    pub links: Vec<Link>,
    /// Whom it can talk to.
    pub network: Network,
    /// What it can start.
    pub execute: Execute,
    /// The variables it gets.
    pub environment: Environment,
    /// Whether writes are kept apart and judged when the call ends.
    pub transactional: bool,
    /// How faithfully each rule and each promise of the profile is kept.
    pub rows: Vec<Row>,
    /// Whether the person turned confinement off.
    pub off: bool,
}

impl Plan {
    /// The worst of all rows.
    pub fn fidelity(&self) -> Fidelity {
        self.rows.iter().map(|row| row.fidelity).max().unwrap_or(Fidelity::Exact)
    }

    /// The confinement that carries out this plan. `changes` is the directory that keeps what is
    /// written to judged places.
    pub fn confinement(
        &self,
        changes: Option<Utf8PathBuf>,
        limits: Limits,
        observe: bool,
    ) -> Confinement {
        Confinement {
            tier: self.tier,
            view: self.view.clone(),
            links: self.links.clone(),
            changes: changes.filter(|_| self.transactional),
            network: self.network,
            execute: self.execute,
            limits,
            observe,
            terminal: None,
        }
    }
}

/// Translates a policy.
pub fn plan(request: &Request<'_>, facts: &dyn Facts) -> Plan {
    let request = &request.effective();
    if request.is_unconfined() {
        return unconfined(request);
    }
    let network = network::of(request);
    let compiled = places::of(request, network, facts);
    let secrets = secrets::hide(request, &compiled.view, facts);
    let mut view = tidy::collapse(&secrets.view);
    let mut remarks = [compiled.remarks, secrets.remarks].concat();
    let mut expanded = Vec::new();
    if request.tier == Tier::Namespaces && request.lifetime == Lifetime::Server {
        let held = server::hold(request, &view, facts);
        (view, expanded) = (tidy::collapse(&held.view), held.expanded);
    }
    settings::keep(&mut view, request, facts);
    if request.tier == Tier::Landlock {
        let narrowed = landlock::narrow(&view, facts);
        (view, expanded) = (narrowed.view, narrowed.expanded);
    } else {
        let read_only = tidy::keep_mounts(&mut view, facts);
        remarks.extend(read_only.into_iter().map(Remark::of_file_mount));
    }
    let judged = view.places().iter().any(|place| place.what.is_judged());
    Plan {
        tier: request.tier,
        links: places::links(&view, request, facts),
        rows: rows::of(request, network, &rows::Outcome { view: &view, remarks, expanded, facts }),
        network,
        execute: places::execute(request),
        environment: environment::of(request),
        transactional: judged,
        view,
        off: request.profile == Profile::Off,
    }
}

impl Request<'_> {
    /// Rules are kept also where the default for tools without rules is no confinement.
    fn effective(&self) -> Self {
        let mut request = *self;
        let has_rules = request.policy.is_some_and(has_rules);
        if request.profile == Profile::Off && has_rules && request.tier != Tier::None {
            request.profile = Profile::Workspace;
        }
        request
    }

    fn is_unconfined(&self) -> bool {
        self.tier == Tier::None || self.profile == Profile::Off
    }

    fn is_sealed(&self) -> bool {
        matches!(self.profile, Profile::Sealed { .. })
    }

    /// Whether everything that nobody grants is hidden, rather than read-only.
    fn denies_by_default(&self) -> bool {
        self.is_sealed() || self.profile == Profile::Strict || !self.fs_rules().is_empty()
    }

    /// Whether writes can be kept apart and judged.
    fn can_judge(&self) -> bool {
        self.tier == Tier::Namespaces && self.lifetime == Lifetime::Call
    }

    fn fs_rules(&self) -> &[jp_tool::access::FsRule] {
        self.policy.map_or(&[], |policy| &policy.fs)
    }
}

fn has_rules(policy: &AccessPolicy) -> bool {
    !policy.fs.is_empty()
        || !policy.net.is_empty()
        || !policy.env.is_empty()
        || policy.commands.is_some()
}

/// The plan where the kernel does nothing: the process sees and does what its user can.
fn unconfined(request: &Request<'_>) -> Plan {
    let everything = What::Host { write: Write::Direct, execute: true };
    let place = crate::view::Place { path: "/".into(), what: everything };
    Plan {
        tier: Tier::None,
        view: View::new([place]),
        links: Vec::new(),
        network: Network::Shared,
        execute: Execute::View,
        environment: environment::of(request),
        transactional: false,
        rows: rows::unenforced(request),
        off: request.profile == Profile::Off,
    }
}

#[cfg(test)]
mod tests;
