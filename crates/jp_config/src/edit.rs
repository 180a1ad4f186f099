//! Small changes of a configuration file that a person has written: an element more in a list, a value.
//! Text in, text out; comments, order and layout of everything else stay as they are.
//!
//! A change is made in the form that the file uses: a list of `[[tables]]` gets one more, a list in
//! brackets one more element on a line like the others. What the new text means is not judged here;
//! whoever writes it loads it first.

use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::dotted::{self, DottedError};

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Adds elements at the end of a list.
    Append {
        /// The dotted key of the list. It and the tables around it are made if they are not there.
        key: &'a str,
        /// TOML values.
        elements: &'a [String],
    },
    /// Sets a value.
    Set {
        /// Its dotted key.
        key: &'a str,
        /// A TOML value. A list that begins with the elements that are there adds the others.
        value: &'a str,
    },
    /// Takes a value or a table away. What is not there is left as it is.
    Remove {
        /// Its dotted key.
        key: &'a str,
    },
}

/// Why a change was not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file, or what is to be put into it, is not TOML.
    #[error("this is not TOML: {0}")]
    Syntax(String),
    /// The key of the change is none.
    #[error("not a key: {0}")]
    Key(#[from] DottedError),
    /// Something else is where the change belongs.
    #[error("`{0}` is written in a way that cannot be extended")]
    Shape(String),
}

impl Edit<'_> {
    /// The text of the file after the change.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let (Self::Append { key, .. } | Self::Set { key, .. } | Self::Remove { key }) = self;
        let mut document: DocumentMut = text.parse().map_err(|error| syntax(&error))?;
        // In a file of remarks alone they would be taken for what stands behind everything.
        let remarks =
            document.as_table().is_empty().then(|| document.trailing().as_str().map(remark));
        if remarks.is_some() {
            document.set_trailing("");
        }
        let mut path: Vec<String> = dotted::parse(key)?.into_iter().map(|it| it.name).collect();
        let last = path.pop().unwrap_or_default();
        if *self == (Self::Remove { key }) {
            return Ok(remove(document, &path, &last).unwrap_or_else(|| text.to_owned()));
        }
        let wrong = || EditError::Shape((*key).to_owned());
        let mut style = Style::Sections;
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for name in &path {
            (table, style) = enter(table, name, style).ok_or_else(wrong)?;
        }
        match self {
            Self::Append { elements, .. } => {
                let elements: Vec<Value> =
                    elements.iter().map(|it| value(it)).collect::<Result<_, _>>()?;
                append(table, &last, elements, style).ok_or_else(wrong)?;
            }
            Self::Set { value: text, .. } => set(table, &last, value(text)?).ok_or_else(wrong)?,
            // Done above: it makes no tables on its way.
            Self::Remove { .. } => {}
        }
        Ok(remarks.flatten().unwrap_or_default() + &document.to_string())
    }
}

/// A text that something else can follow.
fn remark(text: &str) -> String {
    match text.trim_end() {
        "" => String::new(),
        text => format!("{text}\n\n"),
    }
}

/// How a table is written, and so what can be put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// With a header, so that tables below it can have theirs.
    Sections,
    /// By dotted keys: `access.fs = …`. A header below it would define it twice.
    Dotted,
    /// In braces.
    Inline,
}

/// The table `name`, which is made in the style of the one around it if it is not there.
fn enter<'a>(
    table: &'a mut dyn TableLike,
    name: &str,
    style: Style,
) -> Option<(&'a mut dyn TableLike, Style)> {
    if table.get(name).is_none_or(Item::is_none) {
        table.insert(name, new_table(style));
    }
    match table.get_mut(name)? {
        Item::Table(table) => {
            let style = if table.is_dotted() { Style::Dotted } else { style };
            Some((table, style))
        }
        Item::Value(Value::InlineTable(table)) => Some((table, Style::Inline)),
        _ => None,
    }
}

fn new_table(style: Style) -> Item {
    match style {
        Style::Inline => Item::Value(Value::InlineTable(InlineTable::new())),
        Style::Sections | Style::Dotted => {
            let mut table = Table::new();
            // Without a header of its own: what is put into it has one.
            table.set_implicit(true);
            table.set_dotted(style == Style::Dotted);
            Item::Table(table)
        }
    }
}

fn append(table: &mut dyn TableLike, key: &str, elements: Vec<Value>, style: Style) -> Option<()> {
    if table.get(key).is_none_or(Item::is_none) {
        let are_tables = elements.iter().all(Value::is_inline_table);
        let list = if style == Style::Sections && are_tables {
            Item::ArrayOfTables(ArrayOfTables::new())
        } else {
            Item::Value(Value::Array(Array::new()))
        };
        table.insert(key, list);
    }
    match table.get_mut(key)? {
        Item::ArrayOfTables(tables) => elements.into_iter().try_for_each(|it| {
            tables.push(section(it)?);
            Some(())
        }),
        Item::Value(Value::Array(array)) => {
            for element in elements {
                push(array, element);
            }
            Some(())
        }
        // `{ strategy = "…", value = […] }`
        item => {
            let list = item.as_table_like_mut()?;
            list.get("strategy")?;
            append(list, "value", elements, Style::Inline)
        }
    }
}

/// An element in braces as a table with a header.
fn section(value: Value) -> Option<Table> {
    let Value::InlineTable(table) = value else { return None };
    let mut table = table.into_table();
    table.fmt();
    Some(table)
}

/// Adds an element that is laid out like the one before it, and leaves remarks where they are.
fn push(array: &mut Array, mut value: Value) {
    let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
    let Some(last) = array.iter_mut().last() else {
        return array.push(value);
    };
    let prefix = last.decor().prefix().and_then(|it| it.as_str()).unwrap_or_default();
    let Some((_, indent)) = prefix.rsplit_once('\n') else {
        return array.push(value);
    };
    let indent = indent.to_owned();
    let suffix = last.decor().suffix().and_then(|it| it.as_str()).unwrap_or_default().to_owned();
    last.decor_mut().set_suffix("");
    // A remark behind the last element, or below it, now stands before the new one.
    let between = format!("{suffix}{trailing}");
    let between = between.trim_end();
    value.decor_mut().set_prefix(format!("{between}\n{indent}"));
    value.decor_mut().set_suffix("");
    array.push_formatted(value);
    array.set_trailing("\n");
    array.set_trailing_comma(true);
}

fn set(table: &mut dyn TableLike, key: &str, mut value: Value) -> Option<()> {
    match (table.get_mut(key), &mut value) {
        (Some(Item::Value(Value::Array(old))), Value::Array(new)) if begins_with(new, old) => {
            let more: Vec<Value> = new.iter().skip(old.len()).cloned().collect();
            for element in more {
                push(old, element);
            }
        }
        (Some(Item::Value(old)), value) => {
            *value.decor_mut() = old.decor().clone();
            *old = value.clone();
        }
        (None | Some(Item::None), value) => {
            table.insert(key, Item::Value(value.clone()));
        }
        (Some(_), _) => return None,
    }
    Some(())
}

/// The document without this; `None` if it is not there.
fn remove(mut document: DocumentMut, path: &[String], key: &str) -> Option<String> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in path {
        table = table.get_mut(name)?.as_table_like_mut()?;
    }
    table.remove(key).filter(|item| !item.is_none())?;
    Some(document.to_string())
}

fn begins_with(list: &Array, start: &Array) -> bool {
    start.len() <= list.len() && list.iter().zip(start).all(|(a, b)| is_same(a, b))
}

/// Whether two values are the same however they are written. What is not a string or a list is not
/// compared, and so replaced.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.value() == b.value(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && begins_with(a, b),
        _ => false,
    }
}

fn value(text: &str) -> Result<Value, EditError> {
    text.trim().parse().map_err(|error| syntax(&error))
}

/// One line: it becomes part of a message.
fn syntax(error: &toml_edit::TomlError) -> EditError {
    EditError::Syntax(dotted::printable(error.message()))
}

#[cfg(test)]
mod tests;
