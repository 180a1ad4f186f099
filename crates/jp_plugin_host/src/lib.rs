//! The host of command plugins: talks to them, serves what they ask for, and sees to their end.
//!
//! A plugin is a program of somebody else that extends `jp`. [`session::run`] is the whole life of one:
//! `init`, its messages, `exit`. [`Services`] is what it can ask for, on any [`jp_workspace::Store`].
//!
//! The danger is a plugin that does not behave: it floods, falls silent, stops reading, never ends. So
//! reading, writing, serving and printing do not wait for each other, everything that is kept for a plugin
//! has a largest size, and whatever it does, it ends when `jp` does.
//!
//! This crate starts no process by itself, reads no environment and prints nothing: the caller passes a
//! [`jp_process::Child`] and an [`Output`].
#![cfg(target_os = "linux")]

pub mod catalog;
pub mod describe;
pub mod help;
pub mod look;
mod output;
pub mod route;
mod services;
pub mod session;
pub mod trust;

pub use self::{
    output::Output,
    services::{Answer, Events, Services},
};
