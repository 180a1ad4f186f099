//! Settings: layers of TOML, merged, checked, and explained.
//!
//! A configuration is made of layers, later ones winning: built-in defaults, the user's file, the
//! workspace's file, a `.jp.toml` in each directory, and what `--cfg` gives. [`Config::load`]
//! takes their texts and gives [`AppConfig`], plain values, together with the knowledge of where
//! each value was written; or everything that is wrong, each with file, line, column, key and the
//! nearest key that exists.
//!
//! The types in [`AppConfig`] are the one source of truth. The JSON Schema is derived from them,
//! the checks read that schema, and so do `--cfg`, `config show` and the reference in the
//! documentation.
//!
//! This crate does not read files, the environment or the current directory, and prints nothing.

mod app;
mod assign;
pub mod assistant;
mod check;
mod config;
pub mod conversation;
mod delta;
mod dotted;
mod edit;
mod emit;
mod error;
mod finish;
mod foreign;
pub mod layer;
mod lookup;
mod merge;
mod node;
mod parse;
mod phrase;
pub mod plugins;
pub mod project;
pub mod providers;
mod reference;
mod render;
mod required;
pub mod sandbox;
mod schema;
pub mod server;
mod shape;
mod show;
mod source;
pub mod style;
mod suggest;
mod template;
mod typed;
mod types;
pub mod vfs;

#[cfg(test)]
mod tests;

pub use app::AppConfig;
pub use config::Config;
pub use conversation::tool::access::compile::{Policies, ToolPolicy};
pub use delta::{Delta, DeltaError};
pub use dotted::{DottedError, MAX_DEPTH};
pub use edit::{Edit, EditError};
pub use error::{ConfigErrors, Problem, Report};
pub use foreign::Foreign;
pub use layer::{Candidate, CfgArgument, Layer, LayerKind, MAX_LAYER_BYTES};
pub use lookup::PathError;
pub use reference::reference;
pub use schema::{schema, schema_text};
pub use show::ShowFormat;
pub use suggest::nearest;
pub use template::{SCHEMA_FILE, ToolTable, template};
pub use types::format::{
    BindAddress, FormatError, HttpUrl, ProgramPath, RegistryUrl, SensitivePattern, Sha256,
    SystemPath,
};
pub use types::mergeable::{MergeableVec, Strategy};
pub use types::name_map::NameMap;
