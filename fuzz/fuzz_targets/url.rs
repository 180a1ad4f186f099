//! Any text as a URL: it is read the same way twice, and never reaches a denied path.
#![no_main]

use std::sync::LazyLock;

use jp_tool::access::{AccessPolicy, NetRule, NetTarget};
use libfuzzer_sys::fuzz_target;

static POLICY: LazyLock<AccessPolicy> = LazyLock::new(|| AccessPolicy {
    net: vec![
        NetRule::new("a.example", true),
        NetRule { path_prefix: Some("/admin".to_owned()), ..NetRule::new("a.example", false) },
    ],
    ..AccessPolicy::default()
});

fuzz_target!(|text: &str| {
    let Ok(target) = NetTarget::parse(text) else { return };
    let again = NetTarget::parse(target.url().as_str()).expect("what was parsed parses again");
    assert_eq!(again.host(), target.host());
    assert_eq!(again.port(), target.port());
    if let Ok(allowed) = POLICY.check_net(text) {
        assert_eq!(allowed.host(), "a.example");
        let path = allowed.url().path();
        assert!(path != "/admin" && !path.starts_with("/admin/"), "{path}");
        assert!(allowed.url().username().is_empty() && allowed.url().password().is_none());
    }
});
