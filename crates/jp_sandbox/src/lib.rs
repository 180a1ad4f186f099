//! Confines a process to what a policy grants, by means of the kernel, and says how faithfully.
//!
//! A [`view::View`] says which files a process sees and what it can do with them, a
//! [`confinement::Confinement`] adds network, programs and limits. The kernel is made to agree with
//! them by a helper process, see [`linux::helper`].
//!
//! The crate does not know the configuration, does not decide when to ask a person, and does not copy
//! a process's output.

pub mod confinement;
pub mod event;
pub mod failure;
#[cfg(target_os = "linux")]
pub mod linux;
pub mod machine;
pub mod macos;
pub mod plan;
pub mod presets;
pub mod view;
pub mod windows;

/// The port of the proxy inside a network namespace of its own, where it is the only one.
pub const PROXY_PORT: u16 = 3128;
