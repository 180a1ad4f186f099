//! Which words mean which plugin.

use super::*;
use crate::catalog::tests::catalog;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A route as `id[arguments]`, `group words[arguments]` or `unknown after n`.
fn check(files: &[&str], registry: &[&str], line: &str, expected: &str) {
    let (catalog, words) = (catalog(files, registry), words(line));
    let found = match route(&catalog, &words) {
        Route::Plugin { plugin, args } => format!("{}{args:?}", plugin.id),
        Route::Group { command, args } => format!("group {}{args:?}", command.join(" ")),
        Route::Unknown { known } => format!("unknown after {known}"),
    };
    assert_eq!(found, expected, "{line}");
}

#[test]
fn the_longest_command_wins() {
    // 072-014, 072-016: length comes before the source.
    let files = ["+serve", "serve-web"];
    check(&files, &[], "serve web --port 1", r#"serve-web["--port", "1"]"#);
    // 072-015
    check(&files[..1], &[], "serve web", r#"serve["web"]"#);
    check(&files, &[], "serve", "serve[]");
    check(&files, &["serve web all=x"], "serve web all", "x[]");
    // 072-024, 072-025
    check(&["odd-name=export"], &[], "export x", r#"odd-name["x"]"#);
    check(&["odd-name=export"], &[], "odd name", "unknown after 0");
    // 072-029
    check(&["api=serve http-api"], &[], "serve http-api", "api[]");
}

#[test]
fn options_end_a_command() {
    let files = ["serve", "serve-web"];
    check(&files, &[], "serve -- web", r#"serve["--", "web"]"#);
    check(&files, &[], "serve -h web", r#"serve["-h", "web"]"#);
    check(&files, &[], "serve web -- -h", r#"serve-web["--", "-h"]"#);
}

#[test]
fn groups_have_no_program() {
    // 072-136
    let registry = ["serve=*serve", "serve web=serve-web"];
    check(&[], &registry, "serve", "group serve[]");
    check(&[], &registry, "serve -h", r#"group serve["-h"]"#);
    check(&[], &registry, "serve nope", "unknown after 1");
    check(&[], &registry, "serve web x", r#"serve-web["x"]"#);
    // A group that only follows from what is below it.
    check(&["a-b-c"], &[], "a b", "group a b[]");
    check(&["a-b-c"], &[], "a x", "unknown after 1");
    // A plugin with commands below it takes what is not one of them.
    check(&["serve", "serve-web"], &[], "serve nope", r#"serve["nope"]"#);
    check(&[], &[], "", "unknown after 0");
}

#[test]
fn what_lost_is_never_meant() {
    check(&["+init", "init-x"], &[], "init x", "unknown after 0");
    check(&["+a=x", "b=x"], &[], "x", "a[]");
}

#[test]
fn what_may_not_be_installed_takes_no_arguments_away() {
    let registry = ["serve web=barred", "serve all=serve-all"];
    check(&["serve"], &registry, "serve web x", r#"serve["web", "x"]"#);
    check(&["+serve"], &registry, "serve web", r#"serve["web"]"#);
    check(&["serve"], &registry, "serve all", "serve-all[]");
    // Where nobody else is meant, it is, and the error says why it does not run.
    check(&[], &registry, "serve web x", r#"barred["x"]"#);
    check(&["serve-web"], &registry, "serve web", "serve-web[]");
}

#[test]
fn next_words_are_listed_once() {
    let catalog = catalog(&["serve", "serve-web", "serve-web-all", "+export"], &[]);
    let top = words("");
    assert_eq!(
        next_words(&catalog, &top),
        [("export", Some("About export")), ("serve", Some("About serve")),]
    );
    assert_eq!(next_words(&catalog, &words("serve")), [("web", Some("About serve-web"))]);
}
