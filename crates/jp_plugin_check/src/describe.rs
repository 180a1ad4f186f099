//! Whether a plugin describes itself as it should.

use jp_plugin::{Describe, HostToPlugin};

use crate::{
    CannotStart, Ground, Patience, Program, Transcript,
    finding::Finding,
    play::{Manner, Played, play},
};

const ANSWER: &str = "answer {\"type\":\"describe\"} with one describe message, and end";

/// Asks for the description, twice and in the words of a later version.
pub async fn describe(
    program: &dyn Program,
    ground: &Ground,
    patience: Patience,
) -> Result<(Vec<Finding>, Vec<Transcript>), CannotStart> {
    let ask = async |title: &str, manner| {
        let host = ground.host().map_err(|error| CannotStart(error.to_string()))?;
        play(program, (title, &HostToPlugin::Describe, manner), host, patience).await
    };
    let first = ask("describe", Manner::PROPER).await?;
    let exchange = first.transcript.lines();
    let answers = Finding::new("describe", "describes itself").said(&exchange);
    let answers = answers.fails(unanswered(&first, patience), ANSWER);
    let mut findings = vec![answers];
    let mut transcripts = vec![first.transcript.clone()];
    if let Some(described) = &first.described {
        findings.extend(ends(&first, patience).map(|finding| finding.said(&exchange)));
        findings.extend(fields(described));
        let again = ask("describe again", Manner::PROPER).await?;
        let other = (again.described.as_ref() != Some(described))
            .then(|| "the second answer is another one".to_owned());
        let title = "describes itself again, in the same words";
        findings.push(Finding::new("describe.twice", title).fails(other, ANSWER));
        let later = ask(
            "describe with fields of a later version",
            Manner { later: true, ..Manner::PROPER },
        );
        let later = later.await?;
        let other = (later.described.as_ref() != Some(described))
            .then(|| "a field it does not know stops it".to_owned());
        let title = "describes itself when the message has fields it does not know";
        let fix = "look at `type` only, and ignore the rest";
        findings.push(Finding::new("describe.later", title).fails(other, fix));
        transcripts.extend([again.transcript, later.transcript]);
    }
    Ok((findings, transcripts))
}

/// Why there is no description.
fn unanswered(played: &Played, patience: Patience) -> Option<String> {
    if played.described.is_some() {
        return None;
    }
    let stderr = if played.stderr.is_empty() {
        String::new()
    } else {
        format!("; stderr: {}", played.stderr)
    };
    let why = if let Some(stray) = &played.stray {
        format!("it wrote a line that is no message; {stray}")
    } else if let Some(wrong) = played.wrong.first() {
        format!("its answer is not a description; {wrong}")
    } else if played.is_ready || played.exit.is_some() {
        "it ran instead of describing itself".to_owned()
    } else {
        match &played.ended {
            Some(ended) => format!("it {} without an answer", ended.text),
            None => format!("it did not answer within {} seconds", patience.describe.as_secs()),
        }
    };
    Some(why + &stderr)
}

/// How it ends after the answer.
fn ends(played: &Played, patience: Patience) -> impl Iterator<Item = Finding> {
    let late = match &played.ended {
        Some(ended) if ended.is_success => None,
        Some(ended) => Some(format!("it {}", ended.text)),
        None => Some(format!(
            "it was still there {} seconds after its answer",
            patience.grace.as_secs()
        )),
    };
    let more = played.after.as_ref().map(|line| format!("more follows: {line}"));
    let fix = "end with code 0 right after the answer, without waiting for the end of the input";
    [
        Finding::new("describe.ends", "ends with code 0 after that").fails(late, fix),
        Finding::new("describe.only", "says nothing else")
            .fails(more, "neither `ready` nor `exit` is needed"),
    ]
    .into_iter()
}

/// What it says about itself.
fn fields(described: &Describe) -> Vec<Finding> {
    let Describe { name, version, description, command, help, .. } = described;
    let empty = [("name", name), ("version", version), ("description", description)];
    let empty = empty.into_iter().find(|(_, text)| text.trim().is_empty());
    let empty = empty.map(|(field, _)| format!("`{field}` is empty"));
    let lines =
        (description.lines().count() > 1).then(|| "`description` has several lines".to_owned());
    let long = (description.chars().count() > 100)
        .then(|| "`description` has more than 100 characters".to_owned());
    let controls = [name, version, description].into_iter().chain(help.as_ref());
    let controls =
        controls.flat_map(|text| text.chars()).any(|c| c.is_control() && c != '\n' && c != '\t');
    let controls =
        controls.then(|| "there are control characters in it, which jp removes".to_owned());
    let words = command
        .is_none()
        .then(|| "there is no `command`, so it comes from the name of the file".to_owned());
    vec![
        Finding::new("describe.fields", "has a name, a version and a description")
            .fails(empty, "all three are required")
            .warns(lines.or(long), "lists have one line for it; `help` has room for more")
            .warns(controls, "write plain text"),
        Finding::new("describe.command", "names its command")
            .warns(words, "add \"command\":[\"…\"], so that the file can be called anything"),
        Finding::new("describe.help", "has help").warns(
            help.is_none().then(|| "there is no `help`".to_owned()),
            "`jp <plugin> -h` prints it; say how the command is used",
        ),
    ]
}
