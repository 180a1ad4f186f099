//! What a backend in another crate needs besides the trait: the walk, the search and the rules for moves that all share.

pub use crate::{
    grep::grep,
    nodes::moved,
    parts::whole,
    walk::{Found, Pace, Tree},
};
