//! One run of a plugin: what the host says first, how it behaves, and everything that was seen.

use jp_plugin::{
    Describe, HostToPlugin, MessageError, PluginToHost,
    to_host::{self, Asked, Exit},
};
use jp_plugin_host::session::{MAX_VALUES, count_values};
use tokio::{
    sync::mpsc::{Receiver, UnboundedSender},
    time::{Duration, Instant, sleep, sleep_until, timeout},
};

use crate::{
    CannotStart, Ended, Patience, Program, Started,
    finding::short,
    host::{Host, refused},
    transcript::{Direction, Transcript},
    wire::{self, Heard, Pace},
};

/// The most that a plugin may say in one run, in bytes, and the most that it may ask for. All of it is kept, to
/// be shown and recorded; who says more is not listened to any more.
pub(crate) const MOST_SAID: usize = 24 << 20;
pub(crate) const MOST_REQUESTS: usize = 2_000;

/// The most that a plugin is answered in one run, in bytes. That is kept too, and waits for a plugin that does not
/// read: a few bytes of a request can ask for many.
pub(crate) const MOST_ANSWERED: usize = 24 << 20;

/// How many wrong messages are told.
const MOST_WRONG: usize = 8;

/// How the host behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    pub(crate) pace: Pace,
    /// Fields of a later version in what is said.
    pub(crate) later: bool,
    /// Every request is refused.
    pub(crate) refuses: bool,
    /// Requests with ids are answered in the opposite order.
    pub(crate) reversed: bool,
    /// What is said right after the first message.
    pub(crate) then: Then,
}

/// What follows the first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Nothing,
    Shutdown,
    /// Its input ends.
    Gone,
    /// Nobody reads its output, from before the first message on.
    Unread,
}

impl Manner {
    pub(crate) const PROPER: Self = Self {
        pace: Pace::Full,
        later: false,
        refuses: false,
        reversed: false,
        then: Then::Nothing,
    };
}

/// What a plugin did too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooMuch {
    Said,
    /// Too often.
    Asked,
    /// For too many bytes.
    Answered,
}

/// What was seen of a run.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) transcript: Transcript,
    pub(crate) described: Option<Describe>,
    pub(crate) is_ready: bool,
    pub(crate) exit: Option<Exit>,
    /// Types of the requests, in their order.
    pub(crate) requests: Vec<String>,
    /// Whether requests carried ids.
    pub(crate) has_ids: bool,
    /// A line that is no message; a host would have ended the plugin for it.
    pub(crate) stray: Option<String>,
    /// What a host answers to messages that are none of the protocol, each once.
    pub(crate) wrong: Vec<String>,
    /// More than a check listens to.
    pub(crate) too_much: Option<TooMuch>,
    /// What came after the last word.
    pub(crate) after: Option<String>,
    /// From the first message to the last word.
    pub(crate) took: Duration,
    /// Whether it had to be told to end.
    pub(crate) waited: bool,
    pub(crate) ended: Option<Ended>,
    pub(crate) stderr: String,
}

/// Starts the plugin, and plays its host.
pub(crate) async fn play(
    program: &dyn Program,
    (title, first, manner): (&str, &HostToPlugin, Manner),
    host: Host,
    patience: Patience,
) -> Result<Played, CannotStart> {
    let Started { stdin, mut stdout, stderr, mut end } = program.start().await?;
    if manner.then == Then::Unread {
        stdout = Box::new(tokio::io::empty());
    }
    let (lines, hearing) = wire::hear(stdout, manner.pace);
    let (to, saying) = wire::say(stdin, manner.pace);
    let (kept, draining) = wire::drain(stderr);
    let mut stage = Stage::new(title, to, host, manner);
    stage.begin(first);
    let began = Instant::now();
    let is_describe = matches!(first, HostToPlugin::Describe);
    stage.talk(lines, patience, is_describe).await;
    stage.played.took = began.elapsed();
    // Who said its last word ends, although its input does not.
    stage.played.ended = timeout(patience.grace, &mut end).await.ok();
    // What is still in the pipe when it has ended is there in a moment.
    let _ = timeout(Duration::from_millis(200), draining).await;
    stage.played.stderr = short(String::from_utf8_lossy(&kept.lock().await).trim());
    hearing.abort();
    saying.abort();
    Ok(stage.played)
}

/// The host in the middle of a run.
struct Stage {
    to: Option<UnboundedSender<Vec<u8>>>,
    host: Host,
    manner: Manner,
    /// Requests whose answers are kept back.
    kept: Vec<Asked>,
    /// How many bytes the plugin has said.
    said: usize,
    /// How many bytes it was told.
    told: usize,
    /// How many of its messages want an answer.
    answers: usize,
    played: Played,
}

impl Stage {
    fn new(title: &str, to: UnboundedSender<Vec<u8>>, host: Host, manner: Manner) -> Self {
        let mut transcript = Transcript::default();
        transcript.add(Direction::Title, title);
        let played = Played {
            transcript,
            described: None,
            is_ready: false,
            exit: None,
            requests: Vec::new(),
            has_ids: false,
            stray: None,
            wrong: Vec::new(),
            too_much: None,
            after: None,
            took: Duration::ZERO,
            waited: false,
            ended: None,
            stderr: String::new(),
        };
        let (kept, said, told, answers) = (Vec::new(), 0, 0, 0);
        Self { to: Some(to), host, manner, kept, said, told, answers, played }
    }

    fn begin(&mut self, first: &HostToPlugin) {
        self.say(first);
        match self.manner.then {
            Then::Nothing | Then::Unread => {}
            Then::Shutdown => self.say(&HostToPlugin::Shutdown),
            Then::Gone => {
                self.played.transcript.add(Direction::EndOfInput, "");
                self.to = None;
            }
        }
    }

    /// Hears and answers until the plugin has said its last word, or nothing for too long.
    async fn talk(&mut self, mut lines: Receiver<Heard>, patience: Patience, is_describe: bool) {
        let limit = if is_describe { patience.describe } else { patience.run };
        let mut end = Instant::now() + limit;
        loop {
            let quiet = if self.kept.is_empty() { patience.quiet } else { KEPT };
            let can_wait =
                !is_describe && self.manner.then == Then::Nothing && self.kept.is_empty();
            tokio::select! {
                heard = lines.recv() => match heard {
                    Some(heard) => if !self.hear(heard) { break },
                    None => return,
                },
                () = sleep(quiet), if !self.kept.is_empty() => self.answer_kept(),
                // It has nothing to say and does not end: it waits to be told.
                () = sleep(quiet), if can_wait && self.played.is_ready && !self.played.waited => {
                    self.played.waited = true;
                    self.say(&HostToPlugin::Shutdown);
                    end = Instant::now() + patience.grace;
                }
                () = sleep_until(end) => return,
            }
            if self.played.too_much.is_some() {
                break;
            }
        }
        if self.played.too_much.is_some() {
            return;
        }
        // What comes after the last word is no message any more, and should not be there.
        if let Ok(Some(heard)) = timeout(AFTER, lines.recv()).await {
            self.played.after = Some(text(heard));
        }
    }

    /// Takes note of a line; `false` after the last word.
    fn hear(&mut self, heard: Heard) -> bool {
        let line = match heard {
            Heard::Line(line) => line,
            Heard::TooLong => {
                self.played.stray = Some(text(Heard::TooLong));
                return false;
            }
        };
        self.said += line.len();
        if self.said > MOST_SAID {
            self.played.too_much = Some(TooMuch::Said);
            return false;
        }
        if self.answers >= MOST_REQUESTS {
            self.played.too_much = Some(TooMuch::Asked);
            return false;
        }
        self.played.transcript.add(Direction::FromPlugin, String::from_utf8_lossy(&line));
        if count_values(&line).is_none() {
            self.played.stray = Some(format!("a message of more than {MAX_VALUES} values"));
            return false;
        }
        match to_host::parse(&line) {
            Ok(PluginToHost::Ready(_)) => self.played.is_ready = true,
            Ok(PluginToHost::Exit(exit)) => {
                self.played.exit = Some(exit);
                return false;
            }
            Ok(PluginToHost::Describe(describe)) => {
                self.played.described = Some(describe);
                return false;
            }
            Ok(PluginToHost::Print(_) | PluginToHost::Log(_)) => {}
            Ok(PluginToHost::Request(asked)) => self.asked(asked),
            Err(MessageError::Refused(refusal)) => {
                self.answers += 1;
                let wrong = &mut self.played.wrong;
                if wrong.len() < MOST_WRONG && !wrong.contains(&refusal.message) {
                    wrong.push(refusal.message.clone());
                }
                let answer = refused(refusal.id, &refusal.request, refusal.message);
                self.say(&answer);
            }
            Err(MessageError::Framing(framing)) => {
                let line = short(&String::from_utf8_lossy(&line));
                self.played.stray = Some(format!("{framing}: {line}"));
                return false;
            }
        }
        true
    }

    fn asked(&mut self, asked: Asked) {
        self.answers += 1;
        self.played.requests.push(asked.request.kind().to_owned());
        self.played.has_ids |= asked.id.is_some();
        if self.manner.reversed && asked.id.is_some() {
            self.kept.push(asked);
        } else {
            self.answer(asked);
        }
    }

    fn answer_kept(&mut self) {
        while let Some(asked) = self.kept.pop() {
            self.answer(asked);
        }
    }

    fn answer(&mut self, asked: Asked) {
        if self.manner.refuses {
            let why = "this host refuses everything; it is a check";
            self.say(&refused(asked.id, asked.request.kind(), why));
        } else {
            self.say_or_later(self.host.answer(asked));
        }
    }

    /// Says something, unless there is nobody to hear it any more.
    fn say(&mut self, message: &HostToPlugin) {
        let mut line = Vec::new();
        if message.write_line(&mut line).is_ok() {
            self.say_or_later(line);
        }
    }

    /// Says a line in the words of a later version, if this host is of one. No values are made of it: an answer
    /// may have millions of them.
    fn say_or_later(&mut self, mut line: Vec<u8>) {
        let Some(to) = self.to.as_ref().filter(|_| self.played.too_much.is_none()) else { return };
        if self.manner.later && line.ends_with(b"}\n") {
            line.truncate(line.len() - 2);
            line.extend_from_slice(LATER);
        }
        self.told += line.len();
        if self.told > MOST_ANSWERED {
            self.played.too_much = Some(TooMuch::Answered);
            return;
        }
        let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        let _ = to.send(line);
        self.played.transcript.add(Direction::ToPlugin, text);
    }
}

/// The end of a message of a later version. Every message has other fields before it.
const LATER: &[u8] = b",\"of a later version\":{\"x\":[1]}}\n";

/// How long requests are waited for before their answers are sent in the opposite order.
const KEPT: Duration = Duration::from_millis(150);

/// How long something is waited for that should not come.
const AFTER: Duration = Duration::from_millis(200);

fn text(heard: Heard) -> String {
    match heard {
        Heard::Line(line) => short(&String::from_utf8_lossy(&line)),
        Heard::TooLong => format!("a line of more than {} bytes", jp_plugin::MAX_LINE),
    }
}
