//! The files of the repository, without what is built or downloaded.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::failure::{Failure, Result};

/// A directory and all files in it that people wrote, as sorted relative paths.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Utf8PathBuf,
    pub(crate) files: Vec<Utf8PathBuf>,
}

impl Tree {
    pub(crate) fn read(root: &Utf8Path) -> Result<Self> {
        let mut files = Vec::new();
        walk(root, Utf8Path::new(""), &mut files)
            .map_err(Failure::because(format!("cannot list the files of {root}")))?;
        files.sort();
        Ok(Self { root: root.to_owned(), files })
    }

    /// The text of a file; an error names it.
    pub(crate) fn text(&self, path: impl AsRef<Utf8Path>) -> Result<String> {
        let path = path.as_ref();
        fs::read_to_string(self.root.join(path))
            .map_err(Failure::because(format!("cannot read {path}")))
    }

    /// The text of a file, or `None` where it is not text.
    pub(crate) fn text_if_any(&self, path: &Utf8Path) -> Result<Option<String>> {
        let bytes = fs::read(self.root.join(path))
            .map_err(Failure::because(format!("cannot read {path}")))?;
        Ok(String::from_utf8(bytes).ok())
    }

    pub(crate) fn has(&self, path: &Utf8Path) -> bool {
        self.files.binary_search_by(|file| file.as_path().cmp(path)).is_ok()
    }

    pub(crate) fn with_extension(&self, extension: &str) -> impl Iterator<Item = &Utf8PathBuf> {
        self.files.iter().filter(move |file| file.extension() == Some(extension))
    }
}

fn walk(root: &Utf8Path, dir: &Utf8Path, files: &mut Vec<Utf8PathBuf>) -> io::Result<()> {
    for entry in root.join(dir).read_dir_utf8()? {
        let entry = entry?;
        let path = dir.join(entry.file_name());
        // A link is a file like any other here, and never followed: it could lead anywhere.
        if !entry.file_type()?.is_dir() {
            files.push(path);
        } else if !is_foreign(root, &path) {
            walk(root, &path, files)?;
        }
    }
    Ok(())
}

/// Whether a directory holds what nobody wrote: the history, downloads, conversations
/// of a developer, input that a fuzzer made, or what a tool has marked as a cache (Cargo marks its target, which
/// may be elsewhere than usual).
fn is_foreign(root: &Utf8Path, dir: &Utf8Path) -> bool {
    matches!(dir.file_name(), Some(".git" | "node_modules"))
        || dir == "target"
        || dir.ends_with(".jp/conversations")
        || dir.ends_with("fuzz/corpus")
        || root.join(dir).join("CACHEDIR.TAG").exists()
}

#[cfg(test)]
pub(crate) mod tests {
    //! Small repositories made on the spot, for the tests of everything that reads one.

    use tempfile::TempDir;

    use super::*;

    /// Writes files into a fresh directory. Keep the first value as long as the tree.
    pub(crate) fn tree(files: &[(&str, &str)]) -> (TempDir, Tree) {
        let dir = TempDir::new().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::read(root).unwrap();
        (dir, tree)
    }

    #[test]
    fn only_what_people_wrote_is_listed() {
        let (_dir, tree) = tree(&[
            ("b.rs", ""),
            ("a/c.md", "text"),
            (".git/config", ""),
            ("out/CACHEDIR.TAG", ""),
            ("out/debug/x.rs", ""),
            ("target/notes.rs", ""),
            ("web/node_modules/x.js", ""),
            (".jp/config.toml", ""),
            (".jp/conversations/1/events.jsonl", ""),
        ]);
        assert_eq!(tree.files, [".jp/config.toml", "a/c.md", "b.rs"]);
        assert!(tree.has("a/c.md".into()) && !tree.has("a/d.md".into()));
        assert_eq!(tree.text("a/c.md").unwrap(), "text");
        assert!(tree.text("nothing").unwrap_err().to_string().contains("cannot read nothing"));
        assert_eq!(tree.with_extension("rs").collect::<Vec<_>>(), ["b.rs"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_told_apart() {
        let (dir, tree) = tree(&[("text", "é")]);
        fs::write(dir.path().join("binary"), [0xff]).unwrap();
        assert_eq!(tree.text_if_any("text".into()).unwrap().as_deref(), Some("é"));
        assert_eq!(tree.text_if_any("binary".into()).unwrap(), None);
    }
}
