//! The helpers, tried on `/bin/sh`: what they promise, and that each limit holds.

mod env;
mod pty;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};

use jp_test::TestEnv;

/// An environment in which `jp` is the shell.
fn env() -> TestEnv {
    TestEnv::new("/bin/sh")
}

/// The message of the panic that `action` ends with.
fn failure<R>(action: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(action)) else {
        panic!("it should have failed");
    };
    *payload.downcast::<String>().expect("the message was formatted")
}
