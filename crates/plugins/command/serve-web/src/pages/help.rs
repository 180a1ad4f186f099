//! The keys, for whoever asks with `?`.

use maud::{Markup, html};

/// What each key does. The script has the other half.
const KEYS: [(&str, &str); 11] = [
    ("j", "next turn or conversation"),
    ("k", "the one before"),
    ("Enter", "open the conversation"),
    ("/", "search"),
    ("n", "later page"),
    ("p", "earlier page"),
    ("o", "open or close all details"),
    ("u", "back to all conversations"),
    ("G", "to the end"),
    ("t", "light or dark"),
    ("?", "these keys"),
];

/// Closed until the script opens it.
pub(super) fn dialog() -> Markup {
    html! {
        dialog id="keys" aria-label="Keys" {
            h2 { "Keys" }
            dl {
                @for (key, what) in KEYS { div { dt { kbd { (key) } } dd { (what) } } }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}
