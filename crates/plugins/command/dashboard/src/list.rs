//! The list of conversations: which are shown, which is selected, which have news.
//!
//! The selection stays with its conversation when the order changes, because whoever is about to press enter
//! means the one they see.

use std::collections::HashMap;

use jiff::Timestamp;
use jp_plugin_sdk::{Summary, words::one_line};

use crate::text::clean;

/// The conversations, and where the user is in them.
#[derive(Debug, Default)]
pub(crate) struct List {
    all: Vec<Entry>,
    /// Positions in `all` of those that fit the filter.
    shown: Vec<usize>,
    /// Position in `shown`.
    cursor: usize,
    /// The first line that is on the screen.
    offset: usize,
    filter: String,
    /// How many lines are on the screen.
    pub(crate) height: usize,
}

/// One conversation.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) when: Option<Timestamp>,
    pub(crate) events: u64,
    /// It has changed, and was not looked at since.
    pub(crate) has_news: bool,
    /// Title and id in small letters.
    key: String,
}

impl List {
    /// Takes over what the host says there is.
    pub(crate) fn update(&mut self, conversations: Vec<Summary>) {
        let selected = self.selected().map(|entry| entry.id.clone());
        let before: HashMap<_, _> =
            self.all.drain(..).map(|entry| (entry.id.clone(), entry)).collect();
        let is_first = before.is_empty();
        self.all = conversations.into_iter().map(Entry::from).collect();
        for entry in &mut self.all {
            entry.has_news = !is_first
                && before
                    .get(&entry.id)
                    .is_none_or(|old| old.has_news || old.events != entry.events);
        }
        self.apply();
        if selected.is_none_or(|id| !self.select(&id)) {
            self.moved();
        }
    }

    /// Shows only those with this in their title or id.
    pub(crate) fn filter(&mut self, text: &str) {
        if self.filter != text {
            text.clone_into(&mut self.filter);
            let selected = self.selected().map(|entry| entry.id.clone());
            self.apply();
            if selected.is_none_or(|id| !self.select(&id)) {
                self.cursor = 0;
                self.moved();
            }
        }
    }

    pub(crate) fn filtered_by(&self) -> &str {
        &self.filter
    }

    /// Selects the conversation of this id; false if it is not shown.
    pub(crate) fn select(&mut self, id: &str) -> bool {
        let position = self.shown.iter().position(|&it| self.all[it].id == id);
        if let Some(position) = position {
            self.cursor = position;
            self.moved();
        }
        position.is_some()
    }

    /// Moves the selection by so many lines, and not over an end.
    pub(crate) fn step(&mut self, lines: isize) {
        self.cursor =
            self.cursor.saturating_add_signed(lines).min(self.shown.len().saturating_sub(1));
        self.moved();
    }

    pub(crate) fn selected(&self) -> Option<&Entry> {
        self.shown.get(self.cursor).map(|&it| &self.all[it])
    }

    /// How many there are, and how many of them are shown.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.all.len(), self.shown.len())
    }

    /// What is on the screen: each with whether it is the selected one.
    pub(crate) fn visible(&mut self) -> impl Iterator<Item = (&Entry, bool)> {
        let height = self.height.max(1);
        let last = self.shown.len().saturating_sub(height);
        self.offset =
            self.offset.min(last).clamp((self.cursor + 1).saturating_sub(height), self.cursor);
        let (offset, cursor, all) = (self.offset, self.cursor, &self.all);
        let shown = self.shown.iter().enumerate().skip(offset).take(height);
        shown.map(move |(line, &it)| (&all[it], line == cursor))
    }

    fn apply(&mut self) {
        let wanted = self.filter.to_lowercase();
        let fits =
            |&it: &usize| wanted.split_whitespace().all(|word| self.all[it].key.contains(word));
        self.shown = (0..self.all.len()).filter(fits).collect();
        self.cursor = self.cursor.min(self.shown.len().saturating_sub(1));
    }

    /// What is looked at is no news.
    fn moved(&mut self) {
        if let Some(&position) = self.shown.get(self.cursor) {
            self.all[position].has_news = false;
        }
    }
}

impl From<Summary> for Entry {
    fn from(summary: Summary) -> Self {
        let title = summary.title.map(|title| one_line(&clean(&title)));
        let title = title.filter(|title| !title.is_empty());
        let key = format!("{} {}", title.as_deref().unwrap_or_default().to_lowercase(), summary.id);
        Self {
            key,
            title,
            when: summary.last_activated_at.parse().ok(),
            id: clean(&summary.id),
            events: summary.events_count,
            has_news: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summaries(list: &[(&str, &str, u64)]) -> Vec<Summary> {
        let summary = |&(id, title, events_count): &(&str, &str, u64)| Summary {
            id: id.to_owned(),
            title: Some(title.to_owned()),
            last_activated_at: "2025-07-20T10:30:00Z".to_owned(),
            events_count,
        };
        list.iter().map(summary).collect()
    }

    fn list() -> List {
        let mut list = List { height: 2, ..List::default() };
        list.update(summaries(&[("1", "One", 1), ("2", "Two", 1), ("3", "Three", 1)]));
        list
    }

    fn shown(list: &mut List) -> String {
        let line = |(entry, selected): (&Entry, bool)| {
            let (mark, news) =
                (if selected { ">" } else { "" }, if entry.has_news { "*" } else { "" });
            format!("{mark}{}{news} ", entry.id)
        };
        list.visible().map(line).collect()
    }

    #[test]
    fn the_selection_stays_on_the_screen() {
        let mut list = list();
        assert_eq!(shown(&mut list), ">1 2 ");
        list.step(2);
        assert_eq!(shown(&mut list), "2 >3 ");
        list.step(-1);
        assert_eq!(shown(&mut list), ">2 3 ");
        list.step(-9);
        assert_eq!(shown(&mut list), ">1 2 ");
        list.step(9);
        list.height = 9;
        assert_eq!(shown(&mut list), "1 2 >3 ");
    }

    #[test]
    fn the_selection_stays_with_its_conversation() {
        let mut list = list();
        list.step(1);
        list.update(summaries(&[
            ("1", "One", 1),
            ("3", "Three", 2),
            ("2", "Two", 2),
            ("4", "Four", 0),
        ]));
        list.height = 9;
        // Three has grown and four is new; two has grown as well, and is looked at.
        assert_eq!(shown(&mut list), "1 3* >2 4* ");
        list.step(-1);
        assert_eq!(shown(&mut list), "1 >3 2 4* ");
        list.update(summaries(&[("1", "One", 1)]));
        assert_eq!(shown(&mut list), ">1 ");
        list.update(Vec::new());
        assert_eq!(shown(&mut list), "");
        assert!(list.selected().is_none());
    }

    #[test]
    fn a_filter_looks_at_titles_and_ids() {
        let mut list = list();
        list.height = 9;
        let mut check = |filter: &str, want: &str| {
            list.filter(filter);
            assert_eq!(shown(&mut list), want, "{filter:?}");
        };
        check("T", ">2 3 ");
        check("ee thr", ">3 ");
        check("2", ">2 ");
        check("nothing", "");
        check("", ">1 2 3 ");
    }
}
