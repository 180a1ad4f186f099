//! One question, asked by a program, by a server in both eras and by a tool that is part of jp, and
//! answered in every way there is. It is the same loop, so it is the same story each time.

use jp_conversation::EventKind;

use super::{servers::InMemory, *};
use crate::tool::outcome;

/// Who asks.
#[derive(Debug, Clone, Copy)]
enum Asker {
    /// A program, by what it prints.
    Program,
    /// A server, by an envelope.
    Server(&'static str),
    /// A tool inside this process, as those that are part of jp are.
    OfJp,
}

/// How the question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Settled,
    Person,
    Assistant,
    Default,
    Nobody,
}

/// What there was to see of a call.
#[derive(Debug, PartialEq)]
struct Story {
    end: CallEnd,
    /// The answers with which the tool was called, each time.
    answers: Vec<Value>,
    events: Vec<EventKind>,
    /// How many inquiries the assistant was given, and how many answers a person has left.
    asked: (usize, usize),
}

/// An assistant that counts what it is asked, and says yes or no.
#[derive(Debug)]
struct Assistant {
    says: bool,
    asked: Mutex<usize>,
}

impl InquiryBackend for Assistant {
    fn answer<'a>(&'a self, inquiry: &'a AssistantInquiry) -> BoxFuture<'a, Result<Value, String>> {
        *self.asked.lock().unwrap() += 1;
        Box::pin(async { Ok(json!({ "inquiry_id": inquiry.id, "answer": self.says })) })
    }
}

fn question(default: Option<bool>) -> Question {
    let question = Question::new("go", "Go on?", AnswerType::Boolean);
    Question { default: default.map(Value::Bool), ..question }
}

impl Asker {
    /// A scene in which this asks once and is done then, and how it was called.
    async fn scene(self, default: Option<bool>) -> (Scene, Option<InMemory>) {
        let asks = json!({ "type": "needs_input", "question": question(default) }).to_string();
        let done = r#"{"type":"success","content":"done"}"#;
        match self {
            Self::Program => (Scene::new([outcome::of_text(&asks), outcome::of_text(done)]), None),
            Self::OfJp => {
                let asks = ExecutionOutcome::NeedsInput(question(default).into());
                (Scene::new([asks, ExecutionOutcome::text("done")]), None)
            }
            Self::Server(era) => {
                let steps = [servers::text(&asks), servers::text(done)];
                let server = InMemory::new(era, steps);
                (server.scene().await, Some(server))
            }
        }
    }

    /// The story of a call. Everybody who is not to answer would give the wrong answer.
    async fn story(self, by: By) -> Story {
        let default = match by {
            By::Default => Some(true),
            By::Nobody => None,
            By::Settled | By::Person | By::Assistant => Some(false),
        };
        let (mut scene, server) = self.scene(default).await;
        let assistant = Assistant { says: matches!(by, By::Assistant), asked: Mutex::default() };
        let target = match by {
            By::Assistant | By::Settled => QuestionTarget::Assistant,
            By::Person | By::Default | By::Nobody => QuestionTarget::User,
        };
        let answer = matches!(by, By::Settled).then(|| SettledAnswer::Value(json!(true)));
        scene.tool.settings.questions.insert("go".to_owned(), Settled { answer, target });
        if matches!(by, By::Settled | By::Person | By::Assistant) {
            let says = json!(matches!(by, By::Person));
            scene.person.answers.borrow_mut().push(Answer::Given(says));
        }
        let end = scene.call(Some(&assistant)).await;
        let answers = match server {
            None => scene.answers(),
            Some(server) => {
                let calls = server.calls.lock().unwrap().clone();
                let answers = |call: &Value| call["_meta"]["computer.jp/tool"]["answers"].clone();
                // A first call has nothing to say beside its arguments.
                let none = |answers: Value| if answers.is_null() { json!({}) } else { answers };
                calls.iter().map(answers).map(none).collect()
            }
        };
        let left = scene.person.answers.borrow().len();
        let asked = (*assistant.asked.lock().unwrap(), left);
        Story { end, answers, events: scene.events.take(), asked }
    }
}

impl Story {
    fn types(&self) -> Vec<&str> {
        self.events.iter().map(EventKind::type_name).collect()
    }
}

/// D31-058: the answer that was settled, then whom the configuration names, then the default of the question,
/// and where there is none, an error that says what to do. D31-059: whoever asks.
#[tokio::test]
async fn one_loop_answers_whoever_asks() {
    for by in [By::Settled, By::Person, By::Assistant, By::Default, By::Nobody] {
        let story = Asker::OfJp.story(by).await;
        if by == By::Nobody {
            let failure = failure(story.end.clone());
            assert_eq!(failure.cause, Cause::Unanswered);
            let text = text_of(&CallEnd::Failed(failure));
            assert!(text.contains("walk.questions.go.answer"), "{text}");
            assert_eq!(story.answers, [json!({})]);
        } else {
            assert_eq!(text_of(&story.end), "done", "{by:?}");
            assert_eq!(story.answers, [json!({}), json!({ "go": true })], "{by:?}");
        }
        // Who was asked, and who was not although there was somebody.
        let asked = match by {
            By::Assistant => (1, 1),
            By::Settled => (0, 1),
            By::Person | By::Default | By::Nobody => (0, 0),
        };
        assert_eq!(story.asked, asked, "{by:?}");
        for other in [Asker::Program, Asker::Server("modern"), Asker::Server("legacy")] {
            assert_eq!(other.story(by).await, story, "{other:?} {by:?}");
        }
    }
}

/// D31-057: the call that the model made is the only one in the conversation, and has one response; that
/// the tool was called twice is not its concern. What an assistant is asked is the question.
#[tokio::test]
async fn the_model_does_not_call_again() {
    for asker in [Asker::Server("modern"), Asker::Server("legacy"), Asker::Program] {
        for by in [By::Person, By::Assistant] {
            let story = asker.story(by).await;
            assert_eq!(story.answers.len(), 2, "{asker:?}");
            let whole =
                ["tool_call_request", "inquiry_request", "inquiry_response", "tool_call_response"];
            assert_eq!(story.types(), whole, "{asker:?} {by:?}");
        }
    }
}
