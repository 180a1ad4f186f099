//! `[project]`: what each backend needs, and what it does not read.

use super::{config, errors, merged, rendered};
use crate::project::ProjectBackend;
use crate::{Config, Layer};

#[test]
fn every_backend_is_read() {
    let check = |text: &str, wanted: ProjectBackend| {
        let config = config(text);
        assert_eq!(config.app.project.backend, wanted, "{text}");
        assert_eq!(config.get(Some("project.backend")).unwrap(), wanted.name());
        assert!(config.warnings().is_empty(), "{text}");
    };
    check("", ProjectBackend::Fs);
    check("project.backend = 'fs'", ProjectBackend::Fs);
    check("project.backend = 'memory'", ProjectBackend::Memory);
    check("project = { backend = 'sqlite', path = 'files.db' }", ProjectBackend::Sqlite);
    let s3 = "[project]\nbackend = 'opendal'\nscheme = 's3'\n\
              options = { bucket = 'b', secret_access_key = '${KEY}' }";
    check(s3, ProjectBackend::Opendal);
    let project = config(s3).app.project;
    assert_eq!(project.scheme.as_deref(), Some("s3"));
    assert_eq!(
        (&*project.options["bucket"], &*project.options["secret_access_key"]),
        ("b", "${KEY}")
    );
}

#[test]
fn a_backend_without_what_it_needs_is_an_error() {
    insta::assert_snapshot!(rendered("[project]\nbackend = 'sqlite'\n"), @r#"
    error: `project.backend` is "sqlite", which needs `project.path`
     --> .jp/config.toml:2:11
      |
    2 | backend = 'sqlite'
      |           ^^^^^^^^
      |
      = help: `path` is the file of the database
    "#);
    insta::assert_snapshot!(errors("[project]\nbackend = 'opendal'\noptions = { a = 1 }"), @r#"
    w.toml:2:11: `project.backend` is "opendal", which needs `project.scheme`
    w.toml:3:17: `project.options.a` must be a string, found an integer
    "#);
    insta::assert_snapshot!(errors("[project]\nbackend = 's3'"), @r#"w.toml:2:11: `project.backend` must be one of "fs", "memory", "sqlite", "opendal", found "s3""#);
}

fn warnings(config: &Config) -> String {
    let all: Vec<String> = config.warnings().problems().map(|it| it.to_string()).collect();
    all.join("\n")
}

#[test]
fn what_the_backend_does_not_read_is_warned_of() {
    insta::assert_snapshot!(warnings(&config("project.path = 'x'")), @r#"w.toml:1:9: `project.path` has no effect: `project.backend` is "fs", and only "sqlite" reads it"#);
    insta::assert_snapshot!(warnings(&config("[project]\nbackend='sqlite'\npath='x'\nscheme='s3'\noptions={a='b'}")), @r#"
    w.toml:4:1: `project.scheme` has no effect: `project.backend` is "sqlite", and only "opendal" reads it
    w.toml:5:1: `project.options` has no effect: `project.backend` is "sqlite", and only "opendal" reads it
    "#);
}

/// A trial run on another backend is not told about what stands in the workspace's file.
#[test]
fn a_layer_may_choose_another_backend_for_once() {
    let config = merged(vec![
        Layer::workspace("w", "[project]\nbackend = 'sqlite'\npath = 'x'"),
        Layer::assignment("project.backend=memory"),
    ]);
    assert_eq!(config.app.project.backend, ProjectBackend::Memory);
    assert!(config.warnings().is_empty());
}

#[test]
fn a_secret_that_stands_in_the_file_is_warned_of_and_not_repeated() {
    let text = "[project]\nbackend='opendal'\nscheme='s3'\n\
                options = { Secret_Access_Key = 'abc', session_token = '${T}', bucket = 'b' }";
    insta::assert_snapshot!(warnings(&config(text)), @"w.toml:4:13: `project.options.Secret_Access_Key` stands in the file as it is");
}
