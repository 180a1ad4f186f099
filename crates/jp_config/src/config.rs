//! A loaded configuration: its values as types, and where each of them came from.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jp_tool::access::SensitivePaths;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{self, DeserializeOwned};
use serde_json::Value;

use crate::app::AppConfig;
use crate::assign;
use crate::check::Checker;
use crate::dotted;
use crate::error::{ConfigErrors, Finding, Findings, Report, Severity};
use crate::finish::{self, Merged};
use crate::layer::{Layer, LayerKind};
use crate::merge::merge;
use crate::node::{Node, Origin};
use crate::parse;
use crate::plugins;
use crate::project;
use crate::providers;
use crate::required;
use crate::sandbox;
use crate::schema;
use crate::shape::Model;
use crate::source::{Source, Sources};
use crate::vfs;

/// A configuration made of layers.
#[derive(Debug, Clone)]
pub struct Config {
    /// The values.
    pub app: AppConfig,
    /// What the layers say, over the built-in defaults of tables that are always there.
    pub(crate) root: Node,
    tree: OnceLock<Node>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) noted: Noted,
    warnings: Report,
}

/// What a load finds out beside the values.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    /// The tools that are written `[tools.<name>]`.
    pub(crate) aliased: BTreeSet<String>,
    /// `sandbox.sensitive_paths` and the built-in ones.
    pub(crate) sensitive: SensitivePaths,
}

impl Config {
    /// Merges `layers` in the order given, later ones winning, over the built-in defaults.
    ///
    /// Everything that is wrong is reported at once, and there is no configuration then.
    pub fn load(layers: Vec<Layer>) -> Result<Self, ConfigErrors> {
        let sources = Arc::new(Sources::new(layers));
        // Without layers there is nothing to check.
        if sources.given().next().is_none() {
            return Self::new(sources, |_| Ok(defaults::<AppConfig>()));
        }
        Self::new(Arc::clone(&sources), |finish| resolve(schema::model(), &sources, finish))
    }

    /// The configuration that `resolve` gives when it hands what is merged to the function it gets.
    pub(crate) fn new(
        sources: Arc<Sources>,
        resolve: impl FnOnce(&mut Finish<'_>) -> Resolved<AppConfig>,
    ) -> Result<Self, ConfigErrors> {
        let mut warnings = Findings::default();
        let mut noted = Noted { aliased: BTreeSet::new(), sensitive: SensitivePaths::builtin() };
        let loaded = resolve(&mut |merged, errors| {
            finish::tools(merged, errors, &mut warnings);
            project::finish::check(&merged.root, errors, &mut warnings);
            providers::finish::check(merged, &sources, errors, &mut warnings);
            plugins::finish::check(&merged.root, &sources, errors);
            vfs::check(&merged.root, &mut warnings);
            noted.sensitive = sandbox::finish::settings(&merged.root, errors, &mut warnings);
            noted.aliased = std::mem::take(&mut merged.aliased);
        });
        match loaded {
            Ok((app, root)) => {
                let warnings = Report::new(Severity::Warning, warnings, Arc::clone(&sources));
                Ok(Self { app, root, tree: OnceLock::new(), sources, noted, warnings })
            }
            Err(errors) => Err(ConfigErrors(Report::new(Severity::Error, errors, sources))),
        }
    }

    /// The values, each with its place: exactly what `app` has. It is made when somebody asks for it.
    pub(crate) fn tree(&self) -> &Node {
        self.tree.get_or_init(|| explained(&self.app, &self.root))
    }

    /// The paths that hold secrets: the built-in ones and those of `sandbox.sensitive_paths`.
    pub fn sensitive_paths(&self) -> &SensitivePaths {
        &self.noted.sensitive
    }

    /// The dotted key under which a tool is written: `tools.<name>` if that is the name that was
    /// used, because the same tool under both names is an error.
    pub fn tool_key(&self, name: &str) -> String {
        if self.noted.aliased.contains(name) {
            dotted::join(&["tools", name])
        } else {
            dotted::join(&["conversation", "tools", name])
        }
    }

    /// The dotted key of an MCP server, or of something below it: `providers.mcp.<name>.headers.X`.
    pub fn server_key(&self, name: &str, below: &[&str]) -> String {
        dotted::join(&[&["providers", "mcp", name], below].concat())
    }

    /// The dotted key of a plugin, or of something below it: `plugins.command.<id>.run`.
    pub fn plugin_key(&self, id: &str, below: &[&str]) -> String {
        dotted::join(&[&["plugins", "command", id], below].concat())
    }

    /// What is odd about the configuration without being wrong.
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }
}

/// What the machinery needs of a type that describes a configuration.
pub(crate) trait Settings: Serialize + DeserializeOwned + Default + JsonSchema {}

impl<T: Serialize + DeserializeOwned + Default + JsonSchema> Settings for T {}

/// The values of `T` and the tree they were made from.
pub(crate) type Resolved<T> = Result<(T, Node), Findings>;

/// Changes and checks what is merged.
pub(crate) type Finish<'a> = dyn FnMut(&mut Merged, &mut Findings) + 'a;

/// Reads, checks and merges the layers. `finish` may change and check what is merged.
pub(crate) fn resolve<T: Settings>(
    model: &Model,
    sources: &Sources,
    finish: &mut Finish<'_>,
) -> Resolved<T> {
    let mut errors = Findings::default();
    let merged = merged::<T>(model, sources, &mut errors);
    finished(model, merged, errors, finish)
}

/// The values of what is merged, unless something is wrong.
pub(crate) fn finished<T: Settings>(
    model: &Model,
    mut merged: Merged,
    mut errors: Findings,
    finish: &mut Finish<'_>,
) -> Resolved<T> {
    finish(&mut merged, &mut errors);
    required::check(model, &merged, &mut errors);
    if errors.is_empty() {
        return typed(merged.root);
    }
    errors.sort();
    Err(errors)
}

/// All layers in one tree.
fn merged<T: Settings>(model: &Model, sources: &Sources, errors: &mut Findings) -> Merged {
    let (_, root) = defaults::<T>();
    let mut merged = Merged::new(root);
    for (layer, source) in sources.given() {
        lay_over(&mut merged, model, layer, source, errors);
    }
    merged
}

/// Reads and checks one layer and lays it over what is there.
pub(crate) fn lay_over(
    merged: &mut Merged,
    model: &Model,
    layer: u32,
    source: &Source,
    errors: &mut Findings,
) {
    let node = match source.kind {
        LayerKind::Assignment => assign::assignment(source, layer, model, errors),
        _ => parse::file(source, layer, errors),
    };
    let Some(mut node) = node else {
        merged.incomplete = true;
        return;
    };
    let mut checker = Checker::new(model, errors);
    checker.layer(&mut node);
    merged.damaged.extend(checker.damaged);
    let below = std::mem::replace(&mut merged.root, Node::empty_table(Origin::DEFAULT));
    merged.root = merge(model, below, node, &model.root);
}

/// The built-in defaults.
fn defaults<T: Settings>() -> (T, Node) {
    let values = T::default();
    let root = explained(&values, &Node::empty_table(Origin::DEFAULT));
    (values, root)
}

/// The merged tree as values.
fn typed<T: Settings>(root: Node) -> Resolved<T> {
    match T::deserialize(&root) {
        Ok(values) => Ok((values, root)),
        Err(error) => Err(refused(&root, &error)),
    }
}

/// The tree that explains values. The types fill in what no layer said, so the tree is made from them again,
/// with the places that are known.
fn explained<T: Settings>(values: &T, root: &Node) -> Node {
    Node::annotate(json(values), Some(root)).unwrap_or_else(|| Node::empty_table(Origin::DEFAULT))
}

/// The values without their places.
pub(crate) fn json(values: &impl Settings) -> Value {
    serde_json::to_value(values).expect("settings are made of what JSON can say")
}

/// The check lets nothing through that the types refuse; a test with any configuration the schema admits
/// holds them together. Should they differ, this is still an error.
fn refused(root: &Node, error: &de::value::Error) -> Findings {
    let mut errors = Findings::default();
    let message = dotted::printable(&error.to_string());
    errors.push(Finding::new(root.origin, String::new(), message));
    errors
}
