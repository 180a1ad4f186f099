//! The confinements of the suite: what an attempt sees in each tier.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    confinement::Tier,
    view::{View, What, Write},
};

use super::{
    fixture::{Fixture, make_directory},
    header::{Header, Workspace},
};

const READ: What = What::Host { write: Write::No, execute: false };
const RUN: What = What::Host { write: Write::No, execute: true };
const WRITE: What = What::Host { write: Write::Direct, execute: false };

/// What is hidden in the workspace; some of it does not exist when the process starts.
const HIDDEN: [&str; 7] =
    [".env", "secret", "deep/a/key", "becomes/key", "future/key", "pointer/key", "mounted/key"];

/// The view, where its changes are kept, and where the process may write.
pub(crate) fn make(
    fixture: &Fixture,
    header: &Header,
    tier: Tier,
) -> (View, Option<Utf8PathBuf>, Utf8PathBuf) {
    let mut view = View::default();
    for path in ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc"].map(Utf8Path::new) {
        if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            view.set(path, RUN);
        }
    }
    view.set(&fixture.scripts, RUN);
    if tier == Tier::Landlock {
        return (widening(view, fixture), None, fixture.workspace.join("tmp"));
    }
    view.set("/tmp", What::Private { execute: false });
    if header.workspace != Workspace::Whole {
        view.set("/private", What::Private { execute: false });
    }
    let workspace = &fixture.workspace;
    let changes = match header.workspace {
        Workspace::Standard => {
            view.set(workspace, RUN);
            None
        }
        Workspace::Judged => {
            view.set(workspace, What::Host { write: Write::Judged, execute: true });
            Some(make_changes(fixture))
        }
        Workspace::Direct | Workspace::Whole => {
            view.set(workspace, What::Host { write: Write::Direct, execute: true });
            None
        }
    };
    if header.workspace == Workspace::Whole {
        view.set("/", RUN);
        view.set(&fixture.root, RUN);
        view.set(&fixture.outside, What::Hidden);
    }
    if matches!(header.workspace, Workspace::Standard | Workspace::Judged) {
        for hidden in HIDDEN {
            view.set(workspace.join(hidden), What::Hidden);
        }
        view.set(workspace.join("secret/public"), READ);
    }
    for read in ["ro", "late"] {
        view.set(workspace.join(read), READ);
    }
    view.set(workspace.join("noexec"), WRITE);
    (view, changes, "/tmp".into())
}

/// Landlock can only add on the way down, so nothing here is narrower than what is around it.
fn widening(mut view: View, fixture: &Fixture) -> View {
    let workspace = &fixture.workspace;
    view.set(workspace.join("src"), RUN);
    view.set(workspace.join("secret/public"), READ);
    view.set(workspace.join("ro"), READ);
    view.set(workspace.join("noexec"), WRITE);
    view.set(workspace.join("tmp"), WRITE);
    view
}

fn make_changes(fixture: &Fixture) -> Utf8PathBuf {
    let changes = fixture.root.join("changes");
    for directory in ["", "0", "0/upper", "0/work"] {
        make_directory(&changes.join(directory), fixture.user);
    }
    changes
}
