//! Any text as a policy: it is refused, or read, written and read again as the same.
#![no_main]

use camino::Utf8Path;
use jp_tool::access::{AccessPolicy, Capability};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(policy) = serde_json::from_str::<AccessPolicy>(text) else { return };
    let wire = serde_json::to_string(&policy).expect("a policy can be written");
    let again: AccessPolicy = serde_json::from_str(&wire).expect("what was written is read");
    assert_eq!(again, policy);
    for target in ["a", "a/b", ".", "../x"] {
        for capability in Capability::ALL {
            let path = Utf8Path::new(target);
            assert_eq!(policy.can(capability, path), again.can(capability, path));
        }
    }
    let _ = policy.check_env("A");
    let _ = policy.check_net("https://a.example/x");
    let _ = policy.check_command("cargo", &["check"]);
});
