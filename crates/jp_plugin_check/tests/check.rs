//! A plugin that makes one mistake at a time, in memory, and what is found.
#![expect(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use jp_config::Config;
use jp_plugin_check::{
    CASES, CannotStart, Ended, Finding, Ground, Patience, Program, Started, Status, Transcript,
    by_hand, check, describe, replay,
};
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex, empty,
};

/// What a plugin does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    Nothing,
    DescribesSlowly,
    DescribesWithoutVersion,
    DescribesAndStays,
    DescribesAndFails,
    DescribesDifferently,
    RunsInstead,
    StopsAtUnknownFields,
    IsNeverReady,
    Prints,
    AsksForNonsense,
    SaysNoExit,
    Lingers,
    GoesOnAfterExit,
    IgnoresShutdown,
    IgnoresTheEnd,
    TakesAnyAnswer,
    HangsOnErrors,
    TalksToNobody,
    IgnoresPeople,
    TalksToPeopleOnStdout,
    AsksForEver,
    PrintsForEver,
    SendsTooManyValues,
    AsksForTheSameNonsense,
    AsksForMuch,
    LogsForEver,
    LogsALot,
}

/// Starts the same plugin again and again.
struct Fake {
    mistake: Mistake,
    started: AtomicUsize,
}

/// Both ends of a plugin.
struct Wire {
    lines: Lines<BufReader<DuplexStream>>,
    out: DuplexStream,
}

impl Wire {
    async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// False if nobody reads it.
    async fn say(&mut self, message: Value) -> bool {
        self.out.write_all(format!("{message}\n").as_bytes()).await.is_ok()
    }
}

impl Program for Fake {
    fn start(&self) -> BoxFuture<'_, Result<Started, CannotStart>> {
        let (mistake, run) = (self.mistake, self.started.fetch_add(1, Ordering::Relaxed));
        let (stdin, theirs) = duplex(1 << 16);
        let (stdout, out) = duplex(1 << 16);
        let wire = Wire { lines: BufReader::new(theirs).lines(), out };
        let task = tokio::spawn(plugin(wire, mistake, run));
        let end = async move {
            let code = task.await.unwrap_or(101);
            Ended { text: format!("exited with code {code}"), is_success: code == 0 }
        };
        let (stdin, stdout, stderr) = (Box::new(stdin), Box::new(stdout), Box::new(empty()));
        async { Ok(Started { stdin, stdout, stderr, end: end.boxed() }) }.boxed()
    }

    fn start_by_hand(&self) -> BoxFuture<'_, Result<Option<Started>, CannotStart>> {
        let mistake = self.mistake;
        let (stdin, _) = duplex(1);
        let text = |wanted: bool| if wanted { &b"a plugin"[..] } else { b"" };
        let on_stdout = mistake == Mistake::TalksToPeopleOnStdout;
        let stdout = Box::new(text(on_stdout));
        let stderr = Box::new(text(!on_stdout));
        let end = async move {
            if mistake == Mistake::IgnoresPeople {
                forever().await;
            }
            Ended { text: "exited with code 2".to_owned(), is_success: false }
        };
        let stdin = Box::new(stdin);
        async { Ok(Some(Started { stdin, stdout, stderr, end: end.boxed() })) }.boxed()
    }
}

/// Asks for the conversations and two parts of the configuration at the same time, and then waits for
/// its end.
async fn plugin(mut wire: Wire, mistake: Mistake, run: usize) -> u8 {
    let Some(first) = wire.next().await else { return 1 };
    if mistake == Mistake::StopsAtUnknownFields && first.get("of a later version").is_some() {
        return 3;
    }
    if first["type"] == "describe" && mistake != Mistake::RunsInstead {
        return described(&mut wire, mistake, run).await;
    }
    if mistake == Mistake::IsNeverReady {
        forever().await;
    }
    if !wire.say(json!({"type": "ready"})).await && mistake != Mistake::TalksToNobody {
        return 1;
    }
    if mistake == Mistake::Prints {
        wire.out.write_all(b"starting\n").await.unwrap();
    }
    if mistake == Mistake::AsksForNonsense {
        wire.say(json!({"type": "dance", "id": "a"})).await;
        wire.next().await;
    }
    if mistake == Mistake::AsksForMuch {
        return asks_for_much(&mut wire).await;
    }
    if mistake == Mistake::LogsForEver {
        return logs_for_ever(&mut wire).await;
    }
    if let Some(line) = floods(mistake) {
        while wire.out.write_all(line.as_bytes()).await.is_ok() {}
        return 1;
    }
    if let Err(code) = work(&mut wire, mistake).await {
        return code;
    }
    while let Some(message) = wire.next().await {
        if message["type"] == "shutdown" && mistake != Mistake::IgnoresShutdown {
            return exit(&mut wire, 0, mistake).await;
        }
    }
    if mistake == Mistake::IgnoresTheEnd {
        forever().await;
    }
    1
}

/// What is said again and again.
fn floods(mistake: Mistake) -> Option<String> {
    let message = match mistake {
        Mistake::AsksForEver => json!({"type": "list_conversations"}),
        Mistake::PrintsForEver => json!({"type": "print", "text": "x".repeat(1_000_000)}),
        Mistake::SendsTooManyValues => json!({"type": "print", "text": "", "x": vec![0; 300_000]}),
        Mistake::AsksForTheSameNonsense => json!({"type": "dance"}),
        Mistake::LogsALot => {
            json!({"type": "log", "level": "info", "message": "x".repeat(1_000_000)})
        }
        _ => return None,
    };
    Some(format!("{message}\n"))
}

/// Says something every now and then, which is soon enough for whoever waits for the next line only.
async fn logs_for_ever(wire: &mut Wire) -> u8 {
    while wire.say(json!({"type": "log", "level": "info", "message": "still here"})).await {
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    1
}

/// Says something long once, wants to hear it again and again, and does not listen.
async fn asks_for_much(wire: &mut Wire) -> u8 {
    wire.say(json!({"type": "create_conversation"})).await;
    let id = loop {
        let Some(message) = wire.next().await else { return 1 };
        if message["type"] == "created" {
            break message["conversation"].clone();
        }
    };
    let event = json!({"type": "chat_response", "message": "x".repeat(4 << 20)});
    wire.say(json!({"type": "push_events", "conversation": id, "events": [event]})).await;
    while wire.say(json!({"type": "read_events", "conversation": id})).await {}
    1
}

async fn described(wire: &mut Wire, mistake: Mistake, run: usize) -> u8 {
    if mistake == Mistake::DescribesSlowly {
        forever().await;
    }
    let version = if mistake == Mistake::DescribesDifferently { run } else { 1 };
    let mut answer = json!({
        "type": "describe", "name": "fake", "version": version.to_string(),
        "description": "Does nothing", "command": ["fake"], "help": "Usage: jp fake",
    });
    if mistake == Mistake::DescribesWithoutVersion {
        answer.as_object_mut().unwrap().remove("version");
    }
    wire.say(answer).await;
    if mistake == Mistake::DescribesAndStays {
        forever().await;
    }
    u8::from(mistake == Mistake::DescribesAndFails)
}

/// Three requests at the same time; whoever does not look at ids takes any answer for any.
async fn work(wire: &mut Wire, mistake: Mistake) -> Result<(), u8> {
    wire.say(json!({"type": "list_conversations", "id": "a"})).await;
    wire.say(json!({"type": "read_config", "id": "b", "path": "style"})).await;
    let mut first = None;
    for _ in 0..2 {
        let Some(message) = wire.next().await else { return Ok(()) };
        if message["type"] == "shutdown" && mistake != Mistake::IgnoresShutdown {
            return Err(exit(wire, 0, mistake).await);
        }
        if message["type"] == "error" {
            if mistake == Mistake::HangsOnErrors {
                forever().await;
            }
            return Err(exit(wire, 4, mistake).await);
        }
        first.get_or_insert(message);
    }
    let got = first.unwrap_or_default()["type"].clone();
    if mistake == Mistake::TakesAnyAnswer && got == "config" {
        return Err(exit(wire, 9, mistake).await);
    }
    Ok(())
}

async fn exit(wire: &mut Wire, code: u8, mistake: Mistake) -> u8 {
    if mistake != Mistake::SaysNoExit {
        wire.say(json!({"type": "exit", "code": code})).await;
    }
    if mistake == Mistake::GoesOnAfterExit {
        wire.say(json!({"type": "print", "text": "one more thing"})).await;
    }
    if mistake == Mistake::Lingers {
        forever().await;
    }
    code
}

async fn forever() {
    std::future::pending::<()>().await;
}

fn ground() -> Ground {
    let config = Config::load(Vec::new()).unwrap_or_else(|_| panic!("no settings are settings"));
    Ground {
        root: "/nowhere".into(),
        config: Arc::new(config),
        args: Vec::new(),
        options: Map::new(),
    }
}

const PATIENCE: Patience = Patience {
    describe: Duration::from_secs(2),
    run: Duration::from_secs(10),
    quiet: Duration::from_secs(1),
    grace: Duration::from_secs(5),
};

/// Everything that is found. Time is not real here, so that nobody has to wait.
async fn found(mistake: Mistake) -> (Vec<Finding>, Vec<Transcript>) {
    let (fake, ground) = (Fake { mistake, started: AtomicUsize::new(0) }, ground());
    let (mut findings, mut said) = describe(&fake, &ground, PATIENCE).await.unwrap();
    findings.extend(by_hand(&fake, PATIENCE).await.unwrap());
    let mut usual = None;
    for case in &CASES {
        let (more, transcript) = check(case, &fake, &ground, PATIENCE, &mut usual).await.unwrap();
        findings.extend(more);
        said.extend(transcript);
    }
    (findings, said)
}

#[tokio::test(start_paused = true)]
async fn a_good_plugin_has_no_findings() {
    let (findings, _) = found(Mistake::Nothing).await;
    let text: String = findings.iter().map(Finding::to_text).collect();
    insta::assert_snapshot!(text, @"
    ok       describes itself
    ok       ends with code 0 after that
    ok       says nothing else
    ok       has a name, a version and a description
    ok       has a command: fake
    ok       has help
    ok       describes itself again, in the same words
    ok       describes itself when the message has fields it does not know
    ok       explains itself to somebody who starts it by hand
    ok       says `ready` after `init`
    ok       writes nothing but messages to stdout
    ok       asks for nothing that there is not: list_conversations, read_config
    ok       ends with `exit`: code 0, after a shutdown
    ok       says nothing after `exit`
    ok       ends after `exit`, although its input does not
    ok       does the same with a host of a later version
    ok       does the same when lines come in pieces, and are read slowly
    ok       does the same when answers are late
    ok       does the same when answers come in the opposite order
    ok       ends with `exit` when every request is refused
    ok       ends with `exit` on a shutdown that comes at once
    ok       ends when its input ends
    ok       ends when nobody reads its output
    ");
}

#[tokio::test(start_paused = true)]
async fn every_mistake_is_found_where_it_is_made() {
    use Status::{Failed, Warning};
    for (mistake, check, status, reason) in [
        (Mistake::DescribesSlowly, "describe", Failed, "did not answer within 2 seconds"),
        (Mistake::DescribesWithoutVersion, "describe", Failed, "missing field `version`"),
        (Mistake::DescribesAndStays, "describe.ends", Failed, "still there 5 seconds"),
        (Mistake::DescribesAndFails, "describe.ends", Failed, "exited with code 1"),
        (Mistake::DescribesDifferently, "describe.twice", Failed, "another one"),
        (Mistake::RunsInstead, "describe", Failed, "it ran instead"),
        (Mistake::StopsAtUnknownFields, "describe.later", Failed, "does not know"),
        (Mistake::StopsAtUnknownFields, "later", Failed, "exited with code 3"),
        (Mistake::IsNeverReady, "ready", Failed, "it had 10 seconds"),
        (Mistake::Prints, "messages", Failed, "not one JSON object"),
        (Mistake::AsksForNonsense, "requests", Failed, "unknown message type `dance`"),
        (Mistake::SaysNoExit, "exit", Failed, "exited with code 0 without it"),
        (Mistake::Lingers, "ends", Failed, "still there 5 seconds later"),
        (Mistake::GoesOnAfterExit, "last", Warning, "one more thing"),
        (Mistake::IgnoresShutdown, "shutdown", Failed, "for it"),
        (Mistake::IgnoresTheEnd, "gone", Failed, "still there 5 seconds later"),
        (Mistake::TakesAnyAnswer, "order", Failed, "code 9 instead of code 0"),
        (Mistake::HangsOnErrors, "refused", Failed, "for it"),
        (Mistake::TalksToNobody, "unread", Failed, "still there 5 seconds later"),
        (Mistake::IgnoresPeople, "by_hand", Failed, "still there 5 seconds later"),
        (Mistake::TalksToPeopleOnStdout, "by_hand", Failed, "it wrote to stdout: a plugin"),
    ] {
        let (findings, _) = found(mistake).await;
        let text: String = findings.iter().map(Finding::to_text).collect();
        let finding = findings.iter().find(|finding| finding.check == check);
        let finding = finding.unwrap_or_else(|| panic!("{mistake:?}: {text}"));
        assert_eq!(finding.status, status, "{mistake:?}: {text}");
        assert!(finding.reasons.join("; ").contains(reason), "{mistake:?}: {text}");
    }
}

/// Who says too much is not listened to any more, and who says the same for ever is told so once.
#[tokio::test(start_paused = true)]
async fn a_plugin_that_floods_is_told_in_a_few_words() {
    let loud = "it said more than 24 MiB before it";
    let eager = "it asked for more than 2000 things before it";
    let dance = "it asks for nothing; unknown message type `dance`";
    let values = "a message of more than 200000 values";
    let many = "list_conversations (2000 times)";
    let much = "it asked for answers of more than 24 MiB before it";
    for (mistake, told) in [
        (Mistake::AsksForEver, &[("exit", eager), ("requests", many)][..]),
        (Mistake::PrintsForEver, &[("exit", loud)]),
        (Mistake::SendsTooManyValues, &[("messages", values)]),
        (Mistake::AsksForTheSameNonsense, &[("exit", eager), ("requests", dance)]),
        (Mistake::AsksForMuch, &[("exit", much)]),
    ] {
        let fake = Fake { mistake, started: AtomicUsize::new(0) };
        let checked = check(&CASES[0], &fake, &ground(), PATIENCE, &mut None).await;
        let (findings, _) = checked.unwrap();
        for (name, reason) in told {
            let finding = findings.iter().find(|finding| finding.check == *name).unwrap();
            assert_eq!(finding.reasons.join("; "), *reason, "{mistake:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_recorded_can_be_played() {
    let (_, said) = found(Mistake::Nothing).await;
    let text: String = said.iter().map(ToString::to_string).collect();
    let transcript = Transcript::parse(&text).unwrap();
    assert_eq!(transcript.runs().len(), said.len());
    let fake = |mistake| Fake { mistake, started: AtomicUsize::new(0) };
    let findings = replay(&fake(Mistake::Nothing), &transcript, PATIENCE).await.unwrap();
    assert_eq!(findings.len(), said.len());
    for finding in &findings {
        assert_eq!(finding.status, Status::Ok, "{}", finding.to_text());
    }
    for (mistake, reason) in [
        (Mistake::Prints, "it said starting instead of"),
        (Mistake::SaysNoExit, "it ended instead of saying {\"type\":\"exit\""),
        (Mistake::IsNeverReady, "it did not say {\"type\":\"ready\"}"),
        (Mistake::Lingers, "still there 5 seconds after its last word"),
        (Mistake::LogsForEver, "it did not say {\"type\":\"list_conversations\""),
        (Mistake::LogsALot, "it said more than 24 MiB instead of {\"type\":\"list_conversations\""),
        (Mistake::SendsTooManyValues, "it wrote a message of more than 200000 values"),
    ] {
        let findings = replay(&fake(mistake), &transcript, PATIENCE).await.unwrap();
        let text: String = findings.iter().map(Finding::to_text).collect();
        assert!(text.contains(reason), "{mistake:?}: {text}");
    }
}

/// What is expected is read one line at a time, so a line must not be too much by itself.
#[tokio::test(start_paused = true)]
async fn a_transcript_expects_no_more_values_than_a_message_may_have() {
    let run = |line: &str| format!("> {{\"type\":\"init\"}}\n< {line}\n");
    let fake = Fake { mistake: Mistake::Nothing, started: AtomicUsize::new(0) };
    for (line, reason) in [
        (
            json!({"type": "ready", "x": vec![0; 300_000]}),
            "the transcript has a message of more than 200000 values",
        ),
        (
            json!({"type": "log", "x": vec![0; 300_000]}),
            "the transcript has a message of more than 200000 values",
        ),
        (
            json!({"type": "ready", "x": vec![0; 100_000]}),
            "it said {\"type\":\"ready\"} instead of",
        ),
    ] {
        let transcript = Transcript::parse(&run(&line.to_string())).unwrap();
        let findings = replay(&fake, &transcript, PATIENCE).await.unwrap();
        let text: String = findings.iter().map(Finding::to_text).collect();
        assert!(text.contains(reason), "{text}");
    }
    // The same may be written in other words.
    let transcript = Transcript::parse(&run("{ \"type\" : \"ready\" }")).unwrap();
    let findings = replay(&fake, &transcript, PATIENCE).await.unwrap();
    assert!(!findings[0].to_text().contains("instead of"), "{}", findings[0].to_text());
}

#[test]
fn a_transcript_is_a_file_that_people_can_write() {
    let text = "> {\"type\":\"describe\"}\n\n< {\"a\":1}\n# second\n>{\"x\":2}\n>\n# empty\n";
    let transcript = Transcript::parse(text).unwrap();
    let runs = transcript.runs();
    assert_eq!(runs.len(), 2);
    assert_eq!((runs[0].0, runs[0].1.len()), ("", 2));
    assert_eq!((runs[1].0, runs[1].1.len()), ("second", 2));
    let error = Transcript::parse("> {}\nhello\n").unwrap_err().to_string();
    assert_eq!(error, "line 2 is no line of a transcript: it begins with neither `<`, `>` nor `#`");
}
