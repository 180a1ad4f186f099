//! The program does without the server.

/// 072-274: what `jp` is made of has nothing of what the web view is made of.
#[test]
fn jp_does_not_link_the_server() {
    let tree = |package: &str| {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let args =
            ["tree", "--offline", "--locked", "--edges=normal", "--prefix=none", "--package"];
        let output = std::process::Command::new(env!("CARGO"))
            .args(args)
            .args([package, "--manifest-path", manifest])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (program, plugin) = (tree("jp_cli"), tree("jp-serve-web"));
    for name in ["axum", "axum-core", "maud", "transcript_html", "jp-serve-web"] {
        let has = |tree: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
        assert!(has(&plugin), "{name} is not what the plugin is made of");
        assert!(!has(&program), "{name}");
    }
}
