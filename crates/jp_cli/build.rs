//! How the program is linked, so that it starts quickly.
//!
//! It is large, and the loader has to adjust every pointer in it before the first line runs. In the
//! packed form that linkers and C libraries of the last years understand, the list of these pointers
//! takes kilobytes to read and not megabytes.

#![expect(clippy::disallowed_methods, reason = "Cargo tells a build script by variables")]

use std::{env, path::Path, process::Command};

/// The functions that a start of the program reaches; `cargo xtask order` finds them.
const FUNCTIONS: &str = "functions.txt";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FUNCTIONS}");
    if told("CARGO_CFG_TARGET_OS") == "linux" && told("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        // What unwinds the stack is in the program itself then, and the loader has one library less to load.
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
    if told("PROFILE") == "release" && links_with_lld() {
        // Side by side they are mapped at once; all over the program, each takes an interruption of its own. Names
        // that another compiler gives say nothing to the linker, and do no harm.
        let list = Path::new(&told("CARGO_MANIFEST_DIR")).join(FUNCTIONS);
        println!("cargo::rustc-link-arg-bin=jp=-Wl,--symbol-ordering-file={}", list.display());
        println!("cargo::rustc-link-arg-bin=jp=-Wl,--no-warn-symbol-ordering");
    }
}

/// Whether the program is linked by the linker that comes with the compiler, which takes a list of functions. It
/// is where the compiler has one for this target and nobody has chosen another.
fn links_with_lld() -> bool {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let is_chosen =
        !told("RUSTC_LINKER").is_empty() || told("CARGO_ENCODED_RUSTFLAGS").contains("link");
    if is_chosen || told("TARGET") != TARGET || told("HOST") != TARGET {
        return false;
    }
    let sysroot = Command::new(told("RUSTC")).args(["--print", "sysroot"]).output();
    sysroot.is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout);
        let own = format!("lib/rustlib/{TARGET}/bin/gcc-ld/ld.lld");
        Path::new(sysroot.trim_end()).join(own).is_file()
    })
}

fn told(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
