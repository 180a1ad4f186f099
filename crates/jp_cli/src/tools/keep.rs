//! Keeping a yes: the rule that allows what a person has just allowed, written into the configuration.
//!
//! A rule that says more than the person meant is worse than another question. So the rule is the one that
//! `jp tool explain` suggests, which is as narrow as the question and repeats what holds already; a change
//! that would open something else is left to the person. Before a file is touched the whole configuration is
//! loaded with its new text: what was asked for has to be allowed then, and nothing but the rules of this tool
//! may be different. The file is replaced at once, and only if it still is what was looked at.

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{AppConfig, Config, Policies};
use jp_tool::access::{NetRule, NetTarget};
use jp_workspace::{WorkspaceError, replace_settings};

use crate::{
    cmd::tool::explain::{Answer, Asked, Subject, Suggestion, Verdict, exactly},
    ctx::Origins,
    error::{Error, Result},
};

/// Writes rules.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    origins: Origins,
    home: Option<Utf8PathBuf>,
}

/// What is to be allowed from now on.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) asked: Asked,
    /// For a URL, the rule that the person was shown.
    pub(crate) rule: Option<NetRule>,
}

/// What there is to do.
#[derive(Debug)]
pub(crate) enum Planned {
    /// A rule can be written.
    Write(Plan),
    /// It is allowed by now.
    Nothing,
    /// Only a person should do this. The text says what and why.
    ByHand(String),
}

/// A rule that can be written.
#[derive(Debug)]
pub(crate) struct Plan {
    file: Utf8PathBuf,
    before: String,
    after: String,
    /// The file as the user would write it here.
    pub(crate) place: String,
    /// The key that is changed.
    pub(crate) key: String,
    /// What is put there, in TOML.
    pub(crate) lines: Vec<String>,
    /// What else it does.
    pub(crate) notes: Vec<String>,
}

/// How often a file may change between looking at it and writing it.
const ATTEMPTS: usize = 5;

impl Keeper {
    pub(crate) fn new(origins: Origins, home: Option<Utf8PathBuf>) -> Self {
        Self { origins, home }
    }

    /// Finds out what to write.
    pub(crate) fn plan(&self, tool: &str, wish: &Wish) -> Result<Planned> {
        let (config, _) = self.origins.load(None)?;
        let key = format!("{}.source", config.tool_key(tool));
        let file = self.origins.file_of(&config, &key);
        let file = file.ok_or_else(|| Error::usage("there is no workspace to keep a rule in"))?;
        let before = Origins::text_of(file)?;
        // What was read and what is judged are the same text.
        let old = self.origins.load(Some((file, &before)))?;
        let answer = self.answer(&old, tool, &wish.asked)?;
        if answer.verdict == Verdict::Allowed {
            return Ok(Planned::Nothing);
        }
        if let Some(pattern) = &answer.sensitive {
            return Ok(Planned::ByHand(format!(
                "It is sensitive (`{pattern}`): a person is asked once per run, whatever the rules \
                 say.\n"
            )));
        }
        let why = answer.why.clone();
        let Some(suggestion) = self.suggestion(&old, tool, wish, answer)? else {
            return Ok(Planned::ByHand(format!("No rule can allow it: {why}.\n")));
        };
        let Some(edit) = suggestion.edit().filter(|_| !suggestion.is_wider()) else {
            return Ok(Planned::ByHand(suggestion.to_text()));
        };
        let Ok(after) = edit.apply(&before) else {
            return Ok(Planned::ByHand(suggestion.to_text()));
        };
        if !self.is_right(&old.0, (file, &after), tool, &wish.asked) {
            return Ok(Planned::ByHand(suggestion.to_text()));
        }
        let (key, lines) = suggestion.lines();
        Ok(Planned::Write(Plan {
            file: file.to_owned(),
            place: self.origins.shown(file).to_string(),
            key: key.to_owned(),
            lines: lines.to_vec(),
            notes: suggestion.notes().to_vec(),
            before,
            after,
        }))
    }

    /// Writes the rule that the person was shown. A file that somebody changes meanwhile is looked at
    /// again, and if the rule would be another one now, nothing is written.
    pub(crate) fn write(&self, tool: &str, wish: &Wish, shown: Plan) -> Result {
        let mut plan = shown;
        for _ in 0..ATTEMPTS {
            match replace_settings(&plan.file, &plan.before, &plan.after) {
                Err(WorkspaceError::Changed(_)) => {}
                written => return Ok(written?),
            }
            plan = match self.plan(tool, wish)? {
                Planned::Write(again) if again.is_like(&plan) => again,
                Planned::Nothing => return Ok(()),
                Planned::Write(_) | Planned::ByHand(_) => break,
            };
        }
        Err(Error::failure(format!("{} has changed meanwhile; no rule was written", plan.place)))
    }

    fn suggestion(
        &self,
        (config, policies): &(Config, Policies),
        tool: &str,
        wish: &Wish,
        answer: Answer,
    ) -> Result<Option<Suggestion>> {
        let (Asked::Url(url), Some(rule)) = (&wish.asked, &wish.rule) else {
            return Ok(answer.to_allow);
        };
        // A path that can be read in two ways is refused whatever the rules are.
        let target = NetTarget::parse(url).ok().filter(|_| answer.to_allow.is_some());
        let subject = self.subject(config, policies, tool)?;
        Ok(target.map(|target| exactly(&subject, &target, rule)))
    }

    /// Whether the change does what it should and nothing else.
    fn is_right(
        &self,
        old: &Config,
        changed: (&Utf8Path, &str),
        tool: &str,
        asked: &Asked,
    ) -> bool {
        let Ok(new) = self.origins.load(Some(changed)) else { return false };
        let is_allowed = |answer: Answer| answer.verdict == Verdict::Allowed;
        self.answer(&new, tool, asked).is_ok_and(is_allowed)
            && without_rules(&old.app, tool) == without_rules(&new.0.app, tool)
    }

    fn answer(
        &self,
        (config, policies): &(Config, Policies),
        tool: &str,
        asked: &Asked,
    ) -> Result<Answer> {
        Ok(Answer::new(asked, &self.subject(config, policies, tool)?))
    }

    fn subject<'a>(
        &'a self,
        config: &'a Config,
        policies: &Policies,
        tool: &str,
    ) -> Result<Subject<'a>> {
        let gone = || Error::usage(format!("the tool `{tool}` is not configured any more"));
        let tool = config.app.tool(tool).ok_or_else(gone)?;
        let root = self.origins.root().ok_or_else(gone)?;
        Ok(Subject::new(config, policies, &tool, root, self.home.clone()))
    }
}

impl Plan {
    /// Whether the same rule is put into the same place.
    fn is_like(&self, other: &Self) -> bool {
        (&self.file, &self.key, &self.lines) == (&other.file, &other.key, &other.lines)
    }
}

/// The configuration without the rules of one tool.
fn without_rules(config: &AppConfig, tool: &str) -> serde_json::Value {
    let mut json = serde_json::to_value(config).unwrap_or_default();
    if let Some(tool) = json["conversation"]["tools"][tool].as_object_mut() {
        tool.remove("access");
        tool.remove("sandbox");
    }
    json
}

#[cfg(test)]
mod tests;
