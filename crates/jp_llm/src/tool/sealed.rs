//! Starting a program where it sees nothing but itself.
//!
//! What it may use is for the one who serves its requests to judge, so its rules are not needed here. The
//! danger is in what counts as itself: a word that a model filled in names no file of the program, and no
//! file of the program may show the workspace.

use std::iter;

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, CommandLine, ConfineError, Confiner, Needs, Running, Subject, Word, resolve,
};
use jp_sandbox::{
    confinement::Tier,
    plan::{Lifetime, Profile},
};
use jp_tool::Invocation;

use super::{
    local::{BUNDLED, Machine, SERVE_BUNDLED, StartError, piped},
    template::CommandTemplate,
};

/// What has to be said where it is not.
const NOT_SEALED: &str = "this machine has no sandbox, and `[sandbox] default` is \"off\": the tool is not \
                          sealed and can do by itself what its rules do not grant";

/// A program that runs sealed.
#[derive(Debug, Clone, Copy)]
pub struct SealedProgram<'a> {
    /// Who confines it.
    pub confiner: &'a Confiner,
    /// Where programs are looked for.
    pub machine: &'a Machine,
    /// Where the tool is configured, for messages: `conversation.tools.x`.
    pub key: &'a str,
    /// The root of the workspace, canonical. Relative paths are seen from there, and it is not shown.
    pub root: &'a Utf8Path,
    /// Its command.
    pub template: &'a CommandTemplate,
    /// Files that belong to it beside those that the command names.
    pub program_files: &'a [Utf8PathBuf],
}

impl SealedProgram<'_> {
    /// Starts it for this invocation; all its streams are pipes. Also gives what there is to warn of.
    pub async fn start(
        &self,
        invocation: &Invocation,
    ) -> Result<(Running, Vec<String>), StartError> {
        let words = self.words(invocation)?;
        let parts = resolve(CommandLine {
            words: &words,
            search_path: &self.machine.search,
            directory: self.root,
            program_files: self.program_files,
        })?;
        // A link may lead anywhere, and a directory shows everything below it.
        if let Some(wide) = parts.files.iter().find(|file| self.root.starts_with(file)) {
            return Err(StartError::ShowsAll(wide.clone()));
        }
        let machine = self.confiner.machine().await.map_err(ConfineError::from)?;
        // Where nothing can be sealed it runs only for who wants no sandbox anyway.
        let is_open = machine.tier() == Tier::None && self.confiner.profile() == Profile::Off;
        let sealed = Profile::Sealed { may_execute_system: false };
        let profile = if is_open { Profile::Off } else { sealed };
        let subject = Subject {
            policy: None,
            key: self.key,
            root: self.root,
            profile: Some(profile),
            lifetime: Lifetime::Call,
            transactional: false,
            needs: &Needs::default(),
            approved: &[],
            program: &parts.program,
            program_files: &parts.files,
        };
        let prepared = self.confiner.prepare(subject).await?;
        let mut warnings: Vec<_> = prepared.warning.iter().cloned().collect();
        if is_open {
            warnings.push(NOT_SEALED.to_owned());
        }
        let command = Command {
            path: &parts.path,
            args: parts.args,
            extra: Vec::new(),
            directory: &parts.directory,
            observe: false,
            sha256: None,
        };
        Ok((self.confiner.start(prepared, command, piped()).await?, warnings))
    }

    /// The words of the command, each with whether it stands in the configuration.
    fn words(&self, invocation: &Invocation) -> Result<Vec<Word>, StartError> {
        let rendered = self.template.render(invocation)?;
        let is_bundled = rendered.program == BUNDLED;
        let written: Vec<_> = self.template.literal_words().collect();
        let word = |text: String| {
            let literal = written.contains(&text.as_str());
            Word { text: text.into(), literal }
        };
        let program = if is_bundled { self.machine.jp.to_string() } else { rendered.program };
        let program = Word { text: program.into(), literal: true };
        let serve = is_bundled.then(|| Word { text: SERVE_BUNDLED.into(), literal: false });
        Ok(iter::once(program).chain(serve).chain(rendered.args.into_iter().map(word)).collect())
    }
}
