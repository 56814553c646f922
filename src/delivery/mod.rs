//! From due to delivered.
//!
//! `transfer` is one task a client. It moves due elements to the target queues when its agenda and
//! the `alarm` say; if another client leads (`peers`), a little later. It tells each queue's
//! `intake` what it moved. There a worker claims elements, and each waiting caller's own future
//! takes them. The `session` of a client starts these tasks and has their connections. Begin with
//! `transfer`, then `intake`.

pub(crate) mod alarm;
pub(crate) mod intake;
pub(crate) mod peers;
pub(crate) mod services;
pub(crate) mod session;
pub(crate) mod transfer;
