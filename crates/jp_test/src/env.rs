//! The sealed environment: a temporary directory that is the whole world.
//!
//! A run sees only the variables set here, so a developer's `NO_COLOR`, editor,
//! locale or configuration cannot make a test pass or fail. The directory goes
//! away with the value.

use std::ffi::OsString;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::normalize::Normalizer;
use crate::run::Run;

/// What the names of environments begin with.
const PREFIX: &str = "jp-test-";

/// A home, a project and cleared variables, in a directory of their own.
///
/// Relative paths given to its methods are relative to the project.
#[derive(Debug)]
pub struct TestEnv {
    jp: Utf8PathBuf,
    root: Utf8PathBuf,
    home: Utf8PathBuf,
    project: Utf8PathBuf,
    /// Removes everything when the environment is dropped.
    _dir: TempDir,
}

impl TestEnv {
    /// A fresh environment for the `jp` at this path.
    pub fn new(jp: impl Into<Utf8PathBuf>) -> Self {
        Self::in_directory(jp.into(), TempDir::with_prefix(PREFIX))
    }

    /// The same in a directory other than the system's temporary one, which a confined program does
    /// not see.
    pub fn new_in(jp: impl Into<Utf8PathBuf>, parent: impl AsRef<Utf8Path>) -> Self {
        Self::in_directory(jp.into(), TempDir::with_prefix_in(PREFIX, parent.as_ref()))
    }

    fn in_directory(jp: Utf8PathBuf, dir: std::io::Result<TempDir>) -> Self {
        let dir = dir.expect("a temporary directory can be made");
        // The program reports resolved paths; normalising only works on the same form.
        let root = dir.path().canonicalize().expect("the temporary directory exists");
        let root = Utf8PathBuf::try_from(root).expect("the temporary directory has a UTF-8 path");
        let env =
            Self { jp, home: root.join("home"), project: root.join("project"), root, _dir: dir };
        for dir in [&env.home, &env.project, &env.root.join("tmp")] {
            std::fs::create_dir(dir).expect("the environment is empty and writable");
        }
        env
    }

    /// The directory that holds everything.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// `$HOME`.
    pub fn home(&self) -> &Utf8Path {
        &self.home
    }

    /// The directory in which commands run unless told otherwise. Empty at first.
    pub fn project(&self) -> &Utf8Path {
        &self.project
    }

    /// `$XDG_CONFIG_HOME`; made by whoever writes to it.
    pub fn config_home(&self) -> Utf8PathBuf {
        self.home.join(".config")
    }

    /// `$XDG_DATA_HOME`; made by whoever writes to it.
    pub fn data_home(&self) -> Utf8PathBuf {
        self.home.join(".local/share")
    }

    /// `$XDG_CACHE_HOME`; made by whoever writes to it.
    pub fn cache_home(&self) -> Utf8PathBuf {
        self.home.join(".cache")
    }

    /// `$XDG_STATE_HOME`; made by whoever writes to it.
    pub fn state_home(&self) -> Utf8PathBuf {
        self.home.join(".local/state")
    }

    /// An absolute path. Panics if it would leave the environment, because a test
    /// that writes elsewhere is a mistake.
    #[track_caller]
    pub fn path(&self, path: impl AsRef<Utf8Path>) -> Utf8PathBuf {
        let path = self.project.join(path);
        let climbs = path.components().any(|part| part == Utf8Component::ParentDir);
        assert!(
            !climbs && path.starts_with(&self.root),
            "{path} is outside the test environment {}",
            self.root
        );
        path
    }

    /// Writes a file and the directories above it.
    #[track_caller]
    pub fn write(&self, path: impl AsRef<Utf8Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        let parent = path.parent().expect("a path inside the environment has a parent");
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .unwrap_or_else(|error| panic!("cannot write {path}: {error}"));
    }

    /// The text of a file.
    #[track_caller]
    pub fn read(&self, path: impl AsRef<Utf8Path>) -> String {
        let path = self.path(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }

    /// A run of `jp` with these arguments, in the project directory.
    pub fn jp(&self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Run<'_> {
        self.command(self.jp.clone(), args)
    }

    /// A run of any program, in the same sealed environment.
    pub fn command(
        &self,
        program: impl Into<Utf8PathBuf>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Run<'_> {
        Run::new(self, program.into(), args.into_iter().map(Into::into).collect())
    }

    /// Replaces the paths of this environment by `$PROJECT`, `$HOME` and `$ROOT`.
    pub fn normalizer(&self) -> Normalizer {
        Normalizer::default()
            .replace(&self.project, "$PROJECT")
            .replace(&self.home, "$HOME")
            .replace(&self.root, "$ROOT")
    }

    /// Every variable that a run sees, apart from those it sets itself.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.home.to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("TMPDIR", self.root.join("tmp").into()),
            ("TZ", "UTC".to_owned()),
            ("XDG_CACHE_HOME", self.cache_home().into()),
            ("XDG_CONFIG_HOME", self.config_home().into()),
            ("XDG_DATA_HOME", self.data_home().into()),
            ("XDG_STATE_HOME", self.state_home().into()),
        ]
    }
}
