//! Requests and their answers.
