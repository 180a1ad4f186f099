//! Ending a tool that is at work: it is told so, and has a moment to obey.

use std::time::Duration;

use jp_confine::Running;
use jp_process::Signal;
use jp_tool::Action;
use serde_json::{Map, Value};
use tokio::{io::AsyncWriteExt as _, net::unix::pipe, time::timeout};

use super::{
    bench::{Bench, PROMPT, refused},
    calls::{Run, to_line},
    finding::{Finding, Problem},
    report::Report,
    subject::Subject,
};
use crate::error::{Error, Result};

/// A run that is over before this cannot be cancelled in a way that would say anything.
const SHORTEST: Duration = Duration::from_millis(200);

pub(super) async fn check(
    bench: &Bench<'_>,
    subject: &Subject,
    good: &Map<String, Value>,
    first: &Run,
    report: &mut Report<'_>,
) -> Result {
    let title = "ends when it is cancelled";
    let took = first.seen.took;
    if took < SHORTEST && !subject.is_stateful() {
        let finding = Finding::skipped("cancel", title).of(&subject.name);
        return report.add(finding.because("a good call is over before anybody could"));
    }
    let invocation = subject.invocation(bench, Action::Run, good.clone(), Map::new());
    let mut running = bench.start(&invocation).await?;
    let stdin = feed(&mut running, &to_line(&invocation), subject).await;
    let pause = (took / 2).clamp(SHORTEST / 2, Duration::from_millis(500));
    if bench.during(title, timeout(pause, running.child.wait())).await.is_ok() {
        let finding = Finding::skipped("cancel", title).of(&subject.name);
        return report.add(finding.because("it was over before anybody could"));
    }
    // It may end at this moment, and then there is nobody to be told: the wait tells.
    let _ = running.child.signal(Signal::Terminate);
    let ended = bench.during(title, timeout(PROMPT, running.child.wait())).await;
    drop(stdin);
    let problem = if let Ok(exit) = ended {
        running.end(&exit.map_err(Error::failure)?).map_err(refused)?;
        None
    } else {
        running.child.kill().await.map_err(Error::failure)?;
        let seconds = PROMPT.as_secs();
        Some(Problem::fail(format!("it was still there {seconds} seconds after SIGTERM")))
    };
    report.add(Finding::new("cancel", title).of(&subject.name).with(problem))
}

/// Starts the call. A tool that stays alive waits for more, for all others the input ends here.
async fn feed(running: &mut Running, line: &[u8], subject: &Subject) -> Option<pipe::Sender> {
    let mut stdin = running.child.stdin.take()?;
    // Whoever does not read is cancelled too.
    let _ = timeout(SHORTEST, stdin.write_all(line)).await;
    subject.is_stateful().then_some(stdin)
}
