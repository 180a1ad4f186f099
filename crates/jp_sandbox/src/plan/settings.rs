//! The settings of jp in a workspace say what tools may do. No tool changes them, whatever else of the
//! workspace it may write, unless a rule names them: otherwise a tool could grant itself everything
//! for the next call.

use super::{Facts, Kind, Request, workspace};
use crate::{
    confinement::Tier,
    view::{View, What, Write},
};

/// Where settings are, below the root.
const SETTINGS: [&str; 2] = [".jp", ".jp.toml"];

/// Makes what is there read-only. Landlock cannot take away what it has granted around it.
pub(super) fn keep(view: &mut View, request: &Request<'_>, facts: &dyn Facts) {
    for name in SETTINGS.iter().filter(|_| request.tier == Tier::Namespaces) {
        let path = request.root.join(name);
        let is_named = |rule: &jp_tool::access::FsRule| {
            workspace::below_root(rule.path()).is_some_and(|below| below.starts_with(name))
        };
        let is_there = matches!(facts.kind(&path), Kind::Directory | Kind::File);
        let What::Host { write, execute } = view.at(&path) else { continue };
        if is_there && write != Write::No && !request.fs_rules().iter().any(is_named) {
            view.set(path, What::Host { write: Write::No, execute });
        }
    }
}
