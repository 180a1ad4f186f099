//! What has to be on the machine before a command can do its work.
//!
//! One row for each need: how to see that it is there, and how to get it. What can
//! be installed without a person is installed; for the rest the failure says what
//! to do. Nothing is skipped silently, because a test that does not run proves
//! nothing.

use jp_test::mcp::Kit;

use crate::cmd::{Cmd, tools_dir};
use crate::failure::{Failure, Result};

/// One thing that must be there.
#[derive(Debug)]
pub(crate) struct Need {
    name: &'static str,
    why: &'static str,
    present: fn() -> bool,
    get: Get,
}

/// How to get what is missing.
#[derive(Debug)]
enum Get {
    /// We run these commands.
    Install(fn() -> Vec<Cmd>),
    /// We install these packages of the system. Only root can; to everybody else the failure shows what
    /// to run.
    Packages(&'static [&'static str]),
    /// A person does this.
    Ask(&'static str),
}

/// What the tests need besides a Rust toolchain.
pub(crate) const TESTS: &[Need] = &[
    Need {
        name: "setsid",
        why: "gives a program under test a terminal of its own",
        present: || Cmd::new("setsid", &["--version"]).succeeds(),
        get: Get::Ask("install the package util-linux"),
    },
    Need {
        name: "python3",
        why: "runs the attempts to escape from the sandbox",
        present: || Cmd::new("python3", &["-c", "import ctypes, venv"]).succeeds(),
        get: Get::Ask("install the packages python3 and python3-venv"),
    },
    Need {
        name: "git",
        why: "commits inside the sandbox",
        present: || Cmd::new("git", &["--version"]).succeeds(),
        get: Get::Ask("install the package git"),
    },
    Need {
        name: "jq",
        why: "runs the tool that the documentation shows",
        present: || Cmd::new("jq", &["--version"]).succeeds(),
        get: Get::Ask("install the package jq"),
    },
    Need {
        name: "npm",
        why: "runs the tests of a project inside the sandbox",
        present: || Cmd::new("npm", &["--version"]).succeeds(),
        get: Get::Ask("install Node.js 20 or newer with npm"),
    },
    Need {
        name: "pytest",
        why: "runs the tests of a project inside the sandbox",
        present: || {
            Cmd::new(venv("bin/python").as_str(), &["-m", "pytest", "--version"]).succeeds()
        },
        get: Get::Install(|| {
            vec![
                Cmd::new("python3", &["-m", "venv", venv("").as_str()]),
                Cmd::new(venv("bin/pip").as_str(), &["install", "--quiet", "pytest==8.4.2"]),
            ]
        }),
    },
    Need {
        name: "schemathesis",
        why: "tries the HTTP API against its own document",
        present: || Cmd::new(schemathesis("bin/st").as_str(), &["--version"]).succeeds(),
        get: Get::Install(|| {
            vec![
                Cmd::new("python3", &["-m", "venv", schemathesis("").as_str()]),
                Cmd::new(
                    schemathesis("bin/pip").as_str(),
                    &["install", "--quiet", "schemathesis==4.32.5"],
                ),
            ]
        }),
    },
    Need {
        name: "PostgreSQL",
        why: "holds the files of a project in tests",
        present: || Cmd::new("sh", &["-c", "ls /usr/lib/postgresql/*/bin/postgres"]).succeeds(),
        get: Get::Packages(&["postgresql"]),
    },
    CHROMIUM,
    Need {
        name: "zsh and fish",
        why: "are shells in which commands are completed",
        present: || Cmd::new("sh", &["-c", "zsh --version && fish --version"]).succeeds(),
        get: Get::Packages(&["zsh", "fish"]),
    },
    Need {
        name: "moto",
        why: "is the S3 server that holds the files of a project in tests",
        present: || {
            let imports = "import flask_cors, moto.moto_server.werkzeug_app, moto.s3.models";
            Cmd::new(s3_venv("bin/python").as_str(), &["-c", imports]).succeeds()
        },
        get: Get::Install(|| {
            let packages =
                ["install", "--quiet", "moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
            vec![
                Cmd::new("python3", &["-m", "venv", s3_venv("").as_str()]),
                Cmd::new(s3_venv("bin/pip").as_str(), &packages),
            ]
        }),
    },
    Need {
        name: "MCP servers from npm",
        why: "are servers of other people that tests talk to",
        present: || Kit::Servers.dir().is_dir(),
        get: Get::Install(|| vec![kit(Kit::Servers)]),
    },
    Need {
        name: "MCP servers from PyPI",
        why: "are servers of other people that tests talk to",
        present: || Kit::Python.dir().is_dir(),
        get: Get::Install(|| vec![kit(Kit::Python)]),
    },
];

/// What taking a picture of the web view needs.
pub(crate) const PICTURE: &[Need] = &[CHROMIUM];

/// What finding the functions of a start needs.
pub(crate) const ORDER: &[Need] = &[
    Need {
        name: "python3",
        why: "runs the program step by step",
        present: || Cmd::new("python3", &["-c", "import ctypes"]).succeeds(),
        get: Get::Ask("install the package python3"),
    },
    NM,
];

/// What seeing whether the list of these functions is up to date needs.
pub(crate) const STARTUP: &[Need] = &[NM];

const NM: Need = Need {
    name: "nm",
    why: "lists the functions of a program",
    present: || Cmd::new("nm", &["--version"]).succeeds(),
    get: Get::Ask("install the package binutils"),
};

const CHROMIUM: Need = Need {
    name: "Chromium",
    why: "looks at the web view in tests",
    present: || {
        let both = ["/usr/bin/chromium", "/usr/bin/chromedriver"];
        both.iter().all(|program| Cmd::new(program, &["--version"]).succeeds())
    },
    get: Get::Packages(&["chromium", "chromium-driver", "fonts-dejavu-core"]),
};

/// What the conformance suite needs.
pub(crate) const CONFORMANCE: &[Need] = &[
    Need {
        name: "npm",
        why: "installs the conformance suite",
        present: || Cmd::new("npm", &["--version"]).succeeds(),
        get: Get::Ask("install Node.js 20 or newer with npm"),
    },
    Need {
        name: "conformance suite of MCP",
        why: "tries our client of MCP servers",
        present: || Kit::Conformance.dir().is_dir(),
        get: Get::Install(|| vec![kit(Kit::Conformance)]),
    },
];

/// Installs programs of other people at the versions that this repository names.
fn kit(kit: Kit) -> Cmd {
    let (script, list) =
        ("crates/jp_test/mcp/install.sh", format!("crates/jp_test/mcp/{}", kit.name()));
    Cmd::new("sh", &[script, kit.installer(), kit.dir().as_str(), &list])
}

/// A path in the Python environment of the tests.
fn venv(path: &str) -> camino::Utf8PathBuf {
    tools_dir().join("venv").join(path)
}

/// A path in the Python environment of schemathesis.
fn schemathesis(path: &str) -> camino::Utf8PathBuf {
    tools_dir().join("schemathesis").join(path)
}

/// A path in the Python environment of the S3 server.
fn s3_venv(path: &str) -> camino::Utf8PathBuf {
    tools_dir().join("s3").join(path)
}

/// What checking the format needs.
pub(crate) const FMT: &[Need] = &[Need {
    name: "rustfmt",
    why: "checks the format of the code",
    present: || Cmd::cargo(&["fmt", "--version"]).succeeds(),
    get: Get::Ask("rustup component add rustfmt"),
}];

/// What checking the code needs.
pub(crate) const CLIPPY: &[Need] = &[Need {
    name: "clippy",
    why: "checks the code",
    present: || Cmd::cargo(&["clippy", "--version"]).succeeds(),
    get: Get::Ask("rustup component add clippy"),
}];

/// What checking the dependencies needs.
pub(crate) const DENY: &[Need] = &[Need {
    name: "cargo-deny",
    why: "checks licences and sources of dependencies",
    present: || Cmd::cargo(&["deny", "--version"]).succeeds(),
    get: Get::Install(|| vec![cargo_install("cargo-deny", "0.20.2")]),
}];

/// What the benchmarks compare with.
pub(crate) const BENCH: &[Need] = &[Need {
    name: "ripgrep",
    why: "is what searching is compared with",
    present: || Cmd::new(tools_dir().join("bin/rg").as_str(), &["--version"]).succeeds(),
    get: Get::Install(|| vec![cargo_install("ripgrep", "15.2.0")]),
}];

/// What fuzzing needs.
pub(crate) const FUZZ: &[Need] = &[Need {
    name: "cargo-fuzz",
    why: "builds and runs fuzz targets",
    present: || Cmd::cargo(&["fuzz", "--version"]).succeeds(),
    get: Get::Install(|| vec![cargo_install("cargo-fuzz", "0.13.2")]),
}];

/// What accepting snapshots needs.
pub(crate) const BLESS: &[Need] = &[Need {
    name: "cargo-insta",
    why: "writes accepted snapshots into the source",
    present: || Cmd::cargo(&["insta", "--version"]).succeeds(),
    get: Get::Install(|| vec![cargo_install("cargo-insta", "1.49.0")]),
}];

/// Gets whatever is missing, or says how to.
pub(crate) fn meet(needs: &[Need]) -> Result {
    let mut lists = Lists::Unknown;
    needs.iter().filter(|need| !(need.present)()).try_for_each(|need| obtain(need, &mut lists))
}

/// What is known of the lists of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// They may be too old to find what they name, or not be there at all.
    Unknown,
    Fresh,
}

fn obtain(need: &Need, lists: &mut Lists) -> Result {
    let Need { name, why, .. } = need;
    let commands = match need.get {
        Get::Install(commands) => commands(),
        Get::Packages(packages) => install(packages, lists),
        Get::Ask(how) => {
            return Err(Failure::new(format!("`{name}` is missing, which {why}: {how}")));
        }
    };
    println!("`{name}` is missing, which {why}; installing it");
    for command in commands {
        command.run().map_err(Failure::because(format!("cannot install `{name}`, which {why}")))?;
    }
    if (need.present)() {
        return Ok(());
    }
    Err(Failure::new(format!("`{name}` was installed but still cannot be run")))
}

/// How packages of the system are installed; the lists are fetched once, before the first.
fn install(packages: &[&str], lists: &mut Lists) -> Vec<Cmd> {
    // Nobody is there to be asked.
    let apt = |args: &[&str]| Cmd::new("apt-get", args).env("DEBIAN_FRONTEND", "noninteractive");
    let fetch = (*lists == Lists::Unknown).then(|| apt(&["update", "--quiet"]));
    *lists = Lists::Fresh;
    let words = ["install", "--yes", "--no-install-recommends"];
    fetch.into_iter().chain([apt(&[&words, packages].concat())]).collect()
}

/// A tool from the registry, at a version we know, in a place that is ours.
fn cargo_install(name: &str, version: &str) -> Cmd {
    let root = tools_dir();
    Cmd::cargo(&["install", name, "--version", version, "--locked", "--root", root.as_str()])
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn failure(present: fn() -> bool, get: Get) -> String {
        let need = Need { name: "thing", why: "does it", present, get };
        meet(&[need]).unwrap_err().to_string()
    }

    #[test]
    fn what_is_there_is_left_alone() {
        let get = Get::Install(|| panic!("nothing to install"));
        let need = Need { name: "thing", why: "does it", present: || true, get };
        assert!(meet(&[need]).is_ok());
    }

    #[test]
    fn what_is_missing_is_installed() {
        static LOOKED_BEFORE: AtomicBool = AtomicBool::new(false);
        let need = Need {
            name: "thing",
            why: "does it",
            present: || LOOKED_BEFORE.swap(true, Ordering::Relaxed),
            get: Get::Install(|| vec![Cmd::new("true", &[])]),
        };
        assert!(meet(&[need]).is_ok());
    }

    #[test]
    fn lists_of_packages_are_fetched_once() {
        let mut lists = Lists::Unknown;
        let mut shown = |packages: &[&str]| {
            let commands = install(packages, &mut lists);
            commands.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let apt = "DEBIAN_FRONTEND='noninteractive' apt-get";
        let install = format!("{apt} install --yes --no-install-recommends");
        assert_eq!(shown(&["a", "b"]), format!("{apt} update --quiet\n{install} a b"));
        assert_eq!(shown(&["c"]), format!("{install} c"));
    }

    #[test]
    fn what_cannot_be_had_fails_with_the_way_to_get_it() {
        let check = |get, want: &str| assert_eq!(failure(|| false, get), want);
        check(Get::Ask("ask for it"), "`thing` is missing, which does it: ask for it");
        check(
            Get::Install(|| vec![Cmd::new("false", &[])]),
            "cannot install `thing`, which does it: `false` failed (exit status: 1)",
        );
        check(
            Get::Install(|| vec![Cmd::new("true", &[])]),
            "`thing` was installed but still cannot be run",
        );
    }
}
