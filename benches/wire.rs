//! What the bytes of an element cost inside the process: to pack, to parse and to name it.
//!
//! `cargo bench --bench wire`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use redisson_delayed_queue::Ticket;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{MemberId, Packed, pack};

/// Bytes of a payload: that of a small order, and one a hundred times as long.
const PAYLOADS: [usize; 2] = [60, 6_000];

fn members(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wire");
    let id = MemberId::from(*b"0123456789abcdef");
    for bytes in PAYLOADS {
        let payload = vec![b'x'; bytes];
        group.bench_function(format!("pack {bytes} bytes"), |bencher| {
            bencher.iter(|| pack(black_box(&id), black_box(&payload)));
        });
        let member = pack(&id, &payload);
        group.bench_function(format!("Packed::parse {bytes} bytes"), |bencher| {
            bencher.iter(|| Packed::parse(black_box(&member).clone()));
        });
    }
    // Until 3.21.0 of Redisson: an id of 8 bytes, a double's, and the length of the payload.
    let old = [&[7; 8][..], &60u64.to_le_bytes(), &[b'x'; 60]].concat();
    let old = bytes::Bytes::from(old);
    group.bench_function("Packed::parse dLc0, 60 bytes", |bencher| {
        bencher.iter(|| Packed::parse(black_box(&old).clone()));
    });
    group.finish();
}

fn names(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wire");
    let member = pack(&MemberId::from(*b"0123456789abcdef"), &[b'x'; 60]);
    let Ok(ticket) = Ticket::from_bytes(member) else {
        return;
    };
    let text = ticket.to_string();
    group.bench_function("Ticket to text", |bencher| {
        bencher.iter(|| black_box(&ticket).to_string());
    });
    group.bench_function("Ticket from text", |bencher| {
        bencher.iter(|| black_box(&text).parse::<Ticket>());
    });
    group.bench_function("QueueKeys::new", |bencher| {
        bencher.iter(|| QueueKeys::new(black_box("orders")));
    });
    group.finish();
}

criterion_group!(wire, members, names);
criterion_main!(wire);
