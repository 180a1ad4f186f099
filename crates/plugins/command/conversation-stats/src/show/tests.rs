//! Numbers, names and tables for people.

use std::collections::BTreeMap;

use super::*;

fn counted(id: &str, counts: Counts) -> Counted {
    Counted { id: id.to_owned(), title: Some(format!("Talk {id}")), counts }
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(report(&Report::default()), "");
    let one = Report::new(vec![Ok(counted("1", Counts::default()))]);
    insta::assert_snapshot!(report(&one), @"
    Talk 1
    conversation 1

      turns              0
      time             0 s  in turns
      events             0
      words              0
    ");
}

#[test]
fn a_table_ends_somewhere() {
    let tool = |n: u64| {
        (format!("tool_{n:02}"), Tool { calls: n, failures: n / 2, unanswered: 0, seconds: 90.5 })
    };
    let tools: BTreeMap<_, _> = (1..=25).map(tool).collect();
    let all = (0..25)
        .map(|n| counted(&n.to_string(), Counts { tools: tools.clone(), ..Counts::default() }));
    let text = report(&Report::new(all.map(Ok).collect()));
    insta::assert_snapshot!(text, @"
    25 conversations

      turns              0
      time             0 s  in turns
      events             0
      words              0
      calls          8,125  3,900 failed (48%)

      tool       calls   failed                 time
      tool_25      625      300    48%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_24      600      300    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_23      575      275    48%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_22      550      275    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_21      525      250    48%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_20      500      250    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_19      475      225    47%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪▪
      tool_18      450      225    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪▪
      tool_17      425      200    47%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪
      tool_16      400      200    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪▪
      tool_15      375      175    47%   37 min 42 s  ▪▪▪▪▪▪▪▪▪▪
      tool_14      350      175    50%   37 min 42 s  ▪▪▪▪▪▪▪▪▪
      tool_13      325      150    46%   37 min 42 s  ▪▪▪▪▪▪▪▪▪
      tool_12      300      150    50%   37 min 42 s  ▪▪▪▪▪▪▪▪
      tool_11      275      125    45%   37 min 42 s  ▪▪▪▪▪▪▪▪
      tool_10      250      125    50%   37 min 42 s  ▪▪▪▪▪▪▪
      tool_09      225      100    44%   37 min 42 s  ▪▪▪▪▪▪
      tool_08      200      100    50%   37 min 42 s  ▪▪▪▪▪▪
      tool_07      175       75    43%   37 min 42 s  ▪▪▪▪▪
      tool_06      150       75    50%   37 min 42 s  ▪▪▪▪
      … and 5 more; `--json` has all

       turns   events   calls  failed  conversation
           0        0     325     156  0  Talk 0
           0        0     325     156  1  Talk 1
           0        0     325     156  2  Talk 2
           0        0     325     156  3  Talk 3
           0        0     325     156  4  Talk 4
           0        0     325     156  5  Talk 5
           0        0     325     156  6  Talk 6
           0        0     325     156  7  Talk 7
           0        0     325     156  8  Talk 8
           0        0     325     156  9  Talk 9
           0        0     325     156  10  Talk 10
           0        0     325     156  11  Talk 11
           0        0     325     156  12  Talk 12
           0        0     325     156  13  Talk 13
           0        0     325     156  14  Talk 14
           0        0     325     156  15  Talk 15
           0        0     325     156  16  Talk 16
           0        0     325     156  17  Talk 17
           0        0     325     156  18  Talk 18
           0        0     325     156  19  Talk 19
      … and 5 more; `--json` has all
    ");
}

#[test]
fn names_are_cut_by_their_width() {
    assert_eq!(cut("a\n b\u{1b}", NAME), "a b");
    assert_eq!(cut(&"x".repeat(40), NAME), "x".repeat(40));
    assert_eq!(cut(&"x".repeat(41), NAME), "x".repeat(39) + "…");
    assert_eq!(cut(&"漢".repeat(21), NAME).width(), 39);
}

#[test]
fn numbers_have_groups() {
    for (value, want) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(number(value), want);
    }
    for (values, want) in [(&[3.0, 1.0, 2.0][..], "2.0"), (&[4.0, 1.0], "2.5"), (&[], "0.0")] {
        assert_eq!(format!("{:.1}", median(values)), want);
    }
    assert_eq!(bar(0, 10), "");
    assert_eq!(bar(1, 1_000), "▪");
    assert_eq!(bar(10, 10).chars().count(), 16);
}
