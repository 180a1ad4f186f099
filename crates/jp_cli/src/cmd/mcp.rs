//! `jp mcp`

mod add;
mod browser;
mod inspect;
mod list;
mod login;
mod pin;

use camino::Utf8PathBuf;
use jp_llm::tool::Server;
use jp_sandbox::{confinement::Tier, plan::Plan};
use serde_json::{Value, json};

use crate::{
    args::{Changes, Mcp, McpCall, ToolRun},
    cmd::tool::run::{Which, execute},
    ctx::Ctx,
    error::Result,
};

pub(crate) fn run(ctx: &Ctx, args: Mcp) -> Result {
    match args {
        Mcp::List => list::run(ctx),
        Mcp::Inspect(args) => inspect::run(ctx, &args),
        Mcp::Add(args) => add::run(ctx, &args),
        Mcp::Call(args) => call(ctx, args),
        Mcp::Pin(args) => pin::run(ctx, &args),
        Mcp::Login(args) => login::login(ctx, &args),
        Mcp::Logout(args) => login::logout(ctx, &args),
    }
}

/// The same call as that of `jp tool run`, of a tool that is named by its server.
fn call(ctx: &Ctx, args: McpCall) -> Result {
    let McpCall { server, tool, arguments, json, answers } = args;
    let run = ToolRun {
        name: tool.clone(),
        arguments,
        json,
        answers,
        yes: false,
        changes: Changes { dry_run: false, review: false, stat: false },
        conversation: None,
        allow_sensitive: Vec::<Utf8PathBuf>::new(),
        trace: None,
    };
    execute(ctx, &run, Which::At { server: &server, tool: &tool })
}

/// How a server is confined, in a few words.
#[derive(Debug)]
enum Confinement {
    /// It runs elsewhere.
    Elsewhere,
    /// By this plan; whether that is made from rules of its own.
    Plan { plan: Box<Plan>, has_rules: bool },
    /// It cannot be said.
    Unknown(String),
}

impl Confinement {
    async fn of(ctx: &Ctx, server: &Server) -> Self {
        let has_rules = ctx.policies().server(server.name()).is_some();
        match server.plan().await {
            None => Self::Elsewhere,
            Some(Ok(plan)) => Self::Plan { plan: Box::new(plan), has_rules },
            Some(Err(error)) => Self::Unknown(error.to_string()),
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Self::Elsewhere => "elsewhere",
            Self::Plan { plan, .. } if plan.off || plan.tier == Tier::None => "none",
            Self::Plan { has_rules: true, .. } => "its rules",
            Self::Plan { has_rules: false, .. } => "workspace",
            Self::Unknown(_) => "unknown",
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Elsewhere => json!({ "by": self.words() }),
            Self::Plan { plan, .. } => {
                let mut object = crate::cmd::tool::explain::enforced_json(plan);
                object["by"] = json!(self.words());
                object
            }
            Self::Unknown(reason) => json!({ "by": self.words(), "error": reason }),
        }
    }
}
