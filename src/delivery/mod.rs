//! From due to delivered.
//!
//! `transfer` moves due elements to the target queues: one task for each master, which `services`
//! starts. It runs when its agenda and the `alarm` say; if another client leads (`peers`), a little
//! later. It tells each queue's `intake` what it moved. There a worker claims elements, and each
//! waiting caller's own future takes them. The task and the workers ask Redis to report changes, as
//! often as `trust` allows. The queues of a client share its `session`: connections, services,
//! settings. Begin with `transfer`, then `intake`.

pub(crate) mod alarm;
pub(crate) mod intake;
pub(crate) mod peers;
pub(crate) mod services;
pub(crate) mod session;
pub(crate) mod transfer;
pub(crate) mod trust;
