//! Finding and making a workspace.

use std::{
    fs,
    io::{self, ErrorKind},
    os::{fd::OwnedFd, unix::fs::MetadataExt},
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    beneath,
    id::WorkspaceId,
    layout::{CONFIG, CONFIG_SCHEMA, ID, STORAGE},
};

/// A directory with a `.jp` in it.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: Utf8PathBuf,
    id: WorkspaceId,
}

/// There is no workspace here or above.
#[derive(Debug, thiserror::Error)]
#[error("no workspace in {0} or any directory above it")]
pub struct NotFound(pub Utf8PathBuf);

/// The workspace is there or should be made, and something is in the way.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: Utf8PathBuf, source: io::Error },
    #[error("{0} does not hold the id of a workspace (letters and digits, at most 64)")]
    BadId(Utf8PathBuf),
    #[error("no randomness for a new workspace id: {0}")]
    Random(getrandom::Error),
    #[error("{path} belongs to another user (uid {owner}), and its settings decide what runs")]
    ForeignOwner { path: Utf8PathBuf, owner: u32 },
    #[error("{0} has changed meanwhile")]
    Changed(Utf8PathBuf),
}

/// What [`Workspace::init`] found and did.
#[derive(Debug)]
pub struct Initialized {
    pub workspace: Workspace,
    /// The files that were made, relative to the root. Empty when everything was there already.
    pub created: Vec<String>,
}

impl Workspace {
    /// The root of the workspace that `start` (an absolute path) is in: the nearest directory with a
    /// `.jp` directory.
    pub fn find_root(start: &Utf8Path) -> Result<Utf8PathBuf, NotFound> {
        start
            .ancestors()
            .find(|dir| dir.join(STORAGE).is_dir())
            .map(Utf8Path::to_owned)
            .ok_or_else(|| NotFound(start.to_owned()))
    }

    /// Opens the workspace at `root`. A `.jp` that was made by hand has no id yet; it gets one now.
    pub fn open(root: &Utf8Path) -> Result<Self, WorkspaceError> {
        let storage = root.join(STORAGE);
        check_owner(&storage)?;
        let dir = beneath::open_root(&storage).map_err(failed("open", &storage))?;
        Ok(Self { root: root.to_owned(), id: ensure_id(&dir, &storage)? })
    }

    /// Makes a workspace at `root`, or completes one that is there. The user's settings stay as they
    /// are; the schema belongs to the program and follows it.
    pub fn init(
        root: &Utf8Path,
        config: &str,
        schema: &str,
    ) -> Result<Initialized, WorkspaceError> {
        let storage = root.join(STORAGE);
        fs::create_dir_all(&storage).map_err(failed("create", &storage))?;
        check_owner(&storage)?;
        let dir = beneath::open_root(&storage).map_err(failed("open", &storage))?;
        let mut created = Vec::new();
        if !beneath::exists(&dir, CONFIG) {
            match beneath::create(&dir, CONFIG, config.as_bytes()) {
                Ok(()) => created.push(format!("{STORAGE}/{CONFIG}")),
                // Somebody else has made one since we looked; his stays.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("write", &storage.join(CONFIG))(error)),
            }
        }
        let known = beneath::read(&dir, CONFIG_SCHEMA, SCHEMA_LIMIT);
        if known.ok().as_deref() != Some(schema.as_bytes()) {
            beneath::replace(&dir, CONFIG_SCHEMA, schema.as_bytes())
                .map_err(failed("write", &storage.join(CONFIG_SCHEMA)))?;
            created.push(format!("{STORAGE}/{CONFIG_SCHEMA}"));
        }
        if !beneath::exists(&dir, ID) {
            created.push(format!("{STORAGE}/{ID}"));
        }
        let id = ensure_id(&dir, &storage)?;
        Ok(Initialized { workspace: Self { root: root.to_owned(), id }, created })
    }

    /// The settings of the workspace at `root` as they are written; empty if there are none.
    pub fn read_config(root: &Utf8Path) -> Result<String, WorkspaceError> {
        let storage = root.join(STORAGE);
        let path = storage.join(CONFIG);
        let dir = beneath::open_root(&storage).map_err(failed("open", &storage))?;
        settings_text(&dir, CONFIG).map_err(failed("read", &path))
    }

    /// Adds to the end of the settings of the workspace at `root`, if they still are what somebody has
    /// looked at. A reader sees the old file or the new one, and everything in it stays as it is.
    pub fn append_config(
        root: &Utf8Path,
        expected: &str,
        addition: &str,
    ) -> Result<(), WorkspaceError> {
        let file = root.join(STORAGE).join(CONFIG);
        replace_settings(&file, expected, &format!("{expected}{addition}"))
    }

    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The `.jp` directory.
    pub fn storage(&self) -> Utf8PathBuf {
        self.root.join(STORAGE)
    }

    pub fn id(&self) -> &WorkspaceId {
        &self.id
    }
}

/// Puts other settings into a file, if it still holds what somebody has looked at; nothing is as good as
/// no file. A reader sees the old file or the new one. The file itself may not be a link: whoever reads
/// settings would follow it, and this would put a file in its place.
pub fn replace_settings(file: &Utf8Path, expected: &str, text: &str) -> Result<(), WorkspaceError> {
    let (parent, name) = (file.parent().unwrap_or(Utf8Path::new(".")), file.file_name());
    let name = name.ok_or_else(|| failed("write", file)(ErrorKind::InvalidInput.into()))?;
    let dir = beneath::open_root(parent).map_err(failed("open", parent))?;
    // Whoever else does this at the same time waits, and then sees what was added.
    rustix::fs::flock(&dir, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|error| failed("lock", parent)(error.into()))?;
    if settings_text(&dir, name).map_err(failed("read", file))? != expected {
        return Err(WorkspaceError::Changed(file.to_owned()));
    }
    beneath::replace_alike(&dir, name, text.as_bytes()).map_err(failed("write", file))
}

/// Nobody writes settings of this size by hand, and nothing else reads larger ones.
const CONFIG_LIMIT: u64 = 1 << 24;

fn settings_text(dir: &OwnedFd, name: &str) -> io::Result<String> {
    match beneath::read(dir, name, CONFIG_LIMIT) {
        Ok(bytes) => String::from_utf8(bytes).map_err(io::Error::other),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// A schema of ours is a tenth of this; anything larger is not ours and is replaced.
const SCHEMA_LIMIT: u64 = 1 << 20;

/// Refuses settings of another user. They name programs to run, so a `.jp` or `.jp.toml` that
/// somebody put above the current directory, in `/tmp` for example, must not be obeyed. Root reads everybody's, as in a container whose files
/// belong to the user outside.
pub fn check_owner(path: &Utf8Path) -> Result<(), WorkspaceError> {
    let me = rustix::process::geteuid().as_raw();
    // A link is somebody's choice too, whatever it leads to.
    for metadata in [fs::symlink_metadata(path), fs::metadata(path)] {
        let owner = metadata.map_err(failed("open", path))?.uid();
        if owner != me && owner != 0 && me != 0 {
            return Err(WorkspaceError::ForeignOwner { path: path.to_owned(), owner });
        }
    }
    Ok(())
}

/// Reads the id, or makes one. Two processes that make one at the same time end up with the same:
/// the file is linked into place whole, and whoever comes second reads the first one's.
fn ensure_id(dir: &OwnedFd, storage: &Utf8Path) -> Result<WorkspaceId, WorkspaceError> {
    let path = storage.join(ID);
    match beneath::read(dir, ID, 4096) {
        Ok(bytes) => {
            let text = str::from_utf8(&bytes).unwrap_or_default().trim();
            text.parse().map_err(|()| WorkspaceError::BadId(path))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let id = WorkspaceId::random().map_err(WorkspaceError::Random)?;
            match beneath::create(dir, ID, format!("{id}\n").as_bytes()) {
                Ok(()) => Ok(id),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => ensure_id(dir, storage),
                Err(error) => Err(failed("write", &path)(error)),
            }
        }
        Err(error) => Err(failed("read", &path)(error)),
    }
}

fn failed(action: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> WorkspaceError {
    let path = path.to_owned();
    move |source| WorkspaceError::Io { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temp() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temp.path()).unwrap().to_owned();
        (temp, path)
    }

    #[test]
    fn the_nearest_directory_with_storage_is_the_root() {
        let (_temp, top) = temp();
        let inner = top.join("a/b/c");
        fs::create_dir_all(&inner).unwrap();
        let error = Workspace::find_root(&inner).unwrap_err().to_string();
        assert_eq!(error, format!("no workspace in {inner} or any directory above it"));
        fs::create_dir(top.join(STORAGE)).unwrap();
        assert_eq!(Workspace::find_root(&inner).unwrap(), top);
        fs::create_dir(top.join("a/b").join(STORAGE)).unwrap();
        assert_eq!(Workspace::find_root(&inner).unwrap(), top.join("a/b"));
        assert_eq!(Workspace::find_root(&top).unwrap(), top);
    }

    #[test]
    fn a_file_named_like_the_storage_is_no_workspace() {
        let (_temp, top) = temp();
        fs::write(top.join(STORAGE), "").unwrap();
        assert!(Workspace::find_root(&top).is_err());
        assert!(Workspace::init(&top, "", "").is_err());
    }

    #[test]
    fn settings_grow_at_their_end_and_keep_the_rest() {
        use std::os::unix::fs::PermissionsExt as _;

        let (_temp, top) = temp();
        fs::create_dir(top.join(STORAGE)).unwrap();
        let file = top.join(".jp/config.toml");
        assert_eq!(Workspace::read_config(&top).unwrap(), "");
        Workspace::append_config(&top, "", "# mine\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        Workspace::append_config(&top, "# mine\n", "a = 1\n").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\na = 1\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        let error = Workspace::append_config(&top, "# old\n", "b = 1\n").unwrap_err();
        assert_eq!(error.to_string(), format!("{file} has changed meanwhile"));
        // Settings that are kept elsewhere stay there.
        fs::rename(&file, top.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), &file).unwrap();
        assert!(Workspace::read_config(&top).is_err());
        assert!(file.is_symlink());
        assert_eq!(fs::read_dir(top.join(STORAGE)).unwrap().count(), 1, "nothing is left over");
    }

    #[test]
    fn settings_are_replaced_if_nobody_else_has_changed_them() {
        let (_temp, top) = temp();
        let file = top.join(".jp.toml");
        replace_settings(&file, "", "a = 1\n").unwrap();
        replace_settings(&file, "a = 1\n", "a = 2\n").unwrap();
        let error = replace_settings(&file, "a = 1\n", "a = 3\n").unwrap_err();
        assert!(matches!(error, WorkspaceError::Changed(changed) if changed == file));
        assert_eq!(fs::read_to_string(&file).unwrap(), "a = 2\n");
        fs::rename(&file, top.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), &file).unwrap();
        assert!(replace_settings(&file, "a = 2\n", "a = 3\n").is_err());
        assert_eq!(fs::read_to_string(top.join("elsewhere")).unwrap(), "a = 2\n");
    }

    /// Each adds a line to what it has read, and none of them is lost.
    #[test]
    fn several_who_change_settings_at_once_lose_nothing() {
        let (_temp, top) = temp();
        let file = &top.join(".jp.toml");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || {
                    for line in 0..20 {
                        loop {
                            let before = fs::read_to_string(file).unwrap_or_default();
                            let after = format!("{before}# {writer} {line}\n");
                            match replace_settings(file, &before, &after) {
                                Ok(()) => break,
                                Err(WorkspaceError::Changed(_)) => {}
                                Err(error) => panic!("{error}"),
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(file).unwrap().lines().count(), 80);
    }

    #[test]
    fn init_twice_changes_nothing() {
        let (_temp, top) = temp();
        let first = Workspace::init(&top, "# mine\n", "{}").unwrap();
        assert_eq!(first.created, [".jp/config.toml", ".jp/config.schema.json", ".jp/id"]);
        let second = Workspace::init(&top, "# other\n", "{}").unwrap();
        assert!(second.created.is_empty());
        assert_eq!(second.workspace.id(), first.workspace.id());
        assert_eq!(fs::read_to_string(top.join(".jp/config.toml")).unwrap(), "# mine\n");
        assert_eq!(Workspace::open(&top).unwrap().id(), first.workspace.id());
    }

    #[test]
    fn init_brings_the_schema_up_to_date_and_keeps_the_settings() {
        let (_temp, top) = temp();
        Workspace::init(&top, "# mine\n", "{}").unwrap();
        let again = Workspace::init(&top, "# other\n", "{\"new\": 1}").unwrap();
        assert_eq!(again.created, [".jp/config.schema.json"]);
        assert_eq!(fs::read_to_string(top.join(".jp/config.toml")).unwrap(), "# mine\n");
    }

    #[test]
    fn a_storage_made_by_hand_gets_an_id_that_stays() {
        let (_temp, top) = temp();
        fs::create_dir(top.join(STORAGE)).unwrap();
        let id = Workspace::open(&top).unwrap().id().clone();
        assert_eq!(Workspace::open(&top).unwrap().id(), &id);
    }

    #[test]
    fn a_broken_id_is_an_error_that_names_the_file() {
        let (_temp, top) = temp();
        Workspace::init(&top, "", "").unwrap();
        fs::write(top.join(".jp/id"), "../..").unwrap();
        let error = Workspace::open(&top).unwrap_err().to_string();
        assert!(error.contains(".jp/id"), "{error}");
    }

    #[test]
    fn many_processes_agree_on_a_new_id() {
        let (_temp, top) = temp();
        fs::create_dir(top.join(STORAGE)).unwrap();
        let open = || Workspace::open(&top).unwrap().id().to_string();
        let ids: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    }
}
