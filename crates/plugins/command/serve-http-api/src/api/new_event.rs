//! Events that a client may append: one table, from which both the check and the schema are made.
//!
//! The host checks again, and what depends on the conversation only there: that a result belongs to a
//! call, and a request to a turn. It ignores fields that it does not know; here they are mistakes, so that
//! a slip in a name does not go unnoticed.

use serde_json::{Map, Value};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        KnownFormat, ObjectBuilder, OneOfBuilder, RefOr, Schema, SchemaFormat, Type,
        schema::AdditionalProperties,
    },
};

/// An event to be appended.
#[derive(Debug)]
pub(super) struct NewEvent;

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Time,
    Flag,
    Object,
    Any,
}

/// One field: its name, what it is, whether it has to be there.
type Field = (&'static str, Shape, bool);

/// What events of one kind look like. A kind that has several forms is there several times.
struct Form {
    kind: &'static str,
    about: &'static str,
    fields: &'static [Field],
}

use Shape::{Any, Flag, Object, Text, Time};

const FORMS: &[Form] = &[
    Form { kind: "turn_start", about: "A turn begins.", fields: &[] },
    Form {
        kind: "chat_request",
        about: "What the user said.",
        fields: &[("content", Text, true), ("schema", Object, false), ("author", Text, false)],
    },
    Form {
        kind: "chat_response",
        about: "What the assistant said.",
        fields: &[("message", Text, true)],
    },
    Form {
        kind: "chat_response",
        about: "What the assistant thought.",
        fields: &[("reasoning", Text, true)],
    },
    Form {
        kind: "chat_response",
        about: "What the assistant answered by a schema.",
        fields: &[("data", Any, true)],
    },
    Form {
        kind: "tool_call_request",
        about: "The assistant calls a tool.",
        fields: &[("id", Text, true), ("name", Text, true), ("arguments", Object, true)],
    },
    Form {
        kind: "tool_call_response",
        about: "What came of a call that was made before.",
        fields: &[("id", Text, true), ("content", Text, true), ("is_error", Flag, true)],
    },
    Form {
        kind: "inquiry_request",
        about: "A tool asks something.",
        fields: &[("id", Text, true), ("source", Any, true), ("question", Object, true)],
    },
    Form {
        kind: "inquiry_response",
        about: "The answer to something that was asked before.",
        fields: &[("id", Text, true), ("answer", Any, true)],
    },
];

/// Fields that every event may have.
const COMMON: &[Field] = &[("timestamp", Time, false), ("metadata", Object, false)];

/// Whether an event follows the table; if not, why.
pub(super) fn check(event: &Value) -> Result<(), String> {
    let object = event.as_object().ok_or("an event is an object")?;
    let kind = object.get("type").and_then(Value::as_str).ok_or("an event needs a text `type`")?;
    let mut forms = FORMS.iter().filter(|form| form.kind == kind).peekable();
    if forms.peek().is_none() {
        let shown: String = kind.chars().take(60).collect();
        return Err(format!("`{shown}` is no type of event that can be appended"));
    }
    let mut first = None;
    for form in forms {
        match form.check(object) {
            Ok(()) => return Ok(()),
            // Of several forms the one that is meant has its field.
            Err(Mistake::Field(why)) => return Err(why),
            Err(Mistake::Missing(why)) => drop(first.get_or_insert(why)),
        }
    }
    Err(first.unwrap_or_default())
}

/// Why an event does not have a form.
enum Mistake {
    /// A field that the form needs is not there.
    Missing(String),
    Field(String),
}

impl Form {
    fn check(&self, object: &Map<String, Value>) -> Result<(), Mistake> {
        let Self { kind, .. } = self;
        for (name, _, required) in self.fields {
            if *required && !object.contains_key(*name) {
                return Err(Mistake::Missing(format!("`{kind}` needs `{name}`")));
            }
        }
        for (name, value) in object {
            if name == "type" {
                continue;
            }
            let field = self.fields.iter().chain(COMMON).find(|field| field.0 == name);
            let why = match field {
                None => "is no field of it".to_owned(),
                Some((_, shape, _)) if !shape.fits(value) => format!("is {}", shape.name()),
                Some(_) => continue,
            };
            let shown: String = name.chars().take(60).collect();
            return Err(Mistake::Field(format!("`{kind}`: `{shown}` {why}")));
        }
        Ok(())
    }

    fn schema(&self) -> Schema {
        let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([self.kind]));
        let object = ObjectBuilder::new()
            .description(Some(self.about))
            .property("type", kind)
            .required("type")
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
        let fields = self.fields.iter().chain(COMMON);
        let object = fields.fold(object, |object, (name, shape, required)| {
            let object = object.property(*name, shape.schema());
            if *required { object.required(*name) } else { object }
        });
        object.into()
    }
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            Time => value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()),
            Flag => value.is_boolean(),
            Object => value.is_object(),
            Any => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Text => "a text",
            Time => "a time such as 2026-03-18T13:19:13Z",
            Flag => "true or false",
            Object => "an object",
            Any => "anything",
        }
    }

    fn schema(self) -> Schema {
        let object = ObjectBuilder::new();
        let time = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        match self {
            Text => object.schema_type(Type::String).into(),
            Time => object.schema_type(Type::String).format(Some(time)).into(),
            Flag => object.schema_type(Type::Boolean).into(),
            Object => object.schema_type(Type::Object).into(),
            Any => object.schema_type(utoipa::openapi::schema::SchemaType::AnyValue).into(),
        }
    }
}

impl PartialSchema for NewEvent {
    fn schema() -> RefOr<Schema> {
        let all = FORMS.iter().fold(OneOfBuilder::new(), |all, form| all.item(form.schema()));
        all.into()
    }
}

impl ToSchema for NewEvent {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_follows_the_table() {
        for event in [
            json!({ "type": "turn_start" }),
            json!({ "type": "turn_start", "timestamp": "2026-03-18T13:19:13Z", "metadata": {} }),
            json!({ "type": "chat_request", "content": "", "author": "Ada", "schema": {} }),
            json!({ "type": "chat_response", "reasoning": "r" }),
            json!({ "type": "chat_response", "data": null }),
            json!({ "type": "tool_call_response", "id": "1", "content": "c", "is_error": false }),
        ] {
            assert_eq!(check(&event), Ok(()), "{event}");
        }
    }

    #[test]
    fn what_does_not_and_why() {
        let check = |event: Value, want: &str| {
            assert_eq!(check(&event).unwrap_err(), want, "{event}");
        };
        check(json!([]), "an event is an object");
        check(json!({ "type": 1 }), "an event needs a text `type`");
        check(
            json!({ "type": "config_delta" }),
            "`config_delta` is no type of event that can be appended",
        );
        check(json!({ "type": "chat_request" }), "`chat_request` needs `content`");
        check(json!({ "type": "chat_response" }), "`chat_response` needs `message`");
        check(
            json!({ "type": "chat_response", "message": "m", "reasoning": "r" }),
            "`chat_response`: `reasoning` is no field of it",
        );
        check(
            json!({ "type": "chat_request", "content": 1 }),
            "`chat_request`: `content` is a text",
        );
        check(
            json!({ "type": "turn_start", "timestamp": "yesterday" }),
            "`turn_start`: `timestamp` is a time such as 2026-03-18T13:19:13Z",
        );
    }
}
