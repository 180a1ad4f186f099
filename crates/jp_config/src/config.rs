//! A loaded configuration: its values as types, and where each of them came from.

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

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
use crate::required;
use crate::schema;
use crate::shape::Model;
use crate::source::Sources;

/// A configuration made of layers.
#[derive(Debug, Clone)]
pub struct Config {
    /// The values.
    pub app: AppConfig,
    /// The same values, each with its place. It has exactly what `app` has.
    pub(crate) tree: Node,
    pub(crate) sources: Arc<Sources>,
    warnings: Report,
}

impl Config {
    /// Merges `layers` in the order given, later ones winning, over the built-in defaults.
    ///
    /// Everything that is wrong is reported at once, and there is no configuration then.
    pub fn load(layers: Vec<Layer>) -> Result<Self, ConfigErrors> {
        let sources = Arc::new(Sources::new(layers));
        let mut warnings = Findings::default();
        // Reading the schema takes longer than everything else; without layers nothing needs it.
        let loaded = if sources.given().next().is_none() {
            defaults::<AppConfig>()
        } else {
            let finish = |merged: &mut Merged, errors: &mut Findings| {
                finish::tools(merged, errors, &mut warnings);
            };
            resolve(schema::model(), &sources, finish)
        };
        match loaded {
            Ok((app, tree)) => {
                let warnings = Report::new(Severity::Warning, warnings, Arc::clone(&sources));
                Ok(Self { app, tree, sources, warnings })
            }
            Err(errors) => Err(ConfigErrors(Report::new(Severity::Error, errors, sources))),
        }
    }

    /// What is odd about the configuration without being wrong.
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }
}

/// What the machinery needs of a type that describes a configuration.
pub(crate) trait Settings: Serialize + DeserializeOwned + Default + JsonSchema {}

impl<T: Serialize + DeserializeOwned + Default + JsonSchema> Settings for T {}

/// The values of `T` and the tree that explains them.
type Resolved<T> = Result<(T, Node), Findings>;

/// Reads, checks and merges the layers. `finish` may change and check what is merged.
pub(crate) fn resolve<T: Settings>(
    model: &Model,
    sources: &Sources,
    finish: impl FnOnce(&mut Merged, &mut Findings),
) -> Resolved<T> {
    let mut errors = Findings::default();
    let mut merged = merged::<T>(model, sources, &mut errors)?;
    finish(&mut merged, &mut errors);
    required::check(model, &merged, &mut errors);
    if errors.is_empty() {
        return typed(&merged.root);
    }
    errors.sort();
    Err(errors)
}

/// All layers in one tree.
fn merged<T: Settings>(
    model: &Model,
    sources: &Sources,
    errors: &mut Findings,
) -> Result<Merged, Findings> {
    let (_, root) = defaults::<T>()?;
    let mut merged = Merged { root, damaged: HashSet::new(), incomplete: false };
    for (layer, source) in sources.given() {
        let node = match source.kind {
            LayerKind::Assignment => assign::assignment(source, layer, model, errors),
            _ => parse::file(source, layer, errors),
        };
        let Some(mut node) = node else {
            merged.incomplete = true;
            continue;
        };
        let mut checker = Checker::new(model, errors);
        checker.layer(&mut node);
        merged.damaged.extend(checker.damaged);
        merged.root = merge(model, merged.root, node, &model.root);
    }
    Ok(merged)
}

/// The built-in defaults.
fn defaults<T: Settings>() -> Resolved<T> {
    typed(&Node::empty_table(Origin::DEFAULT))
}

/// The merged tree as values, and the tree of exactly these values. The types fill in what no
/// layer said, so the tree is made from them again, with the places that are known.
fn typed<T: Settings>(root: &Node) -> Resolved<T> {
    let values = serde_json::from_value::<T>(root.to_json()).and_then(|values| {
        let json = serde_json::to_value(&values)?;
        Ok((values, json))
    });
    match values {
        Ok((values, json)) => {
            let tree = Node::annotate(&json, Some(root));
            Ok((values, tree.unwrap_or_else(|| Node::empty_table(Origin::DEFAULT))))
        }
        // The check lets nothing through that the types refuse; a test with any configuration the
        // schema admits holds them together. Should they differ, this is still an error.
        Err(error) => {
            let mut errors = Findings::default();
            let message = dotted::printable(&error.to_string());
            errors.push(Finding::new(root.origin, String::new(), message));
            Err(errors)
        }
    }
}
