//! Several conversations, into a directory with an index.
//!
//! A few are read and written side by side, so that memory holds a few and not all. One that cannot be
//! read is named at the end and keeps nobody else back; where nothing can be written, it ends. The workers
//! are not waited for when somebody wants an end: a long page can take longer than the host does.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use jp_plugin_sdk::{Channel, Failure, Format, Print, RequestError, Session, Summary};

use crate::{
    args::Form, conversation::Conversation, html, json, markdown, progress::Progress,
    target::file_name, write::Folder,
};

/// How many are worked on at the same time. The host reads at most 48 MiB of events at once.
const AT_ONCE: usize = 4;

/// How soon it is noticed that somebody wants an end.
const SOON: Duration = Duration::from_millis(50);

/// What programs say that were told to stop.
const STOPPED: u8 = 130;

/// A conversation that was written.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) summary: Summary,
    pub(crate) heading: String,
    pub(crate) turns: usize,
    pub(crate) file: String,
}

pub(crate) fn export(
    session: &Session,
    chosen: Vec<Summary>,
    form: Form,
    path: &Path,
    force: bool,
) -> Result<(), Failure> {
    let folder = Arc::new(Folder::begin(path, force)?);
    let work = Work { session: session.clone(), form, folder: Arc::clone(&folder) };
    let done = work.run(chosen).inspect_err(|_| folder.abandon())?;
    folder.add(&format!("index.{}", form.extension()), index(form, &done.entries).as_bytes())?;
    folder.finish()?;
    report(session, path, &done)
}

/// What every worker has.
#[derive(Clone)]
struct Work {
    session: Session,
    form: Form,
    folder: Arc<Folder>,
}

/// What came of all.
struct Done {
    entries: Vec<Entry>,
    /// Ids, and why.
    failed: Vec<(String, String)>,
}

/// What came of one: the failure ends everything, the text is about this conversation alone.
type One = Result<Result<Entry, (String, String)>, Failure>;

impl Work {
    fn run(&self, chosen: Vec<Summary>) -> Result<Done, Failure> {
        let number = chosen.len();
        let what = format!("Exporting {number} conversations");
        let mut progress = Progress::begin(&self.session, &what, number)?;
        let results = self.start(chosen);
        let (mut entries, mut failed) = (Vec::with_capacity(number), Vec::new());
        while entries.len() + failed.len() < number {
            match results.recv_timeout(SOON) {
                Ok((position, one)) => match one? {
                    Ok(entry) => entries.push((position, entry)),
                    Err(reason) => failed.push(reason),
                },
                Err(RecvTimeoutError::Timeout) if self.session.shutdown().is_none() => continue,
                Err(RecvTimeoutError::Timeout) => return Err(stopped(&progress, &self.session)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::new("a worker panicked"));
                }
            }
            progress.step(&self.session)?;
        }
        progress.end(&self.session)?;
        // They are done in any order.
        entries.sort_by_key(|(position, _)| *position);
        Ok(Done { entries: entries.into_iter().map(|(_, entry)| entry).collect(), failed })
    }

    /// Workers that take one after the other until nothing is left, or nobody wants to know.
    fn start(&self, chosen: Vec<Summary>) -> mpsc::Receiver<(usize, One)> {
        let workers = thread::available_parallelism().map_or(1, |cores| AT_ONCE.min(cores.get()));
        let left: VecDeque<_> = chosen.into_iter().enumerate().collect();
        let left = Arc::new(Mutex::new(left));
        // A result is small; what is large is in the file already.
        let (sender, results) = mpsc::channel();
        for _ in 0..workers {
            let (work, left, sender) = (self.clone(), Arc::clone(&left), sender.clone());
            thread::spawn(move || {
                while work.session.shutdown().is_none() {
                    let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((position, summary)) = next else { break };
                    if sender.send((position, work.one(&summary))).is_err() {
                        break;
                    }
                }
            });
        }
        results
    }

    fn one(&self, summary: &Summary) -> One {
        let conversation = match Conversation::read(&self.session, summary) {
            Ok(conversation) => conversation,
            Err(error @ RequestError::Refused { .. }) => {
                return Ok(Err((summary.id.clone(), error.to_string())));
            }
            // With the host gone nobody hears what else there is to say.
            Err(error) => return Err(error.into()),
        };
        let file = file_name(summary, self.form);
        self.folder.add(&file, conversation.to_text(self.form).as_bytes())?;
        let (heading, turns) = (conversation.heading(), conversation.exchanges());
        Ok(Ok(Entry { summary: conversation.summary, heading, turns, file }))
    }
}

fn stopped(progress: &Progress, session: &Session) -> Failure {
    // Where the line cannot be ended, nobody looks at it.
    let _ = progress.end(session);
    Failure::new("stopped before everything was exported").code(STOPPED)
}

fn index(form: Form, entries: &[Entry]) -> String {
    match form {
        Form::Html => html::index(entries),
        Form::Markdown => markdown::index(entries),
        Form::Json => json::index(entries),
    }
}

/// Says what was done. What could not be read is an error, although all others are there.
fn report(session: &Session, path: &Path, done: &Done) -> Result<(), Failure> {
    let written = conversations(done.entries.len());
    session.print_chrome(&format!("Wrote {written} to {}\n", path.display()))?;
    for (id, reason) in &done.failed {
        let text = format!("{id}: {reason}\n");
        let (channel, format) = (Channel::Error, Format::Plain);
        session.print_with(Print { channel, format, language: None, text })?;
    }
    match done.failed.len() {
        0 => Ok(()),
        number => Err(Failure::new(format!("{} could not be read", conversations(number)))),
    }
}

fn conversations(number: usize) -> String {
    format!("{number} conversation{}", if number == 1 { "" } else { "s" })
}
