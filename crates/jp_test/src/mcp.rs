//! MCP servers that other people wrote: where they are, how to start them, and one over HTTP.
//!
//! Tests against our own idea of a protocol prove that we agree with ourselves. These programs come
//! from registries of packages, at versions that `crates/jp_test/mcp` freezes with all they use.
//! `cargo xtask test` installs them; one that is missing fails the test and says so.
//!
//! An installation is in a directory named after its list of versions, so that two work trees with
//! different lists do not take each other's programs away.

use std::{
    fs::File,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::server::{first_line, tools_dir};

/// Makes a server listen on a free port of the loopback address, and say which.
const LOOPBACK: &str = include_str!("../mcp/loopback.cjs");
/// The word before the port in what it says.
const LISTENING: &str = "listening ";

/// A set of programs of other people, installed in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kit {
    /// Servers that run on Node.js.
    Servers,
    /// Servers that run on Python.
    Python,
    /// The conformance suite, and a Node.js that is new enough for it.
    Conformance,
}

impl Kit {
    /// The directory in `crates/jp_test/mcp` that says what is in it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Python => "python",
            Self::Conformance => "conformance",
        }
    }

    /// The program that installs it: `npm` or `pip`.
    #[must_use]
    pub const fn installer(self) -> &'static str {
        match self {
            Self::Servers | Self::Conformance => "npm",
            Self::Python => "pip",
        }
    }

    /// Where it is, once it is installed. What is there is complete.
    #[must_use]
    pub fn dir(self) -> Utf8PathBuf {
        let versions = match self {
            Self::Servers => include_str!("../mcp/servers/package-lock.json"),
            Self::Python => include_str!("../mcp/python/requirements.txt"),
            Self::Conformance => include_str!("../mcp/conformance/package-lock.json"),
        };
        let tools = Utf8PathBuf::try_from(tools_dir()).expect("the cache has a UTF-8 path");
        tools.join(format!("mcp-{}-{:016x}", self.name(), fingerprint(versions)))
    }

    /// A file of it. Panics with what to do if it is not installed.
    #[track_caller]
    #[must_use]
    pub fn file(self, path: &str) -> Utf8PathBuf {
        let file = self.dir().join(path);
        assert!(file.exists(), "{file} is not there: run `cargo xtask test` once");
        file
    }
}

/// How to start a server that speaks over its input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The interpreter, by its whole path.
    pub program: Utf8PathBuf,
    /// The server and what it is told.
    pub arguments: Vec<String>,
    /// Variables it is told more with.
    pub variables: Vec<(String, String)>,
    /// What it must be allowed to read so that it can start at all.
    pub reads: Vec<Utf8PathBuf>,
}

impl Program {
    /// Every kind of content, elicitation, progress, resources, tools that come later.
    #[track_caller]
    #[must_use]
    pub fn everything() -> Self {
        Self::node("server-everything", &[])
    }

    /// Files below these directories, or below the roots that a client tells.
    #[track_caller]
    #[must_use]
    pub fn filesystem(dirs: &[&Utf8Path]) -> Self {
        let dirs: Vec<&str> = dirs.iter().map(|dir| dir.as_str()).collect();
        Self::node("server-filesystem", &dirs)
    }

    /// A graph of facts, kept in this file.
    #[track_caller]
    #[must_use]
    pub fn memory(file: &Utf8Path) -> Self {
        let mut program = Self::node("server-memory", &[]);
        program.variables.push(("MEMORY_FILE_PATH".to_owned(), file.to_string()));
        program
    }

    /// The content, the error and the delay that the arguments of a call ask for.
    #[track_caller]
    #[must_use]
    pub fn debug() -> Self {
        Self::node("server-debug", &["--stdio"])
    }

    /// A Git repository. It speaks both eras of the protocol.
    #[track_caller]
    #[must_use]
    pub fn git(repository: &Utf8Path) -> Self {
        Self::python("mcp_server_git", &["--repository", repository.as_str()])
    }

    /// The time here and elsewhere. It speaks both eras of the protocol.
    #[track_caller]
    #[must_use]
    pub fn time() -> Self {
        Self::python("mcp_server_time", &["--local-timezone", "Etc/UTC"])
    }

    /// Pages by their URL. It speaks both eras of the protocol.
    #[track_caller]
    #[must_use]
    pub fn fetch() -> Self {
        // It refuses this machine's own pages, which are all that a test has, and would ask first what
        // robots may read.
        Self::python("mcp_server_fetch", &["--allow-private-ips", "--ignore-robots-txt"])
    }

    /// A database; this one does not know its own library any more and dies as it starts.
    #[track_caller]
    #[must_use]
    pub fn sqlite(database: &Utf8Path) -> Self {
        let start = "import mcp_server_sqlite; mcp_server_sqlite.main()";
        let mut program = Self::python("mcp_server_sqlite", &["--db-path", database.as_str()]);
        program.arguments.splice(..2, ["-c".to_owned(), start.to_owned()]);
        program
    }

    #[track_caller]
    fn node(package: &str, args: &[&str]) -> Self {
        let node = on_path("node");
        let server = Kit::Servers
            .file(&format!("node_modules/@modelcontextprotocol/{package}/dist/index.js"));
        let mut arguments = vec![server.into_string()];
        arguments.extend(args.iter().copied().map(str::to_owned));
        let reads = vec![prefix(&node), Kit::Servers.dir()];
        Self { program: node, arguments, variables: Vec::new(), reads }
    }

    #[track_caller]
    fn python(module: &str, args: &[&str]) -> Self {
        let python = Kit::Python.file("bin/python");
        let mut arguments = vec!["-m".to_owned(), module.to_owned()];
        arguments.extend(args.iter().copied().map(str::to_owned));
        let reads = vec![prefix(&python), Kit::Python.dir()];
        Self { program: python, arguments, variables: Vec::new(), reads }
    }
}

/// A server over streamable HTTP on the loopback address. It ends with this value.
#[derive(Debug)]
pub struct HttpServer {
    /// Where it listens.
    pub url: String,
    child: Child,
    dir: TempDir,
}

impl HttpServer {
    /// [`Program::everything`], over HTTP.
    #[track_caller]
    #[must_use]
    pub fn everything() -> Self {
        let program = Program::everything();
        let dir = TempDir::with_prefix("jp-mcp-").expect("a temporary directory can be made");
        let preload = dir.path().join("loopback.cjs");
        std::fs::write(&preload, LOOPBACK).expect("the directory is empty and writable");
        let log = File::create(dir.path().join("log")).expect("the directory is writable");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", program.program.as_str(), "--require"]);
        command.arg(preload).args(program.arguments).arg("streamableHttp");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).process_group(0);
        let mut child = command.spawn().expect("setpriv can be started");
        let stdout = child.stdout.take().expect("the output is a pipe");
        let line = first_line(stdout, LISTENING);
        let Some(port) = line.as_deref().and_then(|line| line.strip_prefix(LISTENING)) else {
            let _ = child.kill();
            let _ = child.wait();
            panic!(
                "the server did not start: {:?}",
                std::fs::read_to_string(dir.path().join("log"))
            );
        };
        Self { url: format!("http://127.0.0.1:{}/mcp", port.trim()), child, dir }
    }

    /// What it wrote to its standard error.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    /// Stops it at once.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The whole path of a program that the developer has.
#[track_caller]
fn on_path(name: &str) -> Utf8PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|dir| dir.join(name));
    let found =
        files.filter_map(|file| Utf8PathBuf::try_from(file).ok()).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("`{name}` is not there: install Node.js 20 or newer"))
}

/// `/usr` for `/usr/bin/node`: where an interpreter has its own files.
fn prefix(interpreter: &Utf8Path) -> Utf8PathBuf {
    let real = interpreter.canonicalize_utf8().expect("an interpreter is a file");
    let prefix = real.parent().and_then(Utf8Path::parent);
    prefix.unwrap_or(&real).to_owned()
}

/// A short name for a list of versions (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_list_of_versions_is_in_another_place() {
        assert_ne!(fingerprint("a==1\nb==2"), fingerprint("a==1\nb==3"));
        let dirs = [Kit::Servers, Kit::Python, Kit::Conformance].map(Kit::dir);
        assert!(dirs[0] != dirs[1] && dirs[1] != dirs[2] && dirs[2] != dirs[0], "{dirs:?}");
    }

    #[test]
    fn every_server_is_installed() {
        let dir = Utf8Path::new("/tmp");
        let servers = [
            Program::everything(),
            Program::filesystem(&[dir]),
            Program::memory(dir),
            Program::debug(),
            Program::git(dir),
            Program::time(),
            Program::fetch(),
            Program::sqlite(dir),
        ];
        for server in servers {
            assert!(server.program.is_absolute() && server.program.is_file(), "{server:?}");
            assert!(server.reads.iter().all(|dir| dir.is_dir()), "{server:?}");
        }
    }

    #[test]
    fn a_server_listens_on_the_loopback_address_and_ends_with_its_value() {
        let server = HttpServer::everything();
        let address = server.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        assert!(std::net::TcpStream::connect(&address).is_ok());
        drop(server);
        assert!(std::net::TcpStream::connect(&address).is_err());
    }

    #[test]
    #[should_panic(expected = "run `cargo xtask test` once")]
    fn a_missing_file_says_how_to_get_it() {
        let _ = Kit::Servers.file("no/such/file");
    }
}
