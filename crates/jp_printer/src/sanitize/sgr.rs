//! Decides which text styles may pass (the parameters of `CSI … m`).
//!
//! Styles are named one by one and written again in their shortest old form, because terminals
//! disagree about the newer ones: where `58;5;8` is not understood as an underline colour, its last
//! number conceals the text. Concealing and blinking are never passed; a person must be able to read
//! what was printed. What is malformed ends the sequence, and what came before it counts.

use std::fmt;

/// More parameters than any honest sequence has: two 24-bit colours take ten.
const MAX_PARAMETERS: usize = 32;

/// Appends the allowed part of the sequence, and says whether a style is on after it. `None` where
/// nothing was allowed and nothing appended.
pub(super) fn write_allowed(params: &str, out: &mut String) -> Option<bool> {
    // Any other mark makes it a different sequence that happens to end in `m`: `>4;2` for one
    // changes what the keyboard sends.
    let plain = params.bytes().all(|b| matches!(b, b'0'..=b'9' | b';' | b':'));
    let fields: Vec<&str> = params.split(';').take(MAX_PARAMETERS + 1).collect();
    if !plain || fields.len() > MAX_PARAMETERS {
        return None;
    }
    let mut fields = fields.into_iter();
    let mut codes = Vec::new();
    let mut open = false;
    while let Some(code) = fields.next().and_then(|field| read_code(field, &mut fields)) {
        if code.is_allowed() {
            open = code != Code::Plain(0);
            codes.push(code.to_string());
        }
    }
    if codes.is_empty() {
        return None;
    }
    out.push_str("\u{1b}[");
    out.push_str(&codes.join(";"));
    out.push('m');
    Some(open)
}

/// One style of a sequence. `ground` is 38 for the letters and 48 for what is behind them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Plain(u8),
    Indexed { ground: u8, index: u8 },
    Rgb { ground: u8, rgb: [u8; 3] },
}

impl Code {
    fn is_allowed(self) -> bool {
        matches!(
            self,
            Self::Plain(
                0..=4 | 7 | 9 | 21..=25 | 27..=37 | 39..=47 | 49 | 53 | 55 | 90..=97 | 100..=107
            ) | Self::Indexed { .. }
                | Self::Rgb { .. }
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(code) => write!(f, "{code}"),
            Self::Indexed { ground, index } => write!(f, "{ground};5;{index}"),
            Self::Rgb { ground, rgb } => {
                let [r, g, b] = rgb;
                write!(f, "{ground};2;{r};{g};{b}")
            }
        }
    }
}

/// Reads a style from `field`, taking the colour from the `rest` where the old form has it there.
fn read_code<'a>(field: &str, rest: &mut impl Iterator<Item = &'a str>) -> Option<Code> {
    if field.contains(':') {
        return read_colon_form(field);
    }
    let code = number(field)?;
    let ground = match code {
        38 | 48 => code,
        // The colour of the underline: not passed, and neither is what follows it, which could be
        // read as styles of its own.
        58 => return None,
        _ => return Some(Code::Plain(code)),
    };
    let mut next = || number(rest.next()?);
    match next()? {
        5 => Some(Code::Indexed { ground, index: next()? }),
        2 => Some(Code::Rgb { ground, rgb: [next()?, next()?, next()?] }),
        _ => None,
    }
}

/// Reads `4:3`, `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`.
fn read_colon_form(field: &str) -> Option<Code> {
    let parts: Vec<&str> = field.split(':').take(7).collect();
    match parts[..] {
        ["4", "0"] => Some(Code::Plain(24)),
        ["4", "1" | "2" | "3" | "4" | "5"] => Some(Code::Plain(4)),
        [ground @ ("38" | "48"), "5", index] => {
            Some(Code::Indexed { ground: number(ground)?, index: number(index)? })
        }
        [ground @ ("38" | "48"), "2", r, g, b] | [ground @ ("38" | "48"), "2", _, r, g, b] => {
            Some(Code::Rgb { ground: number(ground)?, rgb: [number(r)?, number(g)?, number(b)?] })
        }
        _ => None,
    }
}

/// A number that was left out is zero.
fn number(field: &str) -> Option<u8> {
    match field {
        "" => Some(0),
        digits => digits.parse().ok(),
    }
}
