//! The table of the specification as a page of the documentation.

use std::fmt::Write as _;

use super::Named;
use super::checklist::Checklist;

/// How much of an assertion is repeated; its id leads to the rest.
const MAX_WIDTH: usize = 100;

const HEAD: &str = "\
# Conformance

Which tests prove which line of the specification. Written by `cargo xtask spec`, checked by CI; do not edit.

A test that proves an assertion names its id, in its name, a comment or a row of its table.

";

/// The whole page: counts first, then a table for each document.
pub(crate) fn render(documents: &[Checklist], named: &Named) -> String {
    let mut page = format!("{HEAD}{}", summary(documents, named));
    for document in documents {
        let _ = write!(
            page,
            "\n## {}\n\n| id | what it says | tests |\n|---|---|---|\n",
            document.title
        );
        for (id, text) in &document.lines {
            let tests: Vec<_> =
                named.get(id).into_iter().flatten().map(|test| format!("`{test}`")).collect();
            let _ = writeln!(page, "| {id} | {} | {} |", cell(text), tests.join("<br>"));
        }
    }
    page
}

/// How many assertions of each document a test names.
pub(crate) fn summary(documents: &[Checklist], named: &Named) -> String {
    let mut table = "| document | named by a test | assertions |\n|---|--:|--:|\n".to_owned();
    let (mut all_named, mut all) = (0, 0);
    for document in documents {
        let count = document.lines.iter().filter(|(id, _)| named.contains_key(id)).count();
        let _ = writeln!(table, "| {} | {count} | {} |", document.title, document.lines.len());
        all_named += count;
        all += document.lines.len();
    }
    let _ = writeln!(table, "| all | {all_named} | {all} |");
    table
}

/// Short enough for a table, cut between words, and harmless to it.
fn cell(text: &str) -> String {
    let mut short = match text.char_indices().nth(MAX_WIDTH) {
        None => text.to_owned(),
        Some((limit, _)) => {
            let end = text[..limit].rfind(' ').unwrap_or(limit);
            format!("{} …", text[..end].trim_end())
        }
    };
    // A cut through code would turn the rest of the row into code.
    if short.matches('`').count() % 2 == 1 {
        short.insert(short.trim_end_matches(" …").len(), '`');
    }
    short.replace('|', r"\|")
}

#[cfg(test)]
mod tests {
    use super::super::ids::Id;
    use super::*;

    #[test]
    fn the_page_has_counts_and_a_table_for_each_document() {
        let id = |number| Id { document: "X90".to_owned(), number };
        let lines = vec![(id(1), "One `a|b`.".to_owned()), (id(2), "Two.".to_owned())];
        let documents = [Checklist { title: "X90: things".to_owned(), lines }];
        let tests = ["a::one", "a::two"].map(str::to_owned).into();
        let page = render(&documents, &Named::from([(id(1), tests)]));
        insta::assert_snapshot!(page.strip_prefix(HEAD).unwrap(), @r"
        | document | named by a test | assertions |
        |---|--:|--:|
        | X90: things | 1 | 2 |
        | all | 1 | 2 |

        ## X90: things

        | id | what it says | tests |
        |---|---|---|
        | X90-001 | One `a\|b`. | `a::one`<br>`a::two` |
        | X90-002 | Two. |  |
        ");
    }

    #[test]
    fn long_assertions_are_cut_between_words() {
        assert_eq!(cell(&"é".repeat(MAX_WIDTH)), "é".repeat(MAX_WIDTH));
        let text = format!("{} tail", "word ".repeat(30));
        let short = cell(&text);
        assert!(short.ends_with("word …") && short.chars().count() <= MAX_WIDTH + 2, "{short}");
        let code = format!("`{}", "x ".repeat(100));
        assert!(cell(&code).ends_with("x` …"), "{}", cell(&code));
    }
}
