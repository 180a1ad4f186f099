//! What programs need outside of the workspace, found on this machine.
//!
//! Toolchains can be read by every tool. Caches can be written by tools without rules, and by those
//! that name the preset; what a preset keeps hidden stays hidden for all.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    plan::SystemPaths,
    presets::{Preset, PresetPlaces},
};

use crate::{Needs, Surroundings};

/// The places of all presets on this machine.
pub(crate) fn presets(surroundings: &Surroundings) -> Vec<(Preset, PresetPlaces)> {
    let Some(home) = &surroundings.home else { return Vec::new() };
    let variable = |name: &str| {
        let found = surroundings.variables.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.to_str()).map(str::to_owned)
    };
    Preset::ALL.map(|preset| (preset, preset.places(&variable, home))).to_vec()
}

/// What a tool gets of them.
pub(crate) fn paths(
    presets: &[(Preset, PresetPlaces)],
    needs: [&Needs; 2],
    has_rules: bool,
    home: Option<&Utf8Path>,
) -> SystemPaths {
    let is_named = |preset: Preset| needs.iter().any(|needs| needs.presets.contains(&preset));
    let mut paths = SystemPaths::default();
    for (preset, places) in presets {
        paths.read.extend(existing(&places.toolchain, home));
        if !has_rules || is_named(*preset) {
            paths.write.extend(existing(&places.cache, home));
        }
        paths.hidden.extend(existing(&places.hidden, home));
    }
    for needs in needs {
        paths.read.extend(existing(&needs.read, home));
        paths.write.extend(existing(&needs.write, home));
    }
    for list in [&mut paths.read, &mut paths.write, &mut paths.hidden] {
        list.sort();
        list.dedup();
    }
    paths
}

/// Paths in the form in which a view has them. What does not exist now shows nothing.
fn existing<'a>(
    paths: &'a [Utf8PathBuf],
    home: Option<&'a Utf8Path>,
) -> impl Iterator<Item = Utf8PathBuf> + 'a {
    let expand = move |path: &Utf8PathBuf| match (path.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => Some(home.join(below)),
        (Ok(_), None) => None,
        (Err(_), _) => Some(path.clone()),
    };
    paths.iter().filter_map(expand).filter_map(|path| path.canonicalize_utf8().ok())
}
