//! The paths of rules, which take the same way as the paths that are asked about.

use super::*;

#[test]
fn rule_paths_take_the_same_way() {
    let tree = Tree::new();
    for (path, target) in [
        ("l_src", "src"),
        ("l_back", "../ws/src"),
        ("l_out", "{top}/out"),
        ("l_up", "../out"),
        ("l_chain", "src/l_chain"),
        ("src/l_chain", "../l_out"),
        ("l_dangling", "{top}/nowhere/x"),
        ("l_loop", "l_loop"),
        ("l_proc", "/proc/self/cwd"),
    ] {
        tree.link(path, target);
    }
    for (id, rule, expected) in [
        ("076-120", "src", "src"),
        ("076-120", "./src", "src"),
        ("076-120", "src/", "src"),
        ("076-120", "src//.", "src"),
        ("076-120", ".", "."),
        ("076-121", "{top}/ws/src", "src"),
        ("076-121", "{top}/ws", "."),
        ("076-122", "l_src", "src"),
        ("076-122", "l_back/x", "src/x"),
        ("076-125", "later/dir", "later/dir"),
        ("076-126", "../out", "path escapes the workspace: {rule}"),
        ("076-126", "src/../../ws2", "path escapes the workspace: {rule}"),
        ("076-126", "{top}/ws/../out", "path escapes the workspace: {rule}"),
        ("076-127", "{top}/out", "path is outside the workspace: {rule}"),
        ("076-127", "{top}/ws2", "path is outside the workspace: {rule}"),
        ("076-127", "{top}", "path is outside the workspace: {rule}"),
        ("076-127", "/", "path is outside the workspace: {rule}"),
        ("076-127", "/etc", "path is outside the workspace: {rule}"),
        ("076-127", "/nowhere/at/all", "path is outside the workspace: {rule}"),
        ("076-128", "l_out", "path escapes the workspace: {rule}"),
        ("076-128", "l_out/x", "path escapes the workspace: {rule}"),
        ("076-128", "l_out/nowhere/x", "path escapes the workspace: {rule}"),
        ("076-128", "l_up", "path escapes the workspace: {rule}"),
        ("076-128", "l_chain/x", "path escapes the workspace: {rule}"),
        ("076-128", "l_dangling", "path escapes the workspace: {rule}"),
        ("076-128", "{top}/ws/l_out", "path escapes the workspace: {rule}"),
        ("076-128", "l_proc", "path escapes the workspace: {rule}"),
        ("a loop", "l_loop", "path cannot be resolved: {rule}: more than 40 symbolic links"),
    ] {
        let rule = rule.replace("{top}", tree.top.as_str());
        let shown = match canonical_rule_path(&tree.ws(), Utf8Path::new(&rule)) {
            Ok(path) => path.into_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected.replace("{rule}", &rule), "{id}");
    }
    // 076-125: it matches once it is there.
    tree.file("later/dir/f");
    assert_eq!(show(resolve(&tree.ws(), "later/dir/f".into())), "later/dir/f");
}
