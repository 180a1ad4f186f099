//! Tests of the whole way from texts to a configuration, by subject.

mod access_like;
mod any;
mod assignments;
mod defaults;
mod delta;
mod documents;
mod errors;
mod hostile;
mod layers;
mod project;
mod providers;
mod sandbox;
mod schema;
mod show;
mod tools;
mod vfs;

use crate::{Config, Layer};

/// The configuration of one file, which must be right.
fn config(text: &str) -> Config {
    Config::load(vec![Layer::workspace("w.toml", text)]).unwrap_or_else(|it| panic!("{it}"))
}

/// The configuration of several layers, which must be right.
fn merged(layers: Vec<Layer>) -> Config {
    Config::load(layers).unwrap_or_else(|it| panic!("{it}"))
}

/// What is wrong with one file, a line each.
fn errors(text: &str) -> String {
    errors_of(vec![Layer::workspace("w.toml", text)])
}

/// What is wrong with several layers, a line each.
fn errors_of(layers: Vec<Layer>) -> String {
    match Config::load(layers) {
        Ok(_) => panic!("the configuration was accepted"),
        Err(errors) => errors.to_string(),
    }
}

/// What is wrong with one file, as people see it.
fn rendered(text: &str) -> String {
    match Config::load(vec![Layer::workspace(".jp/config.toml", text)]) {
        Ok(_) => panic!("the configuration was accepted"),
        Err(errors) => errors.render(false),
    }
}
