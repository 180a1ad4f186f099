//! The registry as it was when it was last fetched.
//!
//! Finding a plugin never goes to the network. Where there is no such file, or none that can be understood,
//! there are no plugins in the registry, and the search goes on.
#![expect(
    clippy::disallowed_methods,
    reason = "plugins, and what is kept about them, lie outside of workspaces"
)]

use std::{
    fs,
    io::{self, Read as _},
};

use camino::Utf8Path;
use jp_plugin::registry::{self, Registry};

/// The largest file that is read, in bytes.
const MOST: u64 = 16 << 20;

/// What is in the file of the registry.
pub fn cached(file: &Utf8Path) -> Registry {
    let text = match read(file) {
        Ok(text) => text,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(%error, %file, "the registry cannot be read");
            }
            return Registry::default();
        }
    };
    registry::parse(&text).unwrap_or_else(|error| {
        tracing::warn!(%error, %file, "the registry cannot be used");
        Registry::default()
    })
}

fn read(file: &Utf8Path) -> io::Result<String> {
    let opened = fs::File::open(file)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    opened.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}
