//! The access policy: a check must not cost more the more rules there are, and opening what was
//! judged must cost little more than opening.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::path::{Files, Root};
use jp_tool::access::{AccessPolicy, Capability, FsRule};

use super::Programs;
use super::measure::{Pair, Work};
use crate::failure::{Failure, Result};

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let tree = Rc::new(Tree::new(programs)?);
    Ok(vec![
        check(100),
        check(1_000),
        resolve(&tree)?,
        read(&tree, "checked read, no link", 1.3, DEEP)?,
        read(&tree, "checked read, through a link", 2.3, LINKED)?,
    ])
}

/// A file six directories deep, and the same through a link.
const DEEP: &str = "a/b/c/d/e/file";
const LINKED: &str = "link/c/d/e/file";

struct Tree {
    root: Utf8PathBuf,
}

impl Tree {
    fn new(programs: &Programs) -> Result<Self> {
        let root = programs.dir.join("bench-access");
        let _ = fs::remove_dir_all(&root);
        let make = || {
            fs::create_dir_all(root.join("a/b/c/d/e"))?;
            fs::write(root.join(DEEP), vec![b'x'; 1024])?;
            symlink("a/b", root.join("link"))
        };
        make().map_err(Failure::because("cannot make a tree"))?;
        Ok(Self { root })
    }

    fn root(&self) -> Result<Root> {
        Root::open(&self.root).map_err(Failure::because("cannot open the root"))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Rules that are spread over a tree, as many as wanted, none of which is the answer.
fn policy(rules: usize) -> AccessPolicy {
    let others = (0..rules - 1).map(|number| {
        let path = format!("x{}/y{}/z{number}", number % 7, number % 31);
        FsRule::new(path, [Capability::Read])
    });
    let root = FsRule::new(".", [Capability::Read]);
    AccessPolicy { fs: others.chain([root]).collect(), ..AccessPolicy::default() }
}

/// One decision with many rules, against one with ten.
fn check(rules: usize) -> Pair {
    let decide = |rules| {
        let policy = policy(rules);
        Work::repeat(10_000, move || {
            let allowed = policy.can_read(black_box(Utf8Path::new("x1/y2/deep/er/file.rs")));
            done(black_box(allowed))
        })
    };
    Pair {
        name: format!("check, {rules} rules against 10"),
        limit: 3.0,
        samples: 60,
        subject: decide(rules),
        peer: decide(10),
    }
}

/// A raw path to its canonical form, against the standard library's.
fn resolve(tree: &Rc<Tree>) -> Result<Pair> {
    let root = tree.root()?;
    let (keep, path) = (Rc::clone(tree), tree.root.join(DEEP));
    Ok(Pair {
        name: "resolve at depth 6 against canonicalize".to_owned(),
        limit: 0.7,
        samples: 100,
        subject: Work::repeat(200, move || {
            let resolved = root.resolve(Utf8Path::new(DEEP));
            let resolved = resolved.map_err(Failure::because("cannot resolve"))?;
            done(keep.root.as_str().len() > 1 && resolved.exists())
        }),
        peer: Work::repeat(200, move || {
            fs::canonicalize(&path).map_err(Failure::because("cannot canonicalize"))?;
            Ok(())
        }),
    })
}

/// A file of a kibibyte, opened as it was judged with twenty rules, against just opened.
fn read(tree: &Rc<Tree>, name: &str, limit: f64, path: &'static str) -> Result<Pair> {
    let files = Files::new(tree.root()?, Some(policy(20)));
    let (keep, plain) = (Rc::clone(tree), tree.root.join(path));
    Ok(Pair {
        name: name.to_owned(),
        limit,
        samples: 100,
        subject: Work::repeat(200, move || {
            let file = files.read(Utf8Path::new(path)).map_err(Failure::because("cannot read"))?;
            done(!keep.root.as_str().is_empty() && content(file)? == 1024)
        }),
        peer: Work::repeat(200, move || {
            let file = File::open(&plain).map_err(Failure::because("cannot read"))?;
            done(content(file)? == 1024)
        }),
    })
}

fn content(mut file: File) -> Result<usize> {
    let mut bytes = Vec::with_capacity(2048);
    file.read_to_end(&mut bytes).map_err(Failure::because("cannot read"))
}

fn done(is_done: bool) -> Result {
    if is_done { Ok(()) } else { Err(Failure::new("the work was not done")) }
}
