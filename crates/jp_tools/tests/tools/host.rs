//! The host for sealed tools, as jp has it, with the files of a directory and nobody to ask.

use std::{
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use camino::Utf8Path;
use jp_project::{FsProjectFiles, Rules};
use jp_tool::{
    AnswerType, Blocks, Content, ContentBlock, Inquiry, Outcome, Question, Reply, ToolResult,
    access::path::Root,
    vfs::{Answer, Init},
};
use jp_vfs::{
    BoxFuture, End, Host, HostParts, Limits, Nobody, Pipes, Session, ToolAccess,
    gate::Gate,
    process::{ProgramError, ProgramRun, Programs, Ran},
};
use serde_json::Value;

/// Longer than any call takes, also on a slow machine.
const MAX_TIME: Duration = Duration::from_mins(2);

/// Serves one call of a program, and returns what the tool answered, in the form in which a tool beside
/// the files answers, and its exit code.
pub(crate) fn serve(program: &str, root: &Utf8Path, init: Init) -> (Value, Option<i32>) {
    let policy = init.context.access.clone();
    let files = FsProjectFiles::new(Root::open(root).unwrap(), Rules::default());
    let access = ToolAccess::new(init.tool.name.clone(), "conversation.tools.x", policy, None);
    let gate = Gate::new(Arc::new(access), Arc::new(files), "/nowhere".into());
    let host = Host::new(HostParts {
        network: None,
        programs: Some(Arc::new(AsTheyAre)),
        approver: Arc::new(Nobody),
        recorder: None,
        limits: Limits::default(),
        variables: Vec::new(),
    });
    let mut child = Ended(start(program));
    let pipes = Pipes {
        to_tool: child.0.stdin.take().unwrap().into(),
        from_tool: child.0.stdout.take().unwrap().into(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let end = runtime.block_on(async {
        let session = Session::start(pipes, init, Arc::new(gate), Arc::new(host), false).unwrap();
        tokio::time::timeout(MAX_TIME, session.end()).await.expect("the tool ends")
    });
    (beside_form(end), child.0.wait().unwrap().code())
}

/// Nothing but its streams: no variables, and another directory than that of the files.
fn start(program: &str) -> Child {
    Command::new(program)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A program that does not outlive the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// Programs without a sandbox. How they are confined is tested with the host.
#[derive(Debug)]
struct AsTheyAre;

impl Programs for AsTheyAre {
    fn run<'a>(&'a self, run: ProgramRun<'a>) -> BoxFuture<'a, Result<Ran, ProgramError>> {
        Box::pin(async move {
            let ran = Command::new(run.program).args(run.args).current_dir(run.directory).output();
            let ran = ran.unwrap();
            let exit_code = ran.status.code().unwrap();
            Ok(Ran { stdout: ran.stdout, stderr: ran.stderr, exit_code, lost: None })
        })
    }
}

/// The last word of a sealed tool as a tool beside the files would say it.
fn beside_form(end: End) -> Value {
    let reply: Reply = match end {
        End::Failed(error) => error.into(),
        End::Result(Answer::Schema(schema)) => return serde_json::to_value(schema).unwrap(),
        End::Result(Answer::Content(Content::Text(text))) => text.into(),
        End::Result(Answer::Content(Content::Blocks(Blocks { blocks, .. }))) => {
            match question(&blocks) {
                Some(question) => Outcome::NeedsInput { question }.into(),
                None => ToolResult::new(blocks).into(),
            }
        }
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
