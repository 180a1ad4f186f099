//! What a tool has to say, as text or as typed blocks.
//!
//! The blocks have the shape of MCP's, so that the result of a tool of an MCP server and of a local
//! one are the same thing. A string stands for one text block. A block that cannot be read is
//! skipped and reported beside the others: one bad block of a newer tool must not cost the rest.
//!
//! Blocks are read one at a time, and only so many of them: a list of numbers would otherwise take a hundred times
//! its length, as values and as reports about them.

mod block;
mod result;

use std::fmt::{self, Write as _};

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

pub use self::block::{ContentBlock, Inquiry, Resource, ResourceData, ResourceLink};
pub use self::result::{NotAToolResult, ToolResult};
use crate::object::Object;
use crate::vfs::reason;

/// The most blocks of one answer; nobody reads more.
const MOST_BLOCKS: usize = 10_000;
/// The most of them that are named if they are skipped.
const MOST_MALFORMED: usize = 100;

/// Text or blocks, as the tool wrote it.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A list of typed blocks.
    Blocks(Blocks),
}

impl Content {
    /// The blocks; plain text becomes one.
    pub fn into_blocks(self) -> Blocks {
        match self {
            Self::Text(text) => vec![ContentBlock::text(text)].into(),
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks.into())
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

/// Told apart by what is found, not by trying one after the other, for the sake of the error.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

/// A list of blocks as it was read: those that were understood, and what is wrong with the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blocks {
    /// The blocks, in order.
    pub blocks: Vec<ContentBlock>,
    /// What was skipped, the first hundred; the last of those says how many followed. Never written.
    pub malformed: Vec<MalformedBlock>,
}

impl From<Vec<ContentBlock>> for Blocks {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self { blocks, malformed: Vec::new() }
    }
}

impl Serialize for Blocks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.blocks.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BlocksVisitor)
    }
}

/// A block that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("block {index} of the content was skipped: {reason}")]
pub struct MalformedBlock {
    /// Its place in the list, from zero.
    pub index: usize,
    /// What is wrong with it, or the beginning of that.
    pub reason: String,
}

struct BlocksVisitor;

impl<'de> Visitor<'de> for BlocksVisitor {
    type Value = Blocks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Blocks, A::Error> {
        let (mut read, mut unnamed) = (Blocks::default(), 0_usize);
        let mut index = 0;
        while let Some(value) = seq.next_element::<Value>()? {
            if index == MOST_BLOCKS {
                return Err(de::Error::custom(format!("more than {MOST_BLOCKS} blocks")));
            }
            match serde_json::from_value(value) {
                Ok(Object(block)) => read.blocks.push(block),
                Err(error) if read.malformed.len() < MOST_MALFORMED => {
                    read.malformed.push(MalformedBlock { index, reason: reason(&error) });
                }
                Err(_) => unnamed += 1,
            }
            index += 1;
        }
        if let Some(last) = read.malformed.last_mut().filter(|_| unnamed > 0) {
            let _ = write!(last.reason, "; and so were {unnamed} after it");
        }
        Ok(read)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of blocks")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Content, A::Error> {
        Blocks::deserialize(SeqAccessDeserializer::new(seq)).map(Content::Blocks)
    }
}

#[cfg(test)]
mod tests;
