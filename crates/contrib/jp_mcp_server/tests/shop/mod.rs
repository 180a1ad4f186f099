//! A server for tests: a shop that asks before it sells, breaks down, and never answers.

use std::sync::Arc;

use jp_mcp_server::{
    About, Call, CancellationToken, Document, Prompt, Protocol, Reply, Resource, Stop, Tool,
    ToolAnnotations, Toolbox, define, schemars, serve,
};
use jp_tool::ToolError;
use serde::Deserialize;
use tokio::{
    io::{DuplexStream, duplex, split},
    sync::Notify,
};

/// A shop that wants to know things before it sells.
struct Shop {
    left: Arc<Notify>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Buy {
    /// Which color; asked for if it is missing.
    color: Option<String>,
    /// Whether to wrap it; asked for if it is missing.
    wrap: Option<bool>,
}

impl Toolbox for Shop {
    fn about(&self) -> About {
        About { name: "shop", title: "Shop", version: "1.2.3", instructions: "Buy something." }
    }

    fn tools(&self) -> Vec<Tool> {
        let hints = || ToolAnnotations::with_title("Buy").read_only(true);
        vec![
            define::<Buy>("buy", "Buys.", hints()),
            define::<Buy>("break", "Breaks down.", hints()),
            define::<Buy>("sleep", "Never ends.", hints()),
        ]
    }

    async fn call(&self, call: Call) -> Result<Reply, Stop> {
        match call.tool.as_str() {
            "buy" => buy(&call).await,
            "sleep" => {
                let _left = Leaving(self.left.clone());
                std::future::pending().await
            }
            _ => panic!("on purpose"),
        }
    }

    async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        Ok(vec![Resource::new("shop://sign", "sign")])
    }

    async fn read(&self, uri: &str) -> Result<Option<Document>, ToolError> {
        Ok((uri == "shop://sign").then(|| sign("open")))
    }
}

/// Tells that the future it is in was dropped.
struct Leaving(Arc<Notify>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn buy(call: &Call) -> Result<Reply, Stop> {
    let arguments: Buy = call.arguments()?;
    call.progress("looking").await;
    let prompt = |id: &'static str, text: &str, argument| Prompt {
        id: id.into(),
        text: text.to_owned(),
        details: None,
        argument,
    };
    let color = if let Some(color) = arguments.color {
        color
    } else {
        let colors = vec!["red".to_owned(), "blue".to_owned()];
        call.choose(prompt("color", "Which color?", "color"), colors, None).await?
    };
    let wrap = match arguments.wrap {
        Some(wrap) => wrap,
        None => call.confirm(prompt("wrap-it", "Wrap it?", "wrap"), Some(false)).await?,
    };
    let paper = call.option::<String>("paper")?.unwrap_or_else(|| "plain".to_owned());
    let place = call.root().unwrap_or("here");
    Ok(sign(&format!("{color}, {}, at {place}", if wrap { paper } else { "bare".to_owned() }))
        .into())
}

fn sign(text: &str) -> Document {
    Document { uri: "shop://sign".to_owned(), mime_type: "text/markdown", text: text.to_owned() }
}

/// Serves a shop; the second value tells that a call which never ends was dropped.
pub(crate) fn start(
    protocol: Protocol,
) -> (DuplexStream, Arc<Notify>, tokio::task::JoinHandle<()>) {
    let (ours, theirs) = duplex(1 << 16);
    let left = Arc::new(Notify::new());
    let shop = Shop { left: left.clone() };
    let (reader, writer) = split(theirs);
    let served = tokio::spawn(async move {
        serve(shop, protocol, reader, writer, CancellationToken::new()).await.unwrap();
    });
    (ours, left, served)
}
