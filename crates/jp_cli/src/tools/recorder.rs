//! Writes down what sealed tools ask for: `--trace FILE`.
//!
//! Whoever looks at a trace to find out what a tool did has to find all of it. So the file is opened before
//! the tool starts, and a record that cannot be written is an error, which ends the call. A line is written
//! by one system call that appends it, so that several processes can share a file.

use std::{
    fs::File,
    io::{self, Write as _},
};

use camino::Utf8Path;
use jp_config::conversation::tool::{Runtime, Tool};
use jp_vfs::{Record, Recorder};

use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
};

/// The longest text of a record; a tool can send paths of megabytes.
const LONGEST: usize = 8192;

/// A file that records are appended to.
#[derive(Debug)]
pub(crate) struct TraceFile(File);

impl TraceFile {
    /// Opens the file for a tool that is to be called.
    pub(crate) fn open(ctx: &Ctx, tool: &Tool<'_>, path: &Utf8Path) -> Result<Self> {
        if tool.config.runtime != Runtime::Vfs {
            let (name, runtime) = (tool.name, tool.config.runtime);
            let error =
                format!("--trace: `{name}` has the runtime `{runtime}` and asks for nothing");
            return Err(Error::usage(error)
                .hint("only tools with `runtime = \"vfs\"` ask jp for what they use"));
        }
        Ok(Self(ctx::append_to(path, ctx.cwd(), "--trace")?))
    }
}

impl Recorder for TraceFile {
    fn record(&self, record: &Record) -> io::Result<()> {
        let mut line = line(record)?;
        line.push(b'\n');
        // A part of a line is worse than none, and what comes after it would be lost too.
        match (&self.0).write(&line)? {
            written if written == line.len() => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::WriteZero, "a record was written in part")),
        }
    }
}

fn line(record: &Record) -> io::Result<Vec<u8>> {
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|it| it.len() > LONGEST);
    if ![&record.method, &record.target, &record.rule].into_iter().any(is_long) {
        return Ok(serde_json::to_vec(record)?);
    }
    let mut record = record.clone();
    for text in [&mut record.method, &mut record.target, &mut record.rule].into_iter().flatten() {
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
    }
    Ok(serde_json::to_vec(&record)?)
}

#[cfg(test)]
mod tests {
    use jp_tool::vfs::Id;
    use jp_vfs::Decided;

    use super::*;

    const DOCUMENT: &str = include_str!("../../../../docs/protocols/trace.md");

    /// What the document shows first.
    fn read() -> Record {
        Record {
            time: "2026-11-16T05:30:00.012Z".parse().unwrap(),
            tool: "lint".to_owned(),
            id: Some(Id::from(1)),
            method: Some("fs.read".to_owned()),
            target: Some("src/main.rs".to_owned()),
            decision: Decided::Allowed,
            rule: Some("read in \".\"".to_owned()),
            code: None,
            bytes_in: 72,
            bytes_out: 1311,
            micros: 84,
        }
    }

    #[test]
    fn records_are_written_as_the_document_says() {
        let broken = Record {
            time: "2026-11-16T05:30:14.105Z".parse().unwrap(),
            id: None,
            method: None,
            target: None,
            decision: Decided::None,
            rule: None,
            code: Some(-32700),
            bytes_in: 9,
            bytes_out: 98,
            micros: 7,
            ..read()
        };
        for record in [read(), broken] {
            let written = String::from_utf8(line(&record).unwrap()).unwrap();
            assert!(DOCUMENT.lines().any(|line| line == written), "{written}");
        }
        for decision in [
            Decided::Allowed,
            Decided::Denied,
            Decided::AskedNo,
            Decided::AskedOnce,
            Decided::AskedRun,
            Decided::AskedKeep,
            Decided::None,
        ] {
            let written = serde_json::to_string(&decision).unwrap();
            assert!(DOCUMENT.contains(&format!("\"decision\":{written}")), "{written}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let record = Record { target: Some("é".repeat(1 << 20)), ..read() };
        let written = line(&record).unwrap();
        assert!(written.len() < LONGEST + 1024);
        let back: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert!(back["target"].as_str().unwrap().ends_with("é…"));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let full = ctx::append_to(Utf8Path::new("/dev/full"), Utf8Path::new("/"), "--trace");
        assert!(TraceFile(full.unwrap()).record(&read()).is_err());
    }

    #[test]
    fn lines_of_many_do_not_mix() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let file = TraceFile(ctx::append_to("t".into(), dir, "--trace").unwrap());
                    let record = Record { target: Some("x".repeat(5000)), ..read() };
                    for _ in 0..50 {
                        file.record(&record).unwrap();
                    }
                });
            }
        });
        let text = ctx::read_file(&dir.join("t"), "t", 1 << 24).unwrap();
        let records = text.lines().map(serde_json::from_str::<serde_json::Value>);
        assert_eq!(records.map(std::result::Result::unwrap).count(), 200);
    }
}
