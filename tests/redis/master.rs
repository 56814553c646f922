//! Commands of the user's own, at the master of a queue.

use redis::cmd;
use redisson_delayed_queue::{Client, Error, Step};

use crate::support::RedisServer;

#[tokio::test]
async fn a_command_of_the_users_own_reaches_the_server() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let [master] = client.masters().try_into().expect("one master");
    let (): () = master.query(cmd("SET").arg("mine").arg(7)).await.unwrap();
    let same = client.master_of("orders").unwrap();
    assert_eq!(same.query::<u64>(cmd("GET").arg("mine")).await.unwrap(), 7);
    assert!(redis.url().contains(&*master.address()));
}

#[tokio::test]
async fn a_refused_command_is_told_from_a_client_that_is_closed() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let master = client.master_of("orders").unwrap();
    let refused = master.query::<()>(cmd("CONFIG").arg("GET")).await;
    let Err(Error::Refused { step, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(step, Step::Command);
    client.shutdown().await.unwrap();
    let closed = master.query::<()>(&cmd("PING")).await;
    assert!(matches!(closed, Err(Error::Closed)), "{closed:?}");
}
