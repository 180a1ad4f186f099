//! What it costs to start a confined process, against starting one at all, and that it costs the same
//! however large the program is that starts it.

use std::fs;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio as Plain};
use std::rc::Rc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::confinement::{Confinement, Execute, Limits, Network, Program, Tier};
use jp_sandbox::event::{Ended, Event};
use jp_sandbox::linux::{Spawner, Stdio};
use jp_sandbox::view::{View, What, Write};

use super::Programs;
use super::measure::{Pair, Work};
use crate::failure::{Failure, Result};

/// Readable and executable.
const SYSTEM: What = What::Host { write: Write::No, execute: true };

/// How large the large parent is.
const MEBIBYTES: usize = 512;

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let tree = Rc::new(Tree::new(programs)?);
    let spawner = Spawner::start(programs.path("jp")?.as_std_path())
        .map_err(Failure::because("cannot start the helper"))?;
    let spawner = Rc::new(spawner);
    let against_plain = |name: &str, limit, confinement| Pair {
        name: name.to_owned(),
        limit,
        samples: 200,
        subject: confined(&tree, &spawner, confinement, 0),
        peer: plain(),
    };
    let tier_one = confinement(Tier::Namespaces, tree.twenty_rules(), Network::None);
    let tier_two = confinement(Tier::Landlock, tree.twenty_rules(), Network::None);
    let mut sealed = confinement(Tier::Namespaces, libraries(), Network::Sealed);
    sealed.execute = Execute::Itself;
    Ok(vec![
        against_plain("namespaces, 20 rules", 6.0, tier_one.clone()),
        against_plain("Landlock, 20 rules", 1.8, tier_two.clone()),
        against_plain("sealed", 6.0, sealed),
        large_parent(&tree, &spawner, "namespaces", tier_one),
        large_parent(&tree, &spawner, "Landlock", tier_two),
    ])
}

/// A workspace with a directory for each rule.
struct Tree {
    root: Utf8PathBuf,
}

impl Tree {
    fn new(programs: &Programs) -> Result<Self> {
        let root = programs.dir.join("bench-sandbox");
        let _ = fs::remove_dir_all(&root);
        for number in 0..20 {
            fs::create_dir_all(root.join(format!("{number}/inner")))
                .map_err(Failure::because("cannot make a tree"))?;
        }
        Ok(Self { root })
    }

    /// Twenty places of the workspace beside those of the system.
    fn twenty_rules(&self) -> View {
        let mut view = libraries();
        view.set("/tmp", What::Private { execute: true });
        view.set(self.root.clone(), SYSTEM);
        for number in 0..19 {
            let write = Write::Direct;
            view.set(
                self.root.join(format!("{number}/inner")),
                What::Host { write, execute: true },
            );
        }
        view
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn libraries() -> View {
    let mut view = View::default();
    for path in ["/usr", "/etc", "/lib", "/lib64", "/bin"] {
        if Utf8Path::new(path).symlink_metadata().is_ok_and(|found| found.is_dir()) {
            view.set(path, SYSTEM);
        }
    }
    view
}

fn confinement(tier: Tier, view: View, network: Network) -> Confinement {
    let (links, changes) = (Vec::new(), None);
    let (execute, limits) = (Execute::View, Limits::default());
    Confinement {
        tier,
        view,
        links,
        changes,
        network,
        execute,
        limits,
        observe: false,
        terminal: None,
    }
}

fn plain() -> Work {
    Work::repeat(1, || {
        let mut command = Command::new("/bin/true");
        command.stdin(Plain::null()).stdout(Plain::null()).stderr(Plain::null());
        let status = command.status().map_err(Failure::because("cannot start /bin/true"))?;
        if status.success() { Ok(()) } else { Err(Failure::new("/bin/true failed")) }
    })
}

/// Starts `/bin/true` while this program has so many mebibytes in use.
fn confined(tree: &Rc<Tree>, spawner: &Rc<Spawner>, how: Confinement, mebibytes: usize) -> Work {
    let (tree, spawner) = (Rc::clone(tree), Rc::clone(spawner));
    Work::timed(move || {
        let mut memory = vec![0_u8; mebibytes << 20];
        memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        let taken = spawn(&spawner, &how)?;
        drop(std::hint::black_box((memory, &tree)));
        Ok(taken)
    })
}

fn spawn(spawner: &Spawner, how: &Confinement) -> Result<Duration> {
    let start = Instant::now();
    let null = || File::options().read(true).write(true).open("/dev/null").map(OwnedFd::from);
    let failed = || Failure::because("cannot start a confined process");
    let stdio = Stdio {
        stdin: null().map_err(failed())?,
        stdout: null().map_err(failed())?,
        stderr: null().map_err(failed())?,
    };
    let program = Program {
        path: "/bin/true".into(),
        args: vec!["true".into()],
        env: Vec::new(),
        directory: "/".into(),
        sha256: None,
    };
    let child = spawner.spawn(how.clone(), program, &stdio).map_err(failed())?;
    loop {
        match child.event().map_err(failed())?.map(|(event, _)| event) {
            Some(Event::Ended(Ended::Code(0))) => return Ok(start.elapsed()),
            Some(Event::Started | Event::Listening | Event::Blocked(_)) => {}
            other => return Err(Failure::new(format!("a confined process went wrong: {other:?}"))),
        }
    }
}

fn large_parent(tree: &Rc<Tree>, spawner: &Rc<Spawner>, name: &str, how: Confinement) -> Pair {
    Pair {
        name: format!("{name}, parent with {MEBIBYTES} MiB against small"),
        limit: 1.3,
        samples: 20,
        subject: confined(tree, spawner, how.clone(), MEBIBYTES),
        peer: confined(tree, spawner, how, 0),
    }
}
