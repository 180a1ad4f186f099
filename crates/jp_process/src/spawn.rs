//! What to start, and where its streams lead.

use std::{io, os::fd::OwnedFd};

use jp_sandbox::confinement::{Confinement, Program};
use rustix::{
    fs::{Mode, OFlags},
    pipe::PipeFlags,
};
use tokio::net::unix::pipe;

use crate::image::Image;

/// Everything about a process that is to be started.
#[derive(Debug)]
pub struct Spawn {
    /// The program with its words, variables and directory.
    pub program: Program,
    /// How it is confined. Also a process that is not confined at all ends with everything it started.
    pub confinement: Confinement,
    /// The file that is executed, if it was looked at; see [`Spawn::executing`].
    pub(crate) image: Option<Image>,
    /// Where its input comes from.
    pub stdin: Input,
    /// Where its output goes.
    pub stdout: Output,
    /// Where its messages go.
    pub stderr: Output,
}

/// Where the input of a process comes from.
#[derive(Debug)]
pub enum Input {
    /// It has none.
    Null,
    /// From the child's `stdin`.
    Pipe,
    /// From this, which the process can use as the host can: a terminal, a file.
    Descriptor(OwnedFd),
}

/// Where the output of a process goes.
#[derive(Debug)]
pub enum Output {
    /// Nowhere.
    Null,
    /// To the child's `stdout` or `stderr`.
    Pipe,
    /// There, which the process can use as the host can: a terminal, a file.
    Descriptor(OwnedFd),
}

impl Spawn {
    /// A process without input and output.
    pub fn new(program: Program, confinement: Confinement) -> Self {
        let (stdin, stdout, stderr) = (Input::Null, Output::Null, Output::Null);
        Self { program, confinement, image: None, stdin, stdout, stderr }
    }

    /// The same process, of a file that was opened before and must not have been changed since.
    #[must_use]
    pub fn executing(mut self, image: Image) -> Self {
        image.path().clone_into(&mut self.program.path);
        self.program.file = Some(image.identity());
        Self { image: Some(image), ..self }
    }

    /// The same process with all three streams as pipes.
    #[must_use]
    pub fn piped(self) -> Self {
        Self { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Pipe, ..self }
    }
}

/// The ends that the process gets.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// The ends that stay here.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) stdin: Option<pipe::Sender>,
    pub(crate) stdout: Option<pipe::Receiver>,
    pub(crate) stderr: Option<pipe::Receiver>,
}

impl Streams {
    /// Both ends of each stream. Ours do not block; those of the process do, as programs expect.
    pub(crate) fn open(stdin: Input, stdout: Output, stderr: Output) -> io::Result<(Self, Ours)> {
        let (stdin, our_stdin) = input(stdin)?;
        let (stdout, our_stdout) = output(stdout)?;
        let (stderr, our_stderr) = output(stderr)?;
        let ours = Ours { stdin: our_stdin, stdout: our_stdout, stderr: our_stderr };
        Ok((Self { stdin, stdout, stderr }, ours))
    }
}

fn input(from: Input) -> io::Result<(OwnedFd, Option<pipe::Sender>)> {
    match from {
        Input::Null => Ok((null(OFlags::RDONLY)?, None)),
        Input::Descriptor(descriptor) => Ok((descriptor, None)),
        Input::Pipe => {
            let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
            Ok((theirs, Some(pipe::Sender::from_owned_fd(ours)?)))
        }
    }
}

fn output(to: Output) -> io::Result<(OwnedFd, Option<pipe::Receiver>)> {
    match to {
        Output::Null => Ok((null(OFlags::WRONLY)?, None)),
        Output::Descriptor(descriptor) => Ok((descriptor, None)),
        Output::Pipe => {
            let (ours, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
            Ok((theirs, Some(pipe::Receiver::from_owned_fd(ours)?)))
        }
    }
}

fn null(access: OFlags) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/dev/null", access | OFlags::CLOEXEC, Mode::empty())?)
}
