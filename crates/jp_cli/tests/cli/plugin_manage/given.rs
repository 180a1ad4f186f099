//! Plugins from a file or a URL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use jp_plugin_registry::Sha256;
use jp_test::{Answer, Size};

use super::shop::{Shop, official};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 30, cols: 160 };

fn sum(text: &str) -> String {
    Sha256::of(text.as_bytes()).unwrap().to_string()
}

#[test]
fn a_file_is_shown_and_asked_about() {
    let shop = Shop::new();
    shop.env.write("jp-stats", "one");
    shop.jp(["plugin", "install", "jp-stats", "--no-interaction"]).run().code(3);
    assert_eq!(shop.files(), [""; 0]);
    let mut terminal = shop.jp(["plugin", "install", "./jp-stats"]).pty(SIZE);
    terminal.expect("Install `stats`?", LIMIT);
    let screen = terminal.screen();
    for part in [sum("one").as_str(), "unknown", "file://", "everything that you can do"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    // What is installed is what was shown, whatever becomes of the file.
    shop.env.write("jp-stats", "two");
    terminal.send("y\r");
    terminal.wait(LIMIT).success();
    let file = shop.dir().join("jp-stats");
    assert_eq!(shop.env.read(&file), "one");
    assert_eq!(shop.mode(&file), 0o755);
    // The registry is not asked about what does not come from it.
    shop.offer("stats", &official("stats", &[]));
    shop.jp(["plugin", "update"]).run().success();
    assert_eq!(shop.env.read(&file), "one");
    shop.jp(["plugin", "update", "stats"]).run().code(2);
    shop.jp(["plugin", "install", "stats"]).run().success();
    assert_eq!(shop.env.read(&file), "#!/bin/sh\necho stats\n");
}

#[test]
fn a_file_that_looks_like_a_name_is_pointed_to() {
    let shop = Shop::new();
    shop.offer("stats", &official("stats", &[]));
    shop.env.write("README.md", "text");
    shop.env.write("é.md", "text");
    shop.env.write("readme", "text");
    let check = |word: &str, id: Option<&str>, parts: &[&str]| {
        let output = match id {
            Some(id) => shop.jp(["plugin", "install", word, "--id", id]).run().code(2),
            None => shop.jp(["plugin", "install", word]).run().code(2),
        };
        for part in parts {
            assert!(output.stderr().contains(part), "{part}: {output}");
        }
    };
    // What can be no name is not looked for in the registry.
    let no_name = ["no plugin can be called `é.md`", "write `./é.md`"];
    check("é.md", None, &no_name);
    check("é.md", Some("readme"), &no_name);
    let unknown = ["the registry has no plugin `README.md`", "write `./README.md`"];
    check("README.md", None, &unknown);
    check("README.md", Some("readme"), &["are for one file", "write `./README.md`"]);
    check("readme", None, &["the registry has no plugin `readme`", "write `./readme`"]);
    check("readme", Some("x"), &["are for one file", "write `./readme`"]);
    // The registry comes first.
    shop.env.write("stats", "text");
    shop.jp(["plugin", "install", "stats"]).run().success();
    assert_eq!(shop.env.read(shop.dir().join("jp-stats")), "#!/bin/sh\necho stats\n");
}

#[test]
fn a_checksum_says_which_file_is_meant() {
    let shop = Shop::new();
    shop.env.write("jp-stats", "one");
    let output =
        shop.jp(["plugin", "install", "./jp-stats", "--sha256", &sum("two")]).run().code(1);
    assert!(output.stderr().contains(&sum("one")), "{output}");
    assert_eq!(shop.files(), [""; 0]);
    shop.jp(["plugin", "install", "./jp-stats", "--sha256", "12"]).run().code(2);
    shop.jp(["plugin", "install", "./jp-stats", "--sha256", &sum("one")]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-stats"]);
    // A pin counts here, too.
    let pin = format!(
        "plugins.command.stats.checksum={{ algorithm = \"sha256\", value = \"{}\" }}",
        sum("one")
    );
    shop.env.write("jp-stats", "two");
    let output = shop.jp(["plugin", "install", "./jp-stats", "--yes", "--cfg", &pin]).run().code(4);
    assert!(output.stderr().contains("plugins.command.stats.checksum"), "{output}");
    assert_eq!(shop.env.read(shop.dir().join("jp-stats")), "one");
    let deny = "plugins.command.stats.run=deny";
    shop.jp(["plugin", "install", "./jp-stats", "--yes", "--cfg", deny]).run().code(4);
}

#[test]
fn a_url_is_https_and_names_the_plugin() {
    let shop = Shop::new();
    shop.answer("/dist/jp-stats", Answer::File(b"one".to_vec()));
    shop.answer("/down/jp-stats", Answer::Redirect("http://localhost:1/jp-stats".to_owned()));
    shop.answer("/dist/stats-linux?x=1", Answer::File(b"one".to_vec()));
    let url = shop.url("/dist/jp-stats");
    shop.jp(["plugin", "install", &url, "--no-interaction"]).run().code(3);
    assert!(!shop.files().iter().any(|it| it.starts_with("jp-")));
    let plain = url.replace("https://", "http://");
    shop.jp(["plugin", "install", &plain, "--yes"]).run().code(2);
    let output = shop.jp(["plugin", "install", &shop.url("/down/jp-stats"), "--yes"]).run().code(1);
    assert!(output.stderr().contains("not an https URL"), "{output}");
    shop.jp(["plugin", "install", &url, "--sha256", &sum("one")]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-stats"]);
    let url = shop.url("/dist/stats-linux?x=1");
    let output = shop.jp(["plugin", "install", &url, "--yes"]).run().code(2);
    assert!(output.stderr().contains("--id"), "{output}");
    for id in ["../up", "Up", "a/b"] {
        shop.jp(["plugin", "install", &url, "--yes", "--id", id]).run().code(2);
    }
    shop.jp(["plugin", "install", &url, "--yes", "--id", "other"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-other", "jp-stats"]);
}

#[test]
fn a_file_that_is_not_there_is_told_as_that() {
    let shop = Shop::new();
    for word in ["./jp-gone", "gone/jp-x", "/nowhere/x"] {
        let output = shop.jp(["plugin", "install", word, "--yes"]).run().code(2);
        assert!(output.stderr().contains("there is no file"), "{output}");
    }
    assert_eq!(shop.files(), [""; 0]);
}
