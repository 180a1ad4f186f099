//! What the program knows of the world around it: current directory, environment, configuration
//! files, streams, clock. Everything else gets what it needs from here; only questions have a place
//! of their own, `terminal`.
//!
//! What a command does not need is not built: `jp version` reads no configuration file, and the store
//! is opened by the first command that wants a conversation.

#![expect(clippy::disallowed_methods, reason = "this file is where the program looks at the world")]

mod origins;

use std::{
    env, fs,
    io::{self, IsTerminal, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::{Timestamp, tz::TimeZone};
use jp_config::{
    AppConfig, Config, LayerKind, MAX_LAYER_BYTES, Policies,
    style::{ColorDepth as DepthConfig, ColorMode, ControlSequences as SequencesConfig},
};
use jp_plugin_host::look;
use jp_printer::{ColorDepth, ControlSequences, OutputMode, Printer, Settings, StreamSettings};
use jp_sandbox::linux::Waiting;
use jp_workspace::{FsStore, Workspace};
use rustix::fs::OFlags;

pub(crate) use self::origins::Origins;
use crate::{
    args::{Command, Config as ConfigCommand, Format, Global},
    curtain,
    error::{Error, Result},
    log,
    terminal::Terminal,
};

/// What a command works with.
#[derive(Debug)]
pub(crate) struct Ctx {
    cwd: Utf8PathBuf,
    format: Format,
    /// The root of the workspace, if there is one.
    root: Option<Utf8PathBuf>,
    origins: Origins,
    config: Arc<Config>,
    policies: Policies,
    printer: Arc<Printer>,
    /// How many `-v` there were.
    verbosity: u8,
    terminal: Terminal,
    now: Timestamp,
    store: OnceLock<FsStore>,
    /// What starts a plugin that is not confined, made when this program was small.
    waiting: Mutex<Option<Waiting>>,
}

impl Ctx {
    /// Reads the configuration, so that nothing that uses it runs on a broken one.
    pub(crate) fn new(global: &Global, command: &Command) -> Result<Self> {
        let waiting = Mutex::new(waiting(command));
        let cwd = match current_directory(global.directory.as_deref()) {
            // Such a command works where there is no directory any more.
            Err(_) if command.needs_no_config() => Utf8PathBuf::from("."),
            cwd => cwd?,
        };
        log::start(global.verbose, log_file(global, &cwd)?);
        let root =
            (!command.needs_no_workspace()).then(|| Workspace::find_root(&cwd).ok()).flatten();
        tracing::info!(%cwd, ?root, command = command.logged(), "started");
        let origins = Origins::new(global, command, root.as_deref(), &cwd)?;
        let (config, policies) = origins.load(None)?;
        let config = Arc::new(config);
        check_format(global, command)?;
        let printer = Arc::new(printer(global, &config)?);
        print_warnings(&printer, &config)?;
        let terminal = Terminal::new(!global.no_interaction);
        let (format, now, store) = (global.format, Timestamp::now(), OnceLock::new());
        let verbosity = global.verbose;
        Ok(Self {
            cwd,
            format,
            root,
            origins,
            config,
            policies,
            printer,
            verbosity,
            terminal,
            now,
            store,
            waiting,
        })
    }

    /// The configuration without what files of the workspace say.
    pub(crate) fn own_config(&self) -> Result<Arc<Config>> {
        self.origins.load_own(&self.config)
    }

    /// The directory that relative paths are relative to.
    pub(crate) fn cwd(&self) -> &Utf8Path {
        &self.cwd
    }

    /// Where the configuration comes from, to read it again.
    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The same, for whoever keeps it.
    pub(crate) fn shared_config(&self) -> Arc<Config> {
        Arc::clone(&self.config)
    }

    /// What each tool may touch.
    pub(crate) fn policies(&self) -> &Policies {
        &self.policies
    }

    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    /// The same printer, for whoever prints in another thread.
    pub(crate) fn shared_printer(&self) -> Arc<Printer> {
        Arc::clone(&self.printer)
    }

    /// How much is said about what is done: 0 errors, 1 warnings, up to 4 everything.
    pub(crate) fn verbosity(&self) -> u8 {
        self.verbosity.min(4)
    }

    /// Prints one object of `--format json`.
    pub(crate) fn print_json(&self, value: &serde_json::Value) -> Result {
        Ok(self.printer.data(&jp_printer::json_line(value))?)
    }

    pub(crate) fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// The root of the workspace we are in, or an error that says how to make one.
    pub(crate) fn root(&self) -> Result<&Utf8Path> {
        match &self.root {
            Some(root) => Ok(root),
            None => Err(jp_workspace::NotFound(self.cwd.clone()).into()),
        }
    }

    /// The conversations of the workspace.
    pub(crate) fn store(&self) -> Result<&FsStore> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let workspace = Workspace::open(self.root()?)?;
        Ok(self.store.get_or_init(|| FsStore::new(&workspace.storage())))
    }

    /// What starts a plugin that is not confined, for whoever comes first.
    pub(crate) fn take_waiting(&self) -> Option<Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends it, where it is not needed or where nobody knows how long it would have to be there. What is started
    /// later is started without it.
    pub(crate) fn end_waiting(&self) {
        drop(self.take_waiting());
    }

    /// When the program was started; the same moment for everything it does.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }
}

/// Makes what starts a plugin while nothing is open and nothing else runs here, so that it can be a
/// copy of this process. Where that cannot be, one is started when it is needed.
fn waiting(command: &Command) -> Option<Waiting> {
    command.starts_a_program().then(|| Waiting::fork().ok()).flatten()
}

/// The configuration as it is for these options, and without what files of the workspace say: for help,
/// which is there also when there is none.
pub(crate) fn configs(global: &Global) -> Option<(Arc<Config>, Arc<Config>)> {
    let cwd = current_directory(global.directory.as_deref()).ok()?;
    let root = Workspace::find_root(&cwd).ok();
    let origins =
        Origins::new(global, &Command::External(Vec::new()), root.as_deref(), &cwd).ok()?;
    let here = Arc::new(origins.load(None).ok()?.0);
    let own = origins.load_own(&here).ok()?;
    Some((here, own))
}

/// The time zone in which the user reads times.
pub(crate) fn time_zone() -> TimeZone {
    TimeZone::system()
}

/// Whether output is for a person or a program. `auto` is for a person: what goes into a pipe is
/// mostly read by one, and who wants JSON says so.
pub(crate) fn output_mode(global: &Global) -> OutputMode {
    match global.format {
        Format::Json => OutputMode::Json,
        Format::Auto | Format::Text | Format::Toml => OutputMode::Text,
    }
}

fn check_format(global: &Global, command: &Command) -> Result {
    let writes_toml = matches!(command, Command::Config(ConfigCommand::Show(_)));
    if global.format == Format::Toml && !writes_toml {
        return Err(Error::usage("--format toml: only `jp config show` writes TOML"));
    }
    Ok(())
}

/// What a stream can show. Without a configuration, colour follows the terminal alone.
pub(crate) fn stream_settings(stream: &dyn Stream, style: Option<&AppConfig>) -> StreamSettings {
    let is_terminal = stream.is_terminal();
    let mode = style.map_or(ColorMode::Auto, |config| config.style.color);
    let colored = match mode {
        _ if is_set("NO_COLOR") => false,
        ColorMode::Always => true,
        ColorMode::Never => false,
        ColorMode::Auto => is_terminal && variable("TERM") != "dumb",
    };
    let depth = style.map_or(DepthConfig::Auto, |config| config.style.color_depth);
    StreamSettings {
        color: colored.then(|| color_depth(depth)),
        width: if is_terminal { stream.width() } else { None },
    }
}

/// One of the standard streams.
pub(crate) trait Stream {
    fn is_terminal(&self) -> bool;
    fn width(&self) -> Option<usize>;
}

impl<T: IsTerminal + std::os::fd::AsFd> Stream for T {
    fn is_terminal(&self) -> bool {
        IsTerminal::is_terminal(self)
    }

    fn width(&self) -> Option<usize> {
        terminal_size::terminal_size_of(self).map(|(width, _)| usize::from(width.0))
    }
}

fn color_depth(config: DepthConfig) -> ColorDepth {
    match config {
        DepthConfig::Basic => ColorDepth::Ansi16,
        DepthConfig::Palette => ColorDepth::Ansi256,
        DepthConfig::TrueColor => ColorDepth::TrueColor,
        DepthConfig::Auto => match variable("COLORTERM").as_str() {
            "truecolor" | "24bit" => ColorDepth::TrueColor,
            _ if variable("TERM").contains("256") => ColorDepth::Ansi256,
            _ => ColorDepth::Ansi16,
        },
    }
}

fn printer(global: &Global, config: &Config) -> Result<Printer> {
    let app = &config.app;
    let theme = match &app.style.theme {
        None => jp_printer::Theme::default(),
        Some(name) => name.parse().map_err(|error| unknown_theme(config, &error))?,
    };
    let settings = Settings {
        output: output_mode(global),
        quiet: global.quiet,
        stdout: stream_settings(&io::stdout(), Some(app)),
        stderr: stream_settings(&io::stderr(), Some(app)),
        control_sequences: control_sequences(config),
        theme,
        max_width: app.style.markdown.width.map(usize::from),
    };
    Ok(Printer::new(settings, io::BufWriter::new(curtain::stdout()), curtain::stderr()))
}

/// The user may let sequences through. A workspace may not: it can come from anywhere, and would
/// only have to say so to write to the terminal of whoever looks at it.
fn control_sequences(config: &Config) -> ControlSequences {
    let keep = config.app.style.control_sequences == SequencesConfig::Keep;
    let by_workspace = config
        .layer("style.control_sequences")
        .is_some_and(|layer| matches!(layer, LayerKind::Workspace | LayerKind::Directory));
    if keep && by_workspace {
        tracing::warn!(
            "`style.control_sequences` is ignored: only your own settings can keep them"
        );
    }
    if keep && !by_workspace { ControlSequences::Keep } else { ControlSequences::Strip }
}

fn unknown_theme(config: &Config, error: &jp_printer::UnknownTheme) -> Error {
    let place = config.place("style.theme").unwrap_or_default();
    Error::usage(format!("{place}: `style.theme`: {error}"))
        .hint(format!("themes are {}", jp_printer::theme_names().join(", ")))
}

fn print_warnings(printer: &Printer, config: &Config) -> Result {
    if config.warnings().is_empty() {
        return Ok(());
    }
    let color = printer.settings().stderr.color.is_some();
    Ok(printer.print(jp_printer::Print::chrome(&config.warnings().render(color)))?)
}

/// How we came to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It lies where we look. Somebody may have put something else there.
    Automatically,
    /// The user named it; it can be a pipe.
    Named,
}

/// The text of a configuration file; `None` if there is none. One that is there and cannot be read
/// is an error: running without it would be running with other rules.
pub(crate) fn read_config(path: &Utf8Path, found: Found) -> Result<Option<String>> {
    use io::Read as _;

    let failed = |error: io::Error| Error::usage(format!("cannot read {path}: {error}"));
    let mut options = fs::OpenOptions::new();
    options.read(true);
    if found == Found::Automatically {
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let is_of_home =
                found == Found::Automatically && home().is_some_and(|home| path.starts_with(home));
            let error = failed(error);
            return Err(if is_of_home { error.hint(OTHER_HOME) } else { error });
        }
        Err(error) => return Err(failed(error)),
    };
    if found == Found::Automatically {
        jp_workspace::check_owner(path)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(Error::usage(format!("cannot read {path}: not a regular file")));
        }
    }
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to see that it is too much.
    file.take(MAX_LAYER_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Error::usage(format!("{path} is not UTF-8 text: {error}")))
}

/// What is most often the reason that settings cannot be read.
const OTHER_HOME: &str = "if HOME is the directory of another user, set it to one of yours";

/// The directory to work in: the current one, or `-C` from there.
fn current_directory(chosen: Option<&Utf8Path>) -> Result<Utf8PathBuf> {
    let directory = match chosen {
        // Then it does not matter where we are, or whether that place still exists.
        Some(chosen) if chosen.is_absolute() => chosen.to_owned(),
        Some(chosen) => process_directory()?.join(chosen),
        None => return process_directory(),
    };
    let directory = directory.canonicalize_utf8().and_then(|path| {
        if path.is_dir() { Ok(path) } else { Err(io::ErrorKind::NotADirectory.into()) }
    });
    directory.map_err(|error| {
        let chosen = chosen.unwrap_or(Utf8Path::new("."));
        Error::usage(format!("-C {chosen}: {error}"))
    })
}

fn process_directory() -> Result<Utf8PathBuf> {
    let current = env::current_dir().map_err(|error| {
        Error::failure(format!("cannot find the current directory: {error}"))
            .hint("change to a directory that exists, or name one with -C")
    })?;
    Utf8PathBuf::try_from(current).map_err(|error| {
        let path = error.into_path_buf();
        Error::failure(format!(
            "the path of the current directory is not UTF-8: {}",
            path.display()
        ))
        .hint("rename the directory: paths are part of what programs and models exchange as text")
    })
}

fn log_file(global: &Global, cwd: &Utf8Path) -> Result<Option<fs::File>> {
    let Some(path) = &global.log_file else { return Ok(None) };
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(cwd.join(path))
        .map(Some)
        .map_err(|error| Error::usage(format!("--log-file {path}: {error}")))
}

/// The user's configuration directory. A relative one is ignored, as the specification of these
/// variables asks.
pub(crate) fn config_home() -> Option<Utf8PathBuf> {
    let config = Utf8PathBuf::from(variable("XDG_CONFIG_HOME"));
    if config.is_absolute() { Some(config) } else { home().map(|home| home.join(".config")) }
}

/// The user's data directory.
pub(crate) fn data_home() -> Option<Utf8PathBuf> {
    let data = Utf8PathBuf::from(variable("XDG_DATA_HOME"));
    if data.is_absolute() { Some(data) } else { home().map(|home| home.join(".local/share")) }
}

/// The user's home directory, if it is known.
pub(crate) fn home() -> Option<Utf8PathBuf> {
    let home = Utf8PathBuf::from(variable("HOME"));
    home.is_absolute().then_some(home)
}

fn is_set(name: &str) -> bool {
    !variable(name).is_empty()
}

/// Every variable of this program.
pub(crate) fn variables() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    env::vars_os().collect()
}

/// This program, to be executed again. The link stays right when the file is replaced meanwhile.
pub(crate) fn program() -> Result<std::path::PathBuf> {
    let link = std::path::Path::new("/proc/self/exe");
    if link.exists() {
        return Ok(link.to_owned());
    }
    env::current_exe().map_err(|error| Error::failure(format!("cannot find this program: {error}")))
}

/// Where files go that nobody needs later.
pub(crate) fn temp() -> Utf8PathBuf {
    let named = Utf8PathBuf::from(variable("TMPDIR"));
    if named.is_absolute() && named.is_dir() { named } else { "/tmp".into() }
}

/// The user's cache directory.
pub(crate) fn cache_home() -> Option<Utf8PathBuf> {
    let cache = Utf8PathBuf::from(variable("XDG_CACHE_HOME"));
    if cache.is_absolute() { Some(cache) } else { home().map(|home| home.join(".cache")) }
}

/// Where the user keeps what programs remember.
pub(crate) fn state_home() -> Option<Utf8PathBuf> {
    let state = Utf8PathBuf::from(variable("XDG_STATE_HOME"));
    if state.is_absolute() { Some(state) } else { home().map(|home| home.join(".local/state")) }
}

/// The text of a file that the user named with `option`.
pub(crate) fn read_named(path: &Utf8Path, option: &str) -> Result<String> {
    read_config(path, Found::Named)?.ok_or_else(|| Error::usage(format!("{option}: no such file")))
}

/// The text of a file that the user named with `option` and that is not configuration.
pub(crate) fn read_file(path: &Utf8Path, option: &str, most: u64) -> Result<String> {
    let failed = |error: io::Error| Error::usage(format!("{option}: {error}"));
    let file = fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(Error::usage(format!("{option}: more than {most} bytes")));
    }
    Ok(text)
}

/// Makes the directory of a file of the user's own.
pub(crate) fn make_parent(file: &Utf8Path) -> Result {
    let parent = file.parent().unwrap_or(Utf8Path::new("."));
    fs::create_dir_all(parent)
        .map_err(|error| Error::failure(format!("cannot make {parent}: {error}")))
}

/// The checksum of a program that may be run by its name.
pub(crate) fn checksum_of(path: &Utf8Path) -> Result<jp_plugin_registry::Sha256> {
    let sum = look::open(path).and_then(jp_plugin_registry::Sha256::of);
    sum.map_err(|error| Error::failure(format!("cannot read {path}: {error}")))
}

/// Opens what the user named, to be read line by line; `-` is stdin.
pub(crate) fn open_lines(path: &Utf8Path, cwd: &Utf8Path) -> Result<Box<dyn io::BufRead>> {
    if path == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = fs::File::open(cwd.join(path))
        .map_err(|error| Error::usage(format!("cannot read {path}: {error}")))?;
    Ok(Box::new(io::BufReader::new(file)))
}

/// Opens a file that the user named with `option` to add lines to it; nobody else may read a new one.
pub(crate) fn append_to(path: &Utf8Path, cwd: &Utf8Path, option: &str) -> Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let options = options.create(true).append(true).mode(0o600);
    options.open(cwd.join(path)).map_err(|error| Error::usage(format!("{option} {path}: {error}")))
}

/// Makes a file that the user named with `option`, or empties the one there is; nobody else may read a new one.
pub(crate) fn write_to(path: &Utf8Path, cwd: &Utf8Path, option: &str) -> Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let options = options.create(true).write(true).truncate(true).mode(0o600);
    options.open(cwd.join(path)).map_err(|error| Error::usage(format!("{option} {path}: {error}")))
}

pub(crate) fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The first line of a script, which names its interpreter; empty for other files.
pub(crate) fn interpreter(path: &Utf8Path) -> Result<String> {
    let failed = |error: io::Error| Error::failure(format!("cannot read {path}: {error}"));
    let mut start = Vec::new();
    look::open(path).map_err(failed)?.take(256).read_to_end(&mut start).map_err(failed)?;
    let line = start.split(|byte| *byte == b'\n').next().filter(|line| line.starts_with(b"#!"));
    Ok(line.map(|line| String::from_utf8_lossy(line).into_owned()).unwrap_or_default())
}
