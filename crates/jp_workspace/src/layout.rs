//! Which file is where below `.jp`. Nothing else in the program spells these names.
//!
//! ```text
//! .jp/
//!   config.toml                    settings of the workspace
//!   config.schema.json             what an editor completes them from
//!   id                             the id of the workspace
//!   conversations/<id>[-<words>]/
//!     metadata.json                title and times
//!     events.jsonl                 the events, one a line; also what is locked
//!     events.json                  the events of an older store, until the first write
//!   cache/                         can be deleted at any time; ignored by git
//!     conversations.log            what a listing shows, see `store::index`
//! ```

/// The directory that makes its parent a workspace.
pub const STORAGE: &str = ".jp";
pub const CONFIG: &str = "config.toml";
pub const CONFIG_SCHEMA: &str = "config.schema.json";
/// Settings for one directory of the workspace and everything below it.
pub const DIRECTORY_CONFIG: &str = ".jp.toml";

pub(crate) const ID: &str = "id";
pub(crate) const CONVERSATIONS: &str = "conversations";
pub(crate) const METADATA: &str = "metadata.json";
pub(crate) const EVENTS: &str = "events.jsonl";
pub(crate) const EVENTS_ARRAY: &str = "events.json";
pub(crate) const CACHE: &str = "cache";
pub(crate) const INDEX: &str = "conversations.log";
