//! `[style]`: how output looks, and how much of other people's terminal codes it lets through.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How output looks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StyleConfig {
    /// When output is colored.
    pub color: ColorMode,
    /// How many colors the terminal shows.
    pub color_depth: ColorDepth,
    /// The theme for highlighted code. Unset: the built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// How Markdown is laid out.
    pub markdown: MarkdownConfig,
    /// Whether text from plugins and tools keeps its terminal control sequences. Colors are
    /// always kept.
    pub control_sequences: ControlSequences,
}

/// When output is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColorMode {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// How many colors the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColorDepth {
    /// As many as the terminal says it has.
    #[default]
    Auto,
    /// The sixteen basic colors.
    #[serde(rename = "16")]
    Basic,
    /// The palette of 256 colors.
    #[serde(rename = "256")]
    Palette,
    /// All of them.
    #[serde(rename = "truecolor")]
    TrueColor,
}

/// How Markdown is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarkdownConfig {
    /// The width of the text in columns. Unset: the width of the terminal.
    #[schemars(range(min = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u16>,
}

/// What becomes of terminal control sequences in other people's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlSequences {
    /// Everything but colors is removed.
    #[default]
    Strip,
    /// They are passed on as they are.
    Keep,
}
