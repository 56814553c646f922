//! The rights that `docs/acl.md` names for clusters and Sentinels.

use redisson_delayed_queue::{Credentials, Error};
use testbed::{Cluster, Sentinels};
use tokio::time::timeout;

use crate::fixture::{LONG, SHORT, client, queue};

/// Every right of the queue, and these about the cluster.
fn allow(cluster: &Cluster, rights: &[&str]) {
    let rules = ["ACL", "SETUSER", "orders", "reset", "on", ">secret"];
    let queue = ["~*", "&*", "+@all", "-cluster"];
    for node in cluster.nodes() {
        node.run::<()>(&[&rules[..], &queue, rights].concat());
    }
}

#[tokio::test]
async fn a_client_of_a_cluster_needs_to_ask_for_its_slots_and_its_state() {
    let cluster = Cluster::without_replicas();
    let url = cluster.url().replace("://", "://orders:secret@");
    for rights in [&["+cluster|slots"][..], &["+cluster|info"]] {
        allow(&cluster, rights);
        let refused = client().connect(&url).await;
        assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    }
    allow(&cluster, &["+cluster|slots", "+cluster|info"]);
    let client = client().connect(&url).await.unwrap();
    for name in ["orders-0", "orders-1", "orders-2"] {
        let queue = queue(&client, name);
        queue.offer(&"17".to_owned(), SHORT).await.unwrap();
        assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
    }
}

#[tokio::test]
async fn a_user_of_the_sentinels_needs_to_ask_for_the_master_and_its_address() {
    let bed = Sentinels::start();
    let watch = Credentials::new("watch", "secret");
    let master = "+sentinel|master";
    let address = "+sentinel|get-master-addr-by-name";
    let switched = "&+switch-master";
    let chosen = "&+failover-state-send-slaveof-noone";
    for (rights, suffices) in [
        (&[master][..], false),
        (&[address], false),
        (&[master, address], true),
        (&[master, address, "+subscribe", switched], true),
        (&[master, address, "+subscribe", switched, chosen], true),
    ] {
        let rules = ["ACL", "SETUSER", "watch", "reset", "on", ">secret"];
        for sentinel in bed.sentinels() {
            sentinel.run::<()>(&[&rules[..], rights].concat());
        }
        let builder = client().sentinel_credentials(watch.clone());
        let connected = builder.connect(bed.url()).await;
        assert_eq!(connected.is_ok(), suffices, "{rights:?}: {connected:?}");
        if let Ok(client) = connected {
            let queue = queue(&client, "orders");
            queue.offer(&"17".to_owned(), SHORT).await.unwrap();
            assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
        }
    }
}
