//! How the program is linked, so that it starts quickly.
//!
//! It is large, and the loader has to adjust every pointer in it before the first line runs. In the
//! packed form that linkers and C libraries of the last years understand, the list of these pointers
//! takes kilobytes to read and not megabytes.

#![expect(clippy::disallowed_methods, reason = "Cargo tells a build script by variables")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        // What unwinds the stack is in the program itself then, and the loader has one library less to load.
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
