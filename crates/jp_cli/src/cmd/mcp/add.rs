//! `jp mcp add`: writes a server, what it is granted, and an entry for its tools.
//!
//! The file is changed as `jp tool allow` changes it: small edits that leave everything else as it is, and
//! before it is touched the whole configuration is loaded with the new text. Whatever that refuses, a
//! wrong name or a path that leads out of the workspace, is refused here with the same words.
//!
//! Whoever adds a server wants it started, so it counts as allowed.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{Config, Edit};
use jp_llm::tool::{Agreements, Stranger};
use jp_printer::Print;
use jp_workspace::replace_settings;
use serde_json::json;

use crate::{
    args::McpAdd,
    confine,
    ctx::{Ctx, Origins},
    error::{Error, Result},
    tools::mcp::agreements,
};

pub(super) fn run(ctx: &Ctx, args: &McpAdd) -> Result {
    let root = ctx.root()?.canonicalize_utf8();
    let root =
        root.map_err(|error| Error::failure(format!("cannot find the workspace: {error}")))?;
    let config = ctx.config();
    if config.app.providers.mcp.contains_key(&args.name) {
        let key = config.server_key(&args.name, &[]);
        let place = config.place(&key).unwrap_or_default();
        return Err(Error::usage(format!("there is a server `{}` already, in {place}", args.name)));
    }
    let grants = Grants::of(ctx, args, &root);
    let written = server(config, args, &grants)?;
    let file = ctx.origins().file_of(config, &config.server_key(&args.name, &[]));
    let file = file.ok_or_else(|| Error::usage("there is no workspace to write to"))?;
    let before = Origins::text_of(file)?;
    let mut text = before.clone();
    for change in &written {
        text = change.apply(&text)?;
    }
    let has_entry = config.app.conversation.tools.get(&args.name).is_some();
    if !has_entry {
        let key = config.tool_key(&args.name);
        let source = Change::Set(format!("{key}.source"), quoted(&format!("mcp.{}.*", args.name)));
        text = source.apply(&text)?;
    }
    let (config, _) = ctx.origins().load(Some((file, &text)))?;
    replace_settings(file, &before, &text)?;
    if let Some(stranger) = Stranger::of(&config, &args.name) {
        let agreements = Agreements::new(agreements().as_ref(), root);
        agreements.add(&args.name, &stranger).map_err(|error| {
            Error::failure(format!("it was added, but not allowed: {error}"))
                .hint(format!("`jp mcp allow {}` does that", args.name))
        })?;
    }
    report(ctx, args, file, has_entry)
}

fn report(ctx: &Ctx, args: &McpAdd, file: &Utf8Path, has_entry: bool) -> Result {
    let place = ctx.origins().shown(file);
    if ctx.is_json() {
        return ctx.print_json(&json!({ "server": args.name, "file": place, "tools": !has_entry }));
    }
    let name = &args.name;
    let mut text =
        format!("Written to {place}. `jp mcp inspect {name}` starts it and shows its tools.\n");
    if args.has_grants() {
        text += "With a grant everything else is closed to it: of the workspace, of the network, and of your variables.\n";
    }
    for warning in confine::loosened(ctx.config()) {
        let _ = writeln!(text, "warning: {warning}");
    }
    if has_entry {
        let _ = writeln!(
            text,
            "A tool is called `{name}` already, so its tools have no entry; `source = \"mcp.{name}.*\"` is one."
        );
    }
    Ok(ctx.printer().print(Print::chrome(&text).untrusted())?)
}

/// One edit, with what it is made of.
enum Change {
    Set(String, String),
    Append(String, Vec<String>),
}

impl Change {
    fn apply(&self, text: &str) -> Result<String> {
        let edit = match self {
            Self::Set(key, value) => Edit::Set { key, value },
            Self::Append(key, elements) => Edit::Append { key, elements },
        };
        edit.apply(text).map_err(Error::failure)
    }
}

/// What a server is granted, by where that is written.
#[derive(Debug, Default)]
struct Grants {
    /// Rules for the workspace.
    fs: Vec<String>,
    net: Vec<String>,
    env: Vec<String>,
    /// Places outside of it.
    read: Vec<Utf8PathBuf>,
    write: Vec<Utf8PathBuf>,
}

impl Grants {
    fn of(ctx: &Ctx, args: &McpAdd, root: &Utf8Path) -> Self {
        let mut grants = Self::default();
        for (paths, is_written) in [(&args.read, false), (&args.write, true)] {
            for path in paths {
                let path = ctx.cwd().join(path);
                // What is not there yet is taken as it is written.
                let path = path.canonicalize_utf8().unwrap_or(path);
                match path.strip_prefix(root) {
                    Ok(inside) => grants.fs.push(fs_rule(inside, is_written)),
                    Err(_) if is_written => grants.write.push(path),
                    Err(_) => grants.read.push(path),
                }
            }
        }
        grants.net = args.net.iter().map(|host| net_rule(host)).collect();
        let has_some = args.has_grants();
        if has_some && grants.fs.is_empty() {
            // A rule that grants nothing: without one the whole workspace would be open.
            grants.fs.push("{ path = \".\", read = false }".to_owned());
        }
        if has_some && grants.net.is_empty() {
            // The same for the network.
            grants.net.push("{ host = \"localhost\", allow = false }".to_owned());
        }
        if has_some {
            // And for variables. What `--env` gives it is given to it by name, whatever the rules say.
            grants.env.push("{ name = \"*\", read = false }".to_owned());
        }
        grants
    }
}

fn server(config: &Config, args: &McpAdd, grants: &Grants) -> Result<Vec<Change>> {
    let key = |below: &[&str]| config.server_key(&args.name, below);
    let mut changes = Vec::new();
    match (&args.url, args.command.as_slice()) {
        (Some(url), _) => changes.push(Change::Set(key(&["url"]), quoted(url))),
        (None, [program, arguments @ ..]) => {
            changes.push(Change::Set(key(&["command"]), quoted(program)));
            if !arguments.is_empty() {
                changes.push(Change::Set(key(&["arguments"]), list(arguments)));
            }
        }
        (None, []) => return Err(Error::usage("no program is named")),
    }
    if args.stateless {
        changes.push(Change::Set(key(&["stateful"]), "false".to_owned()));
    }
    for (table, option, given) in
        [("variables", "--env", &args.variables), ("headers", "--header", &args.headers)]
    {
        for word in given {
            let Some((name, value)) = word.split_once('=') else {
                return Err(Error::usage(format!("{option} {word}: no value"))
                    .hint(format!("write `{option} NAME=VALUE`")));
            };
            changes.push(Change::Set(key(&[table, name]), quoted(value)));
        }
    }
    for (list_name, paths) in [("read", &grants.read), ("write", &grants.write)] {
        if !paths.is_empty() {
            let paths: Vec<_> = paths.iter().map(|path| quoted(path.as_str())).collect();
            changes.push(Change::Append(key(&["system", list_name]), paths));
        }
    }
    for (kind, rules) in [("fs", &grants.fs), ("net", &grants.net), ("env", &grants.env)] {
        if !rules.is_empty() {
            changes.push(Change::Append(key(&["access", kind]), rules.clone()));
        }
    }
    Ok(changes)
}

fn fs_rule(path: &Utf8Path, is_written: bool) -> String {
    let path = if path.as_str().is_empty() { Utf8Path::new(".") } else { path };
    let write = if is_written { ", write = true" } else { "" };
    format!("{{ path = {}, read = true{write} }}", quoted(path.as_str()))
}

/// A host, or a host and a port. What is neither is refused when the configuration is loaded.
fn net_rule(text: &str) -> String {
    let is_address = !text.contains('[') && text.matches(':').count() > 1;
    let port = text.rsplit_once(':').filter(|(_, port)| !is_address && !port.contains(']'));
    match port.map(|(host, port)| (host, port.parse::<u16>())) {
        Some((host, Ok(port))) => {
            format!("{{ host = {}, port = {port}, allow = true }}", quoted(host))
        }
        _ => format!("{{ host = {}, allow = true }}", quoted(text)),
    }
}

fn list(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

/// A string in TOML, which takes every string of JSON but for the escape of DEL.
fn quoted(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}
