//! Landlock: in a namespace it closes what mounts leave open, without one it is the file policy.
//!
//! In a namespace the view is already right. What Landlock adds there is that sockets without a path
//! and signals stay inside, that mounts cannot be changed whatever else goes wrong, and that pipes of
//! the host that lie in a read-only place cannot be written to. Without a
//! namespace it grants each place what the view says; it can only add on the way down, so the plan
//! gives it views that only widen.

use std::io;

use camino::Utf8Path;
use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

use super::{devices::DEVICES, mounts};
use crate::{
    confinement::Tier,
    view::{View, What, Write},
};

/// The newest interface that this code was written for.
const NEWEST: ABI = ABI::V6;

/// Restricts this thread, and so everything it becomes.
pub(super) fn restrict(tier: Tier, view: &View) -> io::Result<()> {
    let level =
        if tier == Tier::Landlock { CompatLevel::HardRequirement } else { CompatLevel::BestEffort };
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V1))
        .map(|rules| rules.set_compatibility(CompatLevel::BestEffort))
        .and_then(|rules| rules.handle_access(AccessFs::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::AbstractUnixSocket | Scope::Signal))
        .map(|rules| rules.set_compatibility(level))
        .and_then(Ruleset::create)
        .map_err(io::Error::other)?
        .set_compatibility(CompatLevel::BestEffort);
    if tier == Tier::Namespaces {
        rules = grant(rules, Utf8Path::new("/"), AccessFs::from_read(NEWEST) | AccessFs::Refer)?;
        let written = view.places().iter().filter(|place| is_written(place.what));
        let written = written.map(|place| place.path.as_path());
        for path in written.chain([Utf8Path::new("/dev"), Utf8Path::new("/proc")]) {
            rules = grant(rules, path, AccessFs::from_all(NEWEST))?;
        }
    } else {
        for place in view.places() {
            rules = grant(rules, &place.path, rights(place.what))?;
        }
        for device in DEVICES {
            let path = Utf8Path::new("/dev").join(device);
            rules = grant(rules, &path, AccessFs::ReadFile | AccessFs::WriteFile)?;
        }
    }
    rules.restrict_self().map_err(io::Error::other)?;
    Ok(())
}

fn grant(
    rules: RulesetCreated,
    path: &Utf8Path,
    rights: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    if rights.is_empty() {
        return Ok(rules);
    }
    let place = match mounts::open(path) {
        Ok(place) => place,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(rules),
        Err(error) => return Err(error),
    };
    let is_directory = rustix::fs::fstat(&place)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
    let rights = if is_directory { rights } else { rights & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(place, rights)).map_err(io::Error::other)
}

fn is_written(what: What) -> bool {
    match what {
        What::Host { write, .. } => write != Write::No,
        What::Private { .. } | What::Blank => true,
        What::Hidden => false,
    }
}

/// What a place of a view means as rights.
fn rights(what: What) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    match what {
        What::Hidden | What::Blank => BitFlags::empty(),
        What::Private { execute } | What::Host { write: Write::Direct, execute } => {
            let write = AccessFs::from_write(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
            read | write | executable(execute)
        }
        // Judged writes need an overlay, which needs a namespace; the plan says so.
        What::Host { execute, .. } => read | executable(execute),
    }
}

fn executable(execute: bool) -> BitFlags<AccessFs> {
    if execute { AccessFs::Execute.into() } else { BitFlags::empty() }
}
