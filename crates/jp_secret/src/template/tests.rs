//! Texts, what they become, and that no error or debug output shows a value.

use super::*;

fn host(name: &str) -> Lookup {
    match name {
        "TOKEN" => Lookup::Value(Secret::new("t0p-s3cret")),
        "EMPTY" => Lookup::Value(Secret::new("")),
        "NESTED" => Lookup::Value(Secret::new("${TOKEN}")),
        "FORBIDDEN" => Lookup::Disallowed,
        _ => Lookup::Unknown,
    }
}

fn filled(text: &str) -> String {
    let filled = Template::parse(text).unwrap().fill(host).unwrap();
    String::from_utf8(filled.reveal().to_vec()).unwrap()
}

#[test]
fn variables_are_replaced_and_the_rest_is_kept() {
    // D11-138
    for (text, expected) in [
        ("Bearer ${TOKEN}", "Bearer t0p-s3cret"),
        ("${TOKEN}${TOKEN}", "t0p-s3crett0p-s3cret"),
        ("<${EMPTY}>", "<>"),
        ("${NESTED}", "${TOKEN}"),
        ("", ""),
        ("no variable", "no variable"),
        ("$TOKEN costs 5$", "$TOKEN costs 5$"),
        ("$$ $} {} }", "$$ $} {} }"),
        ("$${TOKEN}", "${TOKEN}"),
        ("a$${b", "a${b"),
        ("$$${TOKEN}", "$${TOKEN}"),
        ("$${${TOKEN}", "${t0p-s3cret"),
        ("grüße ${TOKEN} ☂", "grüße t0p-s3cret ☂"),
    ] {
        assert_eq!(filled(text), expected, "{text}");
    }
}

#[test]
fn what_looks_like_a_variable_and_is_none_is_refused() {
    let name = |name: &str| TemplateError::Name { name: name.to_owned() };
    for (text, expected) in [
        ("${", TemplateError::Unclosed),
        ("Bearer ${TOKEN", TemplateError::Unclosed),
        ("${TOKEN} ${", TemplateError::Unclosed),
        ("${}", TemplateError::Empty),
        ("${ TOKEN}", name(" TOKEN")),
        ("${TOKEN:-x}", name("TOKEN:-x")),
        ("${1}", name("1")),
        ("${A${B}", name("A${B")),
        ("${Ä}", name("Ä")),
        ("${A\0}", name("A\0")),
    ] {
        assert_eq!(Template::parse(text), Err(expected), "{text}");
    }
    let long = format!("${{{}}}", "-".repeat(5000));
    assert_eq!(Template::parse(&long), Err(name(&"-".repeat(SHOWN))));
}

#[test]
fn names_are_told_once_and_in_order() {
    let template = Template::parse("${B} ${A} ${B} $${C} ${_d9}").unwrap();
    assert_eq!(template.names(), ["B", "A", "_d9"]);
    assert!(Template::parse("none").unwrap().names().is_empty());
}

#[test]
fn unknown_and_disallowed_are_different_and_show_no_value() {
    // D11-139, D11-140
    let error = |text: &str| Template::parse(text).unwrap().fill(host).unwrap_err();
    let unknown = error("${TOKEN} ${MISSING}");
    assert_eq!(unknown, SubstituteError::Unknown { name: "MISSING".to_owned() });
    assert_eq!(unknown.to_string(), "the variable MISSING is not set on the host");
    let disallowed = error("${TOKEN} ${FORBIDDEN}");
    assert_eq!(disallowed, SubstituteError::Disallowed { name: "FORBIDDEN".to_owned() });
    assert_eq!(
        disallowed.to_string(),
        "access denied: the variable FORBIDDEN is not listed for this tool"
    );
    assert_eq!(disallowed.name(), "FORBIDDEN");
}

#[test]
fn values_are_not_printed() {
    let filled = Template::parse("Bearer ${TOKEN}").unwrap().fill(host).unwrap();
    assert_eq!(format!("{filled:?}"), "Filled(… with 1 secrets)");
    assert_eq!(format!("{:?}", filled.secrets()), "[Secret(…)]");
    assert_eq!(format!("{:?}", host("TOKEN")), "Value(Secret(…))");
}

#[test]
fn errors_say_what_to_write() {
    let text = |template: &str| Template::parse(template).unwrap_err().to_string();
    assert_eq!(text("${"), "`${` without `}`; write `$${` for the characters themselves");
    assert_eq!(text("${}"), "`${}` names no variable; write `$${` for the characters themselves");
    assert_eq!(
        text("${a b}"),
        "not the name of a variable: \"a b\"; it can have letters, digits and `_`"
    );
}
