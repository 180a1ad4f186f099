//! The checks a tool makes itself: raw paths in, resolved paths or refusals out.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::symlink};

use camino::Utf8Path;

use super::*;
use crate::access::{Capability, FsAccessError, FsRule};

type Check = fn(&Context, &Utf8Path) -> Result<Utf8PathBuf, FsAccessError>;

const CHECKS: [(Capability, Check); 5] = [
    (Capability::Read, Context::check_read),
    (Capability::Create, Context::check_create),
    (Capability::Update, Context::check_update),
    (Capability::Delete, Context::check_delete),
    (Capability::Execute, Context::check_execute),
];

struct Case {
    _temp: tempfile::TempDir,
    top: Utf8PathBuf,
    context: Context,
}

/// A workspace with a file, a denied file, and links to both and to the outside.
fn case(access: Option<Vec<FsRule>>) -> Case {
    let temp = tempfile::tempdir().unwrap();
    let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
    let root = top.join("ws");
    fs::create_dir_all(root.join("src")).unwrap();
    for file in ["ws/src/lib.rs", "ws/.env", "outside"] {
        fs::write(top.join(file), "").unwrap();
    }
    symlink("src", root.join("link")).unwrap();
    symlink("../.env", root.join("src/env")).unwrap();
    symlink("../outside", root.join("out")).unwrap();
    symlink("../nothing", root.join("dangling")).unwrap();
    let access = access.map(|rules| AccessPolicy { fs: rules.into(), ..AccessPolicy::default() });
    let context =
        Context { root, action: Action::Run, access, workspace_id: None, conversation_id: None };
    Case { _temp: temp, top, context }
}

fn name(result: Result<Utf8PathBuf, FsAccessError>) -> String {
    match result {
        Ok(path) => path.into_string(),
        Err(FsAccessError::Outside(_)) => "outside".to_owned(),
        Err(FsAccessError::Escape(_)) => "escape".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_check_judges_its_own_capability_and_returns_the_resolved_path() {
    // 076-247, 076-248
    for (granted, _) in CHECKS {
        let case = case(Some(vec![FsRule::new("src", [granted])]));
        for (asked, check) in CHECKS {
            let expected = if asked == granted {
                case.top.join("ws/src/lib.rs").into_string()
            } else {
                format!("access denied: {} on src/lib.rs", asked.as_str())
            };
            for input in ["src/lib.rs", "link/lib.rs", "src/../link/./lib.rs"] {
                assert_eq!(name(check(&case.context, input.into())), expected, "{input}");
            }
        }
    }
}

#[test]
fn a_missing_target_is_its_nearest_ancestor_and_the_rest() {
    // 076-146, 076-249
    let case = case(Some(vec![FsRule::new("src", [Capability::Create])]));
    let path = case.context.check_create("link/new/deep.rs".into()).unwrap();
    assert_eq!(path, case.top.join("ws/src/new/deep.rs"));
}

#[test]
fn without_rules_the_workspace_is_open_and_its_border_closed() {
    // 076-133, 076-139, 076-143, 076-149, 076-250, 076-251, 076-252, 076-253
    for access in [None, Some(Vec::new())] {
        let case = case(access);
        let top = &case.top;
        for (input, expected) in [
            (".env", top.join("ws/.env").as_str()),
            ("src/env", top.join("ws/.env").as_str()),
            ("new/file", top.join("ws/new/file").as_str()),
            (".", top.join("ws").as_str()),
            (top.join("ws/src").as_str(), top.join("ws/src").as_str()),
            (top.join("outside").as_str(), "outside"),
            ("../outside", "escape"),
            ("out", "escape"),
            ("dangling", "escape"),
        ] {
            for (_, check) in CHECKS {
                assert_eq!(name(check(&case.context, input.into())), expected, "{input}");
            }
        }
    }
}

#[test]
fn a_path_that_leads_away_is_refused_as_that_even_where_nothing_is_granted() {
    // 076-254
    let case = case(Some(vec![FsRule::new(".", [])]));
    for (input, expected) in [
        ("out", "escape"),
        ("../outside", "escape"),
        ("/outside", "outside"),
        ("src/env", "access denied: read on .env"),
    ] {
        assert_eq!(name(case.context.check_read(input.into())), expected, "{input}");
    }
}

#[test]
fn the_action_changes_no_answer() {
    // 076-159
    let mut case = case(Some(vec![FsRule::new("src", [Capability::Read])]));
    for action in [Action::Run, Action::FormatArguments, Action::Schema] {
        case.context.action = action;
        assert!(case.context.check_read("src/lib.rs".into()).is_ok());
        assert!(case.context.check_read("src/env".into()).is_err());
        assert!(case.context.check_update("src/lib.rs".into()).is_err());
    }
}

#[test]
fn canonical_paths_are_judged_without_a_disk() {
    // 076-245, 076-246
    let rules = vec![FsRule::new("no/such/place", [Capability::Read])];
    let policy = AccessPolicy { fs: rules.into(), ..AccessPolicy::default() };
    assert!(policy.can_read("no/such/place/f".into()));
    assert!(!policy.can_create("no/such/place/f".into()));
    assert!(!policy.can_read("no/such".into()));
    let open = AccessPolicy::default();
    let path = Utf8Path::new("any/thing");
    assert!(open.can_read(path) && open.can_create(path) && open.can_update(path));
    assert!(open.can_delete(path) && open.can_execute(path));
}

#[test]
fn a_context_is_read_with_and_without_a_policy() {
    let read = |text: &str| serde_json::from_str::<Context>(text).unwrap();
    // 076-220, 076-221
    assert_eq!(read(r#"{"root":"/w","action":"run"}"#).access, None);
    assert_eq!(read(r#"{"root":"/w","action":"run","access":null}"#).access, None);
    // 076-222, 076-223
    let empty = read(r#"{"root":"/w","action":"Run","access":{},"future":1}"#);
    assert_eq!(empty.access, Some(AccessPolicy::default()));
    // 076-022: without rules the field is there, and null.
    let context = read(r#"{"root":"/w"}"#);
    let wire = serde_json::to_string(&context).unwrap();
    assert_eq!(wire, r#"{"root":"/w","action":"run","access":null}"#);
}
