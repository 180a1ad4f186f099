//! What a tool is served with in a test: files, rules, somebody who is asked, somebody who writes down.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_fetch::{FetchSettings, Fetcher};
use jp_project::{
    FsProjectFiles, MemoryProjectFiles, NullProjectFiles, Part, ProjectFiles, ProjectPath, Rules,
    WriteMode,
};
use jp_tool::{
    access::{
        AccessPolicy, Capability, CommandRule, FsRule, SensitiveGate, SensitivePaths, path::Root,
    },
    vfs::{Init, PROTOCOL_VERSION},
};
use jp_vfs::{
    Approval, Approver, Ask, BoxFuture, Host, HostParts, Limits, Nobody, Pipes, Record, Recorder,
    Session, ToolAccess, Wanted,
    gate::{Changes, Gate},
    process::Programs,
};
use serde_json::json;
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::mpsc};

use crate::{
    far::{AtWork, Far},
    tool::{LIMIT, Tool},
};

/// Everything that is not the tool. What is said about it holds for tools that are started afterwards.
pub(crate) struct World {
    dir: TempDir,
    project: Arc<dyn ProjectFiles>,
    policy: Option<AccessPolicy>,
    sensitive: Option<Arc<SensitiveGate>>,
    approver: Arc<dyn Approver>,
    recorder: Option<Arc<dyn Recorder>>,
    pub(crate) limits: Limits,
    /// Whether tools may say where they stand and then be silent.
    pub(crate) stays_alive: bool,
    access: Mutex<Option<Arc<ToolAccess>>>,
    programs: Option<Arc<dyn Programs>>,
    changes: Changes,
    /// The gate of the last tool.
    gate: Mutex<Option<Arc<Gate>>>,
    runtime: Arc<Runtime>,
}

impl World {
    /// An empty project on a disk, in which everything is allowed.
    pub(crate) fn on_disk() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap().join("project");
        let project = FsProjectFiles::new(Root::open(&root).unwrap(), Rules::default());
        Self::new(dir, Arc::new(project))
    }

    /// The same without a disk.
    pub(crate) fn in_memory() -> Self {
        Self::new(tempfile::tempdir().unwrap(), Arc::new(MemoryProjectFiles::new()))
    }

    /// Files that are far away, where what takes long goes on until somebody lets it end.
    pub(crate) fn far_away() -> (Self, Arc<AtWork>) {
        let far = Far::new(Arc::new(MemoryProjectFiles::new()));
        let at_work = far.at_work();
        (Self::new(tempfile::tempdir().unwrap(), Arc::new(far)), at_work)
    }

    /// A place where there are no files at all.
    pub(crate) fn without_files() -> Self {
        Self::new(tempfile::tempdir().unwrap(), Arc::new(NullProjectFiles))
    }

    fn new(dir: TempDir, project: Arc<dyn ProjectFiles>) -> Self {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let (access, limits, stays_alive) = (Mutex::default(), Limits::default(), true);
        let runtime = Arc::new(runtime.worker_threads(2).enable_all().build().unwrap());
        let (sensitive, approver, recorder) = (None, Arc::new(Nobody), None);
        let world = Self {
            dir,
            project,
            policy: None,
            sensitive,
            approver,
            recorder,
            limits,
            stays_alive,
            access,
            programs: None,
            changes: Changes::default(),
            gate: Mutex::default(),
            runtime,
        };
        world.rules(".=rcud")
    }

    /// Gives the tool rules for files: a path, `=`, and the first letters of what is granted.
    pub(crate) fn rules(mut self, rules: &str) -> Self {
        let capability =
            |letter: char| Capability::ALL.into_iter().find(|one| one.as_str().starts_with(letter));
        let rules = rules.split_whitespace().filter_map(|rule| rule.split_once('='));
        let rules = rules.map(|(path, to)| FsRule::new(path, to.chars().filter_map(capability)));
        let policy = self.policy.get_or_insert_default();
        policy.fs = rules.collect::<Vec<_>>().into();
        self
    }

    /// Gives the tool these rules, as they are written.
    pub(crate) fn policy(mut self, policy: serde_json::Value) -> Self {
        self.policy = Some(serde_json::from_value(policy).unwrap());
        self
    }

    /// Leaves the tool without rules.
    pub(crate) fn no_rules(mut self) -> Self {
        self.policy = None;
        self
    }

    /// Has a second look at sensitive paths, these among them.
    pub(crate) fn sensitive(mut self, more: &[&str]) -> Self {
        let paths =
            more.iter().fold(SensitivePaths::builtin(), |paths, one| paths.with(one).unwrap());
        self.sensitive = Some(Arc::new(SensitiveGate::new(paths, self.root(), None)));
        self
    }

    /// Somebody who is asked, and answers when the test says so.
    pub(crate) fn person(&mut self) -> Arc<Person> {
        let person = Arc::new(Person::new());
        self.approver = person.clone();
        person
    }

    /// Keeps what is written down.
    pub(crate) fn recorded(&mut self) -> Arc<Records> {
        let records = Arc::new(Records::default());
        self.recorder = Some(records.clone());
        records
    }

    /// Runs these programs, all of which the tool may start.
    pub(crate) fn programs(mut self, programs: impl Programs + 'static, names: &[&str]) -> Self {
        let rules = names.iter().map(|name| ((*name).to_owned(), CommandRule::default()));
        self.policy.get_or_insert_default().commands = Some(rules.collect());
        self.programs = Some(Arc::new(programs));
        self
    }

    /// Starts to serve a tool, whose first line has been read.
    pub(crate) fn start(&self) -> Tool {
        let mut tool = self.start_unread(init());
        assert_eq!(tool.line()["method"], "init");
        tool
    }

    /// Starts to serve a tool that has not read anything yet.
    pub(crate) fn start_unread(&self, init: Init) -> Tool {
        let (input, to_tool) = rustix::pipe::pipe().unwrap();
        let (from_tool, output) = rustix::pipe::pipe().unwrap();
        let session = self.session(Pipes { to_tool, from_tool }, init);
        Tool::new(input, output, session.unwrap(), self.runtime.clone())
    }

    fn session(&self, pipes: Pipes, init: Init) -> io::Result<Session> {
        let host = Host::new(HostParts {
            // It reads and opens nothing before it is used.
            network: Some(Arc::new(Fetcher::new(FetchSettings::default()))),
            programs: self.programs.clone(),
            approver: self.approver.clone(),
            recorder: self.recorder.clone(),
            limits: self.limits,
            variables: Vec::new(),
        });
        // What a person said is kept for all calls of the tool.
        let access = self
            .access
            .lock()
            .unwrap()
            .get_or_insert_with(|| {
                let key = "conversation.tools.t";
                Arc::new(ToolAccess::new("t", key, self.policy.clone(), self.sensitive.clone()))
            })
            .clone();
        let scratch = Utf8PathBuf::from_path_buf(self.dir.path().to_owned()).unwrap();
        let gate = Gate::new(access, self.project.clone(), scratch).sharing(self.changes.clone());
        let gate = Arc::new(gate);
        *self.gate.lock().unwrap() = Some(gate.clone());
        let _inside = self.runtime.enter();
        Session::start(pipes, init, gate, Arc::new(host), self.stays_alive)
    }

    /// Makes a copy ahead for the last tool.
    pub(crate) fn prepare(&self) {
        let gate = self.gate.lock().unwrap().clone().unwrap();
        self.runtime.block_on(gate.prepare());
    }

    /// Waits for what is left of the programs of the last tool; whether there is nothing more in time.
    pub(crate) fn settles_within(&self, time: Duration) -> bool {
        let gate = self.gate.lock().unwrap().clone().unwrap();
        let settled = async { tokio::time::timeout(time, gate.settled()).await.is_ok() };
        self.runtime.block_on(settled)
    }

    /// How many copies of the project there are.
    pub(crate) fn copies(&self) -> usize {
        let entries = std::fs::read_dir(self.dir.path()).unwrap().flatten();
        entries.filter(|entry| entry.file_name() != "project").count()
    }

    /// The directory of a project on a disk.
    pub(crate) fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.dir.path()).unwrap().join("project")
    }

    /// A place beside the project.
    pub(crate) fn outside(&self, name: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.dir.path()).unwrap().join(name)
    }

    /// Makes a file, whatever the rules are.
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = ProjectPath::new(path).unwrap();
        self.project.write(&path, content.as_ref(), WriteMode::Replace).unwrap();
    }

    /// What is in a file, whatever the rules are; `None` if there is none.
    pub(crate) fn get(&self, path: &str) -> Option<Vec<u8>> {
        let path = ProjectPath::new(path).unwrap();
        self.project.read(&path, Part::whole(u64::MAX)).ok().map(|content| content.bytes)
    }

    /// The same, of a file that is text.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.get(path).unwrap_or_else(|| panic!("{path} is not there"))).unwrap()
    }

    /// Whether there is something, whatever the rules are.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.project.exists(&ProjectPath::new(path).unwrap()).unwrap()
    }
}

/// A call without anything special.
pub(crate) fn init() -> Init {
    let tool = json!({"name": "t", "arguments": {}, "answers": {}, "options": {}});
    let init = json!({"tool": tool, "protocol_version": PROTOCOL_VERSION});
    serde_json::from_value(init).unwrap()
}

/// A person who answers what a test tells it to.
#[derive(Debug)]
pub(crate) struct Person {
    asked: Mutex<Vec<Wanted>>,
    answer: mpsc::UnboundedSender<Approval>,
    answers: tokio::sync::Mutex<mpsc::UnboundedReceiver<Approval>>,
    is_away: AtomicBool,
    /// The most that they can be shown, in bytes.
    most_shown: AtomicUsize,
}

impl Person {
    fn new() -> Self {
        let (answer, answers) = mpsc::unbounded_channel();
        let (asked, is_away) = (Mutex::default(), AtomicBool::new(false));
        let most_shown = AtomicUsize::new(usize::MAX);
        Self { asked, answer, answers: answers.into(), is_away, most_shown }
    }

    /// Answers the question that is there, or else the next one.
    pub(crate) fn says(&self, approval: Approval) {
        self.answer.send(approval).unwrap();
    }

    /// Is not there any more.
    pub(crate) fn leaves(&self) {
        self.is_away.store(true, Ordering::SeqCst);
    }

    /// Can be shown no more than this.
    pub(crate) fn sees_at_most(&self, bytes: usize) {
        self.most_shown.store(bytes, Ordering::SeqCst);
    }

    /// What was asked until now.
    pub(crate) fn asked(&self) -> Vec<Wanted> {
        self.asked.lock().unwrap().clone()
    }

    /// The same as text.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.asked().iter().map(ToString::to_string).collect()
    }

    /// Waits until so many questions were asked.
    pub(crate) fn until_asked(&self, count: usize) {
        let deadline = Instant::now() + LIMIT;
        while self.asked().len() < count {
            assert!(Instant::now() < deadline, "asked only {:?}", self.heard());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until no question is open. One that was taken back is so a moment after its answer was sent.
    pub(crate) fn until_left_alone(&self) {
        let deadline = Instant::now() + LIMIT;
        while self.answers.try_lock().is_err() {
            assert!(Instant::now() < deadline, "still asked {:?}", self.heard());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Approver for Person {
    fn can_ask(&self) -> bool {
        !self.is_away.load(Ordering::SeqCst)
    }

    fn can_show(&self, wanted: &Wanted) -> bool {
        wanted.to_string().len() <= self.most_shown.load(Ordering::SeqCst)
    }

    fn ask<'a>(&'a self, question: &'a Ask) -> BoxFuture<'a, Approval> {
        assert_eq!((question.tool.as_str(), question.key.as_str()), ("t", "conversation.tools.t"));
        Box::pin(async {
            self.asked.lock().unwrap().push(question.what.clone());
            self.answers.lock().await.recv().await.unwrap()
        })
    }
}

/// What was written down.
#[derive(Debug, Default)]
pub(crate) struct Records {
    all: Mutex<Vec<Record>>,
    is_full: AtomicBool,
}

impl Records {
    pub(crate) fn all(&self) -> Vec<Record> {
        self.all.lock().unwrap().clone()
    }

    /// Takes nothing more.
    pub(crate) fn fill(&self) {
        self.is_full.store(true, Ordering::SeqCst);
    }
}

impl Recorder for Records {
    fn record(&self, record: &Record) -> io::Result<()> {
        if self.is_full.load(Ordering::SeqCst) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.all.lock().unwrap().push(record.clone());
        Ok(())
    }
}
