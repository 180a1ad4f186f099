//! A diff taken apart into hunks, and put together again from some of them.
//!
//! The bytes are kept as git printed them, because a file need not be UTF-8. Only the place of a
//! hunk changes: it counts the lines that earlier hunks of the same file add, and some of those are
//! left out.

use jp_tool::ToolError;

/// The files that changed.
pub(crate) struct Diff(Vec<File>);

/// One file: everything from `diff --git` to the first hunk, and the hunks.
pub(crate) struct File {
    header: Vec<u8>,
    hunks: Vec<Hunk>,
}

pub(crate) struct Hunk {
    old: Range,
    new: Range,
    /// What stands behind the second `@@`, with the end of the line.
    title: Vec<u8>,
    lines: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Range {
    start: i64,
    count: i64,
}

impl Diff {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, ToolError> {
        let mut files: Vec<File> = Vec::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(b"diff --git ") {
                files.push(File { header: Vec::new(), hunks: Vec::new() });
            }
            let file = files.last_mut().ok_or("git diff printed something else than a diff")?;
            match file.hunks.last_mut() {
                _ if line.starts_with(b"@@ ") => file.hunks.push(Hunk::parse(line)?),
                Some(hunk) if matches!(line[0], b' ' | b'+' | b'-' | b'\\') => {
                    hunk.lines.extend_from_slice(line);
                }
                Some(_) => return Err("git diff printed something in between the hunks".into()),
                None => file.header.extend_from_slice(line),
            }
        }
        Ok(Self(files))
    }

    /// Every hunk, with its file. A file without any, a binary one for example, has none.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = (&File, &Hunk)> {
        self.0.iter().flat_map(|file| file.hunks.iter().map(move |hunk| (file, hunk)))
    }

    /// A patch with the chosen hunks. What has no answer is not chosen.
    pub(crate) fn patch(&self, chosen: &[bool]) -> Vec<u8> {
        let mut patch = Vec::new();
        let mut chosen = chosen.iter().copied();
        for file in &self.0 {
            let mut left_out = 0;
            let mut header = Some(&file.header);
            for hunk in &file.hunks {
                if chosen.next().unwrap_or(false) {
                    patch.extend(header.take().into_iter().flatten());
                    hunk.write(left_out, &mut patch);
                } else {
                    left_out += hunk.new.count - hunk.old.count;
                }
            }
        }
        patch
    }
}

impl File {
    pub(crate) fn name(&self) -> String {
        let header = String::from_utf8_lossy(&self.header);
        let after = |prefix| header.lines().find_map(|line| line.strip_prefix(prefix));
        // The second is for a file that was removed, the third for a name that git has to quote.
        let name = after("+++ b/").or_else(|| after("--- a/")).or_else(|| after("diff --git "));
        // Git ends a name with spaces in it with a tab.
        name.unwrap_or_default().trim_end_matches('\t').to_owned()
    }
}

impl Hunk {
    fn parse(line: &[u8]) -> Result<Self, ToolError> {
        let text = String::from_utf8_lossy(line);
        let wrong = || ToolError::new(format!("not the head of a hunk: {text}"));
        let mut words = text.split(' ').skip(1);
        let mut range = |sign| Range::parse(words.next()?.strip_prefix(sign)?);
        let old = range('-').ok_or_else(wrong)?;
        let new = range('+').ok_or_else(wrong)?;
        let end = line.windows(3).skip(3).position(|part| part == b" @@").ok_or_else(wrong)?;
        Ok(Self { old, new, title: line[end + 6..].to_vec(), lines: Vec::new() })
    }

    /// The hunk for a person.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        self.write(0, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn write(&self, left_out: i64, patch: &mut Vec<u8>) {
        let Self { old, new, title, lines } = self;
        let start = new.start - left_out;
        let head = format!("@@ -{},{} +{start},{} @@", old.start, old.count, new.count);
        patch.extend_from_slice(head.as_bytes());
        patch.extend_from_slice(title);
        patch.extend_from_slice(lines);
    }
}

impl Range {
    /// `12,3`, or `12` for one line.
    fn parse(text: &str) -> Option<Self> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Self { start: start.parse().ok()?, count: count.parse().ok()? })
    }
}
