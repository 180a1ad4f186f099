//! Putting plugins in place, and everything that must not happen meanwhile.

use std::{
    fs,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::fs::PermissionsExt as _},
    sync::Mutex,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jp_plugin_registry::{
    Home, InstallError, Installed, Installer, Origin, Progress, Record, Sha256, Silent, Source,
    Step, install,
};
use jp_test::{Answer, Https};
use rustix::fs::inotify;

use super::{fetch, home};

const WAIT: Duration = Duration::from_secs(5);

fn step(id: &str, url: &str, contents: &[u8]) -> Step {
    Step {
        command: id.replace('-', " ").parse().unwrap(),
        id: id.parse().unwrap(),
        source: Source::parse(url).unwrap(),
        sha256: Sha256::of(contents).unwrap(),
        description: String::new(),
        official: true,
        repository: None,
        required_by: None,
        replaces: None,
        ask: false,
        pin: None,
    }
}

async fn run(home: &Home, server: &Https, steps: &[Step]) -> Result<(), InstallError> {
    let installer = Installer::begin(home, WAIT).await?;
    install(&installer, &fetch(Some(server)), steps, &Silent, Timestamp::UNIX_EPOCH).await
}

/// The names of what lies in the directory of plugins, without the lock.
fn names(home: &Home) -> Vec<String> {
    let entries = home.dir().read_dir_utf8().unwrap();
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().to_owned()).collect();
    names.retain(|name| name != ".lock");
    names.sort_unstable();
    names
}

#[derive(Debug, Default)]
struct Told(Mutex<Vec<String>>);

impl Progress for Told {
    fn begins(&self, name: &str) {
        self.0.lock().unwrap().push(format!("begins {name}"));
    }

    fn has(&self, bytes: u64, total: Option<u64>) {
        self.0.lock().unwrap().push(format!("has {bytes} of {total:?}"));
    }

    fn ends(&self) {
        self.0.lock().unwrap().push("ends".to_owned());
    }
}

#[tokio::test]
async fn what_was_planned_is_installed_and_recorded() {
    // 072-292, 072-306
    let (_dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    let steps = [step("a", &server.url("/a"), b"/a"), step("serve-web", &server.url("/w"), b"/w")];
    let told = Told::default();
    let installer = Installer::begin(&home, WAIT).await.unwrap();
    let fetch = fetch(Some(&server));
    install(&installer, &fetch, &steps, &told, Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(names(&home), ["installed.json", "jp-a", "jp-serve-web"]);
    let file = home.dir().join("jp-serve-web");
    assert_eq!(file, home.data().join("plugins/command/jp-serve-web"));
    assert_eq!(fs::read(&file).unwrap(), b"/w");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    let record = Record {
        command: Some("serve web".parse().unwrap()),
        sha256: steps[1].sha256,
        origin: Origin::Registry,
        url: server.url("/w"),
        official: true,
        repository: None,
        installed_at: Timestamp::UNIX_EPOCH,
    };
    let id = "serve-web".parse().unwrap();
    assert_eq!(Installed::read(&home).plugins[&id], record);
    assert_eq!(home.sha256(&id).unwrap(), Some(steps[1].sha256));
    let told = told.0.into_inner().unwrap();
    assert_eq!(told[..3], ["begins a", "has 2 of Some(2)", "ends"]);
    assert!(installer.remove(&id).unwrap());
    assert!(!installer.remove(&id).unwrap());
    assert_eq!(names(&home), ["installed.json", "jp-a"]);
    assert_eq!(Installed::read(&home).plugins.len(), 1);
}

/// Looks at what is there while a file is fetched.
#[derive(Debug)]
struct Looking(Utf8PathBuf);

impl Looking {
    fn look(&self) {
        for entry in self.0.read_dir_utf8().unwrap().flatten() {
            let mode = entry.metadata().unwrap().permissions().mode();
            assert!(!entry.file_name().starts_with("jp-"), "{entry:?}");
            assert_eq!(mode & 0o111, 0, "{entry:?}");
        }
    }
}

impl Progress for Looking {
    fn begins(&self, _: &str) {}

    fn has(&self, _: u64, _: Option<u64>) {
        self.look();
    }

    fn ends(&self) {
        self.look();
    }
}

/// What happened to files of a directory since it was watched, in order.
fn events(watch: &OwnedFd) -> Vec<(String, &'static str)> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(watch, &mut buffer);
    let mut events = Vec::new();
    while let Ok(event) = reader.next() {
        let flags = event.events();
        let what =
            if flags.contains(inotify::ReadFlags::MOVED_TO) { "moved here" } else { "changed" };
        let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
        events.push((name.unwrap_or_default(), what));
    }
    events
}

#[tokio::test]
async fn a_file_is_executable_only_when_it_was_checked_and_is_in_place() {
    // 072-304, 072-306, 072-307: the kernel tells the order.
    let (_dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    let installer = Installer::begin(&home, WAIT).await.unwrap();
    let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
    let watch = inotify::init(flags).unwrap();
    let of_interest = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::ATTRIB;
    inotify::add_watch(&watch, home.dir().as_std_path(), of_interest).unwrap();
    let looking = Looking(home.dir());
    let fetch = fetch(Some(&server));
    let bad = [step("a", &server.url("/a"), b"other")];
    install(&installer, &fetch, &bad, &looking, Timestamp::UNIX_EPOCH).await.unwrap_err();
    let changed = events(&watch);
    assert!(
        changed.iter().all(|(name, what)| !name.starts_with("jp-") && *what == "changed"),
        "{changed:?}"
    );
    let good = [step("a", &server.url("/a"), b"/a")];
    install(&installer, &fetch, &good, &looking, Timestamp::UNIX_EPOCH).await.unwrap();
    let seen = events(&watch);
    let seen: Vec<_> = seen.iter().map(|(name, what)| (name.as_str(), *what)).collect();
    // Whoever is killed before the last step leaves a record that no file fits.
    let record = ("installed.json", "moved here");
    assert_eq!(seen, [record, ("jp-a", "moved here"), ("jp-a", "changed")]);
}

#[tokio::test]
async fn a_file_that_cannot_be_put_in_place_keeps_the_record_of_the_one_before() {
    let (_dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    run(&home, &server, &[step("b", &server.url("/b"), b"/b")]).await.unwrap();
    let before = fs::read(home.record()).unwrap();
    fs::create_dir(home.dir().join("jp-a")).unwrap();
    let error = run(&home, &server, &[step("a", &server.url("/a"), b"/a")]).await.unwrap_err();
    assert!(matches!(error, InstallError::Io { action: "install", .. }), "{error}");
    assert_eq!(fs::read(home.record()).unwrap(), before);
}

#[tokio::test]
async fn one_bad_file_installs_nothing_and_leaves_what_is_there() {
    // 072-305
    let (_dir, home) = home();
    let server = Https::start(|path| match path {
        "/half" => Answer::Half(vec![1; 1000]),
        "/stuck" => Answer::Stuck(vec![1; 1000]),
        "/down" => Answer::Redirect("http://localhost:1/x".to_owned()),
        "/gone" => Answer::Status(404),
        "/loop" => Answer::Redirect("/loop".to_owned()),
        path => Answer::File(path.as_bytes().to_vec()),
    });
    let old = step("a", &server.url("/old"), b"/old");
    run(&home, &server, &[old]).await.unwrap();
    let before = fs::read(home.record()).unwrap();
    for bad in ["/changed", "/half", "/stuck", "/down", "/gone", "/loop"] {
        let good = step("a", &server.url("/new"), b"/new");
        let bad = step("b", &server.url(bad), &[1; 1000]);
        let error = run(&home, &server, &[good, bad]).await.unwrap_err();
        assert!(error.to_string().starts_with("`b` was not installed: "), "{error}");
        assert_eq!(names(&home), ["installed.json", "jp-a"]);
        assert_eq!(fs::read(home.dir().join("jp-a")).unwrap(), b"/old");
        assert_eq!(fs::read(home.record()).unwrap(), before);
    }
    let error = run(&home, &server, &[step("b", &server.url("/changed"), b"x")]).await;
    let InstallError::Checksum { expected, actual, .. } = error.unwrap_err() else { panic!() };
    assert_eq!(expected, Sha256::of(&b"x"[..]).unwrap());
    assert_eq!(actual, Sha256::of(&b"/changed"[..]).unwrap());
}

#[tokio::test]
async fn a_pin_is_compared_with_what_came() {
    // 072-319, 072-320
    let (_dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    let pin = Sha256::of(&b"pinned"[..]).unwrap();
    let pinned = Step { pin: Some(pin), ..step("a", &server.url("/a"), b"/a") };
    let told = run(&home, &server, &[pinned]).await.unwrap_err().to_string();
    assert!(told.contains("by `plugins.command.a.checksum`"), "{told}");
    assert!(told.contains(&pin.to_string()), "{told}");
    assert_eq!(names(&home), [""; 0]);
}

#[tokio::test]
async fn installers_take_turns_and_clean_up() {
    let (_dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    let first = Installer::begin(&home, WAIT).await.unwrap();
    let began = Instant::now();
    let locked = Installer::begin(&home, Duration::from_millis(200)).await.unwrap_err();
    assert!(matches!(locked, InstallError::Locked { .. }), "{locked}");
    assert!(began.elapsed() < WAIT);
    drop(first);
    // What somebody left who was killed.
    fs::write(home.dir().join(".unfinished-x"), "half").unwrap();
    run(&home, &server, &[step("a", &server.url("/a"), b"/a")]).await.unwrap();
    assert_eq!(names(&home), ["installed.json", "jp-a"]);
}

#[tokio::test]
async fn names_are_replaced_and_never_followed() {
    let (dir, home) = home();
    let server = Https::start(|path| Answer::File(path.as_bytes().to_vec()));
    fs::create_dir_all(home.dir()).unwrap();
    let precious = dir.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    std::os::unix::fs::symlink(&precious, home.dir().join("jp-a")).unwrap();
    run(&home, &server, &[step("a", &server.url("/a"), b"/a")]).await.unwrap();
    assert_eq!(fs::read(&precious).unwrap(), b"mine");
    assert_eq!(fs::metadata(&precious).unwrap().permissions().mode() & 0o111, 0);
    assert_eq!(fs::read(home.dir().join("jp-a")).unwrap(), b"/a");
}

#[test]
fn a_record_is_read_as_far_as_it_can_be() {
    let (_dir, home) = home();
    fs::create_dir_all(home.dir()).unwrap();
    assert_eq!(Installed::read(&home), Installed::default());
    for bad in ["", "[]", "{}", r#"{"plugins": []}"#] {
        fs::write(home.record(), bad).unwrap();
        assert_eq!(Installed::read(&home), Installed::default());
    }
    let sum = "0".repeat(64);
    let good = format!(
        r#"{{"sha256":"{sum}","origin":"url","url":"https://a.org","installed_at":"2026-11-16T12:00:00Z","new":1}}"#
    );
    let text = format!(r#"{{"version":9,"plugins":{{"a":{good},"../b":{good},"c":{{}},"d":7}}}}"#);
    fs::write(home.record(), text).unwrap();
    let plugins = Installed::read(&home).plugins;
    assert_eq!(plugins.len(), 1);
    assert_eq!(plugins[&"a".parse().unwrap()].origin, Origin::Url);
}

#[tokio::test]
async fn a_file_without_the_right_to_run_is_not_installed() {
    let (_dir, home) = home();
    fs::create_dir_all(home.dir()).unwrap();
    fs::write(home.dir().join("jp-a"), "x").unwrap();
    assert_eq!(home.sha256(&"a".parse().unwrap()).unwrap(), None);
}
