//! Commands of plugins: which one is meant, whether it may run, and what is run for it.
//!
//! What is known about plugins is in `jp_plugin_host`; here it is put together with the places of this
//! user, the configuration and the commands of jp itself.

mod ask;
mod built_ins;
pub(crate) mod complete;
pub(crate) mod dispatch;
pub(crate) mod help;
pub(crate) mod install;
mod printed;
mod run;

use std::{ffi::OsString, sync::Arc, thread};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jp_config::Config;
use jp_plugin::{CommandPath, Describe};
use jp_plugin_host::{
    catalog::{Binary, Catalog, Host, Known, Listings, Places, Plugin, scan},
    describe::{Asking, Cache, Describer, Permission, remembered},
    look,
    trust::{self, Approvals, Rules, Subject, Verdict},
};
use jp_plugin_registry::{Home, Installed, Origin, Record, cached};

pub(crate) use self::built_ins::BuiltIns;
use crate::{
    confine,
    ctx::{self, Ctx},
    error::{Error, Result},
    tools,
};

/// So many plugins are asked at the same time, for each processor.
const PER_PROCESSOR: usize = 4;

/// What is to be run, after routing and trust.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// What the settings call it: `plugins.command.<id>`. Its file is `jp-<id>`.
    pub(crate) id: String,
    /// The file, canonical.
    pub(crate) path: Utf8PathBuf,
    /// The checksum that the run rests on: what has another one is not executed. `None` where nobody asked
    /// for one; the file is then executed as it is.
    pub(crate) sha256: Option<[u8; 32]>,
    /// The words that led to it.
    pub(crate) command: CommandPath,
    /// The words after them.
    pub(crate) args: Vec<String>,
    /// What it said of itself, if it was asked.
    pub(crate) describe: Option<Describe>,
}

/// Who is asked what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Whoever is not known.
    Unknown,
    /// Everybody.
    All,
    /// Nobody: what is remembered is enough.
    Nobody,
}

/// The plugins of this user, and what was decided about them.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) catalog: Catalog,
    pub(crate) policy: Policy,
}

/// The settings of all plugins, and the files that were agreed to.
#[derive(Debug)]
pub(crate) struct Policy {
    here: Arc<Config>,
    own: Arc<Config>,
    approvals: Approvals,
    /// Where installed files came from.
    installed: Installed,
}

impl Shelf {
    /// Looks for plugins, under the settings of this run.
    pub(crate) fn open(ctx: &Ctx, wish: Wish) -> Result<Self> {
        Self::with(ctx.shared_config(), ctx.own_config()?, wish)
    }

    /// The same under any settings.
    pub(crate) fn with(here: Arc<Config>, own: Arc<Config>, wish: Wish) -> Result<Self> {
        let approvals = approvals_file().map(|file| Approvals::read(&file)).unwrap_or_default();
        let home = ctx::data_home().map(|data| Home::new(data.join("jp")));
        let installed = home.as_ref().map(Installed::read).unwrap_or_default();
        let policy = Policy { here, own, approvals, installed };
        let search = OsString::from(ctx::variable("PATH"));
        let installed = home.as_ref().map(Home::dir);
        let places = Places { installed: installed.as_deref(), search: &search };
        let cache = ctx::cache_home().map(|cache| cache.join("jp/plugins"));
        let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
        let remember = |cache: &Utf8PathBuf| Listings::read(cache.join("listings.json"), now);
        // Whoever wants everybody asked again wants everything looked at again.
        let listings = cache.as_ref().filter(|_| wish != Wish::All).map(remember);
        let mut listings = listings.unwrap_or_default();
        let found = scan(places, &mut listings);
        listings.keep();
        let cache = cache.map(|cache| Cache::new(cache.join("describes.json")));
        let known = match remembered(cache.as_ref(), now, &found, &policy) {
            Some(known) if wish != Wish::All => known,
            _ => ask_all(
                found,
                &policy,
                Describer {
                    confiner: None,
                    cache,
                    search,
                    now,
                    side_by_side: 1,
                    refresh: wish == Wish::All,
                },
                wish,
            )?,
        };
        let registry = home.as_ref().map(cached).transpose();
        let registry = registry.unwrap_or_else(|error| {
            tracing::warn!(%error, "nothing of the registry is used");
            None
        });
        let registry = registry.flatten().unwrap_or_default();
        let catalog =
            Catalog::new(known, registry, &OfJp { policy: &policy, built_ins: BuiltIns::new() });
        Ok(Self { catalog, policy })
    }
}

/// Asks the plugins that are not known what they are.
fn ask_all(
    found: Vec<Binary>,
    policy: &Policy,
    describer: Describer,
    wish: Wish,
) -> Result<Vec<Known>> {
    let confiner = match wish {
        Wish::Nobody => None,
        Wish::Unknown | Wish::All => {
            Some(Arc::new(confine::plugin_confiner(&policy.own, &policy.here)?))
        }
    };
    if let Some(confiner) = &confiner {
        // All of them are summed first.
        confiner.begin();
    }
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let describer = Describer { confiner, side_by_side: processors * PER_PROCESSOR, ..describer };
    tools::block_on(async { Ok(describer.all(found, policy).await) })
}

impl Policy {
    /// The settings of one plugin.
    pub(crate) fn rules(&self, id: &str) -> Rules<'_> {
        Rules {
            here: self.here.app.plugins.command.get(id),
            own: self.own.app.plugins.command.get(id),
        }
    }

    /// Whether a plugin is confined by rules of its own.
    pub(crate) fn is_confined(&self, id: &str) -> bool {
        self.rules(id).here.is_some_and(|it| it.access.is_some())
    }

    /// What is to be done with a plugin that has a file with this checksum.
    pub(crate) fn verdict(&self, plugin: &Plugin, binary: &Binary, sha256: &str) -> Verdict {
        let official =
            binary.installed && (plugin.is_official() || self.came_official(binary, sha256));
        let subject = Subject { path: &binary.canonical, sha256, official };
        trust::judge(self.rules(&plugin.id), subject, &self.approvals)
    }

    /// Whether these bytes were installed as an official plugin. The registry may list newer ones by now.
    fn came_official(&self, binary: &Binary, sha256: &str) -> bool {
        self.record(binary, sha256)
            .is_some_and(|record| record.official && record.origin == Origin::Registry)
    }

    /// Where these bytes came from, if they are the ones that were installed.
    fn record(&self, binary: &Binary, sha256: &str) -> Option<&Record> {
        let id = binary.id.parse().ok().filter(|_| binary.installed)?;
        let is_of = |record: &&Record| {
            look::checksum(sha256).is_some_and(|sum| sum == *record.sha256.bytes())
        };
        self.installed.plugins.get(&id).filter(is_of)
    }

    /// Whether a person agreed to this file.
    pub(crate) fn is_approved(&self, binary: &Binary, sha256: &str) -> bool {
        self.approvals.hold(&binary.canonical, sha256)
    }

    /// The checksum that this file had when a person agreed to it.
    pub(crate) fn agreed_to(&self, binary: &Binary) -> Option<&str> {
        self.approvals.last(&binary.canonical)
    }
}

impl Permission for Policy {
    fn is_denied(&self, binary: &Binary) -> bool {
        self.rules(&binary.id).deny()
    }

    /// A plugin that is confined when it runs, or that would not run because it is not the file that is
    /// pinned, is not let loose to describe itself.
    fn asking(&self, binary: &Binary, sha256: &str) -> Asking {
        let fits_pins = self.rules(&binary.id).check(&binary.canonical, sha256).is_ok();
        if self.is_confined(&binary.id) || !fits_pins {
            Asking::Sealed
        } else if self.is_approved(binary, sha256) {
            Asking::Open
        } else if self.record(binary, sha256).is_some() {
            Asking::SealedIfPossible
        } else {
            Asking::Sealed
        }
    }
}

/// Where it is kept which files were agreed to.
pub(crate) fn approvals_file() -> Option<Utf8PathBuf> {
    ctx::state_home().map(|state| state.join("jp/plugins/approvals.json"))
}

/// The checksum of the file of a plugin: what is remembered, or what it is now.
pub(crate) fn checksum(plugin: &Plugin) -> Result<String> {
    let Some(known) = &plugin.binary else {
        return Err(Error::failure(format!("the plugin `{}` has no file", plugin.id)));
    };
    if let Some(sum) = &known.sha256 {
        return Ok(sum.clone());
    }
    let path = &known.binary.canonical;
    let read =
        look::sum(path).map_err(|error| Error::failure(format!("cannot read {path}: {error}")));
    Ok(read?.1)
}

/// What the catalog has to know about this program.
struct OfJp<'a> {
    policy: &'a Policy,
    built_ins: BuiltIns,
}

impl Host for OfJp<'_> {
    fn built_in(&self, command: &CommandPath) -> Option<String> {
        self.built_ins.covering(command)
    }

    fn may_install(&self, id: &str) -> bool {
        let rules = self.policy.rules(id);
        [rules.here, rules.own].into_iter().flatten().all(|it| it.install != Some(false))
    }
}
