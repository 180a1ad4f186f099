//! Whether a plan may be carried out.

use std::fmt::Write as _;

use super::{Fidelity, Plan, Row};
use crate::confinement::Tier;

/// More rows than this nobody reads in an error.
const MAX_ROWS: usize = 8;

/// What to do with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Carry it out.
    Run,
    /// Carry it out, and say this once: it lets the process do more than its policy.
    RunDegraded(String),
    /// Do not, and say why.
    Refuse(Refusal),
}

/// Why a plan is not carried out, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox cannot keep the policy: {}", listed(.rows))]
pub struct Refusal {
    /// What would be looser than it should be.
    pub rows: Vec<Row>,
    /// What to do about it, one sentence each.
    pub hints: Vec<String>,
}

impl Plan {
    /// Whether the plan may be carried out. `allow_degraded` is the person's word that a plan that
    /// is looser than its policy is better than none.
    pub fn verdict(&self, allow_degraded: bool) -> Verdict {
        let looser = self.rows.iter().filter(|row| row.fidelity == Fidelity::Looser);
        let rows: Vec<Row> = looser.cloned().collect();
        if rows.is_empty() {
            Verdict::Run
        } else if allow_degraded || self.off {
            Verdict::RunDegraded(format!("not everything is enforced: {}", listed(&rows)))
        } else {
            Verdict::Refuse(Refusal { hints: self.hints(&rows), rows })
        }
    }

    fn hints(&self, rows: &[Row]) -> Vec<String> {
        let mut hints = Vec::new();
        match self.tier {
            Tier::Namespaces => {}
            Tier::Landlock => {
                hints.push(format!("This machine offers Landlock only. {NAMESPACES}"));
            }
            Tier::None => hints.push(format!(
                "This machine offers neither user namespaces nor Landlock. {NAMESPACES} Landlock \
                 needs Linux 5.13 or newer with `landlock` in /sys/kernel/security/lsm."
            )),
        }
        if rows.iter().any(|row| row.aspect == super::Aspect::Command) {
            hints.push(COMMANDS.to_owned());
        }
        if self.tier != Tier::Namespaces {
            hints.push("`jp sandbox doctor` shows what is missing.".to_owned());
        }
        hints.push(
            "`[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it \
             anyway, with a warning."
                .to_owned(),
        );
        hints
    }
}

const COMMANDS: &str = "Remove `commands` to let it start what it sees, or write `commands = {}` to \
                        let it start nothing. A tool with `runtime = \"vfs\"` can have the list.";

const NAMESPACES: &str = "User namespaces are allowed by `sysctl user.max_user_namespaces` above 0, \
                          on Ubuntu also by an AppArmor profile or `sysctl \
                          kernel.apparmor_restrict_unprivileged_userns=0`, and in a container by a \
                          seccomp profile that lets `unshare` and `clone` make them.";

/// Rows of one subject and one reason together, as a sentence.
fn listed(rows: &[Row]) -> String {
    let mut groups: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for row in rows {
        match groups.last_mut() {
            Some((subject, reason, aspects))
                if *subject == row.subject && *reason == row.reason =>
            {
                aspects.push(row.aspect.as_str());
            }
            _ => groups.push((&row.subject, &row.reason, vec![row.aspect.as_str()])),
        }
    }
    let mut text = String::new();
    for (index, (subject, reason, aspects)) in groups.iter().take(MAX_ROWS).enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        let _ = write!(text, "{separator}`{subject}` ({}): {reason}", aspects.join(", "));
    }
    if let Some(more) = groups.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        let _ = write!(text, "; and {more} more");
    }
    text
}
