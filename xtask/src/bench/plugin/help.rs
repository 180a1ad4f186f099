//! Help with fifty plugins on the search path: remembered, against none; and asked side by side, against asking
//! them one after the other in the same way.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use camino::Utf8PathBuf;
use jp_confine::{Confiner, Needs, Settings, Surroundings};
use jp_plugin_host::{
    catalog::{Binary, Listings, Places, scan},
    describe::{Asking, Describer, Permission},
};
use jp_sandbox::plan::Profile;
use jp_tool::access::SensitivePaths;
use tokio::runtime::Runtime;

use super::super::{
    Programs,
    measure::{Pair, Work},
};
use crate::failure::{Failure, Result};

const PLUGINS: usize = 50;

pub(super) fn pairs(programs: &Programs) -> Result<Vec<Pair>> {
    let many = Rc::new(Home::new(programs, "bench-help-many", PLUGINS)?);
    let none = Home::new(programs, "bench-help-none", 0)?;
    Ok(vec![remembered(&many, none), asked(&many)?])
}

fn remembered(many: &Rc<Home>, none: Home) -> Pair {
    let many = Rc::clone(many);
    Pair {
        name: "plugin help, 50 remembered, against none".to_owned(),
        limit: 1.3,
        samples: 60,
        subject: Work::timed(move || {
            many.fill_cache()?;
            let start = Instant::now();
            many.help()?;
            Ok(start.elapsed())
        }),
        peer: Work::repeat(1, move || none.help().map(drop)),
    }
}

fn asked(many: &Rc<Home>) -> Result<Pair> {
    let (subject, peer) = (Rc::clone(many), Rc::clone(many));
    let runtime = Runtime::new().map_err(Failure::because("cannot start a runtime"))?;
    let one_by_one = peer.describer();
    Ok(Pair {
        name: "plugin help, 50 asked, against one by one".to_owned(),
        limit: 0.6,
        samples: 20,
        subject: Work::timed(move || {
            subject.forget()?;
            let start = Instant::now();
            subject.help()?;
            Ok(start.elapsed())
        }),
        peer: Work::repeat(1, move || {
            let found = scan(
                Places { installed: None, search: peer.search().as_ref() },
                &mut Listings::default(),
            );
            let known = runtime.block_on(one_by_one.all(found, &Sealed));
            let said = known.iter().filter(|it| it.described.said().is_some()).count();
            if said == PLUGINS {
                Ok(())
            } else {
                Err(Failure::new(format!("{said} said something")))
            }
        }),
    })
}

/// Nobody has agreed to any of them.
struct Sealed;

impl Permission for Sealed {
    fn is_denied(&self, _: &Binary) -> bool {
        false
    }

    fn asking(&self, _: &Binary, _: &str) -> Asking {
        Asking::Sealed
    }
}

/// A user with plugins, removed at the end.
struct Home {
    dir: Utf8PathBuf,
    jp: Utf8PathBuf,
}

impl Home {
    fn new(programs: &Programs, name: &str, plugins: usize) -> Result<Self> {
        let home = Self { dir: programs.dir.join(name), jp: programs.path("jp")? };
        let _ = fs::remove_dir_all(&home.dir);
        home.fill(plugins).map_err(Failure::because("cannot make plugins"))?;
        Ok(home)
    }

    fn fill(&self, plugins: usize) -> io::Result<()> {
        for dir in ["bin", "home"] {
            fs::create_dir_all(self.dir.join(dir))?;
        }
        for number in 0..plugins {
            let path = self.plugin(number);
            let script = format!(
                "#!/bin/sh\nread -r asked\necho '{{\"type\":\"describe\",\"name\":\"p{number}\",\
                 \"version\":\"1\",\"description\":\"Plugin {number}\"}}'\n"
            );
            fs::write(&path, script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    fn plugin(&self, number: usize) -> Utf8PathBuf {
        self.dir.join(format!("bin/jp-p{number}"))
    }

    fn help(&self) -> Result<String> {
        let output = Command::new(&self.jp)
            .arg("-h")
            .current_dir(&self.dir)
            .env_clear()
            .env("HOME", self.dir.join("home"))
            .env("PATH", self.search())
            .stdin(Stdio::null())
            .output()
            .map_err(Failure::because("cannot start jp"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok(text) } else { Err(Failure::new("there is no help")) }
    }

    fn search(&self) -> String {
        format!("{}:/usr/bin:/bin", self.dir.join("bin"))
    }

    /// Asks one after the other, and remembers nothing.
    fn describer(&self) -> Describer {
        let surroundings = Surroundings {
            helper: self.jp.clone().into(),
            variables: Vec::new(),
            home: Some(self.dir.join("home")),
            stores: Vec::new(),
            shared_store: None,
            memory: Some(self.dir.join("home/.cache/jp/machine.json")),
            hide: Vec::new(),
        };
        let settings = Settings {
            profile: Profile::Workspace,
            allow_degraded: false,
            needs: Needs::default(),
            sensitive: SensitivePaths::builtin(),
        };
        Describer {
            confiner: Some(Arc::new(Confiner::new(surroundings, settings))),
            cache: None,
            search: self.search().into(),
            now: 0,
            side_by_side: 1,
            refresh: true,
        }
    }

    fn cache(&self) -> Utf8PathBuf {
        self.dir.join("home/.cache/jp/plugins")
    }

    /// Everybody has to be asked again.
    fn forget(&self) -> Result {
        match fs::remove_dir_all(self.cache()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::because("cannot remove the cache")(error))
            }
            _ => Ok(()),
        }
    }

    /// Nobody has to be asked.
    fn fill_cache(&self) -> Result {
        if self.cache().exists() {
            return Ok(());
        }
        let last = format!("Plugin {}", PLUGINS - 1);
        if self.help()?.contains(&last) { Ok(()) } else { Err(Failure::new("plugins are missing")) }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}
