//! What is the same for all tools of one run of jp.

use std::{ffi::OsString, sync::Arc};

use jp_fetch::Fetcher;
use jp_tool::vfs::ErrorObject;

use crate::{
    approve::{Approver, Nobody},
    fs::internal,
    limits::Limits,
    process::Programs,
    record::Recorder,
};

/// What serves the requests of tools.
#[derive(Debug)]
pub struct Host {
    parts: HostParts,
}

/// What a host is made of.
#[derive(Debug)]
pub struct HostParts {
    /// Who sends requests to the network; `None` if nobody does.
    pub network: Option<Arc<Fetcher>>,
    /// Who starts programs; `None` if nobody does.
    pub programs: Option<Arc<dyn Programs>>,
    /// Who is asked about what no rule covers.
    pub approver: Arc<dyn Approver>,
    /// Who writes down what was asked; `None` if nobody wants to know.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// How much is too much.
    pub limits: Limits,
    /// The variables of jp, of which rules may let some be used.
    pub variables: Vec<(OsString, OsString)>,
}

impl Host {
    /// A host of these parts.
    pub fn new(parts: HostParts) -> Self {
        Self { parts }
    }

    /// A host that can do nothing but answer.
    pub fn without_means(limits: Limits) -> Self {
        Self::new(HostParts {
            network: None,
            programs: None,
            approver: Arc::new(Nobody),
            recorder: None,
            limits,
            variables: Vec::new(),
        })
    }

    /// The same, for a tool that nobody has permitted to run yet: it shows how it would be called, and nothing
    /// is sent, started or asked for that.
    #[must_use]
    pub fn before_a_run(&self) -> Self {
        let recorder = self.parts.recorder.clone();
        Self::new(HostParts { recorder, ..Self::without_means(self.parts.limits).parts })
    }

    /// How much is too much.
    pub fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    pub(crate) fn approver(&self) -> &dyn Approver {
        self.parts.approver.as_ref()
    }

    pub(crate) fn recorder(&self) -> Option<&dyn Recorder> {
        self.parts.recorder.as_deref()
    }

    pub(crate) fn network(&self) -> Result<&Fetcher, ErrorObject> {
        self.parts.network.as_deref().ok_or_else(|| internal("this host has no network"))
    }

    pub(crate) fn programs(&self) -> Result<&dyn Programs, ErrorObject> {
        self.parts.programs.as_deref().ok_or_else(|| internal("this host starts no programs"))
    }

    /// The value of a variable that is text.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let mut variables = self.parts.variables.iter();
        let (_, value) = variables.find(|(known, _)| known == name)?;
        value.to_str()
    }
}
