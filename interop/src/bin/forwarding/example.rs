//! `examples/forward.rs`, as it stands.

use std::{process::Command, time::Duration};

use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::stage::Stage;

/// Runs the example until its orders are at the broker, and stops it as a user does.
pub(crate) async fn check(program: &str) {
    let stage = Stage::start();
    stage.declare("orders", "due.eu", &[]).await;
    stage.bind("orders", "due.us").await;
    let mut command = Command::new(program);
    command.env("REDIS_URL", stage.redis.url());
    let mut child = command
        .env("AMQP_URL", stage.broker.url())
        .spawn()
        .expect("the example starts");
    let mut bodies = Vec::new();
    while bodies.len() < 3 {
        bodies.extend(stage.receive("orders").await.into_keys());
        sleep(Duration::from_millis(50)).await;
    }
    bodies.sort();
    stage.wait_until_empty("example-forwarded");
    assert!(testbed::signal("INT", child.id().into()));
    let ended = block_in_place(|| child.wait()).expect("it ends");
    assert!(ended.success(), "{ended}");
    let order = |id, region| format!(r#"{{"orderId":{id},"region":"{region}"}}"#);
    assert_eq!(bodies, [order(1, "eu"), order(2, "us"), order(3, "eu")]);
    println!("examples/forward.rs forwards its orders");
}
