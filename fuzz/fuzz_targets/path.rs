//! Any text as a path in a tree with links: what it resolves to is in the tree.
#![no_main]

use std::{fs, os::unix::fs::symlink, sync::LazyLock};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::path::Root;
use libfuzzer_sys::fuzz_target;

static ROOT: LazyLock<Root> = LazyLock::new(|| {
    let root = Utf8PathBuf::from(format!("/tmp/jp-fuzz-{}/w", std::process::id()));
    fs::create_dir_all(root.join("a/b")).expect("a tree");
    fs::write(root.join("a/b/f"), "").expect("a file");
    for (target, link) in
        [("a", "in"), ("/etc", "out"), ("..", "up"), ("nowhere", "dangling"), ("loop", "loop")]
    {
        let _ = symlink(target, root.join(link));
    }
    Root::open(&root).expect("the root")
});

fuzz_target!(|text: &str| {
    if let Ok(resolved) = ROOT.resolve(Utf8Path::new(text)) {
        let inside = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir);
        assert!(resolved.relative().components().all(inside), "{text:?}");
        assert!(resolved.absolute().starts_with(ROOT.path()), "{text:?}");
        let again = ROOT.resolve(resolved.relative()).expect("a canonical path resolves");
        assert_eq!(again.relative(), resolved.relative());
    }
});
