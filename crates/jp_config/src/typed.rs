//! A merged tree, read as the types of a configuration.

use serde::de::value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::node::{Data, Node, Table};

impl<'de> IntoDeserializer<'de, Error> for &'de Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.data {
            Data::Bool(it) => visitor.visit_bool(*it),
            Data::Integer(it) => match u64::try_from(*it) {
                Ok(it) => visitor.visit_u64(it),
                Err(_) => visitor.visit_i64(*it),
            },
            Data::Float(it) => visitor.visit_f64(*it),
            Data::Text(it) => visitor.visit_borrowed_str(it),
            Data::List(list) => {
                let mut elements = SeqDeserializer::new(list.iter());
                let value = visitor.visit_seq(&mut elements)?;
                elements.end().map(|()| value)
            }
            Data::Table(table) => {
                let mut pairs = pairs(table);
                let value = visitor.visit_map(&mut pairs)?;
                pairs.end().map(|()| value)
            }
        }
    }

    /// What is there is said; there is no null.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A word, or a table whose only key is the word.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match &self.data {
            Data::Text(it) => visitor.visit_enum(it.as_str().into_deserializer()),
            Data::Table(table) => visitor.visit_enum(MapAccessDeserializer::new(pairs(table))),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The keys of a table with their values.
fn pairs(table: &Table) -> MapDeserializer<'_, impl Iterator<Item = (&str, &Node)>, Error> {
    MapDeserializer::new(table.iter().map(|(key, entry)| (key.as_str(), &entry.node)))
}
