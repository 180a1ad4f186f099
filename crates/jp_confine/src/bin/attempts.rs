//! Tries what it is told to, for the test that compares the kernel with the policy.
//!
//! Each line of the standard input is a verb and a path; each is answered by `yes` or `no`. It is the
//! helper of the sandbox too, so that the test needs one program only.

#![expect(clippy::disallowed_methods, reason = "trying what the kernel allows is its purpose")]
#![expect(clippy::print_stdout, reason = "answers go there")]

use std::{
    fs::{self, OpenOptions},
    io::{self, BufRead as _, Write as _},
    process::{Command, ExitCode, Stdio},
};

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|word| word == jp_sandbox::linux::helper::WORD) {
        return jp_sandbox::linux::helper::serve();
    }
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let done = line.split_once(' ').is_some_and(|(verb, path)| attempt(verb, path).is_ok());
        println!("{}", if done { "yes" } else { "no" });
    }
    ExitCode::SUCCESS
}

fn attempt(verb: &str, path: &str) -> io::Result<()> {
    match verb {
        "read" => fs::read(path).map(drop),
        // A directory above something visible can be listed and shows that alone. It is read when it
        // shows what no rule is about.
        "list" => {
            let mut names = fs::read_dir(path)?.flatten().map(|entry| entry.file_name());
            let found = names.any(|name| name == "marker");
            if found { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
        }
        "update" => OpenOptions::new().append(true).open(path)?.write_all(b" updated"),
        "create" => {
            OpenOptions::new().write(true).create_new(true).open(path)?.write_all(path.as_bytes())
        }
        "create-dir" => fs::create_dir(path),
        "delete" => fs::remove_file(path),
        "delete-dir" => fs::remove_dir(path),
        "execute" => {
            let mut command = Command::new(path);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let status = command.status()?;
            if status.success() { Ok(()) } else { Err(io::Error::other("it failed")) }
        }
        _ => Err(io::Error::other("no such verb")),
    }
}
