//! A sealed tool that sends whatever requests a test has, through the real program.

use std::time::Duration;

use jp_test::{Output, Run, TestEnv};
use serde_json::{Value, json};

use super::sandbox::world;

pub(super) const LIMIT: Duration = Duration::from_mins(1);

const CONFIG: &str = "\
[conversation.tools.ask]
source = \"local\"
command = \"python3 tools/ask.py\"
runtime = \"vfs\"
run = \"unattended\"
parameters.requests = { type = \"array\", items = { type = \"object\" } }
parameters.hidden = { type = \"string\", default = \"\" }
";

/// What came of the requests of one call.
#[derive(Debug)]
pub(super) struct Asked {
    /// The answers, in the order of the requests.
    pub(super) answers: Vec<Value>,
    /// Whether what was to be hidden was in anything that the tool was sent.
    pub(super) leaked: bool,
    /// What jp printed.
    pub(super) output: Output,
}

impl Asked {
    pub(super) fn from(output: Output) -> Self {
        let output = output.success();
        let report: Value = serde_json::from_str(output.stdout()).expect("the report is JSON");
        let answers = report["answers"].as_array().expect("there are answers").clone();
        Self { answers, leaked: report["leaked"] == true, output }
    }

    /// The code of each answer; 0 is a result.
    pub(super) fn codes(&self) -> Vec<i64> {
        let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap_or(0);
        self.answers.iter().map(code).collect()
    }

    /// The result of the request with this number.
    #[track_caller]
    pub(super) fn result(&self, number: usize) -> &Value {
        let answer = &self.answers[number];
        answer.get("result").unwrap_or_else(|| panic!("request {number}: {answer}"))
    }

    /// The message of the error of the request with this number.
    #[track_caller]
    pub(super) fn message(&self, number: usize) -> &str {
        let answer = &self.answers[number];
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("request {number}: {answer}"))
    }
}

/// A workspace with the tool. What stands before the first table of `settings` is its own.
pub(super) fn workspace(settings: &str) -> TestEnv {
    let env = world();
    env.write("tools/ask.py", include_str!("vfs_client/ask.py"));
    configure(&env, settings);
    env
}

/// Gives the tool other settings.
pub(super) fn configure(env: &TestEnv, settings: &str) {
    env.write(".jp/config.toml", format!("{CONFIG}{settings}"));
}

/// A call that sends these requests.
pub(super) fn call<'env>(env: &'env TestEnv, requests: &[Value], more: &[&str]) -> Run<'env> {
    hiding(env, requests, "", more)
}

/// The same, with something that the tool must not be told.
pub(super) fn hiding<'env>(
    env: &'env TestEnv,
    requests: &[Value],
    hidden: &str,
    more: &[&str],
) -> Run<'env> {
    let hidden: String = hidden.chars().rev().collect();
    let arguments = json!({ "requests": requests, "hidden": hidden }).to_string();
    let words = ["tool", "run", "ask", "--json", &arguments];
    env.jp(words.into_iter().chain(more.iter().copied())).timeout(LIMIT)
}

/// One request.
pub(super) fn request(method: &str, params: &Value) -> Value {
    json!({ "method": method, "params": params })
}
