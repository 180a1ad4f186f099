//! What is alive under which id, with a tool that counts.

use std::sync::atomic::{AtomicUsize, Ordering};

use jp_tool::AnswerType;
use serde_json::json;

use super::*;
use crate::tool::{
    outcome::ExecutionOutcome,
    runtime::{Request, ToolRuntime as _},
};

/// Counts up to three, then asks whether to stop.
#[derive(Debug)]
struct Counter {
    at: u32,
    dropped: Arc<AtomicUsize>,
}

impl Counter {
    fn state(&self) -> ToolState {
        if self.at < 3 {
            return ToolState::Running { content: Some(self.at.to_string().into()) };
        }
        let question = Question::new("stop", "Stop?", AnswerType::Boolean);
        ToolState::Waiting { content: Some("three".into()), question }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl LiveTool for Counter {
    fn tell<'a>(
        &'a mut self,
        command: &'a ToolCommand,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolState, Failure>> {
        Box::pin(async move {
            Ok(match command {
                ToolCommand::Abort { .. } => ToolState::Stopped { result: "aborted".into() },
                ToolCommand::Apply { input, .. } if *input == json!(true) => {
                    ToolState::Stopped { result: "stopped".into() }
                }
                ToolCommand::Apply { input, .. } if *input == json!("fail") => {
                    return Err(ToolError::new("it broke").into());
                }
                _ => {
                    self.at += 1;
                    self.state()
                }
            })
        })
    }

    fn end(self: Box<Self>) -> BoxFuture<'static, Result<Option<Held>, ToolError>> {
        Box::pin(async move { Ok(None) })
    }
}

#[derive(Debug, Default)]
struct Counters {
    dropped: Arc<AtomicUsize>,
}

impl LiveRuntime for Counters {
    fn spawn<'a>(&'a self, _: Spawn<'a>) -> BoxFuture<'a, Result<Started<Alive>, Failure>> {
        Box::pin(async move {
            let counter = Counter { at: 0, dropped: self.dropped.clone() };
            let state = counter.state();
            Ok(Started::Alive(Alive { tool: Box::new(counter), state, warnings: Vec::new() }))
        })
    }
}

async fn spawn(handles: &Handles, runtime: &Counters, id: &str) -> Result<ToolState, String> {
    let none = Map::new();
    let cancel = CancellationToken::new();
    let spawn = Spawn {
        name: "count",
        id,
        arguments: &none,
        answers: &none,
        options: &none,
        actions: &SessionAction::ALL,
        hold: false,
        cancel: &cancel,
    };
    match handles.spawn(runtime, spawn).await.map_err(|error| error.to_string())? {
        Started::Alive((state, _)) => Ok(state),
        Started::Asks(asked) => Err(asked.text),
    }
}

async fn tell(handles: &Handles, command: Value) -> Result<Value, String> {
    let command: ToolCommand = serde_json::from_value(command).unwrap();
    let state = handles.tell("count", &command, &CancellationToken::new()).await;
    state.map(|state| serde_json::to_value(state).unwrap()).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_tool_lives_from_its_start_until_it_has_stopped() {
    let (handles, runtime) = (Handles::default(), Counters::default());
    spawn(&handles, &runtime, "a").await.unwrap();
    assert_eq!(
        tell(&handles, json!({ "action": "fetch", "id": "a" })).await,
        Ok(json!({ "type": "running", "content": "1" }))
    );
    tell(&handles, json!({ "action": "fetch", "id": "a" })).await.unwrap();
    let waiting = tell(&handles, json!({ "action": "fetch", "id": "a" })).await.unwrap();
    assert_eq!(waiting["type"], "waiting");
    let wrong = tell(&handles, json!({ "action": "apply", "id": "a", "input": "x" })).await;
    assert!(wrong.unwrap_err().starts_with("the tool asks \"Stop?\":"));
    assert_eq!(
        tell(&handles, json!({ "action": "apply", "id": "a", "input": true })).await,
        Ok(json!({ "type": "stopped", "result": "stopped" }))
    );
    assert_eq!(
        tell(&handles, json!({ "action": "fetch", "id": "a" })).await,
        Err("no tool is alive as `a`".to_owned())
    );
    assert_eq!(runtime.dropped.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_id_is_used_once_at_a_time() {
    let (handles, runtime) = (Handles::default(), Counters::default());
    spawn(&handles, &runtime, "a").await.unwrap();
    let error = spawn(&handles, &runtime, "a").await.unwrap_err();
    assert_eq!(error, "`a` is already alive; choose another id, or abort it first");
    let error = tell(&handles, json!({ "action": "fetch", "id": "b" })).await.unwrap_err();
    assert_eq!(error, "no tool is alive as `b`; alive: a");
    tell(&handles, json!({ "action": "abort", "id": "a" })).await.unwrap();
    spawn(&handles, &runtime, "a").await.unwrap();
}

#[tokio::test]
async fn a_tool_that_fails_is_not_alive_any_more() {
    let (handles, runtime) = (Handles::default(), Counters::default());
    spawn(&handles, &runtime, "a").await.unwrap();
    let error = tell(&handles, json!({ "action": "apply", "id": "a", "input": "fail" })).await;
    assert_eq!(error, Err("it broke".to_owned()));
    assert_eq!(handles.alive().await, Vec::<String>::new());
    assert_eq!(runtime.dropped.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn everything_ends_together() {
    let (handles, runtime) = (Handles::default(), Counters::default());
    for number in 0..MOST {
        spawn(&handles, &runtime, &number.to_string()).await.unwrap();
    }
    let error = spawn(&handles, &runtime, "more").await.unwrap_err();
    assert_eq!(error, "32 tools are alive; abort one first");
    handles.abort_all(&CancellationToken::new()).await;
    assert_eq!(handles.alive().await, Vec::<String>::new());
    assert_eq!(runtime.dropped.load(Ordering::Relaxed), MOST);
}

#[tokio::test]
async fn a_call_without_an_action_runs_until_it_has_stopped() {
    let runtime = Arc::new(Counters::default());
    let once = once::Once::new(runtime.clone(), SessionAction::ALL.to_vec(), FAREWELL);
    let cancel = CancellationToken::new();
    let mut tool = jp_tool::Tool { name: "count".to_owned(), ..Default::default() };
    let run = async |tool: &jp_tool::Tool| {
        let action = jp_tool::Action::Run;
        once.execute(Request {
            tool,
            action,
            hold: false,
            memory: &crate::tool::CallMemory::default(),
            cancel: &cancel,
        })
        .await
        .outcome
    };
    let asked = match run(&tool).await {
        ExecutionOutcome::NeedsInput(asked) => asked,
        other => panic!("{other:?}"),
    };
    assert_eq!((asked.id.as_str(), asked.preamble.blocks.len()), ("stop", 1));
    tool.answers.insert("stop".to_owned(), json!(true));
    assert_eq!(run(&tool).await, ExecutionOutcome::text("stopped"));
    assert_eq!(runtime.dropped.load(Ordering::Relaxed), 2, "nothing stays alive");
}
