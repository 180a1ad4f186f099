//! The files of the project, wherever the configuration says they are. Which variables a store may be
//! given is decided in `variables.rs`.

use std::{collections::BTreeMap, sync::Arc};

use camino::Utf8Path;
use jp_config::{Config, project::ProjectBackend};
use jp_project::{FsProjectFiles, MemoryProjectFiles, ProjectFiles, Rules, SqliteProjectFiles};
use jp_tool::access::path::Root;

use super::variables::{self, NotFilled};
use crate::error::{Error, Result};

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
            let failed = |error| Error::failure(format!("`project.path`: {error}"));
            Arc::new(SqliteProjectFiles::open(&path).map_err(failed)?)
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
    variables::fill(config, &key, value).map_err(|NotFilled { reason, hint }| {
        hint.into_iter().fold(Error::usage(format!("`{key}`: {reason}")), Error::hint)
    })
}
