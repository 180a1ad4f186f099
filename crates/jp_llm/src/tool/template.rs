//! The command line of a local tool: words with placeholders, filled in for each call.
//!
//! What is filled in was written by a model, so it has to stay what it is. A command line is split
//! into words before anything is filled in, each word is filled in by itself, and the result is not
//! read as a template again: a value can neither become two words nor bring placeholders of its
//! own. A shell never sees a value in its text at all (see `shell.rs`).
//!
//! | value | written as |
//! |---|---|
//! | a string | itself |
//! | missing, or `null` | nothing |
//! | anything else | compact JSON |
//!
//! A word that becomes empty stays a word. A command is checked when it is read, so that a
//! misspelled name is reported before the first call and not as an argument that is always empty.

mod engine;
mod interpreters;
mod names;
mod shell;
mod words;

use jp_config::conversation::tool::command::{Command, CommandParts};
use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;
use thiserror::Error;

use self::engine::{Engine, Mode};
use self::interpreters::Interpreter;
pub use self::names::UnknownName;
pub use self::shell::ShellProblem;
use self::words::Word;

/// A command line that can be filled in.
#[derive(Debug)]
pub struct CommandTemplate {
    form: Form,
    literals: Vec<String>,
    engine: Engine,
}

/// What is started for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The program, as it was written: a name or a path.
    pub program: String,
    /// What it is given, without its own name.
    pub args: Vec<String>,
}

/// A command line that cannot be used, or cannot be filled in for one call.
#[derive(Debug, Error)]
pub enum TemplateError {
    /// There is no word in it.
    #[error("the command is empty")]
    Empty,
    /// It ends inside quotes, or with a backslash.
    #[error("the command ends inside quotes or after a backslash: {line:?}")]
    Unclosed {
        /// The line as it was written.
        line: String,
    },
    /// A NUL is written in it.
    #[error("the command contains a NUL character: {word:?}")]
    WrittenNul {
        /// The word.
        word: String,
    },
    /// A placeholder is not written as it has to be.
    #[error("in the command, {word:?}: {reason}, at {place}")]
    Syntax {
        /// The word in which it is.
        word: String,
        /// What is wrong.
        reason: String,
        /// Where in the word.
        place: String,
    },
    /// A placeholder names something that no call has.
    #[error("in the command, {word:?}: {unknown}")]
    Unknown {
        /// The word in which it is.
        word: String,
        /// What is not known.
        unknown: UnknownName,
    },
    /// Filling in a word failed.
    #[error("cannot fill in {word:?} of the command: {reason}")]
    Fill {
        /// The word.
        word: String,
        /// Why.
        reason: String,
    },
    /// Filling in a word takes too long.
    #[error("filling in {word:?} of the command takes too many steps")]
    Endless {
        /// The word.
        word: String,
    },
    /// A program cannot be given a NUL.
    #[error("a value with a NUL character cannot be filled into {word:?} of the command")]
    Nul {
        /// The word.
        word: String,
    },
    /// A word became longer than the system takes.
    #[error(
        "{word:?} of the command becomes longer than the {MAX_WORD} bytes that a word may have; \
         the tool gets the whole call on stdin, where there is no such limit"
    )]
    LongWord {
        /// The word.
        word: String,
    },
    /// All words together became longer than the system takes.
    #[error(
        "the command becomes longer than {MAX_TOTAL} bytes; \
         the tool gets the whole call on stdin, where there is no such limit"
    )]
    LongCommand,
    /// The word that names the program became empty.
    #[error("{word:?}, the program of the command, becomes empty")]
    NoProgram {
        /// The word.
        word: String,
    },
    /// A program of the command reads a word with a placeholder as commands.
    #[error(
        "in the command, {program:?} reads {word:?} as commands; give the value to it as a word of its \
         own, or write the command with `shell = true`"
    )]
    Commands {
        /// The word.
        word: String,
        /// The program.
        program: String,
    },
    /// A value cannot be handed to the shell where its placeholder stands.
    #[error("in the shell command, {problem}: {line:?}")]
    Shell {
        /// The line.
        line: String,
        /// Why not.
        problem: ShellProblem,
    },
}

/// What Linux takes as one argument (`MAX_ARG_STRLEN`), the NUL at its end not counted.
const MAX_WORD: usize = 128 * 1024 - 1;
/// What all words may have together. The system's own limit depends on the environment and the
/// stack and is never below this.
const MAX_TOTAL: usize = 1024 * 1024;
/// The shell of commands that ask for one.
const SHELL: &str = "/bin/sh";

impl CommandTemplate {
    /// Reads and checks a command.
    pub fn new(command: &Command) -> Result<Self, TemplateError> {
        let words = match command {
            Command::Line(line) => {
                words::split(line).map_err(|_| TemplateError::Unclosed { line: line.clone() })?
            }
            Command::Parts(parts) if parts.shell => return Self::shell(parts),
            Command::Parts(CommandParts { program, args, .. }) => {
                std::iter::once(program).chain(args).map(|part| Word::whole(part)).collect()
            }
        };
        if words.first().is_none_or(Word::is_empty) {
            return Err(TemplateError::Empty);
        }
        let mut engine = Engine::new(Mode::Word);
        for word in &words {
            check_nul(word.source())?;
            if let Word::Template(source) = word {
                engine.add(source)?;
            }
        }
        check_commands(&words)?;
        let literals = words.iter().filter_map(Word::literal).map(str::to_owned).collect();
        Ok(Self { form: Form::Words(words), literals, engine })
    }

    fn shell(parts: &CommandParts) -> Result<Self, TemplateError> {
        let parts: Vec<_> = std::iter::once(parts.program.as_str())
            .chain(parts.args.iter().map(String::as_str))
            .collect();
        let line = parts.join(" ");
        if line.trim().is_empty() {
            return Err(TemplateError::Empty);
        }
        check_nul(&line)?;
        let mut engine = Engine::new(Mode::Shell);
        let has_placeholders = words::has_template(&line);
        if has_placeholders {
            engine.add(&line)?;
            shell::check(&line)
                .map_err(|problem| TemplateError::Shell { line: line.clone(), problem })?;
        }
        let literals = words::shell_literals(&line);
        Ok(Self { form: Form::Shell { line, has_placeholders }, literals, engine })
    }

    /// Fills in the call: `{"tool":…,"context":…}`.
    pub fn render(&self, call: &impl Serialize) -> Result<Rendered, TemplateError> {
        let rendered = match &self.form {
            Form::Words(words) => self.render_words(words, call)?,
            Form::Shell { line, has_placeholders } => {
                let (text, values) = if *has_placeholders {
                    self.render_shell(line, call)?
                } else {
                    (line.clone(), Vec::new())
                };
                let args = ["-c".to_owned(), text, "sh".to_owned()];
                Rendered {
                    program: SHELL.to_owned(),
                    args: args.into_iter().chain(values).collect(),
                }
            }
        };
        let all = rendered.args.iter().map(|word| word.len() + 1).sum::<usize>();
        if all + rendered.program.len() > MAX_TOTAL {
            return Err(TemplateError::LongCommand);
        }
        Ok(rendered)
    }

    /// Whether anything of a call is filled in.
    pub fn has_placeholders(&self) -> bool {
        match &self.form {
            Form::Words(words) => words.iter().any(|word| word.literal().is_none()),
            Form::Shell { has_placeholders, .. } => *has_placeholders,
        }
    }

    /// The words in which nothing is filled in, the program included. Files that are named among
    /// them are part of the tool. Of a shell's text they are what looks like a word.
    pub fn literal_words(&self) -> impl Iterator<Item = &str> {
        self.literals.iter().map(String::as_str)
    }

    /// The program, where it is the same for every call and no shell comes first.
    pub fn literal(&self) -> Option<&str> {
        match &self.form {
            Form::Words(words) => words.first().and_then(Word::literal),
            Form::Shell { .. } => None,
        }
    }

    fn render_words(
        &self,
        words: &[Word],
        call: &impl Serialize,
    ) -> Result<Rendered, TemplateError> {
        let call = Value::from(Serde(call));
        let mut rendered = Vec::with_capacity(words.len());
        for word in words {
            let text = match word {
                Word::Literal(text) => text.clone(),
                Word::Template(source) => self.engine.fill(source, &call)?.text,
            };
            check_word(word.source(), &text)?;
            rendered.push(text);
        }
        let mut rendered = rendered.into_iter();
        let written = words.first().map(Word::source).unwrap_or_default();
        match rendered.next().filter(|program| !program.is_empty()) {
            Some(program) => Ok(Rendered { program, args: rendered.collect() }),
            None => Err(TemplateError::NoProgram { word: cut(written) }),
        }
    }

    /// The text for the shell, and the values it refers to.
    fn render_shell(
        &self,
        line: &str,
        call: &impl Serialize,
    ) -> Result<(String, Vec<String>), TemplateError> {
        let filled = self.engine.fill(line, &Value::from(Serde(call)))?;
        for value in &filled.values {
            check_word(line, value)?;
        }
        let text = shell::place(&filled.text)
            .map_err(|problem| TemplateError::Shell { line: cut(line), problem })?;
        check_word(line, &text)?;
        Ok((text, filled.values))
    }
}

#[derive(Debug)]
enum Form {
    Words(Vec<Word>),
    Shell { line: String, has_placeholders: bool },
}

/// Whether a value would be read as commands by a program of the command. The arguments of a script are
/// not: `sh -c 'wc -w "$1"' sh {{…}}` is how a value is handed over.
fn check_commands(words: &[Word]) -> Result<(), TemplateError> {
    let mut reading: Option<(&str, Interpreter)> = None;
    let mut is_script_next = false;
    for word in words {
        let source = word.source();
        let written = source.split('{').next().unwrap_or_default();
        let Some((program, interpreter)) = reading else {
            reading = Interpreter::of(source).map(|interpreter| (source, interpreter));
            continue;
        };
        let is_script = is_script_next && !written.starts_with('-');
        let is_option = interpreter.is_text_option(written);
        let is_read = is_script || is_option || interpreter == Interpreter::Remote;
        if is_read && word.literal().is_none() {
            return Err(TemplateError::Commands { word: cut(source), program: cut(program) });
        }
        is_script_next = !is_script && (is_script_next || is_option);
        // The last one that is named is the one that gets what follows.
        reading = match Interpreter::of(source) {
            _ if is_script => None,
            Some(interpreter) => Some((source, interpreter)),
            None => reading,
        };
    }
    Ok(())
}

fn check_nul(written: &str) -> Result<(), TemplateError> {
    if written.contains('\0') {
        return Err(TemplateError::WrittenNul { word: cut(written) });
    }
    Ok(())
}

/// Whether a program can be given this word.
fn check_word(written: &str, text: &str) -> Result<(), TemplateError> {
    if text.contains('\0') {
        return Err(TemplateError::Nul { word: cut(written) });
    }
    if text.len() > MAX_WORD {
        return Err(TemplateError::LongWord { word: cut(written) });
    }
    Ok(())
}

/// A word as a message shows it: all of it, unless it is very long.
fn cut(written: &str) -> String {
    match written.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &written[..end]),
        None => written.to_owned(),
    }
}

#[cfg(test)]
mod tests;
