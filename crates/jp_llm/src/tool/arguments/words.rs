//! Arguments on a command line: `path=src/main.rs edits:='[…]' options.depth=3`.
//!
//! | word | means |
//! |---|---|
//! | `key=value` | text; the definition decides later what it is the text of |
//! | `key:=json` | JSON |
//! | `a.b=value` | `b` in the object `a` |
//! | `list=a list=b` | elements of an array |
//! | `value` | the value of the only required parameter, if there is only one |
//!
//! For an array, one word is an element too, unless it is the JSON of an array whose elements are of
//! the right type.

use jp_config::nearest;
use jp_tool::Parameter;
use serde_json::{Map, Value};
use thiserror::Error;

use super::{DefinitionError, MAX_DEPTH, coerce, error::cut, root};
use crate::tool::definition::ToolDefinition;

/// Words that are no arguments.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WordsError {
    /// There is no parameter of that name.
    #[error("there is no parameter `{key}`; {}", offer(.nearest.as_deref(), .known))]
    Unknown {
        /// The name, as far as it is wrong.
        key: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// It is only a value, and nobody can say of what.
    #[error("{word:?} does not say which argument it is; write `{example}`")]
    Bare {
        /// The word.
        word: String,
        /// How to write it.
        example: String,
    },
    /// What follows `:=` is not JSON.
    #[error("what follows `{key}:=` is not JSON ({reason}); for text write `{key}=…`")]
    Json {
        /// The name.
        key: String,
        /// Why not.
        reason: String,
    },
    /// It is there twice, and is no array.
    #[error("`{key}` is given twice")]
    Twice {
        /// The name.
        key: String,
    },
    /// There is nothing inside of it.
    #[error("`{key}` is not an object, so it has no `{inner}`; for an array write `{key}:=[…]`")]
    NotAnObject {
        /// The name.
        key: String,
        /// What was looked for in it.
        inner: String,
    },
    /// It leads deeper than any definition.
    #[error("`{key}` is nested more than {MAX_DEPTH} levels deep")]
    Deep {
        /// The name.
        key: String,
    },
    /// The definition itself cannot be used.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
}

/// Reads the arguments of a call from words. They are complete and checked only after
/// [`Validator::prepare`](super::Validator::prepare).
pub fn from_words(
    definition: &ToolDefinition,
    words: &[String],
) -> Result<Map<String, Value>, WordsError> {
    let root = root(definition)?;
    let mut arguments = Map::new();
    for word in words {
        let (key, value) = parse(&root, word)?;
        insert(&root, &mut arguments, &key, value)?;
    }
    Ok(arguments)
}

fn parse(root: &Parameter, word: &str) -> Result<(String, Value), WordsError> {
    match word.split_once('=') {
        None => match required(root).as_slice() {
            [only] => Ok(((*only).to_owned(), word.into())),
            required => Err(bare(root, required, word)),
        },
        Some((key, _)) if !is_key(root, key) => Err(bare(root, &required(root), word)),
        Some((key, text)) => match key.strip_suffix(':') {
            Some(key) => match serde_json::from_str(text) {
                Ok(value) => Ok((key.to_owned(), value)),
                Err(error) => {
                    Err(WordsError::Json { key: cut(key, 60), reason: error.to_string() })
                }
            },
            None => Ok((key.to_owned(), text.into())),
        },
    }
}

/// Whether what is before `=` can be meant as a name, and not as a part of a value.
fn is_key(root: &Parameter, key: &str) -> bool {
    let key = key.strip_suffix(':').unwrap_or(key);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_known = || first_name(Some(root), key).is_some();
    !key.is_empty() && (key.chars().all(is_plain) || is_known())
}

fn required(root: &Parameter) -> Vec<&str> {
    let all = root.properties.iter().flatten();
    all.filter(|(_, parameter)| parameter.is_required()).map(|(name, _)| name.as_str()).collect()
}

fn bare(root: &Parameter, required: &[&str], word: &str) -> WordsError {
    let first = root.properties.iter().flatten().next().map(|(name, _)| name.as_str());
    let key = required.first().copied().or(first).unwrap_or("key");
    WordsError::Bare {
        word: cut(word, 60),
        example: format!("{key}={}", cut(word.trim_start_matches(['=', ':']), 60)),
    }
}

/// Puts a value where its key leads.
fn insert(
    root: &Parameter,
    arguments: &mut Map<String, Value>,
    key: &str,
    value: Value,
) -> Result<(), WordsError> {
    let (mut object, mut parameter) = (arguments, Some(root));
    let (mut done, mut rest) = (0, key);
    for _ in 0..MAX_DEPTH {
        let name =
            first_name(parameter, rest).ok_or_else(|| unknown(parameter, &key[..done], rest))?;
        parameter = parameter.and_then(|parameter| property(parameter, name));
        let end = done + name.len();
        let Some(inner) = rest[name.len()..].strip_prefix('.') else {
            return put(parameter, object, name, value, key);
        };
        let not_an_object =
            || WordsError::NotAnObject { key: cut(&key[..end], 60), inner: cut(inner, 60) };
        if parameter
            .is_some_and(|parameter| !coerce::accepts(parameter, &Value::Object(Map::new())))
        {
            return Err(not_an_object());
        }
        let next = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
        object = next.as_object_mut().ok_or_else(not_an_object)?;
        (done, rest) = (end + 1, inner);
    }
    Err(WordsError::Deep { key: cut(key, 60) })
}

/// The name that a key begins with. Names may have dots in them, so a longer name that is known goes
/// before a shorter one; where no names are known, every name is good.
fn first_name<'k>(parameter: Option<&Parameter>, key: &'k str) -> Option<&'k str> {
    let known = parameter.map(names).unwrap_or_default();
    let matching = known.iter().filter(|name| {
        key.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    match matching.map(|name| name.len()).max() {
        Some(length) => Some(&key[..length]),
        None if known.is_empty() && !is_closed(parameter) => {
            key.split('.').next().filter(|name| !name.is_empty())
        }
        None => None,
    }
}

/// Whether an object is known to have no properties.
fn is_closed(parameter: Option<&Parameter>) -> bool {
    parameter.is_some_and(|parameter| parameter.properties.is_some())
}

/// The names of the properties, those of alternatives included.
fn names(parameter: &Parameter) -> Vec<&String> {
    let own = parameter.properties.iter().flatten().map(|(name, _)| name);
    own.chain(parameter.one_of.iter().flatten().flat_map(names)).collect()
}

fn property<'a>(parameter: &'a Parameter, name: &str) -> Option<&'a Parameter> {
    let own = parameter.properties.as_ref().and_then(|all| all.get(name));
    own.or_else(|| parameter.one_of.iter().flatten().find_map(|other| property(other, name)))
}

/// Puts a value where it belongs, as an element if it belongs into an array.
fn put(
    parameter: Option<&Parameter>,
    object: &mut Map<String, Value>,
    name: &str,
    value: Value,
    key: &str,
) -> Result<(), WordsError> {
    let list = parameter.filter(|parameter| is_list(parameter, &value));
    match (object.get_mut(name), list) {
        (None, None) => drop(object.insert(name.to_owned(), value)),
        (None, Some(parameter)) => {
            let value = if is_whole(parameter, &value) { value } else { Value::Array(vec![value]) };
            object.insert(name.to_owned(), value);
        }
        (Some(Value::Array(elements)), Some(_)) => elements.push(value),
        (Some(_), _) => return Err(WordsError::Twice { key: cut(key, 60) }),
    }
    Ok(())
}

/// Whether a parameter takes arrays, and not the value itself.
fn is_list(parameter: &Parameter, value: &Value) -> bool {
    coerce::accepts(parameter, &Value::Array(Vec::new()))
        && (value.is_array() || !coerce::accepts(parameter, value))
}

/// Whether a value is the whole array and not an element: an array, or the text of one with elements
/// of the right type.
fn is_whole(parameter: &Parameter, value: &Value) -> bool {
    let Value::String(text) = value else { return value.is_array() };
    let fits = |element: &Value| {
        parameter.items.as_deref().is_none_or(|items| coerce::accepts(items, element))
    };
    serde_json::from_str::<Vec<Value>>(text).is_ok_and(|elements| elements.iter().all(fits))
}

fn unknown(parameter: Option<&Parameter>, before: &str, rest: &str) -> WordsError {
    let known = parameter.map(names).unwrap_or_default();
    let name = rest.split('.').next().unwrap_or_default();
    let full = |name: &str| format!("{before}{name}");
    WordsError::Unknown {
        key: cut(&full(name), 60),
        nearest: nearest(name, known.iter().map(|name| name.as_str())).map(full),
        known: known.iter().map(|name| full(name)).collect(),
    }
}

fn offer(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("did you mean `{nearest}`?"),
        (None, []) => "there are none".to_owned(),
        (None, known) => format!("there is `{}`", cut(&known.join("`, `"), 300)),
    }
}
