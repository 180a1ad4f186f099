//! What the machine offers, and what it costs when something is missing.

use insta::assert_snapshot;
use jp_test::{Output, TestEnv};

use super::world;

/// The answer without what differs from one kernel to the next.
fn doctor(env: &TestEnv, hide: &str) -> Output {
    let facts = facts(env, hide);
    let output = env.jp(["sandbox", "doctor"]).env("JP_SANDBOX_HIDE", hide).run().success();
    output
        .replace(facts["kernel"].as_str().expect("it is a text"), "$KERNEL")
        .replace(format!("interface {}", facts["landlock"]), "interface $N")
}

fn facts(env: &TestEnv, hide: &str) -> serde_json::Value {
    let args = ["sandbox", "doctor", "--format", "json"];
    let output = env.jp(args).env("JP_SANDBOX_HIDE", hide).run().success();
    serde_json::from_str(output.stdout()).expect("it is JSON")
}

#[test]
fn a_machine_that_has_everything() {
    let env = world();
    assert_snapshot!(doctor(&env, ""), @"
    $ jp sandbox doctor
    exit code: 0
    --- stdout
    $KERNEL

      + namespaces         works
      + network-namespace  works
      + proc               works
      + overlay            works
      + landlock           works, interface $N
      + seccomp            works
      + supervision        works

    Tier 1: namespaces, Landlock and seccomp. Rules are enforced exactly; `jp tool explain` shows where not.
    ");
    let facts = facts(&env, "");
    assert_eq!(facts["tier"], 1);
    assert!(facts["landlock"].as_u64() > Some(0), "{facts}");
    assert!(facts["kernel"].as_str().unwrap().starts_with("Linux "), "{facts}");
    for feature in facts["features"].as_array().unwrap() {
        assert_eq!(feature["works"], true, "{feature}");
        assert!(feature["reason"].is_null() && feature["fix"].is_null(), "{feature}");
    }
}

#[test]
fn what_is_missing_costs_something_and_can_be_had() {
    let env = world();
    assert_snapshot!(doctor(&env, "namespaces"), @"
    $ jp sandbox doctor
    exit code: 0
    --- stdout
    $KERNEL

      - namespaces         missing
          because  hidden by request
          costs    rules that deny something inside what they allow cannot be enforced, and tools see all processes
          fix      allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 where they exist; in a container, a seccomp profile that permits them
      + network-namespace  works
      + proc               works
      + overlay            works
      + landlock           works, interface $N
      + seccomp            works
      + supervision        works

    Tier 2: Landlock and seccomp. Rules that only widen what the rule around them grants are enforced; tools with others are refused.
    ");
    assert_snapshot!(doctor(&env, "landlock, supervision"), @"
    $ jp sandbox doctor
    exit code: 0
    --- stdout
    $KERNEL

      + namespaces         works
      + network-namespace  works
      + proc               works
      + overlay            works
      - landlock           missing
          because  hidden by request
          costs    in namespaces sockets without a path and signals are not kept inside; without namespaces files are not confined
          fix      Linux 5.13 or newer, with landlock in the list of the lsm= boot parameter
      + seccomp            works
      - supervision        missing
          because  hidden by request
          costs    what a tool was denied is not named, and sealed tools do not run
          fix      Linux 5.5 or newer

    Tier 1: namespaces, Landlock and seccomp. Rules are enforced exactly; `jp tool explain` shows where not.
    ");
    assert_snapshot!(doctor(&env, "namespaces,landlock"), @r#"
    $ jp sandbox doctor
    exit code: 0
    --- stdout
    $KERNEL

      - namespaces         missing
          because  hidden by request
          costs    rules that deny something inside what they allow cannot be enforced, and tools see all processes
          fix      allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 where they exist; in a container, a seccomp profile that permits them
      + network-namespace  works
      + proc               works
      + overlay            works
      - landlock           missing
          because  hidden by request
          costs    in namespaces sockets without a path and signals are not kept inside; without namespaces files are not confined
          fix      Linux 5.13 or newer, with landlock in the list of the lsm= boot parameter
      + seccomp            works
      + supervision        works

    Tier 3: nothing. Tools are refused, unless `[sandbox] default = "off"` or `allow_degraded = true`.
    "#);
}

#[test]
fn every_feature_can_be_missing() {
    let env = world();
    let check = |name: &str, tier: u8| {
        let facts = facts(&env, name);
        assert_eq!(facts["tier"], tier, "{name}");
        let features = facts["features"].as_array().unwrap();
        let missing: Vec<_> = features.iter().filter(|one| one["works"] == false).collect();
        let [feature] = missing[..] else { panic!("{name}: {missing:?}") };
        assert_eq!(
            (&feature["name"], &feature["reason"]),
            (&name.into(), &"hidden by request".into())
        );
        assert!(feature["costs"].is_string() && feature["fix"].is_string(), "{feature}");
    };
    check("namespaces", 2);
    check("network-namespace", 2);
    check("proc", 2);
    check("overlay", 2);
    check("landlock", 1);
    check("seccomp", 3);
    check("supervision", 1);
}

#[test]
fn a_feature_that_does_not_exist() {
    let env = world();
    let run = env.jp(["sandbox", "doctor"]).env("JP_SANDBOX_HIDE", "proc,magic").run();
    assert_snapshot!(run.code(2), @"
    $ jp sandbox doctor
    exit code: 2
    --- stderr
    error: JP_SANDBOX_HIDE: there is no feature `magic`
    hint: there are namespaces, network-namespace, proc, overlay, landlock, seccomp, supervision
    ");
}
