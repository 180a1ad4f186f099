//! Which paths are sensitive, what can be written for one, and what an answer changes.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::symlink, time::Duration};

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn find(extra: &[&str], root: &str, home: Option<&str>, path: &str) -> Option<String> {
    let list = extra.iter().fold(SensitivePaths::builtin(), |list, text| list.with(text).unwrap());
    list.find(root.into(), home.map(Utf8Path::new), path.into()).map(str::to_owned)
}

#[test]
fn the_built_in_places_are_found_wherever_the_root_is() {
    // 076-161, the part that is a list.
    for (root, path, expected) in [
        ("/home/me", ".ssh", "~/.ssh"),
        ("/home/me", ".ssh/id_ed25519", "~/.ssh"),
        ("/home/me/.ssh", ".", "~/.ssh"),
        ("/home/me/.ssh/keys", "deep/key", "~/.ssh"),
        ("/", "home/me/.gnupg/x", "~/.gnupg"),
        ("/home/me", ".aws/credentials", "~/.aws/credentials"),
        ("/home/me/.config", "gcloud/x", "~/.config/gcloud"),
        ("/home/me", ".kube/config", "~/.kube/config"),
        ("/home/me", ".docker/config.json", "~/.docker/config.json"),
        ("/ws", ".env", "**/.env"),
        ("/ws", "a/b/.env", "**/.env"),
        ("/ws", ".env/lib/x.py", "**/.env"),
        ("/ws", ".env.local", "**/.env.*"),
        ("/ws", ".env.example", "**/.env.*"),
        ("/ws", "a/.env.sample", "**/.env.*"),
        ("/ws", "a/.env.template/b", "**/.env.*"),
        ("/ws", ".env.", "**/.env.*"),
        // What is not canonical must not hide anything.
        ("/ws", "a/../.env/", "**/.env"),
        ("/ws", "../home/me/.ssh/x", "~/.ssh"),
        ("/ws", "/home/me/.ssh/x", "~/.ssh"),
        ("/ws", "/ws/.env", "**/.env"),
        ("/ws", "/other/.env", "**/.env"),
        // Some file systems open the same file for all of these.
        ("/home/me", ".SSH/x", "~/.ssh"),
        ("/Home/Me", ".ssh/x", "~/.ssh"),
        ("/home/me", ".\u{17f}sh/x", "~/.ssh"),
        ("/home/me", ".\u{212a}ube/config", "~/.kube/config"),
        ("/ws", ".ENV", "**/.env"),
        ("/ws", ".e\u{200c}nv", "**/.env"),
        ("/ws", ".Env.\u{e9}", "**/.env.*"),
        // None of these.
        ("/home/me", ".", ""),
        ("/home/me", ".aws", ""),
        ("/home/me", ".aws/config", ""),
        ("/home/me", ".sshd/x", ""),
        ("/home/me", "x/.ssh/id", ""),
        ("/home/you", ".ssh/id", ""),
        ("/home/me/.env/ws", "src/lib.rs", ""),
        ("/home/me/.env/ws", "/home/me/.env/ws/src", ""),
        ("/ws", "env", ""),
        ("/ws", ".envrc", ""),
        ("/ws", "x.env", ""),
        ("/ws", "src/lib.rs", ""),
    ] {
        let found = find(&[], root, Some("/home/me"), path).unwrap_or_default();
        assert_eq!(found, expected, "{root} {path}");
    }
}

#[test]
fn without_a_home_every_directory_can_be_one() {
    for (root, path, expected) in [
        ("/ws", ".ssh/id", "~/.ssh"),
        ("/ws", "a/.kube/config", "~/.kube/config"),
        ("/home/me/.ssh", "id", "~/.ssh"),
        ("/ws", ".kube/other", ""),
        ("/ws", "src/ssh", ""),
    ] {
        assert_eq!(find(&[], root, None, path).unwrap_or_default(), expected, "{root} {path}");
    }
}

#[test]
fn patterns_can_be_added_in_four_forms() {
    // 076-163
    for (pattern, path, expected) in [
        ("~/keys", "/home/me/keys/a", true),
        ("~/keys/", "/home/me/keys", true),
        ("~/keys", "/home/me/keys2", false),
        ("/etc/ssl/private", "/etc/ssl/private/x", true),
        ("/etc/ssl/private", "/etc/ssl", false),
        ("/ws/deploy", "deploy/token", true),
        ("deploy/token", "deploy/token", true),
        ("deploy/token", "a/deploy/token", false),
        ("deploy/token", "/deploy/token", true),
        ("**/*.pem", "a/b.pem", true),
        ("**/*.pem", "a/b.PEM/c", true),
        ("**/*.pem", "a/pem", false),
        ("**/id_*_*", "id_a_b", true),
        ("**/id_*_*", "id_a", false),
        ("**/a*b*c", "axxbybc", true),
        ("**/a*b*c", "axxbybd", false),
        ("**/É", "x/é", true),
    ] {
        let found = find(&[pattern], "/ws", Some("/home/me"), path);
        assert_eq!(found.as_deref() == Some(pattern), expected, "{pattern} {path}");
    }
    // It only grows: nothing that is added takes away what was there.
    let more = SensitivePaths::builtin().with("deploy").unwrap().with("deploy").unwrap();
    assert_eq!(more.patterns().collect::<Vec<_>>(), [&BUILTIN[..], &["deploy"]].concat());
    assert_eq!(SensitivePaths::builtin().patterns().count(), 8);
}

#[test]
fn anything_else_is_an_error_that_says_what_can_be_written() {
    let long = "x".repeat(5_000);
    let texts: Vec<_> = [
        "", "/", "~/", "**/", "~", "~you/x", "!.env", "**/a/b", "**", "**/**", "**/a**b", "*.pem",
        "~/*", "a//b", "./a", "a/../b", "/..", "a\0b", "a\nb", &long,
    ]
    .into_iter()
    .filter_map(|text| SensitivePaths::builtin().with(text).err())
    .map(|error| error.to_string())
    .collect();
    let what_to_write = "; write `~/path`, `/path`, `**/name` or `path/below/the/workspace`, with \
                         `*` only in a name after `**/`";
    assert!(texts.iter().all(|text| text.ends_with(what_to_write)));
    let texts: Vec<_> = texts.iter().map(|text| text.replace(what_to_write, " …")).collect();
    assert_snapshot!(texts.join("\n"), @r#"
    not a pattern for sensitive paths: "": it names nothing …
    not a pattern for sensitive paths: "/": it names nothing …
    not a pattern for sensitive paths: "~/": it names nothing …
    not a pattern for sensitive paths: "**/": it names nothing …
    not a pattern for sensitive paths: "~": only the own home can be written with `~` …
    not a pattern for sensitive paths: "~you/x": only the own home can be written with `~` …
    not a pattern for sensitive paths: "!.env": a pattern takes nothing away …
    not a pattern for sensitive paths: "**/a/b": there is more than a name after `**/` …
    not a pattern for sensitive paths: "**": there is a `*` in a path …
    not a pattern for sensitive paths: "**/**": `**` can only stand at the beginning …
    not a pattern for sensitive paths: "**/a**b": `**` can only stand at the beginning …
    not a pattern for sensitive paths: "*.pem": there is a `*` in a path …
    not a pattern for sensitive paths: "~/*": there is a `*` in a path …
    not a pattern for sensitive paths: "a//b": a part of it is empty or made of dots …
    not a pattern for sensitive paths: "./a": a part of it is empty or made of dots …
    not a pattern for sensitive paths: "a/../b": a part of it is empty or made of dots …
    not a pattern for sensitive paths: "/..": a part of it is empty or made of dots …
    not a pattern for sensitive paths: "a\0b": there is a control character in it …
    not a pattern for sensitive paths: "a\nb": there is a control character in it …
    not a pattern for sensitive paths: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": it is too long …
    "#);
    let full = (0..MAX_PATTERNS - 8).fold(SensitivePaths::builtin(), |list, number| {
        list.with(&format!("secret{number}")).unwrap()
    });
    let error = full.with("one/more").unwrap_err();
    assert_eq!(error, SensitivePatternError::TooMany { limit: MAX_PATTERNS });
}

#[test]
fn stars_do_not_cost_more_than_the_product_of_the_lengths() {
    let pattern = format!("**/{}b", "a*".repeat(2_000));
    let list = SensitivePaths::builtin().with(&pattern).unwrap();
    let path = "a".repeat(60_000);
    let start = std::time::Instant::now();
    assert_eq!(list.find("/ws".into(), None, path.as_str().into()), None);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn the_absolute_places_are_those_that_do_not_depend_on_the_root() {
    let list = SensitivePaths::builtin().with("/etc/key").unwrap().with("deploy").unwrap();
    let shown = |home: Option<&str>| {
        let places = list.absolute(home.map(Utf8Path::new));
        places.into_iter().map(Utf8PathBuf::into_string).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(shown(Some("/home/me")), @"/home/me/.ssh /home/me/.gnupg /home/me/.aws/credentials /home/me/.config/gcloud /home/me/.kube/config /home/me/.docker/config.json /etc/key");
    assert_snapshot!(shown(None), @"/etc/key");
}

fn gate() -> SensitiveGate {
    SensitiveGate::new(SensitivePaths::builtin(), "/ws".into(), Some("/home/me".into()))
}

#[test]
fn what_is_sensitive_passes_with_a_yes() {
    let gate = gate();
    let other = gate.clone();
    assert_eq!(gate.pass("src/lib.rs".into()), Ok(()));
    let refusal = gate.pass(".env".into()).unwrap_err();
    assert_eq!((refusal.path.as_str(), refusal.asked), (".env", false));
    assert_snapshot!(refusal, @".env is sensitive (`**/.env`), and nobody was asked about it");
    gate.answer(".env".into(), true);
    gate.answer("no/.env.local".into(), false);
    for gate in [gate, other] {
        assert_eq!(gate.pass(".env".into()), Ok(()));
        assert_eq!(gate.pass(".env/".into()), Ok(()));
        let refusal = gate.pass("no/.env.local".into()).unwrap_err();
        assert!(refusal.asked);
        let expected = "no/.env.local is sensitive (`**/.env.*`), and its use was refused";
        assert_eq!(refusal.to_string(), expected);
        assert!(!gate.pass("b/.env".into()).unwrap_err().asked);
    }
}

#[test]
fn an_answer_for_one_operation_is_one_for_no_other() {
    let gate = gate();
    let once = gate.except(".env".into()).except("a/.env".into());
    for path in [".env", "a/.env"] {
        assert_eq!(once.pass(path.into()), Ok(()), "{path}");
        assert!(gate.pass(path.into()).is_err(), "{path}");
    }
    assert!(once.pass("b/.env".into()).is_err());
}

#[test]
fn what_cannot_be_remembered_is_refused() {
    let gate = SensitiveGate::new(SensitivePaths::builtin(), "/ws".into(), None);
    let paths: Vec<_> =
        (0..100).map(|number| format!(".env/{number}/{}", "x".repeat(60_000))).collect();
    for path in &paths {
        gate.answer(Utf8Path::new(path), true);
    }
    let passed = paths.iter().filter(|path| gate.pass(Utf8Path::new(path)).is_ok()).count();
    assert_eq!(passed, 17);
    // An answer that was given stays, and can be changed.
    assert_eq!(gate.pass(Utf8Path::new(&paths[0])), Ok(()));
    gate.answer(Utf8Path::new(&paths[0]), false);
    assert!(gate.pass(Utf8Path::new(&paths[0])).unwrap_err().asked);
}

#[test]
fn what_a_pattern_names_does_not_move_away_with_its_directory() {
    let list = SensitivePaths::builtin().with("deploy/keys/token").unwrap();
    let with_home = SensitiveGate::new(list.clone(), "/home".into(), Some("/home/me".into()));
    let without = SensitiveGate::new(list, "/home".into(), None);
    for (gate, from, expected) in [
        (&with_home, "deploy", "deploy/keys/token"),
        (&with_home, "deploy/keys", "deploy/keys/token"),
        (&with_home, "deploy/other", ""),
        (&with_home, "deploy/key", ""),
        (&with_home, "me", "me/.ssh"),
        (&with_home, "me/.aws", "me/.aws/credentials"),
        (&with_home, "you/.aws", ""),
        (&without, "you/.aws", "you/.aws"),
        (&without, "you", ""),
        (&without, "x/.env", "x/.env"),
    ] {
        let refused = gate.pass_move(from.into()).err().map(|error| error.path.into_string());
        assert_eq!(refused.unwrap_or_default(), expected, "{from}");
    }
    with_home.answer("deploy/keys/token".into(), true);
    assert_eq!(with_home.pass_move("deploy".into()), Ok(()));
}

proptest! {
    // A close look at everything is the plain way to say it; the gate looks closely at little.
    #[test]
    fn the_quick_look_misses_nothing(
        root in prop::sample::select(vec!["/ws", "/", "/home/me", "/home", "/home/me/.ssh", "/x/.aws"]),
        has_home in any::<bool>(),
        names in prop::collection::vec(prop::sample::select(vec![
            ".env", ".ENV.local", ".ssh", "me", "home", ".aws", "credentials", "config", ".config", "gcloud",
            "a", "token", "secrets", ".e\u{200c}nv", ".\u{17f}sh", "x.pem", "..", "é",
        ]), 0..5),
    ) {
        let list = ["secrets/token", "/home/a", "**/*.pem"]
            .iter()
            .fold(SensitivePaths::builtin(), |list, text| list.with(text).unwrap());
        let home = has_home.then_some(Utf8Path::new("/home/me"));
        let path = Utf8PathBuf::from(names.join("/"));
        let expected = list.find(root.into(), home, &path).map(str::to_owned);
        let gate = SensitiveGate::new(list, root.into(), home.map(Into::into));
        prop_assert_eq!(gate.pass(&path).err().map(|error| error.pattern), expected);
    }
}

#[test]
fn a_place_that_is_a_link_is_known_by_both_names() {
    let temp = tempfile::tempdir().unwrap();
    let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
    for dir in ["me/dotfiles/ssh", "me/deploy"] {
        fs::create_dir_all(top.join(dir)).unwrap();
    }
    symlink("dotfiles/ssh", top.join("me/.ssh")).unwrap();
    symlink("me", top.join("home")).unwrap();
    symlink("deploy", top.join("me/link")).unwrap();
    let list = SensitivePaths::builtin().with("link/token").unwrap();
    for home in ["me", "home"] {
        let (root, home) = (top.join(home), Some(top.join(home)));
        let gate = SensitiveGate::new(list.clone(), root, home);
        for (path, pattern) in [
            (".ssh/id", "~/.ssh"),
            ("dotfiles/ssh/id", "~/.ssh"),
            (".kube/config", "~/.kube/config"),
            ("link/token", "link/token"),
            ("deploy/token", "link/token"),
            ("dotfiles/x", ""),
            ("deploy/other", ""),
        ] {
            let found = gate.pass(path.into()).err().map(|error| error.pattern);
            assert_eq!(found.unwrap_or_default(), pattern, "{path}");
        }
    }
}

#[test]
fn a_walk_from_the_top_finds_everything_by_its_last_name() {
    let list = ["secrets/token", "/srv/key", "**/*.pem"]
        .iter()
        .fold(SensitivePaths::builtin(), |list, text| list.with(text).unwrap());
    for (root, home, path) in [
        ("/ws", Some("/home/me"), "a/b/.env"),
        ("/ws", Some("/home/me"), "a/.ENV.local/x"),
        ("/ws", Some("/home/me"), "secrets/Token/x"),
        ("/ws", Some("/home/me"), "a/tls.PEM"),
        ("/ws", Some("/home/me"), "a/.e\u{200c}nv"),
        ("/home", Some("/home/me"), "me/.aws/credentials"),
        ("/home/me", Some("/home/me"), ".\u{17f}sh/x"),
        ("/", None, "srv/key/x"),
        ("/ws", None, "any/.docker/config.json"),
    ] {
        assert!(list.find(root.into(), home.map(Into::into), "".into()).is_none());
        let path = Utf8Path::new(path);
        let mut ways: Vec<_> = path.ancestors().filter(|way| !way.as_str().is_empty()).collect();
        ways.reverse();
        let is_sensitive =
            |way: &&Utf8Path| list.find(root.into(), home.map(Into::into), way).is_some();
        let first = ways.into_iter().find(is_sensitive).unwrap();
        assert!(list.could_name(first.file_name().unwrap()), "{first}");
    }
    for name in ["main.rs", "env", ".envrc", "tokens", "pem", ""] {
        assert!(!list.could_name(name), "{name}");
    }
}
