//! Searches that the suite of all backends is too small for.

use super::*;
use crate::{MemoryProjectFiles, ProjectFiles, WriteMode};

/// The numbers of the lines of the only file with hits, and whether each is one.
fn lines(project: &MemoryProjectFiles, context: usize) -> Vec<(u64, bool)> {
    let answer = project.grep(&GrepQuery { context, ..GrepQuery::new("needle") }).unwrap();
    assert_eq!((answer.files.len(), answer.unread, answer.limit_reached), (1, 0, false));
    answer.files[0].lines.iter().map(|line| (line.number, line.is_match)).collect()
}

// What is asked for beside a hit does not make it disappear.
#[test]
fn a_hit_is_told_also_where_the_lines_around_it_do_not_fit_into_memory() {
    let project = MemoryProjectFiles::new();
    let mut content = String::new();
    for number in 1..=20 {
        content.push_str(if number == 15 { "needle " } else { "hay " });
        content.push_str(&"x".repeat(1_000_000));
        content.push('\n');
    }
    let path = ProjectPath::new("large").unwrap();
    project.write(&path, content.as_bytes(), WriteMode::CreateNew).unwrap();
    assert_eq!(lines(&project, 0), [(15, true)]);
    assert_eq!(lines(&project, 10), [(15, true)]);
    assert_eq!(lines(&project, 1), [(14, false), (15, true), (16, false)]);
}

// A line that does not fit itself is not told, whatever is asked for beside it.
#[test]
fn a_file_with_a_line_that_does_not_fit_counts_as_unread() {
    let project = MemoryProjectFiles::new();
    let path = ProjectPath::new("large").unwrap();
    let content = format!("needle {}\n", "x".repeat(MAX_HEAP));
    project.write(&path, content.as_bytes(), WriteMode::CreateNew).unwrap();
    for context in [0, 2] {
        let answer = project.grep(&GrepQuery { context, ..GrepQuery::new("needle") }).unwrap();
        assert_eq!((answer.files.len(), answer.unread), (0, 1), "{context}");
    }
}
