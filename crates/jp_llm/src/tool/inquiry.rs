//! Who answers the questions of a tool.
//!
//! The order is fixed: an answer that was settled beforehand; then whoever the configuration names, a
//! person or the assistant; then the default of the question. Where none of them has one, the call
//! fails at once and says how the question can be answered. It never waits for nobody.

use std::fmt;

use jp_changes::Reviewed;
use jp_config::conversation::tool::{QuestionTarget, RunMode};
use jp_confine::Advice;
use jp_tool::AnswerType;
use serde_json::{Map, Value, json};

use super::{
    arguments::{compile, cut},
    coordinator::Changes,
    outcome::Asked,
    runtime::BoxFuture,
};

/// The person in front of jp, or the certainty that there is none.
pub trait Interaction {
    /// Whether a call may run, and with which arguments; `mode` is `ask` or `edit`.
    fn approve(&self, proposed: &Proposed<'_>, mode: RunMode) -> impl Future<Output = Approval>;

    /// The answer to a question of a tool.
    fn ask(&self, asker: Asker<'_>, asked: &Asked) -> impl Future<Output = Answer>;

    /// Whether the result of a call may be handed over.
    fn accept(&self, tool: &str, result: &str) -> impl Future<Output = Verdict>;

    /// Shows what a call would change; whether it may, if that is still to be decided.
    fn review(
        &self,
        tool: &str,
        changes: &dyn Reviewed,
        mode: Changes,
    ) -> impl Future<Output = Verdict>;

    /// Something to know that needs no answer.
    fn notice(&self, tool: &str, notice: Notice<'_>);
}

/// Who asks. A question is answered by trust in whoever asks it, so whoever is asked has to see that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its MCP server, if it is of one.
    pub server: Option<&'a str>,
}

/// A call that waits for permission.
#[derive(Debug, Clone, Copy)]
pub struct Proposed<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What it will be given.
    pub arguments: &'a Map<String, Value>,
    /// The arguments as the tool itself would show them.
    pub shown: Option<&'a str>,
}

/// What was said about a call that waits.
#[derive(Debug, Clone, PartialEq)]
pub enum Approval {
    /// Run it with these arguments.
    Run(Map<String, Value>),
    /// Do not run it, because of this.
    Skip(String),
    /// Nobody is there to say anything.
    Nobody,
    /// Stop everything.
    Cancel,
}

/// What was said about something that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may be used.
    Yes,
    /// It may not, or nobody is there to say so.
    No,
    /// Stop everything.
    Cancel,
}

/// What came of asking a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// This.
    Given(Value),
    /// Nobody is there.
    Nobody,
    /// The person left the question. A tool that can do without goes on; another call ends.
    Left,
    /// The person wants no answer, but an end.
    Cancel,
}

/// Something to know.
#[derive(Debug, Clone, Copy)]
pub enum Notice<'a> {
    /// It failed for a passing reason and is tried again.
    Retry {
        /// Which try follows.
        attempt: u32,
        /// What went wrong.
        error: &'a str,
    },
    /// It was denied something, and failed.
    Denied(&'a [Advice]),
    /// What was answered is no answer, because of this; it is asked again.
    Misfit(&'a str),
    /// The sandbox is weaker than the rules.
    Warning(&'a str),
}

/// Answers in the name of the assistant.
pub trait InquiryBackend: fmt::Debug + Send + Sync {
    /// Has the assistant fill in an object of this schema: `{inquiry_id, answer}`.
    fn answer<'a>(&'a self, inquiry: &'a AssistantInquiry) -> BoxFuture<'a, Result<Value, String>>;
}

/// A question to the assistant.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistantInquiry {
    /// Tells it from the others that are asked at the same time.
    pub id: String,
    /// The tool that asks.
    pub tool: String,
    /// What it asks.
    pub asked: Asked,
}

impl AssistantInquiry {
    /// The JSON Schema of the reply.
    pub fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "inquiry_id": { "const": self.id }, "answer": self.asked.schema },
            "required": ["inquiry_id", "answer"],
            "additionalProperties": false,
        })
    }

    /// The answer in a reply. One to another question is none.
    pub fn answer_in(&self, reply: &Value) -> Result<Value, String> {
        if reply.get("inquiry_id").and_then(Value::as_str) != Some(&self.id) {
            return Err(format!("the reply is not about the inquiry `{}`", self.id));
        }
        let answer = reply.get("answer").ok_or("the reply has no `answer`")?;
        fits(&self.asked, answer).map(|()| answer.clone())
    }
}

/// Whether a value answers a question. The schema may come from a tool, so it is not trusted either.
pub fn fits(asked: &Asked, answer: &Value) -> Result<(), String> {
    let validator = compile(&asked.schema, "")
        .map_err(|error| format!("the question has no usable schema: {error}"))?;
    let wrong = match validator.validate(answer) {
        Ok(()) => return Ok(()),
        Err(error) => cut(&error.to_string(), 200),
    };
    let answer = cut(&answer.to_string(), 60);
    Err(match AnswerType::from_schema(&asked.schema) {
        Some(AnswerType::Boolean) => format!("expected true or false, not {answer}"),
        Some(AnswerType::Select { options }) => {
            format!("expected one of `{}`, not {answer}", cut(&options.join("`, `"), 300))
        }
        Some(AnswerType::Text) => format!("expected a text, not {answer}"),
        None => wrong,
    })
}

/// The answer that somebody has typed: a text where a text is wanted, yes or no in words, and what
/// else there is as JSON.
pub fn typed(asked: &Asked, text: &str) -> Result<Value, String> {
    let as_text = Value::from(text);
    let Err(error) = fits(asked, &as_text) else { return Ok(as_text) };
    let value = match text {
        "y" | "yes" => true.into(),
        "n" | "no" => false.into(),
        _ => serde_json::from_str(text).map_err(|_| error)?,
    };
    fits(asked, &value).map(|()| value)
}

/// What the configuration says about one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settled {
    /// An answer that was given beforehand.
    pub answer: Option<SettledAnswer>,
    /// Who is asked otherwise.
    pub target: QuestionTarget,
}

/// An answer that was given before the question was known.
#[derive(Debug, Clone, PartialEq)]
pub enum SettledAnswer {
    /// In the configuration.
    Value(Value),
    /// On the command line, where everything is text.
    Typed(String),
}

impl SettledAnswer {
    /// The answer to this question, if it can be one.
    pub fn to(&self, asked: &Asked) -> Result<Value, String> {
        match self {
            Self::Value(value) => fits(asked, value).map(|()| value.clone()),
            Self::Typed(text) => typed(asked, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use jp_tool::Question;

    use super::*;

    fn asked(answer_type: AnswerType) -> Asked {
        Question::new("q", "?", answer_type).into()
    }

    #[test]
    fn what_is_typed_is_read_in_the_type_that_is_asked_for() {
        let select = || AnswerType::Select { options: vec!["yes".to_owned(), "7".to_owned()] };
        for (answer_type, text, expected) in [
            (AnswerType::Boolean, "y", Ok(json!(true))),
            (AnswerType::Boolean, "no", Ok(json!(false))),
            (AnswerType::Boolean, "false", Ok(json!(false))),
            (AnswerType::Boolean, "1", Err("expected true or false, not 1")),
            (AnswerType::Boolean, "", Err("expected true or false, not \"\"")),
            (AnswerType::Text, "y", Ok(json!("y"))),
            (AnswerType::Text, "7", Ok(json!("7"))),
            (select(), "yes", Ok(json!("yes"))),
            (select(), "7", Ok(json!("7"))),
            (select(), "no", Err("expected one of `yes`, `7`, not false")),
        ] {
            let read = typed(&asked(answer_type), text);
            assert_eq!(read, expected.map_err(ToOwned::to_owned), "{text}");
        }
        let schema = json!({ "type": "integer", "maximum": 9 });
        let number = Asked { schema, ..asked(AnswerType::Text) };
        assert_eq!(typed(&number, "7"), Ok(json!(7)));
        assert!(typed(&number, "10").is_err());
        assert!(typed(&number, "ten").is_err());
    }

    #[test]
    fn a_schema_leads_nowhere() {
        for schema in [
            json!({ "$ref": "file:///etc/passwd" }),
            json!({ "$ref": "https://example.org/schema" }),
            json!({ "type": "nothing" }),
            json!({ "type": "string", "pattern": "(" }),
        ] {
            let asked = Asked { schema, ..asked(AnswerType::Text) };
            let error = fits(&asked, &json!("x")).unwrap_err();
            assert!(error.starts_with("the question has no usable schema"), "{error}");
        }
    }

    #[test]
    fn a_long_answer_is_quoted_in_a_few_words() {
        let error = fits(&asked(AnswerType::Boolean), &json!("x".repeat(1 << 20))).unwrap_err();
        assert!(error.len() < 200, "{}", error.len());
    }
}
