//! What a plugin says to the log of the host: its `log` messages, and every line of its stderr.
//!
//! None of it is to be trusted. A log is read in a terminal too, so what a terminal would act on is escaped, and so
//! is what would make a text look as if it were another.

use std::fmt::{self, Write as _};

use jp_plugin::{Level, Log};
use tokio::{io::AsyncReadExt as _, net::unix::pipe};

/// A line that is longer is more than one.
const LONGEST: usize = 8 << 10;

/// Passes a message on at its level.
pub(super) fn log(plugin: &str, log: &Log) {
    macro_rules! at {
        ($level:ident) => {
            if log.fields.is_empty() {
                tracing::event!(target: "plugin", tracing::Level::$level, plugin, "{}", Clean(&log.message))
            } else {
                let fields = serde_json::Value::Object(log.fields.clone()).to_string();
                tracing::event!(
                    target: "plugin",
                    tracing::Level::$level,
                    plugin,
                    fields = %Clean(&fields),
                    "{}",
                    Clean(&log.message)
                )
            }
        };
    }
    match log.level {
        Level::Error => at!(ERROR),
        Level::Warn => at!(WARN),
        Level::Info => at!(INFO),
        Level::Debug => at!(DEBUG),
        Level::Trace => at!(TRACE),
    }
}

/// Passes every line on, until there are no more.
pub(super) async fn stderr(plugin: &str, mut from: pipe::Receiver) {
    let mut buffer = Vec::with_capacity(LONGEST);
    loop {
        if !matches!(from.read_buf(&mut buffer).await, Ok(1..)) {
            if !buffer.is_empty() {
                line(plugin, &buffer);
            }
            return;
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &buffer) {
            line(plugin, &buffer[start..end]);
            start = end + 1;
        }
        buffer.drain(..start);
        if buffer.len() >= LONGEST {
            line(plugin, &buffer);
            buffer.clear();
        }
        // Nobody else would come to his turn while a plugin does nothing but write.
        tokio::task::yield_now().await;
    }
}

fn line(plugin: &str, line: &[u8]) {
    let text = String::from_utf8_lossy(line);
    tracing::trace!(target: "plugin", plugin, stderr = true, "{}", Clean(text.trim_end()));
}

/// A text without anything that a terminal would act on, every character of it in its place.
struct Clean<'a>(&'a str);

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '\t' => f.write_char(character),
            character if character.is_control() || reorders(character) => {
                write!(f, "{}", character.escape_default())
            }
            character => f.write_char(character),
        })
    }
}

/// Whether it changes the order in which others are shown. The printer takes these out of a text as well.
fn reorders(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        let check = |text: &str, clean: &str| assert_eq!(Clean(text).to_string(), clean);
        check("a\tb\u{1b}[2J\n\u{9b}c", "a\tb\\u{1b}[2J\\n\\u{9b}c");
        check("a\u{202a}\u{202e}b\u{2066}\u{2069}c", "a\\u{202a}\\u{202e}b\\u{2066}\\u{2069}c");
        // These belong to what people write.
        check("שלום 👩\u{200d}🔬 é", "שלום 👩\u{200d}🔬 é");
    }
}
