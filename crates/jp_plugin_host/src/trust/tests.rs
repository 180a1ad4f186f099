//! Who may run.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::fs;

use jp_config::{Config, Layer};

use super::*;

const SUM: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn config(text: &str) -> Option<CommandPluginConfig> {
    if text.is_empty() {
        return None;
    }
    let text = format!("[plugins.command.x]\n{text}");
    let config = Config::load(vec![Layer::user("user", text)]).unwrap();
    config.app.plugins.command.get("x").cloned()
}

fn pinned(sum: &str) -> String {
    format!("checksum = {{ algorithm = \"sha256\", value = \"{sum}\" }}")
}

fn approved() -> Approvals {
    let file = tempfile::tempdir().unwrap();
    let file = Utf8Path::from_path(file.path()).unwrap().join("approvals.json");
    let approval = Approval { path: "/x/jp-x".into(), sha256: SUM.to_owned(), by: By::Person };
    Approvals::add(&file, &approval).unwrap();
    Approvals::read(&file)
}

/// The verdict on a file under settings that are in force and those that are the user's own.
fn verdict(here: &str, own: &str, official: bool, approvals: &Approvals) -> Verdict {
    let (here, own) = (config(here), config(own));
    let rules = Rules { here: here.as_ref(), own: own.as_ref() };
    judge(rules, Subject { path: "/x/jp-x".into(), sha256: SUM, official }, approvals)
}

#[test]
fn policies() {
    let (nobody, person) = (Approvals::default(), approved());
    let (ask, deny, unattended) = ("run = \"ask\"", "run = \"deny\"", "run = \"unattended\"");
    let check = |here: &str, own: &str, official, approvals, expected| {
        assert_eq!(verdict(here, own, official, approvals), expected, "{here} {own} {official}");
    };
    // 072-313
    check("", "", false, &nobody, Verdict::Ask);
    // 072-312
    check("", "", true, &nobody, Verdict::Run);
    // 072-308
    check(ask, ask, true, &nobody, Verdict::Ask);
    check(ask, ask, false, &person, Verdict::Run);
    check("", "", false, &person, Verdict::Run);
    // 072-309
    check(unattended, unattended, false, &nobody, Verdict::Run);
    // 072-310
    check(deny, deny, true, &person, Verdict::Denied);
    // A workspace makes things stricter and not looser.
    check(ask, unattended, false, &nobody, Verdict::Ask);
    check(deny, unattended, true, &person, Verdict::Denied);
    check(unattended, "", false, &nobody, Verdict::Ask);
    check(unattended, ask, true, &nobody, Verdict::Ask);
    check(unattended, deny, true, &person, Verdict::Denied);
}

#[test]
fn deny_comes_before_the_checksum() {
    // 072-311
    let rules = format!("run = \"deny\"\n{}", pinned(&"b".repeat(64)));
    assert_eq!(verdict(&rules, &rules, false, &Approvals::default()), Verdict::Denied);
}

#[test]
fn a_pin_is_checked_whatever_else_is_set() {
    // 072-318
    let wrong = format!("run = \"unattended\"\n{}", pinned(&"b".repeat(64)));
    let right = format!("run = \"unattended\"\n{}", pinned(&SUM.to_uppercase()));
    let nobody = Approvals::default();
    assert_eq!(verdict(&right, &right, false, &nobody), Verdict::Run);
    let Verdict::Mismatch(mismatch) = verdict(&wrong, &wrong, true, &approved()) else {
        panic!("the pin was passed over");
    };
    // 072-320
    insta::assert_snapshot!(mismatch, @"
    /x/jp-x is not the file that is pinned:
      expected bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
      actual   aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    ");
    for (rules, rests) in
        [(&right, true), (&"run = \"unattended\"".to_owned(), false), (&String::new(), true)]
    {
        let config = config(rules);
        let rules = Rules { here: config.as_ref(), own: config.as_ref() };
        assert_eq!(rules.rests_on_bytes(), rests, "{config:?}");
    }
    // A workspace cannot put its own pin in the place of the user's.
    assert!(matches!(verdict(&right, &wrong, false, &nobody), Verdict::Mismatch(_)));
    assert!(matches!(verdict(&wrong, &right, false, &nobody), Verdict::Mismatch(_)));
}

#[test]
fn an_agreement_is_about_bytes_in_a_place() {
    let approvals = approved();
    assert!(approvals.hold("/x/jp-x".into(), &SUM.to_uppercase()));
    // 072-315, 072-316
    assert!(!approvals.hold("/x/jp-x".into(), &"b".repeat(64)));
    assert!(!approvals.hold("/y/jp-x".into(), SUM));
}

#[test]
fn agreements_are_kept_and_taken_back() {
    let directory = tempfile::tempdir().unwrap();
    let file = Utf8Path::from_path(directory.path()).unwrap().join("state/jp/approvals.json");
    let approval = |path: &str, sum: &str| Approval {
        path: path.into(),
        sha256: sum.to_owned(),
        by: By::Person,
    };
    Approvals::add(&file, &approval("/a", "1")).unwrap();
    Approvals::add(&file, &approval("/a", "1")).unwrap();
    Approvals::add(&file, &approval("/b", "1")).unwrap();
    assert!(Approvals::read(&file).hold("/a".into(), "1"));
    // Other bytes took their place.
    Approvals::add(&file, &approval("/a", "2")).unwrap();
    assert!(!Approvals::read(&file).hold("/a".into(), "1"));
    assert!(Approvals::forget(&file, "/a".into()).unwrap());
    assert!(!Approvals::forget(&file, "/a".into()).unwrap());
    let left = Approvals::read(&file);
    assert!(!left.hold("/a".into(), "2") && left.hold("/b".into(), "1"));
}

#[test]
fn a_list_that_cannot_be_read_counts_for_nothing_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let file = Utf8Path::from_path(directory.path()).unwrap().join("approvals.json");
    // Nobody but a person agrees to anything.
    let other = r#"{"version":1,"approvals":[{"path":"/a","sha256":"1","by":"registry"}]}"#;
    for text in ["{", "{\"version\": 2, \"approvals\": []}", "[]", other] {
        fs::write(&file, text).unwrap();
        assert_eq!(Approvals::read(&file), Approvals::default());
        let approval = Approval { path: "/a".into(), sha256: SUM.to_owned(), by: By::Person };
        assert!(Approvals::add(&file, &approval).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn many_write_at_the_same_time() {
    let directory = tempfile::tempdir().unwrap();
    let file = Utf8Path::from_path(directory.path()).unwrap().join("approvals.json");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let file = &file;
            scope.spawn(move || {
                let path = format!("/{n}").into();
                Approvals::add(file, &Approval { path, sha256: SUM.to_owned(), by: By::Person })
            });
        }
    });
    let approvals = Approvals::read(&file);
    for n in 0..8 {
        assert!(approvals.hold(Utf8Path::new(&format!("/{n}")), SUM), "{n}");
    }
}
