//! "Did you mean …?": the known word nearest to a wrong one, or none if nothing is near.

/// The word of `known` that `wrong` was probably meant to be.
///
/// Case and the choice between `-` and `_` count for nothing; otherwise about one edit in three
/// characters is forgiven, a swap of neighbours being one edit. A suggestion that is further away
/// than that would only distract.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time proportional to both lengths, and no key is anywhere near this long.
    if wrong.len() > MAX_COMPARED {
        return None;
    }
    let wrong = plain(wrong);
    known
        .into_iter()
        .filter(|it| it.len() <= MAX_COMPARED)
        .map(|it| (strsim::osa_distance(&wrong, &plain(it)), it))
        .filter(|(distance, it)| *distance <= forgiven(&wrong, it))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, it)| it)
}

const MAX_COMPARED: usize = 64;

fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

/// How many edits may lie between the two. One is always forgiven unless that is the whole word.
fn forgiven(wrong: &str, known: &str) -> usize {
    let length = wrong.chars().count().max(known.chars().count());
    if length < 3 { length.saturating_sub(1) } else { (length / 3).max(1) }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_word_is_found_and_a_distant_one_is_not() {
        let known = ["model", "name", "instructions", "color_depth", "run", "id"];
        let check = |wrong: &str, wanted: Option<&str>| {
            assert_eq!(nearest(wrong, known), wanted, "{wrong}");
        };
        check("modle", Some("model"));
        check("Model", Some("model"));
        check("colour-depth", Some("color_depth"));
        check("instuctions", Some("instructions"));
        check("nmae", Some("name"));
        check("rum", Some("run"));
        check("i", Some("id"));
        check("temperature", None);
        check("xy", None);
        check("", None);
        check(&"model".repeat(1000), None);
    }
}
