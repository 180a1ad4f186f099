//! Asking a program which tools are in it.
//!
//! A program is asked at most once in a run of jp, and after that not before it has changed: answers are
//! kept on disk together with what the program looked like. It is asked under the rules of the tool that
//! wants to know, with everything it writes thrown away, and it has two seconds.

pub(crate) mod cache;
mod sealed;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, PoisonError},
    time::Duration,
};

use jp_process::{Bounds, Captured, Finished, Stopped};
use jp_tool::{Action, SchemaResponse};
use thiserror::Error;
use tokio::sync::{Mutex, OnceCell, Semaphore};

use self::cache::{Cache, Fingerprint};
use super::{
    local::{LocalProgram, StartError},
    outcome::shortened,
};

/// How long a program may take to describe itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much a description may be.
const MOST: usize = 1024 * 1024;

/// How many are asked at the same time. More would not be faster, and the time of each would run while
/// it waits for the others.
const SIDE_BY_SIDE: usize = 8;

/// Asks programs, and remembers what they said.
#[derive(Debug)]
pub(crate) struct SchemaQueries {
    cache: Option<Cache>,
    /// One cell for each way a program is asked: whoever wants the same answer waits for it.
    asked: Mutex<HashMap<String, Arc<OnceCell<Answer>>>>,
    turns: Semaphore,
    /// What has to be said about how programs were confined while they were asked.
    warnings: std::sync::Mutex<BTreeSet<String>>,
}

type Answer = Result<Arc<SchemaResponse>, Arc<DescribeError>>;

/// Why a program did not describe itself.
#[derive(Debug, Error)]
pub enum DescribeError {
    /// It did not even start.
    #[error("the program could not be started")]
    Start(#[from] StartError),
    /// Nobody knows what became of it.
    #[error("the program could not be watched")]
    Watch(#[source] jp_confine::ConfineError),
    /// It did not answer in time.
    #[error("the program did not describe itself within {} seconds", PATIENCE.as_secs())]
    Time {
        /// What it printed.
        printed: String,
    },
    /// It failed.
    #[error("asked to describe itself, the program {exit}")]
    Exit {
        /// How.
        exit: String,
        /// What it printed.
        printed: String,
    },
    /// It said something else than a description.
    #[error("asked to describe itself, the tool {what}")]
    Said {
        /// What it did instead.
        what: String,
        /// What it printed.
        printed: String,
    },
    /// It printed too much.
    #[error("asked to describe itself, the program printed more than {MOST} bytes")]
    TooMuch,
    /// It printed something else.
    #[error("asked to describe itself, the program printed something else")]
    Other {
        /// What it printed.
        printed: String,
        /// Why it is none.
        #[source]
        source: jp_tool::InvalidSchema,
    },
}

impl DescribeError {
    /// What the program printed, for people to see.
    pub fn printed(&self) -> Option<&str> {
        match self {
            Self::Time { printed }
            | Self::Exit { printed, .. }
            | Self::Said { printed, .. }
            | Self::Other { printed, .. } => {
                Some(printed).filter(|text| !text.is_empty()).map(String::as_str)
            }
            Self::Start(_) | Self::Watch(_) | Self::TooMuch => None,
        }
    }
}

impl SchemaQueries {
    /// Keeps answers in this directory, if there is one.
    pub(crate) fn new(cache: Option<Cache>) -> Self {
        let (asked, warnings) = Default::default();
        Self { cache, asked, turns: Semaphore::new(SIDE_BY_SIDE), warnings }
    }

    /// What has to be said about how programs were confined since this was last asked for.
    pub(crate) fn warnings(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools of a program, as it describes them to this tool.
    pub(crate) async fn describe(&self, program: &LocalProgram, tool: &str) -> Answer {
        let question = Question::new(program, tool).map_err(|error| Arc::new(error.into()))?;
        let cell = self.asked.lock().await.entry(question.key.clone()).or_default().clone();
        cell.get_or_init(|| self.ask(program, &question)).await.clone()
    }

    async fn ask(&self, program: &LocalProgram, question: &Question) -> Answer {
        let fingerprint = question.fingerprint();
        let kept = self.cache.as_ref().zip(fingerprint.as_ref());
        if let Some((cache, fingerprint)) = kept
            && let Some(answer) = cache.get(&question.key, fingerprint)
        {
            return Ok(Arc::new(answer));
        }
        // The semaphore is never closed.
        let turn = self.turns.acquire().await;
        let answer = self.ask_program(program, question).await.map_err(Arc::new)?;
        drop(turn);
        // A program that was replaced while it was asked may have given the answer of the old one.
        if let Some((cache, fingerprint)) = kept
            && question.fingerprint().as_ref() == Some(fingerprint)
        {
            let (cache, fingerprint) = (cache.clone(), fingerprint.clone());
            let (key, kept) = (question.key.clone(), answer.clone());
            // The program is read for that, which must not keep others from being asked.
            let put = move || cache.put(&key, &fingerprint, &kept);
            let _ = tokio::task::spawn_blocking(put).await;
        }
        Ok(Arc::new(answer))
    }

    /// Adds to what has to be said.
    pub(crate) fn warn(&self, warnings: Vec<String>) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings);
    }

    async fn ask_program(
        &self,
        program: &LocalProgram,
        question: &Question,
    ) -> Result<SchemaResponse, DescribeError> {
        if program.is_sealed {
            let (answer, warnings) = sealed::ask(program, &question.invocation).await?;
            self.warn(warnings);
            return Ok(answer);
        }
        let (running, warnings) = program.start(&question.invocation, true).await?;
        self.warn(warnings);
        let mut input = serde_json::to_vec(&question.invocation).unwrap_or_default();
        input.push(b'\n');
        let bounds = Bounds { output: MOST, time: Some(PATIENCE), ..Bounds::default() };
        let ended = running.finish(input, bounds, std::future::pending()).await;
        // What it wrote is dropped with what is left to settle.
        let (finished, _) = ended.map_err(DescribeError::Watch)?;
        read(&finished)
    }
}

/// One way to ask a program.
#[derive(Debug)]
struct Question {
    invocation: jp_tool::Invocation,
    /// Everything the answer can depend on, beside the files of the program.
    key: String,
    /// The program, and what its command line names.
    files: Vec<camino::Utf8PathBuf>,
}

impl Question {
    fn new(program: &LocalProgram, tool: &str) -> Result<Self, StartError> {
        let invocation = program.without_a_call(tool, Action::Schema);
        let found = program.find(&invocation)?;
        let access = &invocation.context.access;
        // The name is left out where the command line does not show it: then one answer is for all
        // tools of the program that have the same rules and options.
        let (root, options) = (&program.place.root, &program.options);
        let key = serde_json::json!([&found.path, &found.words, root, access, options]);
        // A script is named by a word of the command line, or inside of what a shell is given.
        let words = found.words.iter().skip(1).map(String::as_str);
        let named = words.chain(program.template.literal_words());
        let named = named.map(|word| program.place.root.join(word));
        let files = std::iter::once(found.canonical).chain(named).collect();
        Ok(Self { invocation, key: key.to_string(), files })
    }

    fn fingerprint(&self) -> Option<Fingerprint> {
        Fingerprint::of(&self.files)
    }
}

fn read(finished: &Finished) -> Result<SchemaResponse, DescribeError> {
    let printed = || printed([("stdout", &finished.stdout), ("stderr", &finished.stderr)]);
    if finished.stopped == Some(Stopped::Time) {
        return Err(DescribeError::Time { printed: printed() });
    }
    if finished.stdout.truncated || finished.stderr.truncated {
        return Err(DescribeError::TooMuch);
    }
    if !finished.exit.is_success() {
        let exit = finished.exit.to_string();
        return Err(DescribeError::Exit { exit, printed: printed() });
    }
    let text = String::from_utf8_lossy(&finished.stdout.bytes);
    SchemaResponse::parse(text.trim())
        .map_err(|source| DescribeError::Other { printed: printed(), source })
}

fn printed(streams: [(&str, &Captured); 2]) -> String {
    let mut parts = Vec::new();
    for (name, captured) in streams {
        let text = String::from_utf8_lossy(&captured.bytes);
        if !text.trim().is_empty() {
            parts.push(format!("{name}: {}", shortened(text.trim())));
        }
    }
    parts.join("\n")
}
