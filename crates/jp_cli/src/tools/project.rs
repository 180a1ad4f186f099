//! The files of the project, wherever the configuration says they are.
//!
//! The danger is a workspace that somebody else wrote: its configuration could name a store of his and
//! one of the user's variables as the key to it, and the key would be sent there. So a file of the
//! workspace can only name variables that begin with `JP_`, which nobody sets for another purpose.

use std::{collections::BTreeMap, sync::Arc};

use camino::Utf8Path;
use jp_config::{Config, LayerKind, project::ProjectBackend};
use jp_project::{FsProjectFiles, MemoryProjectFiles, ProjectFiles, Rules, SqliteProjectFiles};
use jp_secret::{Lookup, Secret, Template};
use jp_tool::access::path::Root;

use crate::{
    ctx,
    error::{Error, Result},
};

/// How variables begin that a workspace may use.
const OURS: &str = "JP_";

/// The files of the project.
pub(super) fn open(config: &Config, root: &Utf8Path) -> Result<Arc<dyn ProjectFiles>> {
    let project = &config.app.project;
    Ok(match project.backend {
        ProjectBackend::Fs => {
            let failed = |error| Error::failure(format!("{root}: {error}"));
            Arc::new(FsProjectFiles::new(Root::open(root).map_err(failed)?, Rules::default()))
        }
        ProjectBackend::Memory => Arc::new(MemoryProjectFiles::new()),
        ProjectBackend::Sqlite => {
            let path = root.join(project.path.as_deref().unwrap_or_default());
            Arc::new(SqliteProjectFiles::open(&path).map_err(Error::failure)?)
        }
        ProjectBackend::Opendal => {
            let scheme = project.scheme.as_deref().unwrap_or_default();
            let mut options = options(config)?;
            let root = options.remove("root").unwrap_or_default();
            jp_opendal::open(scheme, &options, &root).map_err(|error| {
                Error::usage(format!("`[project]`: {error}")).hint("docs/backends.md has examples")
            })?
        }
    })
}

/// The options of a store, with variables filled in.
fn options(config: &Config) -> Result<BTreeMap<String, String>> {
    let options = &config.app.project.options;
    options.iter().map(|(name, value)| Ok((name.to_owned(), fill(config, name, value)?))).collect()
}

fn fill(config: &Config, name: &str, value: &str) -> Result<String> {
    let key = format!("project.options.{name}");
    let is_foreign =
        matches!(config.layer(&key), Some(LayerKind::Workspace | LayerKind::Directory));
    let wrong = |reason: String| Error::usage(format!("`{key}`: {reason}"));
    let template = Template::parse(value).map_err(|error| wrong(error.to_string()))?;
    let lookup = |variable: &str| match ctx::variable(variable) {
        _ if is_foreign && !variable.starts_with(OURS) => Lookup::Disallowed,
        found if found.is_empty() => Lookup::Unknown,
        found => Lookup::Value(Secret::new(found)),
    };
    let filled = template.fill(lookup).map_err(|error| {
        let error = wrong(error.to_string());
        if is_foreign {
            error.hint("a file of the workspace can only name variables that begin with `JP_`")
        } else {
            error
        }
    })?;
    String::from_utf8(filled.reveal().to_vec()).map_err(|_| wrong("the value is not text".into()))
}
