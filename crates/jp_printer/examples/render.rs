//! Renders Markdown in colour, to look at: `cargo run -p jp_printer --example render -- FILE`.
//!
//! Without a file it reads standard input. More arguments: a width (80), a theme (`ansi`), and
//! `plain` in place of the theme to see it without colour.

#![expect(clippy::disallowed_methods, reason = "an example has no workspace to open its file")]

use std::{error::Error, io};

use jp_printer::{ColorDepth, Format, Print, Printer, Settings, StreamSettings, Theme};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = match arguments.next().as_deref() {
        None | Some("-") => io::read_to_string(io::stdin())?,
        Some(path) => std::fs::read_to_string(path)?,
    };
    let width = arguments.next().map_or(Ok(80), |width| width.parse())?;
    let theme = arguments.next().unwrap_or_else(|| "ansi".to_owned());
    let plain = theme == "plain";
    let settings = Settings {
        stdout: StreamSettings {
            color: (!plain).then_some(ColorDepth::TrueColor),
            width: Some(width),
        },
        theme: if plain { Theme::default() } else { theme.parse()? },
        ..Settings::default()
    };
    let printer = Printer::new(settings, io::stdout(), io::stderr());
    printer.print(Print::content(&text).format(Format::Markdown).untrusted())?;
    Ok(printer.flush()?)
}
