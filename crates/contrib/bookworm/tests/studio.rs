//! A workspace for tests: it uses two versions of `paint`; `brush` is in its registry, and not unpacked.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const PAINT: &str = r"//! Paint for everything.

/// What it looks like.
///
/// ```
/// let _ = paint::Color::Red;
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Color {
    /// Like blood.
    Red,
    /// VARIANT_DOCS
    VARIANT,
}

impl Color {
    /// Mixes two colors.
    pub fn mix(self, other: Self) -> Self {
        let _ = other;
        self
    }
}

/// A stroke.
#[macro_export]
macro_rules! stroke {
    () => {};
}

/// Warm colors.
pub mod warm {
    /// A warm tone.
    pub struct Tone;
}

/// Cold colors.
pub mod cold {
    /// A cold tone.
    pub struct Tone;
}
";

/// The directories of a test; removed at its end.
pub(crate) struct Studio {
    dir: TempDir,
}

impl Studio {
    pub(crate) fn new() -> Self {
        let studio = Self { dir: tempfile::tempdir().unwrap() };
        let one = PAINT.replace("VARIANT_DOCS", "Like the sea.").replace("VARIANT", "Blue");
        let two = PAINT.replace("VARIANT_DOCS", "Like grass.").replace("VARIANT", "Green");
        studio.publish("paint", "1.0.0", "", &one, &json!([]));
        let features = "[features]\ngloss = []\ndefault = [\"gloss\"]\n";
        studio.publish("paint", "2.0.0", features, &two, &json!([]));
        let brush =
            "//! Brushes.\n\n/// A brush with paint on it.\npub struct Brush(pub paint::Color);\n";
        let needs = json!([{ "name": "paint", "req": "^2", "features": [], "optional": false,
            "default_features": true, "target": null, "kind": "normal" }]);
        studio.publish("brush", "0.3.0", "[dependencies]\npaint = \"2\"\n", brush, &needs);
        studio.write(
            "work/.cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"shop\"\n[source.shop]\nlocal-registry = \"../registry\"\n",
        );
        studio.write(
            "work/Cargo.toml",
            "[package]\nname = \"studio\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             old = { package = \"paint\", version = \"1\" }\nnew = { package = \"paint\", version = \"2\" }\n",
        );
        studio.write("work/src/lib.rs", "//! A studio.\n\n/// Where it is.\npub fn address() {}\n");
        studio.cargo(&["fetch"]);
        studio
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The program, in this workspace, with a cargo that knows nothing else.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bookworm"));
        command.arg("--workspace").arg(self.path("work")).arg("--cache").arg(self.path("cache"));
        command.env("CARGO_HOME", self.path("home"));
        command
    }

    /// Where cargo has unpacked a crate.
    pub(crate) fn unpacked(&self, name: &str) -> PathBuf {
        let registry = std::fs::read_dir(self.path("home/registry/src")).unwrap().next();
        registry.unwrap().unwrap().path().join(name)
    }

    pub(crate) fn cargo(&self, words: &[&str]) {
        let mut cargo = Command::new("cargo");
        cargo.args(words).current_dir(self.path("work")).env("CARGO_HOME", self.path("home"));
        run(&mut cargo);
    }

    /// Puts a crate into the registry.
    pub(crate) fn publish(&self, name: &str, version: &str, rest: &str, code: &str, needs: &Value) {
        let dir = format!("{name}-{version}");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n\
             description = \"About {name}\"\nlicense = \"MIT\"\nreadme = \"README.md\"\n\n{rest}"
        );
        self.write(&format!("crates/{dir}/Cargo.toml"), &manifest);
        self.write(&format!("crates/{dir}/src/lib.rs"), code);
        self.write(
            &format!("crates/{dir}/README.md"),
            &format!("# {name} {version}\n\nRead me.\n"),
        );
        let index = format!("registry/index/{}/{}/{name}", &name[..2], &name[2..4]);
        let known = std::fs::read_to_string(self.path(&index)).unwrap_or_default();
        let archive = self.path(&format!("registry/{dir}.crate"));
        std::fs::create_dir_all(archive.parent().unwrap()).unwrap();
        run(Command::new("tar")
            .arg("czf")
            .arg(&archive)
            .arg("-C")
            .arg(self.path("crates"))
            .arg(&dir));
        let digest = Sha256::digest(std::fs::read(archive).unwrap());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let features = if rest.contains("gloss") {
            json!({ "gloss": [], "default": ["gloss"] })
        } else {
            json!({})
        };
        let line = json!({ "name": name, "vers": version, "deps": needs, "cksum": digest,
            "features": features, "yanked": false });
        self.write(&index, &format!("{known}{line}\n"));
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The workspace of this repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}
