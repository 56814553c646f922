//! Rust processes whose own clocks are wrong.

use std::time::Duration;

use interop::peer::Peer;
use testbed::Server;

use crate::{
    raw::Raw,
    stage::{ON_TIME, until},
};

/// [D1] Redisson dates offers by the producer's clock and moves by the mover's, so that an element is
/// early or late by what lies between them; here both are Redis's.
#[test]
fn clocks_a_minute_off_make_no_element_early_or_late() {
    const MINUTE: i64 = 60;
    let server = Server::start();
    let mut raw = Raw::new(server.connection());
    let program = env!("CARGO_BIN_EXE_peer");
    for (name, producer_off, mover_off) in [
        ("behind-ahead", -MINUTE, MINUTE),
        ("ahead-behind", MINUTE, -MINUTE),
    ] {
        let mut producer = Peer::rust_with_clock(program, &server.url(), producer_off);
        let mut mover = Peer::rust_with_clock(program, &server.url(), mover_off);
        producer.open_offering("q", name, "string");
        mover.open("q", name, "string");
        raw.await_movers(name, 1);

        let delay = Duration::from_secs(2);
        producer.offer("q", delay, "value");
        let due_ms = raw.due_ms(name, b"value");
        let left = until(due_ms);
        assert!(
            left <= delay + Duration::from_millis(1),
            "{name}: due in {left:?}"
        );
        assert!(left > Duration::ZERO, "{name}: the offer is dated back");

        let taken = mover.poll("q", delay + ON_TIME);
        // By this process's clock, which is Redis's, and not by the peer's.
        assert_eq!(until(due_ms), Duration::ZERO, "{name}: early");
        assert_eq!(taken.expect("it comes in time").value, b"value", "{name}");
    }
}
