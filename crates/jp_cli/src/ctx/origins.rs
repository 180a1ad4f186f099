//! The files and values that make up the configuration, in the order in which they win, and how to read
//! them again: with what others have written since, or to see what a change would mean before it is made.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{CfgArgument, Config, Layer, LayerKind, Policies, layer};
use jp_workspace::layout;

use super::{Found, config_home, read_config};
use crate::{
    args::{Command, Global},
    error::{Error, Result},
};

/// Where a configuration comes from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    cwd: Utf8PathBuf,
    root: Option<Utf8PathBuf>,
    /// The files that may be there.
    candidates: Vec<layer::Candidate>,
    /// What was given by `--cfg`. It is read once, because it can be a pipe.
    given: Vec<Layer>,
}

impl Origins {
    pub(super) fn new(
        global: &Global,
        command: &Command,
        root: Option<&Utf8Path>,
        cwd: &Utf8Path,
    ) -> Result<Self> {
        if command.needs_no_config() {
            let (cwd, root) = (cwd.to_owned(), root.map(ToOwned::to_owned));
            return Ok(Self { cwd, root, ..Self::default() });
        }
        if let Some(root) = root {
            jp_workspace::check_owner(&root.join(layout::STORAGE))?;
        }
        let given = global.cfg.iter().map(|it| given(it, cwd)).collect::<Result<_>>()?;
        Ok(Self::at(config_home().as_deref(), root, cwd, given))
    }

    /// The files that belong to these places.
    pub(crate) fn at(
        user: Option<&Utf8Path>,
        root: Option<&Utf8Path>,
        cwd: &Utf8Path,
        given: Vec<Layer>,
    ) -> Self {
        let candidates = layer::candidates(user, root, cwd);
        Self { cwd: cwd.to_owned(), root: root.map(ToOwned::to_owned), candidates, given }
    }

    /// The configuration as it is now, or as it would be with another text in one of the files.
    pub(crate) fn load(&self, changed: Option<(&Utf8Path, &str)>) -> Result<(Config, Policies)> {
        let config = Config::load(self.layers(changed)?)?;
        // Rules that cannot be enforced stop everything, not only the tool they are for.
        let policies = match &self.root {
            Some(root) => config.policies(root)?,
            None => Policies::default(),
        };
        Ok((config, policies))
    }

    /// The configuration without what files of the workspace say: they can come from anywhere. Where they say
    /// nothing it is the one with them.
    pub(crate) fn load_own(&self, with_them: &Arc<Config>) -> Result<Arc<Config>> {
        if !with_them
            .says_something(|kind| matches!(kind, LayerKind::Workspace | LayerKind::Directory))
        {
            return Ok(Arc::clone(with_them));
        }
        let own = self.candidates.iter().filter(|it| it.kind <= LayerKind::User).cloned();
        let own = Self { candidates: own.collect(), ..self.clone() };
        Ok(Arc::new(Config::load(own.layers(None)?)?))
    }

    /// The root of the workspace.
    pub(crate) fn root(&self) -> Option<&Utf8Path> {
        self.root.as_deref()
    }

    /// The file of the workspace that gives the value at a key; the workspace's own settings if it comes
    /// from elsewhere.
    pub(crate) fn file_of(&self, config: &Config, key: &str) -> Option<&Utf8Path> {
        let of_workspace = |it: &&layer::Candidate| it.kind > LayerKind::User;
        let mut files = self.candidates.iter().filter(of_workspace);
        let named = config.file(key).map(|name| self.cwd.join(name));
        let found = files.clone().find(|it| Some(&it.path) == named.as_ref());
        found.or_else(|| files.next()).map(|it| it.path.as_path())
    }

    /// The user's own settings, which count everywhere.
    pub(crate) fn user_file(&self) -> Option<&Utf8Path> {
        let mut files = self.candidates.iter();
        files.find(|it| it.kind == LayerKind::User).map(|it| it.path.as_path())
    }

    /// The text of one of the files; empty if it is not there.
    pub(crate) fn text_of(file: &Utf8Path) -> Result<String> {
        Ok(read_config(file, Found::Automatically)?.unwrap_or_default())
    }

    /// A path as the user would write it here.
    pub(crate) fn shown<'a>(&self, path: &'a Utf8Path) -> &'a Utf8Path {
        path.strip_prefix(&self.cwd).unwrap_or(path)
    }

    fn layers(&self, changed: Option<(&Utf8Path, &str)>) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        for candidate in &self.candidates {
            let text = match changed {
                Some((path, text)) if path == candidate.path => Some(text.to_owned()),
                _ => read_config(&candidate.path, Found::Automatically)?,
            };
            if let Some(text) = text {
                tracing::info!(kind = ?candidate.kind, path = %candidate.path, "layer");
                let name = self.shown(&candidate.path);
                layers.push(Layer::from_candidate(candidate, name.as_str(), text));
            }
        }
        layers.extend(self.given.iter().cloned());
        Ok(layers)
    }
}

fn given(argument: &str, cwd: &Utf8Path) -> Result<Layer> {
    Ok(match CfgArgument::classify(argument) {
        CfgArgument::Assignment(text) => Layer::assignment(text),
        CfgArgument::File(path) => {
            let text = read_config(&cwd.join(path), Found::Named)?.ok_or_else(|| {
                Error::usage(format!("--cfg {path}: no such file"))
                    .hint("to set a value, write `--cfg key.path=value`")
            })?;
            Layer::file(path.as_str(), text)
        }
    })
}
