//! Taking out many elements at once, and every removal when its reply is lost.

use std::time::Duration;

use bytes::Bytes;
use redis::AsyncCommands;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, DelayedQueue, Error, Step, Ticket};

use crate::fixture::{Contents, LONG, SOON, keys, orders, orders_with, schedule, take_all};
use crate::lookup::scheduled;
use crate::support::{Proxy, RedisServer, eventually};

mod bulk;
mod fault;
mod place;

/// Members of the queue with these payloads in offer order, due long after the test.
///
/// Their ids are those that Java and this crate write, one after the other.
fn members_of<S: AsRef<str>>(values: &[S]) -> Vec<(Bytes, f64)> {
    let pack = |(i, value): (usize, &S)| {
        let payload = value.as_ref().as_bytes();
        (pack(&id(i), payload), 9e15 + (i * 7_919 % 1_000) as f64)
    };
    values.iter().enumerate().map(pack).collect()
}

fn id(i: usize) -> MemberId {
    let stamp = (i as u64 + 1) << 16;
    match i % 3 {
        0 => MemberId::from(u64::MAX.wrapping_sub(stamp).to_be_bytes()),
        1 => MemberId::from((u128::from(stamp) << 64 | 7).to_be_bytes()),
        _ => {
            let mut id = [9; 25];
            id[..8].copy_from_slice(&stamp.to_be_bytes());
            MemberId::from(id)
        }
    }
}

fn tickets_of(members: &[(Bytes, f64)]) -> Vec<Ticket> {
    let read = |(member, _): &(Bytes, f64)| Ticket::from_bytes(member.clone()).unwrap();
    members.iter().map(read).collect()
}

fn strings<const N: usize>(values: [&str; N]) -> [String; N] {
    values.map(str::to_owned)
}
