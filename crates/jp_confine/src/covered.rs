//! Sensitive paths that a grant covers: what a person is asked about before a program runs.
//!
//! Nobody who writes a rule for `.` thinks of the `.env` in it. So what is sensitive stays hidden until
//! somebody says yes to it by name, and this file says what there is to be asked about. Sensitive paths
//! that nothing grants are hidden without a question, and so are those that a program without rules
//! would see by its profile: no one has meant to give it those.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{confinement::Tier, plan::Profile};
use jp_tool::access::{Capability, FsRule};

use crate::Prepared;

/// A sensitive path that is granted, and stays hidden as long as nobody says yes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Where it is, absolute.
    pub path: Utf8PathBuf,
    /// What grants it.
    pub by: Grant,
}

/// What grants a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// The rule for files with this path.
    Rule(Utf8PathBuf),
    /// A place outside of the workspace that is to be seen.
    Place(Utf8PathBuf),
    /// What programs without rules see.
    Profile,
}

impl Prepared {
    /// What there is to be asked about.
    pub fn covered(&self) -> Vec<Covered> {
        if self.plan.off || self.plan.tier == Tier::None {
            return Vec::new();
        }
        let mut covered = Vec::new();
        for path in &self.parts.sensitive {
            let below = self.granted_below(path);
            if let Some(by) = self.grant_of(path).filter(|by| *by != Grant::Profile) {
                covered.push(Covered { path: path.clone(), by });
            } else {
                covered.extend(below);
            }
        }
        covered.retain(|one| self.is_kept(&one.path) && one.path.symlink_metadata().is_ok());
        covered
    }

    /// Whether a yes to this path could change anything: it is sensitive, in something that is, or has
    /// something sensitive in it.
    pub fn is_about_sensitive(&self, path: &Utf8Path) -> bool {
        let touches = |known: &Utf8PathBuf| known.starts_with(path) || path.starts_with(known);
        self.parts.sensitive.iter().any(touches)
    }

    /// What would show a path if it were not sensitive.
    pub(crate) fn grant_of(&self, path: &Utf8Path) -> Option<Grant> {
        let has_rules = !self.fs_rules().is_empty();
        let by_profile = match self.parts.profile {
            Profile::Sealed { .. } => return None,
            Profile::Workspace | Profile::Off => !has_rules,
            Profile::Strict => !has_rules && path.starts_with(&self.root),
        };
        let profile = by_profile.then_some(Grant::Profile);
        if let Ok(below) = path.strip_prefix(&self.root) {
            let below = if below.as_str().is_empty() { Utf8Path::new(".") } else { below };
            let rule = self.policy.as_ref().and_then(|policy| policy.fs.winner(below));
            let rule = rule.filter(|rule| grants_something(rule));
            return rule.map(|rule| Grant::Rule(rule.path().to_owned())).or(profile);
        }
        let place = self.places().find(|place| path.starts_with(place));
        place.map(|place| Grant::Place(place.clone())).or(profile)
    }

    /// What is granted inside of something sensitive: one file of `~/.ssh`.
    fn granted_below(&self, sensitive: &Utf8Path) -> Vec<Covered> {
        let places = self.places().map(|place| (place.clone(), Grant::Place(place.clone())));
        let rules = self.fs_rules().iter().filter(|rule| grants_something(rule));
        let rules = rules
            .map(|rule| (self.root.join(rule.path()), Grant::Rule(rule.path().to_owned())))
            .filter(|(path, _)| path != &self.root);
        let is_below = |path: &Utf8Path| path != sensitive && path.starts_with(sensitive);
        let granted = places.chain(rules).filter(|(path, _)| is_below(path));
        granted.map(|(path, by)| Covered { path, by }).collect()
    }

    fn places(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.parts.system.write.iter().chain(&self.parts.system.read)
    }

    fn fs_rules(&self) -> &[FsRule] {
        self.policy.as_ref().map_or(&[], |policy| &policy.fs)
    }
}

fn grants_something(rule: &FsRule) -> bool {
    Capability::ALL.into_iter().any(|capability| rule.grants(capability))
}
