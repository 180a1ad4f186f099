//! The browser of the user.
//!
//! It is not one of the programs that jp starts for a tool: it belongs to the user, is not confined, and
//! stays when jp ends. What is opened was chosen by somebody else, but it is an address of the web, and it
//! is one word of a command and never read by a shell.
#![expect(clippy::disallowed_methods, reason = "a browser stays when jp ends")]

use std::{
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
};

use jp_mcp::{BoxFuture, oauth::Browser};
use jp_printer::Print;

use crate::ctx::{self, Ctx};

/// What opens a page where `BROWSER` does not say it.
const USUAL: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Shows a person where to go, and opens it for them.
pub(super) struct Opener<'a> {
    ctx: &'a Ctx,
    server: &'a str,
    opens: bool,
}

impl<'a> Opener<'a> {
    pub(super) fn new(ctx: &'a Ctx, server: &'a str, opens: bool) -> Self {
        Self { ctx, server, opens }
    }

    fn tell(&self, url: &str) {
        let text = format!("Open this page to log in to {}:\n\n{url}\n\n", self.server);
        if let Err(error) = self.ctx.printer().print(Print::chrome(&text).untrusted()) {
            tracing::warn!(%error, "the address of the login was not shown");
        }
        if self.opens && !open(&ctx::variable("BROWSER"), url) {
            tracing::info!("no browser was found");
        }
    }
}

impl Browser for Opener<'_> {
    fn show<'a>(&'a self, url: &'a url::Url) -> BoxFuture<'a, ()> {
        self.tell(url.as_str());
        Box::pin(async {})
    }
}

/// Opens a page; whether a program for that was found.
fn open(chosen: &str, url: &str) -> bool {
    let chosen = chosen.split(':').filter_map(|line| shell_words::split(line).ok());
    let usual = std::iter::once(vec![USUAL.to_owned()]);
    chosen.filter(|words| !words.is_empty()).chain(usual).any(|words| start(words, url))
}

fn start(words: Vec<String>, url: &str) -> bool {
    let has_place = words.iter().any(|word| word.contains("%s"));
    let mut words = words.into_iter().map(|word| word.replace("%s", url));
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).args((!has_place).then_some(url));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_browser_that_is_there_gets_the_address_as_one_word() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("seen");
        let script = directory.path().join("browser");
        let text = format!(
            "#!/bin/sh\nprintf '%s' \"$#$1\" > {0}.new && mv {0}.new {0}\n",
            file.display()
        );
        std::fs::write(&script, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        let chosen = format!("/no/such/browser:{} %s", script.display());
        assert!(open(&chosen, "https://a.org/?x=$(id)&y='; echo"));
        for _ in 0..200 {
            if let Ok(seen) = std::fs::read_to_string(&file) {
                assert_eq!(seen, "1https://a.org/?x=$(id)&y='; echo");
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the browser was not started");
    }
}
