//! Suggestions are tried: added to random configurations, they have to allow what was asked, and
//! change nothing else unless their notes say so.

use camino::Utf8PathBuf;
use jp_config::{Config, ConfigErrors, Layer, Policies};
use proptest::{collection::vec, option, prelude::*, sample::select};

use jp_tool::access::NetRule;

use super::*;
use crate::cmd::tool::explain::{
    answer::{Answer, Verdict},
    asked::Asked,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_suggestion_allows_what_was_asked_and_changes_nothing_unsaid(
        tool in any_tool(),
        asked in any_question(),
        others in vec(any_question(), 12),
    ) {
        check(&tool, &asked, &others)?;
    }
}

/// A tool in a configuration.
#[derive(Debug, Clone)]
struct TestTool {
    /// `tools.t` or `conversation.tools.t`.
    key: &'static str,
    runtime: &'static str,
    default: &'static str,
    /// `access`, `sandbox` or nothing, without the key.
    rules: Option<(&'static str, String)>,
}

impl TestTool {
    fn layers(&self) -> Vec<String> {
        let Self { key, runtime, default, rules } = self;
        let base = format!(
            "sandbox.default = '{default}'\n[{key}]\nsource = 'local'\nruntime = '{runtime}'\n"
        );
        let rules = rules.iter().map(|(table, text)| format!("[{key}.{table}]\n{text}"));
        [base].into_iter().chain(rules).collect()
    }

    fn is_mediated(&self) -> bool {
        self.runtime == "vfs"
    }
}

/// A loaded configuration that can be asked.
struct World {
    root: Utf8PathBuf,
    config: Config,
    policies: Policies,
}

impl World {
    fn load(root: &Utf8Path, layers: &[String]) -> Result<Self, TestCaseError> {
        let fail = |it: ConfigErrors| TestCaseError::fail(format!("{it}\n{layers:#?}"));
        let named = layers.iter().zip('a'..).map(|(text, name)| Layer::file(name, text.as_str()));
        let config = Config::load(named.collect()).map_err(fail)?;
        let policies = config.policies(root).map_err(fail)?;
        Ok(Self { root: root.to_owned(), config, policies })
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let tool = self.config.app.tool("t").unwrap();
        let home = Some(Utf8PathBuf::from("/home/me"));
        let subject = Subject::new(&self.config, &self.policies, &tool, &self.root, home);
        Answer::new(asked, &subject)
    }
}

/// The configuration after somebody did what the suggestion says.
fn followed(layers: &[String], suggestion: &Suggestion) -> Vec<String> {
    let Suggestion { how, key, lines, .. } = suggestion;
    let mut layers = layers.to_vec();
    match how {
        How::Add { .. } => layers.push(format!("{key} = [{}]", lines.join(", "))),
        How::Set => layers.push(format!("{key} = {}", lines.join("\n"))),
        How::Replace { .. } => {
            layers.truncate(1);
            layers.push(format!("[{key}]\n{}", lines.join("\n")));
        }
    }
    layers
}

fn check(tool: &TestTool, asked: &Asked, others: &[Asked]) -> Result<(), TestCaseError> {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::try_from(temp.path().canonicalize().unwrap()).unwrap();
    let layers = tool.layers();
    let before = World::load(&root, &layers)?;
    let first = before.answer(asked);
    if matches!(first.verdict, Verdict::Allowed | Verdict::Asked) {
        prop_assert!(first.to_allow.is_none());
        return Ok(());
    }
    let Some(suggestion) = &first.to_allow else {
        let is_ambiguous = first.why.contains("the path has");
        prop_assert!(is_ambiguous, "no suggestion: {}", first.to_text());
        return Ok(());
    };
    let edited = suggestion.edit().map(|edit| edit.apply(&layers.concat()).unwrap());
    let layers = followed(&layers, suggestion);
    let after = World::load(&root, &layers)?;
    let second = after.answer(asked);
    let is_asked_then = suggestion.notes.iter().any(|it| it.starts_with("Even then"));
    let wanted = if is_asked_then { Verdict::Asked } else { Verdict::Allowed };
    prop_assert_eq!(second.verdict, wanted, "{}\n{:#?}", first.to_text(), layers);
    if let Some(edited) = edited {
        // Written into the file it means the same.
        let kept = World::load(&root, std::slice::from_ref(&edited))?;
        let policy = |world: &World| world.policies.get("t").map(|it| it.policy.clone());
        prop_assert_eq!(policy(&kept), policy(&after), "{}", edited);
    }
    let near = neighbors(asked);
    for other in others.iter().chain(&near).filter(|it| *it != asked) {
        let (old, new) = (before.answer(other), after.answer(other));
        let is_same = effect(tool, old.verdict) == effect(tool, new.verdict);
        prop_assert!(
            is_same || says_so(&first, asked, &old, other, &new),
            "{}\n{}\n{}\n{:#?}",
            first.to_text(),
            old.to_text(),
            new.to_text(),
            layers
        );
    }
    Ok(())
}

/// Questions so near that a suggestion that is too wide would change their answers.
fn neighbors(asked: &Asked) -> Vec<Asked> {
    match asked {
        Asked::Fs(capability, path) => {
            let around = [path.join("below"), path.with_file_name("beside")];
            let same = Capability::ALL.map(|it| Asked::Fs(it, path.clone()));
            around.into_iter().map(|it| Asked::Fs(*capability, it)).chain(same).collect()
        }
        Asked::Url(url) => {
            let start = url.split('/').take(3).collect::<Vec<_>>().join("/");
            let other = url.replacen("https://", "http://", 1);
            ["", "/a/b", "/x", "//x"]
                .map(|path| format!("{start}{path}"))
                .into_iter()
                .chain([other, format!("{url}/below")])
                .map(Asked::Url)
                .collect()
        }
        Asked::Env(name) => vec![Asked::Env(format!("{name}_"))],
        Asked::Command(words) => {
            let more = [words.as_slice(), &["more".to_owned()]].concat();
            vec![Asked::Command(words[..1].to_vec()), Asked::Command(more)]
        }
    }
}

/// What an answer means for the tool: where nobody is asked, what is uncovered is denied.
fn effect(tool: &TestTool, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Uncovered if !tool.is_mediated() => Verdict::Denied,
        other => other,
    }
}

/// Whether the notes of a suggestion tell that the answer to another question changes like this.
fn says_so(first: &Answer, asked: &Asked, old: &Answer, other: &Asked, new: &Answer) -> bool {
    let Some(suggestion) = &first.to_allow else {
        return false;
    };
    let notes = suggestion.notes.join("\n");
    match (asked, other) {
        (Asked::Fs(capability, path), Asked::Fs(other_capability, other_path)) => {
            let is_whole = path == "." || old.rule.is_none() && first.why.starts_with("no rules");
            let is_below = is_whole || other_path.starts_with(path);
            let is_told = other_path == path || notes.contains("It covers everything");
            match new.verdict {
                Verdict::Asked if old.sensitive.is_some() && old.verdict == Verdict::Denied => {
                    notes.contains("Other sensitive paths") || is_below && is_told
                }
                Verdict::Denied => notes.contains("no longer asked about") && is_below,
                _ if capability == other_capability => is_below && is_told,
                _ => is_below && is_told && suggestion.is_wider,
            }
        }
        (Asked::Url(_), Asked::Url(_)) if new.verdict == Verdict::Denied => {
            notes.contains("two readings") && new.why.contains("the path has")
        }
        (Asked::Url(_), Asked::Url(_)) => {
            // An answer of another rule is told by naming that rule.
            let overruled = old.rule.as_ref().map(|it| it.target.clone());
            let own = first.rule.as_ref().map(|it| it.target.clone());
            notes.contains("It covers")
                && (overruled.is_none()
                    || overruled == own
                    || overruled.is_some_and(|it| notes.contains(&format!("the rule `{it}`"))))
        }
        (Asked::Command(words), Asked::Command(others)) => {
            notes.contains("no longer asked about") && words[0] == others[0]
        }
        _ => false,
    }
}

fn any_tool() -> impl Strategy<Value = TestTool> {
    let rules = prop_oneof![
        1 => Just(None),
        3 => any_access().prop_map(|it| Some(("access", it))),
        3 => any_sandbox().prop_map(|it| Some(("sandbox", it))),
    ];
    let keys = select(vec!["tools.t", "conversation.tools.t"]);
    let runtimes = select(vec!["stdio", "vfs"]);
    let defaults = select(vec!["workspace", "strict", "off"]);
    (keys, runtimes, defaults, rules).prop_map(|(key, runtime, default, rules)| TestTool {
        key,
        runtime,
        default,
        rules,
    })
}

fn any_access() -> impl Strategy<Value = String> {
    let fs = (any_path(), vec(select(Capability::ALL.to_vec()), 0..4));
    let fs = fs.prop_map(|(path, grants)| toml::fs(&FsRule::new(path, grants)));
    let env = (any_variable(), any::<bool>(), any::<bool>()).prop_map(|(name, star, read)| {
        toml::env(&EnvRule::new(if star { format!("{name}*") } else { name }, read))
    });
    let net = any_net_rule().prop_map(|rule| toml::net(&rule));
    let lists = (vec(fs, 0..5), vec(net, 0..5), vec(env, 0..4), any_commands());
    lists.prop_map(|(fs, net, env, commands)| {
        let list = |name: &str, rules: &[String]| format!("{name} = [{}]\n", rules.join(", "));
        [list("fs", &fs), list("net", &net), list("env", &env), commands].concat()
    })
}

fn any_sandbox() -> impl Strategy<Value = String> {
    let hosts = vec(any_net_rule().prop_map(|rule| rule.to_string()), 0..4);
    let lists = (vec(any_path(), 0..4), any::<bool>(), hosts, vec(any_variable(), 0..3));
    (lists, any_commands()).prop_map(|((paths, writable, hosts, envs), commands)| {
        let [paths, hosts, envs] = [paths, hosts, envs].map(|it| toml::texts(&it));
        format!(
            "filesystem.allow = {paths}\nfilesystem.writable = {writable}\n\
             network.allow = {hosts}\nnetwork.envs = {envs}\n{commands}"
        )
    })
}

fn any_net_rule() -> impl Strategy<Value = NetRule> {
    let scheme = option::of(select(vec!["http", "https"]).prop_map(str::to_owned));
    let port = option::of(select(vec![80, 443, 8080]));
    let path = option::of(select(vec!["/a", "/a/b", "/b", "/a/b/c"]).prop_map(str::to_owned));
    (any_host(), scheme, port, path, any::<bool>()).prop_map(
        |(host, scheme, port, path_prefix, allow)| NetRule {
            host: host.to_owned(),
            scheme,
            port,
            path_prefix,
            allow,
        },
    )
}

fn any_commands() -> impl Strategy<Value = String> {
    let list = (vec(any_word(), 0..3), any::<bool>()).prop_map(|(mut words, rest)| {
        words.extend(rest.then(|| "**".to_owned()));
        words
    });
    let rule = option::of(vec(list, 0..3));
    option::of(vec((any_program(), rule), 0..3)).prop_map(|commands| match commands {
        None => String::new(),
        Some(rules) => {
            let rules = rules
                .into_iter()
                .map(|(program, args)| (program, CommandRule { args, envs: vec!["E".to_owned()] }));
            let commands = Some(rules.collect());
            let policy = AccessPolicy { commands, ..AccessPolicy::default() };
            toml::policy(&policy).join("\n")
        }
    })
}

fn any_question() -> impl Strategy<Value = Asked> {
    let fs = (select(Capability::ALL.to_vec()), any_path());
    let paths =
        vec!["", "/", "/a", "/a/b", "/a/b/c/d", "/b", "/x", "//a", "/a%2Fb", "/%61", "/a:b"];
    let url = (select(vec!["http", "https"]), any_host(), option::of(select(vec![80, 443, 8080])));
    let url = (url, select(paths)).prop_map(|((scheme, host, port), path)| {
        let port = port.map(|it| format!(":{it}")).unwrap_or_default();
        Asked::Url(format!("{scheme}://{host}{port}{path}"))
    });
    prop_oneof![
        3 => fs.prop_map(|(capability, path)| Asked::Fs(capability, path.into())),
        3 => url,
        1 => any_variable().prop_map(Asked::Env),
        2 => (any_program(), vec(any_word(), 0..4))
            .prop_map(|(program, words)| Asked::Command([vec![program], words].concat())),
    ]
}

fn any_path() -> impl Strategy<Value = String> {
    let name = select(vec!["a", "b", "a b\"", ".env", "\u{7f}é"]);
    let path = vec(name, 0..4);
    path.prop_map(|it| if it.is_empty() { ".".to_owned() } else { it.join("/") })
}

fn any_host() -> impl Strategy<Value = &'static str> {
    select(vec!["a.example", "b.example", "[2001:db8::1]"])
}

fn any_variable() -> impl Strategy<Value = String> {
    select(vec!["A", "AB", "ABC", "B"]).prop_map(str::to_owned)
}

fn any_program() -> impl Strategy<Value = String> {
    select(vec!["p", "/bin/q r", "p\"'"]).prop_map(str::to_owned)
}

fn any_word() -> impl Strategy<Value = String> {
    select(vec!["x", "y z", "", "*"]).prop_map(str::to_owned)
}
