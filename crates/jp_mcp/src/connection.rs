//! A server that was greeted, and can be asked.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};

use rmcp::{
    Peer, RoleClient,
    model::{ServerPeerInfo, SubscriptionFilter},
    service::RunningService,
};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::{
    handler::Handler,
    launch::Process,
    limits::{FAREWELL, SUBSCRIBE},
    request::{self, Ask, Failure},
    server_spec::Era,
    shared::Shared,
    stderr::Tail,
};

/// So long is waited for the last words of a program that has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A connection. Dropping it kills the program.
pub(crate) struct Connection {
    peer: Peer<RoleClient>,
    pub(crate) shared: Arc<Shared>,
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
    program: Mutex<Option<Box<dyn Process>>>,
    stderr: Option<Tail>,
    /// Whether the server has said that it will tell about changes; or that it will not.
    subscribed: watch::Receiver<bool>,
    begun: Instant,
}

impl Connection {
    pub(crate) fn new(
        running: RunningService<RoleClient, Handler>,
        shared: Arc<Shared>,
        program: Option<Box<dyn Process>>,
        stderr: Option<Tail>,
    ) -> Self {
        let peer = running.peer().clone();
        let subscribed = subscribe(&peer, &shared);
        let (running, program) = (Mutex::new(Some(running)), Mutex::new(program));
        let begun = Instant::now();
        Self { peer, shared, running, program, stderr, subscribed, begun }
    }

    /// Whether it can be asked, as far as is known.
    pub(crate) fn is_alive(&self) -> bool {
        !self.shared.closed.is_cancelled() && !self.peer.is_transport_closed()
    }

    /// It is of no use any more: the next call gets a new one.
    pub(crate) fn condemn(&self) {
        self.shared.closed.cancel();
    }

    /// What the server said about itself.
    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// The era that was agreed on.
    pub(crate) fn era(&self) -> Era {
        era(self.info().as_deref())
    }

    /// How often the tools have changed, once the server had the time to say that it will tell.
    pub(crate) async fn changes(&self) -> u64 {
        let mut subscribed = self.subscribed.clone();
        let _ = timeout_at(self.begun + SUBSCRIBE, subscribed.wait_for(|done| *done)).await;
        self.shared.changes.load(Ordering::Relaxed)
    }

    /// Asks the server.
    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Result<Value, Failure> {
        request::send(&self.peer, &self.shared, ask).await
    }

    /// The end of its stderr. Where it has ended, what it wrote last is waited for.
    pub(crate) async fn last_words(&self) -> String {
        match &self.stderr {
            Some(tail) if self.is_alive() => tail.text(),
            Some(tail) => tail.last_words(LAST_WORDS).await,
            None => String::new(),
        }
    }

    /// Ends it: its input first, so that it can leave by itself, then everything it has started.
    pub(crate) async fn close(&self) {
        let running = take(&self.running);
        let program = take(&self.program);
        if let Some(mut running) = running {
            let _ = running.close_with_timeout(FAREWELL).await;
        }
        if let Some(program) = program {
            if let Some(tail) = &self.stderr {
                tail.last_words(FAREWELL).await;
            }
            program.stop().await;
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("shared", &self.shared).finish_non_exhaustive()
    }
}

/// The era of a server that said this about itself.
fn era(info: Option<&ServerPeerInfo>) -> Era {
    match info {
        Some(info) if !info.protocol_version.has_initialize() => Era::Modern,
        _ => Era::Legacy,
    }
}

/// In the newer era a server tells about changes only who wants to know.
fn subscribe(peer: &Peer<RoleClient>, shared: &Arc<Shared>) -> watch::Receiver<bool> {
    let info = peer.peer_info();
    let tools = info.as_ref().and_then(|info| info.capabilities.tools.as_ref());
    let will_tell = tools.is_some_and(|tools| tools.list_changed == Some(true));
    let (done, subscribed) = watch::channel(false);
    if !will_tell || era(info.as_deref()) == Era::Legacy {
        let _ = done.send(true);
        return subscribed;
    }
    let (peer, shared) = (peer.clone(), shared.clone());
    tokio::spawn(async move {
        let begun = Instant::now();
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let listening = tokio::select! {
            listening = peer.listen(filter) => listening,
            () = shared.closed.cancelled() => return,
        };
        if begun.elapsed() >= SUBSCRIBE {
            // Somebody may have listed the tools meanwhile, and not heard of a change.
            shared.changes.fetch_add(1, Ordering::Relaxed);
        }
        let _ = done.send(true);
        if let Ok(mut listening) = listening {
            // The transport counts the changes; here the subscription is only kept.
            while let Ok(Some(_)) = listening.next().await {}
        }
    });
    subscribed
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
