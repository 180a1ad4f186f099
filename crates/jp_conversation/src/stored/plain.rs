//! The plain form of a stored event, written without making a tree of it.
//!
//! Whoever passes a conversation on needs every event of it, and most have nothing that is encoded: those are
//! copied as they are once it is certain that they are JSON. Of the others only the encoded fields are read.

use std::{borrow::Cow, fmt, ops::ControlFlow};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{EventError, MOST_NESTED, Text, check_count, decode_text, encoded, encoded_fields};
use crate::stream::Compact;

/// So many names are compared each with each; of more that would take far longer than to sort them.
const FEW: usize = 32;
/// So many fields an event may have to be passed on. Where each of them is takes more than to write it.
const MOST_FIELDS: usize = 1 << 18;
/// A name with escapes is copied to be read, and nobody's name is longer than this.
const LONGEST_NAME: usize = 64 << 10;
/// What is longer than this as it stands there is no type that we know, however it is escaped.
const LONGEST_TYPE: usize = 256;
/// So many bytes are written before somebody is asked whether he wants more. A string of base64 becomes up to
/// five times as many.
pub const STEP: usize = 16 << 10;

/// Where events are written to. One of them can be long, and what is written need not be there as a whole.
pub trait Sink {
    /// To be appended to.
    fn bytes(&mut self) -> &mut Vec<u8>;

    /// Whether more is wanted. Whoever is asked may take what is there.
    fn is_wanted(&mut self) -> bool;
}

impl Sink for Vec<u8> {
    fn bytes(&mut self) -> &mut Vec<u8> {
        self
    }

    fn is_wanted(&mut self) -> bool {
        true
    }
}

/// Appends the plain form of a stored event: one JSON object without a line break, every field in its place,
/// known or not. Nothing is appended if it is not an object, or one that is nested so deep or has so many values
/// that others cannot read it.
pub fn write_plain(raw: &[u8], out: &mut impl Sink) -> Result<(), EventError> {
    check_count(raw)?;
    let fields: Fields<'_> = serde_json::from_slice(raw)?;
    if is_nested_deeper(raw, MOST_NESTED) {
        return Err(EventError::Nested);
    }
    // Whoever does not want more has been asked, and knows.
    let _ = if fields.has_encoded() { fields.write_decoded(out) } else { copy(raw, out) };
    Ok(())
}

/// The fields of an object, as they stand there.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Fields<'_> {
    fn has_encoded(&self) -> bool {
        self.0.iter().any(|(name, value)| match &**name {
            "metadata" => true,
            // An escape is a spelling that nobody uses; reading it decides.
            "type" => value.get().contains('\\') || value.get().starts_with("\"tool_call_"),
            _ => false,
        })
    }

    fn write_decoded(&self, out: &mut impl Sink) -> ControlFlow<()> {
        let encoded = encoded_fields(self.kind().as_deref());
        out.bytes().push(b'{');
        for (index, (name, value)) in self.0.iter().enumerate() {
            if index > 0 {
                out.bytes().push(b',');
            }
            if let Cow::Borrowed(name) = name {
                // It stands there as it is, so it needs no escapes.
                out.bytes().push(b'"');
                push(name.as_bytes(), out)?;
                out.bytes().push(b'"');
            } else {
                jp_json::escape(name, out.bytes());
            }
            out.bytes().push(b':');
            if encoded.contains(&Some(&**name)) {
                write_decoded(value, out)?;
            } else {
                copy(value.get().as_bytes(), out)?;
            }
        }
        out.bytes().push(b'}');
        ControlFlow::Continue(())
    }

    /// The type, which says what is encoded.
    fn kind(&self) -> Option<Cow<'_, str>> {
        let value = self.get("type").filter(|value| value.get().len() <= LONGEST_TYPE)?;
        Some(serde_json::from_str::<Text<'_>>(value.get()).ok()?.0)
    }

    fn get(&self, wanted: &str) -> Option<&RawValue> {
        let (_, value) = self.0.iter().find(|(name, _)| name == wanted)?;
        Some(value)
    }
}

/// Appends a value with its strings decoded. They are changed where they stand: a tree of a value can take more
/// memory than all else that is read, and several are read at the same time.
fn write_decoded(value: &RawValue, out: &mut impl Sink) -> ControlFlow<()> {
    let mut rest = value.get();
    while let Some((before, string, after)) = split_at_string(rest) {
        copy(before.as_bytes(), out)?;
        // What is followed by a colon is a name, and names are as they are.
        if after.trim_ascii_start().starts_with(':') {
            push(string.as_bytes(), out)?;
        } else {
            write_decoded_string(string, out)?;
        }
        rest = after;
    }
    copy(rest.as_bytes(), out)
}

/// Appends a string, decoded if it is encoded. Most are read where they stand, without a copy.
fn write_decoded_string(json: &str, out: &mut impl Sink) -> ControlFlow<()> {
    if json.len() > STEP {
        return write_long_string(json, out);
    }
    let text = serde_json::from_str::<Text<'_>>(json).ok();
    match text.and_then(|text| decode_text(&text.0)) {
        Some(plain) => jp_json::escape(&plain, out.bytes()),
        None => return push(json.as_bytes(), out),
    }
    wanted(out)
}

/// The same for a long one. It is read twice: only at its end it is known whether it is encoded.
fn write_long_string(json: &str, out: &mut impl Sink) -> ControlFlow<()> {
    if encoded::pieces(json, |_| ControlFlow::Continue(())).is_none() {
        return push(json.as_bytes(), out);
    }
    out.bytes().push(b'"');
    let mut asked = ControlFlow::Continue(());
    encoded::pieces(json, |plain| {
        jp_json::escape_part(plain, out.bytes());
        asked = wanted(out);
        asked
    });
    asked?;
    out.bytes().push(b'"');
    ControlFlow::Continue(())
}

/// Appends bytes as they are.
fn push(bytes: &[u8], out: &mut impl Sink) -> ControlFlow<()> {
    for step in bytes.chunks(STEP) {
        out.bytes().extend_from_slice(step);
        wanted(out)?;
    }
    ControlFlow::Continue(())
}

fn wanted(out: &mut impl Sink) -> ControlFlow<()> {
    if out.is_wanted() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// The first string of a JSON text, its quotes included, with what stands before and after it.
fn split_at_string(json: &str) -> Option<(&str, &str, &str)> {
    let start = memchr::memchr(b'"', json.as_bytes())?;
    let mut end = start + 1;
    loop {
        end += memchr::memchr2(b'"', b'\\', json.as_bytes().get(end..)?)?;
        match json.as_bytes()[end] {
            b'"' => break,
            // It, and what it escapes.
            _ => end += 2,
        }
    }
    Some((&json[..start], &json[start..=end], &json[end + 1..]))
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields<'de>, M::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::with_capacity(8);
                while let Some((name, value)) = map.next_entry::<Name<'de>, &RawValue>()? {
                    if fields.len() == MOST_FIELDS {
                        return Err(M::Error::custom("too many fields"));
                    }
                    if matches!(&name.0, Cow::Owned(name) if name.len() > LONGEST_NAME) {
                        return Err(M::Error::custom("a name is too long"));
                    }
                    fields.push((name.0, value));
                }
                // Readers differ in which of two they take, so there must not be two.
                if has_twins(&fields) {
                    return Err(M::Error::custom("a field is there twice"));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Whether two fields have one name.
fn has_twins(fields: &[(Cow<'_, str>, &RawValue)]) -> bool {
    if fields.len() <= FEW {
        let is_known = |at: usize| fields[..at].iter().any(|(name, _)| *name == fields[at].0);
        return (1..fields.len()).any(is_known);
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

/// Whether lists and objects lie in each other deeper than this. The text is JSON, which is read past what is
/// in it without a limit.
fn is_nested_deeper(json: &[u8], most: usize) -> bool {
    if memchr::memchr2_iter(b'[', b'{', json).nth(most).is_none() {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for &byte in json {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' if depth == most => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Copies JSON; line breaks can only be white space in it, and are left out.
fn copy(json: &[u8], out: &mut impl Sink) -> ControlFlow<()> {
    if memchr::memchr2(b'\n', b'\r', json).is_none() {
        return push(json, out);
    }
    let mut compact = Compact::default();
    for step in json.chunks(STEP) {
        compact.push(step, out.bytes());
        wanted(out)?;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::{super::decode, *};

    /// What both ways of reading an event make of it.
    fn check(stored: &str) {
        // Every event has these.
        let mut stored = stored.to_owned();
        for (name, value) in [("timestamp", "t"), ("type", "hologram")] {
            let field = format!("\"{name}\"");
            if !stored.contains(&field) {
                stored = stored.replacen('{', &format!("{{{field}:\"{value}\","), 1);
            }
        }
        let stored = stored.as_str();
        let mut line = Vec::new();
        write_plain(stored.as_bytes(), &mut line).unwrap();
        assert!(!line.contains(&b'\n'), "{stored}");
        let mut object: Map<String, Value> = serde_json::from_str(stored).unwrap();
        decode(&mut object);
        let written: Map<String, Value> = serde_json::from_slice(&line).unwrap();
        assert_eq!(written, object, "{stored}");
        assert!(written.keys().eq(object.keys()), "{stored}");
    }

    #[test]
    fn it_is_what_the_other_way_gives() {
        // 072-172 to 072-175
        for stored in [
            r#"{"timestamp":"t","type":"chat_request","content":"aGk="}"#,
            r#"{"type":"tool_call_request","arguments":{"a":{"b":["aGk=",1]}},"x":1.10000000000000000001}"#,
            r#"{"type":"tool_call_response","content":"aGk=","is_error":false}"#,
            r#"{"content":"aGk=","type":"tool_call\u005fresponse"}"#,
            r#"{"type":"turn_start","metadata":{"m":"aGk=","n":[{"o":"aGkK"}]}}"#,
            r#"{"type":"hologram","beam":[1,2],"arguments":{"a":"aGk="}}"#,
            "{\n  \"type\": \"tool_call_response\",\n  \"content\": \"aGk=\",\n  \"more\": [\n 1,\n \"a b\" ]\n}",
            "{\n\"type\": \"hologram\", \"beam\":\r\n [ 1 ]}",
            r#"{"type":"chat_request","content":"ä\n\u2028\"","metadata":"aGk="}"#,
            r#"{"type":"tool_call_request","arguments":{"aGk=":"a\"Gk=","\"aGk=\\" : "\u0061Gk=","b":"\\"}}"#,
            "{\"metadata\":[\n\"aGk=\",\t{\n\"aGk=\"\r\n:\n\"aGk=\"}\n, \"\", null ]}",
        ] {
            check(stored);
        }
    }

    #[test]
    fn digits_of_numbers_are_kept() {
        let stored = r#"{"timestamp":"t","type":"tool_call_response","content":"aGk=","x":1.10000000000000000001,"metadata":{"x":1.10000000000000000001}}"#;
        let mut line = Vec::new();
        write_plain(stored.as_bytes(), &mut line).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), stored.replace("aGk=", "hi"));
    }

    #[test]
    fn an_event_may_have_many_fields_but_none_twice() {
        for count in [FEW - 1, FEW, FEW + 1, 200_000] {
            let fields: String = (0..count).map(|n| format!(r#""f{n}":{n},"#)).collect();
            let stored = format!(r#"{{{fields}"timestamp":"t","type":"hologram"}}"#);
            let mut line = Vec::new();
            write_plain(stored.as_bytes(), &mut line).unwrap();
            assert!(line == stored.as_bytes(), "{count}");
            let stored = format!(r#"{{{fields}"\u00660":0}}"#);
            assert!(write_plain(stored.as_bytes(), &mut line).is_err(), "{count}");
        }
        let fields: Vec<String> = (0..=MOST_FIELDS).map(|n| format!(r#""f{n}":{n}"#)).collect();
        let stored = |count: usize| {
            format!(r#"{{"timestamp":"t","type":"a",{}}}"#, fields[..count - 2].join(","))
        };
        for (count, is_taken) in [(MOST_FIELDS, true), (MOST_FIELDS + 1, false)] {
            let written = write_plain(stored(count).as_bytes(), &mut Vec::new());
            assert_eq!(written.is_ok(), is_taken, "{count}");
        }
    }

    #[test]
    fn an_event_is_nested_so_deep_that_others_can_read_it() {
        let strings = r#""[[{{\"[[","#.repeat(100);
        let event = |depth: usize| {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            format!(
                r#"{{"timestamp":"t","type":"hologram","s":[{strings}[{{}}],[]],"x":{open}{close}}}"#
            )
        };
        for (depth, is_taken) in
            [(4, true), (MOST_NESTED, true), (MOST_NESTED + 1, false), (100_000, false)]
        {
            let mut line = Vec::new();
            assert_eq!(
                write_plain(event(depth).as_bytes(), &mut line).is_ok(),
                is_taken,
                "{depth}"
            );
            assert_eq!(line.is_empty(), !is_taken);
            // Two levels are around it in the answer of a host.
            let answer = format!(r#"{{"data":[{}]}}"#, event(depth));
            assert_eq!(serde_json::from_str::<Value>(&answer).is_ok(), is_taken, "{depth}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused_and_leaves_nothing() {
        for stored in
            ["", "[]", "1", "{", "{\"type\":1}}", "{\"a\":1,\"a\":2}", "{\"type\":\"a\nb\"}"]
        {
            let mut line = b"before".to_vec();
            assert!(write_plain(stored.as_bytes(), &mut line).is_err(), "{stored}");
            assert_eq!(line, b"before");
        }
    }

    /// What was written until somebody did not want more.
    struct Pieces {
        all: Vec<u8>,
        piece: Vec<u8>,
        longest: usize,
        most: usize,
    }

    impl Sink for Pieces {
        fn bytes(&mut self) -> &mut Vec<u8> {
            &mut self.piece
        }

        fn is_wanted(&mut self) -> bool {
            self.longest = self.longest.max(self.piece.len());
            self.all.append(&mut self.piece);
            self.all.len() <= self.most
        }
    }

    fn in_pieces(stored: &str, most: usize) -> Pieces {
        let mut pieces = Pieces { all: Vec::new(), piece: Vec::new(), longest: 0, most };
        write_plain(stored.as_bytes(), &mut pieces).unwrap();
        pieces
    }

    #[test]
    fn a_long_event_is_written_in_pieces() {
        let dense = super::super::encode_text(&"\u{1}".repeat(1 << 20));
        let long = "x".repeat(1 << 20);
        for rest in [
            format!(r#""tool_call_response","content":"{dense}""#),
            format!(r#""tool_call_response","content":"{long}!""#),
            format!(r#""tool_call_response","content":"{}""#, dense.replace('A', "\\u0041")),
            format!(r#""hologram","metadata":["{dense}",{{"{long}":"{dense}"}}]"#),
            format!(r#""hologram","metadata":[{}0]"#, r#""AQ==","#.repeat(100_000)),
            format!(r#""hologram","{long}":"{long}","metadata":null"#),
            format!("\"hologram\",\r\"a\":\"{long}\""),
            format!(r#""hologram","a":"{long}""#),
        ] {
            let stored = format!(r#"{{"timestamp":"t","type":{rest}}}"#);
            let mut line = Vec::new();
            write_plain(stored.as_bytes(), &mut line).unwrap();
            let Pieces { mut all, piece, longest, .. } = in_pieces(&stored, usize::MAX);
            all.extend(piece);
            assert!(all == line, "{}", &stored[..80]);
            assert!(longest <= 5 * STEP, "{longest}: {}", &stored[..80]);
            // Whoever does not want more has at most another step.
            let Pieces { all, piece, .. } = in_pieces(&stored, 1);
            assert!(all.len() + piece.len() <= 6 * STEP, "{}", &stored[..80]);
            check(&stored);
        }
    }

    #[test]
    fn a_name_that_has_to_be_copied_is_not_long() {
        let name = "a".repeat(LONGEST_NAME);
        for (name, is_taken) in [(format!("{name}bc"), true), (format!("{name}\\u0061"), false)] {
            let stored = format!(r#"{{"timestamp":"t","type":"a","{name}":1}}"#);
            assert_eq!(write_plain(stored.as_bytes(), &mut Vec::new()).is_ok(), is_taken);
        }
    }
}
