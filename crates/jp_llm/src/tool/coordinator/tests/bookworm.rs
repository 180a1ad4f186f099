//! The assistant and a server that people really use: bookworm asks which version is meant, the assistant
//! fills in the structured inquiry, and the tool completes. The program is the real one.

#![expect(
    clippy::disallowed_methods,
    reason = "tests build their own files and start the program that they are about"
)]

use std::{
    fmt::Write as _,
    os::{fd::OwnedFd, unix::net::UnixStream as Socket},
    path::Path,
    process::{Child, Command, Stdio},
};

use jp_mcp::{BoxFuture as McpFuture, Launch, LaunchError, Launched, Process};
use tempfile::TempDir;
use tokio::{io::empty, net::UnixStream};

use super::{servers::scene_of, *};

/// Starts bookworm in a workspace.
#[derive(Debug)]
struct Bookworm {
    workspace: TempDir,
    flags: &'static [&'static str],
}

impl Launch for Bookworm {
    fn launch(&self) -> McpFuture<'_, Result<Launched, LaunchError>> {
        let here = self.workspace.path();
        let (ours, theirs) = Socket::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let child = Command::new(jp_test::find_bin("bookworm"))
            .args(self.flags)
            .arg("--offline")
            .arg("--workspace")
            .arg(here)
            .arg("--cache")
            .arg(here.join("cache"))
            .env("CARGO_HOME", here.join("home"))
            .stdin(Stdio::from(OwnedFd::from(theirs.try_clone().unwrap())))
            .stdout(Stdio::from(OwnedFd::from(theirs)))
            .spawn()
            .unwrap();
        let (stdout, stdin) = UnixStream::from_std(ours).unwrap().into_split();
        let launched = Launched {
            stdin: Box::new(stdin),
            stdout: Box::new(stdout),
            stderr: Box::new(empty()),
            process: Box::new(Running(child)),
            warnings: Vec::new(),
        };
        Box::pin(async { Ok(launched) })
    }
}

/// A program that is gone with this.
struct Running(Child);

impl Process for Running {
    fn stop(self: Box<Self>) -> McpFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that is gone already needs no killing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A workspace that uses two versions of a crate.
fn workspace() -> TempDir {
    let dir = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let sum = "0".repeat(64);
    let mut lock = "version = 4\n\n".to_owned();
    for version in ["1.0.0", "2.0.0"] {
        let at = format!("vendor/paint-{version}");
        let manifest = format!(
            "[package]\nname = \"paint\"\nversion = \"{version}\"\nedition = \"2021\"\nreadme = \"README.md\"\n"
        );
        write(&format!("{at}/Cargo.toml"), &manifest);
        write(&format!("{at}/src/lib.rs"), "//! Paint.\n");
        write(&format!("{at}/README.md"), &format!("# The paint of {version}\n"));
        let sums = json!({ "files": {}, "package": sum }).to_string();
        write(&format!("{at}/.cargo-checksum.json"), &sums);
        let _ = write!(
            lock,
            "[[package]]\nname = \"paint\"\nversion = \"{version}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{sum}\"\n\n"
        );
    }
    lock += "[[package]]\nname = \"studio\"\nversion = \"0.1.0\"\ndependencies = [\n \"paint 1.0.0\",\n \"paint 2.0.0\",\n]\n";
    write("Cargo.lock", &lock);
    write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n",
    );
    write(
        "Cargo.toml",
        "[package]\nname = \"studio\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         old = { package = \"paint\", version = \"1\" }\nnew = { package = \"paint\", version = \"2\" }\n",
    );
    write("src/lib.rs", "");
    dir
}

/// Wants the older version, which is not the default, and keeps what it was asked.
#[derive(Debug, Default)]
struct Assistant(Mutex<Vec<Value>>);

impl InquiryBackend for Assistant {
    fn answer<'a>(&'a self, inquiry: &'a AssistantInquiry) -> BoxFuture<'a, Result<Value, String>> {
        self.0.lock().unwrap().push(inquiry.schema()["properties"]["answer"].clone());
        Box::pin(async { Ok(json!({ "inquiry_id": inquiry.id, "answer": "1.0.0" })) })
    }
}

/// D31-078: under `--jp`, where bookworm asks by an envelope, and without, where it asks by a round.
#[tokio::test]
async fn the_assistant_answers_bookworm() {
    for flags in [&["--jp"][..], &[]] {
        let launch = Arc::new(Bookworm { workspace: workspace(), flags });
        let mut scene = scene_of(launch, "crate_info").await;
        let name: Parameter = serde_json::from_value(json!({ "type": "string" })).unwrap();
        scene.tool.definition.parameters = [("name".to_owned(), name)].into_iter().collect();
        scene.tool.validator = Validator::new(&scene.tool.definition).unwrap();
        let settled = Settled { answer: None, target: QuestionTarget::Assistant };
        scene.tool.settings.questions.insert("version".to_owned(), settled);
        let assistant = Assistant::default();
        let end = scene.call_with(json!({ "name": "paint" }), Some(&assistant)).await;
        let said = text_of(&end);
        assert!(matches!(end, CallEnd::Done(_)), "{flags:?}: {said}");
        assert!(said.contains("# The paint of 1.0.0"), "{flags:?}: {said}");
        let asked = assistant.0.lock().unwrap().clone();
        assert_eq!(asked.len(), 1, "{flags:?}: {asked:?}");
        assert_eq!(asked[0]["enum"], json!(["2.0.0", "1.0.0"]), "{flags:?}: {asked:?}");
        let whole =
            ["tool_call_request", "inquiry_request", "inquiry_response", "tool_call_response"];
        assert_eq!(scene.types(), whole, "{flags:?}");
    }
}
