//! New content for a file that has to stay the same file.

use std::process::Command;

use super::*;

/// The directory of the second half of the test, for which it is started a second time.
const PLACE: &str = "JP_TOOL_SMALL_DISK";

// A file with several names is written to in place. On a disk of two megabytes, four do not fit, and that has to be
// known before the first byte of the old content is gone.
#[test]
fn what_does_not_fit_leaves_the_old_content() {
    if let Ok(place) = std::env::var(PLACE) {
        return check_in(Utf8Path::new(&place));
    }
    let place = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=2m none "$0"; exec "$1" --exact "$2""#;
    let test = "access::path::files::tests::replacing::what_does_not_fit_leaves_the_old_content";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec", script])
        .args([place.path(), &std::env::current_exe().unwrap()])
        .arg(test)
        .env(PLACE, place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn check_in(place: &Utf8Path) {
    let files = Files::new(Root::open(place).unwrap(), None);
    let old = vec![b'o'; 1 << 20];
    fs::write(place.join("a"), &old).unwrap();
    fs::hard_link(place.join("a"), place.join("b")).unwrap();
    let error = files.replace("a".into(), &vec![b'n'; 4 << 20]);
    assert_eq!(show(error), "StorageFull");
    for name in ["a", "b"] {
        assert!(fs::read(place.join(name)).unwrap() == old, "{name} is not what it was");
    }
    // What was reserved for it is given back.
    fs::write(place.join("other"), vec![b'x'; 900 << 10]).unwrap();
    fs::remove_file(place.join("other")).unwrap();
    // What fits is written, be it longer or shorter.
    for len in [1_500 << 10, 3, 0] {
        files.replace("a".into(), &vec![b'n'; len]).unwrap();
        assert_eq!(fs::read(place.join("b")).unwrap(), vec![b'n'; len]);
    }
}
