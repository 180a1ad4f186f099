//! Small filter programs for system calls: which call gets which answer.
//!
//! The kernel runs a new filter once for every call it knows, to learn which are always allowed, so
//! the time to install one grows with how many steps a call takes through it. A list that is walked
//! from its beginning costs more than starting the process does; here the number of a call is found
//! by halving, in about seven steps. The crate that compiles filters from rules walks a list, and
//! cannot ask a supervisor.

use std::{collections::BTreeMap, io};

/// What a call gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is done.
    Allow,
    /// It fails with this error.
    Error(i32),
    /// The supervisor answers it.
    Ask,
    /// It fails with `EPERM` if any of these cases holds. Otherwise it is done, or the supervisor
    /// answers it.
    RefuseIf(Vec<Case>, Otherwise),
}

/// What a call gets that is not refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    Allow,
    Ask,
}

/// Conditions on arguments that hold together.
pub(super) type Case = Vec<Condition>;

/// A condition on the lower half of an argument. Every value that is compared here is one that the
/// kernel itself reads from that half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// Argument, value.
    Is(u32, u32),
    /// Argument, value.
    IsNot(u32, u32),
    /// Argument, bits of which at least one is set.
    HasAny(u32, u32),
    /// Argument, mask, value of the masked argument.
    MaskedIs(u32, u32, u32),
}

/// The last call that this filter was written for: `file_setattr`.
const NEWEST: u32 = 469;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Where the kernel puts the architecture and the arguments beside the number.
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

/// The program that gives these answers, and allows every other call.
pub(super) fn compile(answers: &BTreeMap<u32, Answer>) -> io::Result<Vec<libc::sock_filter>> {
    let mut starts = vec![(0, Answer::Allow)];
    for (number, answer) in answers {
        starts.retain(|(start, _)| start != number);
        starts.push((*number, answer.clone()));
        starts.push((number + 1, Answer::Allow));
    }
    // What nobody has thought about yet. Where numbers for another way of calling begin is above it.
    starts.push((NEWEST + 1, Answer::Error(libc::ENOSYS)));
    starts.dedup_by(|later, earlier| later.1 == earlier.1);
    let mut program = Program::default();
    program.architecture();
    program.step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0);
    program.search(&starts);
    program.answers();
    if program.is_too_long {
        return Err(io::Error::other("a filter became too long"));
    }
    Ok(program.steps)
}

/// A program under construction. Jumps name an answer until all answers have their place.
#[derive(Default)]
struct Program {
    steps: Vec<libc::sock_filter>,
    /// Steps whose jump, if true or if false, leads to an answer.
    jumps: Vec<(usize, bool, Answer)>,
    /// Whether a jump is further than a jump can be.
    is_too_long: bool,
}

impl Program {
    fn step(&mut self, code: u32, value: u32) -> usize {
        let code = u16::try_from(code).unwrap_or(u16::MAX);
        self.steps.push(libc::sock_filter { code, jt: 0, jf: 0, k: value });
        self.steps.len() - 1
    }

    fn jump(&mut self, comparison: u32, value: u32) -> usize {
        self.step(libc::BPF_JMP | comparison | libc::BPF_K, value)
    }

    /// A program of another architecture has other numbers, and no business here.
    fn architecture(&mut self) {
        self.step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, ARCHITECTURE_AT);
        let is_ours = self.jump(libc::BPF_JEQ, ARCHITECTURE);
        self.steps[is_ours].jt = 1;
        self.step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS);
    }

    /// Finds the last start that is not above the number, by halving.
    fn search(&mut self, starts: &[(u32, Answer)]) {
        let middle = starts.len() / 2;
        let (lower, upper) = starts.split_at(middle);
        let Some((first, _)) = upper.first().filter(|_| !lower.is_empty()) else { return };
        let at = self.jump(libc::BPF_JGE, *first);
        self.branch(at, false, lower);
        self.branch(at, true, upper);
    }

    fn branch(&mut self, at: usize, when: bool, starts: &[(u32, Answer)]) {
        if let [(_, answer)] = starts {
            self.jumps.push((at, when, answer.clone()));
        } else {
            self.lead(at, when, self.steps.len());
            self.search(starts);
        }
    }

    /// Lets a jump lead to a later step.
    fn lead(&mut self, at: usize, when: bool, target: usize) {
        let distance = target.checked_sub(at + 1).and_then(|far| u8::try_from(far).ok());
        self.is_too_long |= distance.is_none();
        let step = &mut self.steps[at];
        *(if when { &mut step.jt } else { &mut step.jf }) = distance.unwrap_or_default();
    }

    /// Puts the answers at the end, and lets the jumps lead to them.
    fn answers(&mut self) {
        let mut placed: Vec<(Answer, usize)> = Vec::new();
        let mut next = 0;
        while let Some((at, when, answer)) = self.jumps.get(next).cloned() {
            next += 1;
            let known = placed.iter().find(|(placed, _)| *placed == answer).map(|(_, at)| *at);
            let target = known.unwrap_or_else(|| {
                let target = self.answer(&answer);
                placed.push((answer, target));
                target
            });
            self.lead(at, when, target);
        }
    }

    /// Writes an answer and says where it begins.
    fn answer(&mut self, answer: &Answer) -> usize {
        let start = self.steps.len();
        match answer {
            Answer::Allow => self.give(libc::SECCOMP_RET_ALLOW),
            Answer::Error(number) => self.give(libc::SECCOMP_RET_ERRNO | number.cast_unsigned()),
            Answer::Ask => self.give(libc::SECCOMP_RET_USER_NOTIF),
            Answer::RefuseIf(cases, otherwise) => {
                for case in cases {
                    self.case(case);
                }
                self.give(match otherwise {
                    Otherwise::Allow => libc::SECCOMP_RET_ALLOW,
                    Otherwise::Ask => libc::SECCOMP_RET_USER_NOTIF,
                });
            }
        }
        start
    }

    fn give(&mut self, value: u32) {
        self.step(libc::BPF_RET | libc::BPF_K, value);
    }

    /// Refuses if all conditions hold, otherwise goes on behind.
    fn case(&mut self, case: &Case) {
        let mut tests = Vec::new();
        for condition in case {
            tests.push(self.condition(*condition));
        }
        self.give(libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned());
        let behind = self.steps.len();
        for (at, holds_when) in tests {
            self.lead(at, !holds_when, behind);
        }
    }

    /// Writes a test; says where it is, and which of its outcomes means that the condition holds.
    fn condition(&mut self, condition: Condition) -> (usize, bool) {
        let (Condition::Is(argument, _)
        | Condition::IsNot(argument, _)
        | Condition::HasAny(argument, _)
        | Condition::MaskedIs(argument, ..)) = condition;
        self.step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, ARGUMENTS_AT + 8 * argument);
        match condition {
            Condition::Is(_, value) => (self.jump(libc::BPF_JEQ, value), true),
            Condition::IsNot(_, value) => (self.jump(libc::BPF_JEQ, value), false),
            Condition::HasAny(_, bits) => (self.jump(libc::BPF_JSET, bits), true),
            Condition::MaskedIs(_, mask, value) => {
                self.step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, mask);
                (self.jump(libc::BPF_JEQ, value), true)
            }
        }
    }
}
