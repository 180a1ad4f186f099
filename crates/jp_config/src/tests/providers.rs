//! `[providers.mcp.<name>]`: what it takes, what it refuses, and how layers build it together.

use std::time::Duration;

use camino::Utf8Path;
use jp_tool::access::Capability;

use super::{config, errors, merged, rendered};
use crate::conversation::tool::source::ToolSource;
use crate::providers::McpGrant;
use crate::{Config, Layer};

#[test]
fn a_server_is_a_program() {
    let config = config(
        "[providers.mcp.notes]\n\
         command = 'grizzly'\n\
         arguments = ['--jp', '--database', 'a b']\n\
         variables = { LOG = 'debug', KEY = '${JP_KEY}' }\n\
         cwd = 'notes'\n\
         stateful = false\n\
         startup_timeout_secs = 5\n\
         timeout_secs = 7\n\
         checksum = { algorithm = 'sha256', value = '0000000000000000000000000000000000000000000000000000000000000000' }\n\
         system = { read = ['/usr/share/notes'] }\n\
         [[providers.mcp.notes.access.fs]]\n\
         path = 'notes'\n\
         read = true\n",
    );
    assert!(config.warnings().is_empty());
    let server = &config.app.providers.mcp["notes"];
    assert_eq!(server.command.as_deref(), Some("grizzly"));
    assert_eq!(server.arguments.0, ["--jp", "--database", "a b"]);
    assert_eq!(server.variables["KEY"], "${JP_KEY}");
    assert_eq!((server.cwd.as_deref(), server.stateful), (Some("notes"), false));
    assert_eq!(server.startup_timeout(), Duration::from_secs(5));
    assert_eq!(server.timeout(), Duration::from_secs(7));
    assert!(server.checksum.is_some() && server.access.is_some() && server.system.is_some());
}

#[test]
fn a_server_is_a_service() {
    let config = config(
        "[providers.mcp.far]\nurl = 'https://example.org/mcp'\n\
         headers = { Authorization = 'Bearer ${JP_FAR}' }",
    );
    let server = &config.app.providers.mcp["far"];
    assert_eq!(server.url.as_deref(), Some("https://example.org/mcp"));
    assert_eq!(server.headers["Authorization"], "Bearer ${JP_FAR}");
    assert!(server.stateful);
    assert!(config.warnings().is_empty());
    assert_eq!(config.server_key("far", &["headers", "X.Y"]), "providers.mcp.far.headers.\"X.Y\"");
}

#[test]
fn a_service_wants_a_login() {
    let config = config(
        "[providers.mcp.far]\nurl = 'https://example.org/mcp'\n\
         auth = { client_id = 'jp', client_secret_env = 'JP_SECRET', scopes = ['read'], \
         client_metadata_url = 'https://example.org/jp.json' }\n\
         [providers.mcp.other]\nurl = 'https://example.org/mcp'\nauth = {}",
    );
    let auth = config.app.providers.mcp["far"].auth.as_ref().unwrap();
    assert_eq!(auth.grant, McpGrant::AuthorizationCode);
    assert_eq!(
        (auth.client_id.as_deref(), auth.scopes.as_slice()),
        (Some("jp"), &["read".to_owned()][..])
    );
    assert_eq!(auth.client_secret_env.as_deref(), Some("JP_SECRET"));
    assert!(config.warnings().is_empty());

    let own = "[providers.mcp.far]\nurl = 'https://example.org/mcp'\n\
               auth = { grant = 'client_credentials', client_id = 'jp', private_key_file = '~/key.pem' }";
    let config = Config::load(vec![Layer::user("u", own)]).unwrap();
    let auth = config.app.providers.mcp["far"].auth.as_ref().unwrap();
    assert_eq!(auth.grant, McpGrant::ClientCredentials);
    let error = Config::load(vec![Layer::workspace("w", own)]).unwrap_err().to_string();
    assert!(error.contains("can only be set in your own settings"), "{error}");
    let foreign = "[providers.mcp.far.auth]\nscopes = ['all']";
    let error = Config::load(vec![Layer::user("u", own), Layer::workspace("w", foreign)]);
    assert!(error.unwrap_err().to_string().contains("a workspace cannot change it"));
}

#[test]
fn a_login_that_cannot_be_is_refused() {
    let wrong = |auth: &str| {
        errors(&format!("[providers.mcp.a]\nurl = 'https://x.org'\nauth = {{ {auth} }}\n"))
    };
    for (auth, error) in [
        ("grant = 'client_credentials'", "cannot log in by `client_credentials`"),
        ("grant = 'client_credentials', client_id = 'a'", "cannot log in by `client_credentials`"),
        ("client_secret_env = 'JP_A'", "there is no `client_id`"),
        ("client_id = 'a', client_secret_env = 'hunter 2'", "is not the name of a variable"),
        ("client_metadata_url = 'http://x.org/a'", "is not an `https://` URL with a path"),
        ("client_metadata_url = 'https://x.org'", "is not an `https://` URL with a path"),
        ("grant = 'implicit'", "implicit"),
    ] {
        let found = wrong(auth);
        assert!(found.contains(error), "{auth}: {found}");
        assert!(!found.contains("hunter"), "{found}");
    }
    let both = errors(
        "[providers.mcp.a]\nurl = 'https://x.org'\nheaders = { authorization = '${JP_A}' }\nauth = {}\n",
    );
    assert!(both.contains("both `auth` and a header `Authorization`"), "{both}");
    let program = errors("[providers.mcp.a]\ncommand = 'x'\nauth = {}\n");
    assert!(program.contains("only for a server with `url`"), "{program}");
}

#[test]
fn layers_build_a_server_together() {
    let config = merged(vec![
        Layer::workspace("w", "[providers.mcp.a]\ncommand = 'x'\nvariables = { A = '1' }"),
        Layer::directory("d", "[providers.mcp.a]\ntimeout_secs = 9\nvariables = { B = '2' }"),
        Layer::assignment("providers.mcp.a.stateful=false"),
    ]);
    let server = &config.app.providers.mcp["a"];
    assert_eq!((server.timeout_secs, server.stateful), (9, false));
    assert_eq!(server.variables.keys().collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn a_workspace_cannot_change_a_server_of_the_user() {
    let own = "[providers.mcp.a]\nurl = 'https://a.org'\nheaders = { Key = '${KEY}' }\n";
    for foreign in [
        "[providers.mcp.a]\nurl = 'https://evil.org'\n",
        "[providers.mcp.a]\ntimeout_secs = 9\n",
        "[providers.mcp.a.headers]\nMore = 'x'\n",
    ] {
        for layer in [Layer::workspace("w", foreign), Layer::directory("d", foreign)] {
            let layers = vec![Layer::user("u", own), layer];
            let error = Config::load(layers).unwrap_err().to_string();
            assert!(error.contains("a workspace cannot change it"), "{error}");
        }
        // Whoever gives a file on the command line is the user.
        Config::load(vec![Layer::user("u", own), Layer::file("f", foreign)]).unwrap();
    }
    let other = Layer::workspace("w", "[providers.mcp.b]\ncommand = 'x'\n");
    Config::load(vec![Layer::user("u", own), other]).unwrap();
}

#[test]
fn program_or_service_and_not_both() {
    insta::assert_snapshot!(rendered("[providers.mcp.a]\ncommand = 'x'\nurl = 'https://x.org'\n"), @"
    error: `providers.mcp.a` has both `command` and `url`
     --> .jp/config.toml:3:1
      |
    3 | url = 'https://x.org'
      | ^^^
      |
     ::: .jp/config.toml:2:1
      |
    2 | command = 'x'
      | ------- the other one
      |
      = help: a server is a program that is started, or a service that is reached; take one away, in all layers
    ");
    insta::assert_snapshot!(rendered("[providers.mcp.a]\nstateful = true\n"), @"
    error: `providers.mcp.a` has neither `command` nor `url`
     --> .jp/config.toml:1:16
      |
    1 | [providers.mcp.a]
      |                ^
      |
      = help: `command` is the program to start, `url` the address of a server that runs elsewhere
    ");
}

#[test]
fn what_means_nothing_for_a_server_is_refused() {
    insta::assert_snapshot!(errors("[providers.mcp.a]\nurl = 'https://x.org'\narguments = ['x']\ncwd = 'x'\naccess = {}\n[providers.mcp.b]\ncommand = 'x'\nheaders = { A = 'b' }\n"), @"
    w.toml:3:1: `providers.mcp.a.arguments` is only for a server that is started by `command`
    w.toml:4:1: `providers.mcp.a.cwd` is only for a server that is started by `command`
    w.toml:5:1: `providers.mcp.a.access` is only for a server that is started by `command`
    w.toml:8:1: `providers.mcp.b.headers` is only for a server with `url`
    ");
    insta::assert_snapshot!(errors("[providers.mcp.a]\ncommand = 'npx -y server'\n[providers.mcp.b]\ncommand = ' '\n[providers.mcp.c]\ncommand = 'x'\ncwd = '../x'"), @"
    w.toml:2:11: `providers.mcp.a.command` has several words
    w.toml:4:11: `providers.mcp.b.command` is empty
    w.toml:7:7: `providers.mcp.c.cwd` is not a directory below the root of the workspace
    ");
    insta::assert_snapshot!(errors("[providers.mcp]\na = { url = 'ftp://x' }\nb = { url = 'http://me:pw@x' }\nc = { url = 'http:///x' }\nd = { command = 'x', timeout_secs = 0 }\ne = { comand = 'x' }"), @r#"
    w.toml:2:13: `providers.mcp.a.url`: "ftp://x" is not an `https://` or `http://` URL
    w.toml:3:13: `providers.mcp.b.url`: "http://me:pw@x" has a user name or a password in it
    w.toml:4:13: `providers.mcp.c.url`: "http:///x" is not a URL that can be reached
    w.toml:5:37: `providers.mcp.d.timeout_secs` must be an integer from 1 to 86400, found 0
    w.toml:6:7: unknown key `comand` in `providers.mcp.e`; did you mean `command`?
    "#);
}

#[test]
fn a_secret_that_stands_in_the_file_is_warned_of_and_not_repeated() {
    let config = config(
        "[providers.mcp]\na = { url = 'https://x.org', headers = { Authorization = 'abc', X = 'y' } }\n\
         b = { command = 'x', variables = { GITHUB_TOKEN = 'abc', API_TOKEN = '${JP_T}' } }",
    );
    let all: Vec<String> = config.warnings().problems().map(|it| it.to_string()).collect();
    insta::assert_snapshot!(all.join("\n"), @"
    w.toml:2:42: `providers.mcp.a.headers.Authorization` stands in the file as it is
    w.toml:3:36: `providers.mcp.b.variables.GITHUB_TOKEN` stands in the file as it is
    ");
}

/// A source can name all tools of a server. What is said of one tool is not said there.
#[test]
fn all_tools_of_a_server() {
    let config = config("[conversation.tools.a]\nsource = 'mcp.far.*'\nrun = 'unattended'");
    let source = config.app.tool("a").unwrap().source;
    assert_eq!(source.all_of(), Some("far"));
    assert_eq!("mcp.far.x".parse::<ToolSource>().unwrap().all_of(), None);
    assert_eq!("local.*".parse::<ToolSource>().unwrap().all_of(), None);
    insta::assert_snapshot!(errors("[conversation.tools.a]\nsource = 'mcp.far.*'\nsummary = 'x'\nparameters = {}"), @"
    w.toml:3:1: `conversation.tools.a.summary` is said of one tool, and this stands for all of a server
    w.toml:4:1: `conversation.tools.a.parameters` is said of one tool, and this stands for all of a server
    ");
}

fn policies(text: &str) -> Result<crate::Policies, String> {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap().canonicalize_utf8().unwrap();
    let config = Config::load(vec![Layer::workspace("w.toml", text)]).unwrap();
    config.policies(&root).map_err(|errors| errors.to_string())
}

/// 076-050: the rules of a server are compiled exactly as those of a tool, and refused as those are.
/// The other half, that they confine it, is proven by the tests of the program.
#[test]
fn the_rules_of_a_server_are_those_of_a_tool() {
    let rules = "access = { fs = [{ path = './src', read = true }], net = [{ host = 'Example.ORG', allow = true }] }";
    let both = format!(
        "[conversation.tools.t]\nsource = 'local'\ncommand = 'x'\n{rules}\n\
         [providers.mcp.s]\ncommand = 'x'\n{rules}\n[providers.mcp.free]\ncommand = 'x'"
    );
    let policies_of_both = policies(&both).unwrap();
    let (tool, server) =
        (policies_of_both.get("t").unwrap(), policies_of_both.server("s").unwrap());
    assert_eq!(tool.policy, server.policy);
    assert!(server.policy.fs.decide(Utf8Path::new("src/x"), Capability::Read).is_allowed());
    assert!(policies_of_both.server("free").is_none() && policies_of_both.server("t").is_none());
    let wrong = "[providers.mcp.s]\ncommand = 'x'\naccess = { fs = [{ path = '../x' }], net = [{ host = '*.org' }] }";
    insta::assert_snapshot!(policies(wrong).unwrap_err(), @"
    w.toml:3:18: `providers.mcp.s.access.fs[0]`: path escapes the workspace: ../x
    w.toml:3:45: `providers.mcp.s.access.net[0]`: wildcards are not supported in a host: *.org; write one rule for each host
    ");
}

#[test]
fn what_is_sensitive_is_not_opened_to_a_server() {
    insta::assert_snapshot!(errors("[providers.mcp.s]\ncommand = 'x'\nsystem = { read = ['~/.ssh'] }"), @r#"w.toml:3:20: `providers.mcp.s.system.read[0]`: "~/.ssh" is sensitive (`~/.ssh`), and no program is let at it"#);
}

#[test]
fn what_a_workspace_says_is_told_apart() {
    let config = merged(vec![
        Layer::user("u", "[providers.mcp.mine]\ncommand = 'x'"),
        Layer::workspace("w", "\n[providers.mcp.a]\ncommand = 'x'\narguments = ['b']"),
        Layer::directory("d", "[providers.mcp.a]\nvariables = { B = '2' }"),
        Layer::assignment("providers.mcp.a.stateful=false"),
        Layer::assignment("providers.mcp.a.variables.C=3"),
    ]);
    assert_eq!(config.foreign("providers.mcp.mine"), None);
    assert_eq!(config.foreign("providers.mcp.nothing"), None);
    let said = config.foreign("providers.mcp.a").unwrap();
    let wanted =
        serde_json::json!({ "command": "x", "arguments": ["b"], "variables": { "B": "2" } });
    assert_eq!((said.value, said.place.as_str()), (wanted, "w:3"));
    insta::assert_snapshot!(said.toml, @r#"
    [providers.mcp.a]
    command = "x"
    arguments = ["b"]

    [providers.mcp.a.variables]
    B = "2"
    "#);
    // A table that they left empty is theirs, too: it may take rules away.
    let config =
        merged(vec![Layer::workspace("w", "[providers.mcp.a]\ncommand = 'x'\naccess.fs = []")]);
    let said = config.foreign("providers.mcp.a").unwrap();
    assert_eq!(said.value["access"], serde_json::json!({}));
}
