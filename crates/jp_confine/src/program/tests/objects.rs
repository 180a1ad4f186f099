//! Objects that no compiler makes: what they ask for is shown only if a loader would load it.

use super::*;

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;

const NEEDED: u64 = 1;
const STRINGS: u64 = 5;
const STRINGS_SIZE: u64 = 10;
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;

/// The type of a file that can be loaded, and of one that was the memory of a process.
const SHARED: u16 = 3;
const CORE: u16 = 4;

const SEGMENT: u16 = 56;

/// An object with these loaders and these entries in its table of what it loads.
struct Object<'a> {
    kind: u16,
    loaders: &'a [&'a str],
    entries: &'a [(u64, &'a str)],
    /// So often the table is listed.
    tables: u16,
}

impl Object<'_> {
    const EMPTY: Self = Self { kind: SHARED, loaders: &[], entries: &[], tables: 1 };

    fn bytes(&self) -> Vec<u8> {
        let count = 1 + u16::try_from(self.loaders.len()).unwrap() + self.tables;
        let mut text = Vec::new();
        let mut known = std::collections::HashMap::new();
        let mut at = |word: &str| {
            // A text that is named many times is there once.
            *known.entry((word.as_ptr(), word.len())).or_insert_with(|| {
                let at = text.len();
                text.extend_from_slice(word.as_bytes());
                text.push(0);
                at as u64
            })
        };
        let loaders: Vec<u64> = self.loaders.iter().map(|loader| at(loader)).collect();
        let mut table: Vec<(u64, u64)> =
            self.entries.iter().map(|(tag, word)| (*tag, at(word))).collect();
        let strings = 64 + u64::from(count) * u64::from(SEGMENT);
        table.extend([(STRINGS, strings), (STRINGS_SIZE, text.len() as u64), (0, 0)]);
        let (tables, size) = (strings + text.len() as u64, table.len() as u64 * 16);

        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(16, 0);
        bytes.extend(self.kind.to_le_bytes());
        bytes.resize(32, 0);
        bytes.extend(64_u64.to_le_bytes());
        bytes.resize(54, 0);
        bytes.extend(SEGMENT.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.resize(64, 0);
        let mut segment = |kind: u32, offset: u64, size: u64| {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 4]);
            for number in [offset, offset, offset, size, size, 0] {
                bytes.extend(number.to_le_bytes());
            }
        };
        segment(LOAD, 0, tables + size);
        for (loader, at) in self.loaders.iter().zip(loaders) {
            segment(INTERPRETER, strings + at, loader.len() as u64 + 1);
        }
        for _ in 0..self.tables {
            segment(DYNAMIC, tables, size);
        }
        bytes.extend(text);
        for (tag, value) in table {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    fn put(&self, world: &World, path: &str) {
        world.file(path, "");
        fs::write(world.path().join(path), self.bytes()).unwrap();
    }
}

/// What is shown of this world for the program `bin/main`.
#[track_caller]
fn shown(world: &World) -> Vec<String> {
    let parts = world.resolve("bin/main", &[]).unwrap();
    let here = format!("{}/", world.path());
    for file in &parts.files {
        assert!(file.as_str().starts_with(&here), "{file} is not of this world");
    }
    parts.files.iter().map(|file| file.as_str().replace(&here, "")).collect()
}

#[test]
fn only_the_first_loader_counts_and_only_if_it_is_one() {
    let world = World::new();
    let (loader, directory) = (world.path().join("ld.so"), world.path().join("private"));
    world.file("private/key", "secret").file("text", "secret");
    Object::EMPTY.put(&world, "ld.so");
    let check = |loaders: &[&str], expected: &[&str]| {
        Object { loaders, ..Object::EMPTY }.put(&world, "bin/main");
        assert_eq!(shown(&world), expected, "{loaders:?}");
    };
    check(&[loader.as_str()], &["ld.so"]);
    check(&[loader.as_str(), directory.as_str()], &["ld.so"]);
    check(&[directory.as_str(), loader.as_str()], &[]);
    check(&[world.path().join("text").as_str()], &[]);
    check(&["private"], &[]);
    check(&["/"], &[]);
}

#[test]
fn a_library_names_no_loader() {
    let world = World::new();
    let loader = world.path().join("ld.so");
    Object::EMPTY.put(&world, "ld.so");
    Object { loaders: &[loader.as_str()], ..Object::EMPTY }.put(&world, "lib/liba.so");
    let entries = [(NEEDED, "liba.so"), (RUNPATH, "$ORIGIN/../lib")];
    Object { entries: &entries, ..Object::EMPTY }.put(&world, "bin/main");
    assert_eq!(shown(&world), ["lib/liba.so"]);
}

#[test]
fn only_what_a_loader_would_load_is_a_library() {
    let world = World::new();
    world.file("private/key", "secret").link("lib/to-private", "../private");
    Object::EMPTY.put(&world, "lib/liba.so");
    Object::EMPTY.put(&world, "second/both.so");
    world.file("lib/both.so", "text").link("lib/liba.so.1", "liba.so");
    Object { kind: CORE, ..Object::EMPTY }.put(&world, "lib/core");
    let here = |path: &str| world.path().join(path).into_string();
    let check = |name: &str, expected: &[&str]| {
        for tag in [RUNPATH, RPATH] {
            let entries = [(NEEDED, name), (tag, "$ORIGIN/../lib:${ORIGIN}/../second:private")];
            Object { entries: &entries, ..Object::EMPTY }.put(&world, "bin/main");
            assert_eq!(shown(&world), expected, "{name}");
        }
    };
    check("liba.so", &["lib/liba.so"]);
    check("liba.so.1", &["lib/liba.so", "lib/liba.so.1"]);
    // What is no library is passed over, as the loader does.
    check("both.so", &["second/both.so"]);
    // A path is what it says, and only if it leads to a library.
    check(&here("lib/liba.so"), &["lib/liba.so"]);
    check("$ORIGIN/../lib/liba.so", &["lib/liba.so"]);
    for name in [&here("private/key"), &here("private"), "/", "/dev/zero", "/etc/passwd"] {
        check(name, &[]);
    }
    for name in ["..", ".", "", "../lib/liba.so", "core", "to-private", "../private/key"] {
        check(name, &[]);
    }
}

/// Names in a prefix may be links, and whoever made them chose where they lead.
#[test]
fn what_an_interpreter_has_is_in_its_own_directories() {
    let world = World::new();
    world
        .file("py/lib/python3.99/os.py", "")
        .file("py/share/keys", "secret")
        .file("py/lib/private/keys", "secret")
        .file("py/lib/python3.txt", "")
        .file("home/keys", "secret")
        .link("py/lib/python3", "python3.99")
        .link("py/lib64", "lib")
        .link("py/lib/python3a", "../../home")
        .link("py/lib/python3b", "../share")
        .link("py/lib/python3c", "..")
        .link("py/lib/python3d", "private")
        .link("py/lib/node_modules", "/")
        .link("py/pyvenv.cfg", "../home/keys");
    Object::EMPTY.put(&world, "py/bin/main");
    let parts = world.resolve("py/bin/main", &[]).unwrap();
    assert_eq!(parts.files, [world.path().join("py/lib/python3.99")]);
}

#[test]
fn what_asks_for_too_much_is_refused() {
    let world = World::new();
    let refused = |object: &Object<'_>, path: &str| {
        object.put(&world, path);
        let error = world.resolve("bin/main", &[]).unwrap_err();
        let says = format!("{}: it asks for more than ", world.path().join(path));
        let text = error.to_string();
        assert!(text.starts_with(&says), "{text}");
    };
    // All of these are the same text, which is long.
    let colons = ":".repeat(500_000);
    let entries = vec![(RUNPATH, colons.as_str()); 60_000];
    refused(&Object { entries: &entries, tables: 100, ..Object::EMPTY }, "bin/main");
    let entries = vec![(RUNPATH, "/nowhere"); 60_000];
    refused(&Object { entries: &entries, ..Object::EMPTY }, "bin/main");
    let names: Vec<String> = (0..300).map(|number| format!("lib{number}.so")).collect();
    let entries: Vec<_> = names.iter().map(|name| (NEEDED, name.as_str())).collect();
    refused(&Object { entries: &entries, ..Object::EMPTY }, "bin/main");
    let long = "x".repeat(600_000);
    let entries = [(NEEDED, long.as_str()), (NEEDED, long.as_str())];
    refused(&Object { entries: &entries, ..Object::EMPTY }, "bin/main");
    // Each file of a program may ask for little, and all of them together for more than is looked for.
    let entries = [(NEEDED, "liba.so"), (RUNPATH, "$ORIGIN/../lib")];
    Object { entries: &entries, ..Object::EMPTY }.put(&world, "bin/main");
    let entries: Vec<_> = names.iter().map(|name| (NEEDED, name.as_str())).collect();
    refused(&Object { entries: &entries, ..Object::EMPTY }, "lib/liba.so");
}

#[test]
fn all_looks_for_a_program_together_are_counted() {
    let world = World::new();
    let places: Vec<String> = (0..200).map(|number| format!("/nowhere/{number}")).collect();
    let places = places.join(":");
    let names: Vec<String> = (0..200).map(|number| format!("lib{number}.so")).collect();
    let mut entries: Vec<_> = names.iter().map(|name| (NEEDED, name.as_str())).collect();
    entries.extend([(NEEDED, "$ORIGIN/more.so"), (RUNPATH, &places)]);
    Object { entries: &entries, ..Object::EMPTY }.put(&world, "bin/main");
    assert!(shown(&world).is_empty());
    Object { entries: &entries, ..Object::EMPTY }.put(&world, "bin/more.so");
    let error = world.resolve("bin/main", &[]).unwrap_err().to_string();
    assert!(error.contains("bin/more.so: it asks for more than 65536 looks"), "{error}");
}
