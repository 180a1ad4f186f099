//! The write-ahead log of SQLite, as far as a reader needs it.
//!
//! A log is a header and then frames, each a page with a small header. Frames carry the salt of the log,
//! so that those of an earlier round are told apart, and a checksum over everything before them, so that
//! what was not written to its end does not count. What counts ends with the last frame that commits.
//! See <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

/// The length of the header of a log.
pub(super) const HEADER: usize = 32;
/// The length of the header of a frame.
const FRAME_HEADER: usize = 24;
/// The first bytes of a log whose checksums read words with the low byte first; with one more, the high.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

/// What has been committed to a log.
#[derive(Debug)]
pub(super) struct Log<'a> {
    page_size: usize,
    frames: Vec<Frame<'a>>,
    /// The size of the database after the last commit, in pages; none if nothing was committed.
    pages: u32,
}

#[derive(Debug)]
struct Frame<'a> {
    /// Counted from one.
    page: u32,
    data: &'a [u8],
}

impl<'a> Log<'a> {
    /// Reads a log; `None` if these bytes are none, or one that was never begun.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (header, mut rest) = bytes.split_at_checked(HEADER)?;
        let order = Order::of(word(header, 0)?)?;
        let page_size = usize::try_from(word(header, 8)?).ok()?;
        let is_page = page_size.is_power_of_two() && (512..=65536).contains(&page_size);
        let mut sum = Sum { order, state: (0, 0) };
        sum.add(&header[..24]);
        if !is_page || word(header, 4)? != VERSION || !sum.is_at(header, 24) {
            return None;
        }
        let mut log = Self { page_size, frames: Vec::new(), pages: 0 };
        let mut committed = 0;
        while let Some((frame, pages, after)) = next(rest, page_size, &header[16..24], &mut sum) {
            log.frames.push(frame);
            if pages != 0 {
                (committed, log.pages) = (log.frames.len(), pages);
            }
            rest = after;
        }
        log.frames.truncate(committed);
        Some(log)
    }

    /// How large the database is after the last commit.
    pub(super) fn database_bytes(&self) -> u64 {
        u64::from(self.pages) * self.page_size as u64
    }

    /// Makes the pages of a database what they are after the last commit.
    pub(super) fn lay_over(&self, image: &mut Vec<u8>) {
        let Some(size) = usize::try_from(self.database_bytes()).ok().filter(|size| *size > 0)
        else {
            return;
        };
        image.resize(size, 0);
        for frame in &self.frames {
            // A page that a later commit has cut off has no place any more.
            let at = (frame.page as usize - 1).saturating_mul(self.page_size);
            if let Some(place) = image.get_mut(at..at.saturating_add(self.page_size)) {
                place.copy_from_slice(frame.data);
            }
        }
    }
}

/// The next frame, the size of the database if it commits, and what follows it.
fn next<'a>(
    bytes: &'a [u8],
    page_size: usize,
    salt: &[u8],
    sum: &mut Sum,
) -> Option<(Frame<'a>, u32, &'a [u8])> {
    let (header, rest) = bytes.split_at_checked(FRAME_HEADER)?;
    let (data, rest) = rest.split_at_checked(page_size)?;
    let page = word(header, 0).filter(|page| *page > 0)?;
    if header[8..16] != *salt {
        return None;
    }
    sum.add(&header[..8]);
    sum.add(data);
    if !sum.is_at(header, 16) {
        return None;
    }
    Some((Frame { page, data }, word(header, 4)?, rest))
}

/// In which order the bytes of a word are added to a checksum. All other numbers have the high byte first.
#[derive(Debug, Clone, Copy)]
enum Order {
    LowFirst,
    HighFirst,
}

impl Order {
    fn of(magic: u32) -> Option<Self> {
        match magic.checked_sub(MAGIC)? {
            0 => Some(Self::LowFirst),
            1 => Some(Self::HighFirst),
            _ => None,
        }
    }
}

/// The running checksum of a log.
struct Sum {
    order: Order,
    state: (u32, u32),
}

impl Sum {
    /// Adds bytes, of which there are always a multiple of eight.
    fn add(&mut self, bytes: &[u8]) {
        let (mut one, mut two) = self.state;
        let read = match self.order {
            Order::LowFirst => u32::from_le_bytes,
            Order::HighFirst => u32::from_be_bytes,
        };
        for [first, second] in bytes.as_chunks::<4>().0.as_chunks::<2>().0 {
            one = one.wrapping_add(read(*first)).wrapping_add(two);
            two = two.wrapping_add(read(*second)).wrapping_add(one);
        }
        self.state = (one, two);
    }

    /// Whether the sum is the one that is written there.
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        word(bytes, at).zip(word(bytes, at + 4)) == Some(self.state)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
