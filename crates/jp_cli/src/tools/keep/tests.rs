//! Rules that are kept: in which file, how narrow, and what happens when somebody else writes there.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{collections::BTreeSet, fs, thread};

use insta::assert_snapshot;
use jp_config::Layer;
use jp_tool::access::Capability;
use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

struct World {
    _temp: tempfile::TempDir,
    root: Utf8PathBuf,
    keeper: Keeper,
}

impl World {
    fn new(config: &str) -> Self {
        Self::with(config, "", Vec::new())
    }

    /// A workspace with this `.jp/config.toml` and this `.jp.toml`.
    fn with(config: &str, directory: &str, given: Vec<Layer>) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::try_from(temp.path().canonicalize().unwrap()).unwrap();
        fs::create_dir(root.join(".jp")).unwrap();
        for (file, text) in [(".jp/config.toml", config), (".jp.toml", directory)] {
            if !text.is_empty() {
                fs::write(root.join(file), text).unwrap();
            }
        }
        let keeper = Keeper::new(Origins::at(None, Some(&root), &root, given), None);
        Self { _temp: temp, root, keeper }
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.root.join(file)).unwrap_or_default()
    }

    fn allows(&self, asked: &Asked) -> bool {
        self.allow(std::slice::from_ref(asked)) == [true]
    }

    fn allow(&self, asked: &[Asked]) -> Vec<bool> {
        let loaded = self.keeper.origins.load(None).unwrap();
        let answer = |it: &Asked| self.keeper.answer(&loaded, "x", it).unwrap().verdict;
        asked.iter().map(|it| answer(it) == Verdict::Allowed).collect()
    }

    /// Keeps it, and says what came of it: where it was written, or what to do by hand.
    fn keep(&self, wish: &Wish) -> String {
        match self.keeper.plan("x", wish).unwrap() {
            Planned::Write(plan) => {
                let place = plan.place.clone();
                self.keeper.write("x", wish, plan).unwrap();
                assert!(self.allows(&wish.asked));
                place
            }
            Planned::Nothing => "nothing".to_owned(),
            Planned::ByHand(text) => format!("by hand: {text}"),
        }
    }
}

const VFS: &str = "[conversation.tools.x] # mine\nsource = 'local'\nruntime = 'vfs'\n";

fn wish(asked: Asked) -> Wish {
    Wish { asked, rule: None }
}

fn create(path: &str) -> Wish {
    wish(Asked::Fs(Capability::Create, path.into()))
}

#[test]
fn the_first_rule_for_files_keeps_what_held_without_any() {
    let world = World::new(VFS);
    assert_eq!(world.keep(&create("src/new.rs")), ".jp/config.toml");
    assert_snapshot!(world.read(".jp/config.toml"), @r#"
    [conversation.tools.x] # mine
    source = 'local'
    runtime = 'vfs'

    [[conversation.tools.x.access.fs]]
    path = "."
    read = true

    [[conversation.tools.x.access.fs]]
    path = "src/new.rs"
    read = true
    create = true
    "#);
    assert_eq!(world.keep(&create("src/new.rs")), "nothing");
}

#[test]
fn a_rule_repeats_what_the_one_that_decided_has_granted() {
    let rules = "[[conversation.tools.x.access.fs]]\npath = 'src'\nread = true\nupdate = true\n";
    let world = World::new(&format!("{VFS}{rules}"));
    world.keep(&create("src/new.rs"));
    assert_snapshot!(world.read(".jp/config.toml").split_once("vfs'\n").unwrap().1, @r#"
    [[conversation.tools.x.access.fs]]
    path = 'src'
    read = true
    update = true

    [[conversation.tools.x.access.fs]]
    path = "src/new.rs"
    read = true
    create = true
    update = true
    "#);
}

#[test]
fn every_kind_of_rule_is_kept() {
    let world = World::new(VFS);
    let rule =
        NetRule { scheme: Some("https".to_owned()), ..NetRule::new("api.example.com", true) };
    let url = "https://api.example.com/v1".to_owned();
    world.keep(&Wish { asked: Asked::Url(url), rule: Some(rule) });
    world.keep(&wish(Asked::Env("TOKEN".to_owned())));
    world.keep(&wish(Asked::Command(vec!["cargo".to_owned(), "check".to_owned()])));
    world.keep(&wish(Asked::Command(vec!["cargo".to_owned(), "test".to_owned()])));
    assert_snapshot!(world.read(".jp/config.toml").split_once("vfs'\n").unwrap().1, @r#"

    [[conversation.tools.x.access.net]]
    host = "api.example.com"
    scheme = "https"
    allow = true

    [[conversation.tools.x.access.env]]
    name = "TOKEN"
    read = true

    [conversation.tools.x.access.commands.cargo]
    args = [["check"], ["test"]]
    "#);
}

#[test]
fn the_file_that_has_the_tool_gets_the_rule() {
    let world = World::with("", VFS, Vec::new());
    assert_eq!(world.keep(&create("a")), ".jp.toml");
    assert_eq!(world.read(".jp/config.toml"), "");
    // A tool that comes from elsewhere gets its rules in the settings of the workspace.
    let world = World::with("", "", vec![Layer::file("cli.toml", VFS)]);
    assert_eq!(world.keep(&create("a")), ".jp/config.toml");
    // Under the name that is used for it.
    let world = World::new("[tools.x]\nsource = 'local'\nruntime = 'vfs'\n");
    world.keep(&wish(Asked::Env("A".to_owned())));
    assert_snapshot!(world.read(".jp/config.toml"), @r#"
    [tools.x]
    source = 'local'
    runtime = 'vfs'

    [[tools.x.access.env]]
    name = "A"
    read = true
    "#);
}

#[test]
fn what_a_later_layer_would_undo_is_left_to_a_person() {
    let later =
        "[conversation.tools.x.access]\nfs = { strategy = 'replace', value = [{ path = '.' }] }";
    let world = World::with(VFS, later, Vec::new());
    assert_snapshot!(world.keep(&create("a")), @r#"
    by hand: To allow it, add behind the other rules of `conversation.tools.x.access.fs`:

      { path = "a", create = true }

    It covers everything below `a` as well.
    "#);
    assert_eq!(world.read(".jp/config.toml"), VFS);
}

#[test]
fn the_short_form_is_extended_where_it_says_no_more_than_was_asked() {
    let short = |rules: &str| World::new(&format!("{VFS}[conversation.tools.x.sandbox]\n{rules}"));
    let world = short("filesystem.allow = ['src'] # paths\n");
    world.keep(&wish(Asked::Fs(Capability::Read, "doc".into())));
    world.keep(&wish(Asked::Env("A".to_owned())));
    assert_snapshot!(world.read(".jp/config.toml").split_once("sandbox]\n").unwrap().1, @r#"
    filesystem.allow = ['src', "doc"] # paths

    [conversation.tools.x.sandbox.network]
    envs = ["A"]
    "#);
    assert_snapshot!(world.keep(&create("src/a")), @r#"
    by hand: To allow it, write this instead of `conversation.tools.x.sandbox`, which cannot say it:

      [conversation.tools.x.access]
      fs = [
        { path = "src", read = true },
        { path = "doc", read = true },
        { path = "src/a", read = true, create = true },
      ]
      env = [
        { name = "A", read = true },
      ]

    It covers everything below `src/a` as well.
    "#);
    // All paths there share what is granted, which is more than was asked for.
    let world = short("filesystem = { allow = ['src'], writable = true }\n");
    assert_snapshot!(world.keep(&create("doc/a")), @r#"
    by hand: To allow it, add behind the other rules of `conversation.tools.x.sandbox.filesystem.allow`:

      "doc/a"

    As for the other paths there, it also grants read, update, delete.
    It covers everything below `doc/a` as well.
    What is covered then and not granted is denied, and no longer asked about.
    "#);
}

#[test]
fn what_is_sensitive_is_not_kept() {
    let world = World::new(VFS);
    for capability in [Capability::Read, Capability::Create] {
        let text = world.keep(&wish(Asked::Fs(capability, ".env".into())));
        assert!(text.starts_with("by hand: It is sensitive"), "{text}");
    }
    assert_eq!(world.read(".jp/config.toml"), VFS);
}

#[test]
fn a_file_that_somebody_changes_meanwhile_keeps_both() {
    let world = World::new(VFS);
    let wish = wish(Asked::Env("A".to_owned()));
    let Planned::Write(plan) = world.keeper.plan("x", &wish).unwrap() else { panic!() };
    fs::write(world.root.join(".jp/config.toml"), format!("# theirs\n{VFS}")).unwrap();
    world.keeper.write("x", &wish, plan).unwrap();
    let text = world.read(".jp/config.toml");
    assert!(text.starts_with("# theirs\n") && text.contains("name = \"A\""), "{text}");
    // Not if it would be another rule now.
    let create = create("src/a");
    let Planned::Write(plan) = world.keeper.plan("x", &create).unwrap() else { panic!() };
    let rules = "[[conversation.tools.x.access.fs]]\npath = 'src'\nread = true\n";
    let theirs = format!("{VFS}{rules}");
    fs::write(world.root.join(".jp/config.toml"), &theirs).unwrap();
    let error = world.keeper.write("x", &create, plan).unwrap_err();
    assert!(error.parts().unwrap().0.contains("has changed meanwhile"));
    assert_eq!(world.read(".jp/config.toml"), theirs);
}

#[test]
fn rules_that_are_kept_at_once_are_all_there() {
    let world = World::new(VFS);
    thread::scope(|scope| {
        for writer in ["A", "B", "C"] {
            let world = &world;
            scope.spawn(move || {
                for number in 0..4 {
                    let wish = wish(Asked::Env(format!("{writer}{number}")));
                    // Many writers may need more than the attempts of one.
                    while !world.allows(&wish.asked) {
                        if let Planned::Write(plan) = world.keeper.plan("x", &wish).unwrap() {
                            let _ = world.keeper.write("x", &wish, plan);
                        }
                    }
                }
            });
        }
    });
    let text = world.read(".jp/config.toml");
    let names: BTreeSet<&str> = text.lines().filter(|it| it.starts_with("name")).collect();
    assert_eq!((names.len(), text.matches("name =").count()), (12, 12), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// What was allowed stays allowed, what was asked for is allowed, and nothing else is that was not:
    /// nothing else with this path and below it, and nothing at all anywhere else.
    #[test]
    fn a_kept_rule_changes_what_was_asked_and_nothing_else(
        rules in vec((any_path(), vec(select(Capability::ALL.to_vec()), 0..4)), 0..4),
        capability in select(Capability::ALL.to_vec()),
        path in any_path(),
    ) {
        let rules = rules.iter().map(|(path, grants)| {
            let grants: BTreeSet<_> =
                grants.iter().map(|it| format!("{} = true\n", it.as_str())).collect();
            let grants: String = grants.into_iter().collect();
            format!("[[conversation.tools.x.access.fs]]\npath = '{path}'\n{grants}")
        });
        let world = World::new(&format!("{VFS}{}", rules.collect::<String>()));
        let all: Vec<Asked> = PATHS.iter().flat_map(|path| {
            Capability::ALL.map(|capability| Asked::Fs(capability, (*path).into()))
        }).collect();
        let before = world.allow(&all);
        let asked = Asked::Fs(capability, path.into());
        world.keep(&wish(asked.clone()));
        prop_assert!(world.allows(&asked));
        for ((other, before), after) in all.iter().zip(before).zip(world.allow(&all)) {
            let Asked::Fs(other_capability, other_path) = other else { unreachable!() };
            let is_asked = *other_capability == capability
                && (path == "." || other_path.starts_with(path));
            prop_assert!(after == before || is_asked && after, "{other:?}: {before} -> {after}\n{}",
                world.read(".jp/config.toml"));
        }
    }
}

const PATHS: [&str; 8] = [".", "a", "a/b", "a/b/c", "a/c", "b", "b/a", "ab"];

fn any_path() -> impl Strategy<Value = &'static str> {
    select(PATHS.to_vec())
}
