//! Files that a tool moved: gone at one path, made at another, with the same content.
//!
//! An overlay does not say that a file was moved. When the new path is refused, the old one must not
//! be removed, so content is compared: a file that is to go stays if a refused one has its content.
//! Empty files have none to lose.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{Change, Node, Reason, ground::Ground, tree::same_content};

/// So many pairs of files, and bytes, are compared. Beyond that a file that has the size of a refused
/// one stays.
const MAX_PAIRS: usize = 10_000;
const MAX_BYTES: u64 = 1 << 30;

/// What has been compared already.
#[derive(Debug, Default)]
pub(super) struct Moves {
    compared: HashSet<(usize, usize)>,
    pairs: usize,
    bytes: u64,
}

impl Moves {
    /// Refuses the removals of files whose content only a refused change has.
    pub(super) fn refuse(
        &mut self,
        ground: &Ground,
        list: &[Change],
        reasons: &mut BTreeMap<usize, Reason>,
    ) {
        let mut refused: HashMap<u64, Vec<usize>> = HashMap::new();
        for index in reasons.keys() {
            let change = &list[*index];
            if change.size > 0 && change.kind.has_content() {
                refused.entry(change.size).or_default().push(*index);
            }
        }
        for (index, change) in list.iter().enumerate() {
            let is_file = change.kind.gone() == Some(&Node::File);
            let size = change.seen.map_or(0, |seen| seen.size);
            if !is_file || reasons.contains_key(&index) {
                continue;
            }
            let candidates = refused.get(&size).map_or(&[][..], Vec::as_slice);
            let found = candidates.iter().find(|new| self.is_same(ground, list, index, **new));
            if let Some(new) = found {
                reasons.insert(index, Reason::Moved(list[*new].path.clone()));
            }
        }
    }

    fn is_same(&mut self, ground: &Ground, list: &[Change], old: usize, new: usize) -> bool {
        if !self.compared.insert((old, new)) {
            return false;
        }
        self.pairs += 1;
        self.bytes = self.bytes.saturating_add(list[new].size);
        if self.pairs > MAX_PAIRS || self.bytes > MAX_BYTES {
            return true;
        }
        match (ground.old_file(&list[old]), ground.new_file(&list[new])) {
            (Ok(old), Ok(new)) => same_content(old, new).unwrap_or(true),
            // What cannot be compared may be the same.
            _ => true,
        }
    }
}
