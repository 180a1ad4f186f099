//! Systems without overlays: the same names, and one answer.
//!
//! [`Store::open`] says that change sets are not supported. Nothing else can be reached, because the
//! types cannot be made; the compiler knows it.

use std::{convert::Infallible, fmt};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::AccessPolicy;

use crate::{
    Change, Limits, Outside, ReadError, Refused, Report, Reviewed, Shown, StoreError, Swept,
};

/// Where change sets are kept. There is none here.
#[derive(Debug)]
pub struct Store(Infallible);

/// What a call wrote.
#[derive(Debug)]
pub struct ChangeSet(Infallible);

/// The differences.
#[derive(Debug)]
pub struct Changes(Infallible);

/// The differences after the policy has seen them.
#[derive(Debug)]
pub struct Judged(Infallible);

impl Store {
    /// Always [`StoreError::Unsupported`].
    pub fn open(_dir: &Utf8Path) -> Result<Self, StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Always [`StoreError::Unsupported`].
    pub fn open_near(_root: &Utf8Path, _candidates: &[Utf8PathBuf]) -> Result<Self, StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Cannot be called.
    pub fn begin(&self, _places: &[Utf8PathBuf]) -> Result<ChangeSet, StoreError> {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn path(&self) -> &Utf8Path {
        match self.0 {}
    }
}

impl ChangeSet {
    /// Cannot be called.
    pub fn path(&self) -> &Utf8Path {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn places(&self) -> &[Utf8PathBuf] {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn read(&self, _root: &Utf8Path) -> Result<Changes, ReadError> {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn read_within(&self, _root: &Utf8Path, _limits: Limits) -> Result<Changes, ReadError> {
        match self.0 {}
    }
}

impl Changes {
    /// Cannot be called.
    pub fn list(&self) -> &[Change] {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn diff(&self) -> String {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn judge<E: fmt::Display>(
        self,
        _policy: Option<&AccessPolicy>,
        _outside: Outside,
        _gate: impl Fn(&Utf8Path) -> Result<(), E>,
    ) -> Judged {
        match self.0 {}
    }
}

impl Judged {
    /// Cannot be called.
    pub fn allowed(&self) -> &[Change] {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn refused(&self) -> &[Refused] {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn left_out(&self) -> &[Change] {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn diff(&self) -> String {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn commit(self) -> Report {
        match self.0 {}
    }
}

impl Reviewed for Judged {
    fn allowed(&self) -> &[Change] {
        match self.0 {}
    }

    fn refused(&self) -> &[Refused] {
        match self.0 {}
    }

    fn show(&self, _: &Change, _: usize) -> Shown {
        match self.0 {}
    }
}
