//! Forms that a server wants filled in, as questions.
//!
//! MCP asks by forms: a message and a schema of an object with several fields, and a round can have
//! several forms. jp asks one question at a time, whoever asks. So each field becomes a question of its
//! own, and when all are answered, the answers become the forms again. A field that need not be given and
//! has no default can be left empty, and is left out then.
//!
//! The ids are the names of the fields, so that an answer can be given beforehand; where a round has
//! several forms, `<form>.<field>`. A server may ask in a later round what it has asked before (it did
//! not like the answer); that is another question and has a number behind its name.

use std::collections::HashSet;

use indexmap::IndexMap;
use jp_mcp::{ElicitAnswer, Form};
use jp_tool::ContentBlock;
use serde_json::{Map, Value, json};

use crate::tool::outcome::Asked;

/// The id of the question that a form without fields is.
const ACCEPT: &str = "accept";

/// So many fields are asked of one form. A larger one is declined.
const MOST_FIELDS: usize = 50;

/// The forms of one round.
#[derive(Debug)]
pub(crate) struct Forms(Vec<OpenForm>);

#[derive(Debug)]
struct OpenForm {
    key: String,
    fields: Vec<Field>,
    declined: bool,
}

#[derive(Debug)]
struct Field {
    /// Its name in the form; `None` for the question whether a form without fields is accepted.
    name: Option<String>,
    asked: Asked,
}

impl Forms {
    /// The questions of a round. `used` are the ids that earlier rounds of the same call had; those of
    /// this one are added. Also says what of it cannot be asked here.
    pub(crate) fn new(
        requests: IndexMap<String, Form>,
        used: &mut HashSet<String>,
    ) -> (Self, Vec<String>) {
        let is_alone = requests.len() == 1;
        let mut notices = Vec::new();
        let open = requests.into_iter().map(|(key, form)| {
            let prefix = if is_alone { String::new() } else { format!("{key}.") };
            let fields = match fields(&form, &prefix, used) {
                Ok(fields) => fields,
                Err(notice) => {
                    notices.push(notice);
                    return OpenForm { key, fields: Vec::new(), declined: true };
                }
            };
            OpenForm { key, fields, declined: false }
        });
        let forms = Self(open.collect());
        (forms, notices)
    }

    /// The next question that has no answer yet.
    pub(crate) fn next(&self, answers: &Map<String, Value>) -> Option<&Asked> {
        let open = self.0.iter().filter(|form| !form.declined);
        open.flat_map(|form| &form.fields)
            .map(|field| &field.asked)
            .find(|asked| !answers.contains_key(&asked.id))
    }

    /// Declines the form that a question belongs to; whether there is one.
    pub(crate) fn decline(&mut self, id: &str) -> bool {
        let has = |form: &&mut OpenForm| form.fields.iter().any(|field| field.asked.id == id);
        let found = self.0.iter_mut().find(has);
        found.map(|form| form.declined = true).is_some()
    }

    /// The ids of all questions.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|form| &form.fields).map(|field| field.asked.id.as_str())
    }

    /// What became of each form.
    pub(crate) fn replies(&self, answers: &Map<String, Value>) -> IndexMap<String, ElicitAnswer> {
        self.0.iter().map(|form| (form.key.clone(), form.reply(answers))).collect()
    }
}

impl OpenForm {
    fn reply(&self, answers: &Map<String, Value>) -> ElicitAnswer {
        if self.declined {
            return ElicitAnswer::Decline;
        }
        let mut filled = Map::new();
        for Field { name, asked } in &self.fields {
            match (name, answers.get(&asked.id)) {
                // Whoever says no to a form without fields declines it.
                (None, answer) if answer != Some(&Value::Bool(true)) => {
                    return ElicitAnswer::Decline;
                }
                (Some(name), Some(answer)) if !is_left_out(asked, answer) => {
                    filled.insert(name.clone(), answer.clone());
                }
                _ => {}
            }
        }
        ElicitAnswer::Accept(filled)
    }
}

/// A field that need not be given has `null` as its default, and an empty answer leaves it out.
fn is_left_out(asked: &Asked, answer: &Value) -> bool {
    asked.default == Some(Value::Null) && (answer.is_null() || answer == "")
}

fn fields(form: &Form, prefix: &str, used: &mut HashSet<String>) -> Result<Vec<Field>, String> {
    if let Some(url) = &form.url {
        return Err(format!(
            "the server wants a page to be visited, which is declined here: {} ({url})",
            form.message
        ));
    }
    let properties = form.schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        let schema = json!({ "type": "boolean" });
        let (id, text) = (free(&format!("{prefix}{ACCEPT}"), used), form.message.clone());
        let asked = Asked { id, text, preamble: Vec::new().into(), schema, default: None };
        return Ok(vec![Field { name: None, asked }]);
    };
    if properties.len() > MOST_FIELDS {
        let count = properties.len();
        return Err(format!("the server asks {count} things at once, which is declined here"));
    }
    let required = form.schema.get("required").and_then(Value::as_array);
    let mut preamble = Some(form.message.as_str()).filter(|message| !message.trim().is_empty());
    let is_single = properties.len() == 1;
    let fields = properties.iter().map(|(name, schema)| {
        let is_required = required.is_some_and(|all| all.iter().any(|it| it == name));
        let id = free(&format!("{prefix}{name}"), used);
        let (schema, titles) = plain(schema);
        let said = words(name, &schema);
        // One field is one question, and the message is its text.
        let text = match preamble.filter(|_| is_single) {
            Some(message) => std::mem::take(&mut preamble).unwrap_or(message).to_owned(),
            None => said,
        };
        let blocks = preamble.take().map(ToOwned::to_owned).into_iter().chain(titles);
        let preamble = blocks.map(ContentBlock::text).collect::<Vec<_>>().into();
        let default = schema.get("default").cloned();
        let (schema, default) =
            if is_required { (schema, default) } else { optional(schema, default) };
        Field { name: Some(name.clone()), asked: Asked { id, text, preamble, schema, default } }
    });
    Ok(fields.collect())
}

/// An id that no other question of the call has.
fn free(wanted: &str, used: &mut HashSet<String>) -> String {
    let mut id = wanted.to_owned();
    let mut number = 2;
    while !used.insert(id.clone()) {
        id = format!("{wanted}.{number}");
        number += 1;
    }
    id
}

/// The question that a field is.
fn words(name: &str, schema: &Value) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("title"), text("description")) {
        (Some(title), Some(description)) => format!("{title}: {description}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => name.to_owned(),
    }
}

/// The schema of a field in the words that a terminal can offer, and what its choices mean.
fn plain(schema: &Value) -> (Value, Option<String>) {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    let names = schema.shift_remove("enumNames");
    let titled = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    let choice =
        |one: &Value| Some((one.get("const")?.as_str()?.to_owned(), one.get("title").cloned()));
    let choices = titled.and_then(|all| all.iter().map(choice).collect::<Option<Vec<_>>>());
    let choices = choices.or_else(|| {
        let values = schema.get("enum")?.as_array()?.iter();
        let names = names.as_ref()?.as_array()?.iter().cloned().map(Some);
        values.zip(names).map(|(value, name)| Some((value.as_str()?.to_owned(), name))).collect()
    });
    let Some(choices) = choices else { return (Value::Object(schema), None) };
    for key in ["oneOf", "anyOf"] {
        schema.shift_remove(key);
    }
    let values: Vec<_> = choices.iter().map(|(value, _)| value.as_str()).collect();
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), json!(values));
    let meaning = choices.iter().filter_map(|(value, title)| {
        let title = title.as_ref()?.as_str()?;
        (title != value).then(|| format!("{value}: {title}"))
    });
    let meanings = meaning.collect::<Vec<_>>().join("\n");
    (Value::Object(schema), (!meanings.is_empty()).then_some(meanings))
}

/// A field that can be left empty: nobody has to answer, and an empty line is an answer.
fn optional(schema: Value, default: Option<Value>) -> (Value, Option<Value>) {
    if default.is_some() {
        return (schema, default);
    }
    let is_choice = schema.get("enum").is_some() || schema["type"] == "boolean";
    let takes_empty = is_choice || schema["type"] == "string" && schema.get("minLength").is_none();
    let schema = if takes_empty { schema } else { json!({ "anyOf": [schema, { "const": "" }] }) };
    (schema, Some(Value::Null))
}

#[cfg(test)]
mod tests;
