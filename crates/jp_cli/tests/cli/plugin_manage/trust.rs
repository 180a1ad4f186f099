//! Who has to agree before something is installed, and who cannot agree for others.

use std::time::Duration;

use jp_test::Size;

use super::shop::{Shop, official, other};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 30, cols: 160 };

fn shop() -> Shop {
    let shop = Shop::new();
    shop.offer("mine", &official("mine", &[]));
    shop.offer("theirs", &other("theirs", &[]));
    shop.offer("both", &official("both", &["mine", "theirs"]));
    shop.jp(["plugin", "update"]).run().success();
    shop
}

#[test]
fn a_plugin_of_others_is_asked_about() {
    let shop = shop();
    let output = shop.jp(["plugin", "install", "theirs", "--no-interaction"]).run().code(3);
    assert!(output.stderr().contains("jp plugin install --yes theirs"), "{output}");
    let mut terminal = shop.jp(["plugin", "install", "theirs"]).pty(SIZE);
    terminal.expect("Install `theirs`?", LIMIT);
    let screen = terminal.screen();
    for part in [
        "not official; the registry names https://example.org/theirs",
        &shop.url("/jp-theirs"),
        "sha256",
        "everything that you can do",
        "plugins/command/jp-theirs",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.send("n\r");
    terminal.wait(LIMIT).code(5);
    assert_eq!(shop.requests(), ["/plugins.json"]);
    let mut terminal = shop.jp(["plugin", "install", "theirs"]).pty(SIZE);
    terminal.expect("Install `theirs`?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!(shop.files(), ["installed.json", "jp-theirs"]);
}

#[test]
fn what_rules_will_grant_is_shown_before_it_is_installed() {
    let shop = shop();
    shop.configure(
        "[plugins.command.theirs.access]\nfs = [{ path = 'src', read = true }]\n\
         net = [{ host = 'example.org', allow = true }]\nenv = [{ name = 'HOME' }]\n\
         [plugins.command.theirs.system]\nread = ['/opt/data']\n",
    );
    let mut terminal = shop.jp(["plugin", "install", "theirs"]).pty(SIZE);
    terminal.expect("Install `theirs`?", LIMIT);
    let screen = terminal.screen();
    for part in [
        "may do     only what its `access` rules grant",
        "files      src (read), /opt/data (read)",
        "network    example.org",
        "variables  none",
        "programs   all",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.send("n\r");
    terminal.wait(LIMIT).code(5);
}

/// 072-295
#[test]
fn agreeing_to_a_plugin_is_not_agreeing_to_what_it_requires() {
    let shop = shop();
    let output = shop.jp(["plugin", "install", "both", "--yes", "--no-interaction"]).run().code(3);
    assert!(output.stderr().contains("theirs"), "{output}");
    let mut terminal = shop.jp(["plugin", "install", "both"]).pty(SIZE);
    terminal.expect("`jp both` requires it", LIMIT).expect("Install `theirs`?", LIMIT).send("n\r");
    terminal.wait(LIMIT).code(5);
    assert_eq!(shop.requests(), ["/plugins.json"]);
    assert!(!shop.files().iter().any(|it| it.starts_with("jp-")), "{:?}", shop.files());
    shop.jp(["plugin", "install", "theirs", "both", "--yes"]).run().success();
    assert_eq!(shop.files(), ["installed.json", "jp-both", "jp-mine", "jp-theirs"]);
}

/// 072-296, 072-310, 072-311, 072-324
#[test]
fn what_is_denied_is_neither_fetched_nor_asked_about() {
    let shop = shop();
    for setting in ["theirs.run=deny", "theirs.install=false"] {
        let cfg = format!("plugins.command.{setting}");
        for name in ["theirs", "both"] {
            let output = shop.jp(["plugin", "install", name, "--yes", "--cfg", &cfg]).run().code(4);
            let key = cfg.split('=').next().unwrap();
            assert!(output.stderr().contains(&format!("`{key}` denies it")), "{output}");
        }
    }
    assert_eq!(shop.requests(), ["/plugins.json"]);
    assert!(shop.files().is_empty());
    let install = "plugins.command.theirs.install=true";
    shop.jp(["plugin", "install", "both", "--no-interaction", "--cfg", install]).run().success();
}

/// 072-323: what an official plugin requires is not installed unasked either.
#[test]
fn installing_by_itself_can_be_turned_off() {
    let shop = shop();
    let cfg = "plugins.auto_install=false";
    let args = ["plugin", "install", "both", "theirs", "--yes", "--no-interaction", "--cfg", cfg];
    let output = shop.jp(args).run().code(3);
    assert!(output.stderr().contains("mine"), "{output}");
    // Who names one wants it.
    shop.jp(["plugin", "install", "mine", "--no-interaction", "--cfg", cfg]).run().success();
}

#[test]
fn a_workspace_can_only_be_stricter() {
    let shop = shop();
    let elsewhere = Shop::new();
    elsewhere.offer("mine", &official("mine", &[]));
    let url = elsewhere.url("/plugins.json");
    shop.env.write(
        ".jp/config.toml",
        format!(
            "plugins.registry = \"{url}\"\n\
             plugins.command.theirs = {{ install = true, run = \"unattended\" }}\n\
             plugins.command.mine.run = \"unattended\"\n\
             plugins.command.both.run = \"deny\"\n"
        ),
    );
    let output = shop.jp(["plugin", "update"]).run().success();
    assert!(output.stderr().contains("`plugins.registry` of a workspace is not used"), "{output}");
    assert_eq!(elsewhere.requests(), [""; 0]);
    shop.jp(["plugin", "install", "theirs", "--no-interaction"]).run().code(3);
    shop.jp(["plugin", "install", "both"]).run().code(4);
    shop.configure("plugins.command.mine.run = \"deny\"\n");
    shop.jp(["plugin", "install", "mine"]).run().code(4);
    assert!(shop.files().is_empty());
}

/// What others write cannot pass for what jp writes.
#[test]
fn words_of_others_stay_in_their_line() {
    let shop = Shop::new();
    let mut entry = other("evil", &[]);
    entry["description"] = "nice\n  publisher  official\u{1b}[2J\r  sha256     000".into();
    shop.offer("evil", &entry);
    shop.jp(["plugin", "update"]).run().success();
    let mut terminal = shop.jp(["plugin", "install", "evil"]).pty(SIZE);
    terminal.expect("Install `evil`?", LIMIT);
    let screen = terminal.screen();
    let publishers = screen.lines().filter(|it| it.starts_with("  publisher")).count();
    assert_eq!(publishers, 1, "{screen}");
    terminal.send("n\r");
    terminal.wait(LIMIT).code(5);
    let output = shop.jp(["plugin", "search"]).run().success();
    assert_eq!(output.stdout().lines().count(), 2, "{output}");
    assert!(!output.stdout().contains('\u{1b}'), "{output}");
}
