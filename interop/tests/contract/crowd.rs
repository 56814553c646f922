//! Many processes of both languages do everything at once.

use std::{panic::resume_unwind, thread, time::Duration};

use interop::{
    peer::{Peer, Taken},
    tally::assert_each_once,
};
use testbed::Server;

use crate::{raw::Raw, stage::rust_peer};

/// Two processes of each language offer, transfer and take in one queue.
pub(crate) fn conserves_with_all_transferring(version: &'static str) {
    conserves(version, Peer::open);
}

/// 10,000 elements with random delays up to two seconds, offered and taken by two processes of each
/// language; each element is taken once. `open_java` says what the Java processes do besides, the
/// Rust ones transfer.
pub(crate) fn conserves(version: &'static str, open_java: impl Fn(&mut Peer, &str, &str, &str)) {
    let server = Server::start();
    let mut raw = Raw::new(server.connection());
    let url = server.url();
    let mut peers = [
        rust_peer(&url),
        rust_peer(&url),
        Peer::java(version, &url),
        Peer::java(version, &url),
    ];
    let (rust, java) = peers.split_at_mut(2);
    for peer in rust {
        peer.open("q", NAME, "string");
    }
    for peer in java {
        open_java(peer, "q", NAME, "string");
    }

    let taken: Vec<Vec<Taken>> = thread::scope(|scope| {
        let work = |(seed, peer): (i64, _)| {
            let peer: &mut Peer = peer;
            scope.spawn(move || {
                peer.offer_many("q", EACH, MAX_DELAY, &format!("peer{seed}"), seed);
                peer.drain("q", IDLE)
            })
        };
        let workers: Vec<_> = (0..).zip(&mut peers).map(work).collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|taken| taken.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let shares: Vec<usize> = taken.iter().map(Vec::len).collect();
    println!("{version}: taken by rust, rust, java, java: {shares:?}");

    let offered = (0..peers.len()).flat_map(|i| (0..EACH).map(move |j| format!("peer{i}-{j}")));
    let taken = taken.into_iter().flatten().map(Taken::text);
    assert_each_once(version, taken, offered);
    raw.await_empty(version);
}

const NAME: &str = "crowd";
/// How many elements each process offers.
const EACH: usize = 2_500;
const MAX_DELAY: Duration = Duration::from_secs(2);
/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
