//! A question as a form of MCP, and what comes back.

use jp_tool::Question;
use rmcp::{
    ErrorData,
    model::{ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationSchema, InputRequest},
};
use serde_json::{Value, json};

/// The form as a request inside an answer, for a round trip.
pub(super) fn request(question: &Question) -> Result<InputRequest, ErrorData> {
    params(question).map(|params| InputRequest::Elicitation(ElicitRequest::new(params)))
}

/// A form with one field, named by the id of the question.
pub(super) fn params(question: &Question) -> Result<ElicitRequestParams, ErrorData> {
    let message = match &question.pre_amble {
        Some(details) => format!("{details}\n\n{}", question.text),
        None => question.text.clone(),
    };
    let schema = schema(question).map_err(|error| {
        let text = format!("the question `{}` makes no form: {error}", question.id);
        ErrorData::internal_error(text, None)
    })?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema })
}

/// The answer of a client to one form.
pub(super) fn result(id: &str, response: &Value) -> Result<ElicitResult, ErrorData> {
    serde_json::from_value(response.clone()).map_err(|error| {
        let text = format!("`inputResponses.{id}` is no answer to a form: {error}");
        ErrorData::invalid_params(text, None)
    })
}

fn schema(question: &Question) -> serde_json::Result<ElicitationSchema> {
    let mut field = question.answer_type.schema();
    field["title"] = json!(question.text);
    if let Some(default) = &question.default {
        field["default"] = default.clone();
    }
    let id = &question.id;
    let schema = json!({ "type": "object", "properties": { id: field }, "required": [id] });
    serde_json::from_value(schema)
}
