//! `jp sandbox doctor`: what this machine offers, what is missing, what that costs.

use std::fmt::Write as _;

use jp_printer::Print;
use jp_sandbox::{
    confinement::Tier,
    machine::{Feature, Machine},
};
use serde_json::json;

use crate::{
    confine,
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) async fn run(ctx: &Ctx) -> Result {
    let confiner = confine::confiner(ctx.config())?;
    let machine = confiner.probe().await.map_err(Error::failure)?;
    if ctx.is_json() {
        return ctx.print_json(&as_json(&machine));
    }
    Ok(ctx.printer().print(Print::content(&as_text(&machine)))?)
}

fn as_text(machine: &Machine) -> String {
    let mut text = format!("{}\n\n", machine.kernel);
    for (feature, missing) in &machine.features {
        let (mark, word) = if missing.is_none() { ("+", "works") } else { ("-", "missing") };
        let version = match feature {
            Feature::Landlock if missing.is_none() => format!(", interface {}", machine.landlock),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {mark} {:<18} {word}{version}", feature.name());
        if let Some(reason) = missing {
            let lines = [
                ("because", reason.as_str()),
                ("costs", feature.without()),
                ("fix", feature.remedy()),
            ];
            for (label, value) in lines {
                let _ = writeln!(text, "      {label:<8} {value}");
            }
        }
    }
    text + "\n" + tier_text(machine.tier()) + "\n"
}

fn tier_text(tier: Tier) -> &'static str {
    match tier {
        Tier::Namespaces => {
            "Tier 1: namespaces, Landlock and seccomp. Rules are enforced exactly; `jp tool explain` \
             shows where not."
        }
        Tier::Landlock => {
            "Tier 2: Landlock and seccomp. Rules that only widen what the rule around them grants \
             are enforced; tools with others are refused."
        }
        Tier::None => {
            "Tier 3: nothing. Tools are refused, unless `[sandbox] default = \"off\"` or \
             `allow_degraded = true`."
        }
    }
}

fn as_json(machine: &Machine) -> serde_json::Value {
    let tier = match machine.tier() {
        Tier::Namespaces => 1,
        Tier::Landlock => 2,
        Tier::None => 3,
    };
    let features: Vec<_> = machine
        .features
        .iter()
        .map(|(feature, missing)| {
            json!({
                "name": feature.name(),
                "works": missing.is_none(),
                "reason": missing,
                "costs": missing.as_ref().map(|_| feature.without()),
                "fix": missing.as_ref().map(|_| feature.remedy()),
            })
        })
        .collect();
    json!({
        "kernel": machine.kernel,
        "tier": tier,
        "landlock": machine.landlock,
        "features": features,
    })
}
