//! What the questions are about: one tool, what its rules are, how they are written, and what holds
//! where it has none.

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    Config, Policies, ToolPolicy,
    conversation::tool::{Runtime, Tool, source::ToolSource},
    sandbox::SandboxDefault,
};
use jp_tool::access::{AccessPolicy, Capability, SensitiveGate};

use super::row::{Row, rows};

/// A tool that is asked about.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(super) name: &'a str,
    /// The dotted key under which the tool is written.
    pub(super) key: String,
    pub(super) compiled: ToolPolicy,
    pub(super) form: Form,
    pub(super) defaults: Defaults,
    pub(super) root: &'a Utf8Path,
    pub(super) home: Option<Utf8PathBuf>,
    /// The patterns of `config`, as they are written.
    pub(super) patterns: Vec<String>,
    gate: SensitiveGate,
}

/// How the rules of a tool are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As `access`, or not at all yet.
    Access,
    /// As `sandbox`, the short form.
    Sandbox,
}

/// What holds for a kind of resource without rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    /// Nothing is restricted.
    Off,
    /// The workspace is open but for what is sensitive.
    Workspace,
    /// The workspace can be read, everything else is denied.
    Strict,
    /// The workspace can be read, about everything else a person is asked.
    Mediated,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(
        config: &'a Config,
        policies: &Policies,
        tool: &Tool<'a>,
        root: &'a Utf8Path,
        home: Option<Utf8PathBuf>,
    ) -> Self {
        let is_short = tool.config.sandbox.is_some();
        let sensitive = config.sensitive_paths();
        // A tool of a server touches what its server may.
        let (key, compiled) = match tool.source {
            ToolSource::Mcp { server, .. } => {
                (config.server_key(server, &[]), policies.server(server))
            }
            _ => (config.tool_key(tool.name), policies.get(tool.name)),
        };
        Self {
            name: tool.name,
            key,
            compiled: compiled.cloned().unwrap_or_default(),
            form: if is_short { Form::Sandbox } else { Form::Access },
            defaults: match (tool.config.runtime, config.app.sandbox.default) {
                (Runtime::Vfs, _) => Defaults::Mediated,
                (_, SandboxDefault::Workspace) => Defaults::Workspace,
                (_, SandboxDefault::Strict) => Defaults::Strict,
                (_, SandboxDefault::Off) => Defaults::Off,
            },
            patterns: sensitive.patterns().map(str::to_owned).collect(),
            gate: SensitiveGate::new(sensitive.clone(), root.to_owned(), home.clone()),
            root,
            home,
        }
    }

    pub(super) fn policy(&self) -> &AccessPolicy {
        &self.compiled.policy
    }

    pub(super) fn rows(&self, kind: &str) -> Vec<Row> {
        rows(&self.compiled).into_iter().filter(|row| row.kind == kind).collect()
    }

    /// The pattern that makes a canonical path sensitive. It comes from the gate that every use of a
    /// path goes through, with no answer given.
    pub(super) fn sensitive(&self, canonical: &Utf8Path) -> Option<String> {
        self.gate.pass(canonical).err().map(|error| error.pattern)
    }

    /// Whether sensitive paths are kept from the tool instead of asked about, because no rule grants
    /// anything.
    pub(super) fn hides_sensitive(&self) -> bool {
        self.policy().fs.is_empty()
            && matches!(self.defaults, Defaults::Workspace | Defaults::Strict)
    }

    /// Whether the rules, or what holds without them, let this be done with a canonical path.
    pub(super) fn grants(&self, capability: Capability, canonical: &Utf8Path) -> bool {
        if self.policy().fs.is_empty() {
            return self.defaults.grants(capability);
        }
        self.policy().fs.decide(canonical, capability).is_allowed()
    }
}

impl Defaults {
    /// What can be done with files where there are no rules for them.
    pub(super) fn grants(self, capability: Capability) -> bool {
        match self {
            Self::Off | Self::Workspace => true,
            Self::Strict | Self::Mediated => capability == Capability::Read,
        }
    }

    /// Whether hosts, variables and programs are free where there are no rules for them.
    pub(super) fn are_open(self) -> bool {
        matches!(self, Self::Off | Self::Workspace)
    }
}
