//! The program itself, over its streams: line by line in both eras of MCP, and with the client of rmcp.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "tests may fail")]

mod serve {
    mod documents;
    mod envelope;
    mod native;
    mod program;
}
