//! One conversation to a file.

use super::*;

#[test]
fn a_file_in_the_form_of_its_name() {
    let env = workspace();
    for (name, begins) in
        [("a.html", "<!DOCTYPE html>"), ("a.md", "# Where is"), ("a.json", "{\n\"id\"")]
    {
        let output = jp(&env, &["export", "-o", name]).run().success();
        assert_eq!((output.stdout(), output.stderr()), ("", &*format!("{LEFT_OUT}Wrote {name}\n")));
        assert!(env.read(name).starts_with(begins), "{name}");
    }
    // A path is relative to where the user is.
    env.write("deep/er/a", "");
    jp(&env, &["export", "-o", "b.md"]).cwd("deep/er").run().success();
    assert!(env.read("deep/er/b.md").starts_with("# Where is"));
}

#[test]
fn a_directory_gets_a_file_with_the_id() {
    let env = workspace();
    env.write("out/keep", "");
    let output = jp(&env, &["export", "--html", "-o", "out"]).run().success();
    assert_eq!(output.stderr(), format!("{LEFT_OUT}Wrote out/{ID}.html\n"));
}

#[test]
fn what_exists_stays_without_force() {
    let env = workspace();
    env.write("a.md", "mine");
    let output = jp(&env, &["export", "-o", "a.md"]).run().code(1);
    assert!(output.stderr().contains("a.md exists: `--force` replaces it"), "{output}");
    assert_eq!(env.read("a.md"), "mine");
    jp(&env, &["export", "-o", "a.md", "--force"]).run().success();
    assert!(env.read("a.md").starts_with("# Where is"));
    for (path, file) in [("no/such/a.md", "a.md"), ("no/such/", "17127583920.md")] {
        let output = jp(&env, &["export", "-o", path]).run().code(1);
        let want = format!(
            "error: cannot write no/such/{file}: there is no directory no/such; make it, or name another with `--output`\n"
        );
        assert!(output.stderr().ends_with(&want), "{output}");
    }
    let output = jp(&env, &["export", "--all", "-o", "no/such/dir"]).run().code(1);
    assert!(output.stderr().contains("there is no directory no/such; make it"), "{output}");
    let output = jp(&env, &["export", "--all", "-o", "a.md"]).run().code(1);
    assert!(output.stderr().contains("a.md is not a directory: name another"), "{output}");
    // The name that a file has in the making is not one that the user knows.
    let output = jp(&env, &["export", "-o", "/proc/a.md"]).run().code(1);
    assert!(output.stderr().contains("cannot write /proc/a.md: "), "{output}");
    assert!(!output.stderr().contains(".jp-export"), "{output}");
}
