//! What was asked, what was decided and how long it took, for people who want to know exactly.
//!
//! Contents are never part of it, nor is what could be a secret: the query of a URL, headers, the
//! arguments of a program.

use std::{fmt, io, time::Duration};

use jiff::Timestamp;
use jp_tool::vfs::{Call, Id, ProjectPath, Request};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use url::Url;

/// Writes records down.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Writes one down. A session whose requests cannot be written down is ended.
    fn record(&self, record: &Record) -> io::Result<()>;
}

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// When it came.
    pub time: Timestamp,
    /// Which tool sent it.
    pub tool: String,
    /// Its id.
    pub id: Option<Id>,
    /// Its method, which need not exist; absent for a line that was no request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What was decided.
    pub decision: Decided,
    /// The rule that decided, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The code of the refusal, if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// How long its line was.
    pub bytes_in: u64,
    /// How long the answer was.
    pub bytes_out: u64,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// What was decided about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// The rules allow it.
    Allowed,
    /// The rules do not, or nobody could be asked.
    Denied,
    /// A person said no.
    AskedNo,
    /// A person said yes, once.
    AskedOnce,
    /// A person said yes, for the run.
    AskedRun,
    /// A person said yes, and it is a rule now.
    AskedKeep,
    /// There was nothing to decide, or nobody wanted it any more before a person had decided.
    None,
}

/// What a request wanted that could not be understood, as far as it can be made out. Nothing was done about it; but
/// whoever asks for `../../etc/passwd` should not be the one who is not written down.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) method: String,
    pub(crate) target: Option<String>,
    /// Whether it names a path that nobody may use, whatever the rules are.
    pub(crate) leads_out: bool,
}

impl Attempt {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Params {
            path: Names,
            from: Names,
            to: Names,
            paths: Names,
        }
        let params = request.params.map_or("{}", |params| params.get());
        let Params { path, from, to, paths } = serde_json::from_str(params).unwrap_or_default();
        let mut names = Names::default();
        for more in [path, from, to, paths] {
            names.add(more);
        }
        let Names { shown, leads_out } = names;
        let target = (!shown.is_empty()).then(|| shown.join(", "));
        Self { method: beginning(&request.method, MOST_SHOWN), target, leads_out }
    }
}

/// The texts in a value that should be a path or a list of some: the first of them, and whether one leads out. They
/// are looked at while the value is read, which may be a list of millions.
#[derive(Debug, Default)]
struct Names {
    shown: Vec<String>,
    leads_out: bool,
}

impl Names {
    fn add(&mut self, more: Self) {
        let room = MOST_NAMED - self.shown.len();
        self.shown.extend(more.shown.into_iter().take(room));
        self.leads_out |= more.leads_out;
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, path: &str) -> Result<Names, E> {
        let leads_out = ProjectPath::new(path).is_err();
        Ok(Names { shown: vec![beginning(path, MOST_SHOWN)], leads_out })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Names, A::Error> {
        let mut names = Names::default();
        while let Some(more) = seq.next_element()? {
            names.add(more);
        }
        Ok(names)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Names::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_unit<E>(self) -> Result<Names, E> {
        Ok(Names::default())
    }
}

/// So many paths are written down of a request that could not be understood, and so much of each.
const MOST_NAMED: usize = 20;
const MOST_SHOWN: usize = 200;

fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a call is about, without what could be a secret.
pub(crate) fn target(call: &Call) -> Option<String> {
    Some(match call {
        Call::HostCapabilities(_) => return None,
        Call::HttpGet(params) => without_secrets(&params.url),
        Call::HttpPost(params) => without_secrets(&params.url),
        Call::ProcessRun(params) => params.program.clone(),
        Call::FsRename(_) => paths(call).join(" → "),
        _ => paths(call).join(", "),
    })
}

/// The paths that a call is about, as it names them.
pub(crate) fn paths(call: &Call) -> Vec<&str> {
    match call {
        Call::FsRead(params) => vec![params.path.as_str()],
        Call::FsWrite(params) => vec![params.path.as_str()],
        Call::FsExists(params) => vec![params.path.as_str()],
        Call::FsListDir(params) => vec![params.path.as_str()],
        Call::FsMetadata(params) => vec![params.path.as_str()],
        Call::FsDelete(params) => vec![params.path.as_str()],
        Call::FsCreateDir(params) => vec![params.path.as_str()],
        Call::FsRename(params) => vec![params.from.as_str(), params.to.as_str()],
        Call::FsGrep(params) => match &params.paths {
            None => vec!["."],
            Some(paths) => paths.iter().map(AsRef::as_ref).collect(),
        },
        Call::HttpGet(_) | Call::HttpPost(_) | Call::ProcessRun(_) | Call::HostCapabilities(_) => {
            Vec::new()
        }
    }
}

/// A URL without its query, its fragment and who asks.
pub(crate) fn without_secrets(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "(not a URL)".to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // Only fails for URLs that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

pub(crate) fn micros(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}
