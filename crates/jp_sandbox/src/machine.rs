//! What a machine offers to confine a process with, and what that makes possible.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::confinement::Tier;

/// What was found when everything was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The kernel's name and version.
    pub kernel: String,
    /// The version of Landlock's interface; zero when there is none.
    pub landlock: u32,
    /// Each feature with the reason why it does not work, if it does not.
    pub features: Vec<(Feature, Option<String>)>,
}

/// Something that the kernel has or has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feature {
    /// User, mount, process and other namespaces for an ordinary user.
    Namespaces,
    /// A network namespace.
    Network,
    /// A `/proc` for the namespace.
    Proc,
    /// Overlays for an ordinary user, whose changes are kept apart.
    Overlay,
    /// Landlock.
    Landlock,
    /// Filters for system calls.
    Seccomp,
    /// Filters that ask another process.
    Supervision,
}

impl Feature {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 7] = [
        Self::Namespaces,
        Self::Network,
        Self::Proc,
        Self::Overlay,
        Self::Landlock,
        Self::Seccomp,
        Self::Supervision,
    ];

    /// The name by which it is hidden for a test and told to a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Network => "network-namespace",
            Self::Proc => "proc",
            Self::Overlay => "overlay",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::Supervision => "supervision",
        }
    }

    /// What is lost without it.
    pub fn without(self) -> &'static str {
        match self {
            Self::Namespaces => {
                "rules that deny something inside what they allow cannot be enforced, \
                 and tools see all processes"
            }
            Self::Network => "network rules by host cannot be enforced, only no network at all",
            Self::Proc => "tools cannot be given namespaces, because they would see no processes",
            Self::Overlay => {
                "what lies inside something visible cannot be hidden, so namespaces are not used, \
                 and there is no --dry-run"
            }
            Self::Landlock => {
                "in namespaces sockets without a path and signals are not kept inside; \
                 without namespaces files are not confined"
            }
            Self::Seccomp => "nothing can be confined",
            Self::Supervision => "what a tool was denied is not named, and sealed tools do not run",
        }
    }

    /// How to get it.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Namespaces => {
                "allow user namespaces: sysctl user.max_user_namespaces above 0, \
                 kernel.unprivileged_userns_clone=1 and \
                 kernel.apparmor_restrict_unprivileged_userns=0 where they exist; in a container, \
                 a seccomp profile that permits them"
            }
            Self::Network => "a kernel with CONFIG_NET_NS, outside of a container that forbids it",
            Self::Proc => {
                "in a container, a /proc without masked parts (--security-opt systempaths=unconfined)"
            }
            Self::Overlay => "Linux 5.11 or newer with the overlay module",
            Self::Landlock => {
                "Linux 5.13 or newer, with landlock in the list of the lsm= boot parameter"
            }
            Self::Seccomp => "a kernel with CONFIG_SECCOMP_FILTER",
            Self::Supervision => "Linux 5.5 or newer",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Machine {
    /// A machine that offers nothing, with the reason.
    pub fn nothing(kernel: impl Into<String>, reason: &str) -> Self {
        let features = Feature::ALL.map(|feature| (feature, Some(reason.to_owned()))).to_vec();
        Self { kernel: kernel.into(), landlock: 0, features }
    }

    /// Whether a feature works.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.iter().any(|(known, missing)| *known == feature && missing.is_none())
    }

    /// The same machine as if it did not have some features.
    #[must_use]
    pub fn hiding(mut self, hidden: &[Feature]) -> Self {
        for (feature, missing) in &mut self.features {
            if hidden.contains(feature) {
                missing.get_or_insert_with(|| "hidden by request".to_owned());
            }
        }
        self
    }

    /// The best means there are.
    pub fn tier(&self) -> Tier {
        let namespaces = [
            Feature::Namespaces,
            Feature::Network,
            Feature::Proc,
            Feature::Overlay,
            Feature::Seccomp,
        ];
        if namespaces.into_iter().all(|feature| self.has(feature)) {
            return Tier::Namespaces;
        }
        if self.has(Feature::Landlock) && self.has(Feature::Seccomp) {
            return Tier::Landlock;
        }
        Tier::None
    }
}
