//! What a backend in another crate needs besides the trait: the walk and the search that all share.

pub use crate::{
    grep::grep,
    walk::{Found, Pace, Tree},
};
