//! `[assistant]`: who answers, how it was told to behave, and which model it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::types::mergeable::MergeableVec;

/// Who answers, and with which model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantConfig {
    /// The name the assistant goes by.
    pub name: String,
    /// What the assistant is told before every conversation, one instruction per element.
    pub instructions: MergeableVec<String>,
    /// Which model answers.
    pub model: ModelConfig,
}

impl Default for AssistantConfig {
    fn default() -> Self {
        Self {
            name: "JP".to_owned(),
            instructions: MergeableVec::default(),
            model: ModelConfig::default(),
        }
    }
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// The model's identity.
    pub id: ModelIdConfig,
    /// Parameters handed to the provider as they are, such as `temperature`.
    pub parameters: Map<String, Value>,
}

/// The model's identity.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelIdConfig {
    /// Who serves the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What the provider calls the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
