//! A long string of base64, read a piece after the other.
//!
//! What it holds can be written in six times as many bytes as it has, and that more than once: as the text, and as
//! JSON again. So of a long one neither is there as a whole.

use std::ops::ControlFlow;

use memchr::memchr;

use super::BASE64;

/// So many characters are decoded at once; they stand for whole bytes.
const PIECE: usize = 16 << 10;

/// Hands over the text that a JSON string holds in base64, piece by piece, until somebody does not want any more.
/// `None`: it is not base64 of UTF-8 text, which can be known at its end only.
pub(super) fn pieces(json: &str, mut take: impl FnMut(&str) -> ControlFlow<()>) -> Option<()> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut encoded = Vec::with_capacity(PIECE);
    // It begins with what there is of a character that is not whole yet.
    let mut plain = Vec::new();
    while !rest.is_empty() {
        encoded.clear();
        rest = fill(&mut encoded, rest)?;
        // What is filled up stands at the end, and nowhere else.
        if !rest.is_empty() && memchr(b'=', &encoded).is_some() {
            return None;
        }
        plain.append(&mut BASE64.decode_to_vec(&encoded).ok()?);
        let whole = match str::from_utf8(&plain) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return None,
        };
        if take(str::from_utf8(&plain[..whole]).ok()?).is_break() {
            return Some(());
        }
        plain.drain(..whole);
    }
    plain.is_empty().then_some(())
}

/// Takes the characters of a piece, and returns what follows. They may be escaped, as some write a slash.
fn fill<'a>(encoded: &mut Vec<u8>, json: &'a [u8]) -> Option<&'a [u8]> {
    let (piece, rest) = json.split_at(json.len().min(PIECE));
    if memchr(b'\\', piece).is_none() {
        encoded.extend_from_slice(piece);
        return Some(rest);
    }
    let mut rest = json;
    while encoded.len() < PIECE {
        rest = match rest {
            [] => break,
            [b'\\', b'/', rest @ ..] => {
                encoded.push(b'/');
                rest
            }
            [b'\\', b'u', rest @ ..] => {
                let (digits, rest) = rest.split_first_chunk::<4>()?;
                let number = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
                encoded.push(u8::try_from(number).ok()?);
                rest
            }
            // No other escape is of a character of base64.
            [b'\\', ..] => return None,
            [byte, rest @ ..] => {
                encoded.push(*byte);
                rest
            }
        };
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::{
        super::{decode_text, encode_text},
        *,
    };

    fn decoded(json: &str) -> Option<String> {
        let mut text = String::new();
        pieces(json, |piece| {
            text.push_str(piece);
            ControlFlow::Continue(())
        })?;
        Some(text)
    }

    fn check(json: &str) {
        let text: String = serde_json::from_str(json).unwrap();
        assert_eq!(decoded(json), decode_text(&text), "{} bytes", json.len());
    }

    #[test]
    fn a_long_text_is_the_same_in_pieces() {
        for unit in ["a", "é", "日", "😀", "\u{1}", "?", "a😀é"] {
            for length in [0, 1, 2, 3, 12_287, 12_288, 12_289, 12_290, 12_291, 40_000] {
                let text: String = unit.chars().cycle().take(length).collect();
                let encoded = encode_text(&text);
                check(&format!("\"{encoded}\""));
                check(&format!("\"{}\"", encoded.replace('/', "\\/").replace('Y', "\\u0059")));
                // Cut off, followed by something, broken in the middle.
                check(&format!("\"{}\"", &encoded[encoded.len().min(1)..]));
                for more in ["=", "AA==", "A", "é", "\\n", "\\u00e9", "\\u2028", "gA==", "8J+Y"] {
                    check(&format!("\"{encoded}{more}\""));
                    check(&format!("\"{more}{encoded}\""));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_stands_at_the_end_of_a_piece(
            before in PIECE - 12..PIECE + 4,
            middle in vec(select(&["A", "=", "gA", "8J+Y", "8J+YgA==", "\\/", "/", "\\u0041", "w6k=", "4p"][..]), 0..8),
            after in 0..40_usize,
        ) {
            check(&format!("\"{}{}{}\"", "A".repeat(before), middle.concat(), "A".repeat(after)));
        }
    }

    #[test]
    fn whoever_does_not_want_more_gets_no_more() {
        let json = format!("\"{}\"", "QUFB".repeat(PIECE));
        let mut count = 0;
        let stopped = pieces(&json, |_| {
            count += 1;
            if count < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!((stopped, count), (Some(()), 2));
    }
}
