//! A workspace, and calls of tools in it, both ways.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    os::unix::fs::PermissionsExt,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_test::TestEnv;
use serde_json::{Map, Value, json};

#[cfg(target_os = "linux")]
use crate::host;

/// A workspace of its own.
pub(crate) struct World {
    env: TestEnv,
}

impl World {
    /// A workspace with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { env: TestEnv::new(env!("CARGO_BIN_EXE_jp-tools")) };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn root(&self) -> &Utf8Path {
        self.env.project()
    }

    pub(crate) fn path(&self, path: &str) -> Utf8PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        self.env.write(path, text);
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// A call of a tool.
    pub(crate) fn tool(&self, name: &str) -> Call<'_> {
        Call {
            world: self,
            name: name.to_owned(),
            action: "run",
            access: Value::Null,
            answers: Map::new(),
            is_twice: true,
        }
    }

    /// Runs a program in the workspace, for what is not done by tools.
    pub(crate) fn command(&self, program: &str, args: &[&str]) {
        self.env.command(program, args).run().success();
    }

    /// Sends these bytes, and returns what came back.
    pub(crate) fn send(&self, stdin: impl Into<Vec<u8>>) -> Answer {
        let output = self.env.jp([] as [&str; 0]).stdin(stdin).timeout(MAX_TIME).run();
        let lines: Vec<&str> = output.stdout().lines().collect();
        let [line] = lines.as_slice() else { panic!("not one line: {output}") };
        assert_eq!(output.signal(), None, "{output}");
        let value = serde_json::from_str(line).unwrap();
        Answer { value, code: output.exit_code() }
    }

    /// Everything below the root: kind, mode and content of each.
    pub(crate) fn everything(&self) -> BTreeMap<Utf8PathBuf, String> {
        everything(self.root())
    }

    /// Copies everything, links and what else there is, to a place of its own.
    fn copy(&self) -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        let root = root.join("project");
        self.env.command("cp", ["-a", self.root().as_str(), root.as_str()]).run().success();
        (dir, root)
    }
}

/// Everything below a directory: kind, mode and content of each.
fn everything(root: &Utf8Path) -> BTreeMap<Utf8PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in dir.read_dir_utf8().unwrap().map(Result::unwrap) {
            let path = entry.path().to_owned();
            let data = entry.path().symlink_metadata().unwrap();
            let mode = data.permissions().mode();
            let what = if data.is_dir() {
                dirs.push(path.clone());
                String::new()
            } else if data.is_file() {
                content(&path, data.len())
            } else {
                format!("{:?}", path.read_link_utf8())
            };
            let path = path.strip_prefix(root).unwrap().to_owned();
            found.insert(path, format!("{mode:o} {what}"));
        }
    }
    found
}

/// The content of a file, or of a large one something that is the same for the same content.
fn content(path: &Utf8Path, len: u64) -> String {
    const MAX_SHOWN: u64 = 64 << 10;
    const MAX_READ: u64 = 1 << 30;
    if len > MAX_READ {
        return format!("{len} bytes");
    }
    let bytes = fs::read(path).unwrap();
    if len <= MAX_SHOWN {
        return bytes.escape_ascii().to_string();
    }
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{len} bytes, {:x}", hasher.finish())
}

/// Long enough for a slow machine, short enough to find what hangs.
const MAX_TIME: Duration = Duration::from_mins(1);

/// A call that is being put together.
#[must_use = "nothing has been called yet"]
pub(crate) struct Call<'a> {
    world: &'a World,
    name: String,
    action: &'static str,
    access: Value,
    answers: Map<String, Value>,
    is_twice: bool,
}

impl Call<'_> {
    /// Calls it beside the files only. The reason is for whoever reads the test.
    pub(crate) fn only_beside(mut self, _reason: &str) -> Self {
        self.is_twice = false;
        self
    }

    /// Rules for files.
    pub(crate) fn rules(mut self, rules: Value) -> Self {
        self.access = json!({ "fs": rules });
        self
    }

    pub(crate) fn access(mut self, access: Value) -> Self {
        self.access = access;
        self
    }

    pub(crate) fn answer(mut self, id: &str, answer: impl Into<Value>) -> Self {
        self.answers.insert(id.to_owned(), answer.into());
        self
    }

    pub(crate) fn action(mut self, action: &'static str) -> Self {
        self.action = action;
        self
    }

    #[track_caller]
    pub(crate) fn run(self, arguments: Value) -> Answer {
        let sealed = self.run_sealed(&arguments);
        let Self { world, name, action, access, answers, .. } = self;
        let invocation = json!({
            "tool": { "name": name, "arguments": arguments, "answers": answers },
            "context": { "root": world.root(), "action": action, "access": access },
        });
        let answer = world.send(format!("{invocation}\n"));
        if let Some((value, code, files)) = sealed {
            let context = format!("{name} {} under {access}", short(&arguments));
            assert_eq!((&value, code), (&answer.value, answer.code), "{context}");
            assert!(files == world.everything(), "other files: {context}");
        }
        answer
    }

    /// The same call of a sealed tool, on a copy of the files: what it answers, and the files after it.
    #[cfg(target_os = "linux")]
    fn run_sealed(
        &self,
        arguments: &Value,
    ) -> Option<(Value, Option<i32>, BTreeMap<Utf8PathBuf, String>)> {
        // Programs are started by a tool that is beside the files, and by no other.
        let starts_programs = self.name == "unix_utils" && self.action == "run";
        if starts_programs || !self.is_twice {
            return None;
        }
        let (_dir, root) = self.world.copy();
        let init = serde_json::from_value(json!({
            "tool": { "name": self.name, "arguments": arguments, "answers": self.answers },
            "context": { "action": self.action, "access": same_access(&self.access) },
            "protocol_version": jp_tool::vfs::PROTOCOL_VERSION,
        }));
        let program = env!("CARGO_BIN_EXE_jp-tools");
        let (value, code) = host::serve(program, &root, init.unwrap());
        Some((value, code, everything(&root)))
    }

    /// There is no host for sealed tools on this system.
    #[cfg(not(target_os = "linux"))]
    fn run_sealed(
        &self,
        _arguments: &Value,
    ) -> Option<(Value, Option<i32>, BTreeMap<Utf8PathBuf, String>)> {
        None
    }
}

/// The rules under which a sealed tool may do what a tool beside the files may: without rules that is
/// everything, and for a sealed tool next to nothing.
fn same_access(access: &Value) -> Value {
    let mut access = access.as_object().cloned().unwrap_or_default();
    if access.get("fs").is_none_or(|rules| rules.as_array().is_some_and(Vec::is_empty)) {
        access.insert("fs".to_owned(), json!([{ "path": ".", "read": true, "write": true }]));
    }
    access.entry("commands").or_insert_with(|| json!({ "git": {} }));
    access.into()
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(500).collect()
}

/// The line that a tool answered.
pub(crate) struct Answer {
    pub(crate) value: Value,
    code: Option<i32>,
}

impl Answer {
    /// The text of a success.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        assert_eq!(
            (&self.value["type"], self.code),
            (&json!("success"), Some(0)),
            "{}",
            self.value
        );
        self.value["content"].as_str().unwrap()
    }

    /// The message of an error.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        assert_eq!((&self.value["type"], self.code), (&json!("error"), Some(1)), "{}", self.value);
        self.value["message"].as_str().unwrap()
    }

    /// The question with this id.
    #[track_caller]
    pub(crate) fn question(&self, id: &str) -> &Value {
        let kind = &self.value["type"];
        assert_eq!((kind, self.code), (&json!("needs_input"), Some(0)), "{}", self.value);
        let question = &self.value["question"];
        assert_eq!(question["id"], id, "{question}");
        question
    }

    pub(crate) fn is_error(&self) -> bool {
        self.value["type"] == "error"
    }
}
