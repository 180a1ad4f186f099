//! Where the places of a profile are: the system, the home, temporary directories, the program.
//!
//! There are three kinds of view. Without rules the host can be read and the workspace written. With
//! rules, or under the strict profile, only what somebody granted is there, besides the system and
//! its toolchains. A sealed program has its libraries and nothing else.
//!
//! The danger is a socket. One can be connected to through a read-only mount, and behind it there may
//! be a daemon that does whatever it is asked: a container engine, a session bus, an agent with keys.
//! So the directories of sockets are empty in every view.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::FsRule;

use super::{
    Facts, Kind, Profile, Request, tidy,
    workspace::{self, Remark},
};
use crate::{
    confinement::{Execute, Link, Network, Tier},
    view::{View, What, Write},
};

/// Directories of the system, readable and executable where they exist.
pub(super) const SYSTEM: [&str; 16] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/home/linuxbrew/.linuxbrew",
    "/run/current-system",
    "/var/lib/ca-certificates",
    "/var/lib/snapd/snap",
];

/// What programs load besides themselves.
const LIBRARIES: [&str; 17] = [
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/usr/share/nodejs",
    "/usr/share/perl",
    "/usr/share/perl5",
    "/usr/share/zoneinfo",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ssl/openssl.cnf",
];

/// Where the programs of the system are.
const PROGRAMS: [&str; 6] =
    ["/usr/bin", "/usr/local/bin", "/bin", "/usr/libexec", "/etc/alternatives", "/usr/share"];

/// Directories that everybody on the machine shares.
const SHARED_TEMP: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Directories in which daemons put their sockets.
const SOCKETS: [&str; 2] = ["/run", "/var/run"];

/// Sockets of powerful daemons elsewhere, and those below the home directory.
const OTHER_SOCKETS: [&str; 3] = [
    "/var/lib/incus/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
];
const HOME_SOCKETS: [&str; 5] =
    [".docker/run", ".docker/desktop", ".colima", ".orbstack/run", ".rd/docker.sock"];

/// Files by which names and times are looked up. They are often links into `/run`.
const LOOKUP: [&str; 4] =
    ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime"];

/// What only root can read, and root should not read for a tool.
const ROOT_SECRETS: [&str; 15] = [
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ipsec.secrets",
    "/etc/krb5.keytab",
    "/etc/letsencrypt",
    "/etc/NetworkManager/system-connections",
    "/etc/pki/tls/private",
    "/etc/security/opasswd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
];

const READ_AND_RUN: What = What::Host { write: Write::No, execute: true };

/// A view before secrets are taken out of it.
pub(super) struct Compiled {
    pub(super) view: View,
    pub(super) remarks: Vec<Remark>,
}

/// All places of a request.
pub(super) fn of(request: &Request<'_>, network: Network, facts: &dyn Facts) -> Compiled {
    let mut build = Build { request, facts, view: View::default() };
    if let Profile::Sealed { may_execute_system } = request.profile {
        build.sealed(may_execute_system);
        return Compiled { view: build.view, remarks: Vec::new() };
    }
    if request.denies_by_default() {
        build.granted_only(network);
    } else {
        build.whole_host();
    }
    let (workspace, remarks) = workspace::compile(request, facts);
    workspace::add(&mut build.view, &workspace);
    build.program();
    Compiled { view: build.view, remarks }
}

/// Where something sensitive may be shown or hidden without a question: what nobody but root reads.
pub(super) fn is_root_secret(path: &Utf8Path) -> bool {
    ROOT_SECRETS.iter().any(|secret| path.starts_with(secret))
}

/// Whether daemons have their sockets there.
pub(super) fn is_for_sockets(path: &Utf8Path) -> bool {
    SOCKETS.iter().chain(&OTHER_SOCKETS).any(|place| path.starts_with(place))
}

/// Whether a directory is nobody's own.
pub(super) fn is_shared_temp(path: &Utf8Path) -> bool {
    SHARED_TEMP.iter().any(|shared| path == *shared)
}

/// What a process can start.
pub(super) fn execute(request: &Request<'_>) -> Execute {
    let commands = request.policy.and_then(|policy| policy.commands.as_ref());
    let grants_execute = request.fs_rules().iter().any(FsRule::execute);
    match (request.profile, commands) {
        (Profile::Sealed { may_execute_system: true }, _) => Execute::View,
        (Profile::Sealed { .. }, _) => Execute::Itself,
        (_, Some(commands)) if commands.is_empty() => Execute::Itself,
        // Whoever grants `execute` for a file means that it is started.
        (Profile::Strict, None) if !grants_execute => Execute::Itself,
        _ => Execute::View,
    }
}

/// Links that are needed and that no place shows.
pub(super) fn links(view: &View, request: &Request<'_>, facts: &dyn Facts) -> Vec<Link> {
    if request.tier != Tier::Namespaces {
        return Vec::new();
    }
    let leads_somewhere = |path: &Utf8Path| {
        real(facts, path).is_some_and(|real| {
            matches!(view.at(&real), What::Host { .. })
                || view.places().iter().any(|place| place.path.starts_with(&real))
        })
    };
    let link = |path: &&str| match facts.kind(Utf8Path::new(path)) {
        Kind::Link(target) if leads_somewhere(Utf8Path::new(path)) => {
            Some(Link { path: (*path).into(), target })
        }
        _ => None,
    };
    let unseen = |path: &&&str| !matches!(view.at(Utf8Path::new(path)), What::Host { .. });
    let mut candidates: Vec<&str> = [&SYSTEM[..], &LIBRARIES, &PROGRAMS].concat();
    candidates.extend(request.program_files.iter().map(|path| path.as_str()));
    candidates.sort_unstable();
    candidates.dedup();
    candidates.iter().filter(unseen).filter_map(link).collect()
}

/// The home directory, unless rules of the workspace speak about it or it is all there is.
pub(super) fn home<'a>(request: &Request<'a>) -> Option<&'a Utf8Path> {
    request.home.filter(|home| *home != "/" && !home.starts_with(request.root))
}

struct Build<'a> {
    request: &'a Request<'a>,
    facts: &'a dyn Facts,
    view: View,
}

impl Build<'_> {
    /// Everything is there and nothing can be written but the workspace, caches and private places.
    fn whole_host(&mut self) {
        self.set("/".into(), READ_AND_RUN);
        for path in SOCKETS {
            self.set_directory(path, What::Private { execute: false });
        }
        self.lookup_files();
        // With a place of its own the home can have things hidden in it without an overlay of `/`.
        if let Some(home) = home(self.request) {
            self.set_existing(home, READ_AND_RUN);
        }
        let below_home =
            HOME_SOCKETS.iter().filter_map(|name| Some(home(self.request)?.join(name)));
        let sockets: Vec<_> =
            OTHER_SOCKETS.iter().map(Utf8PathBuf::from).chain(below_home).collect();
        for path in sockets {
            if self.facts.kind(&path) != Kind::Missing {
                tidy::hide(&mut self.view, &path, self.facts);
            }
        }
        self.hide_root_secrets();
        self.temp(true);
        // Everything can be read but what is private, and that too where it was asked for.
        for path in &self.request.system.read {
            if matches!(self.view.at(path), What::Private { .. } | What::Hidden) {
                self.set_existing(path, READ_AND_RUN);
            }
        }
        self.caches(true);
    }

    /// Nothing is there but the system, toolchains and private places.
    fn granted_only(&mut self, network: Network) {
        let rules = self.request.fs_rules();
        let runs = match rules {
            [] => self.request.profile != Profile::Strict,
            rules => rules.iter().any(FsRule::execute),
        };
        self.temp(runs);
        let home = home(self.request).filter(|_| self.request.tier == Tier::Namespaces);
        if let Some(home) = home {
            self.set(home.to_owned(), What::Private { execute: runs });
        }
        for path in SYSTEM {
            self.set_directory(path, READ_AND_RUN);
        }
        self.hide_root_secrets();
        if network.leads_out() {
            self.lookup_files();
        }
        for path in &self.request.system.read {
            self.set_existing(path, READ_AND_RUN);
        }
        self.caches(runs);
    }

    /// The program and what it loads.
    fn sealed(&mut self, may_execute_system: bool) {
        self.temp(false);
        let system: &[&str] = if may_execute_system { &PROGRAMS } else { &[] };
        for path in LIBRARIES.iter().chain(system) {
            self.set_existing(Utf8Path::new(path), READ_AND_RUN);
        }
        for path in self.own_files().into_iter().chain([self.request.program.to_owned()]) {
            self.set(path, READ_AND_RUN);
        }
    }

    /// The files of the program that are files: a link is made, and where it leads is one of them.
    fn own_files(&self) -> Vec<Utf8PathBuf> {
        let is_link = |path: &&Utf8PathBuf| matches!(self.facts.kind(path), Kind::Link(_));
        self.request.program_files.iter().filter(|path| !is_link(path)).cloned().collect()
    }

    /// A program can be read and run whatever the rules say: who configured it wants it to start.
    fn program(&mut self) {
        let program = self.request.program;
        if !matches!(self.view.at(program), What::Host { execute: true, .. }) {
            self.view.set(program, READ_AND_RUN);
        }
        for path in self.own_files() {
            if !matches!(self.view.at(&path), What::Host { .. }) {
                self.view.set(path, READ_AND_RUN);
            }
        }
    }

    fn temp(&mut self, execute: bool) {
        let private = What::Private { execute };
        for path in SHARED_TEMP {
            self.set_private(Utf8Path::new(path), private);
        }
        let temp = self.request.temp;
        let what = match self.request.tier {
            Tier::Landlock if is_shared_temp(temp) => private,
            Tier::Landlock => What::Host { write: Write::Direct, execute },
            Tier::Namespaces | Tier::None => private,
        };
        self.set_private(temp, what);
    }

    /// In an empty view a directory can appear anywhere; over the host's only where there is one.
    /// What is in `/dev` is made anew in every view.
    fn set_private(&mut self, path: &Utf8Path, what: What) {
        let is_on_host = self.view.exactly(Utf8Path::new("/")).is_some();
        if !is_on_host || path.starts_with("/dev") || self.facts.kind(path) == Kind::Directory {
            self.set(path.to_owned(), what);
        }
    }

    fn caches(&mut self, execute: bool) {
        for path in &self.request.system.write {
            self.set_existing(path, What::Host { write: Write::Direct, execute });
        }
    }

    /// Files by which names are looked up, where they lead into a directory that is empty here.
    fn lookup_files(&mut self) {
        for file in LOOKUP {
            let Some(real) = real(self.facts, Utf8Path::new(file)) else { continue };
            if is_for_sockets(&real) && self.facts.kind(&real) == Kind::File {
                self.set(real, What::Host { write: Write::No, execute: false });
            }
        }
    }

    /// File modes keep these from everybody but root.
    fn hide_root_secrets(&mut self) {
        for secret in ROOT_SECRETS.iter().filter(|_| self.request.as_root) {
            if self.facts.kind(Utf8Path::new(secret)) != Kind::Missing {
                tidy::hide(&mut self.view, Utf8Path::new(secret), self.facts);
            }
        }
    }

    fn set_directory(&mut self, path: &str, what: What) {
        if self.facts.kind(Utf8Path::new(path)) == Kind::Directory {
            self.set(path.into(), what);
        }
    }

    fn set_existing(&mut self, path: &Utf8Path, what: What) {
        if matches!(self.facts.kind(path), Kind::Directory | Kind::File) {
            self.set(path.to_owned(), what);
        }
    }

    /// In the workspace the rules decide, and nobody else.
    fn set(&mut self, path: Utf8PathBuf, what: What) {
        if self.request.is_sealed() || !path.starts_with(self.request.root) {
            self.view.set(path, what);
        }
    }
}

/// Where a path leads when links are followed, without a look at what is there in the end.
fn real(facts: &dyn Facts, path: &Utf8Path) -> Option<Utf8PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut pending: Vec<String> = path.components().rev().map(|part| part.to_string()).collect();
    let mut reached = Utf8PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = pending.pop() {
        match part.as_str() {
            "/" => reached = "/".into(),
            "." => {}
            ".." => drop(reached.pop()),
            name => {
                let next = reached.join(name);
                if let Kind::Link(target) = facts.kind(&next) {
                    links += 1;
                    let parts = target.components().rev();
                    pending.extend(parts.map(|part: Utf8Component<'_>| part.to_string()));
                } else {
                    reached = next;
                }
            }
        }
        if links > MAX_LINKS {
            return None;
        }
    }
    Some(reached)
}
