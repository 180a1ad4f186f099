//! The host of command plugins: talks to them, serves what they ask for, and sees to their end.
//!
//! A plugin is a program of somebody else that extends `jp`. [`session::run`] is the whole life of one:
//! `init`, its messages, `exit`. [`Services`] is what it can ask for, on any [`jp_workspace::Store`].
//!
//! Before that, [`catalog`] knows which plugins there are, [`describe`] asks what they are, [`route`] finds the
//! one that a command line means, and [`trust`] decides whether it may run. [`help`] puts it into words.
//!
//! The danger is a plugin that does not behave: it floods, falls silent, stops reading, never ends. So
//! reading, writing, serving and printing do not wait for each other, everything that is kept for a plugin
//! has a largest size, and whatever it does, it ends when `jp` does.
//!
//! This crate reads no environment, asks nobody and prints nothing: a session gets a [`jp_process::Child`] and
//! an [`Output`], and who describes itself is started by a [`jp_confine::Confiner`].
#![cfg(target_os = "linux")]

pub mod catalog;
pub mod describe;
pub mod help;
mod kept;
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
