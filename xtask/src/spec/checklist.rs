//! The assertions of the specification, as its checklists list them.

use std::fs;

use camino::Utf8Path;

use super::ids::{self, Id};
use crate::failure::{Failure, Result};

/// One document: its heading and its assertions in order.
#[derive(Debug)]
pub(crate) struct Checklist {
    pub(crate) title: String,
    pub(crate) lines: Vec<(Id, String)>,
}

/// Reads every checklist of a directory, by file name.
pub(crate) fn read(dir: &Utf8Path) -> Result<Vec<Checklist>> {
    let list = || -> std::io::Result<Vec<_>> {
        let entries = dir.read_dir_utf8()?;
        let paths = entries.map(|entry| entry.map(camino::Utf8DirEntry::into_path));
        paths.collect()
    };
    let mut paths = list().map_err(Failure::because(format!("cannot list {dir}")))?;
    paths.retain(|path| path.extension() == Some("md"));
    paths.sort();
    let documents = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path);
            text.map(|text| parse(&text)).map_err(Failure::because(format!("cannot read {path}")))
        })
        .collect::<Result<Vec<_>>>()?;
    // A changed form of the list must not look like a specification that asks nothing.
    match documents.iter().position(|document| document.lines.is_empty()) {
        Some(index) => Err(Failure::new(format!("{} lists no assertion", paths[index]))),
        None if documents.is_empty() => Err(Failure::new(format!("{dir} has no checklist"))),
        None => Ok(documents),
    }
}

/// Assertions are lines of the form `- **072-001** text`.
fn parse(text: &str) -> Checklist {
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("untitled");
    let lines = text.lines().filter_map(|line| {
        let (id, text) = line.strip_prefix("- **")?.split_once("**")?;
        let (document, _) = id.split_once('-')?;
        let (id, _) = ids::find(id, &[document.to_owned()]).pop()?;
        Some((id, text.trim().to_owned()))
    });
    Checklist { title: title.to_owned(), lines: lines.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_marked_lines() {
        let document =
            parse("# X90: things\n\nprose X90-009\n- **X90-001** One `a|b`.\n- **Note** no\n");
        assert_eq!(document.title, "X90: things");
        let lines: Vec<_> =
            document.lines.iter().map(|(id, text)| format!("{id} {text}")).collect();
        assert_eq!(lines, ["X90-001 One `a|b`."]);
    }

    #[test]
    fn a_list_without_assertions_is_refused() {
        let dir = tempfile::TempDir::new().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        assert!(read(dir).unwrap_err().to_string().contains("has no checklist"));
        fs::write(dir.join("a.md"), "# A\n* A01-001 other form\n").unwrap();
        assert!(read(dir).unwrap_err().to_string().contains("a.md lists no assertion"));
    }
}
