//! From what is written to what it means: the one place where a policy is made from configuration.
//!
//! Rules are put into their canonical form here, before anybody reads them: paths resolved against
//! the root of the workspace, hosts in ASCII and lower case. A rule that cannot be, because its path
//! leaves the workspace or its host is none, is an error that points at the rule; no tool of the
//! workspace runs before it is corrected.

use std::{collections::BTreeMap, fmt::Display, sync::Arc};

use camino::Utf8Path;
use indexmap::IndexMap;
use jp_tool::access::{
    AccessPolicy, Capability, CommandRule, Commands, EnvRule, FsRule, NetRule, path,
};

use super::{AccessConfig, CommandRuleConfig, FsRuleConfig, SandboxConfig};
use crate::{
    config::Config,
    dotted,
    error::{ConfigErrors, Finding, Findings, Report, Severity},
    node::{Data, Node, Origin},
};

/// The policies of all tools, servers and plugins that have one.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    tools: IndexMap<String, ToolPolicy>,
    servers: IndexMap<String, ToolPolicy>,
    plugins: IndexMap<String, ToolPolicy>,
}

/// What a tool may touch, and where each rule was written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolPolicy {
    /// The rules in their canonical form.
    pub policy: AccessPolicy,
    /// Where each rule of `policy.fs` was written.
    pub fs_places: Vec<String>,
    /// Where each rule of `policy.net` was written.
    pub net_places: Vec<String>,
    /// Where each rule of `policy.env` was written.
    pub env_places: Vec<String>,
    /// Where each rule of `policy.commands` was written, in the order of the programs.
    pub command_places: Vec<String>,
}

impl Policies {
    /// The policy of a tool; `None` if it has none, and so is not restricted by one.
    pub fn get(&self, tool: &str) -> Option<&ToolPolicy> {
        self.tools.get(tool)
    }

    /// The policy of an MCP server that is a program of ours, in the same way.
    pub fn server(&self, name: &str) -> Option<&ToolPolicy> {
        self.servers.get(name)
    }

    /// The policy of a command plugin, in the same way.
    pub fn plugin(&self, id: &str) -> Option<&ToolPolicy> {
        self.plugins.get(id)
    }
}

impl Config {
    /// Compiles the access rules of all tools, MCP servers and plugins for the workspace at `root`. This looks at
    /// the file system: the canonical form of a path depends on the links on it.
    pub fn policies(&self, root: &Utf8Path) -> Result<Policies, ConfigErrors> {
        let mut errors = Findings::default();
        let mut policies = Policies::default();
        for tool in self.app.conversation.tools.iter() {
            let table = ["conversation", "tools", tool.name];
            let mut compiler = Compiler::new(self, root, table, &mut errors);
            match (&tool.config.access, &tool.config.sandbox) {
                (Some(access), _) => compiler.access(access),
                (None, Some(sandbox)) => compiler.sandbox(sandbox),
                (None, None) => continue,
            }
            policies.tools.insert(tool.name.to_owned(), compiler.finish());
        }
        for (name, server) in self.app.providers.mcp.iter() {
            let Some(access) = &server.access else { continue };
            let table = ["providers", "mcp", name];
            let mut compiler = Compiler::new(self, root, table, &mut errors);
            compiler.access(access);
            policies.servers.insert(name.clone(), compiler.finish());
        }
        for (id, plugin) in self.app.plugins.command.iter() {
            let Some(access) = &plugin.access else { continue };
            let table = ["plugins", "command", id];
            let mut compiler = Compiler::new(self, root, table, &mut errors);
            compiler.access(access);
            policies.plugins.insert(id.clone(), compiler.finish());
        }
        if errors.is_empty() {
            return Ok(policies);
        }
        errors.sort();
        let sources = Arc::clone(&self.sources);
        Err(ConfigErrors(Report::new(Severity::Error, errors, sources)))
    }
}

/// The policy of one tool or server in the making.
struct Compiler<'a> {
    config: &'a Config,
    root: &'a Utf8Path,
    /// Where it is configured.
    table: [&'a str; 3],
    compiled: ToolPolicy,
    fs: Vec<FsRule>,
    errors: &'a mut Findings,
}

impl<'a> Compiler<'a> {
    fn new(
        config: &'a Config,
        root: &'a Utf8Path,
        table: [&'a str; 3],
        errors: &'a mut Findings,
    ) -> Self {
        Self { config, root, table, compiled: ToolPolicy::default(), fs: Vec::new(), errors }
    }

    fn finish(self) -> ToolPolicy {
        let mut compiled = self.compiled;
        compiled.policy.fs = self.fs.into();
        compiled
    }

    fn access(&mut self, access: &AccessConfig) {
        for (index, rule) in access.fs.iter().enumerate() {
            let at = self.place(&["access", "fs"], index);
            self.fs_rule(&at, &rule.path, rule.into());
        }
        for (index, rule) in access.net.iter().enumerate() {
            let at = self.place(&["access", "net"], index);
            let rule = NetRule {
                host: rule.host.clone(),
                scheme: rule.scheme.clone(),
                port: rule.port,
                path_prefix: rule.path_prefix.clone(),
                allow: rule.allow,
            };
            self.net_rule(&at, rule);
        }
        for (index, rule) in access.env.iter().enumerate() {
            let at = self.place(&["access", "env"], index);
            self.env_rule(&at, EnvRule { name: rule.name.clone(), read: rule.read });
        }
        self.commands("access", access.commands.as_ref());
    }

    fn sandbox(&mut self, sandbox: &SandboxConfig) {
        let write = [Capability::Create, Capability::Update, Capability::Delete];
        let write = write.into_iter().filter(|_| sandbox.filesystem.writable);
        let grants: Vec<Capability> = [Capability::Read].into_iter().chain(write).collect();
        if sandbox.filesystem.allow.is_empty() {
            // Whoever writes no path means the whole workspace, and not that nothing is restricted.
            let at = self.place_of(&["sandbox"]);
            self.fs_rule(&at, ".", FsRule::new(".", grants.iter().copied()));
        }
        for (index, path) in sandbox.filesystem.allow.iter().enumerate() {
            let at = self.place(&["sandbox", "filesystem", "allow"], index);
            self.fs_rule(&at, path, FsRule::new(path.as_str(), grants.iter().copied()));
        }
        for (index, target) in sandbox.network.allow.iter().enumerate() {
            let at = self.place(&["sandbox", "network", "allow"], index);
            self.net_rule(&at, net_rule_from_text(target));
        }
        for (index, name) in sandbox.network.envs.iter().enumerate() {
            let at = self.place(&["sandbox", "network", "envs"], index);
            self.env_rule(&at, EnvRule { name: name.clone(), read: true });
        }
        self.commands("sandbox", sandbox.commands.as_ref());
    }

    fn fs_rule(&mut self, at: &Place, path: &str, rule: FsRule) {
        match path::canonical_rule_path(self.root, Utf8Path::new(path)) {
            Ok(canonical) => {
                self.compiled.fs_places.push(self.remark(at));
                self.fs.push(rule.with_path(canonical));
            }
            Err(error) => self.refuse(at, &error),
        }
    }

    fn net_rule(&mut self, at: &Place, rule: NetRule) {
        match rule.normalized() {
            Ok(rule) => {
                self.compiled.net_places.push(self.remark(at));
                self.compiled.policy.net.push(rule);
            }
            Err(error) => self.refuse(at, &error),
        }
    }

    fn env_rule(&mut self, at: &Place, rule: EnvRule) {
        match rule.validate() {
            Ok(()) => {
                self.compiled.env_places.push(self.remark(at));
                self.compiled.policy.env.push(rule);
            }
            Err(error) => self.refuse(at, &error),
        }
    }

    fn commands(&mut self, table: &str, commands: Option<&BTreeMap<String, CommandRuleConfig>>) {
        let Some(commands) = commands else {
            return;
        };
        let mut rules = Vec::new();
        for (program, config) in commands {
            let key = [table, "commands", program];
            self.command_rule(&key, program, config);
            let at = self.place_of(&key);
            self.compiled.command_places.push(self.remark(&at));
            let rule = CommandRule { args: config.args.clone(), envs: config.envs.clone() };
            rules.push((program.clone(), rule));
        }
        self.compiled.policy.commands = Some(rules.into_iter().collect());
    }

    /// Refuses every part of a rule that stands for nothing, each where it is written.
    fn command_rule(&mut self, key: &[&str], program: &str, config: &CommandRuleConfig) {
        let check = |rule: CommandRule| Commands::from_iter([(program, rule)]).validate();
        if let Err(error) = check(CommandRule::default()) {
            let at = self.place_of(key);
            // The other parts would be refused for their program once more.
            return self.refuse(&at, &error);
        }
        for (index, entry) in config.args.iter().flatten().enumerate() {
            let rule = CommandRule { args: Some(vec![entry.clone()]), envs: Vec::new() };
            if let Err(error) = check(rule) {
                let at = self.place(&[key, &["args"]].concat(), index);
                self.refuse(&at, &error);
            }
        }
        for (index, name) in config.envs.iter().enumerate() {
            if let Err(error) = check(CommandRule { args: None, envs: vec![name.clone()] }) {
                let at = self.place(&[key, &["envs"]].concat(), index);
                self.refuse(&at, &error);
            }
        }
    }

    fn refuse(&mut self, at: &Place, message: &impl Display) {
        self.errors.push(Finding::new(
            at.origin,
            at.key.clone(),
            format!("`{}`: {message}", at.key),
        ));
    }

    fn remark(&self, at: &Place) -> String {
        self.config.remark(at.origin)
    }

    /// Where an element of a list below the table was written.
    fn place(&self, list: &[&str], index: usize) -> Place {
        let mut place = self.place_of(list);
        if let Some(Data::List(elements)) = self.node(list).map(|node| &node.data)
            && let Some(element) = elements.get(index)
        {
            place.origin = element.origin;
        }
        place.key = format!("{}[{index}]", place.key);
        place
    }

    /// Where a key below the table was written.
    fn place_of(&self, keys: &[&str]) -> Place {
        let origin = self.node(keys).map_or(Origin::DEFAULT, |node| node.origin);
        let path = [&self.table, keys].concat();
        Place { key: dotted::join(&path), origin }
    }

    /// The value at a key below the table.
    fn node(&self, keys: &[&str]) -> Option<&Node> {
        self.table.iter().chain(keys).try_fold(self.config.tree(), |node, key| {
            node.as_table()?.get(*key).map(|entry| &entry.node)
        })
    }
}

/// A rule, for an error or an explanation: its key, and where it was written.
struct Place {
    key: String,
    origin: Origin,
}

impl From<&FsRuleConfig> for FsRule {
    fn from(rule: &FsRuleConfig) -> Self {
        let given = [
            (Capability::Read, rule.read),
            (Capability::Create, rule.create.or(rule.write)),
            (Capability::Update, rule.update.or(rule.write)),
            (Capability::Delete, rule.delete.or(rule.write)),
            (Capability::Execute, rule.execute),
        ];
        let granted = given.into_iter().filter(|(_, it)| *it == Some(true)).map(|(it, _)| it);
        Self::new(rule.path.as_str(), granted)
    }
}

/// `host`, or with any of scheme, port and path. What is wrong with the parts is found when the rule
/// is put into its canonical form.
fn net_rule_from_text(text: &str) -> NetRule {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
        None => (None, text),
    };
    let (authority, path_prefix) = match rest.find('/') {
        Some(at) => (&rest[..at], Some(rest[at..].to_owned())),
        None => (rest, None),
    };
    // A colon within brackets, or one of several without, belongs to an IPv6 address.
    let is_address = !authority.contains('[') && authority.matches(':').count() > 1;
    let port = authority.rsplit_once(':').filter(|(_, port)| !is_address && !port.contains(']'));
    let (host, port) = match port.map(|(host, port)| (host, port.parse())) {
        Some((host, Ok(port))) => (host, Some(port)),
        _ => (authority, None),
    };
    let path_prefix = path_prefix.filter(|path| path != "/");
    NetRule { host: host.to_owned(), scheme, port, path_prefix, allow: true }
}

#[cfg(test)]
mod tests;
