//! A table of PostgreSQL.

use std::{collections::BTreeMap, sync::Arc};

use tokio_postgres::Config;

use super::{Opened, Options};
use crate::{OpenError, store::table::Table};

const OPTIONS: &[&str] = &["url", "password", "table"];
const DEFAULT_TABLE: &str = "jp_files";

pub(super) fn store(options: &BTreeMap<String, String>, root: &str) -> Result<Opened, OpenError> {
    let options = Options::new("postgresql", options, OPTIONS)?;
    // What the parser says may quote a part of it.
    let not_a_url = |_| options.invalid("url", "is not like postgresql://user@host:5432/database");
    let mut config: Config = options.need("url")?.parse().map_err(not_a_url)?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(options.invalid("url", "names no host"));
    }
    if let Some(password) = options.get("password") {
        config.password(password);
    }
    let table = options.get("table").unwrap_or(DEFAULT_TABLE);
    if table.contains('\0') || table.split('.').any(str::is_empty) {
        return Err(
            options.invalid("table", "is a name, or a schema and a name with a dot between")
        );
    }
    let limit = options.limit()?;
    let table = Table::new(config, table, root, limit);
    let table = table.map_err(|error| options.refused(&error.to_string()))?;
    Ok((Arc::new(table), limit))
}
