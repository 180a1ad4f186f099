//! What a plugin has put into the store, past jp or through it: whoever asks for it then, jp stays small.
//!
//! Each of these takes little on the disk, or little to ask for, and would take many times as much in memory.

use super::{
    jp,
    misbehavior::{MOST, peak},
    plugin,
};

/// How a plugin reaches the files of a conversation.
const FILES: &str = r#"
def path(ident, name):
    return init["workspace"]["storage"] + "/conversations/" + ident + "/" + name

def make():
    ident = ask(type="create_conversation")["conversation"]
    ask(type="unlock", conversation=ident)
    return ident

START = '{"timestamp":"2026-03-18T13:19:13Z","type":"tool_call_request","id":"t","name":"n","arguments":{"a":['

def listed():
    return sorted(it["events_count"] for it in ask(type="list_conversations")["data"])
"#;

/// jp needs little for a plugin that does this, and what it shows is this.
#[track_caller]
fn check(body: &str, shown: &str) {
    let env = plugin(&format!("{FILES}{body}"));
    let (peak, output) = peak(&env, &["p"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert_eq!(output.stdout(), shown, "{output}");
    assert!(peak < MOST, "{peak} KiB");
}

#[test]
fn titles_are_short_where_all_are_listed() {
    check(
        r#"
long = ask(type="create_conversation", title="\u0001" * 65536)
show(long["type"])
for n in range(500):
    made = ask(type="create_conversation", title="\u0001" * 4096)
    assert made["type"] == "created", made
with_title = json.dumps({"title": "\u0001" * 65536})
for n in range(500):
    os.mkdir(path(str(1000 + n), ""))
    with open(path(str(1000 + n), "metadata.json"), "w") as file:
        file.write(with_title)
lengths = {len(it["title"].encode()) for it in ask(type="list_conversations")["data"]}
show([len(ask(type="list_conversations")["data"]), sorted(lengths)])
"#,
        "\"error\"\n[1000, [4096]]\n",
    );
}

#[test]
fn events_of_one_byte_take_no_more_than_that() {
    for (name, unit) in [("events.jsonl", r"0\n"), ("events.json", "0,")] {
        check(
            &format!(
                r#"
made = make()
os.remove(path(made, "events.jsonl"))
with open(path(made, "{name}"), "w") as file:
    text = "{unit}" * (12 << 20)
    file.write("[" + text + "0]" if "{unit}" == "0," else text)
show(ask(type="read_events", conversation=made)["data"])
"#
            ),
            "[]\n",
        );
    }
}

#[test]
fn events_of_many_values_are_not_made_into_them() {
    // One that nobody reads; then several at the same time that are just not as large.
    check(
        r#"
made = make()
with open(path(made, "events.jsonl"), "w") as file:
    file.write(START + "0," * (20 << 20) + "0]}}\n" + '{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}\n')
show([it["type"] for it in ask(type="read_events", conversation=made)["data"]])
show(listed())
show(ask(type="lock", conversation=made)["type"])
show(ask(type="push_events", conversation=made, events=[{"type": "turn_start"}])["type"])
"#,
        "[\"turn_start\"]\n[2]\n\"locked\"\n\"pushed\"\n",
    );
    check(
        r#"
made = [make() for _ in range(8)]
for ident in made:
    with open(path(ident, "events.jsonl"), "w") as file:
        file.write(START + "0," * 900000 + "0]}}\n")
for n, ident in enumerate(made):
    say(type="read_events", conversation=ident, id=str(n))
time.sleep(3)
show([len(hear()["data"]) for _ in made])
"#,
        "[1, 1, 1, 1, 1, 1, 1, 1]\n",
    );
}

#[test]
fn events_are_looked_at_and_not_made() {
    // Objects of one field, which take most as values; a long text with an escape, of a type that nobody knows.
    check(
        r#"
START = '{"timestamp":"2026-03-18T13:19:13Z","type":"hologram","a":'
made = [make() for _ in range(2)]
with open(path(made[0], "events.jsonl"), "w") as file:
    file.write(START + "[" + ",".join(['{"":0}'] * 499000) + "]}\n")
with open(path(made[1], "events.jsonl"), "w") as file:
    file.write(START + '"\\n' + "x" * (44 << 20) + '"}\n')
show(listed())
for ident in made:
    show(ask(type="lock", conversation=ident)["type"])
    show(ask(type="push_events", conversation=ident, events=[{"type": "turn_start"}])["type"])
"#,
        "[1, 1]\n\"locked\"\n\"pushed\"\n\"locked\"\n\"pushed\"\n",
    );
    // By the protocol alone.
    check(
        r#"
made = [ask(type="create_conversation")["conversation"] for _ in range(8)]
for ident in made:
    long = [{"type": "chat_response", "message": "\n" + "x" * (15900 << 10)}]
    assert ask(type="push_events", conversation=ident, events=long)["type"] == "pushed"
for ident in made:
    assert ask(type="unlock", conversation=ident)["type"] == "unlocked"
    assert ask(type="lock", conversation=ident)["type"] == "locked"
for n, ident in enumerate(made):
    say(type="push_events", conversation=ident, events=[{"type": "turn_start"}], id=str(n))
show([hear()["type"] for _ in made])
"#,
        &format!("[{}]\n", ["\"pushed\""; 8].join(", ")),
    );
}

#[test]
fn an_array_is_read_up_to_a_limit_and_one_at_a_time() {
    check(
        r#"
made = [make() for _ in range(8)]
for n, ident in enumerate(made):
    os.remove(path(ident, "events.jsonl"))
    with open(path(ident, "events.json"), "w") as file:
        if n == 0:
            file.truncate(500 << 20)
        else:
            file.write("[" + '{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}' + " " * (60 << 20) + "]")
show(listed())
for ident in made:
    assert ask(type="lock", conversation=ident)["type"] == "locked"
for n, ident in enumerate(made):
    say(type="push_events", conversation=ident, events=[{"type": "turn_start"}], id=str(n))
show(sorted(hear()["type"] for _ in made))
"#,
        "[0, 1, 1, 1, 1, 1, 1, 1]\n[\"error\", \"pushed\", \"pushed\", \"pushed\", \"pushed\", \"pushed\", \"pushed\", \"pushed\"]\n",
    );
}

#[test]
fn events_that_become_longer_are_written_in_pieces() {
    check(
        r#"
import base64
made = make()
with open(path(made, "events.jsonl"), "w") as file:
    content = base64.b64encode(b"\x01" * (35 << 20)).decode()
    file.write('{"timestamp":"2026-03-18T13:19:13Z","type":"tool_call_response","id":"t","content":"' + content + '"}\n')
data = ask(type="read_events", conversation=made)["data"]
show([len(it["content"]) for it in data])
"#,
        "[36700160]\n",
    );
    // By the protocol alone, of several at the same time.
    check(
        r#"
made = [ask(type="create_conversation")["conversation"] for _ in range(6)]
for n in range(13):
    event = {"type": "turn_start", "metadata": {"a": "\u0001" * 2790000}}
    answer = ask(type="push_events", conversation=made[n % 6], events=[event])
    assert answer["type"] == "pushed", answer
sys.stdout.write("".join(json.dumps({"type": "read_events", "conversation": it, "id": it}) + "\n" for it in made))
sys.stdout.flush()
time.sleep(3)
show(sum(len(hear()["data"]) for _ in made))
"#,
        "13\n",
    );
}

#[test]
fn what_has_no_end_is_read_in_pieces() {
    check(
        r#"
made = make()
whole = '{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}\n'
def ends(tail):
    with open(path(made, "events.jsonl"), "w") as file:
        file.write(whole)
    os.truncate(path(made, "events.jsonl"), 500 << 20)
    with open(path(made, "events.jsonl"), "a") as file:
        file.write(tail)
ends("")
show(listed())
show(ask(type="lock", conversation=made)["type"])
show(os.path.getsize(path(made, "events.jsonl")) == len(whole))
ask(type="unlock", conversation=made)
ends("\n" + whole)
show(ask(type="lock", conversation=made)["type"])
show(ask(type="push_events", conversation=made, events=[{"type": "turn_start"}])["type"])
show(listed())
"#,
        "[1]\n\"locked\"\ntrue\n\"locked\"\n\"pushed\"\n[4]\n",
    );
}

#[test]
fn what_is_left_out_is_told_once() {
    let body = r#"
made = make()
with open(path(made, "events.jsonl"), "w") as file:
    file.write("0\n" * 5 + '{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}\n' + "1\n")
show(len(ask(type="read_events", conversation=made)["data"]))
"#;
    let env = plugin(&format!("{FILES}{body}"));
    let output = jp(&env, &["--log-file", "log", "p"]).run().success();
    assert_eq!(output.stdout(), "1\n");
    let log = env.read("log");
    let told: Vec<_> = log.lines().filter(|line| line.contains("left out")).collect();
    assert!(matches!(&told[..], [one] if one.contains("events=6")), "{told:?}");
}
