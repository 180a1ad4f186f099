//! What an executable file says about what it loads.
//!
//! The file is somebody else's: every number in it is checked against the file, and what does not fit
//! means that nothing is known. Then the loader, which sees the same file, will say what it misses. What
//! asks for more than any program does is an error, because each name costs memory and a look at the disk,
//! and it is not the file that pays for them.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
};

use camino::Utf8Path;
use rustix::fs::{FileType, Mode, OFlags};

/// So many libraries one file may ask for, and so many places it may name to look for them.
pub(super) const MOST_NAMES: usize = 256;

/// The most of a table or a list of names that is read.
const MOST: u64 = 1 << 20;

/// The kernel takes no longer name of a loader.
const LONGEST_LOADER: u64 = 4096;

const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const INTERPRETER: u64 = 3;

/// Files that are loaded as they are: not what a compiler leaves for a linker, nor what was the memory of a
/// process that has died.
const LOADED: [u64; 2] = [2, 3];

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
    /// Whether there was more than is read.
    is_excessive: bool,
}

/// Opens a file without waiting for anything.
pub(super) fn open(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?))
}

/// Reads an object; `None` if it is none, or none that can be understood.
pub(super) fn read(path: &Utf8Path) -> io::Result<Option<Object>> {
    let object = Reader::new(open(path)?).and_then(Reader::object);
    if object.as_ref().is_some_and(|object| object.is_excessive) {
        return Err(excessive(&format!("{MOST_NAMES} libraries, or places to look for them")));
    }
    Ok(object)
}

/// Whether a path leads to a file that can be loaded into a process: a regular one, and an object.
pub(super) fn is_loaded(path: &Utf8Path) -> bool {
    // A device is not even opened: for some of them that does something.
    let is_file = rustix::fs::stat(path.as_std_path())
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file());
    let reader = is_file.then(|| open(path).ok()).flatten().and_then(Reader::new);
    reader.and_then(|mut reader| reader.kind()).is_some_and(|kind| LOADED.contains(&kind))
}

/// What is said of a file that asks for more than is looked at.
pub(super) fn excessive(what: &str) -> io::Error {
    let text = format!("it asks for more than {what}; no program that is meant to run does");
    io::Error::new(io::ErrorKind::InvalidData, text)
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

    /// The kernel takes the first loader that is named, and loaders the last table.
    fn object(mut self) -> Option<Object> {
        let segments = self.segments()?;
        let mut object = Object::default();
        if let Some(named) = segments.iter().find(|segment| segment.kind == INTERPRETER) {
            let size = (named.size <= LONGEST_LOADER).then_some(named.size)?;
            object.loader = text_at(&self.bytes(named.offset, size)?, 0);
        }
        if let Some(table) = segments.iter().rfind(|segment| segment.kind == DYNAMIC) {
            self.dynamic(*table, &segments, &mut object)?;
        }
        Some(object)
    }

    fn kind(&mut self) -> Option<u64> {
        let header = self.bytes(0, 18)?;
        self.number(&header, 16, 2)
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
        let mut left = MOST;
        for (tag, value) in &entries {
            let list = match *tag {
                NEEDED => &mut object.needed,
                RUNPATH => &mut object.run_paths,
                RPATH => &mut object.handed_on,
                _ => continue,
            };
            let text = text_at(&strings, usize::try_from(*value).ok()?)?;
            // Entries can share a text, so that all of them together may be far longer than the file.
            left = left.saturating_sub(text.len() as u64);
            match *tag {
                NEEDED => list.push(text),
                _ => list.extend(text.split(':').take(MOST_NAMES + 1).map(str::to_owned)),
            }
            if left == 0 || list.len() > MOST_NAMES {
                object.is_excessive = true;
                break;
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
