//! The answers of one call, collected question by question.

use jp_config::conversation::tool::QuestionTarget;
use jp_conversation::EventKind;
use jp_tool::AnswerType;
use serde_json::{Map, Value, json};

use super::Coordinator;
use crate::tool::{
    arguments::cut,
    call::CallEnd,
    inquiry::{Answer, Asker, AssistantInquiry, Interaction, Notice, fits},
    outcome::{Asked, Cause, Failure},
    resolve::ResolvedTool,
    runtime::memory::CallMemory,
};

/// How many questions one call may ask. A tool that asks more is in a loop.
const MOST: usize = 100;

/// How often a person is asked the same question when the answer is none.
const TRIES: usize = 5;

/// What came of asking a person.
enum Said {
    Answer(Value),
    /// The question was left, and the tool is told so.
    Declined,
    /// Nobody is there.
    Nothing,
}

/// The answers of one call so far.
pub(super) struct Answers<'a, I> {
    coordinator: &'a Coordinator<'a, I>,
    tool: &'a ResolvedTool,
    call: &'a str,
    given: Map<String, Value>,
    asked: usize,
    memory: CallMemory,
}

impl<'a, I: Interaction> Answers<'a, I> {
    pub(super) fn new(
        coordinator: &'a Coordinator<'a, I>,
        tool: &'a ResolvedTool,
        call: &'a str,
    ) -> Self {
        let (given, asked, memory) = Default::default();
        Self { coordinator, tool, call, given, asked, memory }
    }

    pub(super) fn given(&self) -> &Map<String, Value> {
        &self.given
    }

    /// What the runtime keeps of this call.
    pub(super) fn memory(&self) -> &CallMemory {
        &self.memory
    }

    /// Finds the answer, or the end of the call.
    pub(super) async fn answer(&mut self, asked: Asked) -> Result<(), CallEnd> {
        self.asked += 1;
        if self.asked > MOST {
            return Err(failed(format!("the tool asked more than {MOST} questions")));
        }
        if self.given.contains_key(&asked.id) {
            let id = &asked.id;
            return Err(failed(format!("the tool asked `{id}` again though it has the answer")));
        }
        let inquiry = format!("{}.{}", self.call, asked.id);
        self.record_question(&inquiry, &asked);
        let Some(answer) = self.find(&inquiry, &asked).await? else {
            (self.coordinator.record)(EventKind::InquiryResponse {
                id: inquiry,
                answer: Value::Null,
            });
            return Ok(());
        };
        (self.coordinator.record)(EventKind::InquiryResponse {
            id: inquiry,
            answer: answer.clone(),
        });
        self.given.insert(asked.id, answer);
        Ok(())
    }

    /// The answer; nothing where it was declined, which the tool is told.
    async fn find(&self, inquiry: &str, asked: &Asked) -> Result<Option<Value>, CallEnd> {
        let settled = self.tool.settled(&asked.id);
        if let Some(answer) = settled.answer {
            return answer.to(asked).map(Some).map_err(|error| {
                let id = &asked.id;
                let message = format!("the answer that was set for `{id}` does not fit: {error}");
                CallEnd::Failed(Failure::new(Cause::Arguments, message))
            });
        }
        let given = match settled.target {
            QuestionTarget::User => match self.ask_person(asked).await? {
                Said::Answer(answer) => Some(answer),
                Said::Declined => return Ok(None),
                Said::Nothing => None,
            },
            QuestionTarget::Assistant => self.ask_assistant(inquiry, asked).await?,
        };
        let given = given.or_else(|| asked.default.clone());
        given.map(Some).ok_or_else(|| self.unanswered(asked))
    }

    /// Asks until the answer is one: whoever mistypes must not lose the call.
    async fn ask_person(&self, asked: &Asked) -> Result<Said, CallEnd> {
        let (person, name) = (self.coordinator.interaction, &self.tool.definition.name);
        let server = self.tool.served.as_ref().map(|served| served.server.as_str());
        let mut wrong = String::new();
        for _ in 0..TRIES {
            let answer = match person.ask(Asker { tool: name, server }, asked).await {
                Answer::Given(answer) => answer,
                Answer::Nobody => return Ok(Said::Nothing),
                // Who asked in a way that can be declined goes on without an answer.
                Answer::Left if self.memory.decline(&asked.id) => return Ok(Said::Declined),
                Answer::Left | Answer::Cancel => return Err(CallEnd::Cancelled),
            };
            match fits(asked, &answer) {
                Ok(()) => return Ok(Said::Answer(answer)),
                Err(error) => wrong = error,
            }
            person.notice(name, Notice::Misfit(&wrong));
        }
        Err(failed(format!("the answer to `{}`: {wrong}", asked.id)))
    }

    async fn ask_assistant(&self, id: &str, asked: &Asked) -> Result<Option<Value>, CallEnd> {
        let Some(backend) = self.coordinator.backend else { return Ok(None) };
        let tool = self.tool.definition.name.clone();
        let inquiry = AssistantInquiry { id: id.to_owned(), tool, asked: asked.clone() };
        let reply = backend.answer(&inquiry).await;
        let answer = reply.and_then(|reply| inquiry.answer_in(&reply));
        answer.map(Some).map_err(|error| {
            failed(format!("the assistant did not answer `{}`: {error}", asked.id))
        })
    }

    fn record_question(&self, inquiry: &str, asked: &Asked) {
        (self.coordinator.record)(EventKind::InquiryRequest {
            id: inquiry.to_owned(),
            source: json!({ "tool": self.tool.definition.name, "call": self.call }),
            question: json!({
                "id": asked.id,
                "text": asked.text,
                "schema": asked.schema,
                "default": asked.default,
            }),
        });
    }

    fn unanswered(&self, asked: &Asked) -> CallEnd {
        let (name, id) = (&self.tool.definition.name, &asked.id);
        let text = asked.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!("the tool asks \"{text}\", and nobody can answer");
        let mut failure = Failure::new(Cause::Unanswered, message);
        failure.error.trace.extend(choices(asked));
        let key = format!("conversation.tools.{name}.questions.{id}.answer");
        // An entry for this tool alone has to say whose tool it is.
        let source = self.tool.served.as_ref().filter(|served| !served.is_named).map(|served| {
            let source = format!("mcp.{}.{}", served.server, self.tool.name_at_source);
            format!(", together with `conversation.tools.{name}.source = \"{source}\"`")
        });
        failure.error.trace.push(format!(
            "`{key}`{} answers the question `{id}` for every call",
            source.unwrap_or_default()
        ));
        CallEnd::Failed(failure)
    }
}

/// What can be answered, where that is not for whoever answers to say.
fn choices(asked: &Asked) -> Option<String> {
    match AnswerType::from_schema(&asked.schema)? {
        AnswerType::Boolean => Some("it takes `true` or `false`".to_owned()),
        AnswerType::Select { options } => {
            Some(format!("it takes one of `{}`", cut(&options.join("`, `"), 1_000)))
        }
        AnswerType::Text => None,
    }
}

fn failed(message: String) -> CallEnd {
    CallEnd::Failed(Failure::new(Cause::Tool, message))
}
