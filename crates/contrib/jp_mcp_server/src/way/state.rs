//! The `requestState` of a round trip: the answers of earlier rounds, and the call they belong to.

use rmcp::{ErrorData, model::CallToolRequestParams};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Answers are short; what is longer did not come from us.
const MAX_STATE: usize = 64 << 10;

/// What a client carries from one round to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// Which call the answers belong to.
    call: String,
    /// The answers, by the id of the question.
    pub(super) answers: Map<String, Value>,
}

impl State {
    /// The state that came with a call, or that of a call which begins.
    pub(super) fn of(params: &CallToolRequestParams) -> Result<Self, ErrorData> {
        let call = digest(params);
        let Some(text) = &params.request_state else {
            return Ok(Self { call, answers: Map::new() });
        };
        if text.len() > MAX_STATE {
            return Err(invalid(&format!("is longer than {} KiB", MAX_STATE >> 10)));
        }
        let state: Self =
            serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        if state.call != call {
            return Err(invalid("belongs to a call with another tool or other arguments"));
        }
        Ok(state)
    }

    pub(super) fn encode(&self) -> String {
        // Strings and JSON values can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn invalid(why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("`requestState` {why}; call again without it"), None)
}

/// The tool and its arguments, in an order that does not depend on the client.
fn digest(params: &CallToolRequestParams) -> String {
    let mut arguments = Value::Object(params.arguments.clone().unwrap_or_default());
    arguments.sort_all_objects();
    let mut hash = Sha256::new();
    hash.update(params.name.as_bytes());
    hash.update([0]);
    hash.update(arguments.to_string().as_bytes());
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
