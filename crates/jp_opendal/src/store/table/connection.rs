//! The connection to the database: made late, made again, given up in time.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio_postgres::{
    Client, Config, NoTls, Row,
    config::{Host, SslMode},
    error::SqlState,
};

use super::{Param, tls::Tls};
use crate::{secret::Secrets, store::StoreError, tls::client_config};

/// How often something is tried again when the connection was lost, and how long is waited before.
const RETRIES: u32 = 3;
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// Whether a statement can be repeated when nobody knows whether it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    Yes,
    No,
}

pub(super) struct Connection {
    config: Config,
    tls: Option<Tls>,
    /// As it is written in a statement.
    table: String,
    limit: Duration,
    secrets: Secrets,
    client: Mutex<Option<Arc<Client>>>,
}

impl Connection {
    pub(super) fn new(
        mut config: Config,
        table: String,
        limit: Duration,
    ) -> Result<Self, StoreError> {
        let password =
            config.get_password().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let mode = encryption(&config);
        let tls = if mode == SslMode::Disable { None } else { Some(tls()?) };
        let options = config.get_options().unwrap_or_default();
        // So that the server gives up when we do.
        let options = format!("{options} -c statement_timeout={}", limit.as_millis());
        config.options(options.trim()).ssl_mode(mode).connect_timeout(limit);
        if config.get_application_name().is_none() {
            config.application_name("jp");
        }
        let secrets = Secrets::new(password);
        Ok(Self { config, tls, table, limit, secrets, client: Mutex::default() })
    }

    /// The rows of a statement.
    pub(super) async fn rows(
        &self,
        repeat: Repeat,
        statement: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let mut delay = FIRST_DELAY;
        for _ in 0..RETRIES {
            let failure = match self.attempt(statement, params).await {
                Ok(rows) => return Ok(rows),
                Err(failure) => failure,
            };
            let is_lost = matches!(failure.error, StoreError::Unreachable(_));
            if !is_lost || (failure.was_sent && repeat == Repeat::No) {
                return Err(failure.error);
            }
            tokio::time::sleep(delay).await;
            delay *= 2;
        }
        self.attempt(statement, params).await.map_err(|failure| failure.error)
    }

    async fn attempt(&self, statement: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Failure> {
        let client = self.client().await.map_err(|error| Failure { error, was_sent: false })?;
        let mut waiting = Waiting { connection: self, client: &client, is_answered: false };
        let rows = client.query_typed(statement, params).await;
        waiting.is_answered = !client.is_closed();
        rows.map_err(|error| Failure { error: self.error(&error), was_sent: true })
    }

    async fn client(&self) -> Result<Arc<Client>, StoreError> {
        if let Some(client) = self.lock().as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(self.connect().await?);
        // Two that connect at once have two connections; one of them ends with its question.
        *self.lock() = Some(Arc::clone(&client));
        Ok(client)
    }

    async fn connect(&self) -> Result<Client, StoreError> {
        let failed = |error: tokio_postgres::Error| self.error(&error);
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(tls.clone()).await.map_err(failed)?;
            // Its error is the error of whoever waits for an answer.
            tokio::spawn(async move { connection.await.is_ok() });
            return Ok(client);
        }
        let (client, connection) = self.config.connect(NoTls).await.map_err(failed)?;
        tokio::spawn(async move { connection.await.is_ok() });
        Ok(client)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Client>>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, error: &tokio_postgres::Error) -> StoreError {
        let Some(answer) = error.as_db_error() else {
            return StoreError::Unreachable(self.secrets.hide(&with_cause(error)));
        };
        let text = self.secrets.hide(answer.message());
        match answer.code() {
            &SqlState::UNDEFINED_TABLE | &SqlState::UNDEFINED_COLUMN => {
                StoreError::Config(format!(
                    "{text}; make the table with: CREATE TABLE {} (key text COLLATE \"C\" PRIMARY KEY, \
                 value bytea NOT NULL)",
                    self.table
                ))
            }
            &SqlState::INVALID_CATALOG_NAME => StoreError::Config(text),
            &SqlState::INVALID_PASSWORD
            | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | &SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Refused(text),
            &SqlState::UNIQUE_VIOLATION => StoreError::Occupied,
            &SqlState::QUERY_CANCELED => StoreError::Timeout(self.limit),
            code if code.code().starts_with("57P") || code.code().starts_with("08") => {
                StoreError::Unreachable(text)
            }
            &SqlState::TOO_MANY_CONNECTIONS => StoreError::Unreachable(text),
            _ => StoreError::Failed(text),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("table", &self.table).finish_non_exhaustive()
    }
}

struct Failure {
    error: StoreError,
    /// Whether the server may have got the statement.
    was_sent: bool,
}

/// A question on its way. Dropped before its answer, it takes the connection with it.
struct Waiting<'a> {
    connection: &'a Connection,
    client: &'a Arc<Client>,
    is_answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.connection.lock().take_if(|client| Arc::ptr_eq(client, self.client));
        }
    }
}

/// Whether a connection is encrypted: always, if nobody says otherwise, unless it stays on this machine. Where
/// addresses are given it is those that are dialed, whatever the hosts are called.
fn encryption(config: &Config) -> SslMode {
    let is_local = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
    };
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let names_a_place = !hosts.is_empty() || !addresses.is_empty();
    let stays_here = names_a_place
        && hosts.iter().all(is_local)
        && addresses.iter().all(std::net::IpAddr::is_loopback);
    match config.get_ssl_mode() {
        SslMode::Prefer if stays_here => SslMode::Disable,
        SslMode::Prefer => SslMode::Require,
        mode => mode,
    }
}

fn tls() -> Result<Tls, StoreError> {
    let failed = |error| StoreError::Config(format!("cannot encrypt connections: {error}"));
    client_config().map(|config| Tls(Arc::new(config))).map_err(failed)
}

fn with_cause(error: &tokio_postgres::Error) -> String {
    let text = error.to_string();
    match std::error::Error::source(error).map(ToString::to_string) {
        Some(cause) if !text.contains(&cause) => format!("{text}: {cause}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_machine_is_encrypted() {
        for (url, expected) in [
            ("postgresql://me@db.example.org/x", SslMode::Require),
            ("postgresql://me@db.example.org/x?sslmode=prefer", SslMode::Require),
            ("postgresql://me@db.example.org/x?sslmode=disable", SslMode::Disable),
            ("postgresql://me@localhost/x", SslMode::Disable),
            ("postgresql://me@localhost/x?sslmode=require", SslMode::Require),
            ("postgresql:///x?host=/run/postgresql", SslMode::Disable),
            ("postgresql://me@localhost,db.example.org/x", SslMode::Require),
            ("user=me dbname=x hostaddr=192.0.2.2", SslMode::Require),
            ("user=me dbname=x hostaddr=127.0.0.1", SslMode::Disable),
            ("user=me dbname=x hostaddr=127.0.0.1,192.0.2.2", SslMode::Require),
            ("user=me dbname=x host=localhost hostaddr=192.0.2.2", SslMode::Require),
            ("user=me dbname=x host=db.example.org hostaddr=127.0.0.1", SslMode::Require),
            ("user=me dbname=x", SslMode::Require),
        ] {
            assert_eq!(encryption(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
