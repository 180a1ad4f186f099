//! A machine that has everything is remembered until something about it changes.
//!
//! Trying all features takes longer than running a small program confined. So where all of them worked,
//! that is written down together with everything that could make it untrue: the boot, the kernel, the
//! user, the namespaces and filters that jp itself is in, and the switches of the system. What is
//! missing is never written down: somebody may just have mended it.
//!
//! A memory that is wrong opens nothing. Each feature is used, not assumed, and a process that cannot
//! be confined as planned does not start.
#![expect(clippy::disallowed_methods, reason = "the cache belongs to the user, not to a workspace")]

use std::{fs, io::Write as _};

use camino::Utf8Path;
use jp_sandbox::machine::Machine;
use serde::{Deserialize, Serialize};

/// Switches that let an ordinary user have namespaces, or not.
const SWITCHES: [&str; 4] = [
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

#[derive(Serialize, Deserialize)]
struct Memory {
    circumstances: String,
    machine: Machine,
}

/// What was remembered, if it still holds.
pub(crate) fn recall(file: &Utf8Path) -> Option<Machine> {
    let memory: Memory = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    (memory.circumstances == circumstances()? && has_everything(&memory.machine))
        .then_some(memory.machine)
}

/// Remembers a machine that has everything. Without a memory jp is slower, and nothing else.
pub(crate) fn remember(file: &Utf8Path, machine: &Machine) {
    if !has_everything(machine) {
        return;
    }
    let write = || -> Option<()> {
        let memory = Memory { circumstances: circumstances()?, machine: machine.clone() };
        let directory = file.parent()?;
        fs::create_dir_all(directory).ok()?;
        let mut temporary = tempfile::NamedTempFile::new_in(directory).ok()?;
        temporary.write_all(&serde_json::to_vec(&memory).ok()?).ok()?;
        temporary.persist(file).ok().map(drop)
    };
    let _ = write();
}

fn has_everything(machine: &Machine) -> bool {
    !machine.features.is_empty() && machine.features.iter().all(|(_, missing)| missing.is_none())
}

/// Everything that could make a memory untrue; `None` where it cannot be told.
fn circumstances() -> Option<String> {
    let mut parts = vec![
        fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?,
        fs::read_to_string("/proc/version").ok()?,
    ];
    for namespace in ["user", "mnt", "pid", "net", "ipc"] {
        let link = fs::read_link(format!("/proc/self/ns/{namespace}")).ok()?;
        parts.push(link.to_string_lossy().into_owned());
    }
    parts.extend(SWITCHES.map(|path| fs::read_to_string(path).unwrap_or_default()));
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let marks = ["Uid:", "Gid:", "Cap", "NoNewPrivs:", "Seccomp"];
    let own = status.lines().filter(|line| marks.iter().any(|mark| line.starts_with(mark)));
    parts.extend(own.map(ToOwned::to_owned));
    Some(parts.join("\n"))
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;
    use jp_sandbox::machine::Feature;

    use super::*;

    #[test]
    fn only_a_machine_that_has_everything_is_remembered() {
        let directory = tempfile::tempdir().unwrap();
        let file = Utf8PathBuf::try_from(directory.path().join("cache/machine.json")).unwrap();
        let whole = Machine {
            kernel: "Linux 9".to_owned(),
            landlock: 7,
            features: Feature::ALL.map(|feature| (feature, None)).to_vec(),
        };
        assert_eq!(recall(&file), None);
        let mut lacking = whole.clone();
        lacking.features[0].1 = Some("forbidden".to_owned());
        remember(&file, &lacking);
        assert_eq!(recall(&file), None);
        remember(&file, &whole);
        assert_eq!(recall(&file), Some(whole.clone()));
        let text = fs::read_to_string(&file).unwrap();
        for (from, to) in [("Seccomp:", "Seccomp: 2,"), ("NoNewPrivs:\\t", "NoNewPrivs:\\t9")] {
            assert!(text.contains(from), "{text}");
            fs::write(&file, text.replacen(from, to, 1)).unwrap();
            assert_eq!(recall(&file), None, "{from}");
        }
        fs::write(&file, "{}").unwrap();
        assert_eq!(recall(&file), None);
    }
}
