//! How much one tool may use of the proxy.

use std::time::Duration;

/// Bounds on number, size and time. Memory is bounded by them too: a connection holds at most two
/// heads and two small buffers at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyLimits {
    /// Connections from the tool at one time; further ones are answered with 503.
    pub connections: usize,
    /// Bytes of the head of a request or of an answer. At least 8 KiB.
    pub head: usize,
    /// Time for the head of a request to arrive. It runs between two requests on one connection as
    /// well.
    pub head_time: Duration,
    /// Time to find the address of a host and to connect to it.
    pub connect: Duration,
    /// Time without a single byte in either direction.
    pub idle: Duration,
}

impl Default for ProxyLimits {
    fn default() -> Self {
        Self {
            connections: 128,
            head: 64 * 1024,
            head_time: Duration::from_secs(30),
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(5),
        }
    }
}

impl ProxyLimits {
    /// The size of a head, not below what hyper needs to work.
    pub(crate) fn head_size(&self) -> usize {
        self.head.max(8 * 1024)
    }
}
