//! Values that must not reach a tool: the host puts them into what it sends, and takes them out of
//! what comes back.
//!
//! A [`Template`] is a text with `${VAR}` in it. The tool writes the template, the host fills it, and
//! the tool never sees the result. A [`Scrubber`] is the second half: what comes back may repeat the
//! value, so every form in which a value is commonly repeated reads `[REDACTED]` before a tool gets
//! it.
//!
//! This crate reads no environment and knows no policy: both are behind a function that the caller
//! gives to [`Template::fill`].

mod scrubber;
mod template;
mod value;

pub use self::scrubber::{REDACTED, ScrubError, Scrubber};
pub use self::template::{Filled, SubstituteError, Template, TemplateError};
pub use self::value::{Lookup, Secret};
