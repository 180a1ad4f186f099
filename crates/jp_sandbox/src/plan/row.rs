//! One line of what a plan says about itself.

use std::fmt;

use jp_tool::access::Capability;

/// How faithfully one thing is kept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The rule as it is written, or the promise of a profile in words.
    pub subject: String,
    /// Which part of it this row is about.
    pub aspect: Aspect,
    /// How faithfully.
    pub fidelity: Fidelity,
    /// Why, or what to know about it; can be empty where it is exact.
    pub reason: String,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// One capability of a rule for files.
    Fs(Capability),
    /// A rule for the network.
    Net,
    /// A rule for variables.
    Env,
    /// A rule for programs.
    Command,
    /// A promise of the profile, which no rule of the tool makes.
    Profile,
}

/// How what the kernel does compares with what the policy says. The order is from good to bad, so
/// the worst of several is the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// The kernel does exactly this.
    Exact,
    /// The kernel allows less.
    Stricter,
    /// The kernel lets the process do nothing of the kind; the host does it on request, and judges.
    MediatedOnly,
    /// The kernel allows more.
    Looser,
}

impl Fidelity {
    /// The word in tables and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Stricter => "stricter",
            Self::MediatedOnly => "mediated only",
            Self::Looser => "looser",
        }
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Aspect {
    /// The word in tables and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fs(capability) => capability.as_str(),
            Self::Net => "net",
            Self::Env => "env",
            Self::Command => "commands",
            Self::Profile => "profile",
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
