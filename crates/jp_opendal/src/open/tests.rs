//! Words that are wrong are told with those that are right, and never with their values.

use super::*;

fn options(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn error(scheme: &str, pairs: &[(&str, &str)], root: &str) -> String {
    open(scheme, &options(pairs), root).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_named() {
    let s3 = [("bucket", "b"), ("region", "r"), ("secret_access_key", "hunter2")];
    let with = |pair| [&s3[..], &[pair]].concat();
    let url = ("url", "postgresql://me:hunter2@localhost/db");
    for (text, part) in [
        (error("ftp", &[], ""), "there is no scheme `ftp`; there are: memory, postgresql, s3"),
        (error("memory", &[("x", "1")], ""), "`memory` has no option `x`; it has: timeout_secs"),
        (error("s3", &[], ""), "`s3` needs the option `bucket`"),
        (error("s3", &[("bucket", "b")], ""), "`s3` needs the option `region`"),
        (error("s3", &with(("bukket", "b")), ""), "`s3` has no option `bukket`; it has: bucket, "),
        (error("s3", &with(("skip_signature", "hunter2")), ""), "is `true` or `false`"),
        (error("s3", &with(("timeout_secs", "0")), ""), "is a whole number from 1 to 3600"),
        (error("s3", &s3, "a/../b"), "the root in the store: the path has a `..` in it"),
        (error("postgresql", &[], ""), "`postgresql` needs the option `url`"),
        (error("postgresql", &[("url", "hunter2")], ""), "is not like postgresql://"),
        (error("postgresql", &[("url", "user=hunter2")], ""), "the option `url` names no host"),
        (error("postgresql", &[url, ("table", "a.")], ""), "the option `table` is a name"),
    ] {
        assert!(text.contains(part), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn no_secret_is_shown() {
    let s3 = [
        ("bucket", "b"),
        ("region", "r"),
        ("access_key_id", "hunter1"),
        ("secret_access_key", "hunter2"),
        ("session_token", "hunter3"),
    ];
    let url = [("url", "postgresql://me:hunter2@localhost/db"), ("password", "hunter3")];
    for (scheme, pairs, place) in [
        ("s3", &s3[..], "s3 bucket b, /x/y"),
        ("postgresql", &url[..], "postgresql table jp_files, x/y/"),
        ("memory", &[][..], "memory"),
    ] {
        let files = open(scheme, &options(pairs), "x/y/").unwrap();
        assert_eq!(files.display_root(), place);
        let shown = format!("{files:?} {files:#?}");
        assert!(shown.contains(place) && !shown.contains("hunter"), "{shown}");
        assert!(!files.is_quick());
    }
}
