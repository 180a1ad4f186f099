//! `jp plugin`: what there is, what is installed, and what may run.
//!
//! All of it works outside of a workspace, and none of it opens the store of one.

pub(crate) mod acquire;
mod bar;
mod binary;
mod check;
mod info;
mod install;
mod list;
mod new;
mod pin;
mod registry;
mod remove;
mod run_policy;
mod search;
mod settings;
mod update;
pub(crate) mod world;

use jp_printer::Print;

use crate::{
    args::{Plugin, PluginRegistry},
    ctx::Ctx,
    error::Result,
};

pub(crate) fn run(ctx: &Ctx, args: Plugin) -> Result {
    match args {
        Plugin::List(args) => list::run(ctx, &args),
        Plugin::Search(args) => search::run(ctx, &args),
        Plugin::Info(args) => info::run(ctx, &args),
        Plugin::Install(args) => install::run(ctx, &args),
        Plugin::Update(args) => update::run(ctx, &args),
        Plugin::Remove(args) => remove::run(ctx, &args),
        Plugin::Pin(args) => pin::run(ctx, &args),
        Plugin::RunPolicy(args) => run_policy::run(ctx, &args),
        Plugin::New(args) => new::run(ctx, &args),
        Plugin::Check(args) => check::run(ctx, &args),
        Plugin::Registry(PluginRegistry::Check(args)) => registry::check(ctx, &args),
    }
}

fn say(ctx: &Ctx, text: &str) -> Result {
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}
