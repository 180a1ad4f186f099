//! The words of messages: what was expected, what it was taken for, and as much of the culprit as
//! fits into a sentence.

use crate::dotted::{self, Step};
use crate::node::{Data, Node, Sort};
use crate::shape::{Kind, Model, Shape};

/// How much of a wrong value a message repeats.
const MAX_QUOTED: usize = 60;

/// How much of a key a message repeats. Real keys are shorter; hostile ones need not be.
const MAX_KEY: usize = 300;

/// What a shape admits, in a sentence.
pub(crate) fn expected(model: &Model, shape: &Shape) -> String {
    let shape = model.resolve(shape);
    match &shape.kind {
        Kind::Any => "any value".to_owned(),
        Kind::Never => "left out".to_owned(),
        Kind::Boolean => "a boolean".to_owned(),
        Kind::Integer { min: Some(min), max: Some(max) } => {
            format!("an integer from {min} to {max}")
        }
        Kind::Integer { min: Some(min), max: None } => format!("an integer of at least {min}"),
        Kind::Integer { min: None, max: Some(max) } => format!("an integer of at most {max}"),
        Kind::Integer { min: None, max: None } => "an integer".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Text(_) => "a string".to_owned(),
        Kind::Choice(values) => {
            one_of(&values.iter().map(|it| dotted::quote(it)).collect::<Vec<_>>())
        }
        Kind::List(element) | Kind::Mergeable(element, _) => match model.resolve(element).kind {
            Kind::Text(_) | Kind::Choice(_) => "a list of strings".to_owned(),
            Kind::Table(_) => "a list of tables".to_owned(),
            _ => "a list".to_owned(),
        },
        Kind::Table(_) => "a table".to_owned(),
        Kind::Either(either) => {
            let all: Vec<String> = either.iter().map(|it| expected(model, it)).collect();
            all.join(" or ")
        }
        // `resolve` leaves none of these.
        Kind::Reference(name) => name.clone(),
    }
}

/// Whether a shape admits some value of this sort.
pub(crate) fn admits(model: &Model, shape: &Shape, sort: Sort) -> bool {
    match (&model.resolve(shape).kind, sort) {
        (Kind::Any, _)
        | (Kind::Boolean, Sort::Bool)
        | (Kind::Integer { .. }, Sort::Integer)
        | (Kind::Number, Sort::Integer | Sort::Float)
        | (Kind::Text(_) | Kind::Choice(_), Sort::Text)
        | (Kind::List(_), Sort::List)
        | (Kind::Mergeable(..), Sort::List | Sort::Table)
        | (Kind::Table(_), Sort::Table) => true,
        (Kind::Either(either), sort) => either.iter().any(|it| admits(model, it, sort)),
        _ => false,
    }
}

/// The slip that is behind a wrong type, where it is easy to see.
pub(crate) fn hint(model: &Model, node: &Node, shape: &Shape) -> Option<String> {
    let shape = model.resolve(shape);
    match (&shape.kind, &node.data) {
        (Kind::Boolean, Data::Text(it)) if it.parse::<bool>().is_ok() => {
            Some(format!("remove the quotes: `{it}`"))
        }
        // Where it is a number but not spelled as TOML spells one, quotes are not the trouble.
        (Kind::Integer { .. }, Data::Text(it)) if it.parse::<i64>().is_ok() => {
            let number: i64 = it.parse().ok()?;
            let is_plain = number.to_string() == *it;
            let advice = if is_plain { "remove the quotes" } else { "write" };
            Some(format!("{advice}: `{number}`"))
        }
        (Kind::Text(_) | Kind::Choice(_), Data::Integer(it)) => {
            Some(format!("put it in quotes: `\"{it}\"`"))
        }
        (Kind::Text(_) | Kind::Choice(_), Data::Bool(it)) => {
            Some(format!("put it in quotes: `\"{it}\"`"))
        }
        (Kind::List(element) | Kind::Mergeable(element, _), _)
            if admits(model, element, node.sort()) =>
        {
            Some("put it in brackets: `[…]`".to_owned())
        }
        _ => None,
    }
}

/// Strings of which one must be chosen.
pub(crate) fn one_of(values: &[String]) -> String {
    match values {
        [only] => only.clone(),
        values => format!("one of {}", values.join(", ")),
    }
}

/// Keys in a row.
pub(crate) fn listed(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|it| format!("`{}`", dotted::key(it))).collect();
    quoted.join(", ")
}

/// The beginning of a text that may be long.
pub(crate) fn brief(text: &str) -> String {
    cut(text, MAX_QUOTED)
}

/// The way to a value, cut if nobody would read it to the end.
pub(crate) fn trail(steps: &[Step]) -> String {
    cut(&dotted::trail(steps), MAX_KEY)
}

fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
