//! Where events begin and end in a file, above all in a torn one.

use serde_json::json;

use super::*;

/// A batch of lines.
fn batch(lines: &[&str]) -> Vec<u8> {
    let mut batch = Batched::default();
    for line in lines {
        batch.next(|bytes| bytes.extend_from_slice(line.as_bytes()));
    }
    batch.finish()
}

const A: &str = r#"{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start"}"#;
const B: &str = r#"{"timestamp":"2026-03-18T13:19:14Z","type":"chat_request","content":"hi"}"#;

fn types(stream: &Stream) -> Vec<String> {
    stream
        .events()
        .map(|event| event.map_or_else(|e| e.to_string(), |e| e.kind.type_name().to_owned()))
        .collect()
}

#[test]
fn one_event_a_line() {
    let stream = Stream::from_lines(format!("{A}\n\n{B}\n").into_bytes());
    assert_eq!(types(&stream), ["turn_start", "chat_request"]);
    assert_eq!(stream.len(), 2);
    assert!(Stream::from_lines(Vec::new()).is_empty());
}

#[test]
fn a_bad_line_is_an_error_of_its_own() {
    let stream = Stream::from_lines(format!("{A}\nnonsense\n{B}\n").into_bytes());
    let events: Vec<_> = stream.events().collect();
    assert!(events[0].is_ok() && events[1].is_err() && events[2].is_ok());
}

#[test]
fn a_batch_cut_at_any_byte_is_whole_or_absent() {
    // 072-335, 072-336
    let before = format!("{A}\n{B}\n").into_bytes();
    let added = batch(&[A, B, A]);
    for cut in 0..=added.len() {
        let mut torn = before.clone();
        torn.extend_from_slice(&added[..cut]);
        let expected = if cut == added.len() { 5 } else { 2 };
        assert_eq!(Stream::from_lines(torn.clone()).len(), expected, "cut at {cut}");
        let committed = if cut == added.len() { torn.len() } else { before.len() };
        assert_eq!(committed_len(&torn), committed, "cut at {cut}");
    }
}

#[test]
fn a_batch_is_json_lines_to_everybody_else() {
    let text = String::from_utf8(batch(&[A, B])).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["content"], json!("hi"));
    assert!(batch(&[]).is_empty());
}

#[test]
fn an_array_is_read_with_its_items_untouched() {
    // 072-330
    let text = format!("[\n  {A},\n  {B}\n]\n");
    let stream = Stream::from_array(text.into_bytes()).unwrap();
    assert_eq!(stream.raw().collect::<Vec<_>>(), [A.as_bytes(), B.as_bytes()]);
    for bad in ["", "[{},", "{}", "[{}] 1", "[1 2]", "\"[]\""] {
        assert!(Stream::from_array(bad.into()).is_err(), "{bad}");
    }
    for (array, count) in [("[]", 0), (" [ ] \n", 0), ("[[],{}]", 2), ("[[1,[2]],\"],[\"]", 2)] {
        assert_eq!(Stream::from_array(array.into()).unwrap().len(), count, "{array}");
    }
}

/// However it is read, an event is the same.
#[test]
fn events_are_found_from_both_ends() {
    for text in ["", "\n", "a\n", "\n\na\n", "a\n\nb \n \nc\n\n", "a\nb\nc\n"] {
        let stream = Stream::from_lines(text.into());
        let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let forth: Vec<_> = stream.raw().map(|line| str::from_utf8(line).unwrap()).collect();
        let mut back: Vec<_> =
            stream.raw().rev().map(|line| str::from_utf8(line).unwrap()).collect();
        back.reverse();
        assert_eq!((&forth, &back), (&lines, &lines), "{text:?}");
        assert_eq!((stream.len(), stream.is_empty()), (lines.len(), lines.is_empty()), "{text:?}");
        for count in 0..5 {
            let mut last = stream.clone();
            last.keep_last(count);
            let kept: Vec<_> = last.raw().map(|line| str::from_utf8(line).unwrap()).collect();
            assert_eq!(kept, lines[lines.len().saturating_sub(count)..], "{text:?} {count}");
            let length = kept.len();
            assert_eq!(Stream::from_lines(last.into_lines()).len(), length, "{text:?} {count}");
        }
    }
}

#[test]
fn the_last_events_alone() {
    let mut stream = Stream::from_lines(format!("{A}\n{B}\n{A}\n").into_bytes());
    stream.keep_last(2);
    assert_eq!(types(&stream), ["chat_request", "turn_start"]);
    stream.keep_last(10);
    assert_eq!(stream.len(), 2);
}

#[test]
fn extending_is_reading_on() {
    let mut stream = Stream::from_lines(format!("{A}\n").into_bytes());
    stream.extend(&batch(&[B, B]));
    assert_eq!(types(&stream), ["turn_start", "chat_request", "chat_request"]);
}

#[test]
fn objects_keep_fields_that_no_type_knows() {
    // 072-172, 072-174
    let line = r#"{"timestamp":"2026-03-18T13:19:13Z","type":"tool_call_response","id":"1","content":"aGk=","is_error":false,"extra":{"b64":"aGk="}}"#;
    let stream = Stream::from_lines(format!("{line}\n").into_bytes());
    let object = stream.objects().next().unwrap().unwrap();
    assert_eq!(object["content"], json!("hi"));
    assert_eq!(object["extra"], json!({"b64": "aGk="}));
}

#[test]
fn an_array_becomes_lines_without_losing_anything() {
    // 072-332
    let array = r#"[ {"type" : "x", "n": 123456789012345678901234567890, "s": "a \" \\ b\n" },
        {"k": [ 1.50, null ]} ]"#;
    let lines = Stream::from_array(array.as_bytes().to_vec()).unwrap().into_lines();
    let expected = concat!(
        r#"{"type":"x","n":123456789012345678901234567890,"s":"a \" \\ b\n"}"#,
        "\n",
        r#"{"k":[1.50,null]}"#,
        "\n",
    );
    assert_eq!(String::from_utf8(lines).unwrap(), expected);
}
