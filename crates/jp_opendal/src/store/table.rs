//! A store in a table of PostgreSQL: a row for each key.
//!
//! OpenDAL has a service for PostgreSQL, which neither lists nor reads parts nor moves; so this one is
//! ours, on the same form of table (`key`, `value`). Every change is one statement, so it is done as a
//! whole or not at all, a move of a directory included. Keys are compared byte by byte, whatever the
//! database thinks of languages: what begins with `a/` lies between `a/` and `a0`, because `0` is what
//! follows the slash.
//!
//! There is one connection, made when it is first needed and again when it was lost. A question that
//! nobody waits for any more would hold up those behind it, so its connection is given up with it.

mod connection;
mod tls;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use jp_project::Part;
use tokio_postgres::{
    Config, Row,
    types::{ToSql, Type},
};

use self::connection::{Connection, Repeat};
use super::{
    Answer, Child, Existing, MAX_KEYS, Move, Node, Pieces, Reading, Store, StoreError, is_name,
};

/// How much of a file is in memory while it is streamed.
const PIECE: u64 = 1 << 20;

/// A table and the prefix of the project in it.
#[derive(Debug)]
pub(crate) struct Table {
    connection: Connection,
    /// As it is written in a statement.
    name: String,
    /// In front of every key; empty, or with a slash at its end.
    root: String,
    place: String,
}

type Param<'a> = (&'a (dyn ToSql + Sync), Type);

impl Table {
    pub(crate) fn new(
        config: Config,
        table: &str,
        root: &str,
        limit: Duration,
    ) -> Result<Self, StoreError> {
        let root = if root.is_empty() { String::new() } else { format!("{root}/") };
        let place =
            format!("postgresql table {table}, {}", if root.is_empty() { "/" } else { &root });
        let name = table.split('.').map(quote).collect::<Vec<_>>().join(".");
        let connection = Connection::new(config, name.clone(), limit)?;
        Ok(Self { connection, name, root, place })
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.root)
    }

    /// Where the keys below one begin and end; the whole table has no end.
    fn range(&self, dir: &str) -> (String, Option<String>) {
        let start = self.key(dir);
        let end = start.strip_suffix('/').map(|start| format!("{start}0"));
        (start, end)
    }

    async fn rows(
        &self,
        repeat: Repeat,
        statement: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let statement = statement.replace("{table}", &self.name);
        self.connection.rows(repeat, &statement, params).await
    }

    async fn piece(&self, path: &str, part: Part) -> Result<Reading, StoreError> {
        let (key, offset) = (self.key(path), number(part.offset));
        let (limit, max) = (number(part.limit.unwrap_or(u64::MAX)), number(part.max));
        let params: [Param<'_>; 4] =
            [(&key, Type::TEXT), (&offset, Type::INT8), (&limit, Type::INT8), (&max, Type::INT8)];
        let rows = self.rows(Repeat::Yes, READ, &params).await?;
        let Some(row) = rows.first() else { return Ok(Reading::Missing) };
        let (size, len) = (unsigned(row, "size")?, unsigned(row, "len")?);
        let bytes: Option<Vec<u8>> = get(row, "part")?;
        Ok(bytes.map_or(Reading::TooLarge(len), |bytes| Reading::of(bytes, size)))
    }
}

const LOOK: &str = r#"
SELECT (SELECT octet_length(value)::bigint FROM {table} WHERE key COLLATE "C" = $1) AS size,
    EXISTS (SELECT FROM {table} WHERE key COLLATE "C" >= $2 AND key COLLATE "C" < $3) AS is_dir"#;

const READ: &str = r#"
SELECT size, len, CASE WHEN len <= $4 THEN substring(value FROM start::int + 1 FOR len::int) END AS part
FROM (SELECT value, octet_length(value)::bigint AS size, least($2, octet_length(value)) AS start,
        least(octet_length(value) - least($2, octet_length(value)), $3) AS len
    FROM {table} WHERE key COLLATE "C" = $1) AS found"#;

const REPLACE: &str = r"
INSERT INTO {table} (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value RETURNING 1";

const CREATE: &str = r"
INSERT INTO {table} (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING 1";

const CHILDREN: &str = r#"
SELECT split_part(rest, '/', 1) AS name, bool_or(strpos(rest, '/') > 0) AS is_dir,
    bool_or(strpos(rest, '/') = 0) AS is_file
FROM (SELECT substr(key, $3) AS rest FROM {table}
    WHERE key COLLATE "C" >= $1 AND ($2::text IS NULL OR key COLLATE "C" < $2)) AS below
GROUP BY 1 LIMIT $4"#;

const BELOW: &str = r#"
SELECT key FROM {table} WHERE key COLLATE "C" >= $1 AND ($2::text IS NULL OR key COLLATE "C" < $2) LIMIT $3"#;

const DELETE: &str = r#"DELETE FROM {table} WHERE key COLLATE "C" = ANY($1)"#;

const MOVE: &str = r"
WITH moves AS (SELECT * FROM unnest($1::text[], $2::text[]) AS m(old, new)),
    gone AS (DELETE FROM {table} USING moves WHERE key = old RETURNING new, value)
INSERT INTO {table} (key, value) SELECT new, value FROM gone
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value";

const MOVE_NEW: &str = r"
WITH moves AS (SELECT * FROM unnest($1::text[], $2::text[]) AS m(old, new)),
    gone AS (DELETE FROM {table} USING moves WHERE key = old RETURNING new, value)
INSERT INTO {table} (key, value) SELECT new, value FROM gone";

impl Store for Table {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn look<'a>(&'a self, path: &'a str) -> Answer<'a, Option<Node>> {
        Box::pin(async move {
            let (key, (start, end)) = (self.key(path), self.range(&format!("{path}/")));
            let params: [Param<'_>; 3] =
                [(&key, Type::TEXT), (&start, Type::TEXT), (&end, Type::TEXT)];
            let rows = self.rows(Repeat::Yes, LOOK, &params).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let size: Option<i64> = get(row, "size")?;
            let is_dir: bool = get(row, "is_dir")?;
            Ok(match size {
                Some(size) => Some(Node::File(u64::try_from(size).unwrap_or_default())),
                None => is_dir.then_some(Node::Directory),
            })
        })
    }

    fn read<'a>(&'a self, path: &'a str, part: Part) -> Answer<'a, Reading> {
        Box::pin(self.piece(path, part))
    }

    fn stream(self: Arc<Self>, path: String) -> Answer<'static, Option<Pieces>> {
        Box::pin(async move {
            let whole = match self.piece(&path, next_piece(0)).await? {
                Reading::Content(content) => content,
                Reading::Missing | Reading::TooLarge(_) => return Ok(None),
            };
            let (size, first) = (whole.size, Bytes::from(whole.bytes));
            let rest =
                stream::try_unfold((self, path, PIECE), move |(table, path, offset)| async move {
                    if offset >= size {
                        return Ok(None);
                    }
                    match table.piece(&path, next_piece(offset)).await? {
                        Reading::Content(content) if content.size == size => {
                            Ok(Some((Bytes::from(content.bytes), (table, path, offset + PIECE))))
                        }
                        _ => Err(StoreError::Failed("changed while it was read".to_owned())),
                    }
                });
            Ok(Some(stream::once(async move { Ok(first) }).chain(rest).boxed()))
        })
    }

    fn put<'a>(&'a self, key: &'a str, content: Bytes, existing: Existing) -> Answer<'a, bool> {
        Box::pin(async move {
            let (key, content) = (self.key(key), content.as_ref());
            let (statement, repeat) = match existing {
                Existing::Replace => (REPLACE, Repeat::Yes),
                // The second attempt would meet what the first one made.
                Existing::Keep => (CREATE, Repeat::No),
            };
            let params: [Param<'_>; 2] = [(&key, Type::TEXT), (&content, Type::BYTEA)];
            Ok(!self.rows(repeat, statement, &params).await?.is_empty())
        })
    }

    fn children<'a>(&'a self, dir: &'a str) -> Answer<'a, Option<Vec<Child>>> {
        Box::pin(async move {
            let (start, end) = self.range(dir);
            let rest = i32::try_from(start.chars().count() + 1).unwrap_or(i32::MAX);
            let most = i64::try_from(MAX_KEYS + 1).unwrap_or(i64::MAX);
            let params: [Param<'_>; 4] = [
                (&start, Type::TEXT),
                (&end, Type::TEXT),
                (&rest, Type::INT4),
                (&most, Type::INT8),
            ];
            let rows = self.rows(Repeat::Yes, CHILDREN, &params).await?;
            if rows.len() > MAX_KEYS {
                return Err(StoreError::TooMany);
            }
            if rows.is_empty() {
                return Ok(None);
            }
            let mut children = Vec::with_capacity(rows.len());
            for row in &rows {
                let name: String = get(row, "name")?;
                let is_file: bool = get(row, "is_file")?;
                if is_name(&name) {
                    children.push(Child { name, is_dir: !is_file });
                }
            }
            Ok(Some(children))
        })
    }

    fn below<'a>(&'a self, dir: &'a str) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            let (start, end) = self.range(dir);
            let most = i64::try_from(MAX_KEYS + 1).unwrap_or(i64::MAX);
            let params: [Param<'_>; 3] =
                [(&start, Type::TEXT), (&end, Type::TEXT), (&most, Type::INT8)];
            let rows = self.rows(Repeat::Yes, BELOW, &params).await?;
            if rows.len() > MAX_KEYS {
                return Err(StoreError::TooMany);
            }
            let key = |row: &Row| {
                let key: String = get(row, "key")?;
                Ok(key.strip_prefix(&self.root).map(str::to_owned).unwrap_or(key))
            };
            rows.iter().map(key).collect()
        })
    }

    fn delete<'a>(&'a self, keys: &'a [String]) -> Answer<'a, ()> {
        Box::pin(async move {
            let keys: Vec<String> = keys.iter().map(|key| self.key(key)).collect();
            self.rows(Repeat::Yes, DELETE, &[(&keys, Type::TEXT_ARRAY)]).await?;
            Ok(())
        })
    }

    fn relocate<'a>(&'a self, moves: &'a [Move], existing: Existing) -> Answer<'a, bool> {
        Box::pin(async move {
            let old: Vec<String> = moves.iter().map(|one| self.key(&one.from)).collect();
            let new: Vec<String> = moves.iter().map(|one| self.key(&one.to)).collect();
            let params: [Param<'_>; 2] = [(&old, Type::TEXT_ARRAY), (&new, Type::TEXT_ARRAY)];
            let statement = match existing {
                Existing::Replace => MOVE,
                Existing::Keep => MOVE_NEW,
            };
            match self.rows(Repeat::No, statement, &params).await {
                Ok(_) => Ok(true),
                Err(StoreError::Occupied) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }
}

fn next_piece(offset: u64) -> Part {
    Part { offset, limit: Some(PIECE), max: PIECE }
}

/// A name as it is written in a statement.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Nothing in a table is larger.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn get<'a, T: tokio_postgres::types::FromSql<'a>>(
    row: &'a Row,
    column: &str,
) -> Result<T, StoreError> {
    row.try_get(column).map_err(|error| StoreError::Failed(error.to_string()))
}

fn unsigned(row: &Row, column: &str) -> Result<u64, StoreError> {
    get::<i64>(row, column).map(|value| u64::try_from(value).unwrap_or_default())
}
