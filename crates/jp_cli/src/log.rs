//! What the program says about itself while it runs: on stderr as much as `-v` asks for, in
//! `--log-file` everything.

use std::{fs::File, sync::Mutex};

use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{self, format::FmtSpan},
    layer::{Layer as _, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::curtain;

/// Starts logging. `verbose` counts the `-v`.
pub(crate) fn start(verbose: u8, file: Option<File>) {
    // Most runs log nothing, and start faster for it.
    if verbose == 0 && file.is_none() {
        return;
    }
    let stderr = fmt::layer()
        .with_writer(curtain::stderr)
        .with_ansi(false)
        .without_time()
        .with_filter(without_secrets(level(verbose)));
    let file = file.map(|file| {
        fmt::layer()
            .with_writer(Mutex::new(file))
            .with_ansi(false)
            .with_span_events(FmtSpan::CLOSE)
            .with_filter(without_secrets(LevelFilter::TRACE))
    });
    tracing_subscriber::registry().with(stderr).with(file).init();
}

/// Everything up to a level, except for the parts of libraries that log what a login is made of.
fn without_secrets(level: LevelFilter) -> Targets {
    Targets::new().with_default(level).with_target("rmcp::transport::auth", LevelFilter::OFF)
}

/// Errors are printed, not logged; each `-v` adds a level.
fn level(verbose: u8) -> LevelFilter {
    match verbose {
        0 => LevelFilter::ERROR,
        1 => LevelFilter::WARN,
        2 => LevelFilter::INFO,
        3 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}
