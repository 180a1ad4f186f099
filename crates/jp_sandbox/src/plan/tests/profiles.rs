//! What holds where no rule says anything: whole views, the network, variables and programs.

use jp_tool::access::{CommandRule, EnvRule, NetRule};

use super::*;

const DISK: &str = "/usr/bin/tool /usr/lib/ /bin->usr/bin /lib->usr/lib /lib64/ /etc/hosts \
                    /etc/shadow /etc/resolv.conf->../run/systemd/resolve/stub-resolv.conf \
                    /run/systemd/resolve/stub-resolv.conf /run/docker.sock= /var/run->/run /opt/ \
                    /home/me/.ssh/id /home/me/.cargo/registry/ /home/me/.cargo/bin/ \
                    /home/me/.docker/run/docker.sock= /home/me/ws/.env /home/me/ws/src/lib.rs \
                    /dev/shm/ /tmp/ /var/tmp/";

fn case() -> Case {
    Case {
        sensitive: vec!["/home/me/.ssh".into(), "/home/me/.kube/config".into()],
        system: SystemPaths {
            read: vec!["/home/me/.cargo/bin".into(), "/home/me/.rustup".into()],
            write: vec!["/home/me/.cargo/registry".into(), "/home/me/.cache/x".into()],
            hidden: vec!["/home/me/.cargo/credentials.toml".into()],
        },
        ..Case::new(DISK)
    }
}

/// 076-023, 076-024, 076-025.
#[test]
fn a_tool_without_rules() {
    let plan = case().plan();
    insta::assert_snapshot!(plan, @"
    namespaces, network shared, starts what it sees, variables of the host
      /                                      read, execute
      /dev/shm                               private, execute
      /home/me                               read, execute
      /home/me/.cargo/registry               write, execute
      /home/me/.docker/run                   hidden
      /home/me/.kube/config                  hidden
      /home/me/.ssh                          hidden
      /home/me/ws                            write, execute
      /run                                   private
      /run/systemd/resolve/stub-resolv.conf  read
      /tmp                                   private, execute
      /var/tmp                               private, execute
    writes only to the workspace, caches and a private temporary directory [profile] exact
    /home/me/.ssh [profile] exact: hidden
    /home/me/.kube/config [profile] exact: hidden
    ");
    assert_eq!(plan.verdict(false), Verdict::Run);
    assert!(plan.passes(None, "ANYTHING"));
}

/// What is hidden in the workspace makes its writes a transaction.
#[test]
fn a_secret_in_the_workspace() {
    let mut case = case();
    case.sensitive.push("/home/me/ws/.env".into());
    case.sensitive.push("/home/me/ws/.env.none".into());
    let plan = case.plan();
    assert_eq!(plan.view.at("/home/me/ws/.env".into()), What::Hidden);
    assert_eq!(
        plan.view.at("/home/me/ws".into()),
        What::Host { write: Write::Judged, execute: true }
    );
    assert!(
        plan.transactional
            && plan.confinement(Some("/c".into()), Limits::default(), false).changes.is_some()
    );

    case.approved = vec!["/home/me/ws/.env".into()];
    let plan = case.plan();
    assert_eq!(
        plan.view.at("/home/me/ws/.env".into()),
        What::Host { write: Write::Direct, execute: true }
    );
    assert!(
        !plan.transactional
            && plan.confinement(Some("/c".into()), Limits::default(), false).changes.is_none()
    );
}

/// Yes to one key is not yes to all of them.
#[test]
fn an_approval_inside_something_sensitive() {
    let plan = Case { approved: vec!["/home/me/.ssh/id".into()], ..case() }.plan();
    assert!(matches!(plan.view.at("/home/me/.ssh/id".into()), What::Host { .. }));
    assert_eq!(plan.view.at("/home/me/.ssh/other".into()), What::Hidden);
}

/// A workspace inside something sensitive is sensitive, and so is a program.
#[test]
fn a_sensitive_path_around_everything() {
    let sensitive = vec!["/home/me/.ssh".into()];
    let mut case = Case { root: "/home/me/.ssh/ws".into(), sensitive, ..case() };
    case.program = "/home/me/.ssh/run".into();
    case.disk.add("/home/me/.ssh/run");
    case.disk.add("/home/me/.ssh/ws/a");
    for policy in [None, Some(policy(".:rwx"))] {
        case.policy = policy;
        let plan = case.plan();
        for path in ["/home/me/.ssh/ws", "/home/me/.ssh/ws/a", "/home/me/.ssh/run"] {
            assert!(!matches!(plan.view.at(path.into()), What::Host { .. }), "{path}\n{plan}");
        }
    }
}

#[test]
fn a_cache_around_something_sensitive_is_read_only() {
    let mut case = case();
    case.system.write = vec!["/home/me/.kube".into()];
    case.disk.add("/home/me/.kube/config");
    let plan = case.plan();
    assert_eq!(
        plan.view.at("/home/me/.kube/x".into()),
        What::Host { write: Write::No, execute: true }
    );
    let row = plan.rows.iter().find(|row| row.subject == "/home/me/.kube").unwrap();
    assert_eq!(row.fidelity, Fidelity::Stricter);
}

/// 076-027: rules for files change nothing about the network and variables.
#[test]
fn a_tool_with_rules_for_files() {
    let plan = Case { policy: Some(policy(".:r src:rw")), as_root: true, ..case() }.plan();
    insta::assert_snapshot!(plan, @"
    namespaces, network shared, starts what it sees, variables of the host
      /dev/shm                               private
      /etc                                   read, execute
      /etc/shadow                            hidden
      /home/me                               private
      /home/me/.cargo/bin                    read, execute
      /home/me/.cargo/registry               write
      /home/me/ws                            read
      /home/me/ws/src                        write
      /lib64                                 read, execute
      /opt                                   read, execute
      /run/systemd/resolve/stub-resolv.conf  read
      /tmp                                   private
      /usr                                   read, execute
      /var/tmp                               private
      /bin -> usr/bin
      /lib -> usr/lib
    . [read create update delete] exact
    . [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    src [read create update] exact
    src [delete] stricter: everything in it, but the place itself cannot be removed or renamed
    src [execute] exact: no program is run from here, but an interpreter can be given a file that it can read
    outside the workspace sees only the system and its toolchains [profile] exact
    /home/me/.ssh [profile] exact: hidden
    /home/me/.kube/config [profile] exact: hidden
    ");
}

/// 076-038, 076-035, 076-036.
#[test]
fn the_strict_profile() {
    insta::assert_snapshot!(Case { profile: Profile::Strict, ..case() }.plan(), @"
    namespaces, network none, starts nothing, variables minimal
      /dev/shm                  private
      /etc                      read, execute
      /home/me                  private
      /home/me/.cargo/bin       read, execute
      /home/me/.cargo/registry  write
      /home/me/ws               read
      /lib64                    read, execute
      /opt                      read, execute
      /tmp                      private
      /usr                      read, execute
      /var/tmp                  private
      /bin -> usr/bin
      /lib -> usr/lib
    reads the workspace and writes nothing of it [profile] exact
    no network [profile] exact
    starts no other program [profile] exact
    /home/me/.ssh [profile] exact: hidden
    /home/me/.kube/config [profile] exact: hidden
    ");
}

/// D11-002 to D11-009.
#[test]
fn the_sealed_profile() {
    let profile = Profile::Sealed { may_execute_system: false };
    let program_files = vec!["/home/me/tools/lib".into()];
    let program = "/home/me/tools/run".into();
    let sealed = Case { profile, program_files, program, policy: Some(policy(".:rw")), ..case() };
    insta::assert_snapshot!(sealed.plan(), @"
    namespaces, network none, starts nothing, variables minimal
      /dev/shm            private
      /home/me/tools/lib  read, execute
      /home/me/tools/run  read, execute
      /lib64              read, execute
      /tmp                private
      /usr/lib            read, execute
      /var/tmp            private
      /lib -> usr/lib
    . [read create update delete execute] mediated only: the process itself sees nothing of it; the host judges each request
    reads nothing but itself [profile] exact
    no network [profile] exact
    starts no other program [profile] exact
    ");
    assert_eq!(sealed.plan().verdict(false), Verdict::Run);
    let plan = sealed.plan();
    for (path, id) in [
        ("/home/me/ws/src/lib.rs", "D11-002"),
        ("/home/me/.cargo/bin", "D11-003"),
        ("/home/me/tools/other", "D11-008"),
    ] {
        assert_eq!(plan.view.at(path.into()), What::Hidden, "{id}");
    }
    let describe = Case { profile: Profile::Sealed { may_execute_system: true }, ..case() }.plan();
    assert_eq!(describe.execute, Execute::View);
    assert!(matches!(describe.view.at("/usr/bin/jq".into()), What::Host { execute: true, .. }));
    assert_eq!(describe.view.at("/home/me/ws".into()), What::Hidden);
}

/// 076-040.
#[test]
fn no_profile() {
    insta::assert_snapshot!(Case { profile: Profile::Off, ..case() }.plan(), @"
    nothing, network shared, starts what it sees, variables of the host
      /  write, execute
    ");
}

#[test]
fn a_tool_without_rules_under_landlock() {
    let temp = "/tmp/jp-1".into();
    let mut case = Case { tier: Tier::Landlock, temp, ..case() };
    case.disk.add("/tmp/jp-1/");
    insta::assert_snapshot!(case.plan(), @"
    landlock, network shared, starts what it sees, variables of the host
      /etc                                   read, execute
      /home/me/.cargo                        read, execute
      /home/me/.cargo/registry               write, execute
      /home/me/ws                            write, execute
      /lib64                                 read, execute
      /opt                                   read, execute
      /run/systemd/resolve/stub-resolv.conf  read
      /tmp/jp-1                              write, execute
      /usr                                   read, execute
    writes only to the workspace, caches and a private temporary directory [profile] exact
    / [profile] stricter: granted entry by entry, because something in it is hidden: what is made there later cannot be used, and the directory itself cannot be listed
    /home/me [profile] stricter: granted entry by entry, because something in it is hidden: what is made there later cannot be used, and the directory itself cannot be listed
    /home [profile] stricter: granted entry by entry, because something in it is hidden: what is made there later cannot be used, and the directory itself cannot be listed
    unix sockets [profile] stricter: none can be made: Landlock cannot tell which are reached
    /home/me/.ssh [profile] exact: hidden
    /home/me/.kube/config [profile] exact: hidden
    ");
    assert_eq!(case.plan().verdict(false), Verdict::Run);
}

/// A program that the rules do not cover can still be started.
#[test]
fn the_program_itself() {
    let program = "/home/me/ws/tools/x.sh".into();
    let plan = Case { program, ..Case::with_rules(DISK, "src:r") }.plan();
    let at = |path: &str| plan.view.at(path.into());
    assert_eq!(at("/home/me/ws/tools/x.sh"), What::Host { write: Write::No, execute: true });
    assert_eq!(at("/home/me/ws/tools"), What::Hidden);
    assert!(plan.rows.iter().any(|row| row.reason == words::PROGRAM));
}

/// In the workspace only rules decide, also where a toolchain lies in it.
#[test]
fn a_toolchain_in_the_workspace() {
    let mut case = Case::with_rules(DISK, "src:r");
    case.disk.add("/home/me/ws/.venv/bin/");
    case.system.read = vec!["/home/me/ws/.venv".into()];
    assert_eq!(case.plan().view.at("/home/me/ws/.venv/bin".into()), What::Hidden);
}

/// What a preset keeps hidden stays so inside a cache, which can then not be written.
#[test]
fn a_cache_around_what_a_preset_hides() {
    let mut case = Case { policy: Some(policy("src:r")), ..case() };
    case.disk.add("/home/me/.cargo/credentials.toml");
    case.system.write = vec!["/home/me/.cargo".into()];
    let plan = case.plan();
    assert_eq!(plan.view.at("/home/me/.cargo/credentials.toml".into()), What::Hidden);
    assert_eq!(
        plan.view.at("/home/me/.cargo/registry".into()),
        What::Host { write: Write::No, execute: false }
    );
}

#[test]
fn a_dry_run_of_a_tool_without_rules() {
    let dry = Case { transactional: true, ..case() }.plan();
    assert!(dry.transactional);
    assert!(dry.view.at("/home/me/ws".into()).is_judged());
    let landlock = Case { transactional: true, tier: Tier::Landlock, ..case() }.plan();
    assert_eq!(
        landlock.view.at("/home/me/ws/src".into()),
        What::Host { write: Write::No, execute: true }
    );
    assert!(landlock.rows.iter().any(|row| row.reason == words::DRY_RUN_BLOCKED));
}

/// Nothing has to be taken back for a sealed program, so Landlock is enough.
#[test]
fn the_sealed_profile_under_landlock() {
    let profile = Profile::Sealed { may_execute_system: false };
    let plan = Case { profile, tier: Tier::Landlock, ..case() }.plan();
    assert_eq!((plan.verdict(false), plan.network), (Verdict::Run, Network::Sealed));
    assert_eq!(plan.view.at("/home/me/ws".into()), What::Hidden);
    assert_eq!(plan.fidelity(), Fidelity::Stricter, "there is no temporary directory");
}

fn net(rules: &[&str], tier: Tier) -> (Network, String) {
    let rule = |text: &&str| {
        let allow = !text.starts_with('!');
        let text = text.trim_start_matches('!');
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
            None => (None, text),
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path_prefix = (!path.is_empty()).then(|| path.to_owned());
        NetRule { scheme, path_prefix, ..NetRule::new(host, allow) }
    };
    let net = rules.iter().map(rule).collect();
    let policy = AccessPolicy { net, ..AccessPolicy::default() };
    let plan = Case { policy: Some(policy), tier, ..Case::new(DISK) }.plan();
    let rows = plan.rows.iter().filter(|row| row.aspect == Aspect::Net);
    let shown = rows.map(|row| format!("{} {}: {}\n", row.subject, row.fidelity, row.reason));
    (plan.network, shown.collect())
}

/// 076-283, 076-284, and 076-029: files are left alone.
#[test]
fn rules_for_the_network() {
    let (network, rows) = net(&["a.example", "https://b.example"], Tier::Namespaces);
    assert_eq!(network, Network::Proxy);
    insta::assert_snapshot!(rows, @"
    a.example exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    https://b.example exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    ");

    let paths =
        ["http://p.example/api", "https://p.example/api", "q.example/api", "ssh://a.example"];
    insta::assert_snapshot!(net(&paths, Tier::Namespaces).1, @"
    http://p.example/api exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    https://p.example/api stricter: https hides the path, so a connection is refused unless the whole host is allowed
    q.example/api stricter: http is judged by its path; https hides the path, so a connection is refused unless the whole host is allowed
    ssh://a.example stricter: the proxy speaks http and https only
    ");

    // A path that is closed closes the host, one that is open on an open host changes nothing.
    let mixed = ["a.example", "!https://a.example/admin", "b.example", "https://b.example/api"];
    insta::assert_snapshot!(net(&mixed, Tier::Namespaces).1, @"
    a.example stricter: http is judged by its path; https hides the path, so a connection is refused unless the whole host is allowed
    https://a.example/admin exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    b.example exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    https://b.example/api exact: through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY
    ");

    let (network, rows) = net(&["!a.example"], Tier::Namespaces);
    assert_eq!(network, Network::None);
    insta::assert_snapshot!(rows, @"a.example exact: no network at all");

    let (network, rows) = net(&["a.example", "!*.example"], Tier::Namespaces);
    assert_eq!(network, Network::None);
    insta::assert_snapshot!(rows, @"
    a.example exact: a denial that cannot be read denies everything
    *.example exact: a denial that cannot be read denies everything
    ");

    let (network, rows) = net(&["a.example", "!b.example"], Tier::Landlock);
    assert_eq!(network, Network::None);
    insta::assert_snapshot!(rows, @"
    a.example stricter: the way to the proxy needs a network namespace, so there is no network at all
    b.example exact: no network at all
    ");
}

/// 076-282, 076-031.
#[test]
fn rules_for_variables() {
    let env = vec![EnvRule::new("CI", true), EnvRule::new("*", false), EnvRule::new("USER", false)];
    let policy = AccessPolicy { env, ..AccessPolicy::default() };
    let case = Case { policy: Some(policy.clone()), ..Case::new(DISK) };
    let plan = case.plan();
    let passed = ["CI", "PATH", "HOME", "LC_ALL", "USER", "TOKEN", "PATHS"];
    let passed: Vec<_> =
        passed.into_iter().filter(|name| plan.passes(Some(&policy), name)).collect();
    assert_eq!(passed, ["CI", "PATH", "HOME", "LC_ALL"]);
    assert_eq!(plan.view, Case::new(DISK).plan().view, "076-031");
    assert_eq!(plan.network, Network::Shared, "076-031");
}

/// 076-275 for the view and the network.
#[test]
fn rules_for_programs() {
    let with = |commands| {
        let policy = AccessPolicy { commands: Some(commands), ..AccessPolicy::default() };
        Case { policy: Some(policy), ..Case::new(DISK) }.plan()
    };
    let none = with([("", CommandRule::default())].into_iter().skip(1).collect());
    assert_eq!((none.execute, none.verdict(false)), (Execute::Itself, Verdict::Run));
    let git = with([("git", CommandRule::default())].into_iter().collect());
    assert_eq!(git.execute, Execute::View);
    assert_eq!(git.view, Case::new(DISK).plan().view);
    let Verdict::Refuse(refusal) = git.verdict(false) else { panic!("not refused") };
    insta::assert_snapshot!(refusal, @r#"the sandbox cannot keep the policy: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = "vfs"` has them started and judged by the host"#);
}
