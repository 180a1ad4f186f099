//! What is kept of a login is for its owner, whole, and not printed.

use tempfile::TempDir;

use super::*;

fn kept() -> Kept {
    Kept {
        server: "https://a.org".to_owned(),
        issuer: "https://b.org".to_owned(),
        client: "c".to_owned(),
        client_secret: Some("hidden1".to_owned()),
        access_token: Some("hidden2".to_owned()),
        refresh_token: Some("hidden3".to_owned()),
        scopes: vec!["x".to_owned()],
        wanted: Vec::new(),
        received: now(),
        lasts: Some(3600),
    }
}

fn place() -> (TempDir, Utf8PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(directory.path().join("state/tokens")).unwrap();
    (directory, path)
}

fn mode(path: &Utf8PathBuf) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn a_login_is_for_its_owner_and_its_server_alone() {
    let (_guard, place) = place();
    let store = Store::new(Some(&place), "", "https://a.org/mcp");
    assert_eq!(store.read().unwrap(), None);
    store.write(&kept()).unwrap();
    assert_eq!(store.read().unwrap(), Some(kept()));
    assert_eq!((mode(store.file.as_ref().unwrap()), mode(&place)), (0o600, 0o700));
    for (owner, server) in [("", "https://a.org/other"), ("/w", "https://a.org/mcp")] {
        assert_eq!(Store::new(Some(&place), owner, server).read().unwrap(), None);
    }
    assert!(store.remove().unwrap());
    assert!(!store.remove().unwrap());
    assert_eq!(store.read().unwrap(), None);
}

#[test]
fn a_directory_that_others_can_enter_is_closed() {
    let (_guard, place) = place();
    fs::create_dir_all(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    Store::new(Some(&place), "", "a").write(&kept()).unwrap();
    assert_eq!(mode(&place), 0o700);
}

#[test]
fn what_others_can_read_or_what_is_damaged_is_not_used() {
    let (_guard, place) = place();
    let store = Store::new(Some(&place), "", "a");
    store.write(&kept()).unwrap();
    let file = store.file.clone().unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("others can read it"), "{error}");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "{\"access_token\": \"hidden2\", \"received\": \"hidden2\"}").unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("damaged") && !error.contains("hidden"), "{error}");

    fs::rename(&file, place.join("other")).unwrap();
    std::os::unix::fs::symlink(place.join("other"), &file).unwrap();
    assert!(store.read().is_err(), "a link was followed");
}

#[test]
fn secrets_are_not_printed() {
    assert!(!format!("{:?}", kept()).contains("hidden"));
}

#[test]
fn a_token_is_used_until_shortly_before_its_end() {
    let made = |ago: u64, lasts| Kept { received: now() - ago, lasts, ..kept() };
    assert!(made(0, Some(3600)).token().is_some());
    assert!(made(3580, Some(3600)).token().is_none());
    assert!(made(3580, Some(3600)).any_token().is_some());
    assert!(made(0, Some(4)).token().is_some());
    assert!(made(0, Some(0)).token().is_none());
    assert!(made(1_000_000, None).token().is_some());
    assert!(made(0, Some(u64::MAX)).token().is_some());
}

#[tokio::test]
async fn one_process_renews_at_a_time() {
    let (_guard, place) = place();
    let store = Store::new(Some(&place), "", "a");
    let first = store.lock().await.unwrap();
    let other = Store::new(Some(&place), "", "a");
    let wait = Duration::from_millis(200);
    assert!(tokio::time::timeout(wait, other.lock()).await.is_err());
    drop(first);
    assert!(tokio::time::timeout(Duration::from_secs(5), other.lock()).await.is_ok());
}
