//! From due to delivered: the task that transfers, and the intake that claims and hands over.

pub(crate) mod alarm;
pub(crate) mod intake;
pub(crate) mod peers;
pub(crate) mod transfer;
