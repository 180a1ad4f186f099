//! A command plugin that misbehaves on request.
//!
//! A test copies it to `jp-fake` and runs `jp fake <what>`: the first word of `init.args` says which of the
//! things is done that no plugin should do. It speaks the protocol with plain text, so that what it sends is
//! exactly what is written here, right or wrong.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "this is a program of its own, and starts others to leave them behind"
)]

use std::{
    io::{self, BufRead as _, Write as _},
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Signal, getpid, kill_process};

const EXIT: &str = "{\"type\":\"exit\",\"code\":7}\n";
/// The longest line in bytes, without its end.
const LONGEST: usize = 16 << 20;

fn main() -> ExitCode {
    let mut init = String::new();
    if let Err(error) = io::stdin().lock().read_line(&mut init) {
        eprintln!("no first line: {error}");
        return ExitCode::FAILURE;
    }
    if init.contains("\"type\":\"describe\"") {
        say(
            "{\"type\":\"describe\",\"name\":\"fake\",\"version\":\"1\",\"description\":\"Misbehaves\"}\n",
        );
        return ExitCode::SUCCESS;
    }
    let words = words(&init);
    let what = words.first().map_or("", String::as_str);
    let word = words.get(1).map_or("", String::as_str);
    lines(what, word);
    pipes(what);
    processes(what, word);
    requests(what, word);
    ExitCode::SUCCESS
}

/// Lines that are no messages, and odd ones that are.
fn lines(what: &str, word: &str) {
    match what {
        "oversized" => {
            say_bytes(&vec![b'x'; LONGEST + 1]);
            forever();
        }
        "endless" => loop {
            say_bytes(&vec![b'x'; 65_536]);
        },
        "longest" => {
            let (head, tail) = ("{\"type\":\"print\",\"text\":\"", "\"}");
            let text = "x".repeat(LONGEST - head.len() - tail.len());
            say(&format!("{head}{text}{tail}\n{EXIT}"));
        }
        "dense" => {
            let values = "0,".repeat(7 << 20);
            say(&format!("{{\"type\":\"exit\",\"code\":[{values}0]}}\n"));
            forever();
        }
        "split" => {
            let message = format!("{{\"type\":\"print\",\"text\":\"whole\\n\"}}\n{EXIT}");
            for byte in message.as_bytes() {
                say_bytes(&[*byte]);
            }
        }
        "batched" => {
            let prints: String = (0..1_000)
                .map(|n| format!("{{\"type\":\"print\",\"text\":\"{n}\\n\"}}\n"))
                .collect();
            say(&format!("{prints}{EXIT}"));
        }
        "say" => {
            // What the test wants to be said, in hexadecimal digits, so that it can be anything.
            let digits: Vec<_> = word.as_bytes().chunks(2).collect();
            let bytes = digits
                .iter()
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
            say_bytes(&bytes.collect::<Vec<_>>());
        }
        _ => {}
    }
}

/// Pipes that are closed, full or never read.
fn pipes(what: &str) {
    match what {
        "closed-stdin" => {
            let _ = rustix::stdio::dup2_stdin(null());
            for _ in 0..1_000 {
                say("{\"type\":\"list_conversations\"}\n");
            }
            say(&format!("{{\"type\":\"print\",\"text\":\"still here\\n\"}}\n{EXIT}"));
        }
        "closed-stdout" => {
            let _ = rustix::stdio::dup2_stdout(null());
            forever();
        }
        "closed-stderr" => {
            let _ = rustix::stdio::dup2_stderr(null());
            say(&format!("{{\"type\":\"print\",\"text\":\"still here\\n\"}}\n{EXIT}"));
        }
        "loud" => {
            // Far more than a pipe holds, before a word of the protocol.
            let line = format!("{}\n", "noise ".repeat(100));
            for _ in 0..10_000 {
                let _ = io::stderr().write_all(line.as_bytes());
            }
            say(&format!("{{\"type\":\"print\",\"text\":\"done\\n\"}}\n{EXIT}"));
        }
        "exit-silence" => {
            say(EXIT);
            forever();
        }
        "exit-flood" => {
            say(EXIT);
            loop {
                say("{\"type\":\"print\",\"text\":\"too late\\n\"}\n");
            }
        }
        _ => {}
    }
}

/// Processes that stay, stop, multiply or die.
fn processes(what: &str, word: &str) {
    match what {
        "grandchild" => {
            leave_behind(1);
            say(EXIT);
        }
        "orphan" => {
            leave_behind(1);
            die("9");
        }
        "fork" => {
            leave_behind(100);
            say(EXIT);
        }
        "stop" => {
            say("{\"type\":\"print\",\"text\":\"stopping\\n\"}\n");
            let _ = kill_process(getpid(), Signal::STOP);
            forever();
        }
        "exit-stop" => {
            say(EXIT);
            let _ = kill_process(getpid(), Signal::STOP);
        }
        "die" => die(word),
        "end" => std::process::exit(word.parse().unwrap_or(0)),
        "wait" => {
            say(&format!("{{\"type\":\"print\",\"text\":\"pid {}\\n\"}}\n", std::process::id()));
            forever();
        }
        "polite" => {
            say(&format!("{{\"type\":\"print\",\"text\":\"pid {}\\n\"}}\n", std::process::id()));
            let mut shutdowns = 0;
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                shutdowns += usize::from(line == "{\"type\":\"shutdown\"}");
                if shutdowns == 1 {
                    // A second one would come by then.
                    thread::sleep(Duration::from_millis(300));
                    say("{\"type\":\"print\",\"text\":\"shutting down\\n\"}\n");
                    say("{\"type\":\"exit\",\"code\":42}\n");
                    return;
                }
            }
        }
        "deaf" => {
            // Fills the pipe to it, and never reads.
            say("{\"type\":\"print\",\"text\":\"deaf\\n\"}\n");
            for _ in 0..20_000 {
                say("{\"type\":\"read_config\"}\n");
            }
            forever();
        }
        _ => {}
    }
}

/// Requests in a number that nobody expects.
fn requests(what: &str, word: &str) {
    let count = word.parse().unwrap_or(100_000_usize);
    match what {
        // All of them before an answer is read; another thread reads.
        "pipeline" => {
            let asks = thread::spawn(move || {
                for number in 0..count {
                    say(&format!("{{\"type\":\"list_conversations\",\"id\":\"{number}\"}}\n"));
                }
            });
            let mut seen = vec![false; count];
            let answers = io::stdin().lock().lines().map_while(Result::ok).take(count);
            for answer in answers {
                let id = answer.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
                if let Some(id) = id.and_then(|id| id.parse::<usize>().ok()) {
                    seen[id] = true;
                }
            }
            let _ = asks.join();
            let all = seen.iter().filter(|seen| **seen).count();
            say(&format!("{{\"type\":\"print\",\"text\":\"{all} answers\\n\"}}\n{EXIT}"));
        }
        // The same without ever reading an answer.
        "unread" => {
            for _ in 0..count {
                say("{\"type\":\"read_config\"}\n");
            }
            say(&format!("{{\"type\":\"print\",\"text\":\"asked\\n\"}}\n{EXIT}"));
            forever();
        }
        "push" => push(word),
        _ => {}
    }
}

/// Pushes batches of three to a conversation until somebody ends it.
fn push(conversation: &str) {
    let mut answers = io::stdin().lock().lines().map_while(Result::ok);
    say(&format!("{{\"type\":\"lock\",\"conversation\":\"{conversation}\"}}\n"));
    let _ = answers.next();
    for number in 0.. {
        let event = |kind: &str| {
            format!(
                "{{\"type\":\"chat_response\",\"message\":\"{number} {kind} {}\"}}",
                "x".repeat(500)
            )
        };
        let events = [event("a"), event("b"), event("c")].join(",");
        say(&format!(
            "{{\"type\":\"push_events\",\"conversation\":\"{conversation}\",\"events\":[{events}]}}\n"
        ));
        let Some(answer) = answers.next() else { return };
        if !answer.contains("\"pushed\"") {
            eprintln!("{answer}");
            return;
        }
        if number == 0 {
            say("{\"type\":\"print\",\"text\":\"pushing\\n\"}\n");
        }
    }
}

fn say(text: &str) {
    say_bytes(text.as_bytes());
}

fn say_bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        // Nobody listens any more.
        std::process::exit(3);
    }
}

fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_hours(1));
    }
}

fn die(signal: &str) {
    let number = signal.parse().unwrap_or(9);
    if let Some(signal) = Signal::from_named_raw(number) {
        let _ = kill_process(getpid(), signal);
    }
    forever();
}

/// Starts processes that hold all pipes and do not end.
fn leave_behind(count: usize) {
    for _ in 0..count {
        let mut command = Command::new("/bin/sleep");
        command.arg("1000").stdin(Stdio::inherit()).stdout(Stdio::inherit());
        if let Err(error) = command.spawn() {
            eprintln!("cannot start another: {error}");
        }
    }
}

fn null() -> std::fs::File {
    let mut options = std::fs::OpenOptions::new();
    match options.read(true).write(true).open("/dev/null") {
        Ok(file) => file,
        Err(error) => {
            eprintln!("no /dev/null: {error}");
            std::process::exit(4)
        }
    }
}

/// The strings of `init.args`; nothing in them is escaped in the tests.
fn words(init: &str) -> Vec<String> {
    let list = init.split("\"args\":[").nth(1).and_then(|rest| rest.split(']').next());
    let words = list.unwrap_or_default().split(',').map(|word| word.trim_matches('"').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}
