//! What the configuration says about confining programs, in the terms of the crate that does it.

pub(crate) mod allow;
pub(crate) mod sensitive;

use camino::Utf8PathBuf;
use jp_config::{
    Config, LayerKind, MergeableVec, SystemPath,
    sandbox::{Preset as PresetConfig, SandboxDefault, SystemConfig},
};
use jp_confine::{Confiner, Needs, Settings, Surroundings};
use jp_sandbox::{machine::Feature, plan::Profile, presets::Preset};

use crate::{
    ctx,
    error::{Error, Result},
};

/// For tests: features of the kernel to do without, separated by commas.
const HIDE: &str = "JP_SANDBOX_HIDE";

/// Confines programs by this configuration.
pub(crate) fn confiner(config: &Config) -> Result<Confiner> {
    let sandbox = &config.app.sandbox;
    let settings = Settings {
        profile: profile(sandbox.default),
        allow_degraded: sandbox.allow_degraded,
        needs: Needs {
            presets: presets(&sandbox.presets),
            read: paths(&sandbox.read),
            write: paths(&sandbox.write),
        },
        sensitive: config.sensitive_paths().clone(),
    };
    Ok(Confiner::new(surroundings()?, settings))
}

/// What the files of the workspace loosen. They can come from anywhere, so whoever runs something
/// there is told.
pub(crate) fn loosened(config: &Config) -> Vec<String> {
    let sandbox = &config.app.sandbox;
    let keys = [
        ("sandbox.default", sandbox.default == SandboxDefault::Off),
        ("sandbox.allow_degraded", sandbox.allow_degraded),
        ("sandbox.read", !sandbox.read.0.is_empty()),
        ("sandbox.write", !sandbox.write.0.is_empty()),
    ];
    let by_workspace = |key: &str| {
        let layer = config.layer(key);
        matches!(layer, Some(LayerKind::Workspace | LayerKind::Directory))
    };
    keys.into_iter()
        .filter(|(key, is_loose)| *is_loose && by_workspace(key))
        .map(|(key, _)| {
            let place = config.place(key).unwrap_or_default();
            format!("`{key}` of this workspace loosens the sandbox ({place})")
        })
        .collect()
}

fn surroundings() -> Result<Surroundings> {
    let home = ctx::home().and_then(|home| home.canonicalize_utf8().ok());
    let user = rustix::process::geteuid().as_raw();
    // A home that does not exist is not made for the sake of a cache.
    let is_there = |cache: &Utf8PathBuf| home.is_some() || cache.exists();
    let cache = ctx::cache_home().filter(is_there).map(|cache| cache.join("jp/changes"));
    // Where the cache is on another file system than the workspace, or inside it.
    let elsewhere = Utf8PathBuf::from(format!("/var/tmp/jp-{user}"));
    Ok(Surroundings {
        helper: ctx::program()?,
        variables: ctx::variables(),
        home,
        stores: cache.into_iter().collect(),
        shared_store: Some(elsewhere),
        memory: ctx::cache_home().map(|cache| cache.join("jp/machine.json")),
        hide: hidden_features()?,
    })
}

fn hidden_features() -> Result<Vec<Feature>> {
    let names = ctx::variable(HIDE);
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let known = Feature::ALL.into_iter().find(|feature| feature.name() == name);
            known.ok_or_else(|| {
                let all = Feature::ALL.map(Feature::name).join(", ");
                Error::usage(format!("{HIDE}: there is no feature `{name}`"))
                    .hint(format!("there are {all}"))
            })
        })
        .collect()
}

/// What one tool needs beside what all get.
pub(crate) fn needs(system: &SystemConfig) -> Needs {
    Needs {
        presets: presets(&system.presets),
        read: paths(&system.read),
        write: paths(&system.write),
    }
}

fn profile(default: SandboxDefault) -> Profile {
    match default {
        SandboxDefault::Workspace => Profile::Workspace,
        SandboxDefault::Strict => Profile::Strict,
        SandboxDefault::Off => Profile::Off,
    }
}

fn presets(list: &MergeableVec<PresetConfig>) -> Vec<Preset> {
    let preset = |preset: &PresetConfig| match preset {
        PresetConfig::Rust => Preset::Rust,
        PresetConfig::Node => Preset::Node,
        PresetConfig::Python => Preset::Python,
        PresetConfig::Go => Preset::Go,
        PresetConfig::Java => Preset::Java,
        PresetConfig::Git => Preset::Git,
    };
    list.0.iter().map(preset).collect()
}

fn paths(list: &MergeableVec<SystemPath>) -> Vec<Utf8PathBuf> {
    list.0.iter().map(|path| Utf8PathBuf::from(&**path)).collect()
}
