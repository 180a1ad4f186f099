//! What moves: it takes no denied content along, and where it cannot move, nothing has happened.

use jp_tool::access::{SensitiveGate, SensitivePaths};

use super::*;

// A file that a rule denies under one of its names does not become readable by moving another one.
#[test]
fn a_denied_hard_link_is_not_read_by_moving_it() {
    let place = place();
    place.file("private/secret", "SECRET");
    place.file("d/x", "x");
    for alias in ["alias", "d/alias", "f/.env"] {
        fs::create_dir_all(place.root.join(alias).parent().unwrap()).unwrap();
        fs::hard_link(place.root.join("private/secret"), place.root.join(alias)).unwrap();
    }
    let most = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let rules = |private: &[Capability]| {
        let private = FsRule::new("private", private.iter().copied());
        let fs = vec![FsRule::new(".", most), private].into();
        let list = SensitivePaths::builtin();
        let gate = SensitiveGate::new(list, place.root.clone(), Some("/home/nobody".into()));
        let policy = Some(AccessPolicy { fs, ..AccessPolicy::default() });
        Rules { policy, sensitive: Some(Arc::new(gate)) }
    };
    let denied = "access denied: read on private/secret";
    let overlay = place.overlay();
    let view = overlay.under(rules(&[]));
    assert_eq!(text(view.as_ref(), "alias"), denied);
    for (from, to, file) in [("alias", "b", "b"), ("d", "e", "e/alias"), ("f", "g", "g/x")] {
        let error = view.rename(&path(from), &path(to), RenameTarget::Keep).unwrap_err();
        assert_eq!(error.to_string(), denied, "{from}");
        assert_eq!(text(view.as_ref(), file), format!("{file}: not found"));
    }
    assert_eq!(all(&overlay), "");
    // One whose path cannot be read still moves to where it cannot be read either.
    let view = overlay.under(rules(&[Capability::Create, Capability::Delete]));
    view.rename(&path("private/secret"), &path("private/s"), RenameTarget::Keep).unwrap();
    assert_eq!(text(&overlay, "private/s"), "SECRET");
    assert_eq!(text(view.as_ref(), "private/s"), "access denied: read on private/s");
}
