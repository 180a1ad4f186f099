//! Requests to the network that a tool asks the host to send.

use crate::{gate::Granted, host::Host, serve::Stop};
use jp_tool::{
    access::AccessPolicy,
    vfs::{Call, HttpResult},
};

#[derive(Debug, Default)]
pub(crate) struct Course;
pub trait Fetch: std::fmt::Debug + Send + Sync {}

pub(crate) async fn fetch(
    _: Granted<'_, Call, AccessPolicy>,
    _: &Host,
    _: &mut Course,
) -> Result<HttpResult, Stop> {
    std::future::pending().await
}
