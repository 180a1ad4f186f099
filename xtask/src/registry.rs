//! `cargo xtask registry`: the plugins of this repository as a registry on this machine.
//!
//! `crates/plugins/registry.toml` says what there is and is written by hand; what a build knows better is
//! added here: where the programs are, their checksums, sizes and versions. A program is asked to describe
//! itself, and if it says something else than the file, there is no registry: whoever reads it decides by
//! these words what to install.

mod describe;
mod trial;

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::{Describe, PluginId};
use jp_plugin_registry::{Sha256, target_triples};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toml::Table;
use url::Url;

use self::describe::describe;
pub(crate) use self::trial::try_out;
use crate::{
    cmd::Cmd,
    failure::{Failure, Result},
    root,
};

/// What is written by hand.
const LIST: &str = "crates/plugins/registry.toml";

/// How the registry is made.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Wanted {
    /// Build the programs as they are published
    #[arg(long)]
    release: bool,
    /// Take the programs that were built together with this one
    #[arg(long, conflicts_with = "release")]
    no_build: bool,
    /// Where to write it [default: target/registry]
    #[arg(long, value_name = "DIR")]
    out: Option<Utf8PathBuf>,
}

/// What the list says of a plugin, and the registry repeats.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: PluginId,
    #[serde(default)]
    kind: Kind,
    description: String,
    #[serde(default)]
    official: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requires: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suggests: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Command,
    CommandGroup,
}

/// Makes the registry.
pub(crate) fn run(wanted: &Wanted) -> Result {
    let programs = programs(wanted)?;
    let list = list(root())?;
    if !wanted.no_build {
        build(&list, wanted.release)?;
    }
    let out = out(wanted, &programs);
    fs::create_dir_all(&out).map_err(Failure::because(format!("cannot make {out}")))?;
    let mut plugins = Map::new();
    for (command, entry) in &list {
        plugins.insert(command.clone(), complete(command, entry, &programs, &out)?);
    }
    let count = plugins.len();
    let registry = json!({ "version": 1, "plugins": plugins });
    let path = out.join("registry.json");
    fs::write(&path, format!("{registry:#}\n"))
        .map_err(Failure::because(format!("cannot write {path}")))?;
    let jp = programs.join("jp");
    Cmd::new(jp.as_str(), &["plugin", "registry", "check", "--local", path.as_str()]).run()?;
    println!("{path} has {count} entries. To use it, put this into ~/.config/jp/config.toml,");
    println!("above the first `[table]`:");
    println!("  plugins.registry = \"{}\"", address(&path)?);
    println!("and run `jp plugin update`.");
    Ok(())
}

/// The directory in which the programs are, or will be: beside this one, or in that of another profile.
fn programs(wanted: &Wanted) -> Result<Utf8PathBuf> {
    let own = std::env::current_exe().map_err(Failure::because("where this program is"))?;
    let own = Utf8PathBuf::try_from(own).map_err(Failure::because("where this program is"))?;
    let beside = own.parent().unwrap_or(&own).to_owned();
    if wanted.no_build {
        return Ok(beside);
    }
    Ok(beside.with_file_name(if wanted.release { "release" } else { "debug" }))
}

/// The directory in which the registry is.
fn out(wanted: &Wanted, programs: &Utf8Path) -> Utf8PathBuf {
    let default = || programs.parent().unwrap_or(programs).join("registry");
    wanted.out.clone().unwrap_or_else(default)
}

/// Builds the programs of all plugins, and the one that checks the registry. With `--workspace` they are
/// made of the same parts as the tests, which are not built a second time.
fn build(list: &[(String, Entry)], release: bool) -> Result {
    let commands = list.iter().filter(|(_, entry)| entry.kind == Kind::Command);
    let programs = commands.map(|(_, entry)| format!("jp-{}", entry.id));
    let mut args = vec!["build".to_owned(), "--workspace".to_owned()];
    args.extend(release.then(|| "--release".to_owned()));
    args.extend(programs.chain(["jp".to_owned()]).flat_map(|it| ["--bin".to_owned(), it]));
    Cmd::cargo(&[]).args(&args).run()
}

/// The list, in its order.
fn list(root: &Utf8Path) -> Result<Vec<(String, Entry)>> {
    let path = root.join(LIST);
    let text =
        fs::read_to_string(&path).map_err(Failure::because(format!("cannot read {path}")))?;
    parse(&text).map_err(Failure::because(LIST))
}

fn parse(text: &str) -> Result<Vec<(String, Entry)>> {
    let table: Table = text.parse().map_err(Failure::because("it is no TOML"))?;
    let entry = |(command, value): (String, toml::Value)| {
        let entry = value.try_into().map_err(Failure::because(format!("`{command}`")))?;
        Ok((command, entry))
    };
    table.into_iter().map(entry).collect()
}

/// An entry with what the build knows of it.
fn complete(command: &str, entry: &Entry, programs: &Utf8Path, out: &Utf8Path) -> Result<Value> {
    let mut value = serde_json::to_value(entry).map_err(Failure::because(command))?;
    if entry.kind == Kind::CommandGroup {
        return Ok(value);
    }
    let name = format!("jp-{}", entry.id);
    let program = programs.join(&name);
    if !program.is_file() {
        let hint = "is its package under crates/plugins/command?";
        return Err(Failure::new(format!("`{command}`: {program} was not built; {hint}")));
    }
    let said = describe(&program)?;
    compare(command, entry, &said)?;
    let copy = publish(&program, &out.join(&name))?;
    let bytes = fs::read(&copy).map_err(Failure::because(format!("cannot read {copy}")))?;
    let sum = Sha256::of(bytes.as_slice()).map_err(Failure::because(&copy))?;
    let target = target_triples().into_iter().next().unwrap_or_default();
    let binary = json!({
        "url": address(&copy)?, "sha256": sum.to_string(), "size": bytes.len(),
    });
    value["version"] = said.version.into();
    value["binaries"] = json!({ target: binary });
    Ok(value)
}

/// The program says of itself what the list says of it.
fn compare(command: &str, entry: &Entry, said: &Describe) -> Result {
    let words = said.command.as_ref().map(ToString::to_string).unwrap_or_default();
    for (what, listed, said) in [
        ("name", entry.id.to_string().as_str(), said.name.as_str()),
        ("command", command, &words),
        ("description", &entry.description, &said.description),
    ] {
        if listed != said {
            return Err(Failure::new(format!(
                "`{command}`: the {what} is `{listed}` in {LIST}, and the program says `{said}`"
            )));
        }
    }
    Ok(())
}

/// Puts a copy of a program into place, whole or not at all: somebody may be installing the old one.
fn publish(program: &Utf8Path, place: &Utf8Path) -> Result<Utf8PathBuf> {
    let unfinished = Utf8PathBuf::from(format!("{place}.unfinished"));
    let copied = fs::copy(program, &unfinished).and_then(|_| fs::rename(&unfinished, place));
    copied.map_err(Failure::because(format!("cannot copy {program} to {place}")))?;
    Ok(place.to_owned())
}

/// The address of a file.
fn address(path: &Utf8Path) -> Result<String> {
    let absolute = path.canonicalize_utf8().map_err(Failure::because(path))?;
    let url = Url::from_file_path(&absolute);
    url.map(Into::into).map_err(|()| Failure::new(format!("{absolute} has no address")))
}

#[cfg(test)]
mod tests;
