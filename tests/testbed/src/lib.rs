//! Redis servers, clusters, Sentinels and a RabbitMQ that a test may kill, freeze and reshape.
//!
//! - [`Server`] is one `redis-server` of the `PATH`. [`Settings`] configure it.
//! - [`Cluster`] is a cluster, 3 masters and 3 replicas if not told otherwise.
//! - [`Tair`] is a proxy in front of a server, as strict with scripts as a managed cluster.
//! - [`Sentinels`] is a master with 2 replicas and 3 Sentinels.
//! - [`Broker`] is a RabbitMQ.
//! - [`Program`] is a program that ends with the test.
//! - [`Certificates`] are what TLS needs.
//! - [`Directory`] is a temporary directory, removed when dropped.
//! - [`ClockOffset`] makes the clock of a process wrong, [`HeldClock`] stops it. [`signal`] stops, continues or ends one.
//!
//! Each server has its own ports and its own directory. Dropping the last handle kills the process
//! and removes the directory, also when a test panics. The end of its log is printed then.
//!
//! All calls block the thread, some for seconds: an async test calls them from
//! `tokio::task::spawn_blocking`, or on a runtime with several threads. Every handle can be shared
//! between threads. A call that cannot do its work within [`PATIENCE`] panics and says why.

mod broker;
mod certificates;
mod clock;
mod cluster;
mod place;
mod program;
mod sentinels;
mod server;
mod settings;
mod signal;
mod tair;
mod wait;

pub use broker::Broker;
pub use certificates::Certificates;
pub use clock::{ClockOffset, HeldClock};
pub use cluster::{Cluster, SlotMove};
pub use place::Directory;
pub use program::{Program, variables_of_rdq};
pub use sentinels::Sentinels;
pub use server::Server;
pub use settings::Settings;
pub use signal::signal;
pub use tair::Tair;
pub use wait::{PATIENCE, eventually, until};
