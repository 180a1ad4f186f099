//! What a program changed, as a person sees it: a diff of bounded length, and what was not made, by why.
//!
//! A program can change a hundred thousand files. What is shown is what somebody can read; the rest is
//! counted, so that nobody takes a part for the whole.

use std::fmt::Write as _;

use jp_changes::{Change, Judged, Kind, Obstacle, Reason, Refused, Reviewed};
use jp_printer::single_line;
use serde_json::{Value, json};

use crate::format::count;

/// The most lines of one file and of all together, the most files with their lines, and the most names.
const MAX_LINES: usize = 200;
const MAX_ALL_LINES: usize = 2_000;
const MAX_FILES: usize = 50;
const MAX_NAMES: usize = 1_000;

/// How much of the changes is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The lines that differ.
    Lines,
    /// A line for each change.
    Names,
}

/// The changes that will be made, as far as they are shown.
pub(crate) struct Diff {
    pub(crate) text: String,
    /// How many are not shown.
    pub(crate) unseen: usize,
}

/// Shows the changes that are allowed.
pub(crate) fn diff(judged: &dyn Reviewed, detail: Detail) -> Diff {
    let mut text = warnings(judged.allowed());
    let mut changes = judged.allowed().iter();
    let mut lines = 0;
    for change in changes.by_ref().take(detail.most_changes()) {
        let shown = judged.show(change, detail.most_lines());
        lines += shown.text.lines().count();
        match detail {
            Detail::Lines => text += &shown.text,
            Detail::Names => {
                let counts = counts(shown.added, shown.removed);
                let _ = writeln!(text, "{}{counts}", change.headline());
            }
        }
        if detail == Detail::Lines && lines > MAX_ALL_LINES {
            break;
        }
    }
    let unseen = changes.len();
    if unseen > 0 {
        let rest = number(unseen, "more change");
        let way = if detail == Detail::Lines { " (--stat shows a line for each)" } else { "" };
        let _ = writeln!(text, "… and {rest} not shown{way}");
    }
    Diff { text, unseen }
}

impl Detail {
    fn most_changes(self) -> usize {
        match self {
            Self::Lines => MAX_FILES,
            Self::Names => MAX_NAMES,
        }
    }

    fn most_lines(self) -> usize {
        match self {
            Self::Lines => MAX_LINES,
            Self::Names => 0,
        }
    }
}

/// What was not made, each kind under a heading of its own.
pub(crate) fn refused(refused: &[Refused], is_done: bool) -> String {
    let mut text = String::new();
    for kind in Why::ALL {
        let of_kind: Vec<_> = refused.iter().filter(|one| Why::of(&one.reason) == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}:", kind.heading(is_done));
        // Names that the program cannot see as well: a person reads this, and the program has ended.
        for one in of_kind.iter().take(MAX_FILES) {
            let _ = writeln!(text, "  {}", single_line(&one.to_string()));
        }
        if let Some(more) = of_kind.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
            let _ = writeln!(text, "  … and {more} more");
        }
        if of_kind.iter().any(|one| is_sensitive(&one.reason)) {
            text += "  to allow what is sensitive: --allow-sensitive PATH\n";
        }
    }
    text
}

/// What a program left behind that no workspace keeps: pipes and sockets.
pub(crate) fn left_out(changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text = "\nLeft out, because it is no file:\n".to_owned();
    for change in changes.iter().take(MAX_FILES) {
        let _ = writeln!(text, "  {}", single_line(change.path.as_str()));
    }
    if let Some(more) = changes.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        let _ = writeln!(text, "  … and {more} more");
    }
    text
}

/// Whether some of this is against the policy, and not merely impossible.
pub(crate) fn is_against_policy(refused: &[Refused]) -> bool {
    let is_against =
        |one: &Refused| matches!(Why::of(&one.reason), Why::Policy | Why::Protected | Why::Link);
    refused.iter().any(is_against)
}

/// Every change as an object, whatever became of it.
pub(crate) fn json(judged: &Judged, outcome: &str, with_lines: bool) -> Vec<Value> {
    let allowed = judged.allowed().iter().enumerate().map(|(index, change)| {
        let mut object = of_change(change, outcome);
        if with_lines && index < MAX_FILES {
            let shown = judged.show(change, MAX_LINES);
            object["added"] = shown.added.into();
            object["removed"] = shown.removed.into();
            object["diff"] = shown.text.into();
        }
        object
    });
    let refused = judged.refused().iter().map(|one| {
        let mut object = of_change(&one.change, "refused");
        object["why"] = Why::of(&one.reason).word().into();
        object["reason"] = one.reason.to_string().into();
        object
    });
    allowed.chain(refused).collect()
}

fn of_change(change: &Change, outcome: &str) -> Value {
    let kind = match &change.kind {
        Kind::Created(_) => "created",
        Kind::Updated { .. } | Kind::Retargeted { .. } => "updated",
        Kind::Deleted(_) => "deleted",
        Kind::Replaced { .. } => "replaced",
    };
    json!({
        "path": change.path,
        "change": kind,
        "size": change.size,
        "outcome": outcome,
        "why": null,
        "reason": null,
    })
}

/// Why a change is not made, in kinds that a person has to answer differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Policy,
    Protected,
    Link,
    Conflict,
    Impossible,
    Consequence,
}

impl Why {
    const ALL: [Self; 6] = [
        Self::Policy,
        Self::Protected,
        Self::Link,
        Self::Conflict,
        Self::Impossible,
        Self::Consequence,
    ];

    fn of(reason: &Reason) -> Self {
        match reason {
            Reason::Denied { .. } => Self::Policy,
            Reason::Sensitive(_) => Self::Protected,
            Reason::LeavesRoot { .. } | Reason::MovesRule { .. } => Self::Link,
            Reason::Obstacle(Obstacle::Conflict) => Self::Conflict,
            Reason::Obstacle(_) => Self::Impossible,
            Reason::Depends(_) | Reason::Moved(_) => Self::Consequence,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Protected => "protected",
            Self::Link => "link",
            Self::Conflict => "conflict",
            Self::Impossible => "impossible",
            Self::Consequence => "consequence",
        }
    }

    fn heading(self, is_done: bool) -> String {
        let not_made = if is_done { "not made" } else { "would not be made" };
        match self {
            Self::Policy => format!("Refused by the policy, and {not_made}"),
            Self::Protected => format!("Protected, and {not_made}"),
            Self::Link => format!("Links that lead elsewhere, and {not_made}"),
            Self::Conflict => "Changed by somebody else meanwhile, and left as it is".to_owned(),
            Self::Impossible => "Cannot be made".to_owned(),
            Self::Consequence => "Cannot be made without the others".to_owned(),
        }
    }
}

fn is_sensitive(reason: &Reason) -> bool {
    matches!(reason, Reason::Sensitive(message) if message == jp_confine::SENSITIVE)
}

/// What makes programs outside of the sandbox run something.
fn warnings(changes: &[Change]) -> String {
    let noticed: Vec<_> =
        changes.iter().filter_map(|change| Some((change, change.notice()?))).collect();
    if noticed.is_empty() {
        return String::new();
    }
    let mut text =
        "These files can make programs outside of the sandbox run something:\n".to_owned();
    for (change, why) in noticed.iter().take(MAX_FILES) {
        let _ = writeln!(text, "  {}: {why}", single_line(change.path.as_str()));
    }
    if let Some(more) = noticed.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        let _ = writeln!(text, "  … and {more} more");
    }
    text
}

fn counts(added: usize, removed: usize) -> String {
    match (added, removed) {
        (0, 0) => String::new(),
        _ => format!(" (+{added} -{removed})"),
    }
}

/// `1 change`, `2 changes`.
pub(crate) fn number(number: usize, name: &str) -> String {
    count(i64::try_from(number).unwrap_or(i64::MAX), name)
}
