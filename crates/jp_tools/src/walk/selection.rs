//! Which files of a tree are wanted: by pattern, kind, extension and the beginning of their path.

use ignore::{
    overrides::{Override, OverrideBuilder},
    types::{Types, TypesBuilder},
};

/// Patterns are compiled, which takes many times their size.
const MAX_PATTERNS: usize = 1_000;
const MAX_PATTERN: usize = 4 << 10;

/// What makes a file wanted. Empty conditions are fulfilled by every file.
#[derive(Debug)]
pub(crate) struct Selection {
    globs: Override,
    types: Types,
    extensions: Vec<String>,
    prefix: String,
    max_depth: Option<usize>,
}

/// A condition that nobody can understand.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SelectionError {
    #[error("`globs`: {0}")]
    Glob(#[source] ignore::Error),
    #[error(
        "`types`: {0}; known are names such as rust, py, js, ts, c, cpp, java, go, md, toml, json"
    )]
    Type(#[source] ignore::Error),
    #[error("`{0}` has more than {MAX_PATTERNS} entries, or one longer than {MAX_PATTERN} bytes")]
    TooMany(&'static str),
}

impl Selection {
    /// Files that match these patterns (those that begin with `!` exclude), are of one of these kinds
    /// and have one of these extensions.
    pub(crate) fn new(
        globs: &[String],
        types: &[String],
        extensions: &[String],
    ) -> Result<Self, SelectionError> {
        for (name, words) in [("globs", globs), ("types", types), ("extensions", extensions)] {
            if words.len() > MAX_PATTERNS || words.iter().any(|word| word.len() > MAX_PATTERN) {
                return Err(SelectionError::TooMany(name));
            }
        }
        let mut builder = OverrideBuilder::new(".");
        for glob in globs {
            builder.add(glob).map_err(SelectionError::Glob)?;
        }
        let globs = builder.build().map_err(SelectionError::Glob)?;
        let extensions =
            extensions.iter().map(|extension| extension.trim_start_matches('.').to_owned());
        Ok(Self {
            globs,
            types: types_of(types)?,
            extensions: extensions.collect(),
            prefix: String::new(),
            max_depth: None,
        })
    }

    /// The same for paths that begin so.
    pub(crate) fn with_prefix(mut self, prefix: &str) -> Self {
        prefix.trim_start_matches("./").clone_into(&mut self.prefix);
        self
    }

    /// The same down to this many levels of directories.
    pub(crate) fn with_max_depth(mut self, levels: Option<usize>) -> Self {
        self.max_depth = levels;
        self
    }

    /// Whether a file is wanted.
    pub(super) fn wants(&self, path: &str) -> bool {
        path.starts_with(&self.prefix)
            && (self.extensions.is_empty() || self.has_extension(path))
            && !self.globs.matched(path, false).is_ignore()
            && !self.types.matched(path, false).is_ignore()
    }

    /// Whether a directory may have wanted files in it.
    pub(super) fn could_be_in(&self, path: &str) -> bool {
        let shorter = path.len().min(self.prefix.len());
        path.as_bytes()[..shorter] == self.prefix.as_bytes()[..shorter]
            && !self.globs.matched(path, true).is_ignore()
    }

    /// Whether to go into a directory that is this deep in the tree.
    pub(super) fn enters(&self, path: &str, depth: usize) -> bool {
        // A prefix that names a place inside is as good as a path.
        let leads_to_prefix = self.prefix.len() > path.len();
        leads_to_prefix || self.max_depth.is_none_or(|levels| depth + 1 < levels)
    }

    fn has_extension(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.extensions.iter().any(|extension| {
            let rest = name.strip_suffix(extension.as_str());
            rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        })
    }
}

fn types_of(names: &[String]) -> Result<Types, SelectionError> {
    if names.is_empty() {
        return Ok(Types::empty());
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for name in names {
        builder.select(name);
    }
    builder.build().map_err(SelectionError::Type)
}
