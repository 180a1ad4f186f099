//! Policies in, plans out: a table of cases as text, and properties over random policies.

mod agreement;
mod cases;
mod disk;
mod fidelity;
mod profiles;
mod reach;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability, FsRule};

use self::disk::Disk;
use super::*;

/// A request with the usual answers, to be changed where a test needs something else.
pub(super) struct Case {
    pub(super) disk: Disk,
    pub(super) policy: Option<AccessPolicy>,
    pub(super) profile: Profile,
    pub(super) tier: Tier,
    pub(super) lifetime: Lifetime,
    pub(super) transactional: bool,
    pub(super) sensitive: Vec<Utf8PathBuf>,
    pub(super) approved: Vec<Utf8PathBuf>,
    pub(super) system: SystemPaths,
    pub(super) temp: Utf8PathBuf,
    pub(super) root: Utf8PathBuf,
    pub(super) program: Utf8PathBuf,
    pub(super) program_files: Vec<Utf8PathBuf>,
    pub(super) as_root: bool,
}

impl Case {
    pub(super) fn new(disk: &str) -> Self {
        Self {
            disk: Disk::new(disk),
            policy: None,
            profile: Profile::Workspace,
            tier: Tier::Namespaces,
            lifetime: Lifetime::Call,
            transactional: false,
            sensitive: Vec::new(),
            approved: Vec::new(),
            system: SystemPaths::default(),
            temp: "/tmp".into(),
            root: "/home/me/ws".into(),
            program: "/usr/bin/tool".into(),
            program_files: Vec::new(),
            as_root: false,
        }
    }

    /// A case whose rules are `path:letters` with r, c, u, d, x, and w for c, u and d.
    pub(super) fn with_rules(disk: &str, rules: &str) -> Self {
        Self { policy: Some(policy(rules)), ..Self::new(disk) }
    }

    pub(super) fn plan(&self) -> Plan {
        self.with_request(|request| plan(request, &self.disk))
    }

    pub(super) fn with_request<T>(&self, then: impl FnOnce(&Request<'_>) -> T) -> T {
        then(&Request {
            policy: self.policy.as_ref(),
            root: &self.root,
            profile: self.profile,
            tier: self.tier,
            lifetime: self.lifetime,
            transactional: self.transactional,
            sensitive: &self.sensitive,
            approved: &self.approved,
            system: &self.system,
            home: Some(Utf8Path::new("/home/me")),
            temp: &self.temp,
            program: &self.program,
            program_files: &self.program_files,
            as_root: self.as_root,
        })
    }

    /// Only what belongs to the workspace, paths relative to it, and the rows about rules.
    pub(super) fn workspace_text(&self) -> String {
        let mut plan = self.plan();
        let inside = plan.view.places().iter().filter(|place| place.path.starts_with(&self.root));
        let below = |path: &Utf8Path| {
            let below = path.strip_prefix(&self.root).unwrap_or(path).as_str();
            if below.is_empty() { ".".to_owned() } else { below.to_owned() }
        };
        let places: String =
            inside.map(|place| format!("{} {}\n", below(&place.path), place.what)).collect();
        plan.view = View::default();
        plan.links.clear();
        plan.rows.retain(|row| row.aspect != Aspect::Profile);
        let text = plan.to_string();
        let rows = text.split_once('\n').map_or("", |(_, rows)| rows);
        format!("{places}--\n{rows}")
    }
}

pub(super) fn policy(rules: &str) -> AccessPolicy {
    let rule = |text: &str| {
        let (path, letters) = text.split_once(':').unwrap();
        let grants = letters.chars().flat_map(|letter| match letter {
            'r' => vec![Capability::Read],
            'c' => vec![Capability::Create],
            'u' => vec![Capability::Update],
            'd' => vec![Capability::Delete],
            'x' => vec![Capability::Execute],
            'w' => vec![Capability::Create, Capability::Update, Capability::Delete],
            other => panic!("no capability has the letter {other}"),
        });
        FsRule::new(path, grants)
    };
    AccessPolicy { fs: rules.split_whitespace().map(rule).collect(), ..AccessPolicy::default() }
}
