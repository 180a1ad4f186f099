//! `fs_read_file`: the lines of a file, a picture, or a word about what else it is.
//!
//! A file is read as a stream: whatever its size, only the lines that are shown are in memory.

mod kind;
mod lines;

use std::io::Read;

use camino::Utf8Path;
use jp_tool::{Call, ContentBlock, JsonSchema, Reply, ToolError};
use serde::Deserialize;

use self::{
    kind::FileKind,
    lines::{Excerpt, Range},
};
use crate::{
    place::{Content, Place},
    text,
};

/// How much of a file is looked at to tell what it is.
const HEAD: usize = 8 << 10;
/// The largest file in UTF-16, which is not read as a stream.
const MAX_UTF16: u64 = 16 << 20;
/// The largest picture. In base64 it is a third longer, and models take 5 MB.
const MAX_IMAGE: u64 = 3_750_000;

/// Read a file, or some lines of it.
///
/// Gives the text of a file; a picture (PNG, JPEG, GIF, WebP) is given as a picture, and of other
/// binary files only the kind and size. Long files are cut at 2000 lines or 128 KiB; the answer says
/// so and where to go on. Lines end with a plain newline in the answer, whatever the file uses.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadFile {
    /// The file, relative to the root of the workspace.
    path: String,
    /// The first line to read, counted from 1.
    #[serde(default)]
    start_line: Option<u64>,
    /// The last line to read.
    #[serde(default)]
    end_line: Option<u64>,
    /// Put the number of each line and a tab before it.
    #[serde(default)]
    line_numbers: bool,
}

pub(crate) fn read_file<P: Place>(
    args: ReadFile,
    _call: &Call,
    place: &P,
) -> Result<Reply, ToolError> {
    let range = Range::new(args.start_line, args.end_line)?;
    let mut file = place.open(Utf8Path::new(&args.path))?;
    let failed = |error| ToolError::new(format!("cannot read {}: {error}", args.path));
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let size = file.size().map_err(failed)?;
    match FileKind::of(&head) {
        FileKind::Text => {
            let excerpt = Excerpt::read(file, range, args.line_numbers).map_err(failed)?;
            Ok(excerpt.answer(range)?.into())
        }
        FileKind::Utf16(_) if size > MAX_UTF16 => {
            Ok(format!("{} is UTF-16 text of {size} bytes, too large to read.", shown(&args))
                .into())
        }
        FileKind::Utf16(order) => {
            let mut bytes = Vec::new();
            file.take(MAX_UTF16).read_to_end(&mut bytes).map_err(failed)?;
            let text = order.decode(&bytes);
            let excerpt =
                Excerpt::read(text.as_bytes(), range, args.line_numbers).map_err(failed)?;
            Ok(format!("{}[UTF-16]", excerpt.answer(range)?).into())
        }
        FileKind::Image(_) if size > MAX_IMAGE => {
            Ok(format!("{} is a picture of {size} bytes, too large to show.", shown(&args)).into())
        }
        FileKind::Image(mime_type) => {
            let mut bytes = Vec::new();
            file.take(MAX_IMAGE).read_to_end(&mut bytes).map_err(failed)?;
            let data = base64_simd::STANDARD.encode_to_string(&bytes);
            let (mime_type, annotations) = (mime_type.to_owned(), None);
            let image = ContentBlock::Image { data, mime_type, annotations };
            let note = format!("{} ({size} bytes)", shown(&args));
            Ok(vec![ContentBlock::text(note), image].into())
        }
        FileKind::Binary(what) => {
            Ok(format!("{} is a binary file ({what}) of {size} bytes.", shown(&args)).into())
        }
    }
}

fn shown(args: &ReadFile) -> String {
    text::name(&args.path).into_owned()
}
