//! Walking through arguments beside their definition: defaults are filled in, strings become the
//! values they stand for.
//!
//! Of alternatives the one that fits is followed, and only if exactly one does: each is tried on a copy
//! of the value, which is what makes a default of an alternative possible at all. The work is bounded
//! by the size of the definition times the size of the value.

use indexmap::IndexMap;
use jp_tool::Parameter;
use serde_json::{Map, Value};

use super::coerce::coerce;
use super::{Parts, path};

/// Defaults would make the arguments larger than anybody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuch;

/// How much memory defaults may take, about. A small call against a hostile definition could otherwise
/// fill all of it.
const MAX_FILLED: usize = 64 * 1024 * 1024;

/// What fills in arguments.
pub(super) struct Filler<'a> {
    parts: &'a Parts,
    /// How much may still be filled in.
    left: usize,
}

impl<'a> Filler<'a> {
    pub(super) fn new(parts: &'a Parts) -> Self {
        Self { parts, left: MAX_FILLED }
    }

    /// Fills in the value of the whole definition.
    pub(super) fn fill(&mut self, root: &Parameter, value: &mut Value) -> Result<(), TooMuch> {
        self.value(root, value, "")
    }

    /// Goes no deeper than the definition.
    fn value(
        &mut self,
        parameter: &Parameter,
        value: &mut Value,
        place: &str,
    ) -> Result<(), TooMuch> {
        coerce(parameter, value);
        match value {
            Value::Object(object) => {
                if let Some(properties) = &parameter.properties {
                    self.object(properties, object, place)?;
                }
            }
            Value::Array(elements) => {
                if let Some(items) = &parameter.items {
                    let place = path::items(place);
                    elements
                        .iter_mut()
                        .try_for_each(|element| self.value(items, element, &place))?;
                }
            }
            _ => {}
        }
        match &parameter.one_of {
            Some(alternatives) => self.choose(alternatives, value, place),
            None => Ok(()),
        }
    }

    fn object(
        &mut self,
        properties: &IndexMap<String, Parameter>,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<(), TooMuch> {
        for (name, property) in properties {
            let place = path::property(place, name);
            if let Some(default) = &property.default
                && !object.contains_key(name)
                && !self.parts.unfit.contains(&place)
            {
                self.left = self.left.checked_sub(size(default)).ok_or(TooMuch)?;
                object.insert(name.clone(), default.clone());
            }
            if let Some(value) = object.get_mut(name) {
                self.value(property, value, &place)?;
            }
        }
        Ok(())
    }

    fn choose(
        &mut self,
        alternatives: &[Parameter],
        value: &mut Value,
        place: &str,
    ) -> Result<(), TooMuch> {
        let compiled = self.parts.alternatives.get(place).map(Vec::as_slice).unwrap_or_default();
        let mut chosen = None;
        for (index, (alternative, schema)) in alternatives.iter().zip(compiled).enumerate() {
            let mut candidate = value.clone();
            self.value(alternative, &mut candidate, &path::alternative(place, index))?;
            if schema.is_valid(&candidate) && chosen.replace(candidate).is_some() {
                // Two fit. The check will say so, about the value as it was given.
                return Ok(());
            }
        }
        if let Some(chosen) = chosen {
            *value = chosen;
        }
        Ok(())
    }
}

/// How much memory a default takes, about. Defaults were parsed from JSON, whose parser limits how deep
/// they are nested.
fn size(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(object) => {
            object.iter().map(|(name, value)| 64 + name.len() + size(value)).sum()
        }
        Value::String(text) => text.len(),
        _ => 0,
    };
    size_of::<Value>() + inside
}
