//! Versions of a crate in the copy of the registry's index that cargo keeps.
//!
//! Cargo writes there what the registry said when it last asked for a crate: a header, and then, for
//! each version, its number and one line of JSON, all ended by NUL. The lines are the public format of
//! the index; the rest is cargo's own affair, so it is not read: whatever is a line of this crate
//! counts, and a file that holds none is no file for us.

use camino::{Utf8Path, Utf8PathBuf};
use semver::Version;
use serde::Deserialize;

use crate::{files, names::CrateName};

/// A version as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indexed {
    pub(crate) version: Version,
    pub(crate) yanked: bool,
    pub(crate) rust_version: Option<String>,
}

/// The versions of a crate, newest first; none where the index has never been asked for it.
/// `sources` is where cargo unpacks crates of this registry: `…/registry/src/<registry>`.
pub(crate) fn versions(sources: &Utf8Path, name: &CrateName) -> Vec<Indexed> {
    let Some((registry, index)) = index_of(sources) else { return Vec::new() };
    let cache = registry.join("index").join(index).join(".cache");
    let text = files::read(&cache, &shard(name)).ok().flatten().unwrap_or_default();
    let mut versions: Vec<Indexed> =
        text.split('\0').filter_map(|line| entry(line, name)).collect();
    versions.sort_by(|a, b| b.version.cmp(&a.version));
    versions.dedup_by(|a, b| a.version == b.version);
    versions
}

fn index_of(sources: &Utf8Path) -> Option<(&Utf8Path, &str)> {
    Some((sources.parent()?.parent()?, sources.file_name()?))
}

/// Where the index keeps a crate: by the length of its name and its first letters.
fn shard(name: &CrateName) -> Utf8PathBuf {
    let name = name.as_str().to_ascii_lowercase();
    match name.len() {
        1 => format!("1/{name}"),
        2 => format!("2/{name}"),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
    .into()
}

fn entry(line: &str, name: &CrateName) -> Option<Indexed> {
    #[derive(Deserialize)]
    struct Line {
        name: String,
        vers: Version,
        #[serde(default)]
        yanked: bool,
        rust_version: Option<String>,
    }
    let line: Line = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
    name.is(&line.name).then_some(Indexed {
        version: line.vers,
        yanked: line.yanked,
        rust_version: line.rust_version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_index() {
        let dir = tempfile::tempdir().unwrap();
        let registry = Utf8Path::from_path(dir.path()).unwrap();
        let sources = registry.join("src/example-1");
        let name = CrateName::parse("Abcd").unwrap();
        assert_eq!(versions(&sources, &name), []);
        let cache = registry.join("index/example-1/.cache/ab/cd");
        std::fs::create_dir_all(&cache).unwrap();
        let text = "\u{3}\u{2}\0\0\0etag\x001.0.0\0{\"name\":\"abcd\",\"vers\":\"1.0.0\",\"yanked\":true}\0\
                    1.10.0\0{\"name\":\"abcd\",\"vers\":\"1.10.0\",\"rust_version\":\"1.60\"}\0\
                    9.0.0\0{\"name\":\"other\",\"vers\":\"9.0.0\"}\0{broken\0";
        std::fs::write(cache.join("abcd"), text).unwrap();
        let found = versions(&sources, &name);
        let versions: Vec<_> = found.iter().map(|v| (v.version.to_string(), v.yanked)).collect();
        assert_eq!(versions, [("1.10.0".to_owned(), false), ("1.0.0".to_owned(), true)]);
        assert_eq!(found[0].rust_version.as_deref(), Some("1.60"));
    }

    #[test]
    fn shards() {
        let shard = |name| shard(&CrateName::parse(name).unwrap()).to_string();
        assert_eq!(
            ["a", "ab", "abc", "abcd", "Inflector"].map(shard),
            ["1/a", "2/ab", "3/a/abc", "ab/cd/abcd", "in/fl/inflector"]
        );
    }
}
