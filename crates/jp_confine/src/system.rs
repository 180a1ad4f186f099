//! What programs need outside of the workspace, found on this machine.
//!
//! The danger is a path that a tool can replace by a link: `CARGO_TARGET_DIR` in the workspace, for
//! example. So what lies in the workspace is passed over, there the rules decide; and what a path
//! really leads to is judged again, as the path itself was.
//!
//! Toolchains can be read by every tool. Caches can be written by tools without rules, and by those
//! that name the preset; what a preset keeps hidden stays hidden for all.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    plan::SystemPaths,
    presets::{Preset, PresetPlaces, is_fit},
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

/// What is sealed gets nothing of them, and never sees what they keep hidden.
pub(crate) fn hidden(presets: &[(Preset, PresetPlaces)], ground: Ground<'_>) -> SystemPaths {
    let hidden = presets.iter().flat_map(|(_, places)| ground.existing(&places.hidden));
    let mut paths = SystemPaths { hidden: hidden.collect(), ..SystemPaths::default() };
    paths.hidden.sort();
    paths.hidden.dedup();
    paths
}

/// What a tool gets of them.
pub(crate) fn paths(
    presets: &[(Preset, PresetPlaces)],
    needs: [&Needs; 2],
    has_rules: bool,
    ground: Ground<'_>,
) -> SystemPaths {
    let is_named = |preset: Preset| needs.iter().any(|needs| needs.presets.contains(&preset));
    let mut paths = SystemPaths::default();
    for (preset, places) in presets {
        let fits = |path: &Utf8PathBuf| ground.home.is_some_and(|home| is_fit(path, home));
        paths.read.extend(ground.existing(&places.toolchain).filter(fits));
        if !has_rules || is_named(*preset) {
            paths.read.extend(ground.existing(&places.settings).filter(fits));
            paths.write.extend(ground.existing(&places.cache).filter(fits));
        }
        paths.hidden.extend(ground.existing(&places.hidden));
    }
    for needs in needs {
        paths.read.extend(ground.existing(&needs.read));
        paths.write.extend(ground.existing(&needs.write));
    }
    for list in [&mut paths.read, &mut paths.write, &mut paths.hidden] {
        list.sort();
        list.dedup();
    }
    paths
}

/// The same places, of which nothing is written.
pub(crate) fn read_only(mut paths: SystemPaths) -> SystemPaths {
    paths.read.append(&mut paths.write);
    paths.read.sort();
    paths.read.dedup();
    paths
}

/// Where paths are looked at from.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) root: &'a Utf8Path,
    pub(crate) home: Option<&'a Utf8Path>,
}

impl<'a> Ground<'a> {
    /// Paths in the form in which a view has them. What does not exist now shows nothing.
    fn existing(self, paths: &'a [Utf8PathBuf]) -> impl Iterator<Item = Utf8PathBuf> + 'a {
        let expand = move |path: &Utf8PathBuf| match (path.strip_prefix("~"), self.home) {
            (Ok(below), Some(home)) => Some(home.join(below)),
            (Ok(_), None) => None,
            (Err(_), _) => Some(path.clone()),
        };
        let is_outside = move |path: &Utf8PathBuf| !path.starts_with(self.root);
        paths
            .iter()
            .filter_map(expand)
            .filter(is_outside)
            .filter_map(|path| path.canonicalize_utf8().ok())
            .filter(is_outside)
    }
}
