//! Texts written to do harm: too large, too deep, too many mistakes, control sequences, noise.

use proptest::prelude::*;

use super::{config, errors, errors_of};
use crate::{Config, Layer, MAX_LAYER_BYTES, ShowFormat};

#[test]
fn a_layer_that_is_too_large_is_refused() {
    let remark = |bytes: usize| format!("#{}", "x".repeat(bytes - 1));
    config(&remark(MAX_LAYER_BYTES));
    assert_eq!(
        errors(&remark(MAX_LAYER_BYTES + 1)),
        "w.toml:1:1: `w.toml` is larger than 1024 KiB, the most a configuration may have"
    );
    let argument = format!("assistant.name={}", "x".repeat(MAX_LAYER_BYTES));
    assert!(errors_of(vec![Layer::assignment(argument)]).contains("is larger than 1024 KiB"));
}

#[test]
fn a_layer_that_is_too_deep_is_refused() {
    let nested = |depth: usize| {
        format!("assistant.model.parameters.x = {}{}", "[".repeat(depth), "]".repeat(depth))
    };
    config(&nested(60));
    assert_eq!(errors(&nested(61)), "w.toml:1:92: `assistant` is nested more than 64 levels deep");
    // Beyond what the TOML parser itself follows.
    assert!(errors(&nested(100_000)).contains("recurse"));
    let inline = format!("{}1{}", "{a=".repeat(70), "}".repeat(70));
    assert!(errors(&format!("assistant.model.parameters.x = {inline}")).contains("64 levels"));
    // Dotted keys inside of inline tables multiply.
    let dotted = ["a"; 79].join(".");
    let towers = format!("{}1{}", format!("{{{dotted} = ").repeat(78), "}".repeat(78));
    assert!(errors(&format!("assistant.model.parameters.x = {towers}")).contains("64 levels"));
}

#[test]
fn of_many_mistakes_the_first_are_kept_and_the_rest_counted() {
    let lines: Vec<String> = (0..5000).map(|it| format!("key{it} = 1")).collect();
    let text = lines.join("\n");
    let errors = Config::load(vec![Layer::workspace("w", text)]).unwrap_err();
    assert_eq!(errors.report().problems().count() + errors.report().omitted(), 5000);
    assert_eq!(errors.report().omitted(), 4800);
    assert!(errors.render(false).ends_with("and 4800 more\n"));
    assert!(errors.to_string().ends_with("and 4800 more"));
}

#[test]
fn defaults_are_not_copied_without_bound() {
    let tools: Vec<String> = (0..20_000).map(|it| format!("[tools.t{it}]")).collect();
    let text = format!(
        "[tools.'*']\nsource = 'local'\ndescription = '{}'\n{}",
        "x".repeat(100_000),
        tools.join("\n")
    );
    assert_eq!(
        errors(&text),
        "w.toml:1:8: `conversation.tools.\"*\"` holds too much to be given to 20000 tools"
    );
}

#[test]
fn a_very_long_line_is_named_and_not_shown() {
    let text = format!("style = {{ x = '{}', y = 1 }}", "x".repeat(100_000));
    let errors = Config::load(vec![Layer::workspace("w", text)]).unwrap_err();
    assert!(errors.render(false).len() < 1000);
    assert!(errors.render(false).contains("w:1:100019"));
}

#[test]
fn control_sequences_do_not_reach_the_terminal() {
    let texts = [
        // In a key, in a word, in a line that is no TOML, and in the name of the file.
        "\"\\u001B[31mx\" = 1",
        "style.color = \"\\u001B[31m\\u009B1m\"",
        "x = \u{1b}[31m",
        "x = = '\u{9b}31m' # \u{85}",
    ];
    for text in texts {
        let layer = Layer::workspace("\u{1b}[2J\u{9b}.toml", text);
        let errors = Config::load(vec![layer]).unwrap_err();
        for shown in [errors.render(false), errors.to_string()] {
            assert_eq!(control(&shown), None, "{shown:?}");
        }
    }
}

#[test]
fn what_is_shown_is_safe_to_print() {
    let name = "\u{1b}[31m\u{9b}1m\u{202e}\u{7f}\u{85}";
    let config = super::merged(vec![Layer::assignment(format!("assistant.name={name}"))]);
    for format in [ShowFormat::Toml, ShowFormat::Json] {
        for origin in [false, true] {
            let shown = config.show(None, format, origin).unwrap();
            assert_eq!(control(&shown), None, "{shown:?}");
            assert!(!shown.contains('\u{202e}'), "{shown:?}");
        }
    }
    let json = config.show(Some("assistant.name"), ShowFormat::Json, false).unwrap();
    assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
}

#[test]
fn a_line_break_in_an_assignment_does_not_end_its_remark() {
    let argument = Layer::assignment("assistant.name=\u{1b}[31m\nb");
    let shown = super::merged(vec![argument]).show(None, ShowFormat::Toml, true).unwrap();
    assert_eq!(config(&shown).app.assistant.name, "\u{1b}[31m\nb");
}

fn control(text: &str) -> Option<char> {
    text.chars().find(|it| it.is_control() && *it != '\n')
}

proptest! {
    /// Whatever the text, loading ends with a configuration or with errors that can be shown.
    #[test]
    fn any_text_is_survived(text in "[a-c\\[\\]{}=.,\"'#\\n\\\\ é1*\u{1b}]{0,60}") {
        let layers = vec![Layer::workspace("w", text.clone()), Layer::assignment(text)];
        if let Err(errors) = Config::load(layers) {
            let shown = errors.render(false);
            let escaped = shown.contains('\u{1b}');
            prop_assert!(!escaped);
        }
    }

    #[test]
    fn any_assignment_is_survived(key in "[a-z.\"*]{0,12}", value in any::<String>()) {
        let keys = ["assistant.name", "tools.x.command", "server.web.port", &key];
        for key in keys {
            let layer = Layer::assignment(format!("{key}={value}"));
            if let Err(errors) = Config::load(vec![layer]) {
                errors.render(true);
            }
        }
    }

    #[test]
    fn any_path_is_survived(path in any::<String>()) {
        let config = Config::load(Vec::new()).unwrap();
        let _ = config.get(Some(&path));
    }
}
