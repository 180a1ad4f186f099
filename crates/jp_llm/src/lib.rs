//! What stands between the model and the tools it asks for.

#![warn(missing_docs)]

pub mod tool;
