//! The proxy that this machine itself has to use, as the variables of jp name it.

use std::ffi::OsString;

use jp_proxy::{InvalidUpstream, Upstream};

/// Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Programs differ in how they spell them; where both
/// spellings are set most take the small letters.
pub(crate) fn of(variables: &[(OsString, OsString)]) -> Result<Upstream, InvalidUpstream> {
    let value = |names: [&str; 2]| {
        let named = |name| variables.iter().find(move |(known, _)| known == name);
        // What is no text is no address either, and is refused as such.
        names.into_iter().find_map(named).map(|(_, value)| value.to_string_lossy())
    };
    Upstream::new(
        value(["http_proxy", "HTTP_PROXY"]).as_deref(),
        value(["https_proxy", "HTTPS_PROXY"]).as_deref(),
        value(["no_proxy", "NO_PROXY"]).as_deref(),
    )
}
