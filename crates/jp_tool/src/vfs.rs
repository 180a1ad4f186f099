//! Tools that touch nothing by themselves: the messages with which they ask the host to do it.
//!
//! Such a tool runs in a place without files, network or other programs. Whatever it needs it asks
//! for on stdout, and the host, which checks every request against the policy, answers on stdin. So
//! the tool is the one that asks and the host the one that serves; the host never asks back.
//!
//! Each message is one object of JSON-RPC 2.0 on one line. A whole call looks like this, with `→`
//! for what the host writes and `←` for what the tool writes:
//!
//! ```text
//! → {"jsonrpc":"2.0","method":"init","params":{"tool":{"name":"upper",…},"context":{…},"protocol_version":"0.1.0"}}
//! ← {"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"notes.txt"}}
//! → {"jsonrpc":"2.0","id":1,"result":{"content":"hello\n","size":6}}
//! ← {"jsonrpc":"2.0","id":2,"method":"fs.write","params":{"path":"notes.txt","content":"HELLO\n"}}
//! → {"jsonrpc":"2.0","method":"pending","params":{"request_id":2,"reason":"awaiting user approval"}}
//! → {"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"…"}}
//! ← {"jsonrpc":"2.0","method":"result","params":{"content":"notes.txt could not be changed."}}
//! ```
//!
//! The first line is `init`, the call itself. Requests have an `id`, and several may be under way;
//! their answers come in any order. Messages without an `id` are notifications, which are not
//! answered. The tool ends the call with `result` or `error`, then it ends itself. Every message is
//! shown in `docs/protocols/vfs.md`.
//!
//! Reading has two steps. The envelope comes first: [`ToHost::parse`] and [`ToTool::parse`] find
//! out whether a line is a message. The method comes second: [`Call::parse`],
//! [`ToolNotification::parse`] and [`HostNotification::parse`] find out what it says. The mistakes
//! that belong to the steps have codes of their own, so a tool learns which one it made.
//!
//! These are types and nothing else: no policy is asked, and how long a line may be is the business of
//! the one who reads it from the pipe. The side of the tool is in the client, which is a part of the
//! feature `sdk`: [`main`] makes a program of functions, and [`connect`] is for those who want to do it
//! by hand.

#[cfg(feature = "sdk")]
mod client;
mod code;
mod envelope;
mod id;
mod method;
mod notification;
mod path;

#[cfg(feature = "sdk")]
pub use self::client::{
    ConnectError, FilePart, HttpReply, MAX_MESSAGE, Ticket, Told, VfsError, VfsHost, connect, main,
    run, stateful, tool, try_connect,
};
pub use self::code::{ErrorCode, ErrorObject};
pub(crate) use self::envelope::reason;
pub use self::envelope::{
    InvalidMessage, JSONRPC, Notification, Refusal, Request, Response, ToHost, ToTool, write_line,
};
pub use self::id::Id;
pub use self::method::{
    Call, DirEntry, Done, Encoding, FileMatches, FsCreateDir, FsDelete, FsExists, FsExistsResult,
    FsGrep, FsGrepResult, FsListDir, FsListDirResult, FsMetadata, FsMetadataResult, FsRead,
    FsReadResult, FsRename, FsWrite, GrepLine, Header, HostCapabilities, HostCapabilitiesResult,
    HttpGet, HttpPost, HttpResult, InvalidResult, Kind, Limits, Method, Params, ProcessRun,
    ProcessRunResult,
};
pub use self::notification::{
    Answer, ApplyParams, CancelParams, HostNotification, Init, InitContext, InvalidNotification,
    PendingParams, ResultParams, ToolNotification,
};
pub use self::path::{InvalidPath, PathFault, ProjectPath};
pub use jp_json::{escape, unescape};

/// The version of the protocol, named in `init`. Methods are added with a minor version; taking one
/// away needs a major one.
pub const PROTOCOL_VERSION: &str = "0.1.0";
