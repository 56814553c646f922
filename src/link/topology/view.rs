//! What one node of a cluster says about all of them.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use redis::{ConnectionAddr, ErrorKind, RedisError, RedisResult, Value, from_redis_value};

use super::address::{UNKNOWN_HOST, at};
use crate::error::{Cause, Unreachable};
use crate::link::connection::plain;
use crate::link::endpoint::Endpoint;

/// Who has which slots, as one node says.
#[derive(Debug)]
pub(super) struct View {
    /// The node believes that the cluster works.
    is_ok: bool,
    /// Grows with each failover and each slot that moves.
    epoch: u64,
    /// The masters with their slots.
    pub(super) owners: Vec<(RangeInclusive<u16>, ConnectionAddr)>,
    /// All nodes with slots and their replicas.
    pub(super) nodes: Vec<ConnectionAddr>,
}

impl View {
    /// Asks a node, on a connection that is closed afterwards.
    pub(super) async fn of(node: &Endpoint) -> RedisResult<Self> {
        let mut connection = plain(node, None).await?;
        let mut pipeline = redis::pipe();
        pipeline
            .cmd("CLUSTER")
            .arg("INFO")
            .cmd("CLUSTER")
            .arg("SLOTS");
        let answers: RedisResult<(String, Vec<Vec<Value>>)> =
            pipeline.query_async(&mut connection).await;
        let (info, slots) = answers.map_err(not_in_cluster)?;
        let mut view = Self::from_info(&info);
        for range in slots {
            view.add(range, node.fixed_address());
        }
        if view.owners.is_empty() {
            let empty = "the node knows no slots of a cluster";
            return Err((ErrorKind::ClusterConnectionNotFound, empty).into());
        }
        Ok(view)
    }

    /// True if the node believes that every slot is served.
    pub(super) fn is_whole(&self) -> bool {
        self.is_ok
    }

    /// The view that is more likely to be true.
    pub(super) fn later(best: Option<Self>, other: Self) -> Self {
        match best {
            Some(best) if (best.is_ok, best.epoch) >= (other.is_ok, other.epoch) => best,
            _ => other,
        }
    }

    #[cfg(test)]
    pub(super) fn of_owners(owners: Vec<(RangeInclusive<u16>, ConnectionAddr)>) -> Self {
        Self {
            owners,
            ..Self::from_info("")
        }
    }

    fn from_info(info: &str) -> Self {
        let fields: HashMap<&str, &str> =
            info.lines().filter_map(|it| it.split_once(':')).collect();
        let epoch = fields.get("cluster_current_epoch");
        Self {
            is_ok: fields.get("cluster_state") == Some(&"ok"),
            epoch: epoch.and_then(|it| it.trim().parse().ok()).unwrap_or(0),
            owners: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Adds an entry of `CLUSTER SLOTS`: first and last slot, the master, its replicas. Skips one
    /// that it cannot read.
    fn add(&mut self, entry: Vec<Value>, from: &ConnectionAddr) {
        let mut entry = entry.into_iter();
        let mut slot = || entry.next().and_then(|it| from_redis_value(it).ok());
        let (Some(first), Some(last)) = (slot(), slot()) else {
            return;
        };
        let mut nodes = entry.filter_map(|node| address_of(node, from));
        let Some(master) = nodes.next() else {
            return;
        };
        self.nodes.push(master.clone());
        self.nodes.extend(nodes);
        self.owners.push((first..=last, master));
    }
}

/// Explains the answer of a server that is no node of a cluster.
fn not_in_cluster(answer: RedisError) -> RedisError {
    // The error of a pipeline has no `detail`.
    if answer.to_string().contains("cluster support disabled") {
        Unreachable::NotInCluster(Cause::of(answer)).into()
    } else {
        answer
    }
}

/// Reads a node of `CLUSTER SLOTS`: host, port, id and, since Redis 7, pairs of more.
///
/// It has no host if that is the host under which the node itself was reached. The host is `?` if
/// the cluster prefers hostnames and the node has announced none: then `ip` may stand among the
/// pairs.
fn address_of(node: Value, from: &ConnectionAddr) -> Option<ConnectionAddr> {
    let node: Vec<Value> = from_redis_value(node).ok()?;
    let mut node = node.into_iter();
    let host: Option<String> = from_redis_value(node.next()?).ok()?;
    let port = from_redis_value(node.next()?).ok()?;
    let host = match host {
        Some(host) if host == UNKNOWN_HOST => {
            let more = node.nth(1).and_then(|it| from_redis_value(it).ok());
            let mut more: HashMap<String, String> = more.unwrap_or_default();
            more.remove("ip").unwrap_or_default()
        }
        host => host.unwrap_or_default(),
    };
    at(&host, port, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(host: Value, port: i64) -> Value {
        Value::Array(vec![host, Value::Int(port)])
    }

    fn text(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    #[test]
    fn an_entry_has_a_master_and_replicas_some_of_them_without_a_host() {
        let from = ConnectionAddr::Tcp("redis-1".to_owned(), 7_000);
        let mut view = View::from_info("cluster_state:ok\r\ncluster_current_epoch:7\r\n");
        view.add(
            vec![
                Value::Int(0),
                Value::Int(5_460),
                node(text("10.0.0.2"), 7_001),
                node(text(""), 7_002),
                node(Value::Nil, 7_003),
                node(text("?"), 7_004),
                Value::Array(vec![
                    text("?"),
                    Value::Int(7_005),
                    text("id"),
                    Value::Array(vec![text("ip"), text("10.0.0.5")]),
                ]),
            ],
            &from,
        );
        view.add(vec![Value::Int(3)], &from);
        assert!(view.is_whole());
        assert_eq!(view.epoch, 7);
        let master = ConnectionAddr::Tcp("10.0.0.2".to_owned(), 7_001);
        assert_eq!(view.owners, [(0..=5_460, master.clone())]);
        let own = |port| ConnectionAddr::Tcp("redis-1".to_owned(), port);
        let other = ConnectionAddr::Tcp("10.0.0.5".to_owned(), 7_005);
        assert_eq!(
            view.nodes,
            [master, own(7_002), own(7_003), own(7_004), other]
        );
    }

    #[test]
    fn a_node_that_sees_the_cluster_down_knows_less_than_one_with_an_older_epoch() {
        let up = || View::from_info("cluster_state:ok\r\ncluster_current_epoch:3\r\n");
        let down = || View::from_info("cluster_state:fail\r\ncluster_current_epoch:9\r\n");
        assert!(View::later(Some(down()), up()).is_whole());
        assert!(View::later(Some(up()), down()).is_whole());
    }
}
