//! Pictures, sounds and other bytes that a tool answered with, as files that a person can open.
//!
//! Bytes are of no use in a terminal, so they are written to a directory of the user's cache, named by
//! what is in them, and shown as a path. The block keeps the bytes, and says in its annotations where the
//! file is. Everything comes from a server: a name is never taken from it, of a kind only letters and
//! digits, and the directory has a largest size, so that a server cannot fill the disk picture by picture.
#![expect(clippy::disallowed_methods, reason = "the cache belongs to the user, not to a workspace")]

use std::{
    collections::HashSet,
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    time::SystemTime,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{Blocks, ContentBlock, ResourceData};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Where a block says which file holds its bytes.
pub(crate) const FILE: &str = "computer.jp/file";

/// How many files are kept, and how many bytes they have together. The oldest go first.
const MOST: usize = 500;
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// How many blocks of one answer become files.
const MOST_AT_ONCE: usize = 20;

/// Writes the bytes of all blocks to files, beside whatever else is going on. What cannot be written is
/// shown without a path.
pub(crate) async fn save(directory: Option<&Utf8Path>, content: Blocks) -> io::Result<Blocks> {
    let has_bytes = content.blocks.iter().any(|block| bytes(block).is_some());
    let Some(directory) = directory.filter(|_| has_bytes).map(Utf8Path::to_owned) else {
        return Ok(content);
    };
    let saved = tokio::task::spawn_blocking(move || save_in(&directory, content));
    saved.await.map_err(io::Error::other)
}

fn save_in(directory: &Utf8Path, mut content: Blocks) -> Blocks {
    let mut files = Vec::new();
    let with_bytes = content.blocks.iter().enumerate();
    let with_bytes = with_bytes.filter_map(|(at, block)| Some((at, bytes(block)?)));
    for (at, (data, kind)) in with_bytes.take(MOST_AT_ONCE) {
        match File::of(directory, data, kind) {
            Ok(file) => files.push((at, file)),
            Err(error) => tracing::warn!(%error, "a block was not saved"),
        }
    }
    if let Err(error) = make_room(directory, &files, (MOST, MOST_BYTES)) {
        tracing::warn!(%error, %directory, "nothing is saved");
        return content;
    }
    for (at, file) in files {
        match file.write(directory) {
            Ok(()) => note(&mut content.blocks[at], &file.path),
            Err(error) => tracing::warn!(%error, %directory, "a block was not saved"),
        }
    }
    content
}

/// The bytes of a block, in base64, and of what kind they are.
fn bytes(block: &ContentBlock) -> Option<(&str, &str)> {
    match block {
        ContentBlock::Image { data, mime_type, .. }
        | ContentBlock::Audio { data, mime_type, .. } => Some((data, mime_type)),
        ContentBlock::Resource { resource, .. } => match &resource.data {
            ResourceData::Blob(data) => {
                Some((data, resource.mime_type.as_deref().unwrap_or_default()))
            }
            ResourceData::Text(_) => None,
        },
        ContentBlock::Text { .. }
        | ContentBlock::ResourceLink(_)
        | ContentBlock::Question { .. } => None,
    }
}

/// The file that holds the bytes of a block.
pub(crate) fn file(annotations: Option<&Value>) -> Option<&str> {
    annotations?.get(FILE)?.as_str()
}

fn note(block: &mut ContentBlock, path: &Utf8Path) {
    let (ContentBlock::Image { annotations, .. }
    | ContentBlock::Audio { annotations, .. }
    | ContentBlock::Resource { annotations, .. }) = block
    else {
        return;
    };
    match annotations {
        Some(Value::Object(said)) => {
            said.insert(FILE.to_owned(), json!(path));
        }
        // Annotations that are none are of no use to anybody.
        other => *other = Some(json!({ FILE: path })),
    }
}

/// A file that is to be there.
struct File {
    path: Utf8PathBuf,
    bytes: Vec<u8>,
}

impl File {
    fn of(directory: &Utf8Path, base64: &str, kind: &str) -> io::Result<Self> {
        let bytes = base64_simd::forgiving_decode_to_vec(base64.as_bytes())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not base64"))?;
        let sum: String =
            Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { path: directory.join(format!("{sum}{}", extension(kind))), bytes })
    }

    fn write(&self, directory: &Utf8Path) -> io::Result<()> {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&self.bytes)?;
        temporary.persist(&self.path)?;
        Ok(())
    }
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

/// Removes the oldest files until those that are to be there fit, in number and in bytes. What is to be
/// there and is there already stays.
fn make_room(
    directory: &Utf8Path,
    files: &[(usize, File)],
    (most, most_bytes): (usize, u64),
) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    let wanted: HashSet<&Utf8Path> = files.iter().map(|(_, file)| file.path.as_path()).collect();
    let new: u64 = files.iter().map(|(_, file)| file.bytes.len() as u64).sum();
    let mut others = Vec::new();
    for entry in directory.read_dir_utf8()? {
        let entry = entry?;
        let Ok(found) = entry.metadata() else { continue };
        if found.is_file() && !wanted.contains(entry.path()) {
            let age = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            others.push((age, entry.path().to_owned(), found.len()));
        }
    }
    others.sort();
    let mut count = others.len() + wanted.len();
    let mut bytes = new + others.iter().map(|(.., length)| length).sum::<u64>();
    for (_, path, length) in others {
        if count <= most && bytes <= most_bytes {
            break;
        }
        fs::remove_file(path)?;
        (count, bytes) = (count - 1, bytes - length);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jp_tool::Resource;

    use super::*;
    use crate::tool::render;

    async fn saved(kind: &str, data: &str) -> (tempfile::TempDir, Blocks) {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap().join("media");
        let (data, mime_type) = (data.to_owned(), kind.to_owned());
        let blob = Resource {
            uri: "a:b".to_owned(),
            mime_type: Some(kind.to_owned()),
            data: ResourceData::Blob(data.clone()),
        };
        let blocks: Blocks = vec![
            ContentBlock::Image { data, mime_type, annotations: Some(json!({ "priority": 1 })) },
            ContentBlock::resource(blob),
            ContentBlock::text("text"),
        ]
        .into();
        let blocks = save(Some(&place), blocks).await.unwrap();
        (directory, blocks)
    }

    #[tokio::test]
    async fn bytes_become_files_that_are_shown() {
        let (directory, blocks) = saved("image/png", "aGVsbG8=").await;
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

    #[tokio::test]
    async fn a_server_names_no_files() {
        for kind in ["image/../../x", "a/b/c d", "", "image/", "/", "image/\u{1b}[2J"] {
            let (directory, blocks) = saved(kind, "aGVsbG8=").await;
            let ContentBlock::Image { annotations, .. } = &blocks.blocks[0] else { panic!() };
            let path = Utf8Path::new(file(annotations.as_ref()).unwrap());
            assert_eq!(path.parent().unwrap(), directory.path().join("media"), "{kind}");
            let name = path.file_name().unwrap();
            assert!(name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.'), "{name}");
        }
    }

    #[tokio::test]
    async fn a_flood_of_pictures_is_not_saved() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap();
        let image = |number: usize| ContentBlock::Image {
            data: base64_simd::STANDARD.encode_to_string(number.to_string()),
            mime_type: "image/png".to_owned(),
            annotations: None,
        };
        let blocks: Blocks = (0..100).map(image).collect::<Vec<_>>().into();
        let blocks = save(Some(place), blocks).await.unwrap();
        assert_eq!(fs::read_dir(place).unwrap().count(), MOST_AT_ONCE);
        assert_eq!(blocks.blocks.len(), 100);
    }

    #[tokio::test]
    async fn what_is_no_base64_is_shown_without_a_path() {
        let (_directory, blocks) = saved("image/png", "%%%").await;
        let ContentBlock::Image { annotations, .. } = &blocks.blocks[0] else { panic!() };
        assert_eq!(file(annotations.as_ref()), None);
        assert!(render::to_text(&blocks).starts_with("[image/png, "));
    }

    #[test]
    fn the_oldest_files_go_when_there_is_no_room() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap();
        let old = |name: &str, seconds: u64| {
            fs::write(place.join(name), [0; 10]).unwrap();
            let file = fs::File::options().append(true).open(place.join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
                .unwrap();
        };
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("d", 4)] {
            old(name, seconds);
        }
        // The one that is wanted stays, though it is the oldest.
        let wanted = vec![(0, File { path: place.join("a"), bytes: vec![0; 10] })];
        let names = || {
            let files = fs::read_dir(place).unwrap();
            let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
            names.sort();
            names
        };
        make_room(place, &wanted, (4, 40)).unwrap();
        assert_eq!(names(), ["a", "b", "c", "d"]);
        make_room(place, &wanted, (10, 39)).unwrap();
        assert_eq!(names(), ["a", "c", "d"]);
        make_room(place, &wanted, (2, 100)).unwrap();
        assert_eq!(names(), ["a", "d"]);
        make_room(place, &wanted, (10, 5)).unwrap();
        assert_eq!(names(), ["a"]);
    }
}
