//! The arguments, resolved: the root, the rules, the program, the places that are granted.
//!
//! What an option asks for and does not get has to be said before anything runs; a program that fails
//! later, for want of a directory that was misspelled, tells nobody why.

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{Config, ConfigErrors, Layer};
use jp_confine::{Needs, Prepared, Subject};
use jp_sandbox::{event::Wanted, plan::Lifetime, presets::Preset};
use jp_tool::access::{AccessPolicy, NetRule};

use crate::{
    args::{Access, SandboxRun},
    confine,
    ctx::{self, Ctx},
    error::{Error, Result},
};

/// The tool that a policy in a file is read as.
const NAME: &str = "policy";
const TABLE: &str = "conversation.tools.policy";

/// What is to be run, and how.
pub(super) struct Request {
    pub(super) root: Utf8PathBuf,
    pub(super) policy: Option<AccessPolicy>,
    /// The program as it is executed, and where it really is.
    pub(super) program: Utf8PathBuf,
    pub(super) canonical: Utf8PathBuf,
    /// Sensitive paths that may be seen.
    pub(super) approved: Vec<Utf8PathBuf>,
    /// Those of them that the command line names.
    named: Vec<Utf8PathBuf>,
    needs: Needs,
    /// What the command line grants.
    grants: Vec<Grant>,
    transactional: bool,
}

/// A place that an option grants.
struct Grant {
    option: &'static str,
    wanted: Wanted,
    path: Utf8PathBuf,
}

impl Request {
    pub(super) fn new(ctx: &Ctx, args: &SandboxRun) -> Result<Self> {
        let access = &args.access;
        let root = root(ctx, access)?;
        let mut needs = Needs::default();
        let mut policy = match &access.policy {
            Some(file) => Some(read_policy(ctx, file, &root, &mut needs)?),
            None => None,
        };
        restrict_network(&mut policy, access)?;
        for name in &access.preset {
            needs.presets.push(name.parse::<Preset>().map_err(Error::usage)?);
        }
        let grants = grants(ctx, access)?;
        for grant in &grants {
            let list =
                if grant.wanted == Wanted::Write { &mut needs.write } else { &mut needs.read };
            list.push(grant.path.clone());
        }
        let [name, ..] = args.command.as_slice() else {
            return Err(Error::usage("no program was named"));
        };
        let (program, canonical) = confine::program(ctx, name)?;
        let named: Vec<_> = access.allow_sensitive.iter().map(|path| named(ctx, path)).collect();
        let transactional = args.changes.dry_run || args.changes.review;
        let approved = named.clone();
        Ok(Self { root, policy, program, canonical, approved, named, needs, grants, transactional })
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        Subject {
            policy: self.policy.as_ref(),
            key: "",
            root: &self.root,
            profile: None,
            lifetime: Lifetime::Call,
            transactional: self.transactional,
            needs: &self.needs,
            approved: &self.approved,
            program: &self.canonical,
            program_files: &[],
        }
    }

    pub(super) fn has_fs_rules(&self) -> bool {
        self.policy.as_ref().is_some_and(|policy| !policy.fs.is_empty())
    }

    /// Fails if the plan does not give what an option asks for. What is sensitive is asked about.
    pub(super) fn check_grants(&self, prepared: &Prepared) -> Result {
        for grant in &self.grants {
            if grant.path == "/" && grant.wanted == Wanted::Write {
                let error = Error::usage("--write /: the whole machine cannot be granted");
                return Err(error.hint("name a directory"));
            }
            let advice = prepared.advice_for(&grant.path, grant.wanted);
            if let Some(advice) = advice.filter(|advice| !advice.sensitive) {
                return Err(self.not_granted(grant, &advice.reason, prepared));
            }
        }
        Ok(())
    }

    fn not_granted(&self, grant: &Grant, reason: &str, prepared: &Prepared) -> Error {
        let Grant { option, path, wanted } = grant;
        let error = |why: &str| Error::usage(format!("{option} {path}: {why}"));
        if path.starts_with(&self.root) {
            let error = error("it is in the root, where the rules decide");
            return error.hint(if self.has_fs_rules() {
                "add a rule for it to `access.fs` of the policy"
            } else {
                "grant it in `access.fs` of a policy, or do without `sandbox.default = \"strict\"`"
            });
        }
        if *wanted == Wanted::Write && prepared.is_about_sensitive(path) {
            return error("it holds something sensitive, so it cannot be written as a whole")
                .hint("name a directory in it");
        }
        error(&format!("it cannot be granted: {reason}"))
    }

    /// What `--allow-sensitive` names and does not allow, in words.
    pub(super) fn idle_approvals(&self, prepared: &Prepared) -> Vec<String> {
        let idle = |path: &Utf8PathBuf| {
            let why = if path.symlink_metadata().is_err() {
                "there is no such file"
            } else if !prepared.is_about_sensitive(path) {
                "nothing there is sensitive, so it changes nothing"
            } else if prepared.advice_for(path, Wanted::Read).is_some() {
                "no rule and no option grants it, so it stays hidden"
            } else {
                return None;
            };
            Some(format!("--allow-sensitive {path}: {why}"))
        };
        self.named.iter().filter_map(idle).collect()
    }
}

fn root(ctx: &Ctx, access: &Access) -> Result<Utf8PathBuf> {
    let chosen = match &access.root {
        Some(chosen) => ctx.cwd().join(chosen),
        None => ctx.root().unwrap_or_else(|_| ctx.cwd()).to_owned(),
    };
    let root = chosen.canonicalize_utf8();
    let root = root.map_err(|error| Error::usage(format!("--root {chosen}: {error}")))?;
    if root == "/" {
        return Err(Error::usage("the whole machine cannot be a workspace")
            .hint("name a directory with --root, or go to one"));
    }
    if root.is_dir() {
        Ok(root)
    } else {
        Err(Error::usage(format!("--root {chosen}: not a directory")))
    }
}

/// The rules in a file; what it says of places outside of the root comes to the needs.
fn read_policy(
    ctx: &Ctx,
    file: &Utf8Path,
    root: &Utf8Path,
    needs: &mut Needs,
) -> Result<AccessPolicy> {
    let text = ctx::read_named(&ctx.cwd().join(file), &format!("--policy {file}"))?;
    let tool = Layer::tool(NAME, "the program", "source = \"local\"\ncommand = \"-\"");
    // The file has no such table around it, so nobody is told of one.
    let wrong = |errors: ConfigErrors| Error::from(errors).without_table(TABLE);
    let config = Config::load(vec![tool, Layer::tool(NAME, file.as_str(), text)]).map_err(wrong)?;
    let policies = config.policies(root).map_err(wrong)?;
    if let Some(tool) = config.app.conversation.tools.get(NAME) {
        *needs = tool.config.system.as_ref().map(confine::needs).unwrap_or_default();
    }
    Ok(policies.get(NAME).map(|tool| tool.policy.clone()).unwrap_or_default())
}

/// `--net` adds rules, and with them everything else is closed; `--no-net` closes all.
fn restrict_network(policy: &mut Option<AccessPolicy>, access: &Access) -> Result {
    if access.no_net {
        // A denial that fits no host denies every one.
        policy.get_or_insert_default().net = vec![NetRule::new("*", false)];
    }
    for text in &access.net {
        let rule = host(text).map_err(|why| Error::usage(format!("--net {text}: {why}")))?;
        policy.get_or_insert_default().net.push(rule);
    }
    Ok(())
}

/// `host`, `host:port`, `https://host:port`.
fn host(text: &str) -> std::result::Result<NetRule, String> {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
        None => (None, text),
    };
    if rest.contains('/') {
        return Err("it is about a whole host; rules for paths stand in a policy".to_owned());
    }
    let is_bare_address = rest.parse::<std::net::Ipv6Addr>().is_ok();
    let (host, port) = match rest.rsplit_once(':').filter(|_| !is_bare_address) {
        Some((host, port)) if !port.ends_with(']') => {
            let port = port.parse().map_err(|_| format!("`{port}` is no port"))?;
            (host, Some(port))
        }
        _ => (rest, None),
    };
    let rule = NetRule { scheme, port, ..NetRule::new(host, true) };
    rule.normalized().map_err(|error| error.to_string())
}

fn grants(ctx: &Ctx, access: &Access) -> Result<Vec<Grant>> {
    let reads = access.read.iter().map(|path| ("--read", Wanted::Read, path));
    let writes = access.write.iter().map(|path| ("--write", Wanted::Write, path));
    let grant = |(option, wanted, named): (&'static str, Wanted, &Utf8PathBuf)| {
        let path = ctx.cwd().join(named).canonicalize_utf8().map_err(|error| {
            let error = Error::usage(format!("{option} {named}: {error}"));
            if wanted == Wanted::Write {
                error.hint("what is granted has to exist; make it first, or grant the directory")
            } else {
                error
            }
        })?;
        Ok(Grant { option, wanted, path })
    };
    reads.chain(writes).map(grant).collect()
}

/// Where a sensitive path is that somebody named. A link is meant itself: that is what is on the list.
fn named(ctx: &Ctx, path: &Utf8Path) -> Utf8PathBuf {
    let path = ctx.cwd().join(path);
    let parent = path.parent().and_then(|parent| parent.canonicalize_utf8().ok());
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.canonicalize_utf8().unwrap_or(path),
    }
}
