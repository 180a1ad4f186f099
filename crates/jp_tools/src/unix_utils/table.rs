//! The programs, and of each the options that read and compute.
//!
//! A program is listed when no combination of the options listed with it writes a file, starts
//! another program, waits for ever by design, or reads a file that its arguments do not name.

use std::borrow::Cow;

use jp_tool::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A program.
#[derive(Debug)]
pub(super) struct Util {
    pub(super) name: &'static str,
    /// Options of one letter without a value.
    pub(super) flags: &'static str,
    /// Options of one letter with a value.
    pub(super) values: &'static str,
    /// Options of one letter whose value, if there is one, is the rest of the same word.
    pub(super) optional: &'static str,
    /// Long options; those that end with `=` have a value. One whose value is optional is listed with
    /// and without.
    pub(super) long: &'static [&'static str],
    pub(super) operands: Operands,
    /// Whether a number with a sign is an option, as in `head -5`.
    pub(super) numbers: bool,
    /// Whether a word that begins with `@`, wherever it is, is replaced by the content of a file.
    pub(super) expands: bool,
    /// Whether exit code 1 is an answer and not a failure.
    pub(super) one_is_an_answer: bool,
}

/// What the words that are not options are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files, at most this many.
    Files(usize),
    /// Text.
    Text,
    /// Text that begins with `+`, as the format of a date.
    Format,
    /// A program in the language of `jq`, then files.
    Jq,
}

const ANY: usize = usize::MAX;

const NONE: Util = Util {
    name: "",
    flags: "",
    values: "",
    optional: "",
    long: &[],
    operands: Operands::Files(ANY),
    numbers: false,
    expands: false,
    one_is_an_answer: false,
};

const SUMS: &[&str] = &["tag", "binary", "text", "zero"];

#[rustfmt::skip]
const TABLE: &[Util] = &[
    Util { name: "base64", flags: "di", values: "w", long: &["decode", "wrap=", "ignore-garbage"], operands: Operands::Files(1), ..NONE },
    Util { name: "basename", flags: "az", values: "s", long: &["multiple", "suffix=", "zero"], operands: Operands::Text, ..NONE },
    Util { name: "bc", flags: "lqs", long: &["mathlib", "quiet", "standard"], ..NONE },
    Util { name: "cat", flags: "AbeEnstTuv", long: &["number", "number-nonblank", "show-all", "show-ends", "show-tabs", "show-nonprinting", "squeeze-blank"], ..NONE },
    Util { name: "cksum", ..NONE },
    Util { name: "cmp", flags: "bls", values: "n", long: &["print-bytes", "verbose", "silent", "bytes="], operands: Operands::Files(2), one_is_an_answer: true, ..NONE },
    Util { name: "comm", flags: "123z", long: &["total", "check-order", "nocheck-order", "output-delimiter=", "zero-terminated"], operands: Operands::Files(2), ..NONE },
    Util { name: "cut", flags: "nsz", values: "bcdf", long: &["bytes=", "characters=", "fields=", "delimiter=", "complement", "only-delimited", "output-delimiter=", "zero-terminated"], ..NONE },
    Util { name: "date", flags: "uR", values: "d", optional: "I", long: &["date=", "utc", "universal", "iso-8601", "iso-8601=", "rfc-3339=", "rfc-email"], operands: Operands::Format, ..NONE },
    Util { name: "diff", flags: "abBceEinqstuwyZ", values: "UCW", long: &["unified", "unified=", "context", "context=", "brief", "report-identical-files", "side-by-side", "width=", "ignore-case", "ignore-all-space", "ignore-space-change", "ignore-blank-lines", "ignore-trailing-space", "text", "minimal", "suppress-common-lines"], operands: Operands::Files(2), one_is_an_answer: true, ..NONE },
    Util { name: "dirname", flags: "z", long: &["zero"], operands: Operands::Text, ..NONE },
    Util { name: "expand", flags: "i", values: "t", long: &["initial", "tabs="], ..NONE },
    Util { name: "expr", numbers: true, operands: Operands::Text, one_is_an_answer: true, ..NONE },
    Util { name: "file", flags: "0bikLhNr", long: &["brief", "mime", "mime-type", "mime-encoding", "keep-going", "dereference", "no-dereference", "no-pad", "raw", "print0", "extension"], ..NONE },
    Util { name: "fold", flags: "bs", values: "w", long: &["bytes", "spaces", "width="], ..NONE },
    Util { name: "head", flags: "qvz", values: "nc", long: &["lines=", "bytes=", "quiet", "silent", "verbose", "zero-terminated"], numbers: true, ..NONE },
    Util { name: "join", flags: "iz", values: "a12ejotv", long: &["ignore-case", "check-order", "nocheck-order", "header", "zero-terminated"], operands: Operands::Files(2), ..NONE },
    Util { name: "jq", flags: "acejMnrRsSC", long: &["ascii-output", "compact-output", "exit-status", "join-output", "monochrome-output", "null-input", "raw-output", "raw-input", "slurp", "sort-keys", "tab", "indent=", "seq", "stream", "arg==", "argjson=="], operands: Operands::Jq, one_is_an_answer: true, ..NONE },
    Util { name: "md5sum", flags: "btz", long: SUMS, ..NONE },
    Util { name: "nl", flags: "p", values: "bdfhilnsvw", long: &["body-numbering=", "section-delimiter=", "footer-numbering=", "header-numbering=", "line-increment=", "join-blank-lines=", "number-format=", "no-renumber", "number-separator=", "starting-line-number=", "number-width="], ..NONE },
    Util { name: "od", flags: "abcdfilosvx", values: "AjNtS", optional: "w", long: &["address-radix=", "skip-bytes=", "read-bytes=", "format=", "output-duplicates", "width", "width="], ..NONE },
    Util { name: "paste", flags: "sz", values: "d", long: &["serial", "delimiters=", "zero-terminated"], ..NONE },
    Util { name: "rev", ..NONE },
    Util { name: "seq", flags: "w", values: "fs", long: &["format=", "separator=", "equal-width"], operands: Operands::Text, numbers: true, ..NONE },
    Util { name: "sha1sum", flags: "btz", long: SUMS, ..NONE },
    Util { name: "sha256sum", flags: "btz", long: SUMS, ..NONE },
    Util { name: "sha512sum", flags: "btz", long: SUMS, ..NONE },
    Util { name: "sort", flags: "bcCdfghiMmnrRsuVz", values: "kt", long: &["ignore-leading-blanks", "dictionary-order", "ignore-case", "general-numeric-sort", "ignore-nonprinting", "month-sort", "human-numeric-sort", "numeric-sort", "random-sort", "reverse", "version-sort", "check", "merge", "key=", "stable", "field-separator=", "unique", "zero-terminated"], one_is_an_answer: true, ..NONE },
    Util { name: "strings", flags: "afw", values: "nte", long: &["all", "print-file-name", "bytes=", "radix=", "encoding="], expands: true, ..NONE },
    Util { name: "tac", flags: "br", values: "s", long: &["before", "regex", "separator="], ..NONE },
    Util { name: "tail", flags: "qvz", values: "nc", long: &["lines=", "bytes=", "quiet", "silent", "verbose", "zero-terminated"], numbers: true, ..NONE },
    Util { name: "tr", flags: "cCdst", long: &["complement", "delete", "squeeze-repeats", "truncate-set1"], operands: Operands::Text, ..NONE },
    Util { name: "tsort", operands: Operands::Files(1), ..NONE },
    Util { name: "uname", flags: "asnrvmo", operands: Operands::Text, ..NONE },
    Util { name: "unexpand", flags: "a", values: "t", long: &["all", "first-only", "tabs="], ..NONE },
    Util { name: "uniq", flags: "cdDiuz", values: "fsw", long: &["count", "repeated", "all-repeated", "all-repeated=", "ignore-case", "unique", "skip-fields=", "skip-chars=", "check-chars=", "zero-terminated"], operands: Operands::Files(1), ..NONE },
    Util { name: "wc", flags: "clLmw", long: &["bytes", "chars", "lines", "max-line-length", "words"], ..NONE },
];

pub(super) fn find(name: &str) -> Option<&'static Util> {
    TABLE.iter().find(|util| util.name == name)
}

pub(super) fn names() -> Vec<&'static str> {
    TABLE.iter().map(|util| util.name).collect()
}

/// The names as a schema.
pub(super) struct Name;

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": names() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_contains_nothing_that_writes_or_starts() {
        assert!(TABLE.is_sorted_by_key(|util| util.name));
        for (name, letters, words) in [
            (
                "sort",
                "oTS",
                ["output=", "compress-program=", "temporary-directory=", "files0-from="],
            ),
            ("date", "sf", ["set=", "file=", "", ""]),
            ("tail", "fF", ["follow", "follow=", "retry", "pid="]),
            ("file", "fmCz", ["files-from=", "magic-file=", "compile", "uncompress"]),
            ("jq", "fL", ["from-file=", "slurpfile==", "rawfile==", "args"]),
            ("sha256sum", "c", ["check", "", "", ""]),
            ("wc", "", ["files0-from=", "", "", ""]),
            ("diff", "rNlpXS", ["recursive", "paginate", "to-file=", "exclude-from="]),
        ] {
            let util = find(name).unwrap();
            for letter in letters.chars() {
                assert!(!util.flags.contains(letter), "{name} -{letter}");
                assert!(!util.values.contains(letter), "{name} -{letter}");
            }
            for word in words.iter().filter(|word| !word.is_empty()) {
                assert!(!util.long.contains(word), "{name} --{word}");
            }
        }
        for name in ["sh", "env", "xargs", "find", "awk", "sed", "tee", "split", "rm", "cp", "ln"] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
