//! Pictures, sounds and other bytes that a tool answered with, as files that a person can open.
//!
//! Bytes are of no use in a terminal, so they are written to a directory of the user's cache, named by
//! what is in them, and shown as a path. The block keeps the bytes, and says in its annotations where the
//! file is. Everything comes from a server: a name is never taken from it, and of a kind only letters and
//! digits.
#![expect(clippy::disallowed_methods, reason = "the cache belongs to the user, not to a workspace")]

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{Blocks, ContentBlock, ResourceData};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Where a block says which file holds its bytes.
pub(crate) const FILE: &str = "computer.jp/file";

/// How many files are kept. The oldest go first.
const MOST: usize = 500;

/// How many blocks of one answer become files.
const MOST_AT_ONCE: usize = 20;

/// Writes the bytes of all blocks to files. What cannot be written is shown without a path.
pub(crate) fn save(directory: Option<&Utf8Path>, content: &mut Blocks) {
    let Some(directory) = directory else { return };
    let mut left = MOST_AT_ONCE;
    for block in &mut content.blocks {
        let (data, kind, annotations) = match block {
            ContentBlock::Image { data, mime_type, annotations }
            | ContentBlock::Audio { data, mime_type, annotations } => {
                (data.as_str(), mime_type.as_str(), annotations)
            }
            ContentBlock::Resource { resource, annotations, .. } => match &resource.data {
                ResourceData::Blob(data) => {
                    (data.as_str(), resource.mime_type.as_deref().unwrap_or_default(), annotations)
                }
                ResourceData::Text(_) => continue,
            },
            ContentBlock::Text { .. }
            | ContentBlock::ResourceLink(_)
            | ContentBlock::Question { .. } => continue,
        };
        let Some(less) = left.checked_sub(1) else { return };
        left = less;
        match write(directory, data, kind) {
            Ok(path) => note(annotations, &path),
            Err(error) => tracing::warn!(%error, %directory, "a block was not saved"),
        }
    }
}

/// The file that holds the bytes of a block.
pub(crate) fn file(annotations: Option<&Value>) -> Option<&str> {
    annotations?.get(FILE)?.as_str()
}

fn note(annotations: &mut Option<Value>, path: &Utf8Path) {
    match annotations {
        Some(Value::Object(said)) => {
            said.insert(FILE.to_owned(), json!(path));
        }
        // Annotations that are none are of no use to anybody.
        other => *other = Some(json!({ FILE: path })),
    }
}

fn write(directory: &Utf8Path, base64: &str, kind: &str) -> io::Result<Utf8PathBuf> {
    let bytes = base64_simd::forgiving_decode_to_vec(base64.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not base64"))?;
    let sum: String =
        Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let path = directory.join(format!("{sum}{}", extension(kind)));
    if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
        return Ok(path);
    }
    fs::create_dir_all(directory)?;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    make_room(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(&bytes)?;
    temporary.persist(&path)?;
    Ok(path)
}

/// The usual end of a file name for a MIME type.
fn extension(kind: &str) -> String {
    let name = kind.split(';').next().unwrap_or_default().trim();
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.strip_prefix("x-").unwrap_or(name);
    let name = name.split('+').next().unwrap_or_default();
    let name = match name {
        "gzip" => "gz",
        "javascript" => "js",
        "jpeg" => "jpg",
        "markdown" => "md",
        "mpeg" => "mp3",
        "octet-stream" => "bin",
        "plain" => "txt",
        other => other,
    };
    let is_plain = !name.is_empty()
        && name.len() <= 16
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { format!(".{}", name.to_ascii_lowercase()) } else { ".bin".to_owned() }
}

fn make_room(directory: &Utf8Path) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let age = entry.metadata().and_then(|found| found.modified());
        files.push((age.ok(), entry.path()));
    }
    let Some(over) = files.len().checked_sub(MOST - 1).filter(|over| *over > 0) else {
        return Ok(());
    };
    files.sort();
    for (_, path) in files.into_iter().take(over) {
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jp_tool::Resource;

    use super::*;
    use crate::tool::render;

    fn saved(kind: &str, data: &str) -> (tempfile::TempDir, Blocks) {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap().join("media");
        let (data, mime_type) = (data.to_owned(), kind.to_owned());
        let blob = Resource {
            uri: "a:b".to_owned(),
            mime_type: Some(kind.to_owned()),
            data: ResourceData::Blob(data.clone()),
        };
        let mut blocks: Blocks = vec![
            ContentBlock::Image { data, mime_type, annotations: Some(json!({ "priority": 1 })) },
            ContentBlock::resource(blob),
            ContentBlock::text("text"),
        ]
        .into();
        save(Some(&place), &mut blocks);
        (directory, blocks)
    }

    #[test]
    fn bytes_become_files_that_are_shown() {
        let (directory, blocks) = saved("image/png", "aGVsbG8=");
        let ContentBlock::Image { annotations, data, .. } = &blocks.blocks[0] else { panic!() };
        let path = file(annotations.as_ref()).unwrap();
        assert_eq!(Utf8Path::new(path).extension(), Some("png"));
        assert_eq!(fs::read(path).unwrap(), b"hello");
        assert_eq!(
            (data.as_str(), &annotations.as_ref().unwrap()["priority"]),
            ("aGVsbG8=", &json!(1))
        );
        let shown = render::to_text(&blocks).replace(path, "PATH");
        insta::assert_snapshot!(shown, @"
        [image/png, 5 bytes: PATH]

        a:b
        [image/png, 5 bytes: PATH]

        text
        ");
        // The same bytes are the same file, and only its owner reads it.
        assert_eq!(fs::read_dir(directory.path().join("media")).unwrap().count(), 1);
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }

    #[test]
    fn a_server_names_no_files() {
        for kind in ["image/../../x", "a/b/c d", "", "image/", "/", "image/\u{1b}[2J"] {
            let (directory, blocks) = saved(kind, "aGVsbG8=");
            let ContentBlock::Image { annotations, .. } = &blocks.blocks[0] else { panic!() };
            let path = Utf8Path::new(file(annotations.as_ref()).unwrap());
            assert_eq!(path.parent().unwrap(), directory.path().join("media"), "{kind}");
            let name = path.file_name().unwrap();
            assert!(name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.'), "{name}");
        }
    }

    #[test]
    fn a_flood_of_pictures_is_not_saved() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap();
        let image = |number: usize| ContentBlock::Image {
            data: base64_simd::STANDARD.encode_to_string(number.to_string()),
            mime_type: "image/png".to_owned(),
            annotations: None,
        };
        let mut blocks: Blocks = (0..100).map(image).collect::<Vec<_>>().into();
        save(Some(place), &mut blocks);
        assert_eq!(fs::read_dir(place).unwrap().count(), MOST_AT_ONCE);
        assert_eq!(blocks.blocks.len(), 100);
    }

    #[test]
    fn what_is_no_base64_is_shown_without_a_path() {
        let (_directory, blocks) = saved("image/png", "%%%");
        let ContentBlock::Image { annotations, .. } = &blocks.blocks[0] else { panic!() };
        assert_eq!(file(annotations.as_ref()), None);
        assert!(render::to_text(&blocks).starts_with("[image/png, "));
    }
}
