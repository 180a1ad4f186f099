//! From a line of the host to what it says.
//!
//! Lines of the usual form are read in one go: the id at the start, then the result as the type that
//! is expected. All others, errors among them, go the long way through the envelope. Both give the
//! same; the long way only says better what is wrong.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::VfsError;
use crate::object;
use crate::vfs::{
    Encoding, ErrorObject, FsRead, FsReadResult, HostNotification, Id, InvalidMessage,
    InvalidNotification, Params, Response, ToTool,
};
use jp_json::unescape;

/// A line of the host, as far as it has to be known to find out who waits for it.
#[derive(Debug)]
pub(super) enum Line {
    /// The answer to one of our requests.
    Answer(i64),
    /// An error without an id, or with one that is not ours: a line that the host could not read.
    Lost(ErrorObject),
    /// A notification.
    Notification(HostNotification),
    /// Something that only a newer host says.
    Unknown,
}

impl Line {
    pub(super) fn read(line: &[u8]) -> Result<Self, VfsError> {
        if let Some((id, _)) = usual(line) {
            return Ok(Self::Answer(id));
        }
        let notification = match ToTool::parse(line)? {
            ToTool::Notification(notification) => notification,
            ToTool::Response(Response { id: Some(Id::Integer(id)), .. }) => {
                return Ok(Self::Answer(id));
            }
            ToTool::Response(Response { outcome: Err(error), .. }) => return Ok(Self::Lost(error)),
            ToTool::Response(_) => return Ok(Self::Unknown),
        };
        match HostNotification::parse(&notification) {
            Ok(notification) => Ok(Self::Notification(notification)),
            Err(InvalidNotification::Unknown { .. }) => Ok(Self::Unknown),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a line answers that is an answer to a request of this kind.
pub(super) fn read<P: Params>(line: &[u8]) -> Result<P::Result, VfsError> {
    read_with::<P>(line, |result: &[u8]| object::parse(str::from_utf8(result).ok()?).ok())
}

/// The same for a file, whose content is one long string.
pub(super) fn read_file(line: &[u8]) -> Result<FsReadResult, VfsError> {
    read_with::<FsRead>(line, file)
}

fn read_with<P: Params>(
    line: &[u8],
    quick: impl FnOnce(&[u8]) -> Option<P::Result>,
) -> Result<P::Result, VfsError> {
    if let Some(result) = usual(line).and_then(|(_, result)| quick(result)) {
        return Ok(result);
    }
    let outcome: Result<&RawValue, ErrorObject> = match ToTool::parse(line)? {
        ToTool::Response(response) => response.outcome,
        ToTool::Notification(_) => return Err(InvalidMessage::new("no answer").into()),
    };
    Ok(P::read_result(outcome.map_err(VfsError::Refused)?)?)
}

/// The id and the result of a line that is written like all others. Whether the result is one is seen
/// when it is read.
fn usual(line: &[u8]) -> Option<(i64, &[u8])> {
    let rest = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)?;
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let (id, rest) = rest.split_at(digits);
    let id = str::from_utf8(id).ok()?.parse().ok()?;
    let result = rest.strip_prefix(br#","result":"#)?.strip_suffix(b"}")?;
    Some((id, result))
}

fn file(result: &[u8]) -> Option<FsReadResult> {
    /// What comes after the content.
    #[derive(Deserialize)]
    struct Rest {
        #[serde(default)]
        encoding: Option<Encoding>,
        size: u64,
    }
    let (content, rest) = unescape(result.strip_prefix(br#"{"content":"#)?)?;
    let rest = str::from_utf8(rest).ok()?;
    if let Some(size) = only_size(rest) {
        return Some(FsReadResult { content, encoding: None, size });
    }
    let rest = format!("{{{}", rest.strip_prefix(',')?);
    let Rest { encoding, size } = object::parse(&rest).ok()?;
    Some(FsReadResult { content, encoding, size })
}

/// The size, where nothing else is said after the content.
fn only_size(rest: &str) -> Option<u64> {
    let digits = rest.strip_prefix(r#","size":"#)?.strip_suffix('}')?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    let is_number = is_plain && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_the_same() {
        // D11-276: fields that are not known, at every place
        let content = "a \"b\"\n\\é\u{1}";
        let json = serde_json::to_string(content).unwrap();
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":{json},"size":9}}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":{json},"size":9,"x":[1]}}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":{json},"size":9}},"x":{{}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"size":9,"content":{json}}}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"x":"y","result":{{"x":1,"content":{json},"size":9}}}}"#
            ),
            format!(
                r#" {{ "id" : 7, "result" : {{"content":{json},"size":9}}, "jsonrpc" : "2.0" }} "#
            ),
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a \"b\"\n\\\u00e9\u0001","size":9}}"#
                .into(),
        ] {
            let Ok(Line::Answer(7)) = Line::read(line.as_bytes()) else { panic!("{line}") };
            let expected = FsReadResult { content: content.to_owned(), encoding: None, size: 9 };
            assert_eq!(read_file(line.as_bytes()).unwrap(), expected, "{line}");
            assert_eq!(read::<FsRead>(line.as_bytes()).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_file_is_an_error() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a","size":-1}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a","encoding":"rot13","size":1}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":7,"size":1}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":["a",null,1]}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a","size":1},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":"a","size":1"#,
            r#"{"jsonrpc":"2.0","method":"cancel"}"#,
        ] {
            assert!(read_file(line.as_bytes()).is_err(), "{line}");
            assert!(read::<FsRead>(line.as_bytes()).is_err(), "{line}");
        }
        assert!(
            read_file(
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":\"\xff\",\"size\":1}}"
            )
            .is_err()
        );
    }

    #[test]
    fn notifications_of_a_newer_host_are_ignored() {
        let read = |line: &str| Line::read(line.as_bytes());
        assert!(matches!(read(r#"{"jsonrpc":"2.0","method":"weather"}"#), Ok(Line::Unknown)));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"cancel","params":{"why":1}}"#),
            Ok(Line::Notification(HostNotification::Cancel))
        ));
        assert!(read(r#"{"jsonrpc":"2.0","method":"apply","params":{}}"#).is_err());
        assert!(read("hello").is_err());
    }
}
