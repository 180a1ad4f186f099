//! Tables at a width they fit in, at one they have to share, and at one that is hopeless.

use super::*;

#[test]
fn tables_line_up() {
    let text =
        "| Name | Right | Middle |\n|:--|--:|:-:|\n| a | 1 | x |\n| 漢字 | 22 | `y` |\n| short |";
    insta::assert_snapshot!(plain(text), @"
    | Name  | Right | Middle |
    |:------|------:|:------:|
    | a     |     1 |   x    |
    | 漢字  |    22 |  `y`   |
    | short |       |        |
    ");
    insta::assert_snapshot!(colored(text), @"
    ␛[1mName␛[0m  ␛[2m│␛[0m ␛[1mRight␛[0m ␛[2m│␛[0m ␛[1mMiddle␛[0m
    ␛[2m──────┼───────┼───────␛[0m
    a     ␛[2m│␛[0m     1 ␛[2m│␛[0m   x
    漢字  ␛[2m│␛[0m    22 ␛[2m│␛[0m   ␛[32my␛[0m
    short ␛[2m│␛[0m       ␛[2m│␛[0m
    ");
}

#[test]
fn tables_share_the_width() {
    let text = "\
| Key | Value | Comment |
|--|--|--|
| a | a value of several words | https://example.org/long/address |
| b | short | words |";
    insta::assert_snapshot!(plain(text), @"
    | Key | Value         | Comment       |
    |-----|---------------|---------------|
    | a   | a value of    | https://examp |
    |     | several words | le.org/long/a |
    |     |               | ddress        |
    | b   | short         | words         |
    ");
    insta::assert_snapshot!(colored(text), @"
    ␛[1mKey␛[0m ␛[2m│␛[0m ␛[1mValue␛[0m           ␛[2m│␛[0m ␛[1mComment␛[0m
    ␛[2m────┼─────────────────┼────────────────␛[0m
    a   ␛[2m│␛[0m a value of      ␛[2m│␛[0m https://example
        ␛[2m│␛[0m several words   ␛[2m│␛[0m .org/long/addre
        ␛[2m│␛[0m                 ␛[2m│␛[0m ss
    ␛[2m────┼─────────────────┼────────────────␛[0m
    b   ␛[2m│␛[0m short           ␛[2m│␛[0m words
    ");
}

#[test]
fn tables_of_too_many_columns_become_lists() {
    let text = "\
|Column 1|Column 2|Column 3|Column 4|Column 5|Column 6|
|-|-|-|-|-|-|
|one|two|three three|four four|five five|six six|
|**1**|||a text that is longer than the line|||";
    insta::assert_snapshot!(plain(text), @"
    Column 1: one
    Column 2: two
    Column 3: three three
    Column 4: four four
    Column 5: five five
    Column 6: six six

    Column 1: **1**
    Column 4: a text that is longer than
      the line
    ");
    let heading = "|Column 1|Column 2|Column 3|Column 4|Column 5|\n|-|-|-|-|-|";
    insta::assert_snapshot!(plain(heading), @"
    Column 1
    Column 2
    Column 3
    Column 4
    Column 5
    ");
}
