//! Where plugins are run to be looked at: confined, and sealed when they describe themselves.

use std::ffi::{OsStr, OsString};

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::{FutureExt as _, future::BoxFuture};
use jp_confine::{
    Command, CommandLine, Confiner, Needs, Prepared, Running, Streams, Subject, Word,
};
use jp_plugin_check::{CannotStart, Ended, Program, Started};
use jp_process::{Input, Output};
use jp_sandbox::plan::{Lifetime, Profile};
use jp_tool::access::{AccessPolicy, NetRule};

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
        let confiner = confine::strict_confiner(ctx.config(), ground.store.clone())?;
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

    async fn start_confined(&self) -> Begun {
        let prepared = self.confiner.prepare(self.subject()).await.map_err(cannot)?;
        let directory = prepared.directory([self.ground.root.as_path()]).to_owned();
        self.start_prepared(prepared, (&self.path, self.words.clone(), &directory)).await
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
        self.start_prepared(prepared, (&parts.path, parts.args, &parts.directory)).await
    }

    async fn start_prepared(
        &self,
        prepared: Prepared,
        (path, args, directory): (&Utf8Path, Vec<OsString>, &Utf8Path),
    ) -> Begun {
        let extra = vec![(FILE.into(), self.canonical.as_os_str().to_owned())];
        let command = Command { path, args, extra, directory, observe: false, sha256: None };
        let streams = Streams { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Pipe };
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
        async { started(self.start_confined().await?) }.boxed()
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

/// The streams of a program, and its end. Whoever drops the end ends the program.
fn started(mut running: Running) -> std::result::Result<Started, CannotStart> {
    let child = &mut running.child;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
        return Err(CannotStart("the program has no streams".to_owned()));
    };
    let end = async move {
        match running.child.wait().await {
            Ok(exit) => Ended { text: exit.to_string(), is_success: exit.is_success() },
            Err(error) => Ended { text: format!("was lost: {error}"), is_success: false },
        }
    };
    let (stdin, stdout, stderr) = (Box::new(stdin), Box::new(stdout), Box::new(stderr));
    Ok(Started { stdin, stdout, stderr, end: end.boxed() })
}
