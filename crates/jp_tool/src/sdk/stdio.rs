//! The streams of the process: the only place of the SDK that knows them.
//!
//! The danger is a stray `println!`, or a child that inherits stdout: its output would stand between
//! the lines of the answer. So the real stdout is moved away before the tool runs, and what is left
//! in its place is stderr.

use std::{
    io::{self, BufReader, BufWriter, IsTerminal, Read, Write},
    process::ExitCode,
};

use super::Exit;

/// Runs a program on its own streams, stdin and stdout. Whatever else is printed to stdout goes to
/// stderr instead (on Unix).
pub fn on_streams<F>(program: F) -> ExitCode
where
    F: FnOnce(
        BufReader<Box<dyn Read + Send>>,
        BufWriter<Box<dyn Write + Send>>,
    ) -> io::Result<Exit>,
{
    if io::stdin().is_terminal() {
        say("This is a tool: it reads one line of JSON. `jp tool check -- PROGRAM` tries it.");
    }
    let streams = own_stdin().and_then(|input| Ok((input, own_stdout()?)));
    let exit = streams.and_then(|(input, output)| {
        program(BufReader::new(Box::new(input)), BufWriter::new(Box::new(output)))
    });
    match exit {
        Ok(exit) => exit.into(),
        // Nobody listens any more, so there is nobody to tell.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("cannot talk to the host: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes to stderr; if that is closed too there is nothing left to do.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Stdin without the buffer in front of it.
#[cfg(unix)]
pub(crate) fn own_stdin() -> io::Result<impl Read + Send + 'static> {
    Ok(std::fs::File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the form of the other platforms")]
pub(crate) fn own_stdin() -> io::Result<impl Read + Send + 'static> {
    Ok(io::stdin())
}

/// Stdout, out of the reach of everybody else.
#[cfg(unix)]
pub(crate) fn own_stdout() -> io::Result<impl Write + Send + 'static> {
    // Not below 3: those are the numbers of the standard streams.
    let own = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(own))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the form of the other platforms")]
pub(crate) fn own_stdout() -> io::Result<impl Write + Send + 'static> {
    Ok(io::stdout())
}
