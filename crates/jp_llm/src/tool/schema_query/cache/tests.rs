//! When an answer is still good.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use super::*;

struct World {
    directory: tempfile::TempDir,
    program: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let program = Utf8PathBuf::try_from(directory.path().join("tool")).unwrap();
        fs::write(&program, "one").unwrap();
        Self { directory, program }
    }

    fn cache(&self, refresh: bool) -> Cache {
        let directory = Utf8PathBuf::try_from(self.directory.path().join("cache")).unwrap();
        Cache::new(directory, refresh)
    }

    fn look(&self) -> Fingerprint {
        Fingerprint::of(&[self.program.clone(), "/no/such/file".into()]).unwrap()
    }

    /// Gives the file another time and another inode.
    fn touch(&self, content: &str) {
        let other = self.program.with_extension("new");
        fs::write(&other, content).unwrap();
        let file = fs::File::options().write(true).open(&other).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        fs::rename(other, &self.program).unwrap();
    }
}

fn answer(name: &str) -> SchemaResponse {
    let tool = jp_tool::ToolSchema { name: name.to_owned(), ..Default::default() };
    SchemaResponse { tools: vec![tool] }
}

#[test]
fn an_answer_is_good_as_long_as_the_content_is_the_same() {
    // D06-029
    let world = World::new();
    let cache = world.cache(false);
    assert_eq!(cache.get("key", &world.look()), None);
    cache.put("key", &world.look(), &answer("a"));
    assert_eq!(cache.get("key", &world.look()), Some(answer("a")));
    assert_eq!(cache.get("other", &world.look()), None);
    world.touch("one");
    assert_eq!(cache.get("key", &world.look()), Some(answer("a")), "only its times differ");
    world.touch("two");
    assert_eq!(cache.get("key", &world.look()), None, "same size, other content");
    world.touch("three");
    assert_eq!(cache.get("key", &world.look()), None);
}

#[test]
fn a_refresh_only_writes() {
    let world = World::new();
    world.cache(false).put("key", &world.look(), &answer("a"));
    let refresh = world.cache(true);
    assert_eq!(refresh.get("key", &world.look()), None);
    refresh.put("key", &world.look(), &answer("b"));
    assert_eq!(world.cache(false).get("key", &world.look()), Some(answer("b")));
}

#[test]
fn what_somebody_else_wrote_is_no_answer() {
    let world = World::new();
    let cache = world.cache(false);
    cache.put("key", &world.look(), &answer("a"));
    for text in ["", "{}", "[]", "{\"key\":\"key\",\"files\":[],\"answer\":{\"tools\":[]}}"] {
        fs::write(cache.path("key"), text).unwrap();
        assert_eq!(cache.get("key", &world.look()), None, "{text}");
    }
}

#[test]
fn a_full_cache_starts_again() {
    let world = World::new();
    let cache = world.cache(false);
    for number in 0..MOST + 5 {
        fs::create_dir_all(&cache.directory).unwrap();
        fs::write(cache.directory.join(number.to_string()), "").unwrap();
    }
    cache.put("key", &world.look(), &answer("a"));
    assert_eq!(fs::read_dir(&cache.directory).unwrap().count(), 1);
}

#[test]
fn a_large_program_is_summed_when_it_is_next_met() {
    let world = World::new();
    let large = |letter: &str| letter.repeat(1024 * 1024 + 1);
    world.touch(&large("a"));
    world.cache(false).put("key", &world.look(), &answer("a"));
    // Not summed yet: it only counts how it looks.
    let looked = world.look();
    world.touch(&large("a"));
    assert_eq!(world.cache(false).get("key", &world.look()), None);
    world.cache(false).put("key", &world.look(), &answer("a"));
    assert_eq!(world.cache(false).get("key", &world.look()), Some(answer("a")));
    // Now it is, and the content decides.
    world.touch(&large("a"));
    assert_ne!(world.look(), looked);
    assert_eq!(world.cache(false).get("key", &world.look()), Some(answer("a")));
    world.touch(&large("b"));
    assert_eq!(world.cache(false).get("key", &world.look()), None);
}
