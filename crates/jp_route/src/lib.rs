//! The way to a host: its addresses, or the proxy that this machine has to use.
//!
//! Two parts of jp go out to the network for a tool, the proxy of a confined process and the client
//! that fetches on behalf of a sealed one. Where a name leads, when the machine's own proxy is used,
//! and which rule would have allowed what was refused must have one answer for both.
//!
//! Nothing is dialed here and nothing is decided: that is for the ones who connect, with the policy
//! of `jp_tool`.

mod advice;
mod resolve;
mod upstream;

pub use self::{
    advice::{denies_address, rule_for_address, rule_for_host},
    resolve::{Resolve, Resolving, SystemResolver, literal, lookup},
    upstream::{InvalidUpstream, Upstream, Via},
};
