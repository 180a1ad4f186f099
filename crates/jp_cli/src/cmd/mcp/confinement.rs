//! How the program of a server is confined, in words.

use jp_llm::tool::Resolver;
use jp_sandbox::{confinement::Tier, plan::Plan};
use jp_tool::access::AccessPolicy;
use serde_json::{Value, json};

use crate::{
    cmd::tool::explain::{enforced_json, enforced_text},
    confine,
    ctx::Ctx,
};

/// How a server is confined.
#[derive(Debug)]
pub(crate) enum Confinement {
    /// It runs elsewhere.
    Elsewhere,
    /// By this plan, made from rules of its own if it has some.
    Plan { plan: Box<Plan>, rules: Option<AccessPolicy> },
    /// It cannot be said.
    Unknown(String),
}

impl Confinement {
    /// That of a server which need not have been allowed yet. Nothing is started.
    pub(crate) async fn of(ctx: &Ctx, resolver: &Resolver, server: &str) -> Self {
        let rules = ctx.policies().server(server).map(|server| server.policy.clone());
        match resolver.server_plan(server).await {
            Ok(None) => Self::Elsewhere,
            Ok(Some(Ok(plan))) => Self::Plan { plan: Box::new(plan), rules },
            Ok(Some(Err(error))) => Self::Unknown(error.to_string()),
            Err(error) => Self::Unknown(error.to_string()),
        }
    }

    /// In a word or two.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Elsewhere => "elsewhere",
            Self::Plan { plan, .. } if plan.off || plan.tier == Tier::None => "none",
            Self::Plan { rules: Some(_), .. } => "its rules",
            Self::Plan { rules: None, .. } => "workspace",
            Self::Unknown(_) => "unknown",
        }
    }

    /// In a few lines, with what the workspace loosens.
    pub(crate) fn text(&self, ctx: &Ctx) -> String {
        let mut text = match self {
            Self::Elsewhere => {
                return "confined: it runs elsewhere, and nothing here restricts it\n".to_owned();
            }
            Self::Unknown(reason) => format!("confined: cannot be said: {reason}\n"),
            Self::Plan { plan, rules } => {
                let text = format!("confined by: {}\n{}", self.words(), enforced_text(plan));
                text + &rules.as_ref().map(left_open).unwrap_or_default()
            }
        };
        let loosened = confine::loosened(ctx.config());
        text.extend(loosened.iter().map(|warning| format!("warning: {warning}\n")));
        text
    }

    pub(crate) fn json(&self, ctx: &Ctx) -> Value {
        let mut object = match self {
            Self::Elsewhere => return json!({ "by": self.words() }),
            Self::Plan { plan, .. } => enforced_json(plan),
            Self::Unknown(reason) => json!({ "error": reason }),
        };
        object["by"] = json!(self.words());
        object["loosened"] = json!(confine::loosened(ctx.config()));
        object
    }
}

/// What has no rules of its kind is as it is without any rules, which is easily overlooked.
fn left_open(rules: &AccessPolicy) -> String {
    let kinds = [
        (rules.fs.is_empty(), "files of the workspace"),
        (rules.net.is_empty(), "the network"),
        (rules.env.is_empty(), "variables"),
    ];
    let open: Vec<_> =
        kinds.into_iter().filter_map(|(is_open, kind)| is_open.then_some(kind)).collect();
    match open.as_slice() {
        [] => String::new(),
        open => format!(
            "No rule is about {}, so that is as for a tool without rules.\n",
            open.join(", ")
        ),
    }
}
