//! The JSON Schema: what it says, that our own checks understand all of it, and that it admits
//! what may be written in one layer.

use regex::Regex;
use serde_json::{Value, json};

use super::{config, errors};
use crate::app::AppConfig;
use crate::schema::{LINES, derived, schema, schema_text};
use crate::shape::Model;
use crate::types::format::Format;

#[test]
fn it_is_a_schema_of_the_whole_configuration() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["title"], "jp configuration");
    let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "assistant",
            "conversation",
            "plugins",
            "project",
            "providers",
            "sandbox",
            "server",
            "style",
            "vfs",
            "tools"
        ]
    );
    assert_eq!(serde_json::from_str::<Value>(&schema_text()).unwrap(), schema);
    assert!(schema_text().ends_with("}\n"));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "accepting what the types say writes a file of the source"
)]
fn it_says_what_the_types_say() {
    let mut root = derived::schema();
    let definitions = root.as_object_mut().unwrap().remove("$defs").unwrap();
    let definitions = definitions.as_object().unwrap().iter();
    let definitions = definitions.map(|(name, it)| format!("{}\n", json!({ name: it })));
    let lines = format!("{root}\n{}", definitions.collect::<String>());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema.jsonl");
    if lines != LINES && std::env::var_os("INSTA_UPDATE").is_some_and(|it| it == "always") {
        std::fs::write(path, &lines).unwrap();
    }
    assert!(lines == LINES, "{path} is not what the types say: `cargo xtask bless` writes it anew");
    assert_eq!(schema(), derived::schema());
}

#[test]
fn every_keyword_of_it_is_understood() {
    let (_, unknown) = Model::read(&schema());
    assert_eq!(unknown, [""; 0]);
    // And the test would notice one that is not.
    let odd = json!({ "type": "object", "properties": { "a": { "multipleOf": 2 } } });
    assert_eq!(Model::read(&odd).1, ["properties.a.multipleOf"]);
    assert_eq!(strange_forms(&schema()), [""; 0]);
    let odd = json!({ "items": { "type": "string", "format": "uri" } });
    assert_eq!(strange_forms(&odd), ["uri"]);
}

/// The forms of strings that are not known. Those of numbers say what their bounds say.
fn strange_forms(schema: &Value) -> Vec<String> {
    let own = schema["format"].as_str().filter(|_| schema["type"] == "string");
    let own = own.filter(|it| Format::from_keyword(it).is_none()).map(str::to_owned);
    let inside: Vec<_> = match schema {
        Value::Object(object) => object.values().flat_map(strange_forms).collect(),
        Value::Array(list) => list.iter().flat_map(strange_forms).collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(inside).collect()
}

#[test]
fn every_key_has_a_description() {
    fn check(at: &str, schema: &Value) {
        if let Some(properties) = schema["properties"].as_object() {
            for (key, it) in properties {
                let description = it["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{at}.{key}");
                assert!(!description.contains('\n'), "{at}.{key}");
            }
        }
    }
    let schema = schema();
    check("", &schema);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        check(name, definition);
    }
}

#[test]
fn defaults_are_there_and_nothing_is_null() {
    let schema = schema();
    let defaults = |definition: &str, key: &str| {
        schema["$defs"][definition]["properties"][key]["default"].clone()
    };
    assert_eq!(defaults("AssistantConfig", "name"), "JP");
    assert_eq!(defaults("AssistantConfig", "instructions"), json!([]));
    assert_eq!(defaults("ToolConfig", "enable"), true);
    assert_eq!(defaults("WebConfig", "port"), 3141);
    assert_eq!(defaults("PluginsConfig", "shutdown_timeout_secs"), 5);
    assert!(!schema_text().contains(": null"));
    assert!(!schema_text().contains("\"type\": \"null\""));
}

/// A layer says a part; only elements of lists, and lists with a strategy, are whole.
#[test]
fn no_table_demands_a_key() {
    let schema = schema();
    assert_eq!(schema.get("required"), None);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        // A rule is an element of a list.
        if !name.ends_with("RuleConfig") {
            assert_eq!(definition.get("required"), None, "{name}");
        }
    }
    for part in [
        "style = {}",
        "assistant.model.id.name = 'x'",
        "plugins.command.x = {}",
        "tools.x.source = 'local'",
    ] {
        config(part);
    }
}

#[test]
fn it_admits_both_forms_of_a_mergeable_list() {
    config("assistant.instructions = ['a']");
    config("assistant.instructions = { strategy = 'dedup', value = ['a'] }");
    let list = &schema()["$defs"]["AssistantConfig"]["properties"]["instructions"];
    assert_eq!(list["x-jp-mergeable"], true);
    assert_eq!(list["anyOf"][0]["type"], "array");
    assert_eq!(list["anyOf"][1]["required"], json!(["strategy", "value"]));
}

/// The function decides and the pattern is for editors: it may be wider, never narrower.
#[test]
fn patterns_agree_with_the_checks() {
    let check = |format: Format, right: &[&str], wrong: &[&str]| {
        let pattern = Regex::new(format.pattern()).unwrap();
        for text in right {
            assert!(format.check(text).is_ok(), "{text}");
            assert!(pattern.is_match(text), "{text}");
        }
        for text in wrong {
            assert!(format.check(text).is_err(), "{text}");
            assert!(!pattern.is_match(text), "{text}");
        }
    };
    let (name, long) = ("x".repeat(64), "x".repeat(65));
    let hex = "0123456789abcDEF".repeat(4);
    check(Format::Name, &["a", "A-b_c.9", &name], &["", "*", "a b", "é", &long]);
    check(Format::ToolName, &["a", "*", &name], &["", "**", "a*", &long]);
    check(
        Format::ToolSource,
        &["local", "local.x", "builtin", "builtin.a.b", "mcp.s.t", "mcp.s.t.u"],
        &[
            "", "loca", "local.", "local. x", "locals", "mcp", "mcp.s", "mcp..t", "mcp.s.",
            "mcp. .t",
        ],
    );
    check(
        Format::RegistryUrl,
        &["https://jp.computer/plugins.json", "file:///srv/plugins.json", "https://localhost:1/"],
        &["", "http://x", "https://", "HTTPS://x", "https://a b", "ftp://x", "plugins.json"],
    );
    check(Format::Sha256, &[&hex], &["", &hex[1..], &hex.replace('0', "g")]);
    check(
        Format::BindAddress,
        &["127.0.0.1", "0.0.0.0", "::1", "[::1]", "localhost", "my-host.example"],
        &["", "-x", "a b", "localhost:80", "x_y", "http://x", "fe80::1%eth0"],
    );
    check(
        Format::SystemPath,
        &["/", "/opt/x", "~", "~/", "~/.cargo", "/a//b/./c"],
        &["", "x", "./x", "../x", "~me/x"],
    );
    check(
        Format::SensitivePattern,
        &["~/.netrc", "/etc/shadow", "**/secrets.toml", "**/*.pem", "**/x/", "a/b", "a~", "~/~"],
        &["", "/", "~", "~/", "~me/x", "**/", "**/a/b", "a/*", "*.pem", "~/*", "/a/*/b"],
    );
    check(
        Format::ProgramPath,
        &["lib", "lib/", "./a", "a/b.py", "/opt/x", ".x", "./~x", "a~"],
        &["", "~", "~/x", "~me/x"],
    );
    // The pattern is wider here.
    assert!(Format::BindAddress.check("1:2").is_err());
    assert!(Format::SystemPath.check("/a/../b").is_err());
    assert!(Format::SystemPath.check(&format!("/{}", "x".repeat(4096))).is_err());
    assert!(Format::SensitivePattern.check("a/../b").is_err());
    for text in [".", "./", "./.", "/", "//", "/./", "a/../b", "..", "a\nb"] {
        assert!(Format::ProgramPath.check(text).is_err(), "{text}");
    }
}

#[test]
fn keys_of_the_types_are_keys_of_the_schema() {
    fn check(model: &Model, path: &mut Vec<String>, value: &Value) {
        assert!(model.at(path).is_some(), "{path:?}");
        for (key, value) in value.as_object().into_iter().flatten() {
            path.push(key.clone());
            check(model, path, value);
            path.pop();
        }
    }
    let defaults = serde_json::to_value(AppConfig::default()).unwrap();
    check(crate::schema::model(), &mut Vec::new(), &defaults);
}

#[test]
fn samples_are_judged_by_it() {
    config(include_str!("samples/right.toml"));
    insta::assert_snapshot!(errors(include_str!("samples/wrong.toml")), @r#"
    w.toml:2:1: unknown key `names` in `assistant`; did you mean `name`?
    w.toml:3:16: `assistant.instructions` must be a list of strings, found a string
    w.toml:6:6: `assistant.model.id` must be a table, found a string
    w.toml:9:7: `conversation.tools."*".run` must be one of "ask", "unattended", "edit", "skip", found "always"
    w.toml:10:1: `conversation.tools."*".options` cannot be set
    w.toml:13:10: `conversation.tools.fs_read.source`: "buildin" is not a tool source; did you mean `builtin`?
    w.toml:15:8: `"bad name"` is not a usable name
    w.toml:20:29: unknown key `arg` in `tools.count.command`; did you mean `args`?
    w.toml:21:25: `tools.count.parameters.files.type` must be one of "string", "number", "integer", "boolean", "array", "object", "null", found "strings"; did you mean `string`?
    w.toml:24:12: `plugins.registry`: "http://example.com" is not an `https://` or `file://` URL
    w.toml:25:36: `plugins.command.x.checksum.algorithm` must be "sha256", found "md5"
    w.toml:25:51: `plugins.command.x.checksum.value`: "00" is not a SHA-256 checksum: 64 hexadecimal digits are needed, these are 2 characters
    w.toml:28:8: `server.web.port` must be an integer from 0 to 65535, found 99999
    w.toml:30:2: unknown key `styles`; did you mean `style`?
    "#);
}
