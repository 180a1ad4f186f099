//! A command that only the registry knows is used.

use std::time::Duration;

use jp_test::Size;

use super::shop::{Shop, official, other, wait_until};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 30, cols: 160 };

/// A plugin that says something and ends.
const SCRIPT: &str = r#"#!/bin/sh
read -r first
case "$first" in '{"type":"describe"'*)
    echo '{"type":"describe","name":"x","version":"1","description":"d"}'
    exit ;;
esac
echo '{"type":"ready"}'
printf '%s\n' '{"type":"print","text":"served\n"}'
echo '{"type":"exit","code":0}'
"#;

fn shop() -> Shop {
    let shop = Shop::new();
    shop.env.write(".jp/config.toml", "");
    shop.offer("base", &official("base", &[]));
    shop.offer_bytes("mine", &official("mine", &["base"]), SCRIPT.as_bytes());
    shop.offer_bytes("theirs", &other("theirs", &[]), SCRIPT.as_bytes());
    shop.jp(["plugin", "update"]).run().success();
    shop
}

/// 072-007, 072-008, 072-147, 072-312, 072-321
#[test]
fn an_official_plugin_is_installed_and_runs() {
    let shop = shop();
    let output = shop.jp(["mine", "--no-interaction"]).run().success();
    assert_eq!(output.stdout(), "served\n");
    assert_eq!(shop.files(), ["installed.json", "jp-base", "jp-mine"]);
    // The second time it is there.
    let before = shop.requests().len();
    shop.jp(["mine"]).run().success();
    assert_eq!(shop.requests().len(), before);
}

/// 072-009, 072-322
#[test]
fn a_plugin_of_others_is_asked_about_first() {
    let shop = shop();
    let output = shop.jp(["--no-interaction", "theirs"]).run().code(3);
    assert!(output.stderr().contains("jp plugin install theirs"), "{output}");
    let mut terminal = shop.jp(["theirs"]).pty(SIZE);
    terminal.expect("Install `theirs`?", LIMIT).send("n\r");
    terminal.wait(LIMIT).code(5);
    assert_eq!(shop.requests(), ["/plugins.json"]);
    assert!(!shop.files().iter().any(|it| it.starts_with("jp-")), "{:?}", shop.files());
    let mut terminal = shop.jp(["theirs"]).pty(SIZE);
    terminal.expect("Install `theirs`?", LIMIT).send("y\r");
    wait_until(|| shop.files().contains(&"jp-theirs".to_owned()));
}

/// 072-323, 072-310, 072-311
#[test]
fn settings_come_before_everything() {
    let shop = shop();
    let off = "plugins.auto_install=false";
    let output = shop.jp(["--no-interaction", "--cfg", off, "mine"]).run().code(3);
    assert!(output.stderr().contains("jp plugin install mine"), "{output}");
    for deny in ["plugins.command.mine.run=deny", "plugins.command.base.run=deny"] {
        shop.jp(["--no-interaction", "--cfg", deny, "mine"]).run().code(4);
    }
    assert_eq!(shop.requests(), ["/plugins.json"]);
}

/// A registry that was never fetched is not fetched because a word is not a command.
#[test]
fn nothing_is_fetched_for_an_unknown_word() {
    let shop = Shop::new();
    shop.env.write(".jp/config.toml", "");
    shop.offer("mine", &official("mine", &[]));
    shop.jp(["mine"]).run().code(2);
    assert_eq!(shop.requests(), [""; 0]);
}
