//! Sources with tests in every place people put them.

use super::*;

/// The test around the word `HERE`.
fn check(source: &str, want: Option<&str>) {
    let regions = regions(source);
    let at = source.find("HERE").unwrap();
    assert_eq!(regions.test_at(at), want, "{source}");
}

#[test]
fn test_functions() {
    check("#[test]\nfn one() { HERE }\n", Some("one"));
    check("#[test]\nfn one() { { } HERE }\nfn two() {}", Some("one"));
    check("#[test]\nfn one() {}\nfn two() { HERE }", None);
    check("#[tokio::test(flavor = \"x\")]\nasync fn one() { HERE }", Some("one"));
    check("#[test]\n#[should_panic(expected = \"]\")]\nfn one() { HERE }", Some("one"));
    check("fn two() { HERE }\n#[test]\nfn one() {}", None);
    check("#[cfg(test)]\nfn helper() { HERE }", None);
}

#[test]
fn comments_above_belong_to_the_test() {
    check("// HERE\n#[test]\nfn one() {}", Some("one"));
    check("/// HERE\n// more\n#[expect(x)]\n#[test]\nfn one() {}", Some("one"));
    check("// HERE\n\n#[test]\nfn one() {}", None);
    check("    // HERE\n    #[test]\n    fn one() {}", Some("one"));
}

#[test]
fn names_and_tests_in_macros() {
    check("#[test]\nfn HERE() {}", Some("HERE"));
    check("proptest! {\n #[test]\n fn one(x in 0..9, y: [u8; 3]) { HERE }\n}", Some("one"));
}

#[test]
fn brackets_in_literals_and_comments_do_not_count() {
    for text in [
        "\"}\"",
        "\"\\\"}\"",
        "'}'",
        "'\\''; '}'",
        "r\"}\"",
        "r#\"\"}\"#",
        "br##\"}\"#}\"##",
        "b'}'",
        "// }\n",
        "/* } /* } */ } */",
        "x::<'a>('a', '}')",
        "r#fn",
    ] {
        check(&format!("#[test]\nfn one() {{ {text} HERE }}"), Some("one"));
    }
}

#[test]
fn what_looks_like_a_test_in_a_literal_is_none() {
    check("const X: &str = \"#[test] fn one() {\"; HERE", None);
    check("// #[test] fn one() {\nHERE }", None);
}

#[test]
fn blanking_keeps_every_place() {
    let source = "let é = \"é}\\\"\"; // é\nlet c = 'é'; let l: &'static str = r#\"\"é\"#;";
    let code = blank(source);
    assert_eq!(code.len(), source.len());
    assert_eq!(code.matches('\n').count(), 1);
    assert_eq!(
        code.split_whitespace().collect::<Vec<_>>().join(" "),
        "let é = ; let c = ; let l: &'static str = ;"
    );
}

#[test]
fn unfinished_sources_end_somewhere() {
    for source in [
        "\"",
        "'\\",
        "/*",
        "r#\"",
        "#[",
        "#[é",
        "#[test]",
        "#[test]\nfn",
        "#[test]\nfn one() {",
        "#[cfg(test)] mod",
    ] {
        regions(source);
        assert_eq!(blank(source).len(), source.len());
    }
}

#[test]
fn test_modules() {
    let source = "fn f() {}\n#[cfg(test)]\nmod tests { HERE }\nfn THERE() {}";
    let found = regions(source);
    assert!(found.in_test_module(source.find("HERE").unwrap()));
    assert!(!found.in_test_module(source.find("THERE").unwrap()));
    assert!(found.test_module_files.is_empty());

    let found = regions("#[cfg(all(test, unix))]\npub(crate) mod suite;\nmod other;");
    assert_eq!(found.test_module_files, ["suite"]);
    let found = regions("#[cfg(not(test))]\nmod real;\n#[cfg(feature = \"test\")]\nmod other;");
    assert!(found.test_module_files.is_empty());
}
