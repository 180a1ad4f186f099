//! Markdown in, lines out. What is written here is also the documentation of how it looks.

mod hostile;
mod tables;

use super::*;
use crate::{ColorDepth, Styles, Theme, display_width};

fn plain_at(width: usize, text: &str) -> String {
    render(text, &Options { ink: None, width, hazards: Hazards::Remove(Styles::Strip) })
}

fn plain(text: &str) -> String {
    plain_at(40, text)
}

fn colored(text: &str) -> String {
    let ink = Ink { theme: Theme::default(), depth: ColorDepth::TrueColor };
    let hazards = Hazards::Remove(Styles::Strip);
    render(text, &Options { ink: Some(ink), width: 40, hazards }).replace('\u{1b}', "␛")
}

#[test]
fn headings() {
    let text = "# One *two*\n\ntext\n\nSetext\n---\n### Three\n#### Four";
    insta::assert_snapshot!(plain(text), @"
    # One *two*

    text

    ## Setext

    ### Three

    #### Four
    ");
    insta::assert_snapshot!(colored(text), @"
    ␛[1m␛[4m␛[34mOne ␛[0m␛[1m␛[3m␛[4m␛[34mtwo␛[0m

    text

    ␛[1m␛[34mSetext␛[0m

    ␛[34mThree␛[0m

    ␛[3m␛[34mFour␛[0m
    ");
}

#[test]
fn paragraphs_are_filled_to_the_width() {
    let text = "one two three four five six seven eight nine\nten eleven  twelve\n\nnext  \nbroken\\\ntwice";
    insta::assert_snapshot!(plain_at(20, text), @"
    one two three four
    five six seven eight
    nine ten eleven
    twelve

    next
    broken
    twice
    ");
}

#[test]
fn spans() {
    let text = "*it* **bold** ***both*** ~~gone~~ `code  x` `` a`b `` **bold `code`**";
    insta::assert_snapshot!(plain_at(80, text), @"*it* **bold** ***both*** ~~gone~~ `code  x` ``a`b`` **bold `code`**");
    insta::assert_snapshot!(colored(text), @"␛[3mit␛[0m ␛[1mbold␛[0m ␛[1m␛[3mboth␛[0m ␛[9mgone␛[0m ␛[32mcode  x␛[0m ␛[32ma`b␛[0m ␛[1mbold ␛[0m␛[1m␛[32mcode␛[0m");
}

#[test]
fn styles_are_closed_at_the_end_of_a_line() {
    let text = "before **strong words that run over the end of the line** after";
    insta::assert_snapshot!(colored(text), @"
    before ␛[1mstrong words that run over the␛[0m
    ␛[1mend of the line␛[0m after
    ");
}

#[test]
fn lists_hang() {
    let text = "\
- one with a text that is longer than the line
  - nested with a text that is longer too
    1. number
- two

9. nine

   its second paragraph
10. ten

- [x] done
- [ ] open
-
- after an empty one";
    insta::assert_snapshot!(plain(text), @"
    - one with a text that is longer than
      the line
      - nested with a text that is longer
        too
        1. number
    - two

    9. nine

       its second paragraph

    10. ten

    - [x] done
    - [ ] open
    -
    - after an empty one
    ");
    insta::assert_snapshot!(colored("- a\n  - b\n    - c\n1. [x] d"), @"
    ␛[33m•␛[0m a
      ␛[33m◦␛[0m b
        ␛[33m▪␛[0m c

    ␛[33m1.␛[0m ␛[32m[x] ␛[0md
    ");
}

#[test]
fn quotes_have_a_bar() {
    let text =
        "> a quote with a text that is longer than the line\n>\n> > inner\n>\n> - item\n\nafter";
    insta::assert_snapshot!(plain(text), @"
    > a quote with a text that is longer
    > than the line
    >
    > > inner
    >
    > - item

    after
    ");
    insta::assert_snapshot!(colored("> one\n>\n> two"), @"
    ␛[2m│␛[0m one
    ␛[2m│␛[0m
    ␛[2m│␛[0m two
    ");
}

#[test]
fn alerts_have_a_title() {
    insta::assert_snapshot!(plain("> [!WARNING]\n> careful"), @"
    > [!WARNING]
    > careful
    ");
    insta::assert_snapshot!(colored("> [!WARNING]\n> careful"), @"
    ␛[33m│␛[0m ␛[1m␛[33mWarning␛[0m
    ␛[33m│␛[0m careful
    ");
}

#[test]
fn links_tell_where_they_lead() {
    let text = "\
[text](https://a.example), [`code`](b.md), <https://c.example>, <me@d.example>,
[https://e.example](https://e.example/), [https://f.example](https://evil.example),
[](https://g.example), [no address](), [ref][r], ![alt](h.png), ![](i.png)

[r]: https://r.example";
    insta::assert_snapshot!(plain_at(60, text), @"
    text (https://a.example), `code` (b.md), https://c.example,
    me@d.example, https://e.example, https://f.example
    (https://evil.example), (https://g.example), no address, ref
    (https://r.example), image: alt (h.png), image: (i.png)
    ");
    insta::assert_snapshot!(colored("a [text](https://a.example)"), @"a ␛[4m␛[34mtext␛[0m␛[2m (https://a.example)␛[0m");
}

#[test]
fn addresses_are_not_cut() {
    let text = "see https://example.org/a/path/that/is/longer/than/the/line for more";
    insta::assert_snapshot!(plain(text), @"
    see
    https://example.org/a/path/that/is/longer/than/the/line
    for more
    ");
}

#[test]
fn long_words_are_cut_between_characters() {
    insta::assert_snapshot!(plain_at(20, "a abcdefghijklmnopqrstuvwxyz b"), @"
    a
    abcdefghijklmnopqrst
    uvwxyz b
    ");
    let accents = plain_at(20, &"e\u{301}".repeat(25));
    let lengths: Vec<_> = accents.lines().map(display_width).collect();
    assert_eq!(lengths, [20, 5]);
    insta::assert_snapshot!(plain_at(20, &"👩‍👩‍👧".repeat(12)), @"
    👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧
    👩‍👩‍👧👩‍👩‍👧
    ");
}

#[test]
fn scripts_without_spaces_are_wrapped() {
    let text = "日本語の文章は空白なしで書かれている。「改行」は、文字の間に来る。";
    insta::assert_snapshot!(plain_at(20, text), @"
    日本語の文章は空白な
    しで書かれている。
    「改行」は、文字の間
    に来る。
    ");
}

#[test]
fn code_blocks_are_left_alone() {
    let text = "\
text

```rust
fn main() { /* a line that is much longer than the forty columns */ }

	tab();
```

    indented

- item
  ```
  in it
  ```
- next";
    insta::assert_snapshot!(plain(text), @"
    text

    ```rust
    fn main() { /* a line that is much longer than the forty columns */ }

    	tab();
    ```

    ```
    indented
    ```

    - item
      ```
      in it
      ```
    - next
    ");
    insta::assert_snapshot!(colored("```rust\nlet x = 1;\n\n```"), @"
    ␛[2m```rust␛[0m
    ␛[35mlet␛[0m x ␛[35m= ␛[0m␛[33m1␛[0m;

    ␛[2m```␛[0m
    ");
    insta::assert_snapshot!(colored("```\nlet x = 1;\n```"), @"
    ␛[2m```␛[0m
    let x = 1;
    ␛[2m```␛[0m
    ");
}

#[test]
fn a_fence_is_longer_than_the_code_in_it() {
    insta::assert_snapshot!(plain("~~~md\n```rust\n```\n~~~"), @"
    ````md
    ```rust
    ```
    ````
    ");
}

#[test]
fn html_is_text() {
    insta::assert_snapshot!(plain("<p>\n  <b>x</b>\n</p>\n\na <br/> b <!-- c -->"), @"
    <p>
      <b>x</b>
    </p>

    a <br/> b <!-- c -->
    ");
}

#[test]
fn rules_fill_the_width() {
    insta::assert_snapshot!(plain("a\n\n---\n\n> ***"), @"
    a

    ----------------------------------------

    > --------------------------------------
    ");
}

#[test]
fn footnotes_hang() {
    let text = "text[^1] and[^a-long-label]\n\n[^1]: a note that is longer than the line is wide\n\n[^a-long-label]: another";
    insta::assert_snapshot!(plain(text), @"
    text[^1] and[^a-long-label]

    [^1]: a note that is longer than the
          line is wide

    [^a-long-label]:
        another
    ");
}

#[test]
fn nothing_is_nothing() {
    for text in ["", "\n\n", "   ", "[a]: b", "<!---->"] {
        assert_eq!(plain(text), if text == "<!---->" { "<!---->\n" } else { "" });
    }
}
