//! Which request is carried out when.
//!
//! Requests with an id run side by side. Those without are answered in the order they were sent, so each waits
//! for the one before; and whoever changes a conversation has it to himself, in the order that was asked for,
//! so that a `lock` and a `push_events` can be sent one right after the other. A request *claims* what it
//! needs alone or together with others, and runs when nobody before it has a claim against that.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use jp_conversation::ConversationId;
use jp_plugin::{Refusal, Request, to_host::Asked};

/// How many that wait are looked at. A later one may have to wait though it could run, and nothing else.
const WINDOW: usize = 64;

/// Something to be answered.
#[derive(Debug)]
pub(super) enum Task {
    Serve(Asked),
    Refuse(Refusal),
}

/// A task that runs from now on.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) task: Task,
    /// To be given back when it has ended.
    pub(super) claims: Vec<Claim>,
    /// To be dropped when it has ended.
    pub(super) cost: Charge,
}

/// What a task costs in memory, until this is dropped: a task that runs needs no less than one that waits.
#[derive(Debug)]
pub(super) struct Charge {
    account: Arc<AtomicUsize>,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    task: Task,
    cost: Charge,
}

/// What is waiting and what is running.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    waiting: VecDeque<Waiting>,
    /// What all of them cost.
    account: Arc<AtomicUsize>,
    running: Vec<Claim>,
}

/// Something that a task needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    on: Thing,
    alone: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    /// The turn of those without an id.
    Turn,
    /// The list of conversations, which one reads for all.
    List,
    Conversation(ConversationId),
}

impl Schedule {
    pub(super) fn add(&mut self, task: Task, bytes: usize) {
        self.account.fetch_add(bytes, Ordering::Relaxed);
        let cost = Charge { account: Arc::clone(&self.account), bytes };
        self.waiting.push_back(Waiting { task, cost });
    }

    /// What those that wait and those that run cost.
    pub(super) fn bytes(&self) -> usize {
        self.account.load(Ordering::Relaxed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The first that can run, and that `fits`; it runs from now on, until its claims are given back.
    pub(super) fn next(&mut self, fits: impl Fn(&Task) -> bool) -> Option<Begun> {
        let mut claimed: Vec<Claim> = Vec::new();
        for index in 0..self.waiting.len().min(WINDOW) {
            let task = &self.waiting[index].task;
            let claims = claims(task);
            let is_free = |claim: &Claim| {
                !self.running.iter().chain(&claimed).any(|other| claim.conflicts(*other))
            };
            if fits(task) && claims.iter().all(is_free) {
                let Waiting { task, cost } = self.waiting.remove(index)?;
                self.running.extend(&claims);
                return Some(Begun { task, claims, cost });
            }
            claimed.extend(claims);
        }
        None
    }

    /// A task has ended.
    pub(super) fn give_back(&mut self, claims: &[Claim]) {
        for claim in claims {
            remove_one(&mut self.running, *claim);
        }
    }

    /// Keeps only what changes something: nobody waits for answers any more.
    pub(super) fn keep_changes(&mut self) {
        self.waiting.retain(|waiting| match &waiting.task {
            Task::Refuse(_) => false,
            Task::Serve(asked) => changes(&asked.request),
        });
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Claim {
    fn conflicts(self, other: Self) -> bool {
        self.on == other.on && (self.alone || other.alone)
    }
}

/// Whether a request changes the store, or is needed by one that does.
pub(super) fn changes(request: &Request) -> bool {
    match request {
        Request::Lock(_)
        | Request::Unlock(_)
        | Request::PushEvents(_)
        | Request::CreateConversation(_) => true,
        Request::ListConversations | Request::ReadEvents(_) | Request::ReadConfig(_) => false,
    }
}

/// Removes a claim, once: several tasks can have the same.
pub(super) fn remove_one(claims: &mut Vec<Claim>, claim: Claim) {
    if let Some(index) = claims.iter().position(|other| *other == claim) {
        claims.swap_remove(index);
    }
}

fn claims(task: &Task) -> Vec<Claim> {
    let alone = |on| Claim { on, alone: true };
    let conversation = |id: &str, alone| {
        let id = id.parse().ok()?;
        Some(Claim { on: Thing::Conversation(id), alone })
    };
    let (id, claim) = match task {
        Task::Refuse(refusal) => (&refusal.id, None),
        Task::Serve(Asked { id, request }) => (
            id,
            match request {
                Request::ListConversations => Some(alone(Thing::List)),
                Request::ReadEvents(read) => conversation(&read.conversation, false),
                Request::Lock(lock) => conversation(&lock.conversation, true),
                Request::Unlock(unlock) => conversation(&unlock.conversation, true),
                Request::PushEvents(push) => conversation(&push.conversation, true),
                Request::ReadConfig(_) | Request::CreateConversation(_) => None,
            },
        ),
    };
    claim.into_iter().chain(id.is_none().then_some(alone(Thing::Turn))).collect()
}

#[cfg(test)]
mod tests;
