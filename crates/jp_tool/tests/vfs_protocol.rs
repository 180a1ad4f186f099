//! The examples in `docs/protocols/vfs.md` are what `jp_tool::vfs` reads and writes. They are taken
//! from the page itself, so the page cannot say anything else than the code does.

use std::collections::BTreeSet;
use std::error::Error;

use jp_tool::vfs::{
    Call, ErrorCode, FsCreateDir, FsDelete, FsExists, FsGrep, FsListDir, FsMetadata, FsRead,
    FsRename, FsWrite, HostCapabilities, HostNotification, HttpGet, HttpPost, Method, Params,
    ProcessRun, Response, ToHost, ToTool, ToolNotification, write_line,
};
use serde::Serialize;
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../docs/protocols/vfs.md");

/// A line that was read, written again.
type Again = Result<String, Box<dyn Error>>;

/// The heading of an example, and how the message under it is read.
type Message = (&'static str, fn(&str) -> Again);

/// All examples of the page, in order.
const MESSAGES: &[Message] = &[
    ("Request", request),
    ("Response", response::<FsRead>),
    ("Error response", response::<FsRead>),
    ("Response to a line without an id", response::<FsRead>),
    ("fs.read", request),
    ("Result of fs.read", response::<FsRead>),
    ("fs.write", request),
    ("fs.write of bytes", request),
    ("Result of fs.write", response::<FsWrite>),
    ("fs.exists", request),
    ("Result of fs.exists", response::<FsExists>),
    ("fs.list_dir", request),
    ("Result of fs.list_dir", response::<FsListDir>),
    ("fs.metadata", request),
    ("Result of fs.metadata", response::<FsMetadata>),
    ("fs.delete", request),
    ("Result of fs.delete", response::<FsDelete>),
    ("fs.rename", request),
    ("Result of fs.rename", response::<FsRename>),
    ("fs.grep", request),
    ("Result of fs.grep", response::<FsGrep>),
    ("fs.create_dir", request),
    ("Result of fs.create_dir", response::<FsCreateDir>),
    ("http.get", request),
    ("Result of http.get", response::<HttpGet>),
    ("http.post", request),
    ("Result of http.post", response::<HttpPost>),
    ("process.run", request),
    ("Result of process.run", response::<ProcessRun>),
    ("host.capabilities", request),
    ("Result of host.capabilities", response::<HostCapabilities>),
    ("init", of_host),
    ("pending", of_host),
    ("cancel", of_host),
    ("apply", of_host),
    ("result", of_tool),
    ("result with a text", of_tool),
    ("result with a description", of_tool),
    ("error", of_tool),
    ("cancel of a request", of_tool),
    ("state of a running tool", of_tool),
    ("state of a waiting tool", of_tool),
    ("state of a stopped tool", of_tool),
];

/// D11-288, and D11-028 for every message.
#[test]
fn every_example_is_read_and_written_back() {
    let examples = examples();
    let headings: Vec<&str> = examples.iter().map(|(heading, _)| *heading).collect();
    let known: Vec<&str> = MESSAGES.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(headings, known, "the page and this table have the same examples");
    for ((heading, line), (_, again)) in examples.into_iter().zip(MESSAGES) {
        assert_eq!(again(line).unwrap(), line, "{heading}");
        assert!(line.starts_with(r#"{"jsonrpc":"2.0","#), "{heading}");
    }
}

/// D11-276: unknown fields are ignored beside the parameters, in them, and in a result.
#[test]
fn a_field_of_a_later_version_is_ignored() {
    for ((heading, line), (_, again)) in examples().into_iter().zip(MESSAGES) {
        let mut newer: Value = serde_json::from_str(line).unwrap();
        for part in ["/params", "/result", "/error", "/params/context", "/params/tool", ""] {
            if let Some(Value::Object(fields)) = newer.pointer_mut(part) {
                fields.insert("of a later version".to_owned(), json!([null]));
            }
        }
        assert_eq!(again(&newer.to_string()).unwrap(), line, "{heading}");
    }
}

/// The codes that a method can get besides those that any request can.
const CODES: [(Method, &[i64]); 13] = [
    (Method::FsRead, &[-32002, -32006]),
    (Method::FsWrite, &[-32003, -32006]),
    (Method::FsExists, &[]),
    (Method::FsListDir, &[-32002, -32006]),
    (Method::FsMetadata, &[-32002]),
    (Method::FsDelete, &[-32002]),
    (Method::FsRename, &[-32002, -32003]),
    (Method::FsGrep, &[-32002, -32006]),
    (Method::FsCreateDir, &[]),
    (Method::HttpGet, &[-32006]),
    (Method::HttpPost, &[-32006]),
    (Method::ProcessRun, &[-32002, -32006]),
    (Method::HostCapabilities, &[]),
];

/// D11-266: each method has an example of its request and of its result, a word about each field in them, and the
/// codes that it can get and others cannot. A path is explained once for all.
#[test]
fn every_method_is_on_the_page() {
    let examples = examples();
    let line = |heading: &str| {
        let found = examples.iter().find(|(one, _)| *one == heading);
        let (_, line) = found.unwrap_or_else(|| panic!("there is no example of {heading}"));
        serde_json::from_str::<Value>(line).unwrap()
    };
    assert_eq!(CODES.map(|(method, _)| method), Method::ALL);
    for (method, codes) in CODES {
        let told = section(method.name());
        let (request, result) = (line(method.name()), line(&format!("Result of {method}")));
        let fields =
            [&request["params"], &result["result"]].into_iter().filter_map(Value::as_object);
        for field in fields.flat_map(|fields| fields.keys()).filter(|field| *field != "path") {
            let is_told =
                told.contains(&format!("`{field}`")) || told.contains(&format!("`{field}."));
            assert!(is_told, "{method}: {field}");
        }
        let named = ErrorCode::ALL.iter().map(|code| code.number());
        let general = [-32602, -32603, -32001, -32004, -32005];
        let named =
            named.filter(|code| !general.contains(code) && told.contains(&code.to_string()));
        assert_eq!(named.collect::<BTreeSet<_>>(), codes.iter().copied().collect(), "{method}");
    }
}

/// What the page says of a method: under its heading, and under those of its result and of its other forms.
/// Examples do not count.
fn section(method: &str) -> String {
    let mut is_inside = false;
    let lines = PAGE.lines().filter(|line| {
        if line.starts_with('#') {
            is_inside = line.trim_start_matches("### ").split(' ').any(|word| word == method);
        }
        is_inside && !line.starts_with('{')
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// D11-236
#[test]
fn the_page_has_the_table_of_codes() {
    let rows: Vec<String> =
        ErrorCode::ALL.iter().map(|code| format!("| {} | {code} | ", code.number())).collect();
    let table: Vec<&str> = PAGE.lines().filter(|line| line.starts_with("| -32")).collect();
    assert_eq!(table.len(), rows.len());
    for (line, row) in table.into_iter().zip(rows) {
        assert!(line.starts_with(&row), "{line}");
    }
}

/// D11-047, D11-277
#[test]
fn the_page_says_what_was_left_open() {
    for sentence in [
        "The bare names `read`, `write` and so on are no methods (-32601).",
        "New methods come with a minor version of the protocol; taking one away needs a major one.",
    ] {
        assert!(PAGE.contains(sentence), "{sentence}");
    }
}

/// D11-293
#[test]
fn the_guide_says_how_a_tool_is_moved() {
    let guide = include_str!("../../../docs/vfs.md");
    let (_, moving) = guide.split_once("## Moving a tool to `runtime = \"vfs\"`").unwrap();
    for word in ["runtime = \"vfs\"", "host.read", "jp tool check"] {
        assert!(moving.contains(word), "{word}");
    }
}

fn request(line: &str) -> Again {
    let ToHost::Request(request) = ToHost::parse(line.as_bytes())? else {
        return Err("a notification".into());
    };
    written(&Call::parse(&request)?.request(&request.id))
}

fn response<P: Params>(line: &str) -> Again {
    let ToTool::Response(Response { id, outcome }) = ToTool::parse(line.as_bytes())? else {
        return Err("a notification".into());
    };
    let outcome = match outcome {
        Ok(result) => Ok(P::read_result(result)?),
        Err(error) => Err(error),
    };
    written(&Response { id, outcome })
}

fn of_host(line: &str) -> Again {
    let ToTool::Notification(notification) = ToTool::parse(line.as_bytes())? else {
        return Err("a response".into());
    };
    written(&HostNotification::parse(&notification)?)
}

fn of_tool(line: &str) -> Again {
    let ToHost::Notification(notification) = ToHost::parse(line.as_bytes())? else {
        return Err("a request".into());
    };
    written(&ToolNotification::parse(&notification)?)
}

/// The message without the end of its line, which has to be there.
fn written(message: &impl Serialize) -> Again {
    let mut line = Vec::new();
    write_line(message, &mut line)?;
    assert_eq!(line.pop(), Some(b'\n'));
    Ok(String::from_utf8(line)?)
}

/// The heading above each example on the page, and the one line in it.
fn examples() -> Vec<(&'static str, &'static str)> {
    let mut heading = "";
    let mut examples = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title;
        } else if line == "```json" {
            examples.push((heading, lines.next().expect("a fence is closed")));
            assert_eq!(lines.next(), Some("```"), "{heading}: an example is one line");
        } else {
            assert!(!line.starts_with("```"), "{heading}: an example is JSON");
        }
    }
    examples
}
