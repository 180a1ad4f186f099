//! What a backend in another crate needs besides the trait: the walk and the search that all share.

pub use crate::{
    grep::grep,
    parts::whole,
    walk::{Found, Pace, Tree},
};
