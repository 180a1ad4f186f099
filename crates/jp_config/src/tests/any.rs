//! Properties over any configuration that the schema admits. The configurations are made from the
//! schema itself, so every key there is takes part, and so will every key that is added.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::emit;
use crate::node::Node;
use crate::schema::model;
use crate::shape::{Kind, Shape, TableShape};
use crate::types::format::Format;
use crate::types::mergeable::Growth;
use crate::{AppConfig, Config, Delta, Layer, MergeableVec, SensitivePattern, ShowFormat};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the schema admits, the types take.
    #[test]
    fn what_the_schema_admits_loads(text in any_config()) {
        load(&text)?;
    }

    /// 072-326.
    #[test]
    fn a_configuration_survives_json_without_loss(text in any_config()) {
        let config = load(&text)?;
        let json = serde_json::to_string(&config.app).unwrap();
        prop_assert_eq!(&serde_json::from_str::<AppConfig>(&json).unwrap(), &config.app);
        prop_assert_eq!(config.get(None).unwrap(), serde_json::to_value(&config.app).unwrap());
    }

    /// 076-256.
    #[test]
    fn a_difference_leads_from_one_configuration_to_the_other(
        first in any_config(),
        second in any_config(),
    ) {
        let (first, second) = (load(&first)?, load(&second)?);
        let delta = first.difference(&second);
        let json = serde_json::to_string(&delta).unwrap();
        let delta: Delta = serde_json::from_str(&json).unwrap();
        let reached = first.with(&delta, "delta");
        let reached = reached.map_err(|it| TestCaseError::fail(format!("{it}\n{json}")))?;
        // What is protected stays so; everything else is as in the second.
        let mut wanted = second.app.clone();
        wanted.sandbox.sensitive_paths = union(&first, &second);
        prop_assert_eq!(&reached.app, &wanted, "{}", json);
        prop_assert_eq!(delta.is_empty(), first.app == wanted);
        prop_assert!(first.difference(&first).is_empty());
    }

    #[test]
    fn what_is_shown_loads_to_the_same(text in any_config()) {
        let config = load(&text)?;
        for origin in [false, true] {
            let shown = config.show(None, ShowFormat::Toml, origin).unwrap();
            prop_assert_eq!(&load(&shown)?.app, &config.app, "{}", shown);
        }
    }

    /// Every leaf that is shown can also be asked for by its key.
    #[test]
    fn every_key_that_is_shown_can_be_asked_for(text in any_config()) {
        let config = load(&text)?;
        let shown = config.show(None, ShowFormat::Json, true).unwrap();
        let leaves: Map<String, Value> = serde_json::from_str(&shown).unwrap();
        for (path, leaf) in leaves {
            prop_assert_eq!(&config.get(Some(&path)).unwrap(), &leaf["value"], "{}", path);
        }
    }

    /// Laying a configuration over itself changes nothing but the lists that grow.
    #[test]
    fn a_layer_over_itself_changes_only_lists_that_grow(text in any_config()) {
        let twice = Config::load(vec![Layer::user("a", &*text), Layer::user("b", &*text)]);
        let twice = twice.map_err(|it| TestCaseError::fail(it.to_string()))?;
        prop_assert_eq!(without_lists_that_grow(&twice), without_lists_that_grow(&load(&text)?));
    }
}

fn union(first: &Config, second: &Config) -> MergeableVec<SensitivePattern> {
    let mut all = first.app.sandbox.sensitive_paths.to_vec();
    let there = all.clone();
    let new = second.app.sandbox.sensitive_paths.iter().filter(|it| !there.contains(it));
    all.extend(new.cloned());
    all.into()
}

fn without_lists_that_grow(config: &Config) -> Value {
    let mut json = config.get(None).unwrap();
    json["assistant"]["instructions"] = json!([]);
    for list in ["presets", "read", "write", "sensitive_paths"] {
        json["sandbox"][list] = json!([]);
    }
    for tool in json["conversation"]["tools"].as_object_mut().unwrap().values_mut() {
        let tool = tool.as_object_mut().unwrap();
        tool.remove("access");
        tool.remove("sandbox");
        tool.remove("system");
        tool.remove("program_files");
    }
    let plugins = json.pointer_mut("/plugins/command").and_then(Value::as_object_mut);
    for plugin in plugins.into_iter().flat_map(|it| it.values_mut()) {
        for key in ["access", "system"] {
            plugin.as_object_mut().unwrap().remove(key);
        }
    }
    let servers = json.pointer_mut("/providers/mcp").and_then(Value::as_object_mut);
    for server in servers.into_iter().flat_map(|it| it.values_mut()) {
        for key in ["arguments", "access", "system"] {
            server.as_object_mut().unwrap().remove(key);
        }
    }
    json
}

fn load(text: &str) -> Result<Config, TestCaseError> {
    // The user may set everything; what a workspace may not has tests of its own.
    Config::load(vec![Layer::user("u", text)])
        .map_err(|it| TestCaseError::fail(format!("{it}\n{text}")))
}

/// The text of any configuration file that the schema admits.
fn any_config() -> impl Strategy<Value = String> {
    value(&model().root, 6).prop_map(|mut json| {
        // `tools` is another name, and two names for one tool are an error of their own, as is a
        // tool that is picked twice.
        json.as_object_mut().unwrap().remove("tools");
        if let Some(tools) = json.pointer_mut("/conversation/tools") {
            for tool in tools.as_object_mut().unwrap().values_mut() {
                let tool = tool.as_object_mut().unwrap();
                tool.remove("tool");
                // Only a local tool has rules, and in one of the two forms.
                let is_local = tool
                    .get("source")
                    .is_some_and(|it| it.as_str().is_some_and(|it| it.starts_with("local")));
                if !is_local || tool.contains_key("access") {
                    tool.remove("sandbox");
                }
                if !is_local {
                    tool.remove("access");
                    tool.remove("system");
                }
            }
        }
        // A server is a program or a service, and has the keys of that.
        if let Some(servers) = json.pointer_mut("/providers/mcp") {
            for server in servers.as_object_mut().unwrap().values_mut() {
                let server = server.as_object_mut().unwrap();
                for key in ["arguments", "variables", "cwd", "access", "system", "checksum"] {
                    if server.contains_key("url") {
                        server.remove(key);
                    }
                }
                if !server.contains_key("url") {
                    server.remove("headers");
                    server.entry("cwd").and_modify(|it| *it = "x".into());
                }
                let is_service = server.contains_key("url");
                if !is_service {
                    server.remove("auth");
                }
                // Most of its keys hold together with others.
                if let Some(auth) = server.get_mut("auth").and_then(Value::as_object_mut) {
                    auth.retain(|key, _| ["client_id", "scopes"].contains(&key.as_str()));
                    server.remove("headers");
                }
                server.remove("command");
                if !is_service {
                    server.insert("command".to_owned(), "x".into());
                }
            }
        }
        // A backend needs a key of its own.
        if let Some(project) = json.pointer_mut("/project") {
            for key in ["path", "scheme"] {
                project.as_object_mut().unwrap().entry(key).or_insert("x".into());
            }
        }
        let node = Node::annotate(json.clone(), None).unwrap();
        emit::table(&[], node.as_table().unwrap(), None)
    })
}

/// Any value of a shape; `depth` bounds those that contain themselves.
fn value(shape: &Shape, depth: usize) -> BoxedStrategy<Value> {
    match &model().resolve(shape).kind {
        Kind::Any => anything(),
        Kind::Never | Kind::Reference(_) => unreachable!("nothing has this shape"),
        Kind::Boolean => any::<bool>().prop_map_into().boxed(),
        Kind::Integer { min, max } => {
            (min.unwrap_or(i64::MIN)..=max.unwrap_or(i64::MAX)).prop_map_into().boxed()
        }
        Kind::Number => number().boxed(),
        Kind::Text(None) => any::<String>().prop_map_into().boxed(),
        Kind::Text(Some(format)) => text(*format).prop_map_into().boxed(),
        Kind::Choice(values) => select(values.clone()).prop_map_into().boxed(),
        Kind::List(element) => list(element, depth).prop_map_into().boxed(),
        Kind::Mergeable(element, growth) => mergeable(element, *growth, depth),
        Kind::Table(table) => object(table, depth),
        Kind::Either(either) => {
            let all: Vec<_> = either.iter().map(|it| value(it, depth)).collect();
            (0..all.len()).prop_flat_map(move |at| all[at].clone()).boxed()
        }
    }
}

fn object(table: &TableShape, depth: usize) -> BoxedStrategy<Value> {
    let usable = table.keys.iter().filter(|(_, it)| !matches!(it.kind, Kind::Never));
    let listed: Vec<_> = usable
        .filter(|(key, _)| depth > 0 || table.required.contains(key))
        .map(|(key, shape)| {
            let value = value(shape, depth.saturating_sub(1));
            let value = if table.required.contains(key) {
                value.prop_map(Some).boxed()
            } else {
                option::weighted(0.4, value).boxed()
            };
            (Just(key.clone()), value)
        })
        .collect();
    let others = match &table.others {
        Some(shape) if depth > 0 => {
            let names = table.names.map_or_else(|| any::<String>().boxed(), text);
            btree_map(names, value(shape, depth - 1), 0..3).boxed()
        }
        _ => Just(std::collections::BTreeMap::new()).boxed(),
    };
    (listed, others)
        .prop_map(|(listed, others)| {
            // A listed key keeps its own shape when a free one has its name.
            let listed = listed.into_iter().filter_map(|(key, it)| Some((key, it?)));
            let mut object: Map<String, Value> =
                others.into_iter().filter(|(key, _)| key != "*").collect();
            object.extend(listed);
            Value::Object(object)
        })
        .boxed()
}

fn list(element: &Shape, depth: usize) -> BoxedStrategy<Vec<Value>> {
    if depth == 0 {
        return Just(Vec::new()).boxed();
    }
    vec(value(element, depth - 1), 0..3).boxed()
}

fn mergeable(element: &Shape, growth: Growth, depth: usize) -> BoxedStrategy<Value> {
    (list(element, depth), option::of(select(growth.strategies().collect::<Vec<_>>())))
        .prop_map(|(list, strategy)| match strategy {
            None => json!(list),
            Some(it) => json!({ "strategy": it.name(), "value": list }),
        })
        .boxed()
}

fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map_into::<Value>(),
        number(),
        any::<String>().prop_map_into::<Value>(),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map_into::<Value>(),
            btree_map(any::<String>(), inner, 0..3)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
    .boxed()
}

fn number() -> impl Strategy<Value = Value> {
    let finite = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    prop_oneof![any::<i64>().prop_map_into::<Value>(), finite.prop_map_into::<Value>()]
}

fn text(format: Format) -> BoxedStrategy<String> {
    match format {
        Format::Name | Format::ToolName => "[A-Za-z0-9_.-]{1,8}".boxed(),
        Format::ToolSource => select(vec!["local", "builtin", "local.a", "builtin.b.c", "mcp.a.b"])
            .prop_map_into()
            .boxed(),
        Format::RegistryUrl => "(https|file)://[a-z/.]{1,9}".boxed(),
        Format::Sha256 => "[0-9a-fA-F]{64}".boxed(),
        Format::BindAddress => {
            select(vec!["127.0.0.1", "::1", "localhost"]).prop_map_into().boxed()
        }
        // Names of digits are nowhere sensitive, because the patterns have letters.
        Format::SystemPath => "(~/|/)[0-9]{1,3}(/[0-9]{1,3})?".boxed(),
        Format::ProgramPath => "/?[0-9]{1,3}(/[0-9]{1,3})?".boxed(),
        Format::SensitivePattern => "(~/|/|\\*\\*/|)[a-z]{1,6}".boxed(),
        Format::HttpUrl => "https?://[a-z]{1,6}(/[a-z]{1,3})?".boxed(),
    }
}
