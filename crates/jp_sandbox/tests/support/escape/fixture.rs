//! The files and processes of a host that an attempt is up against, made anew for each run.
//!
//! Beside the workspace there is a directory that no view shows, with a secret in it, and a process of
//! the same user, the neighbor, that offers everything an attempt could want to reach: sockets of all
//! kinds, memory, message queues, an environment.

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    io::{BufRead, BufReader},
    os::{
        fd::AsRawFd,
        unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use camino::Utf8PathBuf;
use tempfile::TempDir;

/// What an attempt looks for. It is in every file that is kept from it.
pub(crate) const SECRET: &str = "JP-ESCAPE-SECRET";

/// The user that an ordinary run is made as. It owns nothing else on any machine.
const NOBODY: u32 = 65_534;

/// Who makes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Whoever runs the tests, who may be root.
    Own,
    /// `nobody`, for which the tests have to run as root.
    Nobody,
}

impl User {
    /// Everybody that a run can be made as here.
    pub(crate) fn all() -> Vec<Self> {
        if is_root() { vec![Self::Own, Self::Nobody] } else { vec![Self::Own] }
    }

    pub(crate) fn is_root(self) -> bool {
        self == Self::Own && is_root()
    }

    /// The words that come before a program to run it as this user.
    fn words(self) -> Vec<String> {
        if self == Self::Own {
            return Vec::new();
        }
        let id = NOBODY.to_string();
        let setpriv = program("setpriv", "util-linux").display().to_string();
        [&setpriv, "--reuid", &id, "--regid", &id, "--clear-groups"].map(str::to_owned).into()
    }
}

/// Whether whoever runs the tests is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program that comes with the system, because nothing else is in a view.
pub(crate) fn program(name: &str, package: &str) -> PathBuf {
    let places = ["/usr/bin", "/bin", "/usr/local/bin"].map(|place| Path::new(place).join(name));
    places.into_iter().find(|path| path.exists()).unwrap_or_else(|| {
        panic!("the escape suite needs `{name}` in /usr/bin: install it, for example with `apt-get install {package}`")
    })
}

/// One host.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) user: User,
    /// Everything else is in here.
    pub(crate) root: Utf8PathBuf,
    pub(crate) workspace: Utf8PathBuf,
    pub(crate) outside: Utf8PathBuf,
    pub(crate) scripts: Utf8PathBuf,
    /// A program for [`jp_sandbox::linux::Spawner::start`] that runs as the user.
    pub(crate) helper: Utf8PathBuf,
    /// The words that come before a program to run it as the user, with what the host has mounted.
    pub(crate) prefix: Vec<String>,
    /// What the neighbor offers, by variable.
    pub(crate) offers: Vec<(String, String)>,
    neighbor: Child,
    /// A descriptor that everything started from here inherits unless it takes care.
    leaked: fs::File,
    #[expect(dead_code, reason = "it is removed when this is dropped")]
    directory: TempDir,
}

impl Fixture {
    /// With a file system mounted in the workspace where one is named.
    pub(crate) fn new(user: User, mounted: Option<&str>) -> Self {
        let directory =
            tempfile::Builder::new().prefix("jp-escape-").tempdir().expect("a temporary directory");
        let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().expect("it exists"))
            .expect("a temporary directory with a readable name");
        let [workspace, outside, scripts] =
            ["workspace", "outside", "scripts"].map(|name| root.join(name));
        fill_workspace(&workspace);
        write(&outside.join("victim"), SECRET);
        write(&outside.join("inner/file"), "plain");
        copy_scripts(&scripts);
        let mut prefix = mounted.map_or_else(Vec::new, |name| mount(&workspace.join(name)));
        prefix.extend(user.words());
        let helper = copy_helper(&root, &prefix);
        give(root.as_std_path(), user);
        if is_root() {
            add_privileged_programs(&workspace.join("src"));
        }
        let leaked = fs::File::open(&outside).expect("the outside is there");
        rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).expect("a flag can be set");
        let (neighbor, mut offers) = start_neighbor(user, &root, &scripts);
        offers.push(("LEAKED".into(), leaked.as_raw_fd().to_string()));
        Self {
            user,
            root,
            workspace,
            outside,
            scripts,
            helper,
            prefix,
            offers,
            neighbor,
            leaked,
            directory,
        }
    }

    /// The variables of an attempt.
    pub(crate) fn variables(&self, temporary: &str) -> Vec<(String, String)> {
        let own = [
            ("WS", self.workspace.as_str()),
            ("OUTSIDE", self.outside.as_str()),
            ("TMP", temporary),
            ("PYTHONPATH", self.scripts.as_str()),
            ("PATH", "/usr/bin:/bin"),
            ("LC_ALL", "C.UTF-8"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(self.offers.clone()).collect()
    }

    /// Everything about the files that an attempt must not change.
    pub(crate) fn fingerprint(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        collect(self.outside.as_std_path(), &mut found);
        collect(self.workspace.as_std_path(), &mut found);
        // What may change, and what an attempt of another test that signals everybody leaves here.
        let writable = ["noexec", "tmp"].map(|name| self.workspace.join(name));
        let changing = [self.outside.clone(), self.outside.join("urgent")];
        found.retain(|path, _| !writable.iter().any(|writable| path.starts_with(writable)));
        found.retain(|path, _| !changing.iter().any(|changing| path == changing));
        found
    }

    /// Whether the neighbor is as it was.
    pub(crate) fn neighbor_lives(&mut self) -> bool {
        matches!(self.neighbor.try_wait(), Ok(None))
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.neighbor.kill();
        let _ = self.neighbor.wait();
        let _ = rustix::io::fcntl_setfd(&self.leaked, rustix::io::FdFlags::CLOEXEC);
        // An overlay leaves a directory behind that nobody may enter, and so nobody could remove.
        let work = self.root.join("changes/0/work/work");
        let _ = fs::set_permissions(work, Permissions::from_mode(0o700));
    }
}

fn fill_workspace(workspace: &camino::Utf8Path) {
    for hidden in [".env", "secret/key", "deep/a/key"] {
        write(&workspace.join(hidden), SECRET);
    }
    for plain in
        ["src/lib.rs", "secret/public/p", "deep/a/other", "noexec/file", "tmp/file", "ro/file"]
    {
        write(&workspace.join(plain), "plain");
    }
    // A file where a place hides something below a directory, which the host may make of it later.
    write(&workspace.join("becomes"), "plain");
    symlink("../.env", workspace.join("src/link")).expect("a link can be made");
    symlink("deep", workspace.join("pointer")).expect("a link can be made");
    for name in ["program", "noexec/program"] {
        fs::copy(program("true", "coreutils"), workspace.join(name)).expect("a program to copy");
    }
}

fn write(path: &camino::Utf8Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("a directory");
    fs::write(path, text).expect("a file can be written");
}

fn copy_scripts(to: &camino::Utf8Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escape");
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("the attempts are there") {
        let entry = entry.expect("the attempts can be listed").path();
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if entry.is_file() {
            fs::copy(&entry, to.join(name)).expect("a script can be copied");
            continue;
        }
        fs::create_dir_all(to.join(&name)).expect("a directory");
        for script in fs::read_dir(entry).expect("a group can be listed") {
            let script = script.expect("a group can be listed");
            if script.path().is_file() {
                let to = to.join(&name).into_std_path_buf().join(script.file_name());
                fs::copy(script.path(), to).expect("a script can be copied");
            }
        }
    }
}

/// A copy that every user can reach, wherever the build directory is, and a script that becomes it.
fn copy_helper(root: &camino::Utf8Path, prefix: &[String]) -> Utf8PathBuf {
    let helper = root.join("helper");
    fs::copy(env!("CARGO_BIN_EXE_sandbox_helper"), &helper).expect("the helper can be copied");
    if prefix.is_empty() {
        return helper;
    }
    let words: Vec<String> = prefix.iter().map(|word| format!("'{word}'")).collect();
    let script = root.join("helper.sh");
    write(&script, &format!("#!/bin/sh\nexec {} {helper} \"$@\"\n", words.join(" ")));
    fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("a mode can be set");
    script
}

/// The words by which a program starts where a file system with a secret is mounted. It is so for that
/// program alone; the host does not notice.
fn mount(at: &camino::Utf8Path) -> Vec<String> {
    fs::create_dir_all(at).expect("a directory");
    let mount =
        format!("mount -t tmpfs -o mode=0755 none {at} && echo {SECRET} >{at}/key && exec \"$@\"");
    let unshare = program("unshare", "util-linux").display().to_string();
    [&unshare, "-m", "sh", "-c", &mount, "sh"].map(str::to_owned).into()
}

/// A program that runs as root whoever starts it, and one that has a capability.
fn add_privileged_programs(directory: &camino::Utf8Path) {
    let [setuid, capable] = ["setuid", "capable"].map(|name| directory.join(name));
    fs::copy(program("id", "coreutils"), &setuid).expect("a program to copy");
    fs::set_permissions(&setuid, Permissions::from_mode(0o4755)).expect("a mode can be set");
    fs::copy(program("grep", "grep"), &capable).expect("a program to copy");
    // Revision 2, effective; to bind low ports.
    let words: [u32; 5] = [0x0200_0001, 1 << 10, 0, 0, 0];
    let value: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(capable.as_std_path(), "security.capability", &value, flags)
        .expect("root can attach a capability");
}

/// Gives everything to the user.
pub(crate) fn give(path: &Path, user: User) {
    let found = path.symlink_metadata().expect("it was made");
    if user == User::Nobody {
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).expect("root can give files");
    }
    if found.is_dir() {
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("a mode can be set");
        for entry in fs::read_dir(path).expect("it was made") {
            give(&entry.expect("it was made").path(), user);
        }
    }
}

/// The neighbor tells what it offers as `NAME=value`, until an empty line.
fn start_neighbor(
    user: User,
    root: &camino::Utf8Path,
    scripts: &camino::Utf8Path,
) -> (Child, Vec<(String, String)>) {
    let python = program("python3", "python3").display().to_string();
    let words: Vec<String> = user.words().into_iter().chain([python]).collect();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .args(["-B", scripts.join("neighbor.py").as_str(), root.as_str()])
        .env("NEIGHBOR_SECRET", SECRET)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the neighbor starts");
    let lines = BufReader::new(child.stdout.take().expect("its output is a pipe")).lines();
    let told = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
    let offers: Vec<(String, String)> = told
        .filter_map(|line| line.split_once('=').map(|(name, value)| (name.into(), value.into())))
        .collect();
    assert!(!offers.is_empty(), "the neighbor offers nothing; its errors are above");
    (child, offers)
}

fn collect(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    let content = if metadata.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let (mode, owner, time) = (metadata.mode(), metadata.uid(), metadata.mtime());
    let time = format!("{time}.{:09}", metadata.mtime_nsec());
    let text = format!("{mode:o} {owner} {} {time} {:?}", metadata.nlink(), content.len());
    let hash = content.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte));
    found.insert(path.to_owned(), format!("{text} {hash:x}"));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), found);
        }
    }
}

/// Makes a directory of the user's.
pub(crate) fn make_directory(path: &camino::Utf8Path, user: User) {
    fs::create_dir_all(path).expect("a directory can be made");
    if user == User::Nobody {
        chown(path, Some(NOBODY), Some(NOBODY)).expect("root can give files");
    }
}
