//! How faithful each kind of rule is under each means, one line a case (076-278).

use super::*;

const DISK: &str = "/home/me/ws/d/f /home/me/ws/k /usr/bin/tool";

/// The rules, the rule in question, and the worst fidelity with namespaces for a call, with
/// namespaces for a server, and with Landlock.
const TABLE: &[(&str, &str, [Fidelity; 3])] = {
    use Fidelity::{Exact, Looser, Stricter};
    &[
        // Widening is what every means can do.
        (".:r d:rw", "d", [Stricter, Stricter, Stricter]),
        (".:r d:rcu", "d", [Exact, Stricter, Stricter]),
        (".:r d:rx", "d", [Exact, Exact, Exact]),
        // Nothing inside readable.
        (".:r k:", "k", [Exact, Exact, Exact]),
        (".:r k:", ".", [Exact, Exact, Stricter]),
        // Nothing inside writable, there or not.
        (".:rw k:", "k", [Exact, Exact, Looser]),
        (".:rw missing:", "missing", [Exact, Exact, Looser]),
        // Reading inside writing.
        (".:rw d:r", "d", [Exact, Exact, Looser]),
        (".:rw k:r", "k", [Exact, Exact, Looser]),
        // No programs inside programs.
        (".:rx d:r", "d", [Exact, Exact, Exact]),
        (".:rwx d:rw", "d", [Stricter, Stricter, Looser]),
        (".:rwx missing:rw", "missing", [Looser, Stricter, Looser]),
        // One of create, update and delete less.
        (".:rw d:ru", "d", [Exact, Stricter, Looser]),
        (".:rw d:rcu", "d", [Exact, Stricter, Looser]),
        (".:r d:rud", "d", [Stricter, Stricter, Stricter]),
        (".:r k:ru", "k", [Exact, Exact, Exact]),
        (".:r k:rw", "k", [Exact, Stricter, Stricter]),
        // Writing without reading.
        (".:r d:w", "d", [Stricter, Stricter, Stricter]),
        // Create with content, without update.
        (".:r d:rc", "d", [Exact, Stricter, Stricter]),
        // What may be made.
        (".:r missing:rw", "missing", [Exact, Stricter, Stricter]),
        ("missing:rw", "missing", [Exact, Stricter, Stricter]),
    ]
};

#[test]
fn every_kind_of_rule_under_every_means() {
    let means = [
        (Tier::Namespaces, Lifetime::Call),
        (Tier::Namespaces, Lifetime::Server),
        (Tier::Landlock, Lifetime::Call),
    ];
    for (rules, subject, expected) in TABLE {
        let real = means.map(|(tier, lifetime)| {
            let plan = Case { tier, lifetime, ..Case::with_rules(DISK, rules) }.plan();
            let about = plan.rows.iter().filter(|row| row.subject == *subject);
            about.map(|row| row.fidelity).max().unwrap()
        });
        assert_eq!(real, *expected, "`{subject}` in `{rules}`");
    }
}

/// 076-280, D11-010: nothing to enforce it with.
#[test]
fn without_any_means_everything_is_looser() {
    let nothing = |profile| Case { tier: Tier::None, profile, ..Case::new(DISK) }.plan();
    let sealed = Profile::Sealed { may_execute_system: false };
    for profile in [Profile::Workspace, Profile::Strict, sealed] {
        let plan = nothing(profile);
        assert!(plan.rows.iter().all(|row| row.fidelity == Fidelity::Looser), "{plan}");
        assert!(matches!(plan.verdict(false), Verdict::Refuse(_)), "{plan}");
        assert!(matches!(plan.verdict(true), Verdict::RunDegraded(_)), "{plan}");
    }
    assert_eq!(nothing(Profile::Off).verdict(false), Verdict::Run);
}

/// Rules are not what `default = "off"` is about, but where nothing keeps them it lets them go.
#[test]
fn off_is_for_tools_without_rules() {
    let case = |tier| Case { tier, profile: Profile::Off, ..Case::with_rules(DISK, ".:r") };
    let kept = case(Tier::Namespaces).plan();
    assert_eq!(kept.verdict(false), Verdict::Run);
    assert_eq!(
        kept.view.at("/home/me/ws/k".into()),
        What::Host { write: Write::No, execute: false }
    );
    assert!(matches!(case(Tier::None).plan().verdict(false), Verdict::RunDegraded(_)));
}

#[test]
fn a_refusal_names_what_is_looser_and_what_helps() {
    let case = Case { tier: Tier::Landlock, ..Case::with_rules(DISK, ".:rw k: d:r") };
    let Verdict::Refuse(refusal) = case.plan().verdict(false) else { panic!("not refused") };
    insta::assert_snapshot!(refusal, @"the sandbox cannot keep the policy: `k` (read, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces; `d` (create, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces");
    insta::assert_snapshot!(refusal.hints.join("\n"), @"
    This machine offers Landlock only. User namespaces are allowed by `sysctl user.max_user_namespaces` above 0, on Ubuntu also by an AppArmor profile or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, and in a container by a seccomp profile that lets `unshare` and `clone` make them.
    `jp sandbox doctor` shows what is missing.
    `[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning.
    ");
    let Verdict::RunDegraded(warning) = case.plan().verdict(true) else { panic!("not run") };
    insta::assert_snapshot!(warning, @"not everything is enforced: `k` (read, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces; `d` (create, update, delete): Landlock cannot take back what the rule around it grants; that needs user namespaces");
}

#[test]
fn the_order_is_from_good_to_bad() {
    use Fidelity::{Exact, Looser, MediatedOnly, Stricter};
    assert!([Exact, Stricter, MediatedOnly, Looser].is_sorted());
}
