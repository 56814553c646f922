//! Orders between a Java service with real Redisson and a Rust service, on one Redis, and how late
//! each order was.
//!
//! Uses the Redis of the environment variable `REDIS_URL` (a host and a port, no password), or a
//! private one. Fails if an order is lost or early.

use std::{env, error::Error, fmt, process::ExitCode};

use services::Services;
use testbed::Server;
use working::working;

mod report;
mod services;
mod working;

/// Failures of the demo itself; a Java service that fails panics with its log.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The language of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Java,
    Rust,
}

/// Who does what with the orders of one queue.
#[derive(Clone, Copy, Debug)]
struct Route {
    producer: Language,
    mover: Language,
    consumer: Language,
}

impl Route {
    const fn new(producer: Language, mover: Language, consumer: Language) -> Self {
        Self {
            producer,
            mover,
            consumer,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            producer,
            mover,
            consumer,
        } = self;
        write!(f, "{producer:?} -> {mover:?} -> {consumer:?}")
    }
}

fn main() -> ExitCode {
    let Err(error) = run() else {
        return ExitCode::SUCCESS;
    };
    let mut message = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push(error.to_string());
        cause = error.source();
    }
    // Some errors say the same as their cause.
    message.dedup();
    eprintln!("demo: {}", message.join(": "));
    ExitCode::FAILURE
}

fn run() -> Result<()> {
    let own;
    let url = match env::var("REDIS_URL") {
        Ok(url) if !url.is_empty() => url,
        _ => {
            own = Server::start();
            own.url()
        }
    };
    println!("Starting a Java service; the first time, Maven fetches Redisson and builds it.");
    let mut services = working("Maven builds, or Java starts", || {
        Services::start(REDISSON, &url)
    })?;
    println!(
        "Redisson {REDISSON} and this crate on Redis {}, {url}",
        services.redis_version()?
    );

    let mut rows = Vec::new();
    for route in ROUTES {
        println!("\n{}", report::heading(route, ORDERS));
        let arrivals = working("orders are offered and become due", || {
            services.warm_up(route)?;
            services.run(route, ORDERS)
        })?;
        rows.push(report::row(route, &arrivals));
    }
    println!("\nHow late, in milliseconds: from the due time in Redis to the consumer's hands");
    report::table(&rows);
    services.stop()?;
    if rows.iter().any(|row| row.early > 0) {
        return Err("an order was early".into());
    }
    // A route that loses an order, or takes one twice, has failed before.
    println!("\nEvery order was taken once, and none was early.");
    Ok(())
}

const REDISSON: &str = "4.7.0";

/// All ways that an order can go: each language offers, moves and takes for the other.
const ROUTES: [Route; 8] = {
    use Language::{Java, Rust};
    [
        Route::new(Java, Rust, Rust),
        Route::new(Rust, Rust, Java),
        Route::new(Java, Rust, Java),
        Route::new(Java, Java, Rust),
        Route::new(Rust, Java, Java),
        Route::new(Rust, Java, Rust),
        Route::new(Rust, Rust, Rust),
        Route::new(Java, Java, Java),
    ]
};

/// How many go each way.
const ORDERS: usize = 150;
