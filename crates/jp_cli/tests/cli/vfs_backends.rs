//! One tool on everything that can hold a project: the answers are the same, byte for byte.
//!
//! The tool is written in Python from the document alone, without a library (D11-265). It sends one fixed
//! sequence of requests and prints every answer. What a disk answers is the measure; that it is right is
//! looked at here where it is quickly seen, and by the tests of each method elsewhere.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use jp_test::{Server, TestEnv};

use super::sandbox::world;

/// A store over a network is slow, and the machine may have more to do.
const LIMIT: Duration = Duration::from_mins(4);

const EVERYTHING: &str = "\
[[conversation.tools.client.access.fs]]
path = \".\"
read = true
write = true
";

const SOME: &str = "\
[[conversation.tools.client.access.fs]]
path = \"open\"
read = true
write = true
[[conversation.tools.client.access.fs]]
path = \"drop\"
read = true
create = true
[[conversation.tools.client.access.fs]]
path = \"closed\"
create = true
";

const MEMORY: &str = "[project]\nbackend = \"memory\"\n";
const SQLITE: &str = "[project]\nbackend = \"sqlite\"\npath = \"files.db\"\n";
const OPENDAL: &str = "[project]\nbackend = \"opendal\"\nscheme = \"memory\"\n";

/// What the tool prints on a project in this place; `secrets` are variables of jp.
fn answers(part: &str, rules: &str, project: &str, secrets: &[(&str, &str)]) -> String {
    let env = world();
    // Beside the project, so that it is no part of it.
    env.write(env.home().join("client.py"), include_str!("vfs_backends/client.py"));
    let tool = format!(
        "[conversation.tools.client]\nsource = \"local\"\nruntime = \"vfs\"\nrun = \"unattended\"\n\
         command = \"python3 {}\"\nparameters.part = {{ type = \"string\" }}\n",
        env.home().join("client.py")
    );
    env.write(".jp/config.toml", format!("{tool}{rules}{project}"));
    let run = call(&env, part);
    let run = secrets.iter().fold(run, |run, (name, value)| run.env(name, value));
    let output = run.run().success();
    for (name, value) in secrets {
        assert!(!output.stdout().contains(value), "{name} is in\n{output}");
    }
    // The settings of jp are a part of the project only where that is a directory.
    output.stdout().replace("{\"path\":\".jp\",\"kind\":\"dir\"},", "")
}

fn call<'env>(env: &'env TestEnv, part: &str) -> jp_test::Run<'env> {
    env.jp(["tool", "run", "client", &format!("part={part}")]).timeout(LIMIT)
}

/// The table of a store, and the variables that its secrets are in.
fn store(server: &Server) -> (String, Vec<(&'static str, &str)>) {
    let (mut table, mut secrets) = (String::new(), Vec::new());
    for (name, value) in &server.options {
        let variable = match name.as_str() {
            "access_key_id" => Some("JP_ID"),
            "secret_access_key" | "password" => Some("JP_KEY"),
            _ => None,
        };
        let shown = match variable {
            Some(variable) => format!("${{{variable}}}"),
            None => value.clone(),
        };
        secrets.extend(variable.map(|variable| (variable, value.as_str())));
        let _ = write!(table, "{name} = \"{shown}\", ");
    }
    let options = table.trim_end_matches(", ");
    let scheme = server.scheme;
    let project = format!(
        "[project]\nbackend = \"opendal\"\nscheme = \"{scheme}\"\noptions = {{ {options} }}\n"
    );
    (project, secrets)
}

/// Compares answer by answer, so that a failure shows what was asked.
#[track_caller]
fn assert_same(place: &str, got: &str, want: &str) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (got, want) = (lines(got), lines(want));
    let mut differences = String::new();
    // A line with the request, a line with the answer.
    for (got, want) in got.chunks(2).zip(want.chunks(2)) {
        if got != want {
            let _ = writeln!(differences, "{}\nnot\n{}\n", got.join("\n"), want.join("\n"));
        }
    }
    assert!(differences.is_empty(), "{place}:\n{differences}");
    assert_eq!(got.len(), want.len(), "{place}");
}

/// The codes of all answers, and how often each came.
fn codes(answers: &str) -> BTreeMap<i64, usize> {
    let mut codes = BTreeMap::new();
    for line in answers.lines().skip(1).step_by(2) {
        let answer: serde_json::Value = serde_json::from_str(line).expect("an answer is JSON");
        *codes.entry(answer["error"]["code"].as_i64().unwrap_or(0)).or_default() += 1;
    }
    codes
}

#[test]
fn a_disk_answers_what_the_document_says() {
    let all = answers("all", EVERYTHING, "", &[]);
    insta::assert_snapshot!("all", all);
    assert_eq!(
        codes(&all),
        [(-32602, 45), (-32601, 2), (-32003, 3), (-32002, 11), (0, 110)].into()
    );
    let ruled = answers("ruled", SOME, "", &[]);
    insta::assert_snapshot!("ruled", ruled);
    assert_eq!(
        codes(&ruled),
        [(-32602, 1), (-32003, 2), (-32002, 1), (-32001, 29), (0, 21)].into()
    );
}

/// D11-013, D11-014, D11-130, D11-265
#[test]
fn what_needs_no_server_answers_like_a_disk() {
    for (part, rules) in [("all", EVERYTHING), ("ruled", SOME)] {
        let disk = answers(part, rules, "", &[]);
        for place in [MEMORY, SQLITE, OPENDAL] {
            assert_same(place, &answers(part, rules, place, &[]), &disk);
        }
    }
}

/// D11-013, D11-014, D11-130, D11-265
#[test]
fn a_database_answers_like_a_disk() {
    for (part, rules) in [("all", EVERYTHING), ("ruled", SOME)] {
        let server = Server::postgresql();
        let (project, secrets) = store(&server);
        let got = answers(part, rules, &project, &secrets);
        assert_same("PostgreSQL", &got, &answers(part, rules, "", &[]));
    }
}

/// D11-013, D11-014, D11-130, D11-265
#[test]
fn a_bucket_answers_like_a_disk() {
    for (part, rules) in [("all", EVERYTHING), ("ruled", SOME)] {
        let server = Server::s3(&[]);
        let (project, secrets) = store(&server);
        let got = answers(part, rules, &project, &secrets);
        assert_same("S3", &got, &answers(part, rules, "", &[]));
    }
}

// What the document shows works from a file of the workspace, and what does not says why.
#[test]
fn a_workspace_names_variables_that_are_meant_for_it() {
    let blocks = include_str!("../../../../docs/backends.md").split("```toml\n").skip(1);
    for block in blocks.map(|it| it.split("```").next().unwrap_or_default()) {
        assert!(block.split("${").skip(1).all(|name| name.starts_with("JP_")), "{block}");
    }
    let env = world();
    env.write(
        ".jp/config.toml",
        "[conversation.tools.t]\nsource = \"local\"\nruntime = \"vfs\"\nrun = \"unattended\"\n\
         command = \"true\"\n[project]\nbackend = \"opendal\"\nscheme = \"postgresql\"\n\
         options = { url = \"postgresql://me@localhost/x\", password = \"${PGPASSWORD}\" }\n",
    );
    let output = env.jp(["tool", "run", "t"]).env("PGPASSWORD", "hunter2").run().code(2);
    for part in [
        "`project.options.password`: the variable PGPASSWORD cannot be used here",
        "begin with `JP_`; your own settings can name any",
    ] {
        assert!(output.stderr().contains(part), "{output}");
    }
}
