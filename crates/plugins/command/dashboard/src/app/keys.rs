//! What each key does. The help of [`draw`](crate::draw) says the same in words.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{App, Over, Pane};

/// How the program goes on after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Stay,
    Leave,
}

/// The longest text that can be searched for, in characters.
const LONGEST: usize = 200;

impl App {
    /// Does what the key is for; keys that are for nothing do nothing.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Step {
        let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if with_control && key.code == KeyCode::Char('c') {
            return Step::Leave;
        }
        self.notice = None;
        match std::mem::replace(&mut self.over, Over::Nothing) {
            // Whatever is pressed, the help has been read.
            Over::Help => Step::Stay,
            Over::Search(text) => {
                self.typed(text, key.code, with_control);
                Step::Stay
            }
            Over::Nothing => self.command(key.code, with_control),
        }
    }

    fn command(&mut self, code: KeyCode, with_control: bool) -> Step {
        match (code, self.pane) {
            (KeyCode::Char('q'), _) => return Step::Leave,
            (KeyCode::Char('?') | KeyCode::F(1), _) => self.over = Over::Help,
            (KeyCode::Char('/'), pane) => {
                let text = if pane == Pane::List { self.list.filtered_by() } else { "" };
                self.over = Over::Search(text.to_owned());
            }
            (KeyCode::Char('e'), _) => self.reader.is_expanded ^= true,
            (code, Pane::List) => self.in_list(code, with_control),
            (code, Pane::Reader) => self.in_reader(code, with_control),
        }
        Step::Stay
    }

    fn in_list(&mut self, code: KeyCode, with_control: bool) {
        let page = isize::try_from(self.list.height.saturating_sub(1).max(1)).unwrap_or(1);
        match code {
            KeyCode::Char('d') if with_control => self.reader.step(self.reader.page() / 2),
            KeyCode::Char('u') if with_control => self.reader.step(-self.reader.page() / 2),
            KeyCode::Char('J') => self.reader.step(1),
            KeyCode::Char('K') => self.reader.step(-1),
            KeyCode::Down | KeyCode::Char('j') => self.list.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.list.step(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.list.step(page),
            KeyCode::PageUp | KeyCode::Char('b') => self.list.step(-page),
            KeyCode::Home | KeyCode::Char('g') => self.list.step(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => self.list.step(isize::MAX),
            KeyCode::Esc => self.list.filter(""),
            // Where nothing is selected, nothing is opened: `follow` goes back to the list.
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') | KeyCode::Tab => {
                self.pane = Pane::Reader;
            }
            _ => {}
        }
        self.follow();
    }

    fn in_reader(&mut self, code: KeyCode, with_control: bool) {
        let page = self.reader.page();
        match code {
            KeyCode::Char('d') if with_control => self.reader.step(page / 2),
            KeyCode::Char('u') if with_control => self.reader.step(-page / 2),
            KeyCode::Down | KeyCode::Char('j' | 'J') => self.reader.step(1),
            KeyCode::Up | KeyCode::Char('k' | 'K') => self.reader.step(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.reader.step(page),
            KeyCode::PageUp | KeyCode::Char('b') => self.reader.step(-page),
            KeyCode::Home | KeyCode::Char('g') => self.reader.go_to_start(),
            KeyCode::End | KeyCode::Char('G') => self.reader.go_to_end(),
            KeyCode::Char(']') => self.reader.go_by_turn(true),
            KeyCode::Char('[') => self.reader.go_by_turn(false),
            KeyCode::Char('n') => self.find_again(true),
            KeyCode::Char('N') => self.find_again(false),
            KeyCode::Esc if !self.reader.sought().is_empty() => drop(self.reader.search("")),
            KeyCode::Esc
            | KeyCode::Left
            | KeyCode::Char('h')
            | KeyCode::Tab
            | KeyCode::Backspace => {
                self.pane = Pane::List;
            }
            _ => {}
        }
    }

    fn find_again(&mut self, forward: bool) {
        if self.reader.sought().is_empty() {
            self.notice = Some("/ searches in this conversation".to_owned());
        } else if !self.reader.search_on(forward) {
            self.notice = Some(format!("`{}` is not in this conversation", self.reader.sought()));
        }
    }

    /// A key while the text of a search is typed. The list follows every letter, the reader the whole.
    fn typed(&mut self, mut text: String, code: KeyCode, with_control: bool) {
        match code {
            KeyCode::Enter if self.pane == Pane::List => return,
            KeyCode::Enter => {
                if !text.is_empty() && !self.reader.search(&text) {
                    self.notice = Some(format!("`{text}` is not in this conversation"));
                }
                return;
            }
            KeyCode::Esc => {
                if self.pane == Pane::List {
                    self.filter("");
                }
                return;
            }
            KeyCode::Char('u') if with_control => text.clear(),
            KeyCode::Char(letter) if !with_control && text.chars().count() < LONGEST => {
                text.push(letter);
            }
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Down if self.pane == Pane::List => self.list.step(1),
            KeyCode::Up if self.pane == Pane::List => self.list.step(-1),
            _ => {}
        }
        if self.pane == Pane::List {
            self.filter(&text);
        }
        self.over = Over::Search(text);
    }
}
