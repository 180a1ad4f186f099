//! `jp tool new`: a small tool to start from.
//!
//! Everything that could be in the way is looked for before anything is written, and a file that exists
//! is never touched: each is opened as one that must be new. The configuration is only added to, at its
//! end, after it was tried whether the result can be read.

mod project;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{Config, Layer, ToolTable};
use jp_printer::Print;
use jp_workspace::Workspace;
use serde_json::{Map, json};

use self::project::Project;
use crate::{
    args::{Language, ToolNew, ToolRuntime},
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) fn run(ctx: &Ctx, args: &ToolNew) -> Result {
    check(ctx, args)?;
    let dir = tidy(&ctx.cwd().join(args.dir.as_deref().unwrap_or(Utf8Path::new("."))));
    let project = Project::new(ctx, args)?;
    project.check_free(&dir)?;
    let table = table(ctx, args, &dir.join(project.program()));
    let registration = args.register.then(|| Registration::new(ctx, &table)).transpose()?;
    project.write(&dir)?;
    if let Some(registration) = &registration {
        registration.write()?;
    }
    report(ctx, args, &project, &dir, &table)
}

fn check(ctx: &Ctx, args: &ToolNew) -> Result {
    let name = &args.name;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if !begins || !name.chars().all(is_plain) || name.len() > 64 {
        return Err(Error::usage(format!("{name:?} is no name for a tool"))
            .hint("use letters, digits and underscores, a letter first, at most 64 of them"));
    }
    if args.lang == Language::Rust && RESERVED.split(' ').any(|taken| taken == name) {
        return Err(Error::usage(format!("a Rust program cannot be called `{name}`")));
    }
    if args.jp_tool.is_some() && args.lang != Language::Rust {
        return Err(Error::usage("--jp-tool is for --lang rust"));
    }
    if is_sealed(args) && args.lang == Language::Rust && args.jp_tool.is_none() {
        return Err(Error::usage("a sealed tool in Rust is built on the crate `jp_tool`")
            .hint("name the directory crates/jp_tool of a checkout with --jp-tool"));
    }
    // With rules for a tool of this name somebody else's program would get them.
    if args.register && ctx.config().app.conversation.tools.get(name).is_some() {
        return Err(Error::usage(format!("there is a tool `{name}` already"))
            .hint(format!("`jp tool show {name}` says what it is; choose another name")));
    }
    Ok(())
}

/// Names that Cargo does not take for a program.
const RESERVED: &str = "\
    abstract alloc as async await become box break build const continue core crate deps do dyn \
    else enum examples extern false final fn for gen if impl in incremental let loop macro \
    match mod move mut override priv proc_macro pub ref return self Self static std struct \
    super test trait true try type typeof unsafe unsized use virtual where while";

/// The table that makes the program a tool.
fn table(ctx: &Ctx, args: &ToolNew, program: &Utf8Path) -> ToolTable {
    // A program in the workspace is named from its root, so that the file can be shared.
    let below = ctx.root().ok().and_then(|root| program.strip_prefix(root).ok());
    let path = below.map_or_else(|| program.to_owned(), |below| Utf8Path::new(".").join(below));
    let path = tidy(&path);
    let command = shell_words::quote(path.as_str()).into_owned();
    let keys = [("source", json!("local")), ("command", json!(command))];
    let runtime = is_sealed(args).then(|| ("runtime", json!("vfs")));
    let keys = keys.into_iter().chain(runtime);
    let keys: Map<_, _> = keys.map(|(key, value)| (key.to_owned(), value)).collect();
    ToolTable { name: args.name.clone(), remark: String::new(), keys }
}

fn is_sealed(args: &ToolNew) -> bool {
    args.runtime == ToolRuntime::Vfs
}

/// The same path without the `.` in it that come from joining, apart from the first.
fn tidy(path: &Utf8Path) -> Utf8PathBuf {
    let is_relative = path.is_relative();
    let inner: Utf8PathBuf = path.components().filter(|part| part.as_str() != ".").collect();
    if is_relative { Utf8PathBuf::from(format!("./{inner}")) } else { inner }
}

/// What is to be added to the configuration of the workspace.
struct Registration {
    root: Utf8PathBuf,
    before: String,
    addition: String,
}

impl Registration {
    fn new(ctx: &Ctx, table: &ToolTable) -> Result<Self> {
        let root = ctx.root()?.to_owned();
        let before = Workspace::read_config(&root)?;
        let gap = match before.as_str() {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        let addition = format!("{gap}{}", table.to_toml());
        let after = format!("{before}{addition}");
        if let Err(errors) = Config::load(vec![Layer::workspace(".jp/config.toml", after)]) {
            tracing::debug!("{}", errors.render(false));
            return Err(Error::usage("the table cannot be added at the end of .jp/config.toml")
                .hint("run it without --register, and put what it prints where it belongs"));
        }
        Ok(Self { root, before, addition })
    }

    fn write(&self) -> Result {
        Ok(Workspace::append_config(&self.root, &self.before, &self.addition)?)
    }
}

fn report(
    ctx: &Ctx,
    args: &ToolNew,
    project: &Project,
    dir: &Utf8Path,
    table: &ToolTable,
) -> Result {
    let shown = |path: Utf8PathBuf| {
        let path = tidy(&path);
        path.strip_prefix(ctx.cwd()).map(Utf8Path::to_owned).unwrap_or(path)
    };
    let files: Vec<_> = project.files().map(|file| shown(dir.join(file))).collect();
    if ctx.is_json() {
        let toml = table.to_toml();
        return ctx.print_json(&json!({
            "name": args.name, "files": files, "toml": toml, "registered": args.register,
        }));
    }
    let list: String = files.iter().map(|file| format!("  {file}\n")).collect();
    let build = project.build(&shown(dir.to_owned()));
    let build = build.map(|line| format!("Build it:  {line}\n")).unwrap_or_default();
    let program = tidy(&Utf8Path::new(".").join(shown(dir.join(project.program()))));
    let program = shell_words::quote(program.as_str()).into_owned();
    let sealed = if is_sealed(args) { "--runtime vfs " } else { "" };
    let text = format!("Made:\n{list}\n{build}Check it:  jp tool check {sealed}-- {program}\n");
    ctx.printer().print(Print::chrome(&text))?;
    if args.register {
        let text = format!("Added to .jp/config.toml. Call it: jp tool run {}\n", args.name);
        return Ok(ctx.printer().print(Print::chrome(&text))?);
    }
    ctx.printer().print(Print::chrome("\nAdd to .jp/config.toml:\n\n"))?;
    Ok(ctx.printer().print(Print::content(&table.to_toml()))?)
}
