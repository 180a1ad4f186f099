//! What a person sees of a change set.

use crate::Outside;
use crate::testing::{World, allow_all, policy};
use crate::text::{MAX_LINE, MAX_TEXT};

#[test]
fn all_kinds_of_changes() {
    let world = World::new();
    world.host(
        "printf '1\\n2\\n3\\n' > a; echo gone > b; mkdir d; ln -s a l; printf 'x\\0' > bin; : > t",
    );
    let changes = world.changes(
        "printf '1\\n2b\\n3' > a; rm b; chmod 755 t; rm l; ln -s d l; printf 'y\\0' > bin; mkdir n; \
         ln -s ../a n/link; rmdir d; echo now > d; echo run > n/x; chmod +x n/x",
    );
    insta::assert_snapshot!(changes.diff(), @r"
    ~ a: changed, 6 bytes
    @@ -1,3 +1,3 @@
     1
    -2
    -3
    +2b
    +3
    \ no newline at the end of the file
    - b: file removed, 5 bytes
    @@ -1 +0,0 @@
    -gone
    ~ bin: changed, 2 bytes
      (binary)
    ! d: file instead of directory
    @@ -0,0 +1 @@
    +now
    ~ l: link to d instead of a
    + n: new directory
    + n/link: new link to ../a
    + n/x: new file, 4 bytes, mode 755
    @@ -0,0 +1 @@
    +run
    ~ t: changed, mode 644 to 755
    ");
}

#[test]
fn what_deserves_a_second_look_comes_first_and_then_what_is_refused() {
    let world = World::new();
    world.host("mkdir -p .git/hooks sub; echo s > secret");
    let changes = world.changes(
        "echo x > .git/hooks/pre-commit; echo x > .JP.toml; mkdir -p sub/.git; echo x > sub/.git/config; \
         echo x > ok; echo x > secret",
    );
    let policy = policy(". rcud, secret r, .JP.toml rcud");
    let judged = changes.judge(Some(&policy), Outside::nothing(), |_| Ok::<_, String>(()));
    insta::assert_snapshot!(judged.diff(), @r"
    These files can make programs outside of the sandbox run something:
      .JP.toml: this is configuration of jp itself
      .git/hooks/pre-commit: git runs hooks and commands that are configured here
      sub/.git: git runs hooks and commands that are configured here
      sub/.git/config: git runs hooks and commands that are configured here
    Refused:
      secret: the rule for `secret` does not grant update
    + .JP.toml: new file, 2 bytes, mode 644
    @@ -0,0 +1 @@
    +x
    + .git/hooks/pre-commit: new file, 2 bytes, mode 644
    @@ -0,0 +1 @@
    +x
    + ok: new file, 2 bytes, mode 644
    @@ -0,0 +1 @@
    +x
    + sub/.git: new directory
    + sub/.git/config: new file, 2 bytes, mode 644
    @@ -0,0 +1 @@
    +x
    ");
}

#[test]
fn nothing_controls_the_terminal_or_pretends_to_be_another_line() {
    let world = World::new();
    let changes = world.changes(
        r#"n=$(printf 'a\n+ b: new file\033[31m'); printf 'x\033[2Jy\r\342\200\256z\n' > "$n"; ln -s "$(printf 't\007')" l"#,
    );
    let text = changes.diff();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    insta::assert_snapshot!(text, @r"
    + a\u{a}+ b: new file\u{1b}[31m: new file, 12 bytes, mode 644
    @@ -0,0 +1,2 @@
    +x\u{1b}[2Jy\u{d}
    +\u{202e}z
    + l: new link to t\u{7}
    ");
}

#[test]
fn length_is_bounded() {
    let world = World::new();
    let changes = world.changes(
        "seq 100000 > long; seq 5000 > lines; head -c 200000 /dev/zero | tr '\\0' x > wide; \
         for i in $(seq 200); do seq 3000 > f$i; done",
    );
    let text = changes.diff();
    assert!(text.len() <= MAX_TEXT + 100, "{}", text.len());
    assert!(text.contains("(too large to be shown)") || text.contains("more lines are not shown)"));
    assert!(text.ends_with("… there is more, which is not shown\n"));
    assert!(text.lines().all(|line| line.chars().count() < MAX_LINE + 100));
}

#[test]
fn names_that_make_programs_run() {
    let world = World::new();
    let judged =
        allow_all(world.changes("mkdir -p a/.VsCode; : > a/.VsCode/tasks.json; : > .gitx"));
    let noticed: Vec<_> = judged.allowed().iter().map(|c| c.notice().is_some()).collect();
    assert_eq!(noticed, [false, false, true, true]);
}
