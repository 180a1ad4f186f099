//! Words of a server, made fit for an error or a status.
//!
//! What a server says can be as long as a message and can hold what a terminal acts on. Errors are passed on
//! to people and to models, so the words in them are short and plain; whoever wants all of them has the
//! answer itself.

/// The longest piece of text that is quoted, in characters.
const LONGEST: usize = 2000;

/// So many of the last lines of stderr are quoted.
const LINES: usize = 5;

/// Short and plain.
pub(crate) fn plain(text: &str) -> String {
    let mut kept: String =
        text.chars().filter(|letter| !is_acted_on(*letter)).take(LONGEST).collect();
    if kept.len() < text.len() && text.chars().nth(LONGEST).is_some() {
        kept.push('…');
    }
    kept
}

/// The last lines of stderr, as the end of a sentence. Nothing, if there are none.
pub(crate) fn said(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    if last.is_empty() { String::new() } else { format!("; it wrote: {}", plain(&last.join("\n"))) }
}

fn is_acted_on(letter: char) -> bool {
    let turns_around =
        ('\u{202a}'..='\u{202e}').contains(&letter) || ('\u{2066}'..='\u{2069}').contains(&letter);
    (letter.is_control() && letter != '\n' && letter != '\t') || turns_around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_left_out() {
        assert_eq!(plain("a\u{1b}[31mb\r\u{7}\u{9b}c\n\u{202e}d"), "a[31mbc\nd");
        assert_eq!(plain("für 𝄞"), "für 𝄞");
    }

    #[test]
    fn long_text_is_cut() {
        let cut = plain(&"ü".repeat(1_000_000));
        assert_eq!(cut.chars().count(), LONGEST + 1);
        assert!(cut.ends_with('…'));
        assert_eq!(plain(&"ü".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn the_last_lines_are_quoted() {
        assert_eq!(said("\n \n"), "");
        assert_eq!(said("1\n2\n3\n\n4\n5\n6\n"), "; it wrote: 2\n3\n4\n5\n6");
    }
}
