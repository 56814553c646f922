//! Elements that Rust gives another due time while Java transfers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interop::messages::Messages;
use redisson_delayed_queue::Client;
use tokio::runtime::Runtime;

use crate::{
    messages::{Case, Offered, texts},
    stage::Stage,
};

/// Java knows only what messages say. A message must tell it of an element that becomes due
/// earlier. If one becomes due later, Java looks too early and finds that out.
pub(crate) fn wakes_java(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    runtime.block_on(async {
        let client = Client::builder().transfer(false).connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");
        let head = Case::open(&mut stage, &client, "head").await;
        let behind = Case::open(&mut stage, &client, "behind").await;
        let promoted = Case::open(&mut stage, &client, "promoted").await;
        let later = Case::open(&mut stage, &client, "later").await;
        let mut messages = Messages::of(&stage.url());

        let a = head.offer(&mut stage, "a", 60).await;
        let a_due_ms = reschedule(&mut stage, &head, "a", &a, 3).await;
        let b = behind.offer(&mut stage, "b", 60).await;
        let c = behind.offer(&mut stage, "c", 120).await;
        let c_due_ms = reschedule(&mut stage, &behind, "c", &c, 3).await;
        let e = later.offer(&mut stage, "e", 2).await;
        let e_due_ms = reschedule(&mut stage, &later, "e", &e, 5).await;
        let d = promoted.offer(&mut stage, "d", 60).await;
        let now_ms = unix_ms();
        let done = promoted.offering.promote(&d.ticket).await;
        assert!(done.expect("redis promotes"), "it was scheduled");

        stage.take_on_time(&promoted.queue, b"d", now_ms);
        stage.take_on_time(&head.queue, b"a", a_due_ms);
        stage.take_on_time(&behind.queue, b"c", c_due_ms);
        stage.take_on_time(&later.queue, b"e", e_due_ms);
        let heads = [
            (&head, vec![a.due_ms, a_due_ms]),
            (&behind, vec![b.due_ms, c_due_ms]),
            (&later, vec![e.due_ms]),
        ];
        let heard = messages.heard();
        for (case, heads) in heads {
            let scores: Vec<String> = heads.iter().map(ToString::to_string).collect();
            let name = &case.queue.name;
            assert_eq!(texts(&heard, name), scores, "{version}, {name}: messages");
        }
        let heard = texts(&heard, "promoted");
        let times: Vec<u64> = heard.iter().filter_map(|it| it.parse().ok()).collect();
        assert_eq!((times.len(), times[0]), (2, d.due_ms), "{heard:?}");
        assert!((now_ms..now_ms + 1_000).contains(&times[1]), "{heard:?}");
    });
}

/// Returns when the element is due now, in Unix milliseconds.
async fn reschedule(
    stage: &mut Stage,
    case: &Case,
    value: &str,
    offered: &Offered,
    seconds: u64,
) -> u64 {
    let delay = Duration::from_secs(seconds);
    let done = case.offering.reschedule(&offered.ticket, delay).await;
    assert!(done.expect("redis reschedules"), "it was scheduled");
    stage.raw.due_ms(&case.queue.name, value.as_bytes())
}

fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = now.expect("it is after 1970").as_millis();
    u64::try_from(ms).expect("it is before the year 500,000,000")
}
