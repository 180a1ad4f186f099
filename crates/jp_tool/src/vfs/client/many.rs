//! Asking for the next thing before the last one is there.
//!
//! Each answer costs a trip to the host and back; with many under way at once, they share it. How many
//! that are is no concern of the caller: what does not fit waits until it does.

use std::collections::VecDeque;
use std::io;
use std::marker::PhantomData;

use super::{VfsError, VfsHost, answer, files};
use crate::vfs::{FsRead, Id, Params, ProjectPath, write_line};

/// So many requests for files fit into the window.
const MANY: usize = 40;

/// A request whose answer nobody has asked for yet.
#[derive(Debug)]
#[must_use = "the answer comes with `wait`"]
pub struct Ticket<P> {
    id: i64,
    params: PhantomData<fn() -> P>,
}

impl<P> Ticket<P> {
    /// A ticket is good once.
    fn into_id(self) -> i64 {
        self.id
    }
}

impl VfsHost {
    /// Reads many files, as text. The answers are in the order of the paths; one that fails does not
    /// keep the others from being read.
    pub fn read_many(
        &self,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Vec<Result<String, VfsError>> {
        let paths: Vec<String> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let requests = paths.iter().map(|path| Ok(FsRead::new(ProjectPath::new(path)?)));
        self.pipeline(requests, |index, line| files::text(&paths[index], answer::read_file(line)?))
    }

    /// Asks for many things of one kind. The answers are in the order of the requests.
    pub fn call_all<P: Params>(
        &self,
        requests: impl IntoIterator<Item = P>,
    ) -> Vec<Result<P::Result, VfsError>> {
        self.pipeline(requests.into_iter().map(Ok), |_, line| answer::read::<P>(line))
    }

    /// Asks without waiting. It may not leave the tool before the next method that waits; where much
    /// is under way already, it waits for some of that.
    pub fn send<P: Params>(&self, params: &P) -> Result<Ticket<P>, VfsError> {
        let id = self.channel().send(write(params))?;
        Ok(Ticket { id, params: PhantomData })
    }

    /// Waits for the answer.
    pub fn wait<P: Params>(&self, ticket: Ticket<P>) -> Result<P::Result, VfsError> {
        self.channel().wait(ticket.into_id(), answer::read::<P>)
    }

    /// Gives up the answer, and tells the host, which need not do what was asked any more.
    pub fn forget<P>(&self, ticket: Ticket<P>) -> Result<(), VfsError> {
        self.channel().forget(ticket.into_id())
    }

    /// Keeps a number of requests under way and reads the answers in order, each as it comes: those
    /// of a host that answers in order are not copied on the way.
    fn pipeline<P: Params, T>(
        &self,
        requests: impl Iterator<Item = Result<P, VfsError>>,
        read: impl Fn(usize, &[u8]) -> Result<T, VfsError>,
    ) -> Vec<Result<T, VfsError>> {
        let mut done = Vec::new();
        let mut asked = VecDeque::new();
        let finish = |id: Result<i64, VfsError>, done: &mut Vec<_>| {
            let index = done.len();
            let result = id.and_then(|id| self.channel().wait(id, |line| read(index, line)));
            done.push(result);
        };
        for request in requests {
            if asked.len() >= MANY {
                asked.drain(..MANY / 2).for_each(|id| finish(id, &mut done));
            }
            asked.push_back(request.and_then(|request| self.channel().send(write(&request))));
        }
        for id in asked {
            finish(id, &mut done);
        }
        done
    }
}

/// Writes a request.
pub(super) fn write<P: Params>(
    params: &P,
) -> impl FnOnce(&Id, &mut Vec<u8>) -> io::Result<()> + '_ {
    move |id, out| Ok(write_line(&params.request(id), out)?)
}
