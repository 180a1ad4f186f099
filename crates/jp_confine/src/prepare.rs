//! From a subject to a plan that may be carried out.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    confinement::Tier,
    plan::{Plan, Profile, Request, SystemPaths, Verdict, plan},
    presets::{Preset, PresetPlaces},
    view::What,
};
use jp_tool::access::{AccessPolicy, is_settings};

use crate::{
    ConfineError, Confiner, Subject,
    facts::Disk,
    secrets,
    system::{self, Ground},
    variables::TEMP,
};

/// A plan with everything it was made of, which is asked about again when something was denied.
#[derive(Debug)]
pub struct Prepared {
    /// How the program will be confined.
    pub plan: Plan,
    /// What has to be said before it runs, if it is looser than its policy.
    pub warning: Option<String>,
    pub(crate) key: String,
    pub(crate) policy: Option<AccessPolicy>,
    pub(crate) root: Utf8PathBuf,
    pub(crate) presets: Vec<(Preset, PresetPlaces)>,
    /// Removed when the program has ended.
    pub(crate) temp: Option<Temp>,
    pub(crate) parts: Parts,
}

/// A directory for the temporary files of one call.
#[derive(Debug)]
pub(crate) struct Temp(pub(crate) Utf8PathBuf);

impl Temp {
    fn new() -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("jp-").tempdir()?.keep();
        let path = Utf8PathBuf::try_from(directory).map_err(std::io::Error::other)?;
        Ok(Self(path.canonicalize_utf8()?))
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "it was made here, outside of any workspace")]
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the request is made of beside that, owned.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) profile: Profile,
    tier: Tier,
    lifetime: jp_sandbox::plan::Lifetime,
    transactional: bool,
    pub(crate) sensitive: Vec<Utf8PathBuf>,
    approved: Vec<Utf8PathBuf>,
    pub(crate) system: SystemPaths,
    home: Option<Utf8PathBuf>,
    program: Utf8PathBuf,
    program_files: Vec<Utf8PathBuf>,
    /// Where its temporary files go.
    temp: Utf8PathBuf,
}

impl Confiner {
    /// Plans a run, and refuses it when the kernel cannot keep the policy.
    pub async fn prepare(&self, subject: Subject<'_>) -> Result<Prepared, ConfineError> {
        let prepared = self.plan(subject).await?;
        self.judge(prepared)
    }

    /// Refuses a plan when the kernel cannot keep the policy by it.
    pub fn judge(&self, mut prepared: Prepared) -> Result<Prepared, ConfineError> {
        prepared.warning = match prepared.plan.verdict(self.settings.allow_degraded) {
            Verdict::Run => None,
            Verdict::RunDegraded(warning) => Some(warning),
            Verdict::Refuse(refusal) => return Err(refusal.into()),
        };
        Ok(prepared)
    }

    /// Plans a run without judging the plan, to show it.
    pub async fn plan(&self, subject: Subject<'_>) -> Result<Prepared, ConfineError> {
        let home = self.surroundings.home.clone();
        let presets = self.presets();
        let has_rules = subject.policy.is_some_and(|policy| !policy.fs.is_empty());
        let needs = [&self.settings.needs, subject.needs];
        let tier = self.machine().await?.tier();
        // Only a namespace can have an empty directory where the host has another.
        let temp =
            (tier == Tier::Landlock).then(Temp::new).transpose().map_err(ConfineError::Temp)?;
        let profile = subject.profile.unwrap_or(self.settings.profile);
        let ground = Ground { root: subject.root, home: home.as_deref() };
        let system = match profile {
            Profile::Sealed { .. } => system::hidden(presets, ground),
            _ if self.keeps_caches => {
                system::read_only(system::paths(presets, needs, has_rules, ground))
            }
            _ => system::paths(presets, needs, has_rules, ground),
        };
        let parts = Parts {
            profile,
            tier,
            lifetime: subject.lifetime,
            transactional: subject.transactional,
            sensitive: secrets::find(
                &self.settings.sensitive,
                subject.policy,
                subject.root,
                home.as_deref(),
            )?,
            approved: subject.approved.to_vec(),
            system,
            home,
            temp: temp.as_ref().map_or_else(|| TEMP.into(), |temp| temp.0.clone()),
            program: subject.program.to_owned(),
            program_files: subject.program_files.to_vec(),
        };
        let (policy, root) = (subject.policy.cloned(), subject.root.to_owned());
        let plan = plan(&parts.request(policy.as_ref(), &root), &Disk::new());
        let (key, presets) = (subject.key.to_owned(), presets.to_vec());
        Ok(Prepared { plan, warning: None, key, policy, root, presets, temp, parts })
    }
}

impl Prepared {
    /// Where the program can start: in the first of these directories of the workspace that it sees. A
    /// policy may show it nothing there, and it still has to start somewhere.
    pub fn directory<'a>(&self, wanted: impl IntoIterator<Item = &'a Utf8Path>) -> &'a Utf8Path {
        let view = &self.plan.view;
        let is_seen = |path: &Utf8Path| {
            let mut places = view.places().iter();
            view.at(path) != What::Hidden
                || places.any(|place| place.what != What::Hidden && place.path.starts_with(path))
        };
        let fits = |path: &&Utf8Path| path.starts_with(&self.root) && is_seen(path);
        wanted.into_iter().find(fits).unwrap_or(Utf8Path::new("/"))
    }

    pub(crate) fn request(&self) -> Request<'_> {
        self.parts.request(self.policy.as_ref(), &self.root)
    }

    /// Whether a path of the workspace holds settings of jp, by which a tool could grant itself more,
    /// and no rule is about them.
    pub(crate) fn is_settings(&self, path: &Utf8Path) -> bool {
        let names = |rule: &jp_tool::access::FsRule| {
            is_settings(rule.path()) && path.starts_with(rule.path())
        };
        is_settings(path) && !self.policy.as_ref().is_some_and(|policy| policy.fs.iter().any(names))
    }

    /// Where the rules of one kind are configured: `conversation.tools.x.access.net`.
    pub(crate) fn table(&self, kind: &str) -> String {
        let key = if self.key.is_empty() { "" } else { "." };
        format!("{}{key}access.{kind}", self.key)
    }

    /// Sensitive paths that nobody said yes to.
    pub(crate) fn is_kept(&self, path: &Utf8Path) -> bool {
        let covers = |paths: &[Utf8PathBuf]| paths.iter().any(|kept| path.starts_with(kept));
        covers(&self.parts.sensitive) && !covers(&self.parts.approved)
    }
}

impl Parts {
    fn request<'a>(&'a self, policy: Option<&'a AccessPolicy>, root: &'a Utf8Path) -> Request<'a> {
        Request {
            policy,
            root,
            profile: self.profile,
            tier: self.tier,
            lifetime: self.lifetime,
            transactional: self.transactional,
            sensitive: &self.sensitive,
            approved: &self.approved,
            system: &self.system,
            home: self.home.as_deref(),
            temp: &self.temp,
            program: &self.program,
            program_files: &self.program_files,
            as_root: rustix::process::geteuid().is_root(),
        }
    }
}
