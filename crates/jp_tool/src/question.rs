//! What a tool asks before it can go on.
//!
//! A tool does not wait for the answer. It ends with a question, and is started again with the same
//! arguments and the answers given so far, by the id of the question.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A question to a person or to the assistant; who is asked is up to the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The key under which the answer comes back.
    pub id: String,
    /// The question, in one line.
    pub text: String,
    /// What there is to know before answering, such as a diff; shown above the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_amble: Option<String>,
    /// What kind of answer is expected.
    pub answer_type: AnswerType,
    /// The answer that is taken where nobody can be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

impl Question {
    /// A question without preamble and default.
    pub fn new(id: impl Into<String>, text: impl Into<String>, answer_type: AnswerType) -> Self {
        Self { id: id.into(), text: text.into(), pre_amble: None, answer_type, default: None }
    }
}

/// The kind of an answer.
///
/// An answer type is understood whole or not at all: a word that a reader does not know could
/// change what the answer has to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AnswerType {
    /// Yes or no.
    Boolean,
    /// One of several.
    Select {
        /// What can be chosen, in the order in which it is offered.
        options: Vec<String>,
    },
    /// Any text.
    Text,
}

impl AnswerType {
    /// The JSON Schema of an answer.
    pub fn schema(&self) -> Value {
        match self {
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Select { options } => json!({ "type": "string", "enum": options }),
            Self::Text => json!({ "type": "string" }),
        }
    }

    /// The answer type that means the same as this JSON Schema. `None` for a schema that says more
    /// than an answer type can: the answer has to be judged by the schema itself.
    pub fn from_schema(schema: &Value) -> Option<Self> {
        let known = ["type", "enum", "title", "description", "default", "$schema"];
        let schema = schema.as_object()?;
        if !schema.keys().all(|key| known.contains(&key.as_str())) {
            return None;
        }
        match (schema.get("type")?.as_str()?, schema.get("enum")) {
            ("boolean", None) => Some(Self::Boolean),
            ("string", None) => Some(Self::Text),
            ("string", Some(values)) => {
                let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
                let options = values.as_array()?.iter().map(text).collect::<Option<_>>()?;
                Some(Self::Select { options })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(options: &[&str]) -> AnswerType {
        AnswerType::Select { options: options.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn answer_types_have_their_names_on_the_wire() {
        for (wire, answer_type) in [
            (r#""Boolean""#, AnswerType::Boolean),
            (r#""Text""#, AnswerType::Text),
            (r#"{"Select":{"options":["a","b"]}}"#, select(&["a", "b"])),
        ] {
            assert_eq!(serde_json::to_string(&answer_type).unwrap(), wire);
            assert_eq!(serde_json::from_str::<AnswerType>(wire).unwrap(), answer_type);
        }
        for wire in [
            r#""boolean""#,
            r#""Select""#,
            r#"{"Select":{"options":["a"],"many":true}}"#,
            r#"{"Select":{"options":[1]}}"#,
            r#"{"Text":{}}"#,
            "null",
        ] {
            assert!(serde_json::from_str::<AnswerType>(wire).is_err(), "{wire}");
        }
    }

    #[test]
    fn a_question_needs_id_text_and_answer_type_only() {
        let short = r#"{"id":"go","text":"Go on?","answer_type":"Boolean"}"#;
        let question = Question::new("go", "Go on?", AnswerType::Boolean);
        assert_eq!(serde_json::from_str::<Question>(short).unwrap(), question);
        assert_eq!(serde_json::to_string(&question).unwrap(), short);
        for part in [r#""id":"go","#, r#""text":"Go on?","#, r#","answer_type":"Boolean""#] {
            let rest = short.replace(part, "");
            assert_ne!(rest, short);
            assert!(serde_json::from_str::<Question>(&rest).is_err(), "{rest}");
        }
        let newer = short.replace('{', r#"{"color":"red","#);
        assert_eq!(serde_json::from_str::<Question>(&newer).unwrap(), question);
    }

    #[test]
    fn an_answer_type_survives_as_a_schema() {
        for answer_type in [AnswerType::Boolean, AnswerType::Text, select(&["x", "y"]), select(&[])]
        {
            assert_eq!(AnswerType::from_schema(&answer_type.schema()), Some(answer_type));
        }
    }

    #[test]
    fn a_schema_that_says_more_is_no_answer_type() {
        for schema in [
            json!({ "type": "string", "minLength": 3 }),
            json!({ "type": "string", "enum": ["a", 1] }),
            json!({ "type": "string", "enum": "a" }),
            json!({ "type": "boolean", "enum": [true] }),
            json!({ "type": ["string", "null"] }),
            json!({ "type": "integer" }),
            json!({ "enum": ["a"] }),
            json!({}),
            json!(true),
        ] {
            assert_eq!(AnswerType::from_schema(&schema), None, "{schema}");
        }
        let described = json!({ "type": "boolean", "description": "Really?" });
        assert_eq!(AnswerType::from_schema(&described), Some(AnswerType::Boolean));
    }
}
