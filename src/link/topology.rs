//! Where the masters are: one server, the one that sentinels name, or those of a cluster.
//!
//! Nothing outside `link` and `services` knows which of them a client has. The rest asks [`Nodes`] for
//! the node of a queue, and is told when that changes.
//!
//! [`Nodes`]: crate::link::nodes::Nodes

#[cfg(any(feature = "cluster", feature = "sentinel"))]
use std::sync::Arc;

use crate::error::Result;
use crate::link::access::Access;
use crate::link::address::{Address, Kind};
use crate::link::connection::Timeouts;
#[cfg(feature = "cluster")]
use crate::link::connection::{Failure, Met};
use crate::link::endpoint::{Endpoint, Site};

#[cfg(any(feature = "cluster", feature = "sentinel"))]
mod address;
#[cfg(feature = "sentinel")]
mod answers;
#[cfg(feature = "cluster")]
pub(crate) mod cluster;
#[cfg(feature = "sentinel")]
pub(crate) mod sentinels;
#[cfg(feature = "sentinel")]
mod successor;
#[cfg(feature = "cluster")]
mod view;

#[cfg(feature = "cluster")]
use cluster::Cluster;
#[cfg(feature = "sentinel")]
use sentinels::Sentinels;

/// Where the masters of a client are.
pub(crate) enum Topology {
    /// One master has everything.
    One(Endpoint),
    #[cfg(feature = "cluster")]
    Cluster(Arc<Cluster>),
}

impl Topology {
    /// Finds the masters. One server is not asked anything yet.
    pub(crate) async fn find(address: Address, access: Access, timeouts: Timeouts) -> Result<Self> {
        #[cfg(feature = "cluster")]
        let server = address.to_string();
        let (kind, servers) = address.into_parts();
        #[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
        let servers = with_tls(servers, &access)?;
        let Some(first) = servers.first().cloned() else {
            unreachable!("an address has a server")
        };
        match kind {
            Kind::Single => Ok(Self::One(Endpoint::new(
                Site::Fixed,
                first,
                access,
                timeouts,
            ))),
            #[cfg(feature = "sentinel")]
            Kind::Sentinel { name, master } => {
                let template = first.set_redis_settings(master);
                let site = Site::Master(Arc::new(Sentinels::new(name, servers, &access, timeouts)));
                Ok(Self::One(Endpoint::new(site, template, access, timeouts)))
            }
            #[cfg(feature = "cluster")]
            Kind::Cluster => {
                let cluster = Cluster::new(servers, access, timeouts);
                let loaded = cluster.load().await;
                loaded.map_err(|error| {
                    let server = server.into();
                    Failure::NotSent(Met { server, error }).into_error(crate::error::Step::Connect)
                })?;
                Ok(Self::Cluster(cluster))
            }
        }
    }
}

/// These servers, reached with the certificates that were chosen.
#[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
fn with_tls(
    servers: Vec<redis::ConnectionInfo>,
    access: &Access,
) -> Result<Vec<redis::ConnectionInfo>> {
    #[cfg(feature = "tls-rustls")]
    crate::link::tls::provide_cryptography();
    match &access.tls {
        Some(tls) => servers.into_iter().map(|it| tls.apply(it)).collect(),
        None => Ok(servers),
    }
}
