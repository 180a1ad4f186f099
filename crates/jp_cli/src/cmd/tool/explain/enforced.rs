//! How faithfully the kernel keeps the rules of a tool.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    conversation::tool::{Runtime, Tool, command::Command, source::ToolSource},
    sandbox::SystemConfig,
};
use jp_confine::Subject as Confined;
use jp_sandbox::{
    confinement::Tier,
    plan::{Aspect, Fidelity, Lifetime, Plan, Profile, Row},
};
use jp_tool::access::AccessPolicy;
use serde_json::{Value, json};

use super::subject::Subject;
use crate::{confine, ctx::Ctx, error::Error, error::Result};

/// The plan for a tool that is a program of its own, or of a server that is one; there is none for others.
pub(super) fn plan(ctx: &Ctx, tool: &Tool<'_>, subject: &Subject<'_>) -> Result<Option<Plan>> {
    let program_of = Confining::of(ctx, tool);
    let Some(Confining { program, policy, system, profile, lifetime }) = program_of else {
        return Ok(None);
    };
    let needs = system.map(confine::needs).unwrap_or_default();
    let asked = Confined {
        policy,
        key: &subject.key,
        root: subject.root,
        profile,
        lifetime,
        transactional: false,
        needs: &needs,
        approved: &[],
        program: &program,
        program_files: &[],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::failure)?;
    let confiner = confine::confiner(ctx.config())?;
    let prepared = runtime.block_on(confiner.plan(asked)).map_err(Error::failure)?;
    Ok(Some(prepared.plan))
}

/// What is confined, and by what.
struct Confining<'a> {
    program: Utf8PathBuf,
    policy: Option<&'a AccessPolicy>,
    system: Option<&'a SystemConfig>,
    profile: Option<Profile>,
    lifetime: Lifetime,
}

impl<'a> Confining<'a> {
    fn of(ctx: &'a Ctx, tool: &Tool<'a>) -> Option<Self> {
        match tool.source {
            ToolSource::Local { .. } => {
                let sealed = Profile::Sealed { may_execute_system: false };
                Some(Self {
                    program: program(ctx, name_of(tool.config.command.as_ref()?)),
                    policy: ctx.policies().get(tool.name).map(|tool| &tool.policy),
                    system: tool.config.system.as_ref(),
                    profile: (tool.config.runtime == Runtime::Vfs).then_some(sealed),
                    lifetime: Lifetime::Call,
                })
            }
            ToolSource::Mcp { server, .. } => {
                let config = ctx.config().app.providers.mcp.get(server)?;
                Some(Self {
                    program: program(ctx, config.command.as_deref()?),
                    policy: ctx.policies().server(server).map(|server| &server.policy),
                    system: config.system.as_ref(),
                    profile: None,
                    lifetime: Lifetime::Server,
                })
            }
            ToolSource::Builtin { .. } => None,
        }
    }
}

fn name_of(command: &Command) -> &str {
    match command {
        Command::Line(line) => line.split_whitespace().next().unwrap_or_default(),
        Command::Parts(parts) => &parts.program,
    }
}

/// The file that would be executed. One that is not installed, or that depends on the call, is stood
/// in for by the shell: the rules are kept in the same way for it.
fn program(ctx: &Ctx, name: &str) -> Utf8PathBuf {
    let search = crate::ctx::variable("PATH");
    let found = jp_process::find_program(name.as_ref(), search.as_ref(), ctx.cwd().as_std_path());
    let found = found.ok().and_then(|path| Utf8PathBuf::try_from(path).ok());
    let canonical = |path: &Utf8Path| path.canonicalize_utf8().ok();
    let shell = || canonical(Utf8Path::new("/bin/sh")).unwrap_or_else(|| "/bin/sh".into());
    found.as_deref().and_then(canonical).unwrap_or_else(shell)
}

/// A few lines for a person: each rule, and what of the profile is not kept to the letter.
pub(crate) fn text(plan: &Plan) -> String {
    let means = match plan.tier {
        Tier::Namespaces => "namespaces, Landlock and seccomp",
        Tier::Landlock => "Landlock and seccomp",
        Tier::None => "nothing",
    };
    let rows: Vec<&Row> = plan.rows.iter().filter(|row| is_worth_a_line(row)).collect();
    let mut text = format!("How the kernel keeps it ({means}):\n");
    if rows.is_empty() {
        text += "  exactly\n";
    }
    let alike = |a: &&Row, b: &&Row| {
        a.subject == b.subject && a.fidelity == b.fidelity && a.reason == b.reason
    };
    for group in rows.chunk_by(alike) {
        let [first, ..] = group else { continue };
        let aspects: Vec<_> = group.iter().map(|row| row.aspect.as_str()).collect();
        let reason =
            if first.reason.is_empty() { String::new() } else { format!(" ({})", first.reason) };
        let (subject, fidelity) = (&first.subject, first.fidelity);
        let _ = writeln!(text, "  {subject} {}: {fidelity}{reason}", aspects.join(" "));
    }
    text
}

fn is_worth_a_line(row: &Row) -> bool {
    row.aspect != Aspect::Profile || row.fidelity != Fidelity::Exact
}

pub(crate) fn json(plan: &Plan) -> Value {
    let tier = match plan.tier {
        Tier::Namespaces => 1,
        Tier::Landlock => 2,
        Tier::None => 3,
    };
    let rows: Vec<Value> = plan
        .rows
        .iter()
        .map(|row| {
            json!({
                "subject": row.subject,
                "aspect": row.aspect.as_str(),
                "fidelity": row.fidelity.as_str(),
                "reason": row.reason,
            })
        })
        .collect();
    json!({ "tier": tier, "transactional": plan.transactional, "rows": rows })
}
