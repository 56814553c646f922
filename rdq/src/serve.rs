//! The web dashboard of `rdq serve`.
//!
//! - [`app`]: what all requests share, and which path leads where.
//! - [`connections`]: how long each client may take. [`places`]: how many there may be, and which one
//!   gives its place to the next.
//! - [`guard`]: what every request must have and every answer carries: hosts, origins, headers.
//!   [`access`] says who may read and write: tokens and the sessions of browsers. [`attempts`]
//!   counts wrong tokens by client; [`proxies`] finds the client behind a proxy, and [`peer`] is its
//!   address.
//! - [`api`]: the JSON that the pages and scripts read and send, a file for each subject.
//!   [`request`] reads what was asked, [`page`] a part of a long list. [`refusal`] is the answer to
//!   a request that fails.
//! - [`readings`]: what is read from Redis for all viewers together. It reads each thing only when
//!   somebody asks and what is known is old ([`fresh`]), finds queues in the background
//!   ([`finder`]), and keeps what the plots show ([`history`]). [`recorder`] counts the queues once a
//!   minute, even if nobody looks. [`examiner`] examines queues while somebody looks at the list.
//! - [`metrics`] and [`health`]: for machines.
//! - [`assets`]: the files of the pages, which are part of the program.

mod access;
mod api;
mod app;
mod assets;
mod attempts;
mod connections;
mod examiner;
mod finder;
mod fresh;
mod guard;
mod health;
mod history;
mod metrics;
mod page;
mod peer;
mod places;
mod proxies;
mod readings;
mod recorder;
mod refusal;
mod request;

pub(crate) use access::{Access, Token};
pub(crate) use app::run;
pub(crate) use guard::Hosts;
pub(crate) use proxies::Proxies;
