//! The document; and in a file of its own, limits.

mod limits;

use serde_json::Value;

use super::*;

fn document() -> Value {
    serde_json::from_str(&document_text().unwrap()).unwrap()
}

#[test]
fn every_path_is_in_the_document() {
    let document = document();
    let methods =
        |item: &Value| item.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let paths = document["paths"].as_object().unwrap();
    let lines: String =
        paths.iter().map(|(path, it)| format!("{path}: {}\n", methods(it))).collect();
    insta::assert_snapshot!(lines, @"
    /v1/conversations: get post
    /v1/conversations/{id}: get
    /v1/conversations/{id}/events: get post
    /v1/health: get
    /v1/openapi.json: get
    ");
}

#[test]
fn every_operation_says_what_can_go_wrong_and_needs_the_token() {
    let document = document();
    assert_eq!(document["security"], serde_json::json!([{ "token": [] }]));
    let paths = document["paths"].as_object().unwrap();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation.get("security").is_none(), "{method} {path} is as all others");
            for kind in ANYWHERE {
                let status = kind.status().as_u16().to_string();
                let content = &operation["responses"][&status]["content"];
                assert!(content.get(problem::MEDIA_TYPE).is_some(), "{method} {path}: {status}");
            }
        }
    }
}
