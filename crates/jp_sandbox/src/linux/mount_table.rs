//! Where something is mounted, as the kernel lists it.

use std::io;

use camino::Utf8PathBuf;

/// The mount points that this process sees, by path. One whose path is no text is left out: nothing
/// in a view can name it.
pub fn mount_points() -> io::Result<Vec<Utf8PathBuf>> {
    #[expect(clippy::disallowed_methods, reason = "the kernel lists the mounts of a process there")]
    let table = std::fs::read("/proc/self/mountinfo")?;
    let lines =
        table.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let mut paths: Vec<_> =
        lines.filter_map(|line| line.split(' ').nth(4)).filter_map(unescape).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// A path as the kernel writes it in tables: white space and backslashes as three octal digits.
fn unescape(written: &str) -> Option<Utf8PathBuf> {
    let mut path = Vec::with_capacity(written.len());
    let mut rest = written.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        path.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    String::from_utf8(path).ok().map(Utf8PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped() {
        let check = |written, want: &str| assert_eq!(unescape(written).unwrap(), want);
        check("/", "/");
        check("/a\\040b", "/a b");
        check("/\\134", "/\\");
        check("/caf\\303\\251", "/café");
        check("/odd\\9", "/odd\\9");
        assert_eq!(unescape("/\\377"), None);
    }

    #[test]
    fn of_this_process() {
        let points = mount_points().unwrap();
        assert!(points.contains(&"/".into()) && points.contains(&"/proc".into()), "{points:?}");
    }
}
