//! Who runs jp, and inside of what: root, an ordinary user, a container that forbids namespaces.

use insta::assert_snapshot;
use jp_test::{Output, Run, TestEnv};

use super::{EVERYTHING, world};

/// Nobody, who owns nothing.
const USER: &str = "65534";

/// One of everything: read, write, a secret, the home, a process and a socket outside.
const WORK: &str = "cat old .env ~/notes; echo x > new; (echo x > ~/x) 2> /dev/null; echo x > /tmp/x; cat /tmp/x; \
                    ls /proc | grep -c '^[0-9]'; grep -E 'CapEff|NoNewPrivs' /proc/self/status; \
                    unshare -Ur true; exit 1";

/// An environment of which everything, jp too, belongs to an ordinary user. Where the tests are run
/// by one, that is the one.
fn of_ordinary_user() -> TestEnv {
    let env = TestEnv::new_in(env!("CARGO_BIN_EXE_jp"), "/var/tmp");
    fill(&env);
    // The repository may lie where nobody else can look.
    env.command("/bin/cp", [env!("CARGO_BIN_EXE_jp"), env.root().join("jp").as_str()])
        .run()
        .success();
    if rustix::process::geteuid().is_root() {
        let owner = format!("{USER}:{USER}");
        env.command("/bin/chown", ["-R", &owner, env.root().as_str()]).run().success();
    }
    env
}

fn fill(env: &TestEnv) {
    env.write(".jp/config.toml", "");
    env.write("policy.toml", EVERYTHING);
    env.write("old", "old\n");
    env.write(".env", "TOKEN=1\n");
    env.write(env.home().join("notes"), "notes\n");
}

fn as_ordinary_user<'env>(env: &'env TestEnv, args: &[&str]) -> Run<'env> {
    let jp = env.root().join("jp");
    if rustix::process::geteuid().is_root() {
        let user = ["--reuid", USER, "--regid", USER, "--clear-groups", jp.as_str()];
        env.command("/usr/bin/setpriv", [&user, args].concat())
    } else {
        env.command(jp, args)
    }
}

#[test]
fn root_and_an_ordinary_user_are_confined_alike() {
    let args = ["sandbox", "run", "--policy", "policy.toml", "--", "/bin/sh", "-c", WORK];
    let told = |output: Output| {
        format!("{}---\n{}", output.normalized_stdout(), output.normalized_stderr())
    };
    let env = of_ordinary_user();
    let by_user = told(as_ordinary_user(&env, &args).run().code(1));
    assert_snapshot!(by_user, @"
    old
    x
    4
    CapEff:	0000000000000000
    NoNewPrivs:	1
    ---
    warning: .env is sensitive and stays hidden, though it is granted by the rule for `.`; to show it: --allow-sensitive .env
    cat: .env: Permission denied
    cat: $HOME/notes: No such file or directory
    unshare: unshare failed: Operation not permitted

    The sandbox denied:
      read $PROJECT/.env (sensitive)
        to allow it: --allow-sensitive $PROJECT/.env
      read $HOME/notes (replaced by a private directory)
        to allow it: --read $HOME/notes
    ");
    assert!(env.path("new").is_file() && !env.home().join("x").exists());
    let env = of_ordinary_user();
    assert_eq!(told(env.jp(args).run().code(1)), by_user);
}

#[test]
fn an_ordinary_user_has_dry_runs() {
    let env = of_ordinary_user();
    let args = ["sandbox", "run", "--dry-run", "--", "/bin/sh", "-c", "echo x > new; rm old"];
    assert_snapshot!(as_ordinary_user(&env, &args).run().success().normalized_stdout(), @"
    + new: new file, 2 bytes, mode 644
    @@ -0,0 +1 @@
    +x
    - old: file removed, 4 bytes
    @@ -1 +0,0 @@
    -old
    ");
    assert_eq!(env.read("old"), "old\n");
    assert!(!env.path("new").exists());
}

/// Installs a filter that forbids namespaces, as the profiles of container engines do, and becomes
/// its arguments.
const CONTAINER: &str = "import ctypes, os, platform, struct, sys
CLONE_NEW = 0x7e020000
numbers = {'x86_64': (272, 308, 56), 'aarch64': (97, 268, 220)}
unshare, setns, clone = numbers[platform.machine()]
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06
DENY, MISSING, ALLOW = 0x50000 | 1, 0x50000 | 38, 0x7fff0000
code = [(LOAD, 0, 0, 0), (EQUAL, 5, 0, unshare), (EQUAL, 4, 0, setns), (EQUAL, 5, 0, 435),
        (EQUAL, 0, 5, clone), (LOAD, 0, 0, 16), (ANY, 0, 3, CLONE_NEW),
        (RETURN, 0, 0, DENY), (RETURN, 0, 0, DENY), (RETURN, 0, 0, MISSING), (RETURN, 0, 0, ALLOW)]
filters = b''.join(struct.pack('HBBI', *one) for one in code)
memory = ctypes.create_string_buffer(filters)
program = struct.pack('HxxxxxxP', len(code), ctypes.addressof(memory))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
";

fn in_container<'env>(env: &'env TestEnv, args: &[&str]) -> Run<'env> {
    let wrapper = ["-c", CONTAINER, env!("CARGO_BIN_EXE_jp")];
    env.command("/usr/bin/python3", [&wrapper, args].concat())
}

#[test]
fn a_container_that_forbids_namespaces() {
    let env = world();
    fill(&env);
    let doctor = in_container(&env, &["sandbox", "doctor"]).run().success();
    let (_, shown) = doctor.stdout().split_once("\n\n").unwrap();
    let lines: Vec<_> = shown.lines().filter(|line| !line.contains("landlock")).collect();
    assert_snapshot!(lines.join("\n"), @"
      - namespaces         missing
          because  Operation not permitted (os error 1)
          costs    rules that deny something inside what they allow cannot be enforced, and tools see all processes
          fix      allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 where they exist; in a container, a seccomp profile that permits them
      - network-namespace  missing
          because  Operation not permitted (os error 1)
          costs    network rules by host cannot be enforced, only no network at all
          fix      a kernel with CONFIG_NET_NS, outside of a container that forbids it
      - proc               missing
          because  Operation not permitted (os error 1)
          costs    tools cannot be given namespaces, because they would see no processes
          fix      in a container, a /proc without masked parts (--security-opt systempaths=unconfined)
      - overlay            missing
          because  Operation not permitted (os error 1)
          costs    what lies inside something visible cannot be hidden, so namespaces are not used, and there is no --dry-run
          fix      Linux 5.11 or newer with the overlay module
      + seccomp            works
      + supervision        works

    Tier 2: Landlock and seccomp. Rules that only widen what the rule around them grants are enforced; tools with others are refused.
    ");
    // A secret in the workspace cannot be hidden there, so it does not run at all,
    let args = ["sandbox", "run", "--", "/bin/sh", "-c", "cat .env"];
    let refused = in_container(&env, &args).run().code(4);
    assert_eq!(refused.stdout(), "");
    // and where it can be it runs confined.
    env.write("policy.toml", "[[access.fs]]\npath = \"old\"\nread = true\n");
    let args = ["sandbox", "run", "--policy", "policy.toml", "--", "/bin/sh", "-c", WORK];
    let confined = in_container(&env, &args).run().code(1);
    assert_snapshot!(confined.normalized_stdout(), @"
    old
    0
    ");
    assert!(!env.path("new").exists() && !env.home().join("x").exists());
}
