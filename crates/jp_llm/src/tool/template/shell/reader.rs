//! A reader of shell text that knows what each position is inside of. It does not understand
//! commands; it follows quotes, and stops at what it would have to guess.

use super::{super::interpreters::Interpreter, ShellProblem};

/// Reads a text, character by character.
#[derive(Debug)]
pub(super) struct Reader {
    frames: Vec<Frame>,
    /// A character that may change the meaning of the next one: `\`, `$`, `<`, `(`, or `!` for the
    /// beginning of `$(`.
    pending: Option<char>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { frames: vec![Frame::Commands(Commands::default())], pending: None }
    }
}

/// What a position is inside of.
#[derive(Debug)]
enum Frame {
    /// The text itself, or `$(…)`.
    Commands(Commands),
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `${…}`, with so many braces open in it.
    Braces { depth: usize },
    /// `$((…))`, with so many parentheses open.
    Arithmetic { depth: usize },
    /// `` `…` ``
    Backticks,
    /// `# …`
    Comment,
}

/// What a character does to the frames.
#[derive(Debug)]
enum Move {
    Stay,
    Pend(char),
    Push(Frame),
    Become(Frame),
    Pop,
}

impl Reader {
    /// Takes the next character.
    pub(super) fn step(&mut self, c: char) -> Result<(), ShellProblem> {
        let pending = self.pending.take();
        let is_nested = self.frames.len() > 1;
        self.note_quoted(c);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let next = match frame {
            Frame::Commands(commands) => commands.step(pending, c, is_nested)?,
            Frame::Double => in_double(pending, c),
            Frame::Single => ends_at(c, '\''),
            Frame::Comment => ends_at(c, '\n'),
            Frame::Backticks if pending == Some('\\') => Move::Stay,
            Frame::Backticks if c == '\\' => Move::Pend(c),
            Frame::Backticks => ends_at(c, '`'),
            Frame::Braces { depth } => in_braces(c, *depth)?,
            Frame::Arithmetic { depth } => in_arithmetic(c, *depth)?,
        };
        match next {
            Move::Stay => {}
            Move::Pend(c) => self.pending = Some(c),
            Move::Push(frame) => {
                // `$((` is told from `$(` by the character that comes next.
                self.pending = matches!(frame, Frame::Commands(_)).then_some('!');
                self.frames.push(frame);
            }
            Move::Become(next) => *frame = next,
            Move::Pop => drop(self.frames.pop()),
        }
        Ok(())
    }

    /// Notes what is between the quotes of a word: `"-c"` is an option like `-c`.
    fn note_quoted(&mut self, c: char) {
        if let [.., Frame::Commands(commands), Frame::Single | Frame::Double] =
            self.frames.as_mut_slice()
            && !matches!(c, '\'' | '"')
        {
            commands.text.push(c);
        }
    }

    /// How a parameter is written at this position.
    pub(super) fn reference(&mut self, number: &str) -> Result<String, ShellProblem> {
        if let Some(c @ ('\\' | '$')) = self.pending.take() {
            return Err(ShellProblem::After(c));
        }
        for frame in &self.frames {
            if let Frame::Commands(Commands { interpreter: Some(Interpreter::Remote), .. }) = frame
            {
                return Err(ShellProblem::Beside(Interpreter::Remote.shown()));
            }
        }
        match self.frames.last_mut() {
            Some(Frame::Commands(commands)) => {
                commands.is_mixed = true;
                Ok(format!("\"${{{number}}}\""))
            }
            Some(Frame::Double) => Ok(format!("${{{number}}}")),
            Some(Frame::Single) => Ok(format!("'\"${{{number}}}\"'")),
            Some(Frame::Braces { .. }) => Err(ShellProblem::Inside("`${…}`")),
            Some(Frame::Arithmetic { .. }) => Err(ShellProblem::Inside("`$((…))`")),
            Some(Frame::Backticks) => Err(ShellProblem::Inside("backticks; write `$(…)` instead")),
            Some(Frame::Comment) | None => Ok(String::new()),
        }
    }

    /// The end of the text.
    pub(super) fn finish(mut self) -> Result<(), ShellProblem> {
        if matches!(self.frames.last(), Some(Frame::Comment)) {
            self.frames.pop();
        }
        match (self.frames.as_mut_slice(), self.pending) {
            ([Frame::Commands(commands)], None | Some('$')) => commands.end_word(false),
            _ => Err(ShellProblem::Unclosed),
        }
    }
}

fn ends_at(c: char, end: char) -> Move {
    if c == end { Move::Pop } else { Move::Stay }
}

/// What begins with a dollar: `$(…)` or `${…}`.
fn substitution(c: char) -> Frame {
    match c {
        '{' => Frame::Braces { depth: 0 },
        _ => Frame::Commands(Commands::default()),
    }
}

fn in_double(pending: Option<char>, c: char) -> Move {
    match (pending, c) {
        (Some('\\'), _) | (Some('$'), '$') => Move::Stay,
        (Some('$'), '(' | '{') => Move::Push(substitution(c)),
        (_, '\\' | '$') => Move::Pend(c),
        (_, '`') => Move::Push(Frame::Backticks),
        (_, '"') => Move::Pop,
        _ => Move::Stay,
    }
}

/// Inside `${…}` the meaning of quotes depends on what is around it, and on the shell.
fn in_braces(c: char, depth: usize) -> Result<Move, ShellProblem> {
    match c {
        '{' => Ok(Move::Become(Frame::Braces { depth: depth + 1 })),
        '}' if depth == 0 => Ok(Move::Pop),
        '}' => Ok(Move::Become(Frame::Braces { depth: depth - 1 })),
        '\'' | '"' | '\\' | '`' | '(' => Err(ShellProblem::Beside("quotes inside `${…}`")),
        _ => Ok(Move::Stay),
    }
}

fn in_arithmetic(c: char, depth: usize) -> Result<Move, ShellProblem> {
    match c {
        '(' => Ok(Move::Become(Frame::Arithmetic { depth: depth + 1 })),
        ')' if depth == 1 => Ok(Move::Pop),
        ')' => Ok(Move::Become(Frame::Arithmetic { depth: depth - 1 })),
        '\'' | '"' | '\\' | '`' => Err(ShellProblem::Beside("quotes inside `$((…))`")),
        _ => Ok(Move::Stay),
    }
}

/// The words of a sequence of commands, as far as they matter.
#[derive(Debug, Default)]
struct Commands {
    /// How many parentheses are open.
    parens: usize,
    /// The word that is being read, as far as it is unquoted.
    word: String,
    /// The same word with what is in its quotes.
    text: String,
    /// Whether the word has other parts too.
    is_mixed: bool,
    /// The word before.
    before: String,
    /// Whether the command is `set`, whose arguments can replace the parameters.
    in_set: bool,
    /// What in this command reads words as commands.
    interpreter: Option<Interpreter>,
}

impl Commands {
    fn step(
        &mut self,
        pending: Option<char>,
        c: char,
        is_nested: bool,
    ) -> Result<Move, ShellProblem> {
        match (pending, c) {
            (Some('\\'), _) | (Some('$'), '$') => return Ok(Move::Stay),
            (Some('$'), '(' | '{') => return Ok(Move::Push(substitution(c))),
            (Some('$'), '\'') => return Err(ShellProblem::Beside("`$'…'`")),
            (Some('!'), '(') => return Ok(Move::Become(Frame::Arithmetic { depth: 2 })),
            (Some('<'), '<') => return Err(ShellProblem::Beside("a here-document")),
            (Some('('), '(') => return Err(ShellProblem::Beside("`((…))`")),
            (Some('('), ')') => return Err(ShellProblem::Hides("a function")),
            (Some('('), ' ') => return Ok(Move::Pend('(')),
            _ => {}
        }
        if let Some(quote) = self.quote(c) {
            self.is_mixed |= !matches!(quote, Move::Push(Frame::Comment));
            return Ok(quote);
        }
        match c {
            '(' | ')' | ';' | '|' | '&' | '\n' | '<' | '>' | ' ' | '\t' | '\r' => {
                self.end_word(is_nested)?;
                if !matches!(c, '<' | '>' | ' ' | '\t' | '\r') {
                    (self.in_set, self.interpreter) = (false, None);
                }
                Ok(self.separate(c, is_nested))
            }
            c => {
                self.word.push(c);
                self.text.push(c);
                Ok(Move::Stay)
            }
        }
    }

    fn quote(&self, c: char) -> Option<Move> {
        match c {
            '\\' | '$' => Some(Move::Pend(c)),
            '\'' => Some(Move::Push(Frame::Single)),
            '"' => Some(Move::Push(Frame::Double)),
            '`' => Some(Move::Push(Frame::Backticks)),
            '#' if self.word.is_empty() && !self.is_mixed => Some(Move::Push(Frame::Comment)),
            _ => None,
        }
    }

    /// A character between words.
    fn separate(&mut self, c: char, is_nested: bool) -> Move {
        match c {
            '(' => {
                self.parens += 1;
                Move::Pend(c)
            }
            '<' => Move::Pend(c),
            ')' if self.parens == 0 && is_nested => Move::Pop,
            ')' => {
                self.parens = self.parens.saturating_sub(1);
                Move::Stay
            }
            _ => Move::Stay,
        }
    }

    /// Looks at a word that is complete. Some words give the parameters another meaning, some read
    /// their arguments as program text, and the parentheses of `case` are not in pairs.
    fn end_word(&mut self, is_nested: bool) -> Result<(), ShellProblem> {
        let word = std::mem::take(&mut self.word);
        let text = std::mem::take(&mut self.text);
        let is_mixed = std::mem::take(&mut self.is_mixed);
        if word.is_empty() && !is_mixed {
            return Ok(());
        }
        if self.in_set && (is_mixed || self.sets_parameters(&word)) {
            return Err(ShellProblem::Hides("`set` with arguments"));
        }
        if !is_mixed {
            self.check_word(&word, is_nested)?;
        }
        match self.interpreter {
            Some(interpreter) if interpreter.is_text_option(&text) => {
                return Err(ShellProblem::Beside(interpreter.shown()));
            }
            // The last one that is named is the one that gets what follows.
            _ => self.interpreter = Interpreter::of(&text).or(self.interpreter),
        }
        self.before = if is_mixed { String::new() } else { word };
        Ok(())
    }

    fn check_word(&mut self, word: &str, is_nested: bool) -> Result<(), ShellProblem> {
        match word {
            "shift" => return Err(ShellProblem::Hides("`shift`")),
            "function" => return Err(ShellProblem::Hides("a function")),
            "eval" | "let" => return Err(ShellProblem::Beside("`eval` or `let`")),
            "trap" | "alias" => return Err(ShellProblem::Beside("`trap` or `alias`")),
            "[[" => return Err(ShellProblem::Beside("`[[`; write `[` instead")),
            "case" if is_nested => return Err(ShellProblem::Beside("`case` inside `$(…)`")),
            "set" => self.in_set = true,
            _ => {}
        }
        Ok(())
    }

    /// Whether an argument of `set` is more than an option: `-e` and `-o pipefail` are not.
    fn sets_parameters(&self, word: &str) -> bool {
        let is_option = |word: &str| word.len() > 1 && word != "--" && word.starts_with(['-', '+']);
        let is_name = is_option(&self.before) && self.before.ends_with('o');
        !is_option(word) && !is_name
    }
}
