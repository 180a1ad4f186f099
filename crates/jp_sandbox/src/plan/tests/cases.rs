//! Rules and what becomes of them, as text: the places of the workspace, then the rows.

use super::*;

const DISK: &str = "/home/me/ws/src/lib.rs /home/me/ws/src/generated/ /home/me/ws/.env \
                    /home/me/ws/secret/key /home/me/ws/secret/public/page /home/me/ws/docs/ \
                    /home/me/ws/README.md /home/me/ws/run.sh /home/me/ws/pipe=";

fn shown(rules: &str) -> String {
    Case::with_rules(DISK, rules).workspace_text()
}

/// 076-083 to 076-086, 076-281.
#[test]
fn a_denial_inside_a_readable_workspace() {
    insta::assert_snapshot!(shown(".:r docs:rw .env:"), @"
    . read
    .env hidden
    docs write
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read create update] exact
    docs [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read create update delete execute] exact
    ");
}

#[test]
fn nested_rules_at_any_depth() {
    let rules = ".:rwx src:r src/generated:rw .env: secret: secret/public:r";
    insta::assert_snapshot!(shown(rules), @"
    . judged, execute
    .env hidden
    secret hidden
    secret/public read
    src read
    src/generated write
    --
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact
    src [read create update delete] exact
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src/generated [read create update] exact
    src/generated [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    src/generated [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read create update delete execute] exact
    secret [read create update delete execute] exact
    secret/public [read create update delete] exact
    secret/public [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

/// 076-070: the workspace itself is hidden when no rule covers it.
#[test]
fn only_one_directory() {
    insta::assert_snapshot!(shown("docs:rw"), @"
    . hidden
    docs write
    --
    docs [read create update] exact
    docs [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn rules_that_say_what_holds_anyway_are_no_places() {
    insta::assert_snapshot!(shown(".:r src:r src/generated:r secret: secret/key:"), @"
    . read
    secret hidden
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src [read create update delete] exact
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src/generated [read create update delete] exact
    src/generated [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    secret [read create update delete execute] exact
    secret/key [read create update delete execute] exact
    ");
}

/// 076-274.
#[test]
fn create_update_and_delete_are_told_apart() {
    insta::assert_snapshot!(shown("src:ru docs:rc README.md:ru"), @"
    . hidden
    README.md write
    docs judged
    src judged
    --
    src [read] exact
    src [create update delete] exact: judged when the call ends
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read] exact
    docs [create update delete] exact: judged when the call ends
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    README.md [read create update delete] exact
    README.md [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn a_file_that_can_be_removed_makes_its_directory_judged() {
    insta::assert_snapshot!(shown(".:r README.md:rw"), @"
    . judged
    --
    . [read] exact
    . [create update delete] exact: writes beside README.md seem to work and are refused when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    README.md [read] exact
    README.md [create update delete] exact: judged when the call ends
    README.md [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn what_does_not_exist_can_be_made() {
    insta::assert_snapshot!(shown(".:r docs/new:rw secret: secret/out:rw"), @"
    . read
    docs judged
    secret blank
    --
    . [read] exact
    . [create update delete] exact: writes beside docs/new seem to work and are refused when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs/new [read] exact
    docs/new [create update delete] exact: judged when the call ends
    docs/new [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    secret [read create update delete execute] exact
    secret/out [read] exact
    secret/out [create update delete] exact: judged when the call ends
    secret/out [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn what_does_not_exist_can_be_hidden_and_kept_from_being_made() {
    insta::assert_snapshot!(shown(".:rw docs/none: docs/later:r"), @"
    . judged
    docs/none hidden
    --
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs/none [read create update delete execute] exact
    docs/later [read create update delete] exact
    docs/later [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn writing_and_running_without_reading() {
    insta::assert_snapshot!(shown(".:r docs:w run.sh:x"), @"
    . read
    docs hidden
    run.sh hidden
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read] exact
    docs [create update delete] stricter: what cannot be read is hidden; writing it blindly is only possible through the host (mediated only)
    docs [execute] exact
    run.sh [read create update delete] exact
    run.sh [execute] stricter: a program that cannot be read cannot be run
    ");
}

#[test]
fn running_programs() {
    insta::assert_snapshot!(shown(".:rx docs:r run.sh:rwx new:rw"), @"
    . judged, execute
    docs read
    --
    . [read] exact
    . [create update delete] exact: writes beside new seem to work and are refused when the call ends
    . [execute] exact
    docs [read create update delete] exact
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    run.sh [read] exact
    run.sh [create update delete] exact: judged when the call ends
    run.sh [execute] exact
    new [read] exact
    new [create update delete] exact: judged when the call ends
    new [execute] looser: it does not exist yet, so a program that is made there could be run; make the directory first
    ");
}

#[test]
fn unusual_rules() {
    insta::assert_snapshot!(shown(".:rw pipe:r docs:r docs:rw src/lib.rs/x:rw"), @"
    . judged
    pipe hidden
    --
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    pipe [read] stricter: it is a link, a socket or a device, and is hidden
    pipe [create update delete] exact
    pipe [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read create update delete execute] exact: a later rule for the same path decides
    docs [read] exact
    docs [create update delete] exact: judged when the call ends
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src/lib.rs/x [read create update delete execute] exact: something on the way to it is not a directory, so nothing is there
    ");
}

/// What a rule nobody can read denies is denied everywhere.
#[test]
fn a_rule_outside_the_workspace() {
    insta::assert_snapshot!(shown(".:rw ../other:r"), @"
    . read
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ../other [read create update delete execute] exact: its path is none below the workspace: it grants nothing, and what it denies is denied everywhere
    ");
}

#[test]
fn a_dry_run_judges_every_write() {
    let case = Case { transactional: true, ..Case::with_rules(DISK, ".:rw docs:rwx") };
    insta::assert_snapshot!(case.workspace_text(), @"
    . judged
    docs judged, execute
    --
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read] exact
    docs [create update] exact: judged when the call ends
    docs [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    docs [execute] exact
    ");
    let server = Case { lifetime: Lifetime::Server, ..case };
    insta::assert_snapshot!(server.workspace_text(), @"
    . read
    docs read, execute
    --
    . [read] exact
    . [create update delete] stricter: writes cannot be held back for a review here, so they fail
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read] exact
    docs [create update delete] stricter: writes cannot be held back for a review here, so they fail
    docs [execute] exact
    ");
}

#[test]
fn a_server_is_not_judged() {
    let rules = ".:rw .env: src:r docs:ru none:";
    let case = Case { lifetime: Lifetime::Server, ..Case::with_rules(DISK, rules) };
    insta::assert_snapshot!(case.workspace_text(), @"
    . read
    .env hidden
    README.md write
    none hidden
    run.sh write
    secret write
    --
    . [read] exact
    . [create update delete] stricter: what is there can be changed as the rules say, but no name directly in this directory can be made, removed or replaced: something in it is kept from a server
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read create update delete execute] exact
    src [read create update delete] exact
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read create] exact
    docs [update] stricter: create, update and delete are told apart when a call ends, and a server does not end
    docs [delete] exact
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    none [read create update delete execute] exact
    ");
    assert_eq!(case.plan().verdict(false), Verdict::Run);
}

/// Only the directories above what is hidden are held; what has too many entries is so as a whole.
#[test]
fn a_server_writes_around_what_is_hidden() {
    let disk = "/home/me/ws/a/b/.env /home/me/ws/a/b/f /home/me/ws/a/c/g /home/me/ws/a/l->c \
                /home/me/ws/a/s= /home/me/ws/d/ /usr/bin/tool";
    let case = |disk: &str, rules| Case {
        lifetime: Lifetime::Server,
        sensitive: vec!["/home/me/ws/a/b/.env".into()],
        ..Case::with_rules(disk, rules)
    };
    let places = |case: &Case| {
        let text = case.workspace_text();
        text.split_once("--").unwrap().0.trim_end().to_owned()
    };
    insta::assert_snapshot!(places(&case(disk, ".:rw")), @"
    . read
    a/b/.env hidden
    a/b/f write
    a/c write
    d write
    ");
    insta::assert_snapshot!(places(&case(disk, ".:rw a/b:r")), @"
    . read
    a/b/.env hidden
    a/c write
    d write
    ");
    // Programs that are made later must not run where a rule says so.
    insta::assert_snapshot!(places(&case(disk, ".:rwx a/b:rw")), @"
    . read
    a/b/.env hidden
    a/b/f write
    a/c write, execute
    d write, execute
    ");
    let many: String = (0..1_001).map(|index| format!(" /home/me/ws/n{index}")).collect();
    insta::assert_snapshot!(places(&case(&format!("{disk}{many}"), ".:rw")), @"
    . read
    a/b/.env hidden
    ");
}

#[test]
fn landlock_only_widens() {
    let case = |rules| Case { tier: Tier::Landlock, ..Case::with_rules(DISK, rules) };
    insta::assert_snapshot!(case(".:r docs:rw").workspace_text(), @"
    . read
    docs write
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    docs [read create update] exact
    docs [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    docs [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
    insta::assert_snapshot!(case(".:r .env: secret/key:").workspace_text(), @"
    README.md read
    docs read
    pipe read
    run.sh read
    secret/public read
    src read
    --
    . [read] stricter: granted entry by entry, because something in it is hidden: what is made there later cannot be used, and the directory itself cannot be listed
    . [create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read create update delete execute] exact
    secret/key [read create update delete execute] exact
    ");
    insta::assert_snapshot!(case(".:rw .env: src:ru").workspace_text(), @"
    . write
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read] looser: Landlock cannot take back what the rule around it grants; that needs user namespaces
    .env [create] exact
    .env [update delete] looser: Landlock cannot take back what the rule around it grants; that needs user namespaces
    .env [execute] exact
    src [read] exact
    src [create] looser: Landlock cannot take back what the rule around it grants; that needs user namespaces
    src [update] exact
    src [delete] looser: Landlock cannot take back what the rule around it grants; that needs user namespaces
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    ");
}

#[test]
fn landlock_does_not_enumerate_without_end() {
    let mut case = Case { tier: Tier::Landlock, ..Case::with_rules(DISK, ".:r .env:") };
    (0..600).for_each(|index| case.disk.add(&format!("/home/me/ws/file{index}")));
    insta::assert_snapshot!(case.workspace_text(), @"
    . read
    --
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read] looser: Landlock cannot take back what the rule around it grants; that needs user namespaces
    .env [create update delete execute] exact
    ");
}

#[test]
fn what_is_mounted_inside_an_overlay_keeps_a_place() {
    let mut case = Case::with_rules(DISK, ".:rw .env:");
    case.disk.mounts =
        vec!["/home/me/ws/docs".into(), "/home/me/ws/README.md".into(), "/mnt".into()];
    let row = case.plan().rows.into_iter().find(|row| row.subject.ends_with("README.md")).unwrap();
    assert_eq!((row.fidelity, row.reason.as_str()), (Fidelity::Stricter, words::FILE_MOUNT));
    insta::assert_snapshot!(case.workspace_text(), @"
    . judged
    .env hidden
    README.md read
    docs judged
    --
    . [read] exact
    . [create update delete] exact: judged when the call ends
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    .env [read create update delete execute] exact
    ");
}
