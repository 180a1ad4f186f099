//! The text of profiles. It has never been run.

use jp_tool::access::{AccessPolicy, FsRule};

use super::*;
use crate::{
    confinement::Tier,
    plan::{Facts, Kind, Lifetime, SystemPaths, plan},
};

/// A disk on which every path is a directory.
struct Everything;

impl Facts for Everything {
    fn kind(&self, _: &Utf8Path) -> Kind {
        Kind::Directory
    }

    fn children(&self, _: &Utf8Path) -> Vec<String> {
        Vec::new()
    }

    fn mounts(&self, _: &Utf8Path) -> Vec<camino::Utf8PathBuf> {
        Vec::new()
    }
}

fn with_request<T>(
    policy: Option<&AccessPolicy>,
    profile: Profile,
    then: impl FnOnce(&Request<'_>, &Plan) -> T,
) -> T {
    let system = SystemPaths {
        read: vec!["/Users/me/.cargo/bin".into()],
        write: vec!["/Users/me/.cargo/registry".into()],
        hidden: Vec::new(),
    };
    let sensitive = ["/Users/me/.ssh".into()];
    let request = Request {
        policy,
        root: Utf8Path::new("/Users/me/w\"s"),
        profile,
        tier: Tier::Namespaces,
        lifetime: Lifetime::Call,
        transactional: false,
        sensitive: &sensitive,
        approved: &[],
        system: &system,
        home: Some(Utf8Path::new("/Users/me")),
        temp: Utf8Path::new("/private/tmp/jp-1"),
        program: Utf8Path::new("/opt/bin/tool"),
        program_files: &[],
        as_root: false,
    };
    then(&request, &plan(&request, &Everything))
}

fn policy() -> AccessPolicy {
    let rules = [
        FsRule::new(".", [Capability::Read]),
        FsRule::new("docs", [Capability::Read, Capability::Update]),
        FsRule::new("docs/old", [Capability::Read]),
        FsRule::new("bin", [Capability::Read, Capability::Execute]),
        FsRule::new(".env", []),
    ];
    AccessPolicy { fs: rules.into_iter().collect(), ..AccessPolicy::default() }
}

fn own_part(text: &str) -> String {
    let text = text.strip_prefix(BASE).unwrap();
    let is_system = |line: &&str| !is_for_linux(line);
    text.lines().filter(is_system).map(|line| format!("{line}\n")).collect()
}

/// Lines for directories that only Linux has.
fn is_for_linux(line: &str) -> bool {
    [
        "\"/usr", "\"/bin", "\"/sbin", "\"/lib", "\"/etc", "\"/nix", "\"/gnu", "\"/snap", "\"/var",
        "\"/dev", "\"/run", "\"/home", "\"/opt\"",
    ]
    .iter()
    .any(|path| line.contains(path))
}

/// 076-273.
#[test]
fn rules() {
    let policy = policy();
    let text = with_request(Some(&policy), Profile::Workspace, |request, plan| {
        own_part(&profile(request, plan, None))
    });
    insta::assert_snapshot!(text, @r#"

    ; The network.
    (allow network*)
    (allow system-socket)
    (allow mach-lookup
      (global-name "com.apple.SystemConfiguration.configd")
      (global-name "com.apple.trustd.agent"))
    (deny network-outbound (subpath "/private/var/run"))
    (allow network-outbound (literal "/private/var/run/mDNSResponder"))

    ; Places outside the workspace.
    (allow file-read* file-map-executable (subpath "/Users/me/.cargo/bin"))
    (allow process-exec (subpath "/Users/me/.cargo/bin"))
    (allow file-read* file-map-executable (subpath "/Users/me/.cargo/registry"))
    (allow file-write* (subpath "/Users/me/.cargo/registry"))
    (allow process-exec (subpath "/Users/me/.cargo/registry"))
    (allow file-read* file-map-executable (subpath "/private/tmp/jp-1"))
    (allow file-write* (subpath "/private/tmp/jp-1"))
    (allow process-exec (subpath "/private/tmp/jp-1"))

    ; The workspace, outer rules first.
    (deny file-read* file-map-executable (subpath "/Users/me/w\"s"))
    (deny file-write* (subpath "/Users/me/w\"s"))
    (deny process-exec (subpath "/Users/me/w\"s"))
    (allow file-read* file-map-executable (subpath "/Users/me/w\"s"))
    (deny file-write* (subpath "/Users/me/w\"s"))
    (deny process-exec (subpath "/Users/me/w\"s"))
    (deny file-read* file-map-executable (subpath "/Users/me/w\"s/.env"))
    (deny file-write* (subpath "/Users/me/w\"s/.env"))
    (deny process-exec (subpath "/Users/me/w\"s/.env"))
    (allow file-read* file-map-executable (subpath "/Users/me/w\"s/bin"))
    (deny file-write* (subpath "/Users/me/w\"s/bin"))
    (allow process-exec (subpath "/Users/me/w\"s/bin"))
    (allow file-read* file-map-executable (subpath "/Users/me/w\"s/docs"))
    (allow file-write* (subpath "/Users/me/w\"s/docs"))
    (deny process-exec (subpath "/Users/me/w\"s/docs"))
    (allow file-read* file-map-executable (subpath "/Users/me/w\"s/docs/old"))
    (deny file-write* (subpath "/Users/me/w\"s/docs/old"))
    (deny process-exec (subpath "/Users/me/w\"s/docs/old"))

    ; The program, and what is hidden whatever grants it.
    (allow file-read* file-map-executable process-exec (literal "/opt/bin/tool"))
    (deny file-read* file-map-executable (subpath "/Users/me/.ssh"))
    (deny file-write* (subpath "/Users/me/.ssh"))
    (deny process-exec (subpath "/Users/me/.ssh"))
    "#);
}

#[test]
fn no_rules() {
    let text = with_request(None, Profile::Workspace, |request, plan| {
        own_part(&profile(request, plan, None))
    });
    insta::assert_snapshot!(text, @r#"

    ; The network.
    (allow network*)
    (allow system-socket)
    (allow mach-lookup
      (global-name "com.apple.SystemConfiguration.configd")
      (global-name "com.apple.trustd.agent"))
    (deny network-outbound (subpath "/private/var/run"))
    (allow network-outbound (literal "/private/var/run/mDNSResponder"))

    ; Places outside the workspace.
    (allow file-read* file-map-executable (subpath "/"))
    (allow process-exec (subpath "/"))
    (allow file-write* (subpath "/Users/me/.cargo/registry"))
    (deny file-read* file-map-executable (subpath "/Users/me/.colima"))
    (deny process-exec (subpath "/Users/me/.colima"))
    (deny file-read* file-map-executable (subpath "/Users/me/.docker/desktop"))
    (deny process-exec (subpath "/Users/me/.docker/desktop"))
    (deny file-read* file-map-executable (subpath "/Users/me/.docker/run"))
    (deny process-exec (subpath "/Users/me/.docker/run"))
    (deny file-read* file-map-executable (subpath "/Users/me/.orbstack/run"))
    (deny process-exec (subpath "/Users/me/.orbstack/run"))
    (deny file-read* file-map-executable (subpath "/Users/me/.rd/docker.sock"))
    (deny process-exec (subpath "/Users/me/.rd/docker.sock"))
    (deny file-read* file-map-executable (subpath "/Users/me/.ssh"))
    (deny process-exec (subpath "/Users/me/.ssh"))
    (deny file-read* file-map-executable (subpath "/private/tmp/jp-1"))
    (deny process-exec (subpath "/private/tmp/jp-1"))
    (deny file-read* file-map-executable (subpath "/tmp"))
    (deny process-exec (subpath "/tmp"))
    (allow file-read* file-map-executable (subpath "/private/tmp/jp-1"))
    (allow file-write* (subpath "/private/tmp/jp-1"))
    (allow process-exec (subpath "/private/tmp/jp-1"))

    ; The workspace, outer rules first.
    (allow file-read* file-map-executable (subpath "/Users/me/w\"s"))
    (allow file-write* (subpath "/Users/me/w\"s"))
    (allow process-exec (subpath "/Users/me/w\"s"))

    ; The program, and what is hidden whatever grants it.
    (allow file-read* file-map-executable process-exec (literal "/opt/bin/tool"))
    (deny file-read* file-map-executable (subpath "/Users/me/.ssh"))
    (deny file-write* (subpath "/Users/me/.ssh"))
    (deny process-exec (subpath "/Users/me/.ssh"))
    "#);
}

#[test]
fn sealed() {
    let sealed = Profile::Sealed { may_execute_system: false };
    let text = with_request(None, sealed, |request, plan| own_part(&profile(request, plan, None)));
    insta::assert_snapshot!(text, @r#"

    ; The network.
    (deny network*)

    ; Places outside the workspace.
    (allow file-read* file-map-executable (subpath "/opt/bin/tool"))
    (allow process-exec (subpath "/opt/bin/tool"))
    (allow file-read* file-map-executable (subpath "/private/tmp/jp-1"))
    (allow file-write* (subpath "/private/tmp/jp-1"))
    (allow process-exec (subpath "/private/tmp/jp-1"))

    ; The workspace, outer rules first.

    ; The program, and what is hidden whatever grants it.
    (deny process-fork process-exec)
    (allow file-read* file-map-executable process-exec (literal "/opt/bin/tool"))
    (deny file-read* file-map-executable (subpath "/Users/me/.ssh"))
    (deny file-write* (subpath "/Users/me/.ssh"))
    (deny process-exec (subpath "/Users/me/.ssh"))
    "#);
}

#[test]
fn the_network() {
    let shown = |kind, port| {
        let mut text = String::new();
        network(&mut text, kind, port);
        text
    };
    insta::assert_snapshot!(shown(Network::Proxy, Some(3128)), @r#"

    ; The network.
    (allow network-outbound (remote ip "localhost:3128"))
    "#);
    // Without a proxy there is no way out.
    assert_eq!(shown(Network::Proxy, None), shown(Network::None, None));
    assert!(shown(Network::Shared, None).contains("(allow network*)"));
}

#[test]
fn a_rule_that_tells_writes_apart_is_looser_here() {
    let policy = policy();
    let looser = with_request(Some(&policy), Profile::Workspace, |request, plan| {
        let rows = rows(request, plan).into_iter().filter(|row| row.fidelity == Fidelity::Looser);
        rows.map(|row| format!("{} {}", row.subject, row.aspect)).collect::<Vec<_>>()
    });
    assert_eq!(looser, ["docs create", "docs update", "docs delete"]);
}

/// The base text is well formed, as far as counting can tell.
#[test]
fn parentheses_match() {
    let code: String = BASE.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(code.matches('(').count(), code.matches(')').count());
    assert!(code.starts_with("(version 1)(deny default)"));
}
