//! The usual form of a path, which nobody has to look at twice.

/// Whether a path is relative to some root and is nothing but names with a slash between each two: no NUL, and no
/// `.`, `..` or empty name, so that it is its own shortest form and cannot lead up. Nearly every path is like that.
///
/// A path is looked at by each layer that it comes through, and a file is soon read. So this goes through the
/// bytes once and searches for nothing.
pub fn is_plain_path(path: &str) -> bool {
    let (bytes, mut start) = (path.as_bytes(), 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'/' if is_no_name(&bytes[start..at]) => return false,
            b'/' => start = at + 1,
            0 => return false,
            _ => {}
        }
    }
    !is_no_name(&bytes[start..])
}

fn is_no_name(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_single_slashes_are_plain() {
        for path in ["a", "src/main.rs", "...", "..a/b..", ".git/config", "a/.b", "é/ü"] {
            assert!(is_plain_path(path), "{path:?}");
        }
        for path in [
            "", ".", "..", "/", "/a", "a/", "a//b", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b",
        ] {
            assert!(!is_plain_path(path), "{path:?}");
        }
        for path in ["\0", "a\0b", "a/\0"] {
            assert!(!is_plain_path(path), "{path:?}");
        }
    }
}
