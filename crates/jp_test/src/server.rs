//! Servers of a test's own: started on a free port or socket, ready when they answer, gone with the test.
//!
//! A server dies with the process that started it, however that ends: `setpriv` asks the kernel for it.
//! One that is missing fails the test: what was not run proves nothing. `cargo xtask test` gets them.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long a server may take until it answers.
const START: Duration = Duration::from_mins(1);
/// Who runs a server that refuses to be run by root.
const NOBODY: u32 = 65_534;
/// The name of the only bucket of an S3 server.
const BUCKET: &str = "jp-test";
/// The server of S3, in Python.
const S3: &str = include_str!("s3.py");

/// A server that can hold the files of a project, and how to open one on it.
#[derive(Debug)]
pub struct Server {
    /// `s3` or `postgresql`.
    pub scheme: &'static str,
    /// What has to be known to use it.
    pub options: BTreeMap<String, String>,
    child: Child,
    _dir: TempDir,
}

impl Server {
    /// The password of the only user of a database.
    pub const PASSWORD: &str = "correct horse battery";

    /// PostgreSQL with one user and the table `jp_files`.
    #[must_use]
    pub fn postgresql() -> Self {
        Self::postgresql_in(private_dir(), &["-c", "listen_addresses="])
    }

    /// The same, but encrypted and on a port; with the file of its certificate.
    #[must_use]
    pub fn postgresql_over_tls() -> (Self, PathBuf) {
        let dir = private_dir();
        let (certificate, key) = (dir.path().join("certificate"), dir.path().join("key"));
        let config = "[req]\ndistinguished_name = name\nx509_extensions = ext\nprompt = no\n\
            [name]\nCN = localhost\n\
            [ext]\nbasicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:localhost\n";
        std::fs::write(dir.path().join("openssl.conf"), config)
            .expect("the system lets a test have it");
        let mut openssl = as_nobody(Path::new("openssl"), dir.path());
        openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]);
        openssl
            .args(["-config", "openssl.conf", "-out"])
            .arg(&certificate)
            .arg("-keyout")
            .arg(&key);
        let output = openssl.output().expect("openssl can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let listener = TcpListener::bind("127.0.0.1:0").expect("the system lets a test have it");
        let port = listener.local_addr().expect("the system lets a test have it").port();
        drop(listener);
        let args = [
            "-p".to_owned(),
            port.to_string(),
            "--ssl=on".to_owned(),
            format!("--ssl_cert_file={}", certificate.display()),
            format!("--ssl_key_file={}", key.display()),
        ];
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut server = Self::postgresql_in(dir, &args);
        let url = format!("postgresql://tester@localhost:{port}/postgres?sslmode=require");
        server.options.insert("url".to_owned(), url);
        (server, certificate)
    }

    fn postgresql_in(dir: TempDir, args: &[&str]) -> Self {
        let bin = postgresql_bin();
        let (data, password) = (dir.path().join("data"), dir.path().join("password"));
        std::fs::write(&password, Self::PASSWORD).expect("the system lets a test have it");
        let mut initdb = as_nobody(&bin.join("initdb"), dir.path());
        initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(&password);
        initdb.args(["--username=tester", "--auth=scram-sha-256", "--no-sync"]);
        initdb.args(["--locale=C", "--encoding=UTF8"]);
        let output = initdb.output().expect("initdb can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut postgres = as_nobody(&bin.join("postgres"), dir.path());
        postgres.arg("-D").arg(&data).arg("-k").arg(dir.path());
        postgres.args(["-c", "fsync=off"]).args(args);
        let log =
            std::fs::File::create(dir.path().join("log")).expect("the system lets a test have it");
        postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = postgres.spawn().expect("postgres can be started");
        let port = args.iter().skip_while(|arg| **arg != "-p").nth(1).unwrap_or(&"5432");
        let dir_name = dir.path().display();
        let url = format!("postgresql:///postgres?user=tester&host={dir_name}&port={port}");
        let options = [("url", url.as_str()), ("password", Self::PASSWORD)];
        let server = Self::new("postgresql", &options, child, dir);
        server.wait_for_table();
        server
    }

    /// S3 with one bucket, in which others have put these keys.
    #[must_use]
    pub fn s3(keys: &[String]) -> Self {
        let python = tools_dir().join("s3/bin/python");
        assert!(python.exists(), "the S3 server is not there: run `cargo xtask test` once");
        let dir = private_dir();
        let log =
            std::fs::File::create(dir.path().join("log")).expect("the system lets a test have it");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(python).args(["-c", S3, BUCKET]).args(keys);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.process_group(0).spawn().expect("setpriv can be started");
        let stdout = child.stdout.take().expect("the system lets a test have it");
        let line = first_line(stdout, "").unwrap_or_default();
        let log = || std::fs::read_to_string(dir.path().join("log"));
        if line.is_empty() {
            let _ = child.kill();
            panic!("the S3 server did not start: {:?}", log());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let endpoint = format!("http://127.0.0.1:{}", words[0]);
        let options = [
            ("endpoint", endpoint.as_str()),
            ("bucket", BUCKET),
            ("region", "us-east-1"),
            ("access_key_id", words[1]),
            ("secret_access_key", words[2]),
        ];
        Self::new("s3", &options, child, dir)
    }

    fn new(scheme: &'static str, options: &[(&str, &str)], child: Child, dir: TempDir) -> Self {
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let options = options.collect();
        Self { scheme, options, child, _dir: dir }
    }

    /// Runs a statement.
    pub fn sql(&self, statement: &str) -> bool {
        let mut psql = Command::new(postgresql_bin().join("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--dbname", &self.options["url"]]);
        psql.args(["--command", statement]).env("PGPASSWORD", Self::PASSWORD);
        psql.output().is_ok_and(|output| output.status.success())
    }

    /// Stops it at once, so that nothing it was doing is finished.
    pub fn kill(&mut self) {
        let pid = Pid::from_child(&self.child);
        // PostgreSQL tidies up at this one, and both end.
        let _ = kill_process(pid, Signal::QUIT);
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn wait_for_table(&self) {
        let table =
            "CREATE TABLE jp_files (key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)";
        let deadline = Instant::now() + START;
        while !self.sql(table) {
            assert!(Instant::now() < deadline, "PostgreSQL does not answer");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The first line that begins with this, if it comes in time. What follows is read and dropped, so
/// that a server which goes on talking never waits for a reader.
pub(crate) fn first_line(stdout: ChildStdout, start: &'static str) -> Option<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        let mut line = String::new();
        while stdout.read_line(&mut line).is_ok_and(|read| read > 0) {
            if line.starts_with(start) {
                // Nobody waits any more if the time is over.
                let _ = sender.send(line);
                let _ = std::io::copy(&mut stdout, &mut std::io::sink());
                return;
            }
            line.clear();
        }
    });
    receiver.recv_timeout(START).ok()
}

/// A directory that the server can use, whoever it runs as.
fn private_dir() -> TempDir {
    let dir = tempfile::Builder::new()
        .prefix("jp-server-")
        .tempdir_in("/tmp")
        .expect("the system lets a test have it");
    if rustix::process::geteuid().is_root() {
        chown(dir.path(), Some(NOBODY), Some(NOBODY)).expect("the system lets a test have it");
    }
    dir
}

fn as_nobody(program: &Path, dir: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if rustix::process::geteuid().is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command.current_dir(dir).process_group(0);
    command
}

/// Where the newest PostgreSQL has its programs.
fn postgresql_bin() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let bins = versions.map(|version| version.path().join("bin"));
    let newest = bins.filter(|bin| bin.join("postgres").exists()).max();
    newest.expect("PostgreSQL is not there: install the package postgresql")
}

/// Where `cargo xtask` installs what the tests need.
pub(crate) fn tools_dir() -> PathBuf {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || var("HOME").expect("there is a home directory").join(".cache");
    var("XDG_CACHE_HOME").unwrap_or_else(home).join("jp-xtask")
}
