//! A store behind an operator of OpenDAL: S3 and what speaks its protocol, or memory.
//!
//! OpenDAL trims white space from the ends of a path. Then ` secret` would be judged as one path and read
//! as another, so such names are refused here, before OpenDAL sees them; and so are control characters,
//! with which a list of S3 is no XML.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, future::try_join_all, stream};
use jp_project::Part;
use opendal::{
    Entry, ErrorKind, Lister, Operator,
    options::{CopyOptions, ListOptions, ReadOptions, WriteOptions},
};

use super::{
    Answer, Child, Existing, MAX_KEYS, Move, Node, Pieces, Reading, Store, StoreError, is_name,
};
use crate::secret::Secrets;

/// As many contents are moved at once.
const PARALLEL_MOVES: usize = 8;
/// As many keys are deleted with one request.
const KEYS_AT_ONCE: usize = 1_000;
/// How often a file is read again that changed between its size and its content.
const ATTEMPTS: usize = 3;

/// An operator, and what must not be told of it.
#[derive(Debug)]
pub(crate) struct Objects {
    operator: Operator,
    place: String,
    secrets: Secrets,
    /// How long one request of many may take.
    limit: Duration,
}

impl Objects {
    pub(crate) fn new(
        operator: Operator,
        place: String,
        secrets: Secrets,
        limit: Duration,
    ) -> Self {
        Self { operator, place, secrets, limit }
    }

    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let done = tokio::time::timeout(self.limit, work).await;
        done.unwrap_or(Err(StoreError::Timeout(self.limit)))
    }

    fn error(&self, error: &opendal::Error) -> StoreError {
        if is_timeout(error) {
            return StoreError::Timeout(self.limit);
        }
        let text = self.secrets.hide(&describe(error));
        match error.kind() {
            ErrorKind::PermissionDenied => StoreError::Refused(text),
            ErrorKind::ConfigInvalid => StoreError::Config(text),
            // What was tried again in vain.
            _ if error.is_temporary() || error.is_persistent() => StoreError::Unreachable(text),
            _ => StoreError::Failed(text),
        }
    }

    /// `None` if there is nothing.
    fn found<T>(&self, result: opendal::Result<T>) -> Result<Option<T>, StoreError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(&error)),
        }
    }

    /// Whether it was done; something that is there is no error.
    fn done<T>(&self, result: opendal::Result<T>) -> Result<bool, StoreError> {
        match result {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::ConditionNotMatch => Ok(false),
            Err(error) => Err(self.error(&error)),
        }
    }

    async fn size(&self, path: &str) -> Result<Option<(u64, Option<String>)>, StoreError> {
        let data = self.found(self.operator.stat(path).await)?;
        let data = data.filter(opendal::Metadata::is_file);
        Ok(data.map(|data| (data.content_length(), data.etag().map(str::to_owned))))
    }

    async fn list(&self, dir: &str, options: ListOptions) -> Result<Lister, StoreError> {
        let dir = if dir.is_empty() { "/" } else { dir };
        self.operator.lister_options(dir, options).await.map_err(|error| self.error(&error))
    }

    /// The entries of a list, each seen by a function that keeps what it wants.
    async fn collect<T>(
        &self,
        mut lister: Lister,
        mut keep: impl FnMut(&Entry) -> Option<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut kept = Vec::new();
        while let Some(entry) = self.within(self.next(&mut lister)).await? {
            kept.extend(keep(&entry));
            if kept.len() > MAX_KEYS {
                return Err(StoreError::TooMany);
            }
        }
        Ok(kept)
    }

    async fn next(&self, lister: &mut Lister) -> Result<Option<Entry>, StoreError> {
        lister.try_next().await.map_err(|error| self.error(&error))
    }

    /// Whether there is a marker or anything below it.
    async fn has_below(&self, dir: &str) -> Result<bool, StoreError> {
        let options = ListOptions { recursive: true, limit: Some(1), ..ListOptions::default() };
        let mut lister = self.list(dir, options).await?;
        Ok(self.next(&mut lister).await?.is_some())
    }

    async fn copy(&self, from: &str, to: &str, existing: Existing) -> Result<bool, StoreError> {
        if from.ends_with('/') {
            return self.write(to, Bytes::new(), existing).await;
        }
        let capability = self.operator.info().capability();
        let is_new = existing == Existing::Keep;
        if capability.copy && (!is_new || capability.copy_with_if_not_exists) {
            let options = CopyOptions { if_not_exists: is_new, ..CopyOptions::default() };
            let copied = self.operator.copy_options(from, to, options).await;
            if !copied.as_ref().is_err_and(is_not_supported) {
                return self.done(copied);
            }
        }
        let content = self.operator.read(from).await.map_err(|error| self.error(&error))?;
        self.write(to, content, existing).await
    }

    async fn write(
        &self,
        key: &str,
        content: impl Into<opendal::Buffer>,
        existing: Existing,
    ) -> Result<bool, StoreError> {
        if key.ends_with('/') {
            return self.done(self.operator.create_dir(key).await);
        }
        let is_new = existing == Existing::Keep;
        let options = WriteOptions { if_not_exists: is_new, ..WriteOptions::default() };
        self.done(self.operator.write_options(key, content, options).await)
    }
}

impl Store for Objects {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn look<'a>(&'a self, path: &'a str) -> Answer<'a, Option<Node>> {
        Box::pin(async move {
            check(path)?;
            let dir = format!("{path}/");
            let (file, is_dir) = tokio::join!(self.size(path), self.has_below(&dir));
            // An answer about the file says nothing about the bucket if there is no file.
            Ok(match file? {
                Some((size, _)) => Some(Node::File(size)),
                None => is_dir?.then_some(Node::Directory),
            })
        })
    }

    fn read<'a>(&'a self, path: &'a str, part: Part) -> Answer<'a, Reading> {
        Box::pin(async move {
            check(path)?;
            for _ in 0..ATTEMPTS {
                let Some((size, etag)) = self.within(self.size(path)).await? else {
                    return Ok(Reading::Missing);
                };
                let len = size.saturating_sub(part.offset).min(part.limit.unwrap_or(u64::MAX));
                if len > part.max {
                    return Ok(Reading::TooLarge(len));
                }
                if len == 0 {
                    return Ok(Reading::of(Vec::new(), size));
                }
                let can_compare = self.operator.info().capability().read_with_if_match;
                let options = ReadOptions {
                    range: (part.offset..part.offset + len).into(),
                    if_match: etag.filter(|_| can_compare),
                    ..ReadOptions::default()
                };
                match self.operator.read_options(path, options).await {
                    Ok(bytes) => {
                        return Ok(Reading::of(bytes.to_vec(), size));
                    }
                    // It is another one now, or gone.
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::ConditionNotMatch
                                | ErrorKind::NotFound
                                | ErrorKind::RangeNotSatisfied
                        ) => {}
                    Err(error) => return Err(self.error(&error)),
                }
            }
            Err(StoreError::Failed("changes faster than it can be read".to_owned()))
        })
    }

    fn stream(self: Arc<Self>, path: String) -> Answer<'static, Option<Pieces>> {
        Box::pin(async move {
            check(&path)?;
            let reader = self.operator.reader(&path).await.map_err(|error| self.error(&error))?;
            let mut pieces =
                reader.into_stream(..).await.map_err(|error| self.error(&error))?.boxed();
            // Nothing is asked for before the first piece.
            let first = match pieces.next().await {
                None => return Ok(Some(stream::empty().boxed())),
                Some(first) => self.found(first)?,
            };
            let Some(first) = first else { return Ok(None) };
            let secrets = self.secrets.clone();
            let rest = pieces
                .map_err(move |error| StoreError::Failed(secrets.hide(&describe(&error))))
                .map_ok(|piece| piece.to_bytes());
            Ok(Some(stream::once(async move { Ok(first.to_bytes()) }).chain(rest).boxed()))
        })
    }

    fn put<'a>(&'a self, key: &'a str, content: Bytes, existing: Existing) -> Answer<'a, bool> {
        Box::pin(async move {
            check(key)?;
            self.write(key, content, existing).await
        })
    }

    fn children<'a>(&'a self, dir: &'a str) -> Answer<'a, Option<Vec<Child>>> {
        Box::pin(async move {
            check(dir)?;
            let mut has_any = false;
            let lister = self.list(dir, ListOptions::default()).await?;
            let children = self.collect(lister, |entry| {
                has_any = true;
                let name = entry.path().strip_prefix(dir)?;
                let (name, is_dir) =
                    name.strip_suffix('/').map_or((name, false), |dir| (dir, true));
                let is_seen = is_name(name) && !name.contains('/') && check(name).is_ok();
                is_seen.then(|| Child { name: name.to_owned(), is_dir })
            });
            let children = children.await?;
            Ok(has_any.then_some(children))
        })
    }

    fn below<'a>(&'a self, dir: &'a str) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            check(dir)?;
            let options = ListOptions { recursive: true, ..ListOptions::default() };
            let lister = self.list(dir, options).await?;
            let is_below =
                |entry: &Entry| entry.path().starts_with(dir).then(|| entry.path().to_owned());
            self.collect(lister, is_below).await
        })
    }

    fn delete<'a>(&'a self, keys: &'a [String]) -> Answer<'a, ()> {
        Box::pin(async move {
            keys.iter().try_for_each(|key| check(key))?;
            for keys in keys.chunks(KEYS_AT_ONCE) {
                let keys = keys.iter().map(String::as_str);
                let deleted = async {
                    self.operator.delete_iter(keys).await.map_err(|error| self.error(&error))
                };
                self.within(deleted).await?;
            }
            Ok(())
        })
    }

    fn relocate<'a>(&'a self, moves: &'a [Move], existing: Existing) -> Answer<'a, bool> {
        Box::pin(async move {
            for one in moves {
                check(&one.from)?;
                check(&one.to)?;
            }
            let mut is_copied = Vec::with_capacity(moves.len());
            for some in moves.chunks(PARALLEL_MOVES) {
                let copies =
                    some.iter().map(|one| self.within(self.copy(&one.from, &one.to, existing)));
                is_copied.extend(try_join_all(copies).await?);
            }
            if is_copied.contains(&false) {
                let made = moves.iter().zip(is_copied).filter(|(_, is_made)| *is_made);
                let made: Vec<String> = made.map(|(one, _)| one.to.clone()).collect();
                self.delete(&made).await?;
                return Ok(false);
            }
            let old: Vec<String> = moves.iter().rev().map(|one| one.from.clone()).collect();
            self.delete(&old).await?;
            Ok(true)
        })
    }
}

/// Whether OpenDAL and the service take a key as it is.
fn check(key: &str) -> Result<(), StoreError> {
    if key.is_empty() {
        return Ok(());
    }
    for name in key.strip_suffix('/').unwrap_or(key).split('/') {
        if matches!(name, "" | "." | "..") {
            return Err(StoreError::Name("one of its parts is empty, `.` or `..`"));
        }
        if name.starts_with(char::is_whitespace) || name.ends_with(char::is_whitespace) {
            return Err(StoreError::Name("white space at its beginning or end"));
        }
        if name.chars().any(char::is_control) {
            return Err(StoreError::Name("a control character in it"));
        }
    }
    Ok(())
}

/// Services that speak the protocol of S3 do not all know every condition.
fn is_not_supported(error: &opendal::Error) -> bool {
    error.kind() == ErrorKind::Unsupported || error.message().contains("NotImplemented")
}

/// Whether the HTTP client gave up waiting.
fn is_timeout(error: &opendal::Error) -> bool {
    let source = std::error::Error::source(error);
    source.and_then(|source| source.downcast_ref()).is_some_and(reqwest::Error::is_timeout)
}

/// What the service said, without addresses and signatures, which are in the context of an error.
fn describe(error: &opendal::Error) -> String {
    let message = error.message();
    let said = quoted(message, "message: ").or_else(|| quoted(message, "code: "));
    let text = said.unwrap_or(message);
    let source = std::error::Error::source(error).map(root_cause);
    match source {
        Some(source) if text.is_empty() => source,
        Some(source) => format!("{text}: {source}"),
        // An answer without a text, as to a question about a key.
        None if text.is_empty() && error.kind() == ErrorKind::PermissionDenied => {
            "the credentials are wrong, or not enough".to_owned()
        }
        None if text.is_empty() => error.kind().to_string(),
        None => text.to_owned(),
    }
}

/// The text between quotes that follows a word.
fn quoted<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.split_once(word)?.1.strip_prefix('"')?;
    Some(rest.split_once('"')?.0).filter(|text| !text.is_empty())
}

fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
