"""A client of the protocol, written from docs/protocols/vfs.md and nothing else.

It sends one fixed sequence of requests, with everything that the page describes for files, and prints
each answer as it came. Whatever holds the project has to answer with the same bytes.
"""

import base64
import json
import sys


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer_to(number):
    """The line of the response; notifications in between are passed over."""
    for line in sys.stdin:
        if json.loads(line).get("id") == number:
            return line.rstrip("\n")
    sys.exit("the host has gone")


def b64(data):
    return base64.b64encode(data).decode()


def write(path, content, **more):
    return "fs.write", {"path": path, "content": content, **more}


def on(method, path, **more):
    return "fs." + method, {"path": path, **more}


def grep(pattern, **more):
    return "fs.grep", {"pattern": pattern, **more}


def rename(source, target, **more):
    return "fs.rename", {"from": source, "to": target, **more}


TEXT = 'one\r\ntwo "2" \\ \t\u00e9 \u4e2d \U0001f600\nthree\u2028four\nlast'
BYTES = bytes(range(256))
LINES = "".join(f"line {n} {'Needle' if n % 5 == 0 else 'hay'}\n" for n in range(1, 21))

MAKE = [
    write("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
    write("src/lib.rs", "pub fn needle() {}\n"),
    write("src/deep/er/lines.txt", LINES),
    write("text.txt", TEXT),
    write("bytes.bin", b64(BYTES), encoding="base64"),
    write("text.png", "text, whatever it is called"),
    write("looks.txt", "aGVsbG8="),
    write("empty", ""),
    write("nul.dat", b64(b"needle\0needle\n"), encoding="base64"),
    write("latin1.txt", b64("caf\u00e9 needle\n".encode("latin-1")), encoding="base64"),
    write(".hidden", "needle in a hidden file\n"),
    write(".gitignore", "ignored/\n*.log\n"),
    write("ignored/x.txt", "needle\n"),
    write("x.log", "needle\n"),
    write("na\u00efve \u4e2d\u6587.md", "needle \u00fcber alles\n"),
    write("a..b", "two dots"),
    write("Case", "upper"),
    write("case", "lower"),
    write("no-end.txt", "needle"),
    write("crlf.txt", "a\r\nneedle\r\nb\r\n"),
    on("create_dir", "made/a/b"),
    on("create_dir", "made/a/b"),
    on("create_dir", "made"),
]

READ = [
    on("read", "text.txt"),
    on("read", "bytes.bin"),
    on("read", "text.png"),
    on("read", "looks.txt"),
    on("read", "empty"),
    on("read", "na\u00efve \u4e2d\u6587.md"),
    on("read", "a..b"),
    on("read", "./src/main.rs"),
    on("read", "src//main.rs"),
    on("read", "src/main.rs/"),
    on("read", "Case"),
    on("read", "case"),
    on("read", "CASE"),
    on("read", "text.txt", offset=5, limit=3),
    on("read", "text.txt", offset=16, limit=1),
    on("read", "text.txt", limit=0),
    on("read", "text.txt", offset=100000),
    on("read", "bytes.bin", offset=128),
    on("read", "bytes.bin", offset=65, limit=5),
    on("read", "missing"),
    on("read", "src"),
    on("read", "."),
    on("read", "src/main.rs/below"),
    on("read", "missing/deep"),
    on("exists", "src"),
    on("exists", "src/main.rs"),
    on("exists", "missing"),
    on("exists", "src/main.rs/below"),
    on("exists", "."),
    on("metadata", "text.txt"),
    on("metadata", "bytes.bin"),
    on("metadata", "empty"),
    on("metadata", "src"),
    on("metadata", "."),
    on("metadata", "missing"),
    on("list_dir", "src"),
    on("list_dir", "src", links=True),
    on("list_dir", "made"),
    on("list_dir", "made/a/b"),
    on("list_dir", "src/deep", offset=0, limit=1),
    on("list_dir", "src", offset=1, limit=1),
    on("list_dir", "src", offset=9),
    on("list_dir", "src", limit=0),
    on("list_dir", "missing"),
    on("list_dir", "text.txt"),
]

GREP = [
    grep("needle"),
    grep("needle", counts=True),
    grep("NEEDLE", case_insensitive=True),
    grep("Needle", paths=["src"], context=1),
    grep("line 1[0-2] ", paths=["src/deep"], context=2),
    grep("line 1 |line 20 ", context=3),
    grep("line", max_matches=3),
    grep("line", max_matches=0),
    grep("fn", extensions=["rs"]),
    grep("needle", extensions=["txt", "md"]),
    grep("needle", extensions=[]),
    grep("needle", paths=[]),
    grep("needle", paths=["src/lib.rs", "no-end.txt", "src/lib.rs"]),
    grep("needle", paths=["ignored"]),
    grep("needle", paths=["ignored/x.txt"]),
    grep("needle", paths=["missing"]),
    grep("needle", paths=[".", "src"]),
    grep("main() {", fixed=True),
    grep("main\\(\\) \\{$"),
    grep("^$", paths=["text.txt"]),
    grep("\u00fcber|\u4e2d"),
    grep("nothing like it"),
    grep("("),
    grep("(", fixed=True, paths=["src/main.rs"]),
    grep("a\nb", fixed=True),
    grep(""),
    grep("needle", paths=["../x"]),
    grep("needle", context=-1),
]

CHANGE = [
    write("text.txt", "replaced"),
    on("read", "text.txt"),
    write("text.txt", "kept", create_new=True),
    write("new/file.txt", "made", create_new=True),
    on("read", "new/file.txt"),
    write("src", "a directory is there"),
    write("text.txt/below", "a file is above"),
    write(".", "the root"),
    write("bad.bin", "not base64!", encoding="base64"),
    write("bad.bin", "x", encoding="hex"),
    on("exists", "bad.bin"),
    write("unpadded.bin", "aGVsbG8", encoding="base64"),
    on("create_dir", "text.txt"),
    on("create_dir", "text.txt/below"),
    on("create_dir", "."),
    rename("text.txt", "moved/text.txt"),
    on("exists", "text.txt"),
    on("read", "moved/text.txt"),
    rename("missing", "x"),
    rename("looks.txt", "empty", overwrite=False),
    on("read", "looks.txt"),
    on("read", "empty"),
    rename("looks.txt", "empty"),
    on("exists", "looks.txt"),
    on("read", "empty"),
    rename("empty", "empty2", overwrite=False),
    rename("empty2", "empty2"),
    rename("empty2", "empty2", overwrite=False),
    on("read", "empty2"),
    rename("src", "moved/src"),
    on("list_dir", "moved/src"),
    on("read", "moved/src/deep/er/lines.txt", limit=7),
    rename("moved", "moved/src/inside"),
    rename("moved/src", "made"),
    rename("bytes.bin", "made"),
    rename("made/a/b", "made/c"),
    rename(".", "elsewhere"),
    on("delete", "bytes.bin"),
    on("read", "bytes.bin"),
    on("delete", "bytes.bin"),
    on("delete", "made"),
    on("delete", "made/c"),
    on("delete", "moved", recursive=True),
    on("exists", "moved"),
    on("delete", "missing", recursive=True),
    on("delete", "case", recursive=True),
    on("delete", ".", recursive=True),
    on("list_dir", "."),
    grep("needle"),
]

REFUSED = [
    on("read", "/etc/passwd"),
    on("read", ".."),
    on("read", "src/../text.txt"),
    on("read", "../x"),
    on("read", ""),
    on("read", "a\0b"),
    on("read", 7),
    ("fs.read", {}),
    ("fs.read", {"path": "a", "offset": -1}),
    ("fs.read", {"path": "a", "limit": "1"}),
    write("/tmp/x", ""),
    write("../x", ""),
    ("fs.write", {"path": "x"}),
    ("fs.write", {"content": "x"}),
    rename("../a", "b"),
    rename("a", "/b"),
    on("delete", "../x"),
    on("delete", "a", recursive="yes"),
    on("list_dir", "/"),
    on("metadata", "a/../b"),
    on("exists", "/"),
    on("create_dir", "../x"),
    ("fs.grep", {}),
    ("fs.nothing", {}),
    ("read", {"path": "a"}),
    ("fs.read", {"path": "no-end.txt", "unknown": 1}),
]

# What rules are about: directories in which much, little and nothing but making files is allowed, what no
# rule is about, and a sensitive file.
RULED = [
    write("open/a.txt", "needle\n"),
    write("open/deep/b.txt", "needle\n"),
    on("read", "open/a.txt"),
    write("open/a.txt", "needle twice\n"),
    write("drop/a.txt", "needle\n"),
    write("drop/a.txt", "changed"),
    write("drop/a.txt", "changed", create_new=True),
    on("read", "drop/a.txt"),
    on("delete", "drop/a.txt"),
    rename("drop/a.txt", "drop/b.txt"),
    write("closed/a.txt", "needle\n"),
    on("read", "closed/a.txt"),
    on("read", "closed/missing"),
    on("exists", "closed/a.txt"),
    on("exists", "closed/missing"),
    on("metadata", "closed/a.txt"),
    on("list_dir", "closed"),
    write("closed/a.txt", "changed"),
    write("closed/a.txt", "changed", create_new=True),
    write("closed/never/a.txt", "x"),
    write("elsewhere/a.txt", "x"),
    on("read", "elsewhere/missing"),
    on("read", "open/missing"),
    on("read", "open/.env"),
    on("read", "open/deep/.env.local/x"),
    write("open/.env", "KEY=needle"),
    on("exists", "open/.env"),
    rename("open/a.txt", "open/.env"),
    rename("open/.env", "drop/env"),
    rename("open/a.txt", "closed/a.txt"),
    rename("open/a.txt", "elsewhere/a.txt"),
    rename("open/a.txt", "drop/a.txt"),
    on("read", "open/a.txt"),
    rename("open/a.txt", "drop/c.txt"),
    rename("open/deep", "drop/deep"),
    on("exists", "open/a.txt"),
    on("read", "drop/deep/b.txt"),
    on("delete", "drop", recursive=True),
    on("list_dir", "drop"),
    on("list_dir", "open"),
    on("list_dir", "."),
    write("open/x/y.txt", "needle"),
    grep("needle"),
    grep("needle", paths=["open", "drop"]),
    grep("needle", paths=["closed"]),
    grep("needle", paths=["closed/a.txt"]),
    grep("needle", paths=["open/.env"]),
    grep("needle", paths=["elsewhere"]),
    grep("needle", counts=True),
    on("delete", "open/x", recursive=True),
    on("create_dir", "drop/dir"),
    on("create_dir", "closed"),
    on("create_dir", "elsewhere"),
    on("read", "../open/a.txt"),
]

PARTS = {"all": MAKE + READ + GREP + CHANGE + REFUSED, "ruled": RULED}


def main():
    init = json.loads(sys.stdin.readline())
    answers = []
    for number, (method, params) in enumerate(PARTS[init["params"]["tool"]["arguments"]["part"]]):
        send({"id": number, "method": method, "params": params})
        # What was asked stands beside the answer, for whoever has to find out what differs.
        answers.append(f"{method} {json.dumps(params)[:120]}\n    {answer_to(number)}")
    send({"method": "result", "params": {"content": "\n".join(answers)}})


main()
