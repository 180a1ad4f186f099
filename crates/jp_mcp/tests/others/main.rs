//! The client against servers that other people wrote, over pipes and over HTTP, in the era each speaks.
//!
//! What the protocol says and what servers do are two things. `jp_test::mcp` says which servers these are
//! and how they get here.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

mod content;
mod everything;
mod files;
mod modern;
mod support;
mod trouble;
