//! Searches that the suite of all backends is too small for.

#![expect(clippy::disallowed_methods, reason = "tests look at their own memory")]

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

// A pattern that needs a state of its own for nearly every byte. What is remembered of them is shared out among the
// threads, of which there can be many.
#[test]
fn a_pattern_of_many_states_is_searched_in_bounded_memory() {
    let project = MemoryProjectFiles::new();
    let mut bits = 1_u64;
    for number in 0..40 {
        let mut content = String::new();
        for place in 1..=20_000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            content.push(if bits >> 63 == 0 { '0' } else { '1' });
            if place % 1_000 == 0 {
                content.push('\n');
            }
        }
        let path = ProjectPath::new(&number.to_string()).unwrap();
        project.write(&path, content.as_bytes(), WriteMode::CreateNew).unwrap();
    }
    let before = most_memory();
    let answer = project.grep(&GrepQuery::new("(?-u)1[01]{100}[2-9]")).unwrap();
    assert_eq!((answer.files.len(), answer.unread), (0, 0));
    let grown = most_memory() - before;
    assert!(grown < 60 << 20, "it took {grown} bytes");
}

/// The most memory that this process ever had, in bytes.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}
