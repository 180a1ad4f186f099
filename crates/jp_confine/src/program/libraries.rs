//! What is loaded into a program, where that is not in the directories of the system.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::{ResolveError, elf, links_to};

/// Directories that every sealed process sees, or most of them.
const OF_SYSTEM: [&str; 7] =
    ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store"];

/// So many files are looked into.
const MOST: usize = 256;

/// What interpreters load by themselves: how it begins, and in which directory beside `bin`. One that
/// was installed elsewhere than in the system is found with these.
const OF_INTERPRETERS: [(&str, &str); 6] = [
    ("lib", "python3"),
    ("lib64", "python3"),
    ("lib", "node_modules"),
    ("lib", "ruby"),
    ("lib", "perl5"),
    (".", "pyvenv.cfg"),
];

/// Adds what the program at a path, which is this file, loads.
pub(super) fn add(
    path: &Utf8Path,
    program: &Utf8Path,
    files: &mut BTreeSet<Utf8PathBuf>,
) -> Result<(), ResolveError> {
    for installed in [path, program] {
        add_prefix(installed, files);
    }
    let mut waiting = vec![program.to_owned()];
    let mut seen = BTreeSet::new();
    // A program may hand its own search path on to what it loads.
    let mut handed_on = Vec::new();
    while let Some(file) = waiting.pop() {
        if seen.len() >= MOST || !seen.insert(file.clone()) {
            continue;
        }
        let failed = |source| ResolveError::File { path: file.clone(), source };
        let Some(object) = elf::read(&file).map_err(failed)? else { continue };
        if let Some(loader) = &object.loader {
            add_file(Utf8Path::new(loader), files);
        }
        let mut places = expand(&object.run_paths, &file);
        handed_on.extend(expand(&object.handed_on, &file));
        places.extend(handed_on.iter().cloned());
        for name in &object.needed {
            let found = places.iter().map(|place| place.join(name)).find(|path| path.is_file());
            waiting.extend(found.and_then(|path| add_file(&path, files)));
        }
    }
    Ok(())
}

/// Adds a library that is not in a directory of the system; returns where it really is.
fn add_file(path: &Utf8Path, files: &mut BTreeSet<Utf8PathBuf>) -> Option<Utf8PathBuf> {
    let real = path.canonicalize_utf8().ok()?;
    if !is_of_system(&real) {
        links_to(path, files).ok()?;
        files.insert(real.clone());
    }
    Some(real)
}

fn add_prefix(program: &Utf8Path, files: &mut BTreeSet<Utf8PathBuf>) {
    let bin = program.parent().filter(|parent| parent.file_name() == Some("bin"));
    let Some(prefix) = bin.and_then(Utf8Path::parent).filter(|prefix| *prefix != "/usr") else {
        return;
    };
    for (place, beginning) in OF_INTERPRETERS {
        for entry in prefix.join(place).read_dir_utf8().into_iter().flatten().flatten() {
            let is_it = entry.file_name().starts_with(beginning);
            let real = entry.path().canonicalize_utf8().ok().filter(|_| is_it);
            files.extend(real.filter(|real| !is_of_system(real)));
        }
    }
}

fn expand(paths: &[String], file: &Utf8Path) -> Vec<Utf8PathBuf> {
    let origin = file.parent().unwrap_or(Utf8Path::new("/"));
    let expand = |path: &String| {
        let path = path.replace("${ORIGIN}", origin.as_str()).replace("$ORIGIN", origin.as_str());
        Utf8PathBuf::from(path)
    };
    // What is relative would depend on where the program is started.
    paths.iter().map(expand).filter(|path| path.is_absolute()).collect()
}

fn is_of_system(path: &Utf8Path) -> bool {
    OF_SYSTEM.iter().any(|place| path.starts_with(place))
}
