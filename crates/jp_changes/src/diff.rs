//! A change set as text for a person: what deserves a second look, what is refused, and the differences.
//!
//! How a change looks is in [`text`](crate::text); here its contents are found.

use std::{fs::File, io::Read};

use crate::{
    Change, Changes, Judged, Kind, Node, Refused,
    ground::Ground,
    text::{Contents, Shown, Text, visible},
};

impl Changes {
    /// All changes as text.
    pub fn diff(&self) -> String {
        of(&self.ground, &self.list, &[], &[])
    }
}

impl Judged {
    /// The allowed changes as text, the names of the refused ones with the reasons, and what is left
    /// out.
    pub fn diff(&self) -> String {
        of(&self.ground, &self.allowed, &self.refused, &self.left_out)
    }

    /// One of the changes as text, with at most so many lines of its content.
    pub fn show(&self, change: &Change, lines: usize) -> Shown {
        let mut text = Text { most: lines, ..Text::default() };
        text.change(change, || contents(&self.ground, change));
        Shown { text: text.out, added: text.added, removed: text.removed }
    }
}

fn of(ground: &Ground, changes: &[Change], refused: &[Refused], left_out: &[Change]) -> String {
    let mut text = Text::default();
    let noticed = changes.iter().filter_map(|change| Some((change, change.notice()?)));
    for (index, (change, why)) in noticed.enumerate() {
        if index == 0 {
            text.line("These files can make programs outside of the sandbox run something:");
        }
        text.line(&format!("  {}: {why}", visible(change.path.as_str())));
    }
    for (index, refused) in refused.iter().enumerate() {
        if index == 0 {
            text.line("Refused:");
        }
        let (path, reason) = (refused.path().as_str(), refused.reason.to_string());
        text.line(&format!("  {}: {}", visible(path), visible(&reason)));
    }
    for (index, change) in left_out.iter().enumerate() {
        if index == 0 {
            text.line("Left out, because only a program that runs has a use for it:");
        }
        text.line(&format!("  {}", visible(change.path.as_str())));
    }
    for change in changes {
        if text.cut {
            break;
        }
        text.change(change, || contents(ground, change));
    }
    if text.cut {
        text.out.push_str("… there is more, which is not shown\n");
    }
    text.out
}

/// What was in the file of a change and what is, read no further than it can be shown.
fn contents(ground: &Ground, change: &Change) -> Contents {
    let is_gone = matches!(change.kind, Kind::Deleted(Node::File));
    let had_file = is_gone
        || matches!(&change.kind, Kind::Updated { .. } | Kind::Replaced { old: Node::File, .. });
    let old_size = change.seen.map_or(0, |seen| seen.size);
    if change.size > Change::MAX_SHOWN || (had_file && old_size > Change::MAX_SHOWN) {
        return Contents::TooLarge;
    }
    let old = if had_file { ground.old_file(change).ok() } else { None };
    let new = if is_gone { None } else { ground.new_file(change).ok() };
    match (bytes(old), bytes(new)) {
        (Some(old), Some(new)) => Contents::of(Some(&old), Some(&new)),
        _ => Contents::Binary,
    }
}

fn bytes(file: Option<File>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(file) = file {
        file.take(Change::MAX_SHOWN + 1).read_to_end(&mut bytes).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
