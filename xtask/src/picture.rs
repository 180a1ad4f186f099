//! `cargo xtask picture`: the web view as the documentation shows it.
//!
//! A test in a browser takes the picture; here it becomes the one in the repository, when somebody wants
//! that. Look at it before committing it.

use crate::cmd::Cmd;
use crate::failure::{Failure, Result};
use crate::{needs, root};

/// The test that takes the picture, and its name.
const TEST: &str = "in_browser::find_open_and_read";
const TAKEN: &str = "target/screenshots/conversation.png";
const SHOWN: &str = "docs/plugins/web.png";

/// What a picture may have, in bytes: everybody who clones the repository gets it.
const LONGEST: u64 = 200 << 10;

/// Takes the picture and puts it into the documentation.
pub(crate) fn run() -> Result {
    needs::meet(needs::PICTURE)?;
    Cmd::cargo(&["build", "--package", "jp_cli", "--bins"]).run()?;
    Cmd::cargo(&["test", "--package", "jp-serve-web", "--test", "web", TEST]).run()?;
    let (taken, shown) = (root().join(TAKEN), root().join(SHOWN));
    let failed = || Failure::because(format!("cannot copy {taken} to {shown}"));
    let length = std::fs::metadata(&taken).map_err(failed())?.len();
    if length > LONGEST {
        return Err(Failure::new(format!("{taken} has {length} bytes, more than {LONGEST}")));
    }
    std::fs::copy(&taken, &shown).map_err(failed())?;
    println!("{shown} is new");
    Ok(())
}
