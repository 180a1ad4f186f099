//! `--plan`: how a program would be confined, and whether it would be run at all.

use jp_confine::{ConfineError, Confiner, Prepared};
use jp_printer::Print;
use jp_sandbox::{
    confinement::{Execute, Network, Tier},
    plan::{Environment, Plan, Row},
};
use serde_json::{Value, json};

use super::refused;
use crate::{
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
};

/// Prints the plan, and ends as a run would that is refused.
pub(super) fn show(ctx: &Ctx, confiner: &Confiner, prepared: Prepared) -> Result {
    let plan = prepared.plan.clone();
    let (warning, refusal) = match confiner.judge(prepared) {
        Ok(prepared) => (prepared.warning, None),
        Err(ConfineError::Refused(refusal)) => (None, Some(refused(refusal.into()))),
        Err(error) => return Err(refused(error)),
    };
    if ctx.is_json() {
        ctx.print_json(&object(&plan, warning.as_deref(), refusal.as_ref()))?;
    } else {
        let text = format!("{plan}{}", verdict(warning.as_deref(), refusal.as_ref()));
        ctx.printer().print(Print::content(&text).untrusted())?;
    }
    if refusal.is_none() { Ok(()) } else { Err(Error::said(Exit::Refused)) }
}

fn verdict(warning: Option<&str>, refusal: Option<&Error>) -> String {
    if let Some((message, hints)) = refusal.and_then(Error::parts) {
        let hints: String = hints.iter().map(|hint| format!("hint: {hint}\n")).collect();
        let code = Exit::Refused.code();
        return format!("\nA run would be refused, with exit code {code}: {message}\n{hints}");
    }
    warning.map(|warning| format!("\nA run would warn: {warning}\n")).unwrap_or_default()
}

fn object(plan: &Plan, warning: Option<&str>, refusal: Option<&Error>) -> Value {
    let (error, hints) = refusal.and_then(Error::parts).unzip();
    json!({
        "plan": of_plan(plan),
        "refused": refusal.is_some(),
        "exit_code": refusal.map_or(0, |refusal| refusal.exit().code()),
        "warning": warning,
        "error": error,
        "hints": hints.unwrap_or_default(),
    })
}

fn of_plan(plan: &Plan) -> Value {
    let tier = match plan.tier {
        Tier::Namespaces => 1,
        Tier::Landlock => 2,
        Tier::None => 3,
    };
    let network = match plan.network {
        Network::Shared => "shared",
        Network::None | Network::Sealed => "none",
        Network::Proxy => "proxy",
    };
    let place = |place: &jp_sandbox::view::Place| json!({ "path": place.path, "seen": place.what.to_string() });
    json!({
        "tier": tier,
        "network": network,
        "starts_programs": plan.execute == Execute::View,
        "all_variables": plan.environment == Environment::Host,
        "transactional": plan.transactional,
        "places": plan.view.places().iter().map(place).collect::<Vec<_>>(),
        "rows": plan.rows.iter().map(of_row).collect::<Vec<_>>(),
    })
}

fn of_row(row: &Row) -> Value {
    json!({
        "subject": row.subject,
        "aspect": row.aspect.as_str(),
        "fidelity": row.fidelity.as_str(),
        "reason": row.reason,
    })
}
