//! The forms of a value that are looked for as bytes. Escapes are not among these: there are too
//! many ways to write them, so they are undone by a [`view`](super::view) instead.

use std::collections::BTreeSet;

use super::WRAPPED;

/// What a key in lines begins and ends with is no secret, and stands in many texts.
const FRAME: &[u8] = b"-----";

/// All forms of all values, each once.
pub(super) fn of(values: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut forms = BTreeSet::new();
    for value in values {
        forms.insert(value.to_vec());
        forms.insert(replaced(value, |byte| (byte == b' ').then_some("+")));
        forms.extend(base64(value));
        forms.insert(hex(value, b"0123456789abcdef"));
        forms.insert(hex(value, b"0123456789ABCDEF"));
        forms.extend(["&#39;", "&#x27;", "&#039;", "&apos;"].map(|quote| html(value, quote)));
        forms.extend(lines(value));
    }
    forms.into_iter().collect()
}

/// The characters that depend on nothing but the value, for each place that it can have in a longer
/// text: a character holds 6 bits, so what is before the value decides where its bits begin.
fn base64(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let alphabets = [base64_simd::STANDARD_NO_PAD, base64_simd::URL_SAFE_NO_PAD];
    (0..3).flat_map(move |before| {
        let shifted = [&[0; 2][..before], value].concat();
        let first = (before * 8).div_ceil(6);
        let end = shifted.len() * 8 / 6;
        alphabets
            .iter()
            .map(move |alphabet| {
                alphabet.encode_to_string(&shifted).into_bytes()[first..end].to_vec()
            })
            .collect::<Vec<_>>()
    })
}

fn hex(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    let digit = |nibble: u8| digits[usize::from(nibble)];
    value.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn html(value: &[u8], quote: &'static str) -> Vec<u8> {
    replaced(value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\'' => Some(quote),
        _ => None,
    })
}

/// Of a value in lines, each line that is long enough to mean something, and all as one line, which
/// is how it reads where the ends of lines do not count.
fn lines(value: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    let whole = lines.concat();
    let alone = lines.iter().filter(|line| !line.starts_with(FRAME)).map(|line| line.to_vec());
    alone.chain([whole]).filter(|line| line.len() >= WRAPPED).collect()
}

fn replaced(value: &[u8], by: impl Fn(u8) -> Option<&'static str>) -> Vec<u8> {
    let mut result = Vec::with_capacity(value.len());
    for byte in value {
        match by(*byte) {
            Some(text) => result.extend_from_slice(text.as_bytes()),
            None => result.push(*byte),
        }
    }
    result
}
