//! What an executable file says about what it loads.
//!
//! The file is somebody else's: every number in it is checked against the file, and what does not fit
//! means that nothing is known. Then the loader, which sees the same file, will say what it misses.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
};

use camino::Utf8Path;
use rustix::fs::{Mode, OFlags};

/// The most of a table or a list of names that is read.
const MOST: u64 = 1 << 20;

const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const INTERPRETER: u64 = 3;

const NEEDED: u64 = 1;
const STRINGS: u64 = 5;
const STRINGS_SIZE: u64 = 10;
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;

/// What it loads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Object {
    /// The program that loads it.
    pub(super) loader: Option<String>,
    /// The names of libraries.
    pub(super) needed: Vec<String>,
    /// Where they are looked for first.
    pub(super) run_paths: Vec<String>,
    /// The same, also for what they load themselves.
    pub(super) handed_on: Vec<String>,
}

/// Opens a file without waiting for anything.
pub(super) fn open(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?))
}

/// Reads an object; `None` if it is none, or none that can be understood.
pub(super) fn read(path: &Utf8Path) -> io::Result<Option<Object>> {
    Ok(Reader::new(open(path)?).and_then(Reader::object))
}

struct Reader {
    file: File,
    is_wide: bool,
    is_big: bool,
}

/// A line of the table of segments.
#[derive(Clone, Copy)]
struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    size: u64,
}

impl Reader {
    fn new(mut file: File) -> Option<Self> {
        let mut start = [0; 6];
        file.read_exact(&mut start).ok()?;
        let is_wide = match start[4] {
            1 => false,
            2 => true,
            _ => return None,
        };
        (start[..4] == *b"\x7fELF").then_some(Self { file, is_wide, is_big: start[5] == 2 })
    }

    fn object(mut self) -> Option<Object> {
        let segments = self.segments()?;
        let mut object = Object::default();
        for segment in &segments {
            match segment.kind {
                INTERPRETER => {
                    let text = self.bytes(segment.offset, segment.size)?;
                    object.loader = text_at(&text, 0);
                }
                DYNAMIC => self.dynamic(*segment, &segments, &mut object)?,
                _ => {}
            }
        }
        Some(object)
    }

    fn segments(&mut self) -> Option<Vec<Segment>> {
        let header = self.bytes(0, if self.is_wide { 64 } else { 52 })?;
        let (table, size, count) = if self.is_wide {
            (
                self.number(&header, 32, 8)?,
                self.number(&header, 54, 2)?,
                self.number(&header, 56, 2)?,
            )
        } else {
            (
                self.number(&header, 28, 4)?,
                self.number(&header, 42, 2)?,
                self.number(&header, 44, 2)?,
            )
        };
        let bytes = self.bytes(table, size.checked_mul(count)?)?;
        let lines = bytes.chunks_exact(usize::try_from(size).ok()?.max(1));
        lines.map(|line| self.segment(line)).collect()
    }

    fn segment(&self, line: &[u8]) -> Option<Segment> {
        let [offset, address, size] = if self.is_wide { [8, 16, 32] } else { [4, 8, 16] };
        let width = self.width();
        Some(Segment {
            kind: self.number(line, 0, 4)?,
            offset: self.number(line, offset, width)?,
            address: self.number(line, address, width)?,
            size: self.number(line, size, width)?,
        })
    }

    fn dynamic(&mut self, table: Segment, all: &[Segment], object: &mut Object) -> Option<()> {
        let bytes = self.bytes(table.offset, table.size)?;
        let width = self.width();
        let mut entries = Vec::new();
        for line in bytes.chunks_exact(width * 2) {
            let entry = (self.number(line, 0, width)?, self.number(line, width, width)?);
            if entry.0 == 0 {
                break;
            }
            entries.push(entry);
        }
        let value =
            |wanted| entries.iter().find(|(tag, _)| *tag == wanted).map(|(_, value)| *value);
        let Some(strings) = value(STRINGS) else { return Some(()) };
        let strings = self.bytes(offset_of(strings, all)?, value(STRINGS_SIZE)?)?;
        for (tag, value) in &entries {
            let list = match *tag {
                NEEDED => &mut object.needed,
                RUNPATH => &mut object.run_paths,
                RPATH => &mut object.handed_on,
                _ => continue,
            };
            let text = text_at(&strings, usize::try_from(*value).ok()?)?;
            match *tag {
                NEEDED => list.push(text),
                _ => list.extend(text.split(':').map(str::to_owned)),
            }
        }
        Some(())
    }

    fn width(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    fn bytes(&mut self, offset: u64, size: u64) -> Option<Vec<u8>> {
        if size > MOST {
            return None;
        }
        self.file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        (&mut self.file).take(size).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == size).then_some(bytes)
    }

    fn number(&self, bytes: &[u8], at: usize, width: usize) -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(width)?)?;
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.is_big {
            bytes.iter().fold(0, push)
        } else {
            bytes.iter().rev().fold(0, push)
        })
    }
}

/// Where in the file an address of memory is loaded from.
fn offset_of(address: u64, segments: &[Segment]) -> Option<u64> {
    let holds = |segment: &&Segment| {
        segment.kind == LOAD
            && address.checked_sub(segment.address).is_some_and(|at| at < segment.size)
    };
    let segment = segments.iter().find(holds)?;
    segment.offset.checked_add(address - segment.address)
}

fn text_at(bytes: &[u8], at: usize) -> Option<String> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    String::from_utf8(rest[..end].to_vec()).ok()
}
