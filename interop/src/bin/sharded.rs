//! One logical queue over several names: a Java service has a delayed queue for each name, a Rust
//! service a `ShardedQueue` over all.
//!
//! ```sh
//! cargo run --release -p interop --bin sharded
//! ```
//!
//! It starts a Redis of its own. `docs/sharded.md` explains what it prints.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    time::Duration,
};

use interop::peer::Peer;
use redisson_delayed_queue::{Client, ShardedQueue, Shards, codec::StringCodec};
use testbed::Server;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let redis = Server::start();
    println!("Starting a Java service; the first time, Maven fetches Redisson and builds it.");
    let mut java = Peer::java(REDISSON, &redis.url());
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(run(&redis.url(), &mut java))?;
    java.exit();
    Ok(())
}

async fn run(url: &str, java: &mut Peer) -> Result<()> {
    let shards = Shards::numbered("orders", 8)?;
    let names: Vec<&str> = shards.names().collect();
    for name in &names {
        java.open(name, name, "string");
    }
    let client = Client::connect(url).await?;
    // "Ada: order 1": all orders of a customer go to one shard.
    let rust: ShardedQueue<String> = client.sharded_queue(shards.clone(), StringCodec)?;
    let rust = rust.grouped_by(|order| customer(order).to_owned());

    println!("\nJava offers, Rust takes");
    let mut shares = BTreeMap::new();
    for order in orders() {
        let name = java.shard(customer(&order), &names);
        java.offer(&name, DELAY, &order);
        shares.entry(name).or_insert_with(Vec::new).push(order);
    }
    print(&shares);
    for _ in orders() {
        let order = rust.poll(PATIENCE).await?.ok_or("an order is lost")?;
        check(&shares, rust.shard_for(customer(&order)).name(), &order)?;
    }
    println!("Rust took all, each from the shard that it computes for the customer.");

    println!("\nRust offers, Java takes");
    let mut shares = BTreeMap::new();
    for order in orders() {
        let ticket = rust.offer(&order, DELAY).await?;
        let name = ticket.queue().to_owned();
        shares.entry(name).or_insert_with(Vec::new).push(order);
    }
    print(&shares);
    let mut count = 0;
    for name in &names {
        for taken in java.drain(name, IDLE) {
            let order = String::from_utf8(taken.value)?;
            check(&shares, &java.shard(customer(&order), &names), &order)?;
            count += 1;
        }
    }
    if count != orders().count() {
        return Err("an order is lost".into());
    }
    println!("Java took all, each from the shard that it computes for the customer.");
    Ok(client.shutdown().await?)
}

/// Fails unless the order was offered to the shard `name`.
fn check(shares: &BTreeMap<String, Vec<String>>, name: &str, order: &String) -> Result<()> {
    match shares.get(name) {
        Some(orders) if orders.contains(order) => Ok(()),
        _ => Err(format!("{order} was not offered to {name}").into()),
    }
}

fn print(shares: &BTreeMap<String, Vec<String>>) {
    for (name, orders) in shares {
        let customers: BTreeSet<&str> = orders.iter().map(|order| customer(order)).collect();
        let customers: Vec<&str> = customers.into_iter().collect();
        let count = orders.len();
        println!("  {name}: {count:2} orders of {}", customers.join(", "));
    }
}

/// Two of each customer.
fn orders() -> impl Iterator<Item = String> {
    let customers = [
        "Ada",
        "Alan",
        "Anita",
        "Barbara",
        "Bertrand",
        "Björn",
        "Dennis",
        "Donald",
        "Edsger",
        "Frances",
        "Grace",
        "Hedy",
        "Jean",
        "Kathleen",
        "Ken",
        "Leslie",
        "Lynn",
        "Margaret",
        "Niklaus",
        "Radia",
        "Shafi",
        "Tony",
        "Жанна",
        "節子",
    ];
    let all = (1..).zip(customers.into_iter().cycle());
    all.take(2 * customers.len())
        .map(|(number, customer)| format!("{customer}: order {number}"))
}

fn customer(order: &str) -> &str {
    order.split(':').next().unwrap_or_default()
}

const REDISSON: &str = "4.7.0";
const DELAY: Duration = Duration::from_secs(1);
/// After this an order is lost.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than the delay. Redisson truncates it to whole seconds.
const IDLE: Duration = Duration::from_secs(2);
