//! The client of rmcp, for tests of our own servers: an MCP client that we did not write, in both eras of
//! the protocol.

use rmcp::{
    ClientHandler, ClientLifecycleMode, RoleClient, ServiceExt as _,
    model::{
        ClientCapabilities, ClientConfig, ElicitationCapability, Implementation, ProtocolVersion,
    },
    service::{ClientServiceExt as _, RunningService},
    transport::IntoTransport,
};

/// How a client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: every request stands on its own.
    Modern,
    /// Before that: a handshake first.
    Legacy,
}

/// Both.
pub const ERAS: [Era; 2] = [Era::Modern, Era::Legacy];

/// What a client says about itself; whether a person behind it can be asked.
pub fn config(can_be_asked: bool) -> ClientConfig {
    let mut capabilities = ClientCapabilities::default();
    capabilities.elicitation = can_be_asked.then(ElicitationCapability::default);
    ClientConfig::new(capabilities, Implementation::new("person", "1"))
        .with_protocol_version(ProtocolVersion::V_2025_11_25)
}

/// A client that has begun to speak over these streams.
pub async fn connect<H, T, E, A>(handler: H, streams: T, era: Era) -> RunningService<RoleClient, H>
where
    H: ClientHandler,
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let begun = match era {
        Era::Legacy => handler.serve(streams).await,
        Era::Modern => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let mode = ClientLifecycleMode::Discover { preferred_versions };
            handler.serve_with_lifecycle(streams, mode).await
        }
    };
    begun.unwrap_or_else(|error| panic!("the server does not begin in {era:?}: {error}"))
}
