//! Where presets are on machines with and without variables, and what they never contain.

use proptest::prelude::*;

use super::*;

const HOME: &str = "/home/me";

fn shown(preset: Preset, env: &[(&str, &str)]) -> String {
    let lookup = |name: &str| {
        env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let places = preset.places(&lookup, Utf8Path::new(HOME));
    let list = |name: &str, paths: &[Utf8PathBuf]| {
        let paths: String = paths.iter().map(|path| format!("  {path}\n")).collect();
        format!("{name}\n{paths}")
    };
    [
        list("read", &places.toolchain),
        list("settings", &places.settings),
        list("write", &places.cache),
        list("hidden", &places.hidden),
    ]
    .concat()
}

#[test]
fn without_variables() {
    insta::assert_snapshot!(shown(Preset::Rust, &[]), @"
    read
      /home/me/.cargo/bin
      /home/me/.cargo/config
      /home/me/.cargo/config.toml
      /home/me/.cargo/env
      /home/me/.rustup
    settings
    write
      /home/me/.cache/sccache
      /home/me/.cargo/.package-cache
      /home/me/.cargo/.package-cache-mutate
      /home/me/.cargo/git
      /home/me/.cargo/registry
    hidden
      /home/me/.cargo/credentials
      /home/me/.cargo/credentials.toml
    ");
    insta::assert_snapshot!(shown(Preset::Git, &[]), @"
    read
    settings
      /home/me/.config/git
      /home/me/.git-templates
      /home/me/.gitconfig
    write
    hidden
      /home/me/.config/gh
      /home/me/.config/git/credentials
      /home/me/.git-credentials
      /home/me/.netrc
    ");
}

#[test]
fn with_variables() {
    let env =
        [("CARGO_HOME", "/opt/cargo"), ("RUSTUP_HOME", ""), ("CARGO_TARGET_DIR", "/big/target")];
    insta::assert_snapshot!(shown(Preset::Rust, &env), @"
    read
      /home/me/.rustup
      /opt/cargo/bin
      /opt/cargo/config
      /opt/cargo/config.toml
      /opt/cargo/env
    settings
    write
      /big/target
      /home/me/.cache/sccache
      /opt/cargo/.package-cache
      /opt/cargo/.package-cache-mutate
      /opt/cargo/git
      /opt/cargo/registry
    hidden
      /opt/cargo/credentials
      /opt/cargo/credentials.toml
    ");
    let env = [
        ("GOPATH", "/go:/work/go"),
        ("XDG_CACHE_HOME", "/var/cache/me"),
        ("GOROOT", "/usr/lib/go"),
    ];
    insta::assert_snapshot!(shown(Preset::Go, &env), @"
    read
      /go/bin
      /home/me/.config/go/env
      /usr/lib/go
      /work/go/bin
    settings
    write
      /go/pkg/mod
      /go/pkg/sumdb
      /home/me/Library/Caches/go-build
      /var/cache/me/go-build
      /var/cache/me/golangci-lint
      /work/go/pkg/mod
      /work/go/pkg/sumdb
    hidden
      /home/me/.netrc
    ");
}

/// A variable is only text. One that would open the home, the root or a secret is not believed.
#[test]
fn variables_are_not_believed_blindly() {
    for value in
        ["/", "/home", HOME, "/home/me/", ".", "relative", "/home/me/.ssh", "/x/../etc", "/usr"]
    {
        let places = Preset::Java
            .places(&|name| (name == "JAVA_HOME").then(|| value.to_owned()), Utf8Path::new(HOME));
        let usual = Preset::Java.places(&|_| None, Utf8Path::new(HOME));
        assert_eq!(places, usual, "{value}");
    }
}

proptest! {
    /// Sensitive paths are never part of a preset, whatever the variables say.
    #[test]
    fn never_a_sensitive_path(
        value in "(/home/me)?(/\\.ssh|/\\.gnupg|/\\.env|/\\.env\\.local|/\\.aws/credentials|/a|/\\.\\.|){0,3}",
        preset in proptest::sample::select(&Preset::ALL[..]),
    ) {
        let home = Utf8Path::new(HOME);
        let places = preset.places(&|_| Some(value.clone()), home);
        let sensitive = SensitivePaths::builtin();
        for path in places.toolchain.iter().chain(&places.settings).chain(&places.cache) {
            let below = path.strip_prefix("/").unwrap();
            prop_assert_eq!(sensitive.find(Utf8Path::new("/"), Some(home), below), None);
            prop_assert!(!home.starts_with(path), "{} opens the home", path);
        }
    }
}

#[test]
fn names() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(preset));
    }
    insta::assert_snapshot!("perl".parse::<Preset>().unwrap_err(), @r#"there is no preset "perl"; known are rust, node, python, go, java, git"#);
}

#[test]
fn the_table_of_the_documentation() {
    let table = markdown();
    assert_eq!(table.lines().count(), 2 + Preset::ALL.len());
    let git = table.lines().last().unwrap();
    insta::assert_snapshot!(git, @"| `git` | `$GIT_EXEC_PATH` | `$GIT_CONFIG_GLOBAL, else ~/.gitconfig`<br>`$XDG_CONFIG_HOME/git, else ~/.config/git`<br>`$GIT_TEMPLATE_DIR, else ~/.git-templates` |  | `~/.git-credentials`<br>`~/.netrc`<br>`$XDG_CONFIG_HOME/git/credentials, else ~/.config/git/credentials`<br>`$GH_CONFIG_DIR, else $XDG_CONFIG_HOME/gh, else ~/.config/gh` |");
}
