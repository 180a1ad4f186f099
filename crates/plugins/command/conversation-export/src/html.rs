//! One page: everything is in it, and nothing is loaded.

use std::time::Duration;

use jp_plugin_sdk::words::{count, minute};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use rustix::time::{ClockId, clock_gettime};
use transcript_html::{Budget, OnePage, STYLE, turn};

use crate::{
    conversation::{Conversation, start},
    many::Entry,
};

/// What a browser may do with the page: show it.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// How long the code of a page is highlighted.
const HIGHLIGHT: Duration = Duration::from_secs(10);

/// What stands around the conversation.
const FRAME: &str = include_str!("frame.css");

/// A conversation.
pub(crate) fn page(conversation: &Conversation) -> String {
    let heading = conversation.heading();
    let exchanges = conversation.exchanges();
    let budget = Budget::new(HIGHLIGHT, &worked);
    let body = html! {
        header.top {
            h1 dir="auto" { (heading) }
            p.about {
                "Conversation " (conversation.summary.id)
                " · " (count(exchanges, "turn"))
                " · " (count(conversation.raw.len(), "event"))
                " · last used " (minute(&conversation.summary.last_activated_at)) " UTC"
            }
        }
        @if exchanges > 1 { (outline(conversation)) }
        main.transcript {
            @for one in &conversation.turns { (turn(one, &OnePage, &budget)) }
            @if conversation.turns.is_empty() { p.none { "Nothing was said yet." } }
        }
    };
    document(&heading, &body)
}

/// How long this thread has worked. What others do on the machine takes nothing from a page.
fn worked() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// The conversations of a directory.
pub(crate) fn index(entries: &[Entry]) -> String {
    let body = html! {
        header.top {
            h1 { "Conversations" }
            p.about { (count(entries.len(), "conversation")) }
        }
        main.transcript {
            ul.list {
                @for entry in entries {
                    li {
                        a href=(entry.file) dir="auto" { (entry.heading) }
                        p.about {
                            (minute(&entry.summary.last_activated_at)) " UTC · "
                            (count(entry.turns, "turn")) " · " (entry.summary.id)
                        }
                    }
                }
            }
        }
    };
    document("Conversations", &body)
}

/// What was asked, turn by turn.
fn outline(conversation: &Conversation) -> Markup {
    html! {
        nav.outline {
            details {
                summary { "Turns" }
                ol {
                    @for turn in conversation.turns.iter().filter(|turn| turn.number > 0) {
                        li value=(turn.number) {
                            a href={ "#turn-" (turn.number) } dir="auto" {
                                (turn.request().map_or_else(|| "–".to_owned(), start))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(FRAME)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use scraper::{Html, Selector};
    use serde_json::json;

    use super::*;
    use crate::conversation::tests::conversation;

    fn select<'a>(page: &'a Html, selector: &str) -> Vec<scraper::ElementRef<'a>> {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).collect()
    }

    #[test]
    fn a_page_needs_nothing_else() {
        let events = [
            json!({ "type": "turn_start" }),
            json!({ "type": "chat_request", "content": "</title><script>alert(1)</script>" }),
            json!({ "type": "turn_start" }),
            json!({ "type": "chat_response", "message": "![a](https://a.example/b.png) <link rel=stylesheet>" }),
        ];
        let text = page(&conversation(None, events));
        let page = Html::parse_document(&text);
        for loads in
            ["script", "link", "img", "iframe", "object", "embed", "[src]", "[style]", "base"]
        {
            assert!(select(&page, loads).is_empty(), "{loads}: {text}");
        }
        assert_eq!(select(&page, "style").len(), 1);
        assert!(!STYLE.contains('<') && !FRAME.contains('<'), "a style cannot end early");
        assert!(!FRAME.contains("url(") && !FRAME.contains("@import"));
        let title: String = select(&page, "title")[0].text().collect();
        assert_eq!(title, "</title><script>alert(1)</script>");
        let ids: Vec<_> =
            select(&page, ".turn").iter().map(|turn| turn.attr("id").unwrap()).collect();
        assert_eq!(ids, ["turn-1", "turn-2"]);
        for link in select(&page, ".outline a, .permalink") {
            let target = link.attr("href").unwrap();
            assert_eq!(select(&page, target).len(), 1, "{target}");
        }
    }

    /// What the web view cuts is whole here.
    #[test]
    fn nothing_is_cut() {
        let long = || format!("{}the end", "<".repeat(300 << 10));
        let arguments: serde_json::Map<_, _> = (0..1_000)
            .map(|n| (format!("a{n}"), json!("x\n")))
            .chain([("z".to_owned(), json!("the end\n"))])
            .collect();
        let deep = (0..100).fold(json!(["the end", 1, 1, 1]), |inner, _| json!([inner]));
        for event in [
            json!({ "type": "chat_request", "content": "x", "author": long() }),
            json!({ "type": "chat_request", "content": long() }),
            json!({ "type": "chat_request", "content": "x", "schema": [long()] }),
            json!({ "type": "chat_response", "data": deep }),
            json!({ "type": "tool_call_request", "id": "1", "name": long() }),
            json!({ "type": "tool_call_request", "id": "1", "name": "t", "arguments": arguments }),
            json!({ "type": "tool_call_response", "id": "1", "content": long() }),
            json!({ "type": "turn_start", "metadata": { "a": long() } }),
        ] {
            let page = page(&conversation(None, [event]));
            assert!(page.contains("the end") && !page.contains("Cut after"), "{}", &page[..400]);
        }
    }

    #[test]
    fn a_conversation_without_words_is_a_page() {
        assert!(page(&conversation(None, [])).contains("Nothing was said yet."));
    }

    #[test]
    fn an_index_leads_to_every_page() {
        let Conversation { summary, .. } = conversation(Some("<b>"), []);
        let entry = Entry {
            summary,
            heading: "<b>".into(),
            turns: 1,
            file: "1.html".into(),
            warning: None,
        };
        let text = index(&[entry]);
        assert!(text.contains("<a href=\"1.html\" dir=\"auto\">&lt;b&gt;</a>"), "{text}");
        assert!(text.contains("2026-03-18 13:19 UTC · 1 turn · 17127583920"), "{text}");
    }
}
