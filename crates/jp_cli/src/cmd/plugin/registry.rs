//! `jp plugin registry`: for those who write one.

use jp_plugin_registry::{MAX_REGISTRY, Readers, check as findings};
use jp_printer::Print;
use serde_json::json;

use super::say;
use crate::{
    args::PluginRegistryCheck,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
    format::count,
    plugins::BuiltIns,
};

pub(super) fn check(ctx: &Ctx, args: &PluginRegistryCheck) -> Result {
    let file = &args.file;
    let text = ctx::read_file(&ctx.cwd().join(file), file.as_str(), MAX_REGISTRY)?;
    let readers = if args.local { Readers::ThisMachine } else { Readers::Everybody };
    let built_ins = BuiltIns::new();
    let found = findings(&text, readers, &|command| built_ins.covering(command).is_some())
        .map_err(|error| Error::failure(format!("{file}: {error}")))?;
    for finding in &found {
        if ctx.is_json() {
            ctx.print_json(&json!({ "key": finding.key, "problem": finding.problem }))?;
        } else {
            let line = format!("{:?}: {}\n", finding.key, finding.problem);
            ctx.printer().print(Print::content(&line).untrusted())?;
        }
    }
    if found.is_empty() {
        return if ctx.is_json() { Ok(()) } else { say(ctx, &format!("{file} is fine.\n")) };
    }
    let number = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let problems = count(number, "problem");
    if !ctx.is_json() {
        say(ctx, &format!("{file} has {problems}.\n"))?;
    }
    Err(Error::said(Exit::Failure))
}
