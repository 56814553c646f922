//! What forwarding to RabbitMQ promises, tested with a real one; `tests/amqp.sh` runs it.
//!
//! `forwarding [--seconds N] [--seed N]` checks each guarantee, and then that nothing is lost and nothing
//! is doubled without its id while random faults happen for N seconds. `forwarding serve REDIS AMQP` is
//! the process that forwards. `forwarding example PROGRAM` runs `examples/forward.rs`.

mod conservation;
mod example;
mod faults;
mod guarantees;
mod service;
mod stage;

use std::{env, time::Duration};

use conservation::Plan;
use stage::Stage;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["serve", redis, broker] = texts[..] {
        return service::serve(redis, broker).await;
    }
    if let ["example", program] = texts[..] {
        return example::check(program).await;
    }
    let mut plan = Plan {
        time: Duration::from_secs(60),
        seed: rand::random(),
    };
    for option in texts.chunks(2) {
        let number = option.get(1).and_then(|it| it.parse().ok());
        match (option[0], number) {
            ("--seconds", Some(seconds)) => plan.time = Duration::from_secs(seconds),
            ("--seed", Some(seed)) => plan.seed = seed,
            _ => panic!("unknown option {option:?}"),
        }
    }
    let stage = Stage::start();
    guarantees::check(&stage).await;
    conservation::check(&stage, plan).await;
}
