//! Where something is fetched from: `https://` or `file://`, and nothing else.
//!
//! Over anything else somebody on the way could choose what is executed here.

use std::fmt;

use camino::Utf8PathBuf;
use url::Url;

/// A place to fetch from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A server that proves who it is.
    Https(String),
    /// A file of this machine.
    File(Utf8PathBuf),
}

/// A URL that nothing is fetched from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSource {
    #[error("`{0}` is not a URL: {1}")]
    Unreadable(String, String),
    #[error("`{0}` is neither an https:// nor a file:// URL")]
    Scheme(String),
    #[error("`{0}` does not name a file of this machine; write file:///path")]
    File(String),
}

impl Source {
    /// Reads a URL.
    pub fn parse(url: &str) -> Result<Self, InvalidSource> {
        let shown = || url.chars().take(200).collect::<String>();
        let parsed = Url::parse(url)
            .map_err(|error| InvalidSource::Unreadable(shown(), error.to_string()))?;
        match parsed.scheme() {
            "https" => Ok(Self::Https(url.to_owned())),
            "file" => {
                let path = parsed.to_file_path().map_err(|()| InvalidSource::File(shown()))?;
                let path = Utf8PathBuf::try_from(path);
                Ok(Self::File(path.map_err(|_| InvalidSource::File(shown()))?))
            }
            _ => Err(InvalidSource::Scheme(shown())),
        }
    }

    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

/// As a URL.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Https(url) => f.write_str(url),
            Self::File(path) => match Url::from_file_path(path) {
                Ok(url) => f.write_str(url.as_str()),
                Err(()) => f.write_str(path.as_str()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_kinds_of_urls_are_fetched_from() {
        // 072-276, 072-277, 072-278
        let https = "https://example.org/plugins.json?a=1";
        assert_eq!(Source::parse(https), Ok(Source::Https(https.to_owned())));
        let file = Source::parse("file:///a/b%20c.json").unwrap();
        assert_eq!(file, Source::File("/a/b c.json".into()));
        assert_eq!(file.to_string(), "file:///a/b%20c.json");
        assert_eq!(Source::parse("file://localhost/x"), Ok(Source::File("/x".into())));
        for bad in
            ["", "x", "/etc/passwd", "http://a.org/x", "ftp://a.org/x", "file://host/x", "data:,x"]
        {
            assert!(Source::parse(bad).is_err(), "{bad}");
        }
    }
}
