//! One tool of a program: a name, and functions whose types are forgotten.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Call, Reply, Session, Stop, arguments, schema_of};
use crate::{
    Action, Invocation, SchemaResponse, SessionAction, ToolCommand, ToolError, ToolSchema,
};

type Arguments = Map<String, Value>;
type Handler<C, T> = Box<dyn Fn(Arguments, &C) -> Result<T, Stop> + Send + Sync>;

/// One tool of a program; made by [`tool`] or [`stateful`].
///
/// `C` is what its functions get besides the arguments: the [`Call`], or for a sealed tool the
/// [`VfsHost`](crate::vfs::VfsHost).
pub struct ToolEntry<C = Call> {
    name: String,
    examples: Option<String>,
    schema: fn(&str) -> ToolSchema,
    work: Work<C>,
    describe: Option<Handler<C, String>>,
}

enum Work<C> {
    Once(Handler<C, Reply>),
    Stateful(Handler<C, Box<dyn Session>>),
}

/// The arguments of a tool that takes none. It has no comment: give such a tool a struct of its own
/// to say what it does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NoArgs {}

/// A tool that does its work in one go. The arguments and their comments are its description.
pub fn tool<A, R, E, F>(name: impl Into<String>, handler: F) -> ToolEntry
where
    A: DeserializeOwned + JsonSchema,
    R: Into<Reply>,
    E: Into<Stop>,
    F: Fn(A, &Call) -> Result<R, E> + Send + Sync + 'static,
{
    once(name.into(), handler)
}

/// A tool that stays alive between commands. The function starts it; see [`Session`].
pub fn stateful<A, S, E, F>(name: impl Into<String>, start: F) -> ToolEntry
where
    A: DeserializeOwned + JsonSchema,
    S: Session + 'static,
    E: Into<Stop>,
    F: Fn(A, &Call) -> Result<S, E> + Send + Sync + 'static,
{
    alive(name.into(), start)
}

/// [`tool`] for any kind of call.
pub(crate) fn once<C, A, R, E, F>(name: String, handler: F) -> ToolEntry<C>
where
    A: DeserializeOwned + JsonSchema,
    R: Into<Reply>,
    E: Into<Stop>,
    F: Fn(A, &C) -> Result<R, E> + Send + Sync + 'static,
{
    let once = move |arguments: Arguments, call: &C| {
        let arguments = arguments::read(arguments)?;
        handler(arguments, call).map(Into::into).map_err(Into::into)
    };
    ToolEntry::new::<A>(name, Work::Once(Box::new(once)))
}

/// [`stateful`] for any kind of call.
pub(crate) fn alive<C, A, S, E, F>(name: String, start: F) -> ToolEntry<C>
where
    A: DeserializeOwned + JsonSchema,
    S: Session + 'static,
    E: Into<Stop>,
    F: Fn(A, &C) -> Result<S, E> + Send + Sync + 'static,
{
    let start = move |arguments: Arguments, call: &C| {
        let arguments = arguments::read(arguments)?;
        let session = start(arguments, call).map_err(Into::into)?;
        Ok(Box::new(session) as Box<dyn Session>)
    };
    ToolEntry::new::<A>(name, Work::Stateful(Box::new(start)))
}

impl<C> ToolEntry<C> {
    fn new<A: JsonSchema>(name: String, work: Work<C>) -> Self {
        Self { name, examples: None, schema: schema_of::<A>, work, describe: None }
    }

    /// How a call is shown to a person before it runs. Without it that is the name and the
    /// arguments as they are.
    #[must_use]
    pub fn describe<A, R, F>(mut self, show: F) -> Self
    where
        A: DeserializeOwned,
        R: Into<String>,
        F: Fn(A, &C) -> R + Send + Sync + 'static,
    {
        self.describe = Some(Box::new(move |arguments, call| {
            Ok(show(arguments::read(arguments)?, call).into())
        }));
        self
    }

    /// Examples of calls, which the assistant gets when it asks.
    #[must_use]
    pub fn examples(mut self, examples: impl Into<String>) -> Self {
        self.examples = Some(examples.into());
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it stays alive between commands.
    pub fn is_stateful(&self) -> bool {
        matches!(self.work, Work::Stateful(_))
    }

    /// What it says about itself. Runs nothing.
    pub fn schema(&self) -> ToolSchema {
        let actions = match self.work {
            Work::Once(_) => None,
            Work::Stateful(_) => Some(SessionAction::ALL.to_vec()),
        };
        ToolSchema { examples: self.examples.clone(), actions, ..(self.schema)(&self.name) }
    }

    /// Does what is asked for, whatever the name in it. A panic of the tool is an error.
    pub(crate) fn respond(
        &self,
        action: Action,
        name: &str,
        arguments: Arguments,
        call: &C,
    ) -> Reply {
        let answer = guard(|| match (action, &self.work) {
            (Action::Schema, _) => {
                let description = SchemaResponse { tools: vec![self.schema()] };
                Ok(serde_json::to_string(&description).map_err(ToolError::from)?.into())
            }
            (Action::FormatArguments, _) => self.show(name, arguments, call).map(Into::into),
            (Action::Run, Work::Once(once)) => once(arguments, call),
            (Action::Run, Work::Stateful(_)) => {
                Err("a tool that stays alive has to be spawned first".into())
            }
        });
        answer.unwrap_or_else(Into::into)
    }

    /// Starts a tool that stays alive.
    pub(crate) fn start(&self, arguments: Arguments, call: &C) -> Result<Box<dyn Session>, Stop> {
        match &self.work {
            Work::Once(_) => Err("this tool does not stay alive".into()),
            Work::Stateful(start) => guard(|| start(arguments, call)),
        }
    }

    fn show(&self, name: &str, arguments: Arguments, call: &C) -> Result<String, Stop> {
        let Some(describe) = &self.describe else {
            return Ok(plainly(name, &arguments));
        };
        match (&self.work, ToolCommand::from_arguments(&arguments)) {
            // A command other than the first has nothing that the tool's own words are for.
            (Work::Stateful(_), Ok(Some(ToolCommand::Spawn { args, .. }))) => describe(args, call),
            (Work::Stateful(_), Ok(Some(_)) | Err(_)) => Ok(plainly(name, &arguments)),
            (Work::Stateful(_), Ok(None)) | (Work::Once(_), _) => describe(arguments, call),
        }
    }
}

impl ToolEntry {
    /// Does what one invocation asks for, whatever the name in it. A panic of the tool is an error.
    /// A tool that stays alive cannot run this way. The description, if that is asked for, is the
    /// text of a success.
    pub fn answer(&self, invocation: Invocation) -> Reply {
        let (call, arguments) = Call::split(invocation);
        self.respond(call.context.action, &call.name, arguments, &call)
    }
}

impl<C> fmt::Debug for ToolEntry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Runs a part of a tool; a panic in it is an error like others. What the panic says is on stderr
/// already.
pub(crate) fn guard<T>(work: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    // Whatever the panic left half done is dropped: after an error nothing of the tool is used.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Err(ToolError::new(format!("the tool panicked: {text}")).into())
    })
}

fn plainly(name: &str, arguments: &Arguments) -> String {
    let arguments: Vec<String> =
        arguments.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("{name}({})", arguments.join(", "))
}
