//! Real downloads from this machine into real directories.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod install;
mod refresh;

use std::time::Duration;

use camino::Utf8PathBuf;
use jp_fetch::{FetchSettings, Fetcher};
use jp_plugin_registry::{Fetch, Home};
use jp_test::Https;
use tempfile::TempDir;

/// A home of the test's own.
fn home() -> (TempDir, Home) {
    let dir = TempDir::new().unwrap();
    let data = Utf8PathBuf::try_from(dir.path().join("data/jp")).unwrap();
    (dir, Home::new(data))
}

/// Trusts a server, and does not wait for long.
fn fetch(server: Option<&Https>) -> Fetch {
    let settings =
        FetchSettings { ca_file: server.map(Https::ca_file), ..FetchSettings::default() };
    Fetch::new(Fetcher::new(settings)).idle(Duration::from_millis(500))
}
