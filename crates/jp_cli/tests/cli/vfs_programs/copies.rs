//! Programs on a project that is no directory: they work in a copy, and what they change is brought back.

use super::*;

/// The settings of each backend that needs nothing else.
const BACKENDS: [&str; 3] = [
    "[project]\nbackend = \"memory\"\n",
    "[project]\nbackend = \"sqlite\"\npath = \"files.db\"\n",
    "[project]\nbackend = \"opendal\"\nscheme = \"memory\"\n",
];

fn write(path: &str, content: &str) -> Value {
    request("fs.write", &json!({ "path": path, "content": content }))
}

fn read(path: &str) -> Value {
    request("fs.read", &json!({ "path": path }))
}

/// D11-157, D11-158
#[test]
fn what_a_program_changes_in_a_copy_is_brought_back() {
    for backend in BACKENDS {
        let env = workspace(&(FILES.to_owned() + &command("python3", "") + backend));
        env.write("on-disk", "not a part of the project");
        let script = "import os, json\n\
            print(json.dumps(sorted(os.listdir('.'))), open('a/old').read())\n\
            open('a/old', 'a').write(' and new'); os.remove('gone'); os.makedirs('b/c')\n\
            open('b/c/made', 'wb').write(bytes([255, 0])); open('é', 'w').write('é')";
        let requests = [
            write("a/old", "old"),
            write("gone", "gone"),
            python(script),
            read("a/old"),
            read("gone"),
            read("b/c/made"),
            read("é"),
            // The next one finds what the last one and the tool have left.
            write("a/old", "newer"),
            python("print(open('a/old').read(), open('é').read())"),
        ];
        let asked = Asked::from(call(&env, &requests, &[]).run());
        assert_eq!(asked.codes(), [0, 0, 0, 0, -32002, 0, 0, 0, 0], "{backend}{:?}", asked.answers);
        assert_eq!(ran(&asked, 2), ("[\"a\", \"gone\"] old\n", "", 0), "{backend}");
        assert_eq!(asked.result(3)["content"], "old and new");
        assert_eq!(asked.result(5)["content"], "/wA=");
        assert_eq!(asked.result(6)["content"], "é");
        assert_eq!(ran(&asked, 8), ("newer é\n", "", 0), "{backend}");
        assert!(!env.path("b").exists() && !env.path("é").exists(), "{backend}");
        // Nothing of the copies is left.
        let left: Vec<_> = env.root().join("tmp").read_dir_utf8().unwrap().flatten().collect();
        assert!(left.is_empty(), "{backend}{left:?}");
    }
}

/// D11-158, D11-207: the rules of the tool hold for what is brought back, and for what is copied.
#[test]
fn a_copy_shows_and_takes_back_what_the_rules_allow() {
    let rules = "\
        [[conversation.tools.ask.access.fs]]\npath = \".\"\nread = true\ncreate = true\n\
        [[conversation.tools.ask.access.fs]]\npath = \"private\"\ncreate = true\n";
    for backend in BACKENDS {
        let env = workspace(&(rules.to_owned() + &command("python3", "") + backend));
        let attempt =
            |body: &str| python(&format!("try:\n {body}\nexcept OSError as e: print(e.strerror)"));
        let requests = [
            write("kept", "as it was"),
            write("private/key", "classified"),
            attempt("print(open('private/key').read())"),
            attempt("open('kept', 'w').write('changed')"),
            read("kept"),
            attempt("import os; os.remove('kept')"),
            read("kept"),
            attempt("open('made', 'w').write('made')"),
            read("made"),
            // What is refused takes nothing else with it, and what was said is not lost.
            python(
                "import sys; open('too', 'w').write('too'); print('said'); \
                 print('aside', file=sys.stderr)\n\
                 try: open('kept', 'w').write('changed')\n\
                 except OSError: sys.exit(7)",
            ),
            read("too"),
            read("kept"),
        ];
        let asked = Asked::from(call(&env, &requests, &[]).run());
        let shown = asked.answers[2].to_string();
        assert!(!shown.contains("classified"), "{backend}{shown}");
        assert_eq!(asked.result(4)["content"], "as it was", "{backend}{:?}", asked.answers[3]);
        assert_eq!(asked.result(6)["content"], "as it was", "{backend}{:?}", asked.answers[5]);
        assert_eq!(asked.result(8)["content"], "made", "{backend}{:?}", asked.answers[7]);
        let answer = asked.answers[9].to_string();
        assert_eq!(asked.result(10)["content"], "too", "{backend}{answer}");
        assert_eq!(asked.result(11)["content"], "as it was", "{backend}{answer}");
        assert!(answer.contains("said") && answer.contains("aside"), "{backend}{answer}");
    }
}

/// What is in a database stays there from call to call, and what a program made of it too.
#[test]
fn a_database_keeps_what_a_program_changed() {
    let rules = FILES.to_owned() + &command("sh", "") + &command("cat", "");
    let env = workspace(&(rules + BACKENDS[1]));
    let first = [write("a", "1"), run("sh", &["-c", "echo 2 >> a; echo 3 > b"])];
    assert_eq!(Asked::from(call(&env, &first, &[]).run()).codes(), [0, 0]);
    let asked = Asked::from(call(&env, &[read("a"), run("cat", &["b"])], &[]).run());
    assert_eq!(asked.result(0)["content"], "12\n");
    assert_eq!(ran(&asked, 1), ("3\n", "", 0));
}

/// What a program leaves in a copy that is no file stays there, and leads nobody elsewhere.
#[test]
fn what_is_no_file_is_not_brought_back() {
    let env = workspace(&(FILES.to_owned() + &command("python3", "") + BACKENDS[0]));
    env.write(env.home().join("notes"), "mine");
    let notes = env.home().join("notes");
    let script = format!(
        "import os, socket\nos.mkfifo('fifo')\nos.symlink({0:?}, 'out')\nos.symlink({1:?}, 'home')\n\
         os.symlink('a', 'b')\nos.remove('was')\nos.symlink({0:?}, 'was')\n\
         os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 0)",
        notes.as_str(),
        env.home().as_str()
    );
    let list = request("fs.list_dir", &json!({ "path": "." }));
    let requests = [write("a", "1"), write("was", "2"), python(&script), list, read("was")];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [0, 0, 0, 0, -32002], "{:?}", asked.answers);
    let entries = asked.result(3)["entries"].to_string();
    assert!(!entries.contains("fifo") && !entries.contains("out") && !entries.contains("home"));
    assert!(!asked.output.stdout().contains("mine"));
}

/// D11-235: a program that did not come to its end has changed nothing in a copy.
#[test]
fn half_of_the_work_is_not_brought_back() {
    let limit = "[vfs]\nprocess_timeout_secs = 1\n";
    let env = workspace(&(FILES.to_owned() + &command("sh", "") + BACKENDS[0] + limit));
    let requests = [
        write("a", "1"),
        run("sh", &["-c", "echo 2 > a; echo 3 > b; sleep 60"]),
        read("a"),
        read("b"),
    ];
    let asked = Asked::from(call(&env, &requests, &[]).run());
    assert_eq!(asked.codes(), [0, -32004, 0, -32002], "{:?}", asked.answers);
    assert_eq!(asked.result(2)["content"], "1");
    let left: Vec<_> = env.root().join("tmp").read_dir_utf8().unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Programs that run at the same time have each a copy, and none undoes what another has done.
#[test]
fn programs_at_the_same_time_do_not_undo_each_other() {
    for backend in BACKENDS {
        let env = workspace(&(FILES.to_owned() + &command("sh", "") + backend));
        let at_once = |script: &str| {
            let mut request = run("sh", &["-c", script]);
            request["waits"] = json!(false);
            request
        };
        let requests = [
            write("a", "0"),
            at_once("sleep 1; echo 1 > b; echo 1 > a"),
            run("sh", &["-c", "sleep 1; echo 2 > c"]),
            read("a"),
            read("b"),
            read("c"),
        ];
        let asked = Asked::from(call(&env, &requests, &[]).run());
        assert_eq!(asked.codes(), [0; 6], "{backend}{:?}", asked.answers);
        let contents = [3, 4, 5].map(|number| asked.result(number)["content"].clone());
        assert_eq!(contents, ["1\n", "1\n", "2\n"], "{backend}");
    }
}
