//! What is loaded into a program, where that is not in the directories of the system.
//!
//! The danger is a program that asks for something else than a library: what it names here it will be able
//! to read. So a file is shown only if a loader would load it, and a directory only if it is the library of
//! an interpreter, in the place where that has it; a directory of the user never is.

use std::{collections::BTreeSet, io};

use camino::{Utf8Path, Utf8PathBuf};

use super::{ResolveError, elf, links_to};

/// Directories that every sealed process sees, or most of them.
const OF_SYSTEM: [&str; 7] =
    ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store"];

/// Of so many files a program can consist, and so many links can lead to them.
const MOST: usize = 512;

/// So often the disk is looked at for one program.
const MOST_LOOKS: usize = 1 << 16;

/// No path that the kernel takes is longer.
const LONGEST: usize = 4096;

/// Directories that interpreters load from by themselves: how they begin, and in which directory beside
/// `bin`. An interpreter that was installed elsewhere than in the system is found with these.
const OF_INTERPRETERS: [(&str, &str); 5] = [
    ("lib", "python3"),
    ("lib64", "python3"),
    ("lib", "node_modules"),
    ("lib", "ruby"),
    ("lib", "perl5"),
];

/// The file beside `bin` by which Python knows that it is in an environment.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// Adds what the program at a path, which is this file, loads.
pub(super) fn add(
    path: &Utf8Path,
    program: &Utf8Path,
    files: &mut BTreeSet<Utf8PathBuf>,
) -> Result<(), ResolveError> {
    for installed in [path, program] {
        add_prefix(installed, files);
    }
    let mut search = Search {
        handed_on: Vec::new(),
        seen: BTreeSet::from([program.to_owned()]),
        looks: 0,
        before: files.len(),
        files,
    };
    let mut waiting = vec![program.to_owned()];
    while let Some(file) = waiting.pop() {
        let failed = |source| ResolveError::File { path: file.clone(), source };
        let Some(object) = elf::read(&file).map_err(failed)? else { continue };
        // The kernel heeds this of the program itself. What a library says about it nobody reads.
        if let Some(loader) = object.loader.as_deref().filter(|_| file == program) {
            search.add_loaded(Utf8Path::new(loader)).map_err(failed)?;
        }
        waiting.extend(search.libraries(&file, &object).map_err(failed)?);
    }
    Ok(())
}

/// What was found so far, and how much was looked at for it.
struct Search<'a> {
    /// Where a program wants what it loads to look as well.
    handed_on: Vec<Utf8PathBuf>,
    /// Everything that is loaded, canonical.
    seen: BTreeSet<Utf8PathBuf>,
    looks: usize,
    files: &'a mut BTreeSet<Utf8PathBuf>,
    /// So many files there were before.
    before: usize,
}

impl Search<'_> {
    /// The libraries that a file asks for and that were not known yet.
    fn libraries(&mut self, file: &Utf8Path, object: &elf::Object) -> io::Result<Vec<Utf8PathBuf>> {
        for place in expand(&object.handed_on, file) {
            if !self.handed_on.contains(&place) {
                self.handed_on.push(place);
            }
        }
        if self.handed_on.len() > elf::MOST_NAMES {
            return Err(elf::excessive(&format!("{} places of libraries", elf::MOST_NAMES)));
        }
        let mut places = expand(&object.run_paths, file);
        places.extend(self.handed_on.iter().cloned());
        let mut found = Vec::new();
        for name in &object.needed {
            found.extend(self.find(name, &places, file)?);
        }
        Ok(found)
    }

    /// Adds a library that a file names; returns it if it was not known yet.
    fn find(
        &mut self,
        name: &String,
        places: &[Utf8PathBuf],
        file: &Utf8Path,
    ) -> io::Result<Option<Utf8PathBuf>> {
        // A name with a slash is a path for the loader, and nothing is searched for it.
        let named = name.contains('/').then(|| expand([name], file));
        let joined = places.iter().filter(|_| named.is_none()).map(|place| place.join(name));
        let joined = joined.filter(|path| path.as_str().len() <= LONGEST);
        for path in named.iter().flatten().cloned().chain(joined) {
            if let Some(real) = self.add_loaded(&path)? {
                return Ok(self.seen.insert(real.clone()).then_some(real));
            }
        }
        Ok(None)
    }

    /// Adds what can be loaded, unless it is in a directory of the system; returns where it really is.
    fn add_loaded(&mut self, path: &Utf8Path) -> io::Result<Option<Utf8PathBuf>> {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return Err(elf::excessive(&format!("{MOST_LOOKS} looks for its libraries")));
        }
        if !path.is_absolute() || !elf::is_loaded(path) {
            return Ok(None);
        }
        let Ok(real) = path.canonicalize_utf8() else { return Ok(None) };
        if !is_of_system(&real) && links_to(path, self.files).is_ok() {
            self.files.insert(real.clone());
        }
        if self.seen.len().max(self.files.len() - self.before) > MOST {
            return Err(elf::excessive(&format!("{MOST} libraries in all")));
        }
        Ok(Some(real))
    }
}

/// Adds what an interpreter has beside the directory that it is in.
fn add_prefix(program: &Utf8Path, files: &mut BTreeSet<Utf8PathBuf>) {
    let bin = program.parent().filter(|parent| parent.file_name() == Some("bin"));
    let Some(prefix) = bin.and_then(Utf8Path::parent).filter(|prefix| *prefix != "/usr") else {
        return;
    };
    let environment = prefix.join(ENVIRONMENT);
    if environment.symlink_metadata().is_ok_and(|found| found.is_file()) {
        files.insert(environment);
    }
    for (place, beginning) in OF_INTERPRETERS {
        let entries = prefix.join(place).read_dir_utf8().into_iter().flatten().take(MOST_LOOKS);
        for entry in entries.flatten().filter(|entry| entry.file_name().starts_with(beginning)) {
            let real = entry.path().canonicalize_utf8().ok();
            files.extend(real.filter(|real| is_library_of(prefix, beginning, real)));
        }
    }
}

/// Whether a directory is where interpreters have their libraries. A name there may be a link, and one
/// that leads out of there, or to something else, would show whatever somebody wants to be shown.
fn is_library_of(prefix: &Utf8Path, beginning: &str, real: &Utf8Path) -> bool {
    let is_place = |(place, _): &(&str, &str)| real.parent() == Some(&prefix.join(place));
    let is_named = real.file_name().is_some_and(|name| name.starts_with(beginning));
    OF_INTERPRETERS.iter().any(is_place) && is_named && !is_of_system(real) && real.is_dir()
}

/// Paths as the loader understands them. What is relative would depend on where the program is started.
fn expand<'a>(paths: impl IntoIterator<Item = &'a String>, file: &Utf8Path) -> Vec<Utf8PathBuf> {
    let origin = file.parent().unwrap_or(Utf8Path::new("/"));
    let expand = |path: &String| {
        let path = path.replace("${ORIGIN}", origin.as_str()).replace("$ORIGIN", origin.as_str());
        Utf8PathBuf::from(path)
    };
    let can_be = |path: &Utf8PathBuf| path.is_absolute() && path.as_str().len() <= LONGEST;
    paths.into_iter().map(expand).filter(can_be).collect()
}

fn is_of_system(path: &Utf8Path) -> bool {
    OF_SYSTEM.iter().any(|place| path.starts_with(place))
}
