//! One request, from the call to its answer.

use std::sync::Arc;

use jp_project::Until;
use jp_tool::vfs::{Call, ErrorObject, HostCapabilitiesResult, Id, Method, PROTOCOL_VERSION};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    approve::Wanted,
    fs,
    gate::{Gate, Held, Means},
    host::Host,
    http,
    limits::Limits,
    process, reply,
};

/// Why a request was not done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is refused, or it failed.
    Refused(ErrorObject),
    /// No rule covers it: a person can be asked.
    Ask(Box<Question>),
}

/// What a person can be asked.
#[derive(Debug)]
pub(crate) struct Question {
    /// What the request needs.
    pub(crate) wanted: Wanted,
    /// What the tool is told if nobody says yes.
    pub(crate) denial: String,
}

impl Stop {
    pub(crate) fn ask(wanted: Wanted, denial: String) -> Self {
        Self::Ask(Box::new(Question { wanted, denial }))
    }
}

impl From<ErrorObject> for Stop {
    fn from(error: ErrorObject) -> Self {
        Self::Refused(error)
    }
}

/// How a call is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// At once, by whoever read it.
    Quick,
    /// By a thread that may take its time.
    Slow,
    /// By waiting for something else.
    Waiting,
}

/// How a call is carried out, on files that answer quickly or do not.
pub(crate) fn manner(call: &Call, files_are_quick: bool) -> Manner {
    match call {
        Call::HostCapabilities(_) => Manner::Quick,
        Call::HttpGet(_) | Call::HttpPost(_) | Call::ProcessRun(_) => Manner::Waiting,
        _ if is_long_work(call) => Manner::Slow,
        _ if files_are_quick => Manner::Quick,
        _ => Manner::Slow,
    }
}

/// Whether a call goes through a whole tree.
pub(crate) fn is_long_work(call: &Call) -> bool {
    match call {
        Call::FsGrep(_) => true,
        Call::FsDelete(params) => params.recursive,
        _ => false,
    }
}

/// What work with files has to keep to.
pub(crate) struct Work<'a> {
    pub(crate) limits: &'a Limits,
    /// When a search is given up.
    pub(crate) until: Until,
    /// Told how much an answer tells before it is made, and may let it wait.
    pub(crate) room: &'a mut dyn FnMut(usize),
}

/// Does what only needs files, and adds the answer.
pub(crate) fn at_once(
    call: &Call,
    id: &Id,
    gate: &Gate,
    means: &Means,
    mut work: Work<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    let limits = work.limits;
    let answer = |out: &mut Vec<u8>| match call {
        Call::FsRead(params) => fs::read(means.files(params), id, &mut work, out),
        Call::FsWrite(params) => fs::write(means.files(params), id, limits, out),
        Call::FsExists(params) => fs::exists(means.files(params), id, out),
        Call::FsListDir(params) => fs::list_dir(means.files(params), id, limits, out),
        Call::FsMetadata(params) => fs::metadata(means.files(params), id, out),
        Call::FsDelete(params) => fs::delete(means.files(params), id, out),
        Call::FsRename(params) => fs::rename(means.files(params), id, out),
        Call::FsCreateDir(params) => fs::create_dir(means.files(params), id, out),
        Call::FsGrep(params) => fs::grep(means.files(params), id, work, out),
        Call::HostCapabilities(_) => {
            reply::success(id, &capabilities(limits), out);
            Ok(())
        }
        Call::HttpGet(_) | Call::HttpPost(_) | Call::ProcessRun(_) => {
            Err(fs::Failed::Other(fs::internal("this has to be waited for")))
        }
    };
    let answered = answer(out);
    // A copy that was made meanwhile may be without it.
    if changes_files(call) {
        gate.note_change();
    }
    answered.map_err(|failed| match failed {
        fs::Failed::Access(error) => means.refused(&error),
        fs::Failed::Other(error) => Stop::Refused(error),
    })
}

/// Does what has to be waited for, and gives the answer. What goes on when it is called off keeps the turn.
pub(crate) async fn waiting(
    call: &Call,
    id: &Id,
    gate: &Gate,
    means: &Means,
    host: &Host,
    course: &mut http::Course,
    (turn, long): (Option<Held>, &Arc<Semaphore>),
) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), Stop> {
    let (mut out, limits) = (Vec::new(), host.limits());
    let turn = match call {
        Call::HttpGet(_) | Call::HttpPost(_) => {
            let response = http::fetch(means.network(call), host, course).await?;
            let turn = reply::turn(long, response.body.len()).await;
            reply::success(id, &http::result(response, limits)?, &mut out);
            turn
        }
        Call::ProcessRun(params) => {
            process::check(params)?;
            let granted = means.command(params, host.approver())?;
            let ran = process::run(granted, gate, means, host, turn).await?;
            let turn = reply::turn(long, ran.stdout.len() + ran.stderr.len()).await;
            reply::success(id, &process::result(ran, limits)?, &mut out);
            turn
        }
        _ => {
            let work = Work { limits, until: Until::default(), room: &mut |_| {} };
            at_once(call, id, gate, means, work, &mut out)?;
            None
        }
    };
    Ok((out, turn))
}

/// Whether a call can change files.
pub(crate) fn changes_files(call: &Call) -> bool {
    matches!(call, Call::FsWrite(_) | Call::FsDelete(_) | Call::FsRename(_) | Call::FsCreateDir(_))
}

fn capabilities(limits: &Limits) -> HostCapabilitiesResult {
    HostCapabilitiesResult {
        protocol_version: PROTOCOL_VERSION.to_owned(),
        methods: Method::ALL.iter().map(|method| method.name().to_owned()).collect(),
        limits: limits.told(),
    }
}
