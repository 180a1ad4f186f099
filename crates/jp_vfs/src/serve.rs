//! One request, from the call to its answer.

use jp_tool::vfs::{Call, ErrorObject, HostCapabilitiesResult, Id, Method, PROTOCOL_VERSION};

use crate::{
    approve::Wanted,
    fs,
    gate::{Gate, Means},
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
        Call::FsGrep(_) => Manner::Slow,
        Call::FsDelete(params) if params.recursive => Manner::Slow,
        _ if files_are_quick => Manner::Quick,
        _ => Manner::Slow,
    }
}

/// Does what only needs files, and adds the answer.
pub(crate) fn at_once(
    call: &Call,
    id: &Id,
    gate: &Gate,
    means: &Means,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    if changes_files(call) {
        gate.note_change();
    }
    let answer = |out: &mut Vec<u8>| match call {
        Call::FsRead(params) => fs::read(means.files(params), id, limits, out),
        Call::FsWrite(params) => fs::write(means.files(params), id, limits, out),
        Call::FsExists(params) => fs::exists(means.files(params), id, out),
        Call::FsListDir(params) => fs::list_dir(means.files(params), id, limits, out),
        Call::FsMetadata(params) => fs::metadata(means.files(params), id, out),
        Call::FsDelete(params) => fs::delete(means.files(params), id, out),
        Call::FsRename(params) => fs::rename(means.files(params), id, out),
        Call::FsCreateDir(params) => fs::create_dir(means.files(params), id, out),
        Call::FsGrep(params) => fs::grep(means.files(params), id, limits, out),
        Call::HostCapabilities(_) => {
            reply::success(id, &capabilities(limits), out);
            Ok(())
        }
        Call::HttpGet(_) | Call::HttpPost(_) | Call::ProcessRun(_) => {
            Err(fs::Failed::Other(fs::internal("this has to be waited for")))
        }
    };
    answer(out).map_err(|failed| match failed {
        fs::Failed::Access(error) => means.refused(&error),
        fs::Failed::Other(error) => Stop::Refused(error),
    })
}

/// Does what has to be waited for, and gives the answer.
pub(crate) async fn waiting(
    call: &Call,
    id: &Id,
    gate: &Gate,
    means: &Means,
    host: &Host,
    course: &mut http::Course,
) -> Result<Vec<u8>, Stop> {
    let mut out = Vec::new();
    match call {
        Call::HttpGet(_) | Call::HttpPost(_) => {
            let result = http::fetch(means.network(call), host, course).await?;
            reply::success(id, &result, &mut out);
        }
        Call::ProcessRun(params) => {
            process::check(params)?;
            let granted = means.command(params)?;
            let result = process::run(granted, gate, means, host).await?;
            reply::success(id, &result, &mut out);
        }
        _ => at_once(call, id, gate, means, host.limits(), &mut out)?,
    }
    Ok(out)
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
