//! The HTTP API through the real program: `jp serve http-api`, and clients that behave or do not.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod guarding;
mod lifecycle;
mod load;
mod reading;
mod schema;
mod support;
mod writing;
