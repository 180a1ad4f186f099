//! Counts the lines, words or bytes of a file: a whole tool on the SDK.

use std::{
    io::{BufRead, BufReader},
    process::ExitCode,
};

use jp_tool::access::path::{Files, Root};
use jp_tool::{Call, JsonSchema, ToolError};
use serde::Deserialize;

fn main() -> ExitCode {
    jp_tool::main([jp_tool::tool("count_lines", count).describe(show)])
}

/// Count the lines, words or bytes of a file.
///
/// The last line counts even if nothing ends it. Words are what white space separates.
#[derive(Deserialize, JsonSchema)]
struct CountLines {
    /// The file, relative to the root of the workspace.
    path: String,
    /// What to count.
    #[serde(default)]
    unit: Unit,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    #[default]
    Lines,
    Words,
    Bytes,
}

fn count(args: CountLines, call: &Call) -> Result<String, ToolError> {
    let CountLines { path, unit } = args;
    // Judges the path by `context.access`, and opens what was judged.
    let files = Files::new(Root::open(&call.context.root)?, call.context.access.clone());
    let mut file = BufReader::new(files.read(path.as_str().into())?);
    let (mut count, mut line) = (0, Vec::new());
    while file.read_until(b'\n', &mut line)? > 0 {
        count += match unit {
            Unit::Lines => 1,
            Unit::Words => words(&line),
            Unit::Bytes => line.len(),
        };
        line.clear();
    }
    Ok(count.to_string())
}

fn words(line: &[u8]) -> usize {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

/// What a person sees before the tool runs.
fn show(args: CountLines, _call: &Call) -> String {
    let CountLines { path, unit } = args;
    format!("count the {} of {path}", format!("{unit:?}").to_lowercase())
}
