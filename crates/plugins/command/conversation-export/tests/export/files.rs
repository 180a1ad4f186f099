//! One conversation to a file.

use super::*;

#[test]
fn a_file_in_the_form_of_its_name() {
    let env = workspace();
    for (name, begins) in
        [("a.html", "<!DOCTYPE html>"), ("a.md", "# Where is"), ("a.json", "{\n\"id\"")]
    {
        let output = jp(&env, &["export", "-o", name]).run().success();
        assert_eq!((output.stdout(), output.stderr()), ("", &*format!("Wrote {name}\n")));
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
    assert_eq!(output.stderr(), format!("Wrote out/{ID}.html\n"));
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
    let output = jp(&env, &["export", "-o", "no/such/a.md"]).run().code(1);
    assert!(output.stderr().contains("cannot write no/such/a.md"), "{output}");
}
