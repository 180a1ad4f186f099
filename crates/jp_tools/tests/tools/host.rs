//! A host for sealed tools: the protocol over the files of a directory, and no person to ask.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use camino::Utf8Path;
use jp_project::{
    DeleteReach, FsProjectFiles, GrepQuery, Kind, Part, ProjectError, ProjectFiles as _,
    ProjectPath, RenameTarget, Rules, Slice, WriteMode,
};
use jp_tool::{
    AnswerType, Blocks, Content, ContentBlock, Inquiry, Outcome, Question, Reply, ToolResult,
    access::{AccessPolicy, FsAccessError, path::Root},
    vfs::{
        self, Answer, Call, Encoding, ErrorCode, ErrorObject, Request, ResultParams, ToHost,
        ToolNotification,
    },
};
use serde_json::{Value, json};

/// The largest part of a file.
const FILE_BYTES: u64 = 10_000_000;

/// Plays the host for one call, and returns what the tool answered, in the form in which a tool beside
/// the files answers, and its exit code.
pub(crate) fn play(program: &str, root: &Utf8Path, init: &Value) -> (Value, Option<i32>) {
    let policy = &init["params"]["context"]["access"];
    let policy: AccessPolicy = serde_json::from_value(policy.clone()).unwrap();
    let host = Host {
        files: FsProjectFiles::new(Root::open(root).unwrap(), Rules::from(policy.clone())),
        policy,
        root: root.to_string(),
    };
    let child = Command::new(program)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Kill(child);
    let mut input = child.0.stdin.take().unwrap();
    let output = BufReader::new(child.0.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in output.split(b'\n') {
            let _nobody_listens = sender.send(line.unwrap());
        }
    });
    input.write_all(format!("{init}\n").as_bytes()).unwrap();
    loop {
        let line = lines.recv_timeout(Duration::from_mins(1)).expect("a line in a minute");
        match ToHost::parse(&line).unwrap() {
            ToHost::Request(request) => {
                let answer = match host.serve(&request) {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": request.id, "result": result }),
                    Err(error) => json!({ "jsonrpc": "2.0", "id": request.id, "error": error }),
                };
                input.write_all(format!("{answer}\n").as_bytes()).unwrap();
            }
            ToHost::Notification(notification) => {
                let last = ToolNotification::parse(&notification).unwrap();
                return (stdio_form(last), child.0.wait().unwrap().code());
            }
        }
    }
}

struct Kill(Child);

impl Drop for Kill {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// The last word of a sealed tool as a tool beside the files would say it.
fn stdio_form(last: ToolNotification) -> Value {
    let reply: Reply = match last {
        ToolNotification::Error(error) => error.into(),
        ToolNotification::Result(ResultParams { content }) => match content {
            Answer::Schema(schema) => return serde_json::to_value(schema).unwrap(),
            Answer::Content(Content::Text(text)) => text.into(),
            Answer::Content(Content::Blocks(Blocks { blocks, .. })) => match question(&blocks) {
                Some(question) => Outcome::NeedsInput { question }.into(),
                None => ToolResult::new(blocks).into(),
            },
        },
        other => panic!("{other:?}"),
    };
    serde_json::to_value(reply).unwrap()
}

fn question(blocks: &[ContentBlock]) -> Option<Question> {
    let (ContentBlock::Question { question }, before) = blocks.split_last()? else {
        return None;
    };
    let Inquiry { id, text, schema, default } = question.clone();
    let pre_amble = before.first().map(|block| match block {
        ContentBlock::Text { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    });
    let answer_type = AnswerType::from_schema(&schema).unwrap();
    Some(Question { id, text, pre_amble, answer_type, default })
}

struct Host {
    files: FsProjectFiles,
    policy: AccessPolicy,
    root: String,
}

impl Host {
    fn serve(&self, request: &Request<'_>) -> Result<Value, ErrorObject> {
        let call = Call::parse(request)?;
        self.work(call).map_err(|error| match error {
            Failed::Object(error) => error,
            Failed::Project(error) => self.object(&error),
        })
    }

    fn object(&self, error: &ProjectError) -> ErrorObject {
        let code = match error {
            ProjectError::Access(_) => ErrorCode::AccessDenied,
            ProjectError::NotFound { .. } => ErrorCode::NotFound,
            ProjectError::AlreadyExists { .. } => ErrorCode::AlreadyExists,
            ProjectError::TooLarge { .. } => ErrorCode::TooLarge,
            ProjectError::Unavailable | ProjectError::Io { .. } => ErrorCode::InternalError,
            _ => ErrorCode::InvalidParams,
        };
        let message = match error {
            ProjectError::Access(denied @ FsAccessError::Denied { .. }) => {
                format!("{denied}; granted: {:?}", self.policy.fs.grants())
            }
            other => other.to_string(),
        };
        ErrorObject::new(code, message)
    }

    fn work(&self, call: Call) -> Result<Value, Failed> {
        let files = &self.files;
        let done = Ok(json!({}));
        match call {
            Call::FsRead(vfs::FsRead { path, offset, limit }) => {
                let part = Part { offset: offset.unwrap_or(0), limit, max: FILE_BYTES };
                let content = files.read(&at(&path), part)?;
                Ok(match String::from_utf8(content.bytes) {
                    Ok(text) => json!({ "content": text, "size": content.size }),
                    Err(error) => {
                        let text = base64_simd::STANDARD.encode_to_string(error.as_bytes());
                        json!({ "content": text, "encoding": "base64", "size": content.size })
                    }
                })
            }
            Call::FsWrite(vfs::FsWrite { path, content, encoding, create_new }) => {
                let mode = if create_new { WriteMode::CreateNew } else { WriteMode::Replace };
                let bytes = match encoding {
                    None => content.into_bytes(),
                    Some(Encoding::Base64) => base64_simd::STANDARD.decode_to_vec(content).unwrap(),
                };
                files.write(&at(&path), &bytes, mode)?;
                done
            }
            Call::FsExists(vfs::FsExists { path }) => {
                Ok(json!({ "exists": files.exists(&at(&path))? }))
            }
            Call::FsListDir(vfs::FsListDir { path, offset, limit }) => {
                let entries = files.list_dir(&at(&path), Slice::default())?.into_iter();
                let entries = entries.filter_map(|entry| {
                    let kind = wire(entry.kind)?;
                    Some(vfs::DirEntry { path: entry.name, kind, link: entry.is_link })
                });
                let count = |number: u64| usize::try_from(number).unwrap();
                let entries = entries
                    .skip(count(offset.unwrap_or(0)))
                    .take(limit.map_or(usize::MAX, count))
                    .collect();
                Ok(serde_json::to_value(vfs::FsListDirResult { entries }).unwrap())
            }
            Call::FsMetadata(vfs::FsMetadata { path }) => {
                let data = files.metadata(&at(&path))?;
                let kind = wire(data.kind).ok_or_else(|| {
                    let message = format!("{path}: is neither a file nor a directory");
                    ErrorObject::new(ErrorCode::InvalidParams, message)
                })?;
                let size = (kind == vfs::Kind::File).then_some(data.size);
                Ok(serde_json::to_value(vfs::FsMetadataResult { kind, size }).unwrap())
            }
            Call::FsDelete(vfs::FsDelete { path, recursive }) => {
                let reach = if recursive { DeleteReach::Recursive } else { DeleteReach::File };
                files.delete(&at(&path), reach)?;
                done
            }
            Call::FsRename(vfs::FsRename { from, to, overwrite }) => {
                let target = if overwrite { RenameTarget::Overwrite } else { RenameTarget::Keep };
                files.rename(&at(&from), &at(&to), target)?;
                done
            }
            Call::FsGrep(query) => self.grep(query),
            Call::ProcessRun(vfs::ProcessRun { program, args, .. }) => {
                let ran =
                    Command::new(program).args(args).current_dir(&self.root).output().unwrap();
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                Ok(json!({
                    "stdout": text(ran.stdout),
                    "stderr": text(ran.stderr),
                    "exit_code": ran.status.code().unwrap(),
                }))
            }
            other => panic!("not served: {other:?}"),
        }
    }

    fn grep(&self, asked: vfs::FsGrep) -> Result<Value, Failed> {
        let query = GrepQuery {
            paths: asked.paths.iter().flatten().map(at).collect(),
            extensions: asked.extensions.unwrap_or_default(),
            context: usize::try_from(asked.context).unwrap(),
            case_insensitive: asked.case_insensitive,
            fixed: asked.fixed,
            ..GrepQuery::new(asked.pattern)
        };
        let found = self.files.grep(&query)?;
        if found.limit_reached {
            return Err(ErrorObject::new(ErrorCode::TooLarge, "too many matches").into());
        }
        let matches = found.files.into_iter().map(|file| vfs::FileMatches {
            path: file.path.into_string(),
            lines: file
                .lines
                .into_iter()
                .map(|line| vfs::GrepLine {
                    line_number: line.number,
                    content: line.content,
                    is_match: line.is_match,
                })
                .collect(),
        });
        let count = |number: usize| u64::try_from(number).unwrap();
        let (binary, unread) = (count(found.binary), count(found.unread));
        let result = vfs::FsGrepResult { matches: matches.collect(), binary, unread };
        Ok(serde_json::to_value(result).unwrap())
    }
}

enum Failed {
    Object(ErrorObject),
    Project(ProjectError),
}

impl From<ErrorObject> for Failed {
    fn from(error: ErrorObject) -> Self {
        Self::Object(error)
    }
}

impl From<ProjectError> for Failed {
    fn from(error: ProjectError) -> Self {
        Self::Project(error)
    }
}

fn at(path: &vfs::ProjectPath) -> ProjectPath {
    ProjectPath::new(path.as_str()).unwrap()
}

fn wire(kind: Kind) -> Option<vfs::Kind> {
    match kind {
        Kind::File => Some(vfs::Kind::File),
        Kind::Directory => Some(vfs::Kind::Dir),
        Kind::Other => None,
    }
}
