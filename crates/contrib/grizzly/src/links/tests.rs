//! Which lines of a text link to a note called `Plan` with the id `AB-1`.

use proptest::prelude::*;

use super::*;

fn lines(text: &str) -> Vec<usize> {
    let wanted = Wanted { id: "ab-1".to_owned(), title: "plan".to_owned() };
    wanted.lines(text).into_iter().map(|(number, _)| number).collect()
}

#[test]
fn links_in_all_forms() {
    for (text, want) in [
        ("see [[Plan]]", vec![1]),
        ("[[ plan ]] and [[Plan]]", vec![1]),
        ("[[Plan/Heading]]\n\n[[Plan|another text]]", vec![1, 3]),
        ("[[Plan\\/Heading]] [[Plans]] [[My Plan]]", vec![]),
        ("[[[[Plan]]", vec![1]),
        ("[[Other]] [[Plan", vec![]),
        ("[x](bear://x-callback-url/open-note?id=ab-1)", vec![1]),
        ("<BEAR://x-callback-url/open-note?id=AB-1&edit=yes>", vec![1]),
        ("bear://x-callback-url/open-note?title=Plan", vec![1]),
        ("bear://x-callback-url/open-note?id=AB-12", vec![]),
        ("bear://x-callback-url/open-tag?name=Plan", vec![]),
        ("a `[[Plan]]` in code, [[Plan]] not", vec![1]),
        ("only `[[Plan]]` in code", vec![]),
        ("```\n[[Plan]]\n```\n[[Plan]]", vec![4]),
        ("~~~\n```\n[[Plan]]\n~~~\n[[Plan]]", vec![5]),
        ("éé[[Plan]]ßbear://", vec![1]),
        ("]] [[", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(lines(text), want, "{text}");
    }
}

#[test]
fn a_slash_can_be_part_of_a_title() {
    assert!(titles("a/b").contains("a/b") && titles("a/b").contains("a"));
    assert_eq!(titles("a\\/b"), HashSet::from(["a/b".to_owned()]));
    assert!(titles("//|").iter().all(|title| !title.is_empty()));
}

#[test]
fn many_links_are_bounded() {
    assert_eq!(lines(&"[[Plan]]\n".repeat(1000)).len(), MAX_LINES);
    assert!(lines(&"[[".repeat(100_000)).is_empty());
    assert!(lines(&"[[a]]".repeat(100_000)).is_empty());
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in r"([\[\]`|/\\~\n]|bear://|é|a){0,80}") {
        lines(&text);
    }
}
