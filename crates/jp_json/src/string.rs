//! Text as a JSON string, both ways, as fast as it goes without `unsafe`.
//!
//! Nearly all bytes that go over the wire are the text of files, and nearly all of the time goes into
//! this: a 10 MiB file is one string. Most of a text stands for itself. Both ways look at a window of bytes
//! with a few instructions of the processor, which give a bit for each byte that does not, and then go from
//! bit to bit. What is between two of them is copied as a whole window, before anybody asks how long it is:
//! a copy of a fixed size costs next to nothing, and what was too much is written over.

use wide::u8x16;

/// Writes a text as a JSON string, quotes included.
pub fn escape(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push(b'"');
    escape_part(text, out);
    out.push(b'"');
}

/// Writes a part of a text as it is inside of a JSON string: without quotes.
pub fn escape_part(text: &str, out: &mut Vec<u8>) {
    // Into a place of a fixed size it is written without asking for room each time.
    let (mut rest, mut written) = (text.as_bytes(), [0; ROOM]);
    while !rest.is_empty() {
        let length = escape_block(&mut rest, &mut written);
        out.extend_from_slice(&written[..length]);
    }
}

/// Reads the JSON string at the start of a text, and returns what follows it. `None`: there is none,
/// or it is one that a careful reader has to look at.
pub fn unescape(json: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = json.strip_prefix(b"\"")?;
    let (mut text, mut read) = (Vec::new(), [0; ROOM]);
    loop {
        let (length, is_last) = unescape_block(&mut rest, &mut read)?;
        // Only here is it known whether the string may be as long as the rest of the line.
        if text.capacity() == 0 {
            text.reserve(if is_last { length } else { length + rest.len() });
        }
        text.extend_from_slice(&read[..length]);
        if is_last {
            return Some((String::from_utf8(text).ok()?, rest));
        }
    }
}

/// So many bytes are looked at together.
const WINDOW: usize = 32;
/// So many are seen, so that a window can be copied from any place in a window.
const SEEN: usize = 2 * WINDOW;
/// So many are written before they are added to the rest.
const BLOCK: usize = 512;
/// What becomes of a byte is at most so long.
const LONGEST: usize = 6;
/// The room for a block, for a window of bytes that all need the longest escape, and for the copy behind them.
const ROOM: usize = BLOCK + WINDOW * LONGEST + WINDOW;

/// Writes so much of a text as has room, and returns how long it became.
fn escape_block(rest: &mut &[u8], written: &mut [u8; ROOM]) -> usize {
    let mut length = 0;
    while length < BLOCK {
        if let Some(seen) = rest.first_chunk() {
            length = escape_window(seen, WINDOW, written, length);
            *rest = &rest[WINDOW..];
        } else if rest.is_empty() {
            break;
        } else {
            let count = rest.len().min(WINDOW);
            length = escape_window(&padded(rest), count, written, length);
            *rest = &rest[count..];
        }
    }
    length
}

/// Writes so many bytes of a window behind what is written, and returns where they end.
#[expect(clippy::inline_always, reason = "twice as fast: what is found does not go through memory")]
#[inline(always)]
fn escape_window(
    seen: &[u8; SEEN],
    count: usize,
    written: &mut [u8; ROOM],
    mut length: usize,
) -> usize {
    let mut specials = specials(seen) & !from_place(count);
    let mut from = 0;
    while specials != 0 {
        let at = specials.trailing_zeros() as usize;
        copy_window(seen, from, &mut written[length..]);
        length += at - from;
        let escape = &ESCAPES[usize::from(seen[at])];
        written[length..length + escape.len()].copy_from_slice(escape);
        length += usize::from(escape[LENGTH]);
        from = at + 1;
        specials &= specials - 1;
    }
    copy_window(seen, from, &mut written[length..]);
    length + count - from
}

/// Reads so much of a string as has room, and returns how long it became and whether it ends there.
fn unescape_block(rest: &mut &[u8], read: &mut [u8; ROOM]) -> Option<(usize, bool)> {
    let mut length = 0;
    while length < BLOCK {
        let window = if let Some(seen) = rest.first_chunk() {
            let window = unescape_window(seen, read, length)?;
            *rest = &rest[window.used..];
            window
        } else {
            let window = unescape_window(&padded(rest), read, length)?;
            *rest = rest.get(window.used..)?;
            window
        };
        length = window.length;
        if window.is_last {
            return Some((length, true));
        }
    }
    Some((length, false))
}

/// What came of a window.
struct Unescaped {
    /// How much there is now.
    length: usize,
    /// How much of what was seen was used. An escape may reach over the end of the window.
    used: usize,
    /// Whether the string has ended.
    is_last: bool,
}

#[expect(clippy::inline_always, reason = "twice as fast: what is found does not go through memory")]
#[inline(always)]
fn unescape_window(
    seen: &[u8; SEEN],
    read: &mut [u8; ROOM],
    mut length: usize,
) -> Option<Unescaped> {
    let mut marks = marks(seen);
    let mut from = 0;
    while marks != 0 {
        let at = marks.trailing_zeros() as usize;
        copy_window(seen, from, &mut read[length..]);
        length += at - from;
        if seen[at] == b'"' {
            return Some(Unescaped { length, used: at + 1, is_last: true });
        }
        let short = UNESCAPES[usize::from(seen[at + 1])];
        if short == 0 {
            let character = numbered(&seen[at + 1..])?;
            length += character.encode_utf8(&mut read[length..]).len();
            from = at + 1 + NUMBERED;
        } else {
            read[length] = short;
            length += 1;
            from = at + 2;
        }
        marks &= from_place(from);
    }
    if from < WINDOW {
        copy_window(seen, from, &mut read[length..]);
        length += WINDOW - from;
        from = WINDOW;
    }
    Some(Unescaped { length, used: from, is_last: false })
}

/// The end of a text, followed by zeros.
#[cold]
fn padded(text: &[u8]) -> [u8; SEEN] {
    let mut seen = [0; SEEN];
    seen[..text.len()].copy_from_slice(text);
    seen
}

fn copy_window(seen: &[u8; SEEN], from: usize, to: &mut [u8]) {
    to[..WINDOW].copy_from_slice(&seen[from..from + WINDOW]);
}

/// A bit for each byte of the window that does not stand for itself in a text.
fn specials(seen: &[u8; SEEN]) -> u32 {
    let is_control = |bytes: u8x16| bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    bits(seen, |bytes| is_control(bytes) | is_mark(bytes))
}

/// A bit for each byte of the window that is a quote or a backslash.
fn marks(seen: &[u8; SEEN]) -> u32 {
    bits(seen, is_mark)
}

fn is_mark(bytes: u8x16) -> u8x16 {
    bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'))
}

fn bits(seen: &[u8; SEEN], found: impl Fn(u8x16) -> u8x16) -> u32 {
    let (halves, _) = seen.as_chunks();
    let half = |index: usize| found(u8x16::new(halves[index])).to_bitmask();
    half(0) | (half(1) << (WINDOW / 2))
}

/// The bits of all bytes of a window from a place on.
fn from_place(place: usize) -> u32 {
    u32::try_from(place).ok().and_then(|place| u32::MAX.checked_shl(place)).unwrap_or(0)
}

/// Where the length of an escape stands, behind what is written: all of it is copied as one number.
const LENGTH: usize = 7;

/// What becomes of each byte, and how long it is.
static ESCAPES: [[u8; LENGTH + 1]; 256] = escapes();

const fn escapes() -> [[u8; LENGTH + 1]; 256] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut all = [[0; LENGTH + 1]; 256];
    let mut byte = 0_u8;
    loop {
        let index = byte as usize;
        all[index] = match byte {
            b'\n' => *b"\\n     \x02",
            b'"' => *b"\\\"     \x02",
            b'\\' => *b"\\\\     \x02",
            b'\t' => *b"\\t     \x02",
            b'\r' => *b"\\r     \x02",
            0x08 => *b"\\b     \x02",
            0x0c => *b"\\f     \x02",
            0x00..0x20 => [b'\\', b'u', b'0', b'0', HEX[index >> 4], HEX[index & 15], b' ', 6],
            _ => [byte, 0, 0, 0, 0, 0, 0, 1],
        };
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => return all,
        }
    }
}

/// What each short escape stands for; zero for what is none.
static UNESCAPES: [u8; 256] = {
    let mut all = [0; 256];
    all[b'n' as usize] = b'\n';
    all[b'"' as usize] = b'"';
    all[b'\\' as usize] = b'\\';
    all[b't' as usize] = b'\t';
    all[b'r' as usize] = b'\r';
    all[b'/' as usize] = b'/';
    all[b'b' as usize] = 0x08;
    all[b'f' as usize] = 0x0c;
    all
};

/// The letter and the digits of an escape with a number.
const NUMBERED: usize = 5;

/// The character that such an escape stands for. The rare case of a character written as two escapes is left
/// to others.
fn numbered(escape: &[u8]) -> Option<char> {
    let digits = escape.first_chunk::<NUMBERED>()?.strip_prefix(b"u")?;
    let digit = |code: u32, digit: &u8| Some((code << 4) | char::from(*digit).to_digit(16)?);
    char::from_u32(digits.iter().try_fold(0, digit)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escaped_text(text: &str) -> String {
        let mut out = Vec::new();
        escape(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Text in which special bytes stand at every place of a chunk.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            // Longer than what is written at once.
            r#"[a-z\x00-\x1f"é😀]{200,600}"#,
            r#"[a-z"\\\n\t\x00-\x1f\x7f-\u{9f}é→😀]{0,80}"#,
            r#"[a-z]{0,20}["\\\n!]{0,3}[a-z]{0,40}"#,
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_serde_writes(text in text()) {
            // D11-021, D11-022
            let written = escaped_text(&text);
            prop_assert_eq!(&written, &serde_json::to_string(&text).unwrap());
            prop_assert!(!written.contains('\n'));
            let (mut parts, half) = (b"\"".to_vec(), text.floor_char_boundary(text.len() / 2));
            escape_part(&text[..half], &mut parts);
            escape_part(&text[half..], &mut parts);
            prop_assert_eq!(parts, &written.as_bytes()[..written.len() - 1]);
        }

        #[test]
        fn what_is_read_is_what_was_written(text in text(), rest in ".{0,10}") {
            let written = format!("{}{rest}", escaped_text(&text));
            prop_assert_eq!(unescape(written.as_bytes()), Some((text, rest.as_bytes())));
        }

        #[test]
        fn what_is_read_of_anything_is_what_serde_reads(inner in r#"["\\/bfnrtux0-9a-dA-D,é ]{0,12}"#) {
            let json = format!("\"{inner}");
            let mut serde = serde_json::Deserializer::from_str(&json).into_iter::<String>();
            if let Some((text, rest)) = unescape(json.as_bytes()) {
                prop_assert_eq!(serde.next().unwrap().unwrap(), text);
                prop_assert_eq!(&json.as_bytes()[serde.byte_offset()..], rest);
            }
        }
    }

    #[test]
    fn what_is_no_string_is_left_to_others() {
        for json in
            ["", "a", "\"", "\"a", r#""\"#, r#""\x""#, r#""\u12"#, r#""\u+123""#, r#""\u12é4""#]
        {
            assert_eq!(unescape(json.as_bytes()), None, "{json}");
        }
        // One character in two escapes.
        assert_eq!(unescape(br#""\ud83d\ude00""#), None);
        assert_eq!(unescape(b"\"\xff\""), None);
        let (text, rest) = unescape(br#""\u00e9\/\b\f" x"#).unwrap();
        assert_eq!((&*text, rest), ("é/\u{8}\u{c}", &b" x"[..]));
    }
}
