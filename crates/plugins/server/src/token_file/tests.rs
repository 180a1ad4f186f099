//! Files that hold a token, and what only looks like one.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::fs::{CWD, FileType, mknodat};
use tempfile::TempDir;

use super::*;

const TOKEN: &str = "0123456789abcdef";

/// A directory with a workspace in it.
struct World {
    dir: TempDir,
    workspace: Workspace,
}

impl World {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("work");
        fs::create_dir_all(root.join(".jp")).unwrap();
        let workspace = Workspace { storage: root.join(".jp"), root, id: "a".to_owned() };
        Self { dir, workspace }
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>, mode: u32) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn for_settings(&self, path: &Path) -> Result<Token> {
        read_for_settings(path, &self.workspace)
    }
}

#[test]
fn a_file_has_a_token_or_says_why_not() {
    let world = World::new();
    let token = read(&world.write("good", format!(" {TOKEN}\n"), 0o644)).unwrap();
    assert!(token.is(TOKEN) && !token.is_new());
    let check = |text: &[u8], want: &str| {
        let error = read(&world.write("bad", text, 0o600)).unwrap_err();
        assert!(format!("{error} {error:?}").contains(want), "{error:?}");
    };
    check(b"", "Length(0)");
    check(b"0123456789 abcdef", "Characters");
    check(b"0123456789\xffabcdef", "Characters");
    // A prefix of a long file is no token.
    check("x".repeat(4097).as_bytes(), "has more than 4096 bytes");
    assert!(matches!(read(world.dir.path()), Err(TokenFileError::NoFile(_))));
    assert!(matches!(read(Path::new("/proc/self/nonexistent")), Err(TokenFileError::Read(..))));
    assert!(matches!(read(Path::new("/dev/zero")), Err(TokenFileError::NoFile(_))));
}

/// Nobody ever writes to it, and it is not waited for.
#[test]
fn a_pipe_is_refused_at_once() {
    let world = World::new();
    let path = world.dir.path().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || sender.send(read(&path).map(drop)));
    let answer = answer.recv_timeout(Duration::from_secs(10)).expect("it waits for a writer");
    assert!(matches!(answer, Err(TokenFileError::NoFile(_))), "{answer:?}");
}

#[test]
fn settings_name_a_file_of_the_user_outside_of_the_workspace() {
    let world = World::new();
    assert!(world.for_settings(&world.write("own", TOKEN, 0o600)).unwrap().is(TOKEN));
    let inside = world.write("work/token", TOKEN, 0o600);
    assert!(matches!(world.for_settings(&inside), Err(TokenFileError::InWorkspace(_))));
    // By another name, by a link to it, and by a link to its directory.
    let winding = world.workspace.root.join("../work/./token");
    assert!(matches!(world.for_settings(&winding), Err(TokenFileError::InWorkspace(_))));
    let link = world.dir.path().join("link");
    symlink(&inside, &link).unwrap();
    assert!(matches!(world.for_settings(&link), Err(TokenFileError::InWorkspace(_))));
    let dir = world.dir.path().join("dir");
    symlink(&world.workspace.root, &dir).unwrap();
    let inside = world.for_settings(&dir.join("token"));
    assert!(matches!(inside, Err(TokenFileError::InWorkspace(_))));
    let relative = world.for_settings(Path::new("token"));
    assert!(matches!(relative, Err(TokenFileError::Relative(_))));
    for mode in [0o640, 0o604, 0o622] {
        let shared = world.for_settings(&world.write("shared", TOKEN, mode));
        assert!(matches!(shared, Err(TokenFileError::Shared(_))), "{mode:o}");
    }
}

/// Only root can make a file that is somebody else's, so whoever is not root looks at one of root.
#[test]
fn settings_cannot_name_a_file_of_somebody_else() {
    let world = World::new();
    let path = world.write("other", TOKEN, 0o600);
    let path = match std::os::unix::fs::chown(&path, Some(65_534), None) {
        Ok(()) => path,
        Err(_) => PathBuf::from("/etc/hostname"),
    };
    assert!(matches!(world.for_settings(&path), Err(TokenFileError::NotYours(_))));
}
