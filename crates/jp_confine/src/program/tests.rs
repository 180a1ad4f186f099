//! What commands consist of.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod objects;

use std::{fs, os::unix::fs::symlink};

use super::*;

struct World {
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { directory: tempfile::tempdir_in("/var/tmp").unwrap() }
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().canonicalize_utf8().unwrap()
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        self
    }

    fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// Words that begin with `?` are not literal.
    fn resolve(&self, command: &str, listed: &[&str]) -> Result<ProgramParts, ResolveError> {
        let word = |text: &str| Word {
            text: text.trim_start_matches('?').into(),
            literal: !text.starts_with('?'),
        };
        let words: Vec<Word> = command.split_whitespace().map(word).collect();
        let program_files: Vec<_> = listed.iter().map(Utf8PathBuf::from).collect();
        resolve(CommandLine {
            words: &words,
            search_path: OsStr::new("/usr/bin:/bin"),
            directory: &self.path(),
            program_files: &program_files,
        })
    }

    /// The words, a line with `--`, and the files of this world.
    #[track_caller]
    fn check(&self, command: &str, listed: &[&str], expected: &[&str]) {
        let parts = self.resolve(command, listed).unwrap();
        let here = format!("{}/", self.path());
        let mut lines: Vec<String> = vec![parts.path.to_string()];
        lines.extend(parts.args.iter().map(|word| word.to_str().unwrap().to_owned()));
        lines.push("--".to_owned());
        let own = parts.files.iter().filter(|file| file.as_str().starts_with(&here));
        lines.extend(own.map(ToString::to_string));
        let lines: Vec<String> = lines.iter().map(|line| line.replace(&here, "./")).collect();
        assert_eq!(lines, expected, "{command}");
    }

    #[track_caller]
    fn fails(&self, command: &str, because: &str) {
        let error = self.resolve(command, &[]).unwrap_err().to_string();
        assert!(error.contains(because), "{command}: {error}");
    }
}

#[test]
fn scripts_are_their_interpreters() {
    let world = World::new();
    world
        .file("plain", "#!/bin/sh\n")
        .file("strict", "#! /bin/sh  -e \n")
        .file("by_env", "#!/usr/bin/env sh\n")
        .file("split", "#!/usr/bin/env -S sh -e -u\n");
    world.check("./plain a", &[], &["/usr/bin/sh", "/bin/sh", "./plain", "a", "--", "./plain"]);
    world.check("./strict", &[], &["/usr/bin/sh", "/bin/sh", "-e", "./strict", "--", "./strict"]);
    world.check("./by_env x", &[], &["/usr/bin/sh", "sh", "./by_env", "x", "--", "./by_env"]);
    let split = ["/usr/bin/sh", "sh", "-e", "-u", "./split", "--", "./split"];
    world.check("./split", &[], &split);
}

#[test]
fn interpreters_that_are_scripts_have_interpreters() {
    let world = World::new();
    let own = world.path().join("own");
    world.file("own", "#!/bin/sh\n").file("script", &format!("#!{own} -x\n"));
    let words =
        ["/usr/bin/sh", "/bin/sh", "./own", "-x", "./script", "a", "--", "./own", "./script"];
    world.check("./script a", &[], &words);
    // One that is its own has none.
    let again = world.path().join("again");
    world.file("again", &format!("#!{again}\n"));
    world.fails("./again", "too many interpreters");
}

#[test]
fn lines_that_lead_nowhere() {
    let world = World::new();
    world
        .file("missing", "#!/no/such/interpreter\n")
        .file("unknown", "#!/usr/bin/env no-such-program\n")
        .file("odd", "#!/usr/bin/env A=1 sh\n")
        .file("empty", "#!\n")
        .file("long", &format!("#!/{}\n", "x".repeat(300)));
    world.fails("./missing", "no program /no/such/interpreter was found");
    world.fails("./unknown", "no program no-such-program was found");
    world.fails("./odd", "this use of `env` is not understood: `/usr/bin/env A=1 sh`");
    world.fails("./empty", "names no interpreter");
    world.fails("./long", "too long");
    world.fails("", "does not begin");
    world.fails("?sh x", "does not begin");
    world.fails("no-such-program", "no program");
}

/// D11-007: what the command says, and not what is filled into it.
#[test]
fn only_words_of_the_configuration_name_files() {
    let world = World::new();
    world.file("tool.py", "").file("secret", "").file("dir/x", "");
    let words = ["/usr/bin/sh", "sh", "tool.py", "secret", "dir", "-x", "--", "./tool.py"];
    world.check("sh tool.py ?secret dir -x", &[], &words);
}

#[test]
fn links_are_shown_with_where_they_lead() {
    let world = World::new();
    world
        .file("real/tool.py", "")
        .link("tool", "real/other")
        .link("real/other", "tool.py")
        .link("way", "real");
    let words = ["/usr/bin/sh", "sh", "tool", "--", "./real/other", "./real/tool.py", "./tool"];
    world.check("sh tool", &[], &words);
    // A directory that is a link is not there, so the word says where it really is.
    let words = ["/usr/bin/sh", "sh", "./real/tool.py", "--", "./real/tool.py"];
    world.check("sh way/tool.py", &[], &words);
}

/// D11-008
#[test]
fn listed_files_belong_to_the_program() {
    let world = World::new();
    world.file("a/module.py", "").file("b", "").file("c", "");
    world.check("sh", &["a", "./b"], &["/usr/bin/sh", "sh", "--", "./a", "./b"]);
    let missing = world.resolve("sh", &["none"]).unwrap_err();
    assert!(matches!(missing, ResolveError::File { .. }), "{missing}");
}

#[test]
fn it_starts_where_something_of_it_is() {
    let world = World::new();
    world.file("tool", "#!/bin/sh\n");
    assert_eq!(world.resolve("./tool", &[]).unwrap().directory, world.path());
    assert_eq!(world.resolve("sh", &[]).unwrap().directory, "/");
}

#[test]
fn an_interpreter_installed_elsewhere_brings_its_library() {
    let world = World::new();
    fs::create_dir_all(world.path().join("py/bin")).unwrap();
    fs::copy("/usr/bin/true", world.path().join("py/bin/python3")).unwrap();
    world
        .file("py/lib/python3.99/os.py", "")
        .file("py/lib/other/x", "")
        .file("py/pyvenv.cfg", "")
        .link("venv/bin/python", "../../py/bin/python3")
        .file("venv/pyvenv.cfg", "")
        .file("venv/lib/python3.99/site-packages/m.py", "");
    let words = [
        "./venv/bin/python",
        "venv/bin/python",
        "--",
        "./py/lib/python3.99",
        "./py/pyvenv.cfg",
        "./venv/bin/python",
        "./venv/lib/python3.99",
        "./venv/pyvenv.cfg",
    ];
    world.check("venv/bin/python", &[], &words);
}

/// What the C compiler makes of a library beside the program.
#[test]
fn libraries_beside_a_program_are_found() {
    let world = World::new();
    world
        .file("lib/one.c", "int two(void); int one(void) { return two(); }")
        .file("lib/two.c", "int two(void) { return 7; }")
        .file("main.c", "int one(void); int main(void) { return one(); }");
    let script = "cc -shared -fPIC -o lib/libtwo.so.1 lib/two.c && ln -s libtwo.so.1 lib/libtwo.so && \
        cc -shared -fPIC -o lib/libone.so lib/one.c -Wl,-rpath,'$ORIGIN' -Llib -l:libtwo.so && \
        mkdir bin && cc -o bin/main main.c -Wl,-rpath,'$ORIGIN/../lib' -Llib -lone -Wl,-rpath-link,lib";
    let done =
        std::process::Command::new("sh").args(["-c", script]).current_dir(world.path()).status();
    assert!(done.unwrap().success(), "a C compiler is needed for this test");
    let parts = world.resolve("bin/main", &[]).unwrap();
    let has = |path: &str| parts.files.contains(&world.path().join(path));
    assert!(has("lib/libone.so") && has("lib/libtwo.so.1"), "{parts:?}");
    assert!(!parts.files.iter().any(|file| file.ends_with("one.c")), "{parts:?}");
}

/// Nothing that somebody puts into a file leads to more than nothing being known.
#[test]
fn broken_objects_say_nothing() {
    let world = World::new();
    let whole = fs::read("/usr/bin/true").unwrap();
    for cut in [0, 3, 5, 6, 20, 63, 64, 100, 500, 4_000] {
        fs::write(world.path().join("cut"), &whole[..cut.min(whole.len())]).unwrap();
        let object = elf::read(&world.path().join("cut")).unwrap();
        assert!(object.is_none_or(|object| object.needed.is_empty()), "{cut}");
    }
    let mut draw: u32 = 7;
    for _ in 0..500 {
        let mut bytes = whole[..2_000].to_vec();
        for _ in 0..8 {
            draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = draw as usize % 500;
            bytes[at] = (draw >> 24) as u8;
        }
        fs::write(world.path().join("odd"), &bytes).unwrap();
        let _ = elf::read(&world.path().join("odd")).unwrap();
    }
    let plain = elf::read(Utf8Path::new("/usr/bin/true")).unwrap().unwrap();
    assert!(plain.loader.is_some() && plain.needed.iter().any(|name| name.starts_with("libc")));
}
