//! Where plugins are run to be looked at: confined, and sealed when they describe themselves.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::OwnedFd,
};

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::{FutureExt as _, future::BoxFuture};
use jp_confine::{
    Command, CommandLine, Confiner, Needs, Prepared, Running, Streams, Subject, Word,
};
use jp_plugin_check::{CannotStart, Ended, Program, Started};
use jp_process::{Input, Output};
use jp_sandbox::plan::{Lifetime, Profile};
use jp_tool::access::{AccessPolicy, NetRule};
use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use tokio::io::AsyncWrite;

use crate::{
    cmd::tool::check::{
        bench::{refused, seen_from_here},
        ground::Ground,
    },
    confine,
    ctx::{self, Ctx},
    error::{Error, Result},
    tools,
};

type Begun = std::result::Result<Running, CannotStart>;

/// Where a script finds the file it was started from.
const FILE: &str = "JP_PLUGIN_FILE";

/// Runs one program, again and again.
pub(super) struct Bench<'a> {
    ground: &'a Ground,
    confiner: Confiner,
    /// The file, and what it is when links are followed.
    path: Utf8PathBuf,
    canonical: Utf8PathBuf,
    words: Vec<OsString>,
    /// Files that the command names; they are seen wherever they are.
    files: Vec<Utf8PathBuf>,
    policy: AccessPolicy,
    needs: Needs,
}

/// The same program where it sees itself and the programs of the system, as for `jp -h`.
pub(super) struct Sealed<'a>(pub(super) &'a Bench<'a>);

impl<'a> Bench<'a> {
    pub(super) fn new(ctx: &Ctx, command: &[String], ground: &'a Ground) -> Result<Self> {
        let (words, files) = seen_from_here(ctx, command);
        let Some(program) = words.first() else {
            return Err(Error::usage("no program was named"));
        };
        let (path, canonical) = confine::program(ctx, program.as_ref())?;
        let confiner = confine::strict_confiner(ctx, ground.store.clone())?;
        // A denial that fits no host denies every one.
        let policy =
            AccessPolicy { net: vec![NetRule::new("*", false)], ..AccessPolicy::default() };
        let (words, needs) = (words.into_iter().map(OsString::from).collect(), Needs::default());
        Ok(Self { ground, confiner, path, canonical, words, files, policy, needs })
    }

    /// Fails where the program cannot be confined as a check needs it.
    pub(super) async fn try_out(&self) -> Result {
        let prepared = self.confiner.prepare(self.subject()).await.map_err(refused)?;
        confine::can_keep_apart(&self.confiner, &prepared).await
    }

    async fn start_confined(&self, stdin: Input) -> Begun {
        let prepared = self.confiner.prepare(self.subject()).await.map_err(cannot)?;
        let directory = prepared.directory([self.ground.root.as_path()]).to_owned();
        let line = (self.path.as_path(), self.words.clone(), directory.as_path());
        self.start_prepared(prepared, line, stdin).await
    }

    async fn start_sealed(&self) -> Begun {
        let search = ctx::variable("PATH");
        let words = self.words.iter().enumerate().map(|(place, text)| Word {
            text: if place == 0 { self.path.clone().into() } else { text.clone() },
            literal: true,
        });
        let words: Vec<_> = words.collect();
        let line = CommandLine {
            words: &words,
            search_path: OsStr::new(&search),
            directory: &self.ground.root,
            program_files: &[],
        };
        let parts = jp_confine::resolve(line).map_err(cannot)?;
        let subject = Subject {
            policy: None,
            profile: Some(Profile::Sealed { may_execute_system: true }),
            program: &parts.program,
            program_files: &parts.files,
            ..self.subject()
        };
        let prepared = self.confiner.prepare(subject).await.map_err(cannot)?;
        let line = (parts.path.as_path(), parts.args, parts.directory.as_path());
        self.start_prepared(prepared, line, Input::Pipe).await
    }

    async fn start_prepared(
        &self,
        prepared: Prepared,
        (path, args, directory): (&Utf8Path, Vec<OsString>, &Utf8Path),
        stdin: Input,
    ) -> Begun {
        let extra = vec![(FILE.into(), self.canonical.as_os_str().to_owned())];
        let command = Command { path, args, extra, directory, observe: false, sha256: None };
        let streams = Streams { stdin, stdout: Output::Pipe, stderr: Output::Pipe };
        self.confiner.start(prepared, command, streams).await.map_err(cannot)
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            policy: Some(&self.policy),
            key: "",
            root: &self.ground.root,
            profile: Some(Profile::Workspace),
            lifetime: Lifetime::Call,
            transactional: true,
            needs: &self.needs,
            approved: &[],
            program: &self.canonical,
            program_files: &self.files,
        }
    }
}

impl Program for Bench<'_> {
    fn start(&self) -> BoxFuture<'_, std::result::Result<Started, CannotStart>> {
        async { started(self.start_confined(Input::Pipe).await?) }.boxed()
    }

    fn start_by_hand(&self) -> BoxFuture<'_, std::result::Result<Option<Started>, CannotStart>> {
        async {
            let (keyboard, terminal) = terminal_pair().map_err(cannot)?;
            let running = self.start_confined(Input::Descriptor(terminal)).await?;
            // The keyboard is there as long as the program, and nobody types.
            streams(running, Some(keyboard)).map(Some)
        }
        .boxed()
    }
}

impl Program for Sealed<'_> {
    fn start(&self) -> BoxFuture<'_, std::result::Result<Started, CannotStart>> {
        async { started(self.0.start_sealed().await?) }.boxed()
    }
}

fn cannot(error: impl std::error::Error + 'static) -> CannotStart {
    CannotStart(tools::causes(&error).join(": "))
}

fn started(running: Running) -> std::result::Result<Started, CannotStart> {
    streams(running, None)
}

/// The streams of a program, and its end. Whoever drops the end ends the program. With a keyboard it has no
/// other input.
fn streams(
    mut running: Running,
    keyboard: Option<OwnedFd>,
) -> std::result::Result<Started, CannotStart> {
    let child = &mut running.child;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(CannotStart("the program has no streams".to_owned()));
    };
    let stdin: Box<dyn AsyncWrite + Send + Unpin> = match (child.stdin.take(), &keyboard) {
        (Some(stdin), _) => Box::new(stdin),
        (None, Some(_)) => Box::new(tokio::io::sink()),
        (None, None) => return Err(CannotStart("the program has no input".to_owned())),
    };
    let end = async move {
        let _keyboard = keyboard;
        match running.child.wait().await {
            Ok(exit) => Ended { text: exit.to_string(), is_success: exit.is_success() },
            Err(error) => Ended { text: format!("was lost: {error}"), is_success: false },
        }
    };
    let (stdout, stderr) = (Box::new(stdout), Box::new(stderr));
    Ok(Started { stdin, stdout, stderr, end: end.boxed() })
}

/// Both ends of a terminal: what a person types at, and what a program reads from.
fn terminal_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    // Neither may become the terminal of this program.
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&keyboard)?;
    unlockpt(&keyboard)?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(ptsname(&keyboard, Vec::new())?, flags, Mode::empty())?;
    Ok((keyboard, terminal))
}
