//! Forms as servers write them, and the questions they become.

use super::*;

fn form(message: &str, schema: Value) -> Form {
    Form { message: message.to_owned(), schema, url: None }
}

fn one(form: Form) -> Forms {
    let (forms, notices) = Forms::new(IndexMap::from([(String::new(), form)]), &mut HashSet::new());
    assert!(notices.is_empty(), "{notices:?}");
    forms
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!() };
    object
}

/// Answers every question with what `answer` says, as the loop does, and gives what was asked.
fn asked(forms: &Forms, answer: impl Fn(&Asked) -> Value) -> (Vec<Asked>, Map<String, Value>) {
    let (mut all, mut answers) = (Vec::new(), Map::new());
    while let Some(next) = forms.next(&answers) {
        answers.insert(next.id.clone(), answer(next));
        all.push(next.clone());
    }
    (all, answers)
}

#[test]
fn each_field_is_a_question() {
    let forms = one(form(
        "Which release?",
        json!({
            "type": "object",
            "properties": {
                "version": { "type": "string", "title": "Version", "description": "as in 1.0" },
                "yanked": { "type": "boolean", "default": false },
                "count": { "type": "integer", "minimum": 1 },
                "kind": { "type": "string", "enum": ["a", "b"], "enumNames": ["first", "second"] },
            },
            "required": ["version", "kind"],
        }),
    ));
    let given = json!({ "version": "1.2", "yanked": true, "count": "", "kind": "b" });
    let (questions, answers) = asked(&forms, |asked| given[&asked.id].clone());
    let ids: Vec<_> = questions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["version", "yanked", "count", "kind"]);
    // What the form is about is said once.
    assert_eq!(questions[0].preamble, vec![ContentBlock::text("Which release?")].into());
    assert_eq!(questions[0].text, "Version: as in 1.0");
    assert_eq!(
        (questions[1].text.as_str(), &questions[1].default),
        ("yanked", &Some(json!(false)))
    );
    assert!(questions[1].preamble.blocks.is_empty());
    // A field that need not be given can be left empty, and nobody has to answer it.
    assert_eq!(questions[2].default, Some(Value::Null));
    assert!(crate::tool::inquiry::fits(&questions[2], &json!("")).is_ok());
    assert!(crate::tool::inquiry::fits(&questions[2], &json!(0)).is_err());
    assert_eq!(questions[3].schema["enum"], json!(["a", "b"]));
    assert_eq!(questions[3].preamble, vec![ContentBlock::text("a: first\nb: second")].into());
    assert_eq!(questions[3].default, None);
    let reply = forms.replies(&answers);
    let wanted = json!({ "version": "1.2", "yanked": true, "kind": "b" });
    assert_eq!(reply[""], ElicitAnswer::Accept(object(wanted)));
}

#[test]
fn one_field_is_one_question_with_the_words_of_the_form() {
    let schema = json!({ "type": "object", "properties": { "go": { "type": "boolean", "description": "x" } }, "required": ["go"] });
    let forms = one(form("Fetch it?", schema));
    let (questions, _) = asked(&forms, |_| json!(true));
    assert_eq!((questions.len(), questions[0].text.as_str()), (1, "Fetch it?"));
    assert!(questions[0].preamble.blocks.is_empty());
}

#[test]
fn choices_with_titles_are_choices() {
    let schema = json!({ "properties": { "c": { "oneOf": [
        { "const": "#f00", "title": "Red" }, { "const": "#00f", "title": "Blue" } ] } }, "required": ["c"] });
    let (questions, _) = asked(&one(form("", schema)), |_| json!("#f00"));
    let choices = jp_tool::AnswerType::from_schema(&questions[0].schema);
    let options = vec!["#f00".to_owned(), "#00f".to_owned()];
    assert_eq!(choices, Some(jp_tool::AnswerType::Select { options }));
}

#[test]
fn a_form_without_fields_is_a_yes_or_a_no() {
    for schema in [json!({}), json!({ "type": "object", "properties": {} })] {
        let forms = one(form("Go on?", schema));
        let (questions, yes) = asked(&forms, |_| json!(true));
        assert_eq!((questions[0].id.as_str(), questions[0].text.as_str()), ("accept", "Go on?"));
        assert_eq!(forms.replies(&yes)[""], ElicitAnswer::Accept(Map::new()));
        let (_, no) = asked(&forms, |_| json!(false));
        assert_eq!(forms.replies(&no)[""], ElicitAnswer::Decline);
    }
}

#[test]
fn several_forms_have_ids_of_their_own_and_can_be_declined() {
    let schema = json!({ "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let both = IndexMap::from([
        ("a".to_owned(), form("A", schema.clone())),
        ("b".to_owned(), form("B", schema)),
    ]);
    let (mut forms, _) = Forms::new(both, &mut HashSet::new());
    assert_eq!(forms.ids().collect::<Vec<_>>(), ["a.name", "b.name"]);
    assert!(forms.decline("a.name") && !forms.decline("name"));
    let (questions, answers) = asked(&forms, |_| json!("x"));
    assert_eq!(questions.len(), 1);
    let replies = forms.replies(&answers);
    assert_eq!(replies["a"], ElicitAnswer::Decline);
    assert_eq!(replies["b"], ElicitAnswer::Accept(object(json!({ "name": "x" }))));
}

#[test]
fn what_is_asked_again_is_another_question() {
    let schema = json!({ "properties": { "name": { "type": "string" } } });
    let mut used = HashSet::new();
    for id in ["name", "name.2", "name.3"] {
        let forms = IndexMap::from([(String::new(), form("?", schema.clone()))]);
        let (forms, _) = Forms::new(forms, &mut used);
        assert_eq!(forms.ids().collect::<Vec<_>>(), [id]);
    }
}

#[test]
fn what_cannot_be_asked_is_declined_and_told() {
    let page = Form { url: Some("https://x.org".parse().unwrap()), ..form("Sign in", json!({})) };
    let fields: Map<_, _> = (0..1000).map(|n| (n.to_string(), json!({}))).collect();
    for form in [page, form("many", json!({ "properties": fields }))] {
        let forms = IndexMap::from([(String::new(), form)]);
        let (forms, notices) = Forms::new(forms, &mut HashSet::new());
        assert_eq!((forms.next(&Map::new()), notices.len()), (None, 1));
        assert_eq!(forms.replies(&Map::new())[""], ElicitAnswer::Decline);
    }
}

#[test]
fn nothing_that_a_server_writes_breaks_it() {
    for schema in [
        json!(null),
        json!({ "properties": [] }),
        json!({ "properties": { "a": null, "b": [], "c": { "oneOf": [1] }, "d": { "enum": 1 } }, "required": "a" }),
    ] {
        let forms = one(form("", schema));
        let (_, answers) = asked(&forms, |_| json!(true));
        let _ = forms.replies(&answers);
    }
}
