//! Answers that are odd in one place: what is kept, and what is said.

use super::*;

fn done(answer: Value) -> Result<CallResult, DecodeError> {
    match called(answer, &[])? {
        Called::Done(result) => Ok(result),
        Called::InputRequired(round) => panic!("{round:?}"),
    }
}

#[test]
fn results_that_are_odd_but_clear() {
    for (answer, blocks, is_error) in [
        (json!({ "content": [] }), 0, false),
        (json!({ "content": [], "isError": null, "resultType": "complete" }), 0, false),
        (json!({ "content": [{ "type": "text", "text": "" }], "isError": true }), 1, true),
        (json!({ "structuredContent": 0 }), 0, false),
        (json!({ "content": null, "structuredContent": {} }), 0, false),
        (json!({ "content": [], "_meta": 7, "extra": {} }), 0, false),
    ] {
        let result = done(answer.clone()).unwrap_or_else(|error| panic!("{answer}: {error}"));
        assert_eq!((result.content.blocks.len(), result.is_error), (blocks, is_error), "{answer}");
    }
}

#[test]
fn structured_content_is_any_json_but_null_is_none() {
    let of = |value: Value| done(json!({ "content": [], "structuredContent": value })).unwrap();
    assert_eq!(of(json!(false)).structured, Some(json!(false)));
    assert_eq!(of(json!([null])).structured, Some(json!([null])));
    assert_eq!(of(Value::Null).structured, None);
}

#[test]
fn forms() {
    let schema = json!({ "type": "object", "properties": {} });
    let asked = form(json!({ "message": "m", "requestedSchema": schema })).unwrap();
    assert_eq!((asked.message.as_str(), asked.schema, asked.url), ("m", schema.clone(), None));
    let silent = form(json!({ "mode": "form", "requestedSchema": schema })).unwrap();
    assert_eq!(silent.message, "");
    let page = json!({ "mode": "url", "message": "m", "url": "https://a.example/x", "elicitationId": "1" });
    assert_eq!(form(page).unwrap().url.unwrap().as_str(), "https://a.example/x");
    for (params, reason) in [
        (json!(null), "the question is not an object"),
        (json!({ "message": 7 }), "`message` is not a string"),
        (json!({ "message": "m" }), "`requestedSchema` is missing"),
        (json!({ "requestedSchema": 7 }), "`requestedSchema` has no `properties`"),
        (
            json!({ "requestedSchema": { "properties": [] } }),
            "`requestedSchema` has no `properties`",
        ),
        (json!({ "mode": "url" }), "`url` is missing"),
        (json!({ "mode": "url", "url": "nowhere" }), "`url`: relative URL without a base"),
    ] {
        assert_eq!(form(params.clone()).unwrap_err().to_string(), reason, "{params}");
    }
}

#[test]
fn rounds() {
    let round = |requests: Value| {
        called(json!({ "resultType": "input_required", "inputRequests": requests }), &["/w".into()])
    };
    let form = json!({ "method": "elicitation/create", "params": { "requestedSchema": { "properties": {} } } });
    let Ok(Called::InputRequired(found)) =
        round(json!({ "b": form, "a": form, "r": { "method": "roots/list" } }))
    else {
        panic!()
    };
    let keys: Vec<_> = found.forms.keys().collect();
    assert_eq!(keys, ["b", "a"], "in the order of the server");
    let resumed = found.resume(indexmap::IndexMap::new());
    assert_eq!(resumed.responses["r"], json!({ "roots": [{ "uri": "file:///w" }] }));
    assert_eq!(resumed.responses["a"], json!({ "action": "cancel" }));
    for requests in [json!([]), json!({ "a": 7 }), json!({ "a": { "method": 7 } })] {
        assert!(matches!(round(requests), Err(DecodeError::Malformed(_))));
    }
    for requests in [json!({ "a": {} }), json!({ "a": { "method": "ping" } })] {
        assert!(matches!(round(requests), Err(DecodeError::Unsupported(_))));
    }
}

#[test]
fn names_of_tools_are_not_endless() {
    let mut tools = Tools::default();
    let long = "n".repeat(MAX_NAME + 1);
    let next =
        page(json!({ "tools": [{ "name": long, "inputSchema": {} }] }), &mut tools, &mut 10_000)
            .unwrap();
    assert_eq!(next, None);
    assert_eq!(tools.malformed[0].name, None);
    for answer in
        [json!([]), json!({}), json!({ "tools": {} }), json!({ "tools": [], "nextCursor": 7 })]
    {
        assert!(page(answer, &mut tools, &mut 10_000).is_err());
    }
}

#[test]
fn a_list_has_a_largest_size_and_so_has_a_tool() {
    let tool = |name: &str, bytes: usize| json!({ "name": name, "description": "x".repeat(bytes), "inputSchema": {} });
    let mut tools = Tools::default();
    let mut room = MAX_LIST;
    let answer = json!({ "tools": [tool("a", 10), tool("large", MAX_TOOL), tool("b", 10)] });
    page(answer, &mut tools, &mut room).unwrap();
    assert_eq!(tools.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(tools.malformed[0].to_string().contains("`large` was skipped: its definition has"));
    let used = MAX_LIST - room;
    assert!(used > 20 && used < 200, "{used}");
    // What fits into pages one by one does not fit together.
    let mut pages = 0;
    let error = loop {
        let answer = json!({ "tools": [tool(&format!("t{pages}"), MAX_TOOL / 2)] });
        match page(answer, &mut tools, &mut room) {
            Ok(_) => pages += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), format!("the list of its tools has more than {MAX_LIST} bytes"));
    assert!(pages <= 2 * MAX_LIST / MAX_TOOL, "{pages}");
}
