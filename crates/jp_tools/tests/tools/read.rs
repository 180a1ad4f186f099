//! `fs_read_file`.

use serde_json::{Value, json};

use crate::support::World;

fn read(world: &World, arguments: Value) -> String {
    world.tool("fs_read_file").run(arguments).text().to_owned()
}

#[test]
fn text_comes_as_it_is() {
    let world = World::new(&[("a.txt", "one\ntwo\nthree\n"), ("empty", "")]);
    assert_eq!(read(&world, json!({ "path": "a.txt" })), "one\ntwo\nthree\n");
    assert_eq!(read(&world, json!({ "path": "./x/../a.txt" })), "one\ntwo\nthree\n");
    let absolute = world.tool("fs_read_file").only_beside("a sealed tool does not know the root");
    assert_eq!(absolute.run(json!({ "path": world.path("a.txt") })).text(), "one\ntwo\nthree\n");
    assert_eq!(read(&world, json!({ "path": "empty" })), "[the file is empty]");
    insta::assert_snapshot!(
        read(&world, json!({ "path": "a.txt", "start_line": 2, "end_line": 9, "line_numbers": true })),
        @"
    2	two
    3	three

    [lines 2 to 3 of 3]
    "
    );
}

#[test]
fn wrong_lines_are_errors() {
    let world = World::new(&[("a.txt", "one\n")]);
    for (range, expected) in [
        (json!({ "path": "a.txt", "start_line": 2 }), "the file has 1 line"),
        (json!({ "path": "a.txt", "start_line": 0 }), "count from 1"),
        (json!({ "path": "a.txt", "start_line": 3, "end_line": 2 }), "before `start_line`"),
        (json!({ "path": "b.txt" }), "b.txt: No such file"),
        (json!({ "path": "." }), "Is a directory"),
    ] {
        let answer = world.tool("fs_read_file").run(range);
        assert!(answer.error().contains(expected), "{}", answer.error());
    }
}

#[test]
fn a_picture_is_a_picture_and_other_binaries_are_named() {
    let world = World::new(&[]);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    world.write("p.png", png);
    world.write("t.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    world.write("data.bin", b"abc\0def");
    let answer = world.tool("fs_read_file").run(json!({ "path": "p.png" })).value;
    assert_eq!(
        answer,
        json!({ "content": [
        { "type": "text", "text": "p.png (16 bytes)" },
        { "type": "image", "data": "iVBORw0KGgoAAAANSUhEUg==", "mimeType": "image/png" },
    ] })
    );
    assert_eq!(read(&world, json!({ "path": "t.gz" })), "t.gz is a binary file (gzip) of 8 bytes.");
    let unknown = "data.bin is a binary file (unknown kind) of 7 bytes.";
    assert_eq!(read(&world, json!({ "path": "data.bin" })), unknown);
    let mut large = png.to_vec();
    large.resize(4_000_000, 0);
    world.write("large.png", large);
    let large = "large.png is a picture of 4000000 bytes, too large to show.";
    assert_eq!(read(&world, json!({ "path": "large.png" })), large);
}

#[test]
fn peculiar_files_are_read_and_said_to_be() {
    let world = World::new(&[]);
    for (bytes, expected) in [
        (b"a\r\nb\r\n".as_slice(), "a\nb\n\n[lines end with CR LF]"),
        (b"\xef\xbb\xbfa\n", "a\n\n[begins with a byte order mark]"),
        (b"\xff\xfea\0\n\0", "a\n\n[begins with a byte order mark][UTF-16]"),
        (
            b"caf\xe9",
            "caf\u{fffd}\n[not UTF-8: what could not be read is shown as \u{fffd}; no newline at the end]",
        ),
    ] {
        world.write("f", bytes);
        assert_eq!(read(&world, json!({ "path": "f" })), expected);
    }
}

#[test]
fn a_large_file_is_cut_and_can_be_read_on() {
    let world = World::new(&[]);
    let lines: String = (1..=100_000).map(|number| format!("line {number}\n")).collect();
    world.write("large.txt", lines);
    let first = read(&world, json!({ "path": "large.txt" }));
    assert!(
        first.ends_with("line 2000\n\n[lines 1 to 2000 of 100000; go on with start_line 2001]")
    );
    let next = read(&world, json!({ "path": "large.txt", "start_line": 2001, "end_line": 2002 }));
    assert_eq!(next, "line 2001\nline 2002\n\n[lines 2001 to 2002 of 100000]");
    world.write("wide.txt", "x".repeat(3_000_000));
    let wide = read(&world, json!({ "path": "wide.txt" }));
    assert!(wide.len() < 5_000 && wide.contains("[line of 3000000 bytes]"), "{}", wide.len());
}
