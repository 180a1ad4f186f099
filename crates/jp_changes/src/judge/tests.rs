//! Policies and what they leave of a call.

use camino::Utf8Path;
use jp_tool::access::Capability;

use crate::{
    Outside, Reason,
    testing::{World, policy, short},
};

const HOST: &str = "mkdir -p src/gen docs; echo a > a; echo l > src/lib; echo g > src/gen/g; \
    echo s > .env; echo d > docs/d; ln -s a link";

/// What is allowed, a line with `--`, and what is refused.
#[track_caller]
fn check(rules: &str, tool: &str, expected: &[&str]) {
    let world = World::new();
    world.host(HOST);
    let policy = (!rules.is_empty()).then(|| policy(rules));
    let judged =
        world.changes(tool).judge(policy.as_ref(), Outside::nothing(), |_| Ok::<_, String>(()));
    let mut lines = vec![short(judged.allowed())];
    lines.push("--".to_owned());
    lines.extend(judged.refused().iter().map(|refused| {
        let what = short([&refused.change]);
        let why = match &refused.reason {
            Reason::Denied { capability, rule } => {
                let rule = rule.as_ref().map_or("none", |rule| rule.path().as_str());
                format!("{} by {rule}", capability.as_str())
            }
            Reason::Sensitive(message) => message.clone(),
            Reason::Obstacle(_) => "obstacle".to_owned(),
            Reason::LeavesRoot { .. } => "leaves".to_owned(),
            Reason::MovesRule { .. } => "moves a rule".to_owned(),
            Reason::Depends(path) => format!("depends on {path}"),
            Reason::Moved(path) => format!("moved to {path}"),
        };
        format!("{what}: {why}{}", if refused.hidden { " (hidden)" } else { "" })
    }));
    lines.retain(|line| !line.is_empty());
    assert_eq!(lines.join("\n"), expected.join("\n"), "{rules}: {tool}");
}

#[test]
fn each_change_by_the_longest_rule() {
    let tool = "echo x > a; echo x > src/lib; echo n > src/n; rm src/gen/g; echo n > src/gen/n";
    // 076-090
    check("", tool, &["~c a\n-f src/gen/g\n+f src/gen/n\n~c src/lib\n+f src/n", "--"]);
    check(
        ". rcud, src r, src/gen rcud",
        tool,
        &[
            "~c a\n-f src/gen/g\n+f src/gen/n",
            "--",
            "~c src/lib: update by src",
            "+f src/n: create by src",
        ],
    );
    check(
        ". r, src rc, src/gen rd",
        tool,
        &[
            "-f src/gen/g\n+f src/n",
            "--",
            "~c a: update by .",
            "+f src/gen/n: create by src/gen",
            "~c src/lib: update by src",
        ],
    );
    check(
        "src rcud",
        "echo x > a; echo n > n; echo n > src/n",
        &["+f src/n", "--", "~c a: update by none (hidden)", "+f n: create by none (hidden)"],
    );
    check(
        ". rcud, .env -",
        "echo x > .env; rm a",
        &["-f a", "--", "~c .env: update by .env (hidden)"],
    );
    check(
        ". rcud, new/deep -",
        "mkdir -p new/deep; : > new/deep/f; : > new/f",
        &[
            "+d new\n+f new/f",
            "--",
            "+d new/deep: create by new/deep (hidden)",
            "+f new/deep/f: create by new/deep (hidden)",
        ],
    );
}

#[test]
fn permissions_are_an_update() {
    check(
        ". rcd",
        "chmod 755 a; chmod 700 src",
        &["--", "~(644>755) a: update by .", "~(755>700) src: update by ."],
    );
    check(". u", "chmod 755 a; chmod 700 src", &["~(644>755) a\n~(755>700) src", "--"]);
}

#[test]
fn what_depends_on_a_refused_change_is_refused() {
    // Nothing can be in a directory that is not made.
    check(
        ". r, new/ok rcud",
        "mkdir -p new/ok; : > new/ok/f",
        &["--", "+d new: create by .", "+d new/ok: depends on new", "+f new/ok/f: depends on new"],
    );
    // A directory in which something stays, stays.
    check(
        ". rcud, src/gen r",
        "rm -r src",
        &[
            "-f src/lib*",
            "--",
            "-d src: depends on src/gen",
            "-d src/gen*: delete by src/gen",
            "-f src/gen/g*: delete by src/gen",
        ],
    );
    check(
        ". rcud, src/gen/g r",
        "rm -r src docs",
        &[
            "-d docs\n-f docs/d*\n-f src/lib*",
            "--",
            "-d src: depends on src/gen",
            "-d src/gen*: depends on src/gen/g",
            "-f src/gen/g*: delete by src/gen/g",
        ],
    );
    // A directory that becomes something else goes as a whole or not at all.
    check(
        ". rcud, src/gen/g r",
        "rm -r src; echo f > src",
        &[
            "--",
            "d>f src: depends on src/gen",
            "-d src/gen*: depends on src/gen/g",
            "-f src/gen/g*: delete by src/gen/g",
            "-f src/lib*: depends on src",
        ],
    );
    check(
        ". rd, src/gen rcud",
        "rm -r src; echo f > src",
        &[
            "--",
            "d>f src: create by .",
            "-d src/gen*: depends on src",
            "-f src/gen/g*: depends on src",
            "-f src/lib*: depends on src",
        ],
    );
    check(". rc", "rm a; mkdir a; : > a/f", &["--", "f>d a: delete by .", "+f a/f: depends on a"]);
}

#[test]
fn a_rename_needs_both_and_loses_nothing() {
    check(". rcd", "mv a b", &["-f a\n+f b", "--"]);
    check(". rc", "mv a b", &["+f b", "--", "-f a: delete by ."]);
    check(". rd", "mv a b", &["--", "-f a: moved to b", "+f b: create by ."]);
    check(". rcd", "mv a src/lib", &["--", "-f a: moved to src/lib", "~c src/lib: update by ."]);
    check(
        ". rcud, out r",
        "mv src out",
        &[
            "--",
            "+d out: create by out",
            "+d out/gen: create by out",
            "+f out/gen/g: create by out",
            "+f out/lib: create by out",
            "-d src: depends on src/lib",
            "-d src/gen*: depends on src/gen/g",
            "-f src/gen/g*: moved to out/gen/g",
            "-f src/lib*: moved to out/lib",
        ],
    );
    // The removed file has another content.
    check(". rd", "rm a; echo z > b", &["-f a", "--", "+f b: create by ."]);
}

#[test]
fn links_stay_in_the_workspace() {
    for (target, stays) in [
        ("a", true),
        ("./a", true),
        ("src/../a", false),
        ("missing/x", true),
        ("/etc/passwd", false),
        ("..", false),
        ("../outside", false),
        ("/", false),
        ("src/gen", true),
        ("src/..", false),
    ] {
        let expected = format!("+l({target}) n");
        let refused = format!("{expected}: leaves");
        let lines: &[&str] = if stays { &[&expected, "--"] } else { &["--", &refused] };
        check("", &format!("ln -s {target} n"), lines);
    }
    check(
        "",
        "ln -s ../../a src/gen/n; ln -s ../../../a src/gen/m",
        &["+l(../../a) src/gen/n", "--", "+l(../../../a) src/gen/m: leaves"],
    );
    check("", "ln -sfn /etc link", &["--", "~l(a>/etc) link: leaves"]);
    // The link itself is made, so its own place counts.
    check(
        ". r, src rcud",
        "ln -s src/lib n; ln -s ../a src/n",
        &["+l(../a) src/n", "--", "+l(src/lib) n: create by ."],
    );
}

#[test]
fn a_link_into_the_workspace_by_its_absolute_path_stays() {
    let world = World::new();
    let changes = world.changes("ln -s $root/a ok; ln -s $root-not no; ln -s $root/../x up");
    let judged = changes.judge(None, Outside::nothing(), |_| Ok::<_, String>(()));
    assert_eq!(judged.allowed().len(), 1);
    assert_eq!(judged.allowed()[0].path, "ok");
}

#[test]
fn a_link_through_a_link_of_the_user_that_leads_out_is_refused() {
    let world = World::new();
    world.host("ln -s /etc out");
    let judged = world
        .changes("ln -s out/passwd n")
        .judge(None, Outside::nothing(), |_| Ok::<_, String>(()));
    assert!(matches!(judged.refused()[0].reason, Reason::LeavesRoot { .. }));
}

#[test]
fn the_gate_is_asked_about_what_the_rules_allow() {
    let world = World::new();
    world.host(HOST);
    let asked = std::cell::RefCell::new(Vec::new());
    let gate = |path: &Utf8Path| {
        asked.borrow_mut().push(path.to_owned());
        if path == ".env" { Err("sensitive") } else { Ok(()) }
    };
    let policy = policy(". rcud, src r");
    let changes = world.changes("echo x > a; echo x > .env; echo x > src/lib; mkfifo p");
    let judged = changes.judge(Some(&policy), Outside::nothing(), gate);
    assert_eq!(asked.into_inner(), [".env", "a"]);
    assert_eq!(short(judged.allowed()), "~c a");
    let text: Vec<_> = judged.refused().iter().map(ToString::to_string).collect();
    assert_eq!(text, [".env: sensitive", "src/lib: the rule for `src` does not grant update",]);
    assert_eq!(judged.refused()[1].capability(), Some(Capability::Update));
}

#[test]
fn a_link_may_lead_to_what_the_tool_sees() {
    let world = World::new();
    let kept = world.scratch("kept");
    world.host(&format!("ln -s {kept}/hop hop; ln -s /usr system"));
    std::os::unix::fs::symlink("/usr/bin/env", kept.join("hop")).unwrap();
    let outside = || {
        let kept = [(kept.clone(), false), ("/usr/share".into(), false)];
        Outside::new([("/usr".into(), true)].into_iter().chain(kept))
    };
    for (target, may) in [
        ("/usr/bin/env", true),
        ("/usr/bin/no-such-program", true),
        ("/usr/./bin", true),
        // By a link of the system's.
        ("/bin/sh", true),
        ("/usr", true),
        // By links of the user's, and relative ones.
        ("system/bin/env", true),
        ("../../../../../../../../usr/bin/env", true),
        // It says so itself, or one that it goes through does.
        ("/usr/share", false),
        ("/usr/share/x", false),
        ("system/share/x", false),
        ("/usr/bin/../../etc", false),
        ("/", false),
        ("/etc", false),
        // Somebody else could lead this anywhere.
        ("hop", false),
    ] {
        let changes = world.changes(&format!("ln -s {target} n"));
        let judged = changes.judge(None, outside(), |_| Ok::<_, String>(()));
        assert_eq!(judged.allowed().len(), usize::from(may), "{target}: {judged:?}");
        let report = judged.commit();
        assert!(report.failed.is_empty(), "{target}: {report:?}");
        world.host("rm -f n");
    }
}

/// Each of them is fine by itself.
#[test]
fn links_that_lead_out_together_are_taken_back() {
    let world = World::new();
    let outside = Outside::new([("/usr".into(), true), ("/usr/share".into(), false)]);
    let changes = world.changes("ln -s b/share a; ln -s /usr b");
    let judged = changes.judge(None, outside, |_| Ok::<_, String>(()));
    assert_eq!(judged.allowed().len(), 2);
    let report = judged.commit();
    assert_eq!(short(&report.done), "+l(/usr) b");
    assert!(world.root().join("a").symlink_metadata().is_err());
}

#[test]
fn pipes_and_sockets_are_left_out_and_the_rest_is_made() {
    let world = World::new();
    world.host(HOST);
    let socket = "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"src/s\")'";
    let changes =
        world.changes(&format!("mkfifo p; mkdir n; mkfifo n/p; echo x > n/x; {socket}; rm docs/d"));
    let judged = changes.judge(None, Outside::nothing(), |_| Ok::<_, String>(()));
    let names: Vec<_> = judged.left_out().iter().map(|change| change.path.as_str()).collect();
    assert_eq!(names, ["n/p", "p", "src/s"]);
    assert!(judged.refused().is_empty(), "{judged:?}");
    let report = judged.commit();
    assert_eq!(short(&report.done), "-f docs/d\n+d n\n+f n/x");
    assert!(report.failed.is_empty() && world.root().join("n/p").symlink_metadata().is_err());
    // What takes the place of something is another matter: nothing is removed for it.
    check(
        "",
        "rm a; mkfifo a",
        &["--", "f>s a !it is neither a file nor a directory nor a link: obstacle"],
    );
}

#[test]
fn a_chain_of_moves_ends() {
    // Each directory becomes a file with the content of a file in the next one; the last is refused.
    let mut host = Vec::new();
    let mut tool = Vec::new();
    for index in 0..40 {
        host.push(format!("mkdir d{index:03}; echo c{index} > d{index:03}/f;"));
        tool.push(format!("mv d{index:03}/f t; rmdir d{index:03}; mv t m{index:03};"));
    }
    for index in 0..40 {
        tool.push(format!("mv m{index:03} d{:03};", (index + 1) % 40));
    }
    let world = World::new();
    world.host(&host.concat());
    let policy = policy(". rcud, d020 rd");
    let judged = world
        .changes(&tool.concat())
        .judge(Some(&policy), Outside::nothing(), |_| Ok::<_, String>(()));
    assert!(judged.allowed().is_empty(), "{}", short(judged.allowed()));
}
