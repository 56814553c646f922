//! The verbs: each has its arguments and its work in a file.

pub(crate) mod bench;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod dlq;
pub(crate) mod doctor;
pub(crate) mod drain;
pub(crate) mod export;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod leases;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod offer;
pub(crate) mod pause;
pub(crate) mod promote;
pub(crate) mod quarantine;
pub(crate) mod queues;
pub(crate) mod rate;
pub(crate) mod repair;
pub(crate) mod reschedule;
pub(crate) mod sniff;
pub(crate) mod stats;
pub(crate) mod tail;
pub(crate) mod take;
pub(crate) mod transfer;
