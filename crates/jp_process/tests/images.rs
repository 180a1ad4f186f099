//! What was looked at is what is executed, or nothing is.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "tests make their own programs")]

mod common;

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use common::{LONG, TIERS, World, confinement};
use jp_process::{Bounds, Image, Spawn, SpawnError, finish};
use jp_sandbox::confinement::{Program, Tier};

const SCRIPT: &str = "#!/bin/sh\necho one \"$1\"\n";

/// A directory with a program of our own, as a script and as a file that the kernel runs by itself.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn binary(&self) -> PathBuf {
        let path = self.0.path().join("binary");
        fs::copy("/bin/echo", &path).unwrap();
        path
    }
}

fn spawn(tier: Tier, image: Image, words: &[&str]) -> Spawn {
    let program = Program {
        path: PathBuf::new(),
        args: words.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        directory: "/".into(),
        file: None,
    };
    Spawn::new(program, confinement(tier)).piped().executing(image)
}

async fn said(world: &World, spawn: Spawn) -> Result<String, SpawnError> {
    let child = world.host.spawn(spawn).await?;
    let bounds = Bounds { time: Some(LONG), ..Bounds::default() };
    let finished = finish(child, Vec::new(), bounds, std::future::pending()).await.unwrap();
    Ok(String::from_utf8(finished.stdout.bytes).unwrap())
}

#[tokio::test]
async fn what_was_opened_is_executed() {
    let (world, place) = (World::new(), Place::new());
    for tier in TIERS {
        let image = Image::open(place.binary()).unwrap();
        assert_eq!(said(&world, spawn(tier, image, &["echo", "a b"])).await.unwrap(), "a b\n");
        // The interpreter finds the script by its descriptor.
        let image = Image::open(place.script("script", SCRIPT)).unwrap();
        let found = said(&world, spawn(tier, image, &["script", "word"])).await;
        assert_eq!(found.unwrap(), "one word\n", "{tier:?}");
    }
}

/// A script is read by its descriptor alone, whatever its name leads to by then.
#[tokio::test]
async fn a_script_does_not_depend_on_its_name() {
    let (world, place) = (World::new(), Place::new());
    let path = place.script("script", "#!/bin/sh\necho \"$0\"; cat \"$0\"\n");
    for tier in TIERS {
        let image = Image::open(&path).unwrap();
        let output = said(&world, spawn(tier, image, &["script"])).await.unwrap();
        assert!(output.starts_with("/dev/fd/") && output.contains("#!/bin/sh"), "{output}");
    }
}

#[tokio::test]
async fn another_file_is_not_executed() {
    let (world, place) = (World::new(), Place::new());
    let replace = |path: &Path| {
        let other = place.script("other", &SCRIPT.replace("one", "two"));
        fs::rename(other, path).unwrap();
    };
    let rewrite = |path: &Path| fs::write(path, SCRIPT.replace("one", "two")).unwrap();
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let changes: [&dyn Fn(&Path); 3] = [&replace, &rewrite, &remove];
    for tier in TIERS {
        for change in changes {
            let path = place.script("script", SCRIPT);
            let image = Image::open(&path).unwrap();
            change(&path);
            let error = said(&world, spawn(tier, image, &["script"])).await.unwrap_err();
            assert!(matches!(error, SpawnError::Changed { .. }), "{tier:?}: {error:?}");
        }
    }
}

#[test]
fn the_sum_is_that_of_the_bytes() {
    let place = Place::new();
    let image = Image::open(place.script("script", "abc")).unwrap();
    let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(image.sha256().unwrap(), sum);
    place.script("script", "abcd");
    assert!(image.sha256().is_err() && !image.is_unchanged());
    assert!(Image::open(place.0.path()).is_err());
    assert!(Image::open(place.0.path().join("nothing")).is_err());
}
