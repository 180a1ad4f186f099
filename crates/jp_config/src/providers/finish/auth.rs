//! What is wrong with `[providers.mcp.<name>.auth]`: keys that contradict each other, or that are missing
//! for what the others ask for; a key file that a workspace names.

use crate::dotted;
use crate::error::{Finding, Findings};
use crate::layer::LayerKind;
use crate::node::{Entry, Table};
use crate::source::Sources;

pub(super) fn check(name: &str, server: &Table, sources: &Sources, errors: &mut Findings) {
    let Some(entry) = server.get("auth") else { return };
    let Some(auth) = entry.node.as_table() else { return };
    let checked = Auth { name, entry, table: auth };
    checked.header(server, errors);
    checked.secret_name(errors);
    checked.description(errors);
    checked.key_file(sources, errors);
    let by_itself =
        auth.get("grant").and_then(|grant| grant.node.as_text()) == Some("client_credentials");
    if by_itself { checked.by_itself(errors) } else { checked.by_person(errors) }
}

struct Auth<'a> {
    name: &'a str,
    entry: &'a Entry,
    table: &'a Table,
}

impl Auth<'_> {
    /// A server gets one thing to let us in.
    fn header(&self, server: &Table, errors: &mut Findings) {
        let headers = server.get("headers").and_then(|headers| headers.node.as_table());
        let mut headers = headers.into_iter().flatten();
        let header = headers.find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if let Some((_, header)) = header {
            let key = dotted::join(&["providers", "mcp", self.name]);
            let message = format!("`{key}` has both `auth` and a header `Authorization`");
            errors.push(
                Finding::new(self.entry.key, self.key(&[]), message)
                    .related(header.key, "the other one")
                    .help("take one away"),
            );
        }
    }

    /// It is the name of a variable, and a secret that stands there instead would be shown.
    fn secret_name(&self, errors: &mut Findings) {
        let Some(entry) = self.table.get("client_secret_env") else { return };
        let Some(text) = entry.node.as_text() else { return };
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        let is_name = text.bytes().next().is_some_and(is_letter)
            && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
        if !is_name {
            let key = self.key(&["client_secret_env"]);
            let message = format!("`{key}` is not the name of a variable");
            errors.push(
                Finding::new(entry.key, key, message)
                    .help("put the secret into a variable, and write the name of that here"),
            );
        }
    }

    fn description(&self, errors: &mut Findings) {
        let Some(entry) = self.table.get("client_metadata_url") else { return };
        let Some(text) = entry.node.as_text() else { return };
        let path = text.strip_prefix("https://").and_then(|rest| rest.split_once('/'));
        if path.is_none_or(|(_, path)| path.is_empty()) {
            let key = self.key(&["client_metadata_url"]);
            let message = format!("`{key}` is not an `https://` URL with a path");
            errors.push(Finding::new(entry.node.origin, key, message));
        }
    }

    /// A workspace may come from anybody. What it has signed with a key of the user is for the user to say.
    fn key_file(&self, sources: &Sources, errors: &mut Findings) {
        let Some(entry) = self.table.get("private_key_file") else { return };
        let layer = sources.of(entry.node.origin).kind;
        if matches!(layer, LayerKind::Workspace | LayerKind::Directory) {
            let key = self.key(&["private_key_file"]);
            let message = format!("`{key}` can only be set in your own settings");
            errors.push(Finding::new(entry.key, key, message));
        }
    }

    fn by_itself(&self, errors: &mut Findings) {
        let proofs = ["client_secret_env", "private_key_file"].map(|key| self.table.get(key));
        let of = self.key(&[]);
        let help = match (self.table.get("client_id"), proofs) {
            (None, _) => "it needs `client_id`",
            (_, [None, None]) => "it needs `client_secret_env` or `private_key_file`",
            (_, [Some(_), Some(_)]) => {
                "it takes one of `client_secret_env` and `private_key_file`, and not both"
            }
            _ => return self.only_for("client_metadata_url", "authorization_code", errors),
        };
        let message = format!("`{of}` cannot log in by `client_credentials`");
        errors.push(Finding::new(self.entry.key, of, message).help(help));
    }

    fn by_person(&self, errors: &mut Findings) {
        self.only_for("private_key_file", "client_credentials", errors);
        if let (Some(secret), None) =
            (self.table.get("client_secret_env"), self.table.get("client_id"))
        {
            let key = self.key(&["client_secret_env"]);
            let message = format!("`{key}` is the secret of a client, and there is no `client_id`");
            errors.push(Finding::new(secret.key, key, message));
        }
    }

    fn only_for(&self, name: &str, grant: &str, errors: &mut Findings) {
        if let Some(entry) = self.table.get(name) {
            let key = self.key(&[name]);
            let message = format!("`{key}` is only for `grant = \"{grant}\"`");
            errors.push(Finding::new(entry.key, key, message));
        }
    }

    fn key(&self, below: &[&str]) -> String {
        dotted::join(&[&["providers", "mcp", self.name, "auth"], below].concat())
    }
}
