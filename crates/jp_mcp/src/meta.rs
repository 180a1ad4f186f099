//! The keys of `_meta` that are ours, and what happens to `_meta` on its way out.
//!
//! `_meta` belongs to several owners. The protocol keeps its version, the capabilities of the client and a
//! token for progress there; jp puts the context of the call beside them, as the caller made it. What is
//! not needed is left out: a server of the older era sees no `_meta` at all in a call that has neither a
//! context of jp nor anybody who wants to see progress.

/// The call as jp sees it: name, arguments, answers, options.
pub const TOOL: &str = "computer.jp/tool";

/// Where the call is made: action, root.
pub const CONTEXT: &str = "computer.jp/context";

/// The extension that we offer, and the mark on results that are envelopes.
pub const OUTCOME: &str = "computer.jp/outcome";
