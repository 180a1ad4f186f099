//! The loop, with a tool and a person that do as they are told.

mod asking;
mod bookworm;
mod servers;

use std::{
    cell::RefCell,
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use jp_changes::Reviewed;
use jp_config::conversation::tool::QuestionTarget;
use jp_tool::{AnswerType, ContentBlock, Parameter, Question};
use serde_json::json;

use super::*;
use crate::tool::{
    arguments::Validator,
    definition::{ToolDefinition, ToolDocs},
    inquiry::{Answer, Asker, AssistantInquiry, Settled, SettledAnswer},
    merge::Origins,
    outcome::Asked,
    resolve::CallSettings,
    runtime::{BoxFuture, ToolRuntime},
};

/// Ends each execution as the script says, and keeps what it was called with.
#[derive(Debug, Default)]
struct Scripted {
    outcomes: Mutex<VecDeque<ExecutionOutcome>>,
    calls: Mutex<Vec<Tool>>,
}

impl ToolRuntime for Scripted {
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution> {
        Box::pin(async move {
            self.calls.lock().unwrap().push(request.tool.clone());
            let next = self.outcomes.lock().unwrap().pop_front();
            next.unwrap_or_else(|| ExecutionOutcome::failed("the script has ended")).into()
        })
    }
}

/// Answers with what is left of a list; nobody when it is empty.
#[derive(Default)]
struct Person {
    approvals: RefCell<Vec<Approval>>,
    answers: RefCell<Vec<Answer>>,
    accepts: bool,
    retries: RefCell<u32>,
}

impl Interaction for Person {
    async fn approve(&self, proposed: &Proposed<'_>, _: RunMode) -> Approval {
        let run = Approval::Run(proposed.arguments.clone());
        self.approvals.borrow_mut().pop().unwrap_or(run)
    }

    async fn ask(&self, _: Asker<'_>, _: &Asked) -> Answer {
        self.answers.borrow_mut().pop().unwrap_or(Answer::Nobody)
    }

    async fn accept(&self, _: &str, _: &str) -> Verdict {
        if self.accepts { Verdict::Yes } else { Verdict::No }
    }

    async fn review(&self, _: &str, _: &dyn Reviewed, _: Changes) -> Verdict {
        Verdict::No
    }

    fn notice(&self, _: &str, notice: Notice<'_>) {
        if let Notice::Retry { .. } = notice {
            *self.retries.borrow_mut() += 1;
        }
    }
}

struct Scene {
    runtime: Arc<Scripted>,
    tool: ResolvedTool,
    person: Person,
    events: RefCell<Vec<EventKind>>,
}

impl Scene {
    fn new(outcomes: impl IntoIterator<Item = ExecutionOutcome>) -> Self {
        let runtime = Arc::new(Scripted {
            outcomes: Mutex::new(outcomes.into_iter().collect()),
            ..Scripted::default()
        });
        let path: Parameter = serde_json::from_value(json!({ "type": "string" })).unwrap();
        let definition = ToolDefinition {
            name: "walk".to_owned(),
            summary: None,
            parameters: [("path".to_owned(), path)].into_iter().collect(),
            ..ToolDefinition::default()
        };
        let tool = ResolvedTool {
            validator: Validator::new(&definition).unwrap(),
            definition,
            docs: ToolDocs::default(),
            origins: Origins::default(),
            settings: CallSettings {
                run: RunMode::Unattended,
                result: ResultMode::Unattended,
                retries: 2,
                options: Map::new(),
                questions: indexmap::IndexMap::new(),
            },
            describes_itself: false,
            live: None,
            runtime: runtime.clone(),
            name_at_source: "walk_at_source".to_owned(),
            served: None,
        };
        Self { runtime, tool, person: Person::default(), events: RefCell::default() }
    }

    async fn call(&self, backend: Option<&dyn InquiryBackend>) -> CallEnd {
        self.call_with(json!({ "path": "src" }), backend).await
    }

    async fn call_with(&self, arguments: Value, backend: Option<&dyn InquiryBackend>) -> CallEnd {
        let record = |event| self.events.borrow_mut().push(event);
        let coordinator = Coordinator {
            interaction: &self.person,
            backend,
            handles: &Handles::default(),
            record: &record,
            pause: Duration::from_millis(1),
        };
        let arguments = arguments.as_object().unwrap().clone();
        let call = ToolCall { id: "1".to_owned(), name: "walk".to_owned(), arguments };
        coordinator.call(&self.tool, call, Changes::Make, &CancellationToken::new()).await
    }

    fn answers(&self) -> Vec<Value> {
        self.runtime.calls.lock().unwrap().iter().map(|call| call.answers.clone().into()).collect()
    }

    fn types(&self) -> Vec<String> {
        self.events.borrow().iter().map(|event| event.type_name().to_owned()).collect()
    }
}

fn asks(id: &str, default: Option<Value>) -> ExecutionOutcome {
    let question = Question { default, ..Question::new(id, "Go on?", AnswerType::Boolean) };
    ExecutionOutcome::NeedsInput(question.into())
}

fn passing() -> ExecutionOutcome {
    let error = ToolError { transient: true, ..ToolError::new("busy") };
    ExecutionOutcome::Completed(Err(error.into()))
}

fn done() -> ExecutionOutcome {
    ExecutionOutcome::text("done")
}

fn failure(end: CallEnd) -> Failure {
    match end {
        CallEnd::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_question_is_answered_and_the_call_repeated_with_all_answers() {
    let scene = Scene::new([asks("one", None), asks("two", None), done()]);
    *scene.person.answers.borrow_mut() =
        vec![Answer::Given(json!(false)), Answer::Given(json!(true))];
    assert_eq!(text_of(&scene.call(None).await), "done");
    let answers = [json!({}), json!({ "one": true }), json!({ "one": true, "two": false })];
    assert_eq!(scene.answers(), answers);
    assert_eq!(
        scene.types(),
        [
            "tool_call_request",
            "inquiry_request",
            "inquiry_response",
            "inquiry_request",
            "inquiry_response",
            "tool_call_response"
        ]
    );
    assert_eq!(scene.runtime.calls.lock().unwrap()[0].name, "walk_at_source");
}

#[tokio::test]
async fn a_settled_answer_asks_nobody() {
    let mut scene = Scene::new([asks("one", None), done()]);
    scene.tool.settle("one", SettledAnswer::Value(json!(true)));
    assert_eq!(scene.call(None).await, CallEnd::Done(vec![ContentBlock::text("done")].into()));
    assert_eq!(scene.answers()[1], json!({ "one": true }));

    let mut scene = Scene::new([asks("one", None)]);
    scene.tool.settle("one", SettledAnswer::Value(json!("maybe")));
    let message = failure(scene.call(None).await).error.message;
    assert!(message.starts_with("the answer that was set for `one` does not fit"), "{message}");
}

#[tokio::test]
async fn where_nobody_answers_the_default_does() {
    let scene = Scene::new([asks("one", Some(json!(false))), done()]);
    assert!(!scene.call(None).await.is_error());
    assert_eq!(scene.answers()[1], json!({ "one": false }));

    let scene = Scene::new([asks("one", None)]);
    let failure = failure(scene.call(None).await);
    assert_eq!(failure.cause, Cause::Unanswered);
    insta::assert_snapshot!(text_of(&CallEnd::Failed(failure)), @r#"
    the tool asks "Go on?", and nobody can answer
    it takes `true` or `false`
    `conversation.tools.walk.questions.one.answer` answers the question `one` for every call
    "#);
}

#[tokio::test]
async fn a_tool_cannot_ask_for_ever() {
    let scene = Scene::new([asks("one", Some(json!(true))), asks("one", Some(json!(true)))]);
    let message = failure(scene.call(None).await).error.message;
    assert_eq!(message, "the tool asked `one` again though it has the answer");
    let endless = (0..200).map(|number| asks(&number.to_string(), Some(json!(true))));
    let message = failure(Scene::new(endless).call(None).await).error.message;
    assert_eq!(message, "the tool asked more than 100 questions");
}

#[tokio::test]
async fn a_passing_failure_is_repeated_as_often_as_configured() {
    let scene = Scene::new([passing(), passing(), done()]);
    assert_eq!(text_of(&scene.call(None).await), "done");
    assert_eq!(*scene.person.retries.borrow(), 2);

    let scene = Scene::new([passing(), passing(), passing(), done()]);
    assert_eq!(text_of(&scene.call(None).await), "busy");

    let scene = Scene::new([ExecutionOutcome::failed("broken"), done()]);
    assert_eq!(text_of(&scene.call(None).await), "broken");
}

#[tokio::test]
async fn a_call_runs_only_with_permission() {
    let mut scene = Scene::new([done()]);
    scene.tool.settings.run = RunMode::Ask;
    scene.person.approvals.borrow_mut().push(Approval::Skip("not now".to_owned()));
    assert_eq!(scene.call(None).await, CallEnd::Skipped("not now".to_owned()));
    assert_eq!(scene.answers().len(), 0);
    let edited = json!({ "path": "docs" }).as_object().unwrap().clone();
    scene.person.approvals.borrow_mut().push(Approval::Run(edited.clone()));
    scene.call(None).await;
    assert_eq!(scene.runtime.calls.lock().unwrap()[0].arguments, edited);

    let mut scene = Scene::new([done()]);
    scene.tool.settings.run = RunMode::Skip;
    assert!(matches!(scene.call(None).await, CallEnd::Skipped(_)));
    assert_eq!(scene.answers().len(), 0);
}

#[tokio::test]
async fn a_result_is_handed_over_only_with_permission() {
    for (mode, accepts, expected) in [
        (ResultMode::Unattended, false, "done"),
        (ResultMode::Ask, true, "done"),
        (ResultMode::Ask, false, "it ran; its result is kept back"),
        (ResultMode::Skip, true, "it ran; its result is kept back"),
    ] {
        let mut scene = Scene::new([done()]);
        scene.tool.settings.result = mode;
        scene.person.accepts = accepts;
        assert_eq!(text_of(&scene.call(None).await), expected);
    }
}

/// Says the same to everybody.
#[derive(Debug)]
struct Backend(Value);

impl InquiryBackend for Backend {
    fn answer<'a>(&'a self, inquiry: &'a AssistantInquiry) -> BoxFuture<'a, Result<Value, String>> {
        assert_eq!(inquiry.schema()["properties"]["inquiry_id"]["const"], "1.one");
        let reply = self.0.clone();
        Box::pin(async move { Ok(reply) })
    }
}

#[tokio::test]
async fn the_assistant_answers_in_the_form_that_was_asked_for() {
    for (reply, expected) in [
        (json!({ "inquiry_id": "1.one", "answer": true }), Ok(json!({ "one": true }))),
        (json!({ "inquiry_id": "2.one", "answer": true }), Err("not about the inquiry")),
        (
            json!({ "inquiry_id": "1.one", "answer": "yes" }),
            Err("expected true or false, not \"yes\""),
        ),
        (json!({ "inquiry_id": "1.one" }), Err("has no `answer`")),
    ] {
        let mut scene = Scene::new([asks("one", None), done()]);
        let settled = Settled { answer: None, target: QuestionTarget::Assistant };
        scene.tool.settings.questions.insert("one".to_owned(), settled);
        let end = scene.call(Some(&Backend(reply))).await;
        match expected {
            Ok(answers) => assert_eq!(scene.answers()[1], answers),
            Err(part) => assert!(text_of(&end).contains(part), "{}", text_of(&end)),
        }
    }
}

#[tokio::test]
async fn calls_wait_for_their_own_questions_only() {
    let patient = Scene::new([asks("one", Some(json!(true))), done()]);
    let quick = Scene::new([done()]);
    let (slow, fast) = tokio::join!(patient.call(None), quick.call(None));
    assert_eq!((text_of(&slow).as_str(), text_of(&fast).as_str()), ("done", "done"));
}

#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_its_repetition() {
    let scene = Scene::new([passing(), done()]);
    let record = |_| {};
    let coordinator = Coordinator {
        interaction: &scene.person,
        backend: None,
        handles: &Handles::default(),
        record: &record,
        pause: Duration::from_mins(1),
    };
    let cancel = CancellationToken::new();
    let arguments = json!({ "path": "src" }).as_object().unwrap().clone();
    let call = ToolCall { id: "1".to_owned(), name: "walk".to_owned(), arguments };
    let work = coordinator.call(&scene.tool, call, Changes::Make, &cancel);
    let (end, ()) = tokio::join!(work, async { cancel.cancel() });
    assert_eq!(end, CallEnd::Cancelled);
}
