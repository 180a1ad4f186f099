//! The client that the conformance suite starts: `jp_mcp`, doing what a scenario hopes for.
//!
//! It does the same in every scenario: it lists the tools, calls each of them, fills forms with their
//! defaults, and calls a tool that has questions again with the answers. Where a server wants a login it
//! does what `jp mcp login` does, with a browser that says yes to everything (`browser`), and tries again.
//! What goes over the wire is `jp_mcp`'s.

use std::time::Duration;
use std::{env, fs, sync::Arc};

use camino::Utf8PathBuf;
use jp_mcp::oauth::{Grant, OAuth, OAuthSpec, Proof};
use jp_mcp::{
    BoxFuture, Call, Called, Client, Connect, ElicitAnswer, Elicitor, Era, Form, Http, LoginError,
    McpError, ServerSpec, Tool, Tools,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::browser::Agreeing;
use crate::failure::{Failure, Result};

/// Shorter than the patience of the suite, so that a failure is ours and says why.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many rounds of questions are answered.
const ROUNDS: usize = 5;
/// So many logins are made for one request: one to be let in, and one for more rights.
const LOGINS: usize = 2;
/// Where the suite believes that a description of the client is.
const DESCRIPTION: &str = "https://conformance-test.local/client-metadata.json";

/// Speaks with the server at this address.
pub(crate) fn run(url: &str) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::because("cannot start"))?;
    let place = tempfile::tempdir().map_err(Failure::because("a place for logins"))?;
    let place = Utf8PathBuf::try_from(place.path().to_owned()).map_err(failure)?;
    let url: url::Url = url.parse().map_err(Failure::because(url))?;
    let login = OAuth::new(OAuthSpec {
        server: url.clone(),
        owner: String::new(),
        grant: grant(&context(), &place)?,
        scopes: Vec::new(),
        store: Some(place.join("tokens")),
        answer_within: PATIENCE,
        login_within: PATIENCE,
    });
    let authorizer = Some(Arc::new(login.clone()) as _);
    let connect = Connect::Http(Http { url, headers: Vec::new(), authorizer });
    let client = Client::new(ServerSpec {
        name: "conformance".to_owned(),
        connect,
        stateful: true,
        startup: PATIENCE,
        patience: PATIENCE,
        roots: Vec::new(),
        era: Some(era(env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok().as_deref())),
    });
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    runtime.block_on(async {
        let result = play(&client, &login, &scenario).await;
        client.close().await;
        result
    })
}

/// The suite says which era it plays, as a configuration remembers it.
fn era(revision: Option<&str>) -> Era {
    match revision {
        Some(revision) if revision >= "2026-07-28" => Era::Modern,
        _ => Era::Legacy,
    }
}

/// Who logs in, as far as the suite says it; else a person at a browser, with a client that is not known
/// yet.
fn grant(context: &Value, place: &Utf8PathBuf) -> Result<Grant> {
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let metadata_url = Some(DESCRIPTION.parse().map_err(Failure::because(DESCRIPTION))?);
    let by_itself = env::var("MCP_CONFORMANCE_SCENARIO")
        .is_ok_and(|scenario| scenario.contains("client-credentials"));
    let Some(client) = text("client_id") else {
        return Ok(Grant::Person { client: None, metadata_url });
    };
    match (by_itself, text("client_secret"), text("private_key_pem")) {
        (true, _, Some(key)) => {
            let file = place.join("key.pem");
            fs::write(&file, key).map_err(Failure::because(&file))?;
            Ok(Grant::Machine { client, proof: Proof::KeyFile(file) })
        }
        (true, Some(secret), None) => Ok(Grant::Machine { client, proof: Proof::Secret(secret) }),
        (_, secret, _) => Ok(Grant::Person { client: Some((client, secret)), metadata_url }),
    }
}

async fn play(client: &Client, login: &OAuth, scenario: &str) -> Result {
    let tools = let_in(login, async || client.tools().await).await?;
    for (name, arguments) in calls(&tools, scripted()) {
        call(client, login, &name, &arguments).await?;
    }
    if scenario == "http-standard-headers" {
        client.read_resource("file:///path/to/file%20name.txt").await.map_err(failure)?;
    }
    Ok(())
}

/// Does it, and logs in and does it again where the server wants that.
async fn let_in<T>(
    login: &OAuth,
    ask: impl AsyncFn() -> std::result::Result<T, McpError>,
) -> Result<T> {
    for _ in 0..LOGINS {
        match ask().await {
            Err(McpError::Login { source, .. })
                if matches!(*source, LoginError::Needed | LoginError::MoreRights(_)) =>
            {
                login.login(&Agreeing).await.map_err(failure)?;
            }
            done => return done.map_err(failure),
        }
    }
    ask().await.map_err(failure)
}

/// What the suite tells about a scenario.
fn context() -> Value {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    serde_json::from_str(&context).unwrap_or_default()
}

/// The calls that a scenario asks for by name, if it does.
fn scripted() -> Option<Vec<(String, Map<String, Value>)>> {
    let context = context();
    let call = |call: &Value| {
        Some((call["name"].as_str()?.to_owned(), call["arguments"].as_object()?.clone()))
    };
    context["toolCalls"].as_array()?.iter().map(call).collect()
}

/// What to call: as scripted, else every tool once.
fn calls(
    tools: &Tools,
    scripted: Option<Vec<(String, Map<String, Value>)>>,
) -> Vec<(String, Map<String, Value>)> {
    scripted.unwrap_or_else(|| {
        let call = |tool: &Tool| (tool.name.clone(), arguments(tools, tool));
        tools.tools.iter().map(call).collect()
    })
}

/// Arguments that fit the schema. A tool that wants to see a schema gets that of the first tool, as it
/// came.
fn arguments(tools: &Tools, tool: &Tool) -> Map<String, Value> {
    let mut arguments = filled(&Value::Object(tool.input_schema.clone()));
    if let (Some(schema), Some(first)) = (arguments.get_mut("schema"), tools.tools.first()) {
        *schema = Value::Object(first.input_schema.clone());
    }
    arguments
}

/// An object with all properties of a schema: the default where there is one.
fn filled(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object();
    let fields = properties.into_iter().flatten();
    fields.map(|(name, field)| (name.clone(), sample(field))).collect()
}

fn sample(field: &Value) -> Value {
    if let Some(default) = field.get("default") {
        return default.clone();
    }
    if let Some(first) = field["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match field["type"].as_str() {
        Some("number" | "integer") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => Value::Object(filled(field)),
        _ => json!("word"),
    }
}

/// Calls a tool, and again with the answers to what it asks.
async fn call(
    client: &Client,
    login: &OAuth,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result {
    let mut resume = None;
    for _ in 0..ROUNDS {
        let given = resume.take();
        let called = let_in(login, async || {
            let call = Call {
                tool,
                arguments,
                meta: None,
                resume: given.clone(),
                elicitor: &Defaults,
                progress: None,
                cancel: &CancellationToken::new(),
            };
            match client.call_tool(call).await {
                // A refusal is an answer as well: some of these servers only list their tools.
                Err(McpError::Refused { .. }) => Ok(None),
                called => called.map(Some),
            }
        });
        match called.await? {
            None | Some(Called::Done(_)) => return Ok(()),
            Some(Called::InputRequired(round)) => {
                let answer = |form: &Form| ElicitAnswer::Accept(filled(&form.schema));
                let answers = round.forms.iter().map(|(key, form)| (key.clone(), answer(form)));
                resume = Some(round.resume(answers.collect()));
            }
        }
    }
    Err(Failure::new(format!("`{tool}` never stops asking")))
}

/// Fills every form with what it proposes.
struct Defaults;

impl Elicitor for Defaults {
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move { ElicitAnswer::Accept(filled(&form.schema)) })
    }
}

/// An error with all its causes.
fn failure(error: impl std::error::Error) -> Failure {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    Failure::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_filled_with_its_defaults_and_with_what_fits() {
        let schema = json!({ "properties": {
            "name": { "type": "string", "default": "Ada" },
            "kind": { "type": "string", "enum": ["a", "b"] },
            "age": { "type": "integer" },
            "sure": { "type": "boolean" },
            "more": { "type": "object", "properties": { "x": { "type": "string" } } },
        } });
        let want =
            json!({ "name": "Ada", "kind": "a", "age": 2, "sure": true, "more": { "x": "word" } });
        assert_eq!(Value::Object(filled(&schema)), want);
        assert_eq!(filled(&json!({})), Map::new());
    }

    #[test]
    fn the_era_is_that_of_the_revision() {
        assert_eq!(era(Some("2026-07-28")), Era::Modern);
        assert_eq!(era(Some("2025-11-25")), Era::Legacy);
        assert_eq!(era(None), Era::Legacy);
    }
}
