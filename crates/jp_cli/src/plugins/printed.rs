//! What a plugin prints, through the printer of the program.

use std::{io, sync::Arc};

use jp_plugin::{Channel, Format, Print};
use jp_plugin_host::Output;
use jp_printer::Printer;

/// The printer of the program, as a plugin sees it.
#[derive(Debug)]
pub(super) struct Printed(pub(super) Arc<Printer>);

impl Output for Printed {
    fn print(&self, print: &Print) -> io::Result<()> {
        let shown = jp_printer::Print::new(channel(print.channel), &print.text);
        self.0.print(
            shown.format(format(print.format)).language(print.language.as_deref()).untrusted(),
        )
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

fn channel(channel: Channel) -> jp_printer::Channel {
    match channel {
        Channel::Content => jp_printer::Channel::Content,
        Channel::Chrome => jp_printer::Channel::Chrome,
        Channel::ToolCall => jp_printer::Channel::ToolCall,
        Channel::ToolResult => jp_printer::Channel::ToolResult,
        Channel::Reasoning => jp_printer::Channel::Reasoning,
        Channel::Error => jp_printer::Channel::Error,
    }
}

fn format(format: Format) -> jp_printer::Format {
    match format {
        Format::Plain => jp_printer::Format::Plain,
        Format::Markdown => jp_printer::Format::Markdown,
        Format::Json => jp_printer::Format::Json,
        Format::Code => jp_printer::Format::Code,
    }
}
