//! The machinery on types other than our own: a table with three lists of rules, each a table with
//! a key that must be there. What the lists of a tool's access rules need is proved here, before
//! those rules exist.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::resolve;
use crate::error::{ConfigErrors, Report, Severity};
use crate::schema::derived::schema_of;
use crate::shape::Model;
use crate::source::Sources;
use crate::{Layer, MergeableVec};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Access {
    fs: MergeableVec<FsRule>,
    net: MergeableVec<NetRule>,
    groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FsRule {
    /// Where the rule applies.
    path: String,
    #[serde(default)]
    read: bool,
    #[serde(default)]
    write: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NetRule {
    host: String,
    #[serde(default)]
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Group {
    names: MergeableVec<String>,
}

fn load(layers: &[&str]) -> Result<Access, String> {
    let (model, unknown) = Model::read(&schema_of::<Access>());
    assert_eq!(unknown, [""; 0]);
    let named = layers.iter().enumerate().map(|(at, text)| Layer::file(format!("{at}"), *text));
    let sources = Arc::new(Sources::new(named.collect()));
    match resolve::<Access>(&model, &sources, &mut |_, _| {}) {
        Ok((access, _)) => Ok(access),
        Err(errors) => Err(ConfigErrors(Report::new(Severity::Error, errors, sources)).to_string()),
    }
}

/// The rules in short: path and rights.
fn fs(layers: &[&str]) -> Vec<String> {
    let access = load(layers).unwrap();
    let flags = |rule: &FsRule| match (rule.read, rule.write) {
        (true, true) => "rw",
        (true, false) => "r",
        (false, true) => "w",
        (false, false) => "-",
    };
    access.fs.iter().map(|it| format!("{} {}", it.path, flags(it))).collect()
}

const FIRST: &str = "[[fs]]\npath = '.'\nread = true\n[[net]]\nhost = 'a'";

#[test]
fn rules_of_two_layers_are_joined_by_the_strategy() {
    let tools = "{ path = 'tools', read = true, write = true }";
    let check = |second: &str, wanted: &[&str]| assert_eq!(fs(&[FIRST, second]), wanted);
    check("[[fs]]\npath = 'tools'\nread = true\nwrite = true", &[". r", "tools rw"]);
    check(&format!("fs = {{ strategy = 'append', value = [{tools}] }}"), &[". r", "tools rw"]);
    check(&format!("[fs]\nstrategy = 'replace'\nvalue = [{tools}]"), &["tools rw"]);
    check(&format!("fs = {{ strategy = 'prepend', value = [{tools}] }}"), &["tools rw", ". r"]);
    check("fs = { strategy = 'replace', value = [] }", &[]);
}

#[test]
fn equal_rules_are_dropped_by_dedup_whatever_the_order_of_their_keys() {
    let second = "[fs]\nstrategy = 'dedup'\nvalue = [{ read = true, path = '.' }, { path = 'b' }]";
    assert_eq!(fs(&[FIRST, second]), [". r", "b -"]);
    // A rule that writes out a default is another text and stays.
    let third = "fs = { strategy = 'dedup', value = [{ path = 'b', read = false }] }";
    assert_eq!(fs(&[FIRST, second, third]), [". r", "b -", "b -"]);
}

#[test]
fn lists_merge_independently() {
    let second = "fs = { strategy = 'replace', value = [] }\n[[net]]\nhost = 'b'";
    let access = load(&[FIRST, second]).unwrap();
    let hosts: Vec<&str> = access.net.iter().map(|it| it.host.as_str()).collect();
    assert_eq!((access.fs.len(), hosts), (0, vec!["a", "b"]));
    assert_eq!(fs(&[FIRST, "[[net]]\nhost = 'b'"]), [". r"]);
}

#[test]
fn a_rule_without_its_key_is_refused_where_it_is_written() {
    insta::assert_snapshot!(
        load(&[FIRST, "[[fs]]\nread = true\n[[net]]\nport = 80"]).unwrap_err(),
        @r"
    1:1:1: `fs` has no `path`
    1:3:1: `net` has no `host`
    "
    );
}

#[test]
fn a_wrong_value_in_a_rule_is_refused() {
    insta::assert_snapshot!(
        load(&["fs = [{ path = '.', read = 'yes', wirte = true }]\nnet = [{ host = 'a', port = 70000 }]"])
            .unwrap_err(),
        @r"
    0:1:28: `fs[0].read` must be a boolean, found a string
    0:1:35: unknown key `wirte` in `fs[0]`; did you mean `write`?
    0:2:29: `net[0].port` must be an integer from 0 to 65535, found 70000
    "
    );
}

#[test]
fn a_strategy_inside_an_element_is_settled() {
    let text = "groups = [{ names = { strategy = 'dedup', value = ['a', 'a', 'b'] } }]";
    let access = load(&[text]).unwrap();
    assert_eq!(*access.groups[0].names, ["a", "b"]);
}

/// Elements of lists are whole, tables are not.
#[test]
fn only_elements_of_lists_demand_keys_in_the_schema() {
    let schema = schema_of::<Access>();
    assert_eq!(schema["$defs"]["FsRule"]["required"], serde_json::json!(["path"]));
    assert_eq!(schema.get("required"), None);
}
