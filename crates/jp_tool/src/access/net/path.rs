//! The one reading of a URL path, if it has one.
//!
//! Servers and the programs in front of them disagree about paths. Is `/a%2fb` one segment or two?
//! Does `//admin` lead to `/admin`? Is the `;v=1` of `/admin;v=1` part of the name? A rule that
//! denies `/admin` has to hold for whichever server answers. So there are two kinds of unusual paths:
//!
//! - with one reading: `%61` is an `a`, `/x/../y` is `/y`, a last slash adds nothing;
//! - with several: encoded slashes, dots, percent signs, `;`, `?` and `#`, backslashes, empty
//!   segments, parameters, control characters, bytes that are not UTF-8, `%` without two digits.
//!
//! The first are put into their plain form, the second are an error whose text continues a sentence
//! that begins with the path.

use url::Url;

/// The decoded segments of the path of a URL. A last slash is dropped.
pub(super) fn segments(path: &str) -> Result<Vec<String>, &'static str> {
    let mut segments = Vec::new();
    let mut pieces = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            "" if pieces.peek().is_none() => {}
            "" => return Err("has an empty segment"),
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(decode(piece)?),
        }
    }
    Ok(segments)
}

/// The segments of the prefix in a rule. Stricter than for a URL: who writes a rule can write where
/// `..` leads.
pub(super) fn of_prefix(prefix: &str) -> Result<Vec<String>, &'static str> {
    if !prefix.starts_with('/') {
        return Err("does not begin with a slash");
    }
    if prefix.contains(['?', '#']) {
        return Err("has a query or a fragment");
    }
    if prefix.split('/').any(|piece| matches!(piece, "." | "..")) {
        return Err("has a dot segment");
    }
    segments(prefix)
}

/// The text of segments, encoded the way a URL shows them.
pub(super) fn to_text(segments: &[String]) -> String {
    let encoded = Url::parse("http://localhost/").ok().and_then(|mut url| {
        url.path_segments_mut().ok()?.clear().extend(segments);
        Some(url.path().to_owned())
    });
    // A fixed URL always parses; the plain text says the same.
    encoded.unwrap_or_else(|| format!("/{}", segments.join("/")))
}

fn decode(piece: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(piece.len());
    let mut rest = piece.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'%' => {
                let (byte, after) = decode_escape(after)?;
                rest = after;
                bytes.push(byte);
            }
            b';' => return Err("has a `;` parameter"),
            b'\\' => return Err("has a backslash"),
            byte => bytes.push(*byte),
        }
    }
    let decoded = String::from_utf8(bytes).map_err(|_| "has bytes that are not UTF-8")?;
    if decoded.contains(char::is_control) {
        return Err("has a control character");
    }
    Ok(decoded)
}

/// The byte behind the two digits after a `%`, and what follows them.
fn decode_escape(after: &[u8]) -> Result<(u8, &[u8]), &'static str> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let [high, low, rest @ ..] = after else {
        return Err("has a `%` without two digits");
    };
    let (Some(high), Some(low)) = (digit(high), digit(low)) else {
        return Err("has a `%` without two digits");
    };
    match high << 4 | low {
        b'/' | b'\\' => Err("has an encoded slash"),
        b'.' => Err("has an encoded dot"),
        b'%' => Err("is encoded twice"),
        b';' => Err("has an encoded `;`"),
        b'?' | b'#' => Err("has an encoded `?` or `#`"),
        byte => Ok((byte, rest)),
    }
}
