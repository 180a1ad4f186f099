//! Text as a JSON string, both ways, as fast as it goes without `unsafe`.
//!
//! Nearly all bytes that go over the wire are the text of files, and nearly all of the time goes into
//! this: a 10 MiB file is one string. Most of a text stands for itself, so both ways look for the
//! next byte that does not, several at a time, and copy what is before it.
//!
//! Measured against `serde_json`, a text of 1 MiB is written in a third to two thirds of the time and
//! read in a quarter to a half, depending on how many quotes and lines it has. Crates that do it with
//! instructions of the processor write twice as fast still, but that is a small part of the way of a
//! file, and this is code that reads what nobody trusts.

/// Writes a text as a JSON string, quotes included.
pub fn escape(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push(b'"');
    if text.len() <= SHORT {
        for byte in text.bytes() {
            let (length, escaped) = &ESCAPES[usize::from(byte)];
            out.extend_from_slice(&escaped[..usize::from(*length)]);
        }
    } else {
        // Into a place of a fixed size it is written without asking for room each time.
        let mut written = [0; ESCAPED];
        for block in text.as_bytes().chunks(BLOCK) {
            let length = escape_block(block, &mut written);
            out.extend_from_slice(&written[..length]);
        }
    }
    out.push(b'"');
}

/// Reads the JSON string at the start of a text, and returns what follows it. `None`: there is none,
/// or it is one that a careful reader has to look at.
pub fn unescape(json: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = json.strip_prefix(b"\"")?;
    let (mut text, mut read) = (Vec::new(), [0; UNESCAPED]);
    loop {
        let (length, end) = unescape_block(rest, &mut read)?;
        // Only here is it known whether the string may be as long as the rest of the line.
        if text.capacity() == 0 {
            text.reserve(if end.is_last { length } else { rest.len() });
        }
        text.extend_from_slice(&read[..length]);
        rest = end.rest;
        if end.is_last {
            return Some((String::from_utf8(text).ok()?, rest));
        }
    }
}

/// So many bytes are looked at together.
const CHUNK: usize = 8;
/// So many are written before they are added to the rest.
const BLOCK: usize = 256;
/// For a text of so many bytes, such as a path, it does not pay to make a place.
const SHORT: usize = 32;
/// What becomes of a byte is at most so long.
const LONGEST: usize = 6;
/// The room for a block of bytes that all need the longest escape, and for the copy of a chunk behind them.
const ESCAPED: usize = BLOCK * LONGEST + CHUNK;
/// The room for a block of bytes that were read, and for the copy of a chunk behind them.
const UNESCAPED: usize = BLOCK + CHUNK;

/// Writes the bytes and returns how long they became. A chunk is copied before anybody knows whether it
/// stands for itself: a copy of a fixed size costs next to nothing, and what was too much is written over.
fn escape_block(mut rest: &[u8], written: &mut [u8; ESCAPED]) -> usize {
    let mut length = 0;
    while let Some(chunk) = rest.first_chunk::<CHUNK>() {
        written[length..length + CHUNK].copy_from_slice(chunk);
        let specials = specials(*chunk);
        if specials == 0 {
            length += CHUNK;
            rest = &rest[CHUNK..];
            continue;
        }
        let before = (specials.trailing_zeros() / 8) as usize;
        length += before;
        length += escape_byte(rest[before], &mut written[length..]);
        rest = &rest[before + 1..];
    }
    for byte in rest {
        length += escape_byte(*byte, &mut written[length..]);
    }
    length
}

/// Writes what one byte becomes and returns how long that is; up to [`LONGEST`] bytes are written over.
fn escape_byte(byte: u8, out: &mut [u8]) -> usize {
    let (length, escaped) = &ESCAPES[usize::from(byte)];
    out[..LONGEST].copy_from_slice(escaped);
    usize::from(*length)
}

/// Where a block of a string ends.
struct BlockEnd<'a> {
    rest: &'a [u8],
    /// Whether the string ends there as well.
    is_last: bool,
}

/// Reads so much of a string as has room, and returns how long it became. It is done as in
/// [`escape_block`].
fn unescape_block<'a>(
    mut rest: &'a [u8],
    read: &mut [u8; UNESCAPED],
) -> Option<(usize, BlockEnd<'a>)> {
    let mut length = 0;
    while length < BLOCK {
        let before = if let Some(chunk) = rest.first_chunk::<CHUNK>() {
            read[length..length + CHUNK].copy_from_slice(chunk);
            (marks(*chunk).trailing_zeros() / 8) as usize
        } else {
            let before = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            read[length..length + before].copy_from_slice(&rest[..before]);
            before
        };
        length += before;
        rest = &rest[before..];
        if before == CHUNK {
            continue;
        }
        let (mark, after) = rest.split_first()?;
        if *mark == b'"' {
            return Some((length, BlockEnd { rest: after, is_last: true }));
        }
        let (escape, after) = after.split_first()?;
        let short = UNESCAPES[usize::from(*escape)];
        if short == 0 {
            let (character, after) = numbered(*escape, after)?;
            length += character.encode_utf8(&mut read[length..]).len();
            rest = after;
        } else {
            read[length] = short;
            length += 1;
            rest = after;
        }
    }
    Some((length, BlockEnd { rest, is_last: false }))
}

/// Bits in the places of bytes that do not stand for themselves in a text. As in [`marks`], only the first
/// is right.
fn specials(chunk: [u8; CHUNK]) -> u64 {
    (below(u64::from_le_bytes(chunk), 0x20) & HIGHS) | marks(chunk)
}

/// Bits in the places of quotes and backslashes, found with the usual trick, in which a byte that becomes
/// zero borrows from its highest bit. Only the first one found this way is right.
fn marks(chunk: [u8; CHUNK]) -> u64 {
    let word = u64::from_le_bytes(chunk);
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (is(b'"') | is(b'\\')) & HIGHS
}

fn below(word: u64, limit: u64) -> u64 {
    word.wrapping_sub(ONES * limit) & !word
}

const ONES: u64 = u64::from_ne_bytes([1; CHUNK]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; CHUNK]);

/// What becomes of each byte: how long it is, and what it is.
static ESCAPES: [(u8, [u8; LONGEST]); 256] = escapes();

const fn escapes() -> [(u8, [u8; LONGEST]); 256] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut all = [(1, [0; LONGEST]); 256];
    let mut byte = 0_u8;
    loop {
        let index = byte as usize;
        all[index] = match byte {
            b'\n' => (2, *b"\\n    "),
            b'"' => (2, *b"\\\"    "),
            b'\\' => (2, *b"\\\\    "),
            b'\t' => (2, *b"\\t    "),
            b'\r' => (2, *b"\\r    "),
            0x08 => (2, *b"\\b    "),
            0x0c => (2, *b"\\f    "),
            0x00..0x20 => (6, [b'\\', b'u', b'0', b'0', HEX[index >> 4], HEX[index & 15]]),
            _ => (1, [byte; LONGEST]),
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

/// The character that an escape with a number stands for, of which the first letter is read, and what
/// follows. The rare case of a character written as two escapes is left to others.
fn numbered(escape: u8, text: &[u8]) -> Option<(char, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<4>().filter(|_| escape == b'u')?;
    let digit = |code: u32, digit: &u8| Some((code << 4) | char::from(*digit).to_digit(16)?);
    let code = digits.iter().try_fold(0, digit)?;
    Some((char::from_u32(code)?, rest))
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
