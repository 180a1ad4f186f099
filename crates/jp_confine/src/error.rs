//! Why a program could not be run confined.

use jp_changes::{ReadError, StoreError};
use jp_process::{SpawnError, WaitError};
use jp_proxy::InvalidUpstream;
use jp_sandbox::plan::Refusal;

use crate::secrets::Unsearchable;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The kernel cannot keep the policy.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nobody can say what is sensitive.
    #[error(transparent)]
    Sensitive(#[from] Unsearchable),
    /// There is nowhere to keep changes.
    #[error("cannot keep what the program changes apart: {0}")]
    Store(#[from] StoreError),
    /// The program or the helper did not start.
    #[error(transparent)]
    Start(#[from] SpawnError),
    /// There is nowhere for temporary files.
    #[error("cannot make a directory for temporary files: {0}")]
    Temp(#[source] std::io::Error),
    /// What network rules allow would have to go through a proxy that cannot be used.
    #[error("cannot use the proxy of this machine: {0}")]
    Upstream(#[from] InvalidUpstream),
    /// The proxy did not start.
    #[error("cannot start the proxy for network rules: {0}")]
    Proxy(#[source] std::io::Error),
    /// Nobody can say how the program ended.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// What the program changed cannot be read.
    #[error("cannot read what the program changed: {0}")]
    Changes(#[from] ReadError),
}
