//! Strings with a form: names, tool sources, URLs, checksums, addresses.
//!
//! The schema names the form (`format`) and gives editors a pattern for it; the function here is
//! what decides, because it can also say what is wrong. A test holds the two together.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::ops::Deref;

use jp_tool::access::{SensitivePaths, SensitivePatternError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::conversation::tool::source::ToolSource;
use crate::suggest;

/// The longest name of a tool, a plugin or a question.
const MAX_NAME: usize = 64;

/// The longest path, in bytes; no system has longer ones.
const MAX_PATH: usize = 4096;

/// The form of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A name that people choose.
    Name,
    /// A name of a tool, or `*`.
    ToolName,
    /// See [`ToolSource`].
    ToolSource,
    /// See [`RegistryUrl`].
    RegistryUrl,
    /// See [`Sha256`].
    Sha256,
    /// See [`BindAddress`].
    BindAddress,
    /// See [`SystemPath`].
    SystemPath,
    /// See [`SensitivePattern`].
    SensitivePattern,
    /// See [`ProgramPath`].
    ProgramPath,
    /// See [`HttpUrl`].
    HttpUrl,
}

impl Format {
    /// Every form there is.
    pub(crate) const ALL: [Self; 10] = [
        Self::Name,
        Self::ToolName,
        Self::ToolSource,
        Self::RegistryUrl,
        Self::Sha256,
        Self::BindAddress,
        Self::SystemPath,
        Self::SensitivePattern,
        Self::ProgramPath,
        Self::HttpUrl,
    ];

    /// The word for it in the schema.
    pub(crate) fn keyword(self) -> &'static str {
        match self {
            Self::Name => "jp-name",
            Self::ToolName => "jp-tool-name",
            Self::ToolSource => "jp-tool-source",
            Self::RegistryUrl => "jp-registry-url",
            Self::Sha256 => "jp-sha256",
            Self::BindAddress => "jp-bind-address",
            Self::SystemPath => "jp-system-path",
            Self::SensitivePattern => "jp-sensitive-pattern",
            Self::ProgramPath => "jp-program-path",
            Self::HttpUrl => "jp-http-url",
        }
    }

    /// The form a word of the schema stands for.
    pub(crate) fn from_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.keyword() == keyword)
    }

    /// The same form as a regular expression, for editors.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Name => r"^[A-Za-z0-9_.-]{1,64}$",
            Self::ToolName => r"^([A-Za-z0-9_.-]{1,64}|\*)$",
            Self::ToolSource => r"^((local|builtin)(\.[!-~]+)?|mcp\.[!-\-/-~]+\.[!-~]+)$",
            Self::RegistryUrl => r"^(https|file)://[!-~]+$",
            Self::Sha256 => r"^[0-9A-Fa-f]{64}$",
            Self::BindAddress => {
                r"^(\[?[0-9A-Fa-f:.]+\]?|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)$"
            }
            Self::SystemPath => r"^(~|~/.*|/.*)$",
            Self::SensitivePattern => r"^(\*\*/[^/]+/?|(~/|/)[^*/][^*]*|[^*~/][^*]*)$",
            Self::ProgramPath => r"^[^~]",
            Self::HttpUrl => r"^https?://[!-~]+$",
        }
    }

    /// The schema of a string of this form.
    pub(crate) fn schema(self) -> Schema {
        json_schema!({ "type": "string", "format": self.keyword(), "pattern": self.pattern() })
    }

    /// Whether `text` has this form; the error says what is wrong with it.
    pub(crate) fn check(self, text: &str) -> Result<(), FormatError> {
        match self {
            Self::ToolName if text == "*" => Ok(()),
            Self::Name | Self::ToolName => check_name(text),
            Self::ToolSource => text.parse::<ToolSource>().map(drop),
            Self::RegistryUrl => check_registry(text),
            Self::Sha256 => check_sha256(text),
            Self::BindAddress => check_bind(text),
            Self::SystemPath => check_system_path(text),
            Self::SensitivePattern => check_sensitive(text),
            Self::ProgramPath => check_program_path(text),
            Self::HttpUrl => check_http(text),
        }
    }
}

/// What is wrong with a string. The message continues a sentence that begins with the string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) suggestion: Option<String>,
}

impl FormatError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, suggestion: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the known word nearest to `word`, followed by what came after it.
    pub(crate) fn nearest<const N: usize>(
        mut self,
        word: &str,
        known: [&str; N],
        rest: Option<&str>,
    ) -> Self {
        self.suggestion = suggest::nearest(word, known).map(|near| match rest {
            Some(rest) => format!("{near}.{rest}"),
            None => near.to_owned(),
        });
        self
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormatError {}

/// Makes a string type that exists only in its checked form.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $format:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = FormatError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                $format.check(&text)?;
                Ok(Self(text))
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $format.schema()
            }
        }
    };
}

checked_text!(
    /// Where the list of plugins is fetched from. Only `https://` and `file://` are accepted: what
    /// is in the list gets executed, so nobody on the way may change it.
    RegistryUrl,
    Format::RegistryUrl
);

checked_text!(
    /// A SHA-256 checksum in hexadecimal digits, as it was written.
    Sha256,
    Format::Sha256
);

checked_text!(
    /// An address or a host name to listen on, without a port.
    BindAddress,
    Format::BindAddress
);

checked_text!(
    /// A file or directory outside the workspace, absolute or below the home directory (`~/`), as it
    /// was written.
    SystemPath,
    Format::SystemPath
);

checked_text!(
    /// A pattern for paths that hold secrets, as `jp_tool::access::SensitivePaths` reads it.
    SensitivePattern,
    Format::SensitivePattern
);

checked_text!(
    /// A file or directory that the program of a tool consists of, absolute or below the root of the
    /// workspace, as it was written.
    ProgramPath,
    Format::ProgramPath
);

checked_text!(
    /// The address of a server that speaks HTTP. A password in it would be shown wherever the address
    /// is, so it has none.
    HttpUrl,
    Format::HttpUrl
);

impl Default for RegistryUrl {
    fn default() -> Self {
        Self("https://jp.computer/plugins.json".to_owned())
    }
}

impl Sha256 {
    /// Whether this is the checksum `hex`, in whatever case either is written.
    pub fn matches(&self, hex: &str) -> bool {
        self.0.eq_ignore_ascii_case(hex)
    }

    /// The checksum itself. The text was checked when it was read, so nothing of it is left out.
    pub fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(self.0.as_bytes().chunks(2)) {
            let digit = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default();
            let value = digits.iter().fold(0, |value, at| value * 16 + digit(*at));
            *byte = u8::try_from(value).unwrap_or_default();
        }
        bytes
    }
}

impl Default for BindAddress {
    fn default() -> Self {
        Self("127.0.0.1".to_owned())
    }
}

fn check_name(name: &str) -> Result<(), FormatError> {
    if name.is_empty() {
        return Err(FormatError::new("is not a usable name: it is empty"));
    }
    if name.chars().count() > MAX_NAME {
        let message = format!("is not a usable name: it is longer than {MAX_NAME} characters");
        return Err(FormatError::new(message));
    }
    if !name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.-".contains(&it)) {
        return Err(FormatError::new("is not a usable name")
            .help("a name consists of ASCII letters, digits, `_`, `.` and `-`"));
    }
    Ok(())
}

fn check_registry(url: &str) -> Result<(), FormatError> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("file://"));
    match rest {
        Some(rest) if !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_graphic()) => Ok(()),
        Some(_) => Err(FormatError::new("is not a URL that can be fetched")),
        None => Err(FormatError::new("is not an `https://` or `file://` URL")
            .help("plugins are executed, so their list is only read over a protected way")),
    }
}

fn check_http(url: &str) -> Result<(), FormatError> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Err(FormatError::new("is not an `https://` or `http://` URL"));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || !rest.bytes().all(|it| it.is_ascii_graphic()) {
        return Err(FormatError::new("is not a URL that can be reached"));
    }
    if authority.contains('@') {
        return Err(FormatError::new("has a user name or a password in it")
            .help("put it into `headers`, from a variable"));
    }
    Ok(())
}

fn check_sha256(hex: &str) -> Result<(), FormatError> {
    if hex.len() == 64 && hex.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(());
    }
    let digits = hex.chars().count();
    Err(FormatError::new(format!(
        "is not a SHA-256 checksum: 64 hexadecimal digits are needed, these are {digits} characters"
    )))
}

fn check_system_path(path: &str) -> Result<(), FormatError> {
    if !path.starts_with('/') && path != "~" && !path.starts_with("~/") {
        return Err(FormatError::new("is not an absolute path")
            .help("write `/path`, or `~/path` for a place in the home directory"));
    }
    check_path(path)
}

fn check_program_path(path: &str) -> Result<(), FormatError> {
    if path.is_empty() {
        return Err(FormatError::new("is not a path: it is empty"));
    }
    if path.starts_with('~') {
        return Err(FormatError::new("begins with `~`, which means nothing here")
            .help("write the absolute path, or `./~` for a file of that name in the workspace"));
    }
    // The program would read by itself what it has to ask for.
    if path.split('/').all(|part| part.is_empty() || part == ".") {
        let whole = if path.starts_with('/') { "file system" } else { "workspace" };
        return Err(FormatError::new(format!("is the whole {whole}"))
            .help("name the files and directories that the program consists of"));
    }
    check_path(path)
}

fn check_path(path: &str) -> Result<(), FormatError> {
    if path.len() > MAX_PATH {
        return Err(FormatError::new(format!("is longer than {MAX_PATH} bytes")));
    }
    if path.contains(char::is_control) {
        return Err(FormatError::new("has a control character in it"));
    }
    // What it leads to would depend on the links on the way, and it could not be compared.
    if path.split('/').any(|part| part == "..") {
        return Err(FormatError::new("has `..` in it").help("write where it leads"));
    }
    Ok(())
}

fn check_sensitive(pattern: &str) -> Result<(), FormatError> {
    match SensitivePaths::builtin().with(pattern) {
        Ok(_) => Ok(()),
        Err(SensitivePatternError::Form { reason, .. }) => Err(FormatError::new(format!(
            "is not a pattern for sensitive paths: {reason}"
        ))
        .help(
            "write `~/path`, `/path`, `path/in/the/workspace`, or `**/name` for a name anywhere in \
             the workspace, where `*` in the name stands for any characters",
        )),
        Err(error) => Err(FormatError::new(format!("cannot be added: {error}"))),
    }
}

fn check_bind(address: &str) -> Result<(), FormatError> {
    let unbracketed = address.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    if unbracketed.unwrap_or(address).parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    let edge = |it: Option<u8>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    let bytes = address.as_bytes();
    let host = edge(bytes.first().copied())
        && edge(bytes.last().copied())
        && bytes.iter().all(|it| it.is_ascii_alphanumeric() || b".-".contains(it));
    if host {
        return Ok(());
    }
    let error = FormatError::new("is not an address or a host name");
    match address.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => {
            Err(error.help("the port has its own key, `port`"))
        }
        _ => Err(error),
    }
}
