//! What the configuration says about confining programs, in the terms of the crate that does it.

pub(crate) mod allow;
pub(crate) mod granted;
pub(crate) mod sensitive;

use camino::Utf8PathBuf;
use jp_config::{
    Config, LayerKind, MergeableVec, SystemPath,
    sandbox::{Preset as PresetConfig, SandboxDefault, SandboxSettings, SystemConfig},
};
use jp_confine::{Confiner, Needs, Prepared, Settings, Surroundings};
use jp_process::find_program;
use jp_sandbox::{confinement::Tier, machine::Feature, plan::Profile, presets::Preset};

use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// For tests: features of the kernel to do without, separated by commas.
const HIDE: &str = "JP_SANDBOX_HIDE";

/// Confines programs by this configuration.
pub(crate) fn confiner(config: &Config) -> Result<Confiner> {
    confiner_of(&config.app.sandbox, config)
}

/// Confines plugins. They belong to the user, and so does what they may use: a workspace can come from
/// anywhere, and adds nothing to that.
pub(crate) fn plugin_confiner(own: &Config, here: &Config) -> Result<Confiner> {
    confiner_of(&plugin_sandbox(own, here), here)
}

/// The sandbox of plugins: what the user says, and what is in force here where it is stricter.
pub(crate) fn plugin_sandbox(own: &Config, here: &Config) -> SandboxSettings {
    let (own, here) = (&own.app.sandbox, &here.app.sandbox);
    SandboxSettings {
        default: strictest(own.default, here.default),
        allow_degraded: own.allow_degraded && here.allow_degraded,
        ..own.clone()
    }
}

/// Confines a program that nobody trusts yet: whatever the configuration says, in the profile for tools
/// without rules, with a place of ours for what it changes, and with caches as they are. What it may read
/// beside is for the user to say: the workspace in which it is tried can come from the same hands.
pub(crate) fn strict_confiner(ctx: &Ctx, store: Utf8PathBuf) -> Result<Confiner> {
    let own = ctx.own_config()?;
    let sandbox = &own.app.sandbox;
    let settings = Settings {
        profile: Profile::Workspace,
        allow_degraded: false,
        needs: Needs {
            presets: presets(&sandbox.presets),
            read: paths(&sandbox.read),
            write: Vec::new(),
        },
        sensitive: ctx.config().sensitive_paths().clone(),
    };
    let mut surroundings = surroundings()?;
    surroundings.stores.insert(0, store);
    Ok(Confiner::new(surroundings, settings).keeping_caches())
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

fn strictest(one: SandboxDefault, other: SandboxDefault) -> SandboxDefault {
    use SandboxDefault::{Off, Strict, Workspace};
    match (one, other) {
        (Strict, _) | (_, Strict) => Strict,
        (Workspace, _) | (_, Workspace) => Workspace,
        (Off, Off) => Off,
    }
}

/// Confines by these settings. What is sensitive is so for everybody, whoever says it.
fn confiner_of(sandbox: &SandboxSettings, here: &Config) -> Result<Confiner> {
    let settings = Settings {
        profile: profile(sandbox.default),
        allow_degraded: sandbox.allow_degraded,
        needs: Needs {
            presets: presets(&sandbox.presets),
            read: paths(&sandbox.read),
            write: paths(&sandbox.write),
        },
        sensitive: here.sensitive_paths().clone(),
    };
    Ok(Confiner::new(surroundings()?, settings))
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

/// Who asked to see changes first must not get a run that makes them, or one in which they fail.
pub(crate) async fn can_keep_apart(confiner: &Confiner, prepared: &Prepared) -> Result {
    let machine = confiner.machine().await.map_err(Error::failure)?;
    if prepared.plan.tier == Tier::Namespaces && machine.has(Feature::Overlay) {
        return Ok(());
    }
    let error = Error::new(
        Exit::Refused,
        "changes cannot be kept apart, so they cannot be shown before they are made",
    );
    Err(error.hint(if prepared.plan.off {
        "the sandbox is turned off: `[sandbox] default = \"off\"`"
    } else {
        "`jp sandbox doctor` shows what is missing"
    }))
}

/// The program that a name on the command line means, as it is executed and where it really is.
pub(crate) fn program(ctx: &Ctx, name: &std::ffi::OsStr) -> Result<(Utf8PathBuf, Utf8PathBuf)> {
    if name.is_empty() {
        return Err(Error::usage("the name of the program is empty"));
    }
    let search = ctx::variable("PATH");
    let found = find_program(name, search.as_ref(), ctx.cwd().as_std_path());
    let found = found.map_err(|error| {
        let error = Error::usage(error);
        // Programs are not looked for in the current directory.
        match name.to_str().filter(|name| !name.contains('/') && ctx.cwd().join(name).is_file()) {
            Some(name) => error.hint(format!("the file in this directory is ./{name}")),
            None => error,
        }
    })?;
    let path = Utf8PathBuf::try_from(found)
        .map_err(|error| Error::usage(format!("the path of the program is not UTF-8: {error}")))?;
    let canonical =
        path.canonicalize_utf8().map_err(|error| Error::usage(format!("{path}: {error}")))?;
    Ok((path, canonical))
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
