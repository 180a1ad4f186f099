//! The path of a page below the root of a crate's documentation.
//!
//! Paths come from links in pages, which anybody may have written. One is a list of plain names that
//! ends in `.html`, so it can be a file below a directory and a part of a URL, and nothing else.

use std::fmt;

use camino::Utf8Path;

const MAX_PATH: usize = 1024;

/// `serde_json/value/enum.Value.html`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocPath(String);

impl DocPath {
    /// `None` for whatever is no such path.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_name =
            |name: &str| !name.is_empty() && !name.starts_with('.') && name.chars().all(plain);
        let ok = text.len() <= MAX_PATH
            && Utf8Path::new(text).extension() == Some("html")
            && text.split('/').all(is_name);
        ok.then(|| Self(text.to_owned()))
    }

    /// Where a link on this page leads, and what follows its `#`; `None` if that is another place.
    pub(crate) fn follow<'a>(&self, link: &'a str) -> Option<(Self, &'a str)> {
        let (link, fragment) = link.split_once('#').unwrap_or((link, ""));
        if link.is_empty() {
            return Some((self.clone(), fragment));
        }
        let mut names: Vec<&str> = self.0.split('/').collect();
        names.pop();
        for name in link.split('/') {
            match name {
                "." => {}
                ".." => {
                    names.pop()?;
                }
                name => names.push(name),
            }
        }
        Some((Self::new(&names.join("/"))?, fragment))
    }

    pub(crate) fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(&self.0)
    }

    pub(crate) fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for DocPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_down_only() {
        for good in ["a/index.html", "src/a/b.rs.html", "a/struct.Größe.html"] {
            assert_eq!(DocPath::new(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            "a",
            "/a.html",
            "../a.html",
            "a/../b.html",
            "a//b.html",
            "a/.html",
            "a\\b.html",
            "a?b.html",
            "a%2e.html",
            "https://x/a.html",
            ".a/b.html",
        ] {
            assert_eq!(DocPath::new(bad), None, "{bad}");
        }
    }

    #[test]
    fn links_are_followed_inside() {
        let page = DocPath::new("a/b/struct.C.html").unwrap();
        let follow =
            |link: &str| page.follow(link).map(|(path, fragment)| format!("{path}#{fragment}"));
        assert_eq!(follow("enum.D.html").as_deref(), Some("a/b/enum.D.html#"));
        assert_eq!(follow("../../src/a/x.rs.html#1-2").as_deref(), Some("src/a/x.rs.html#1-2"));
        assert_eq!(follow("#x").as_deref(), Some("a/b/struct.C.html#x"));
        for bad in ["../../../../etc/x.html", "https://x.example/y.html", "/x.html", "x"] {
            assert_eq!(follow(bad), None, "{bad}");
        }
    }
}
