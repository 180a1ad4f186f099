//! The person at the terminal, asked about what a sealed tool wants and no rule covers.
//!
//! What the tool wants is its own text, so it is shown as one line that cannot draw over the question, and
//! what is too long to be shown whole is not put to anybody. Keys that were typed before the question do not
//! answer it, nor do those of somebody who had no time to see that another question was taken back, and what
//! is not clearly a yes is a no. One question is open at a time; one that nobody wants answered any more is
//! taken back.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use jp_printer::visible;
use jp_vfs::{Approval, Approver, Ask, BoxFuture, Wanted};
use tokio::sync::{Mutex, oneshot};

use super::{
    keep::{Keeper, Plan, Planned, Wish},
    progress::Progress,
};
use crate::{cmd::tool::explain::Asked, terminal::Terminal};

/// The longest text that a person can be expected to read before answering.
const LONGEST: usize = 4096;

/// The name of the thread that asks.
const THREAD: &str = "jp-asks";

/// How often a question is put to somebody who answers something else.
const ATTEMPTS: usize = 5;

/// Asks at the terminal.
#[derive(Debug, Clone)]
pub(crate) struct TerminalApprover {
    terminal: Terminal,
    keeper: Keeper,
    progress: Arc<Progress>,
    /// Held by the question that has a thread. Those after it wait for it without one: a tool can take back as many
    /// as it likes, and a thread that waits for the terminal waits on.
    first: Arc<Mutex<()>>,
}

impl TerminalApprover {
    pub(crate) fn new(terminal: Terminal, keeper: Keeper, progress: Arc<Progress>) -> Self {
        Self { terminal, keeper, progress, first: Arc::default() }
    }

    /// Asks, unless the question was taken back before its turn.
    fn put(&self, question: &Ask, is_over: &AtomicBool) -> Approval {
        let mut turn = Terminal::turn();
        let is_over = || is_over.load(Ordering::Relaxed);
        let _pause = self.progress.pause();
        let mut was_put = false;
        let approval = answer(&self.keeper, question, &mut |text| {
            if is_over() {
                return None;
            }
            was_put = true;
            self.terminal.ask_line(text, &is_over).ok().flatten()
        });
        if was_put && is_over() {
            turn.was_taken_back();
        }
        match approval {
            Said::Approval(approval) => approval,
            Said::Keep(kept) => {
                let (wish, plan) = *kept;
                self.keep(question, &wish, plan)
            }
        }
    }

    /// Writes the rule. Whoever wants it always wants it now, even if it cannot be written.
    fn keep(&self, question: &Ask, wish: &Wish, plan: Plan) -> Approval {
        let place = plan.place.clone();
        let (approval, said) = match self.keeper.write(&question.tool, wish, plan) {
            Ok(()) => (Approval::Keep, format!("Written to {place}.\n")),
            Err(error) => {
                let (why, _) = error.parts().unwrap_or_default();
                (Approval::Run, format!("{why}; it is allowed until jp ends.\n"))
            }
        };
        // Whoever cannot be told this has still said yes.
        let _ = self.terminal.show(&said);
        approval
    }
}

impl Approver for TerminalApprover {
    fn can_ask(&self) -> bool {
        self.terminal.can_ask()
    }

    fn can_show(&self, wanted: &Wanted) -> bool {
        described(wanted).is_some()
    }

    fn ask<'a>(&'a self, question: &'a Ask) -> BoxFuture<'a, Approval> {
        let is_over = Arc::new(AtomicBool::new(false));
        let taken_back = TakenBack(Arc::clone(&is_over));
        Box::pin(async move {
            let first = Arc::clone(&self.first).lock_owned().await;
            let (tell, told) = oneshot::channel();
            let (approver, question) = (self.clone(), question.clone());
            // Waiting for a person would hold up everything else that runs on this thread.
            let asking = thread::Builder::new().name(THREAD.to_owned()).spawn(move || {
                let approval = approver.put(&question, &is_over);
                drop(first);
                // Nobody waits for it any more if this fails.
                let _ = tell.send(approval);
            });
            let approval = match asking {
                Ok(_) => told.await.unwrap_or(Approval::No),
                Err(_) => Approval::No,
            };
            drop(taken_back);
            approval
        })
    }
}

/// Takes a question back when nobody waits for its answer any more.
struct TakenBack(Arc<AtomicBool>);

impl Drop for TakenBack {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What came of a question.
#[derive(Debug)]
enum Said {
    Approval(Approval),
    /// Always; this is to be written.
    Keep(Box<(Wish, Plan)>),
}

/// Puts a question by way of `ask`, which shows a text and gives the line that was typed.
fn answer(keeper: &Keeper, question: &Ask, ask: &mut dyn FnMut(&str) -> Option<String>) -> Said {
    let Some(wanted) = described(&question.what) else {
        return Said::Approval(Approval::No);
    };
    let wish = wish(&question.what);
    let mut text = format!("{} wants to {wanted}\n", line(&question.tool));
    let planned = wish.as_ref().map(|wish| keeper.plan(&question.tool, wish));
    let mut choices = "n/o/r";
    text += "  n  no\n";
    if matches!(question.what, Wanted::Sensitive { .. }) {
        choices = "n/r";
    } else {
        text += "  o  yes, once\n";
    }
    text += "  r  yes, until jp ends\n";
    let plan = match planned {
        Some(Ok(Planned::Write(plan))) => {
            choices = "n/o/r/a";
            text += &always(&plan);
            Some(plan)
        }
        Some(Ok(Planned::ByHand(_))) => {
            let _ = writeln!(
                text,
                "  (`jp tool explain {}` says how to allow it always)",
                line(&question.tool)
            );
            None
        }
        // What cannot be written is not offered.
        Some(Ok(Planned::Nothing) | Err(_)) | None => None,
    };
    let _ = write!(text, "[{choices}] ");
    let mut shown = text.as_str();
    for _ in 0..ATTEMPTS {
        let Some(typed) = ask(shown) else { break };
        let is_offered = |choice: char| choices.contains(choice);
        let approval = match typed.trim().to_ascii_lowercase().as_str() {
            "" | "n" | "no" => Approval::No,
            "o" | "once" if is_offered('o') => Approval::Once,
            "r" | "run" => Approval::Run,
            "a" | "always" if is_offered('a') => match (wish, plan) {
                (Some(wish), Some(plan)) => return Said::Keep(Box::new((wish, plan))),
                _ => break,
            },
            _ => {
                shown = "One of the letters, please: ";
                continue;
            }
        };
        return Said::Approval(approval);
    }
    Said::Approval(Approval::No)
}

/// What is wanted, in one line; `None` if that cannot be shown whole.
fn described(wanted: &Wanted) -> Option<String> {
    let text = match wanted {
        Wanted::Fs { capability, path } => {
            format!("{} {}", capability.as_str(), line(path.as_str()))
        }
        Wanted::Sensitive { path, pattern } => {
            format!("use {}, which is sensitive (`{}`)", line(path.as_str()), line(pattern))
        }
        Wanted::Net { url, rule } => {
            format!("talk to {} (what is allowed: `{}`)", line(url), line(&rule.to_string()))
        }
        Wanted::Command { program, args } => {
            let words = [program].into_iter().chain(args);
            format!("run {}", line(&shell_words::join(words)))
        }
    };
    (text.len() <= LONGEST).then_some(text)
}

/// What a rule would have to allow. Sensitive paths have none that would be enough.
fn wish(wanted: &Wanted) -> Option<Wish> {
    let (asked, rule) = match wanted {
        Wanted::Fs { capability, path } => (Asked::Fs(*capability, path.clone()), None),
        Wanted::Sensitive { .. } => return None,
        Wanted::Net { url, rule } => (Asked::Url(url.clone()), Some(rule.clone())),
        Wanted::Command { program, args } => {
            let words = [program].into_iter().chain(args).cloned().collect();
            (Asked::Command(words), None)
        }
    };
    Some(Wish { asked, rule })
}

fn always(plan: &Plan) -> String {
    let mut text = format!("  a  always: adds to `{}` in {}\n", line(&plan.key), line(&plan.place));
    for rule in &plan.lines {
        let _ = writeln!(text, "       {}", line(rule));
    }
    for note in &plan.notes {
        let _ = writeln!(text, "       {}", line(note));
    }
    text
}

/// Somebody else's text as a part of one line, all of it to be seen: whoever says yes says it to every character.
fn line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests;
