//! Fetching the registry.

use jp_plugin::registry::parse;
use jp_plugin_registry::{
    CacheError, Home, MAX_REGISTRY, RefreshError, Silent, Source, cached, find, refresh, search,
};
use jp_test::{Answer, Https};

use super::{fetch, home};

const GOOD: &str = r#"{"version":1,"plugins":{
    "serve":{"id":"serve","kind":"command_group","description":"Server parts"},
    "serve web":{"id":"serve-web","description":"Web UI"}}}"#;

#[tokio::test]
async fn a_registry_is_fetched_kept_and_replaced() {
    // 072-276, 072-277, 072-279, 072-280, 072-301, 072-302
    let (_dir, home) = home();
    assert!(cached(&home).unwrap().is_none());
    let server = Https::start(|_| Answer::File(GOOD.into()));
    let source = Source::parse(&server.url("/plugins.json")).unwrap();
    refresh(&home, &fetch(Some(&server)), &source, &Silent).await.unwrap();
    assert_eq!(std::fs::read_to_string(home.data().join("registry.json")).unwrap(), GOOD);
    let registry = cached(&home).unwrap().unwrap();
    for name in ["serve web", "serve-web"] {
        assert_eq!(find(&registry, name).unwrap().0.to_string(), "serve web");
    }
    assert!(find(&registry, "../serve").is_none());
    let found = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        search(&registry, &words).into_iter().map(|it| it.0.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), ["serve", "serve web"]);
    assert_eq!(found(&["WEB", "serve"]), ["serve web"]);
    assert_eq!(found(&["web", "parts"]), [""; 0]);
    let file = home.data().join("elsewhere.json");
    std::fs::write(&file, r#"{"version":1,"plugins":{}}"#).unwrap();
    let source = Source::File(file);
    refresh(&home, &fetch(None), &source, &Silent).await.unwrap();
    assert!(cached(&home).unwrap().unwrap().entries.is_empty());
}

/// An id is what settings and records say. A group has none of either.
#[test]
fn a_name_is_the_id_of_a_plugin_before_it_is_a_command() {
    let registry = parse(
        r#"{"version":1,"plugins":{
            "site":{"id":"web"}, "web":{"id":"other"},
            "parts":{"id":"serve","kind":"command_group"}, "serve":{"id":"server"},
            "tools":{"id":"kit","kind":"command_group"}}}"#,
    );
    let registry = registry.unwrap();
    for (name, command) in [
        ("web", "site"),
        ("other", "web"),
        ("site", "site"),
        ("serve", "serve"),
        ("server", "serve"),
        ("parts", "parts"),
        ("kit", "tools"),
    ] {
        assert_eq!(find(&registry, name).unwrap().0.to_string(), command, "{name}");
    }
}

#[tokio::test]
async fn whatever_goes_wrong_leaves_the_earlier_one() {
    // 072-303
    let (_dir, home) = home();
    let server = Https::start(|path| match path {
        "/good" => Answer::File(GOOD.into()),
        "/half" => Answer::Half(GOOD.into()),
        "/version" => Answer::File(GOOD.replace("\"version\":1", "\"version\":2").into()),
        "/json" => Answer::File(b"<html>".to_vec()),
        "/text" => Answer::File(vec![0xff; 10]),
        "/large" => Answer::File(vec![b' '; usize::try_from(MAX_REGISTRY).unwrap() + 1]),
        "/endless" => Answer::Endless,
        "/stuck" => Answer::Stuck(GOOD.into()),
        "/down" => Answer::Redirect("http://localhost:1/".to_owned()),
        _ => Answer::Status(500),
    });
    let get = async |path: &str| {
        let source = Source::parse(&server.url(path)).unwrap();
        refresh(&home, &fetch(Some(&server)), &source, &Silent).await.map(drop)
    };
    get("/good").await.unwrap();
    for path in ["/half", "/large", "/endless", "/stuck", "/down", "/status"] {
        let error = get(path).await.unwrap_err();
        assert!(matches!(error, RefreshError::Get(_)), "{path}: {error}");
    }
    for path in ["/version", "/json"] {
        let error = get(path).await.unwrap_err();
        assert!(matches!(error, RefreshError::Parse { .. }), "{path}: {error}");
    }
    assert!(matches!(get("/text").await, Err(RefreshError::Text(_))));
    assert_eq!(cached(&home).unwrap().unwrap().entries.len(), 2);
    assert_eq!(names(&home), [".registry.lock", "registry.json"]);
}

fn names(home: &Home) -> Vec<String> {
    let entries = home.data().read_dir_utf8().unwrap();
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().to_owned()).collect();
    names.sort_unstable();
    names
}

/// Whoever fetches it at the same time as others loses nothing to them.
#[test]
fn those_who_fetch_at_once_take_turns() {
    let (_dir, home) = home();
    std::fs::create_dir_all(home.data()).unwrap();
    let file = home.data().join("elsewhere.json");
    std::fs::write(&file, GOOD).unwrap();
    // What somebody left who was killed.
    std::fs::write(home.data().join(".unfinished-x"), "half").unwrap();
    let source = Source::File(file);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(async {
                    for _ in 0..30 {
                        refresh(&home, &fetch(None), &source, &Silent).await.unwrap();
                    }
                });
            });
        }
    });
    assert_eq!(names(&home), [".registry.lock", "elsewhere.json", "registry.json"]);
}

#[test]
fn a_cache_that_cannot_be_used_is_told() {
    let (_dir, home) = home();
    std::fs::create_dir_all(home.data()).unwrap();
    std::fs::write(home.registry(), "{}").unwrap();
    assert!(matches!(cached(&home), Err(CacheError::Parse { .. })));
    std::fs::write(home.registry(), " ".repeat(usize::try_from(MAX_REGISTRY).unwrap() + 1))
        .unwrap();
    assert!(matches!(cached(&home), Err(CacheError::Read { .. })));
}
