//! The host of command plugins: finds them, asks what they are, decides whether they may run, and serves
//! them while they do.
//!
//! It reads no environment and no terminal, and prints nothing.
#![cfg(target_os = "linux")]

pub mod catalog;
pub mod describe;
pub mod help;
pub mod look;
pub mod route;
pub mod trust;
