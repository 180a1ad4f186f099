//! What the usual toolchains need outside the workspace.
//!
//! The rules of a policy speak about the workspace. But `cargo check` reads a toolchain in the home
//! directory and writes a registry there, and so does every other build tool in its own way. A preset
//! is a named list of such places, found by the variables that the tools themselves go by. Toolchains
//! can be read by every tool that is not sealed; caches can be written by tools without `access` and
//! by those that name the preset.
//!
//! The danger is a place that holds more than a toolchain. Credentials lie next to caches, so presets
//! name directories as narrowly as they can, list what has to stay hidden, and never contain a
//! sensitive path. And a variable is only text: one that names the root or the home directory itself
//! would open everything, so it is not believed.

mod data;

use std::{fmt, str::FromStr};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::SensitivePaths;

/// A toolchain that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Cargo, rustup.
    Rust,
    /// Node with npm, pnpm, yarn, bun and version managers.
    Node,
    /// Python with pip, uv, poetry, pyenv and virtual environments.
    Python,
    /// Go.
    Go,
    /// JDKs with Gradle and Maven.
    Java,
    /// The settings of Git.
    Git,
}

/// The places of a preset on one machine. They need not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PresetPlaces {
    /// To be read and executed.
    pub toolchain: Vec<Utf8PathBuf>,
    /// To be read by tools without rules and by those that name the preset: the person's own settings.
    pub settings: Vec<Utf8PathBuf>,
    /// To be read and written.
    pub cache: Vec<Utf8PathBuf>,
    /// To stay hidden.
    pub hidden: Vec<Utf8PathBuf>,
}

/// There is no preset of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no preset {name:?}; known are {}", Preset::ALL.map(Preset::as_str).join(", "))]
pub struct UnknownPreset {
    /// The name as it was given.
    pub name: String,
}

/// How one place is found: by the first variable that is set, else below the home directory.
struct Source {
    /// Variables and what follows the directory that they name.
    variables: &'static [(&'static str, &'static str)],
    /// The usual place in the home directory; there may be none.
    usual: &'static str,
}

/// The data of a preset.
struct Spec {
    toolchain: &'static [Source],
    settings: &'static [Source],
    cache: &'static [Source],
    hidden: &'static [Source],
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Rust, Self::Node, Self::Python, Self::Go, Self::Java, Self::Git];

    /// The name in configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Node => "node",
            Self::Python => "python",
            Self::Go => "go",
            Self::Java => "java",
            Self::Git => "git",
        }
    }

    /// The places on a machine with these variables and this home directory.
    pub fn places(self, env: &dyn Fn(&str) -> Option<String>, home: &Utf8Path) -> PresetPlaces {
        let spec = self.spec();
        let find = |sources: &[Source]| -> Vec<Utf8PathBuf> {
            let mut found: Vec<_> = sources.iter().flat_map(|one| one.find(env, home)).collect();
            found.sort();
            found.dedup();
            found
        };
        let is_fit = |path: &Utf8PathBuf| is_fit(path, home);
        let hidden = find(spec.hidden);
        let open = |sources| {
            let is_shown = |path: &Utf8PathBuf| !hidden.iter().any(|one| path.starts_with(one));
            find(sources).into_iter().filter(is_fit).filter(is_shown).collect()
        };
        PresetPlaces {
            toolchain: open(spec.toolchain),
            settings: open(spec.settings),
            cache: open(spec.cache),
            hidden,
        }
    }

    fn spec(self) -> &'static Spec {
        match self {
            Self::Rust => &data::RUST,
            Self::Node => &data::NODE,
            Self::Python => &data::PYTHON,
            Self::Go => &data::GO,
            Self::Java => &data::JAVA,
            Self::Git => &data::GIT,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        let known = Self::ALL.into_iter().find(|preset| preset.as_str() == name);
        known.ok_or_else(|| UnknownPreset { name: name.to_owned() })
    }
}

impl PresetPlaces {
    /// Whether the preset lets a path be read.
    pub fn shows(&self, path: &Utf8Path) -> bool {
        let mut places = self.toolchain.iter().chain(&self.settings).chain(&self.cache);
        places.any(|place| path.starts_with(place)) && !self.hides(path)
    }

    /// Whether the preset lets a path be written.
    pub fn keeps(&self, path: &Utf8Path) -> bool {
        self.cache.iter().any(|place| path.starts_with(place)) && !self.hides(path)
    }

    /// Whether the preset says that a path stays hidden.
    pub fn hides(&self, path: &Utf8Path) -> bool {
        self.hidden.iter().any(|place| path.starts_with(place))
    }
}

/// All presets as a table for the documentation.
pub fn markdown() -> String {
    let list = |sources: &[Source]| {
        let shown: Vec<_> = sources.iter().map(|source| format!("`{}`", source.shown())).collect();
        shown.join("<br>")
    };
    let row = |preset: Preset| {
        let spec = preset.spec();
        let columns = [spec.toolchain, spec.settings, spec.cache, spec.hidden].map(list);
        format!("| `{preset}` | {} |\n", columns.join(" | "))
    };
    let head =
        "| Preset | Read and run | Settings | Written | Stays hidden |\n|---|---|---|---|---|\n";
    head.to_owned() + &Preset::ALL.map(row).concat()
}

impl Source {
    fn find(&self, env: &dyn Fn(&str) -> Option<String>, home: &Utf8Path) -> Vec<Utf8PathBuf> {
        let named = self.variables.iter().find_map(|(variable, below)| {
            let value = env(variable).filter(|value| !value.is_empty())?;
            // GOPATH and its like name several directories.
            Some(value.split(':').map(|one| join(Utf8Path::new(one), below)).collect())
        });
        match named {
            Some(paths) => paths,
            None if self.usual.is_empty() => Vec::new(),
            None => vec![home.join(self.usual)],
        }
    }

    /// `$CARGO_HOME/bin, else ~/.cargo/bin`, as the documentation shows it.
    fn shown(&self) -> String {
        let variables = self.variables.iter().map(|(variable, below)| {
            if below.is_empty() { format!("${variable}") } else { format!("${variable}/{below}") }
        });
        let usual = (!self.usual.is_empty()).then(|| format!("~/{}", self.usual));
        variables.chain(usual).collect::<Vec<_>>().join(", else ")
    }
}

fn join(directory: &Utf8Path, below: &str) -> Utf8PathBuf {
    if below.is_empty() { directory.to_owned() } else { directory.join(below) }
}

/// Whether a place is an absolute path of its own: not the home or something around it, not spelled
/// with `..`, and nothing sensitive.
pub fn is_fit(path: &Utf8Path, home: &Utf8Path) -> bool {
    let is_plain = |part| matches!(part, Utf8Component::RootDir | Utf8Component::Normal(_));
    let is_deep = path.components().count() > 2;
    let below = path.strip_prefix("/").unwrap_or(path);
    path.is_absolute()
        && path.components().all(is_plain)
        && is_deep
        && !home.starts_with(path)
        && SensitivePaths::builtin().find(Utf8Path::new("/"), Some(home), below).is_none()
}

#[cfg(test)]
mod tests;
