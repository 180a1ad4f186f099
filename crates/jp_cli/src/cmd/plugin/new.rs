//! `jp plugin new`: a small plugin to start from.
//!
//! A script has the helper of its language in it, as `examples/plugins` shows it: a plugin is one file.

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::{CommandPath, PREFIX};
use jp_printer::Print;
use serde_json::{Value, json};

use crate::{
    args::{PluginLanguage, PluginNew},
    cmd::scaffold::{self, File},
    ctx::{self, Ctx},
    error::{Error, Result},
    plugins::BuiltIns,
};

const PYTHON: &str = include_str!("new/plugin.py");
const SHELL: &str = include_str!("new/plugin.sh");
const RUST_PLAIN: &str = include_str!("new/plain.rs.txt");
const RUST_SDK: &str = include_str!("new/sdk.rs.txt");
const PYTHON_HELPER: &str = include_str!("../../../../../examples/plugins/jp_plugin.py");
const SHELL_HELPER: &str = include_str!("../../../../../examples/plugins/jp-plugin.sh");

pub(crate) fn run(ctx: &Ctx, args: &PluginNew) -> Result {
    if args.jp_plugin_sdk.is_some() && args.lang != PluginLanguage::Rust {
        return Err(Error::usage("--jp-plugin-sdk is for --lang rust"));
    }
    if let Some(own) = BuiltIns::new().covering(&args.name) {
        let message =
            format!("`jp {}` would never be reached: `jp {own}` is a command of jp", args.name);
        return Err(Error::usage(message).hint("choose another name"));
    }
    let dir = ctx.cwd().join(args.dir.as_deref().unwrap_or(Utf8Path::new("")));
    let file = args.name.file_name();
    let files = match args.lang {
        PluginLanguage::Python => vec![script(&args.name, PYTHON, PYTHON_HELPER)],
        PluginLanguage::Shell => vec![script(&args.name, SHELL, SHELL_HELPER)],
        PluginLanguage::Rust => rust(&args.name, sdk(ctx, args)?.as_deref()),
    };
    scaffold::check_free(&files, &dir)?;
    scaffold::write(&files, &dir)?;
    let program = match args.lang {
        PluginLanguage::Rust => format!("{file}/target/release/{file}"),
        PluginLanguage::Python | PluginLanguage::Shell => file,
    };
    report(ctx, args, &files, &dir.join(program))
}

/// The text of a file, with everything in its place that is different for every plugin.
fn fill(name: &CommandPath, text: &str) -> String {
    let words: String = name.words().iter().map(|word| format!("{word:?}, ")).collect();
    let file = name.file_name();
    let id = file.strip_prefix(PREFIX).unwrap_or(&file);
    text.replace("__COMMAND__", &name.to_string())
        .replace("__WORDS__", words.trim_end_matches(", "))
        .replace("__FILE__", &file)
        .replace("__NAME__", id)
}

fn script(name: &CommandPath, text: &str, helper: &str) -> File {
    let text = fill(name, text).replace("# __HELPER__\n", helper);
    File { path: name.file_name().into(), text, is_program: true }
}

/// Where the crate for plugins is, if the plugin is to be built on it. It is not published, so there has
/// to be a checkout.
fn sdk(ctx: &Ctx, args: &PluginNew) -> Result<Option<Utf8PathBuf>> {
    let Some(named) = &args.jp_plugin_sdk else { return Ok(None) };
    let wrong = |why: &str| Error::usage(format!("--jp-plugin-sdk {named}: {why}"));
    let path = ctx.cwd().join(named).canonicalize_utf8();
    let path = path.map_err(|error| wrong(&error.to_string()))?;
    let manifest = ctx::read_file(&path.join("Cargo.toml"), "--jp-plugin-sdk", 1 << 20)?;
    if !manifest.lines().any(|line| line.trim() == "name = \"jp_plugin_sdk\"") {
        return Err(wrong("not the crate jp_plugin_sdk")
            .hint("name the directory crates/jp_plugin_sdk of a checkout"));
    }
    Ok(Some(path))
}

fn rust(name: &CommandPath, sdk: Option<&Utf8Path>) -> Vec<File> {
    let (dependencies, main) = match sdk {
        Some(path) => {
            let path = Value::from(path.as_str());
            (format!("jp_plugin_sdk = {{ path = {path} }}\n"), RUST_SDK)
        }
        None => ("serde_json = \"1\"\n".to_owned(), RUST_PLAIN),
    };
    let directory = name.file_name();
    // The last table keeps a workspace around it from claiming the project.
    let manifest = format!(
        "[package]\nname = \"{directory}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = \
         false\n\n[dependencies]\n{dependencies}\n[workspace]\n"
    );
    let file = |path: &str, text: String| File {
        path: Utf8Path::new(&directory).join(path),
        text,
        is_program: false,
    };
    vec![
        file("Cargo.toml", manifest),
        file("src/main.rs", fill(name, main)),
        file(".gitignore", "/target\n".to_owned()),
    ]
}

fn report(ctx: &Ctx, args: &PluginNew, files: &[File], program: &Utf8Path) -> Result {
    let shown = |path: &Utf8Path| path.strip_prefix(ctx.cwd()).unwrap_or(path).to_owned();
    let dir = args.dir.as_deref().unwrap_or(Utf8Path::new(""));
    let paths: Vec<_> = files.iter().map(|file| dir.join(&file.path)).collect();
    let program = shown(program);
    if ctx.is_json() {
        let command = args.name.to_string();
        let told = json!({ "command": command, "files": paths, "program": program });
        return ctx.print_json(&told);
    }
    let list: String = paths.iter().map(|path| format!("  {path}\n")).collect();
    let quoted = |path: &Utf8Path| {
        let path = if path.is_absolute() { path.to_string() } else { format!("./{path}") };
        shell_words::quote(&path).into_owned()
    };
    let build = (args.lang == PluginLanguage::Rust).then(|| {
        let manifest = quoted(&paths[0]);
        format!("Build it:  cargo build --release --manifest-path {manifest}\n")
    });
    let text = format!(
        "Made:\n{list}\n{}Check it:  jp plugin check -- {}\nRun it:    put it into a directory of \
         $PATH, then jp {}\n",
        build.unwrap_or_default(),
        quoted(&program),
        args.name,
    );
    Ok(ctx.printer().print(Print::chrome(&text))?)
}
