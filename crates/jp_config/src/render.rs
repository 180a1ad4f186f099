//! A finding as people see it: the message, the line with a caret under what is meant, help.
//!
//! The lines come from files that may have been written to do harm, so nothing in them reaches the
//! terminal as a control sequence.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};

use crate::error::{Finding, Severity};
use crate::node::Origin;
use crate::source::Sources;

/// Longer lines are named and not shown: nobody reads them, and laying them out takes long.
const MAX_SHOWN_LINE: usize = 2000;

/// The finding as a block of lines, without a line break at the end.
pub(crate) fn finding(
    finding: &Finding,
    severity: Severity,
    sources: &Sources,
    color: bool,
) -> String {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = level.primary_title(finding.message.as_str()).element(place(
        finding.at,
        finding.label.as_deref(),
        AnnotationKind::Primary,
        sources,
    ));
    for (at, remark) in &finding.related {
        group = group.element(place(*at, Some(remark), AnnotationKind::Context, sources));
    }
    for help in helps(finding) {
        group = group.element(Level::HELP.message(help));
    }
    render(group, color)
}

fn render(group: Group<'_>, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.render(&[group]);
    // The renderer leaves blanks at the end of empty lines.
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The suggestion and the help, as sentences.
fn helps(finding: &Finding) -> Vec<String> {
    let suggestion = finding.suggestion.iter().map(|it| format!("did you mean `{it}`?"));
    suggestion.chain(finding.help.iter().cloned()).collect()
}

/// The line at `at` with a mark, or its position alone if it cannot be shown.
fn place<'a>(
    at: Origin,
    label: Option<&'a str>,
    kind: AnnotationKind,
    sources: &'a Sources,
) -> Element<'a> {
    let source = sources.of(at);
    let position = sources.position(at);
    let (line, part) = source.line(at);
    if line.len() > MAX_SHOWN_LINE {
        let place = annotate_snippets::Origin::path(source.name.as_str());
        return place.line(position.line).char_column(position.column).into();
    }
    let mark = kind.span(part).label(label);
    Snippet::source(without_controls(line))
        .line_start(position.line)
        .path(source.name.as_str())
        .annotation(mark)
        .into()
}

/// The line without the second set of control characters, which the renderer lets through. The
/// stand-in has as many bytes, so the marks stay where they were.
fn without_controls(line: &str) -> String {
    line.replace(|it| matches!(it, '\u{80}'..='\u{9F}'), "\u{B7}")
}
