//! The files of a new tool, in each language. Their texts are files beside this one, with `__NAME__`
//! where the name of the tool belongs.

#![expect(
    clippy::disallowed_methods,
    reason = "whether a directory is the crate is looked up here"
)]

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    args::{Language, ToolNew, ToolRuntime},
    cmd::scaffold::{self, File},
    ctx::Ctx,
    error::{Error, Result},
};

const PYTHON: &str = include_str!("tool.py");
const SHELL: &str = include_str!("tool.sh");
const JS: &str = include_str!("tool.js");
const RUST_PLAIN: &str = include_str!("plain.rs.txt");
const RUST_SDK: &str = include_str!("sdk.rs.txt");
const SEALED_PYTHON: &str = include_str!("sealed.py");
const SEALED_SHELL: &str = include_str!("sealed.sh");
const SEALED_JS: &str = include_str!("sealed.js");
const SEALED_RUST: &str = include_str!("sealed.rs.txt");

/// What `__NAME__` stands for is the name of the tool.
const NAME: &str = "__NAME__";

/// A tool before it is written.
#[derive(Debug)]
pub(super) struct Project {
    name: String,
    language: Language,
    files: Vec<File>,
}

impl Project {
    pub(super) fn new(ctx: &Ctx, args: &ToolNew) -> Result<Self> {
        let name = args.name.clone();
        let script = |extension: &str, text: &str| File {
            path: Utf8PathBuf::from(format!("{name}.{extension}")),
            text: text.replace(NAME, &name),
            is_program: true,
        };
        let is_sealed = args.runtime == ToolRuntime::Vfs;
        let one = |plain, sealed| if is_sealed { sealed } else { plain };
        let files = match args.lang {
            Language::Python => vec![script("py", one(PYTHON, SEALED_PYTHON))],
            Language::Shell => vec![script("sh", one(SHELL, SEALED_SHELL))],
            Language::Js => vec![script("js", one(JS, SEALED_JS))],
            Language::Rust => rust(&name, sdk(ctx, args)?.as_deref(), one(RUST_SDK, SEALED_RUST)),
        };
        Ok(Self { name, language: args.lang, files })
    }

    /// What is executed, in the directory that everything is written to.
    pub(super) fn program(&self) -> Utf8PathBuf {
        let name = &self.name;
        match self.language {
            Language::Rust => format!("{name}/target/release/{name}").into(),
            _ => self.files[0].path.clone(),
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Utf8Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// How it is built, if it has to be.
    pub(super) fn build(&self, dir: &Utf8Path) -> Option<String> {
        let manifest = dir.join(&self.name).join("Cargo.toml");
        let manifest = shell_words::quote(manifest.as_str()).into_owned();
        let line = format!("cargo build --release --manifest-path {manifest}");
        (self.language == Language::Rust).then_some(line)
    }

    /// Fails if something of it is there already.
    pub(super) fn check_free(&self, dir: &Utf8Path) -> Result {
        scaffold::check_free(&self.files, dir)
    }

    pub(super) fn write(&self, dir: &Utf8Path) -> Result {
        scaffold::write(&self.files, dir)
    }
}

/// Where the crate for tools is, if the tool is to be built on it. It is not published, so there has to
/// be a checkout.
fn sdk(ctx: &Ctx, args: &ToolNew) -> Result<Option<Utf8PathBuf>> {
    let Some(named) = &args.jp_tool else { return Ok(None) };
    let path = ctx.cwd().join(named).canonicalize_utf8();
    let path = path.map_err(|error| Error::usage(format!("--jp-tool {named}: {error}")))?;
    let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    if !manifest.lines().any(|line| line.trim() == "name = \"jp_tool\"") {
        let hint = "name the directory crates/jp_tool of a checkout";
        return Err(Error::usage(format!("--jp-tool {named}: not the crate jp_tool")).hint(hint));
    }
    Ok(Some(path))
}

fn rust(name: &str, sdk: Option<&Utf8Path>, on_sdk: &'static str) -> Vec<File> {
    let (dependencies, main) = match sdk {
        Some(path) => {
            let path = serde_json::Value::from(path.as_str());
            let lines = format!(
                "jp_tool = {{ path = {path} }}\nschemars = \"1\"\nserde = {{ version = \"1\", \
                 features = [\"derive\"] }}\n"
            );
            (lines, on_sdk)
        }
        None => ("serde_json = \"1\"\n".to_owned(), RUST_PLAIN),
    };
    // The last table keeps a workspace around it from claiming the project.
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = \
         false\n\n[dependencies]\n{dependencies}\n[workspace]\n"
    );
    let file = |path: &str, text: String| File {
        path: Utf8Path::new(name).join(path),
        text,
        is_program: false,
    };
    vec![
        file("Cargo.toml", manifest),
        file("src/main.rs", main.replace(NAME, name)),
        file(".gitignore", "/target\n".to_owned()),
    ]
}
