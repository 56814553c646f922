//! Elements that Rust offers in the place of others, or to a moment, while Java transfers.

use std::time::{Duration, SystemTime};

use interop::messages::Messages;
use redisson_delayed_queue::{Client, IfPending, Placed};
use tokio::runtime::Runtime;

use crate::{
    messages::{Case, texts},
    stage::Stage,
};

/// Whatever way an element gets to the head of the queue, Java hears of it, once, and moves it on
/// time; what was there instead is not delivered. A key is free once Java has taken its element.
pub(crate) fn wake_java(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    runtime.block_on(async {
        let client = Client::builder().transfer(false).connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");
        let mut messages = Messages::of(&stage.url());
        let value = |text: &str| text.to_owned();
        let (minute, soon) = (Duration::from_secs(60), Duration::from_secs(3));
        let replacing = IfPending::Replace;

        // The element of a Java program comes earlier.
        let replaced = Case::open(&mut stage, &client, "replaced").await;
        stage
            .java
            .send(&format!("open-offering {JAVA} replaced string"));
        stage.java.offer(JAVA, minute, "a");
        let a = replaced.offering.replace(&value("a"), soon).await;
        assert!(matches!(a, Ok(Placed::Replaced(_))), "{a:?}");
        let a_due_ms = stage.raw.due_ms("replaced", b"a");

        // A payload gives way to another, which comes earlier; then to one that comes later.
        let keyed = Case::open(&mut stage, &client, "keyed").await;
        for (text, delay) in [("b0", minute), ("b1", soon), ("b2", soon + soon)] {
            let placed = keyed
                .offering
                .offer_keyed("b", &value(text), delay, replacing)
                .await;
            placed.expect("redis accepts offers");
        }
        let b_due_ms = stage.raw.due_ms("keyed", b"b2");

        // The same payload comes earlier, and then later.
        let unique = Case::open(&mut stage, &client, "unique").await;
        for delay in [minute, soon, soon + soon, soon] {
            let placed = unique
                .offering
                .offer_unique(&value("c"), delay, replacing)
                .await;
            placed.expect("redis accepts offers");
        }
        let c_due_ms = stage.raw.due_ms("unique", b"c");

        // To a moment; of many, the second is the head.
        let dated = Case::open(&mut stage, &client, "dated").await;
        let offered = dated
            .offering
            .offer_at(&value("d"), SystemTime::now() + minute)
            .await;
        offered.expect("redis accepts offers");
        let offered = dated
            .offering
            .offer_at(&value("e"), SystemTime::now() + soon)
            .await;
        offered.expect("redis accepts offers");
        let e_due_ms = stage.raw.due_ms("dated", b"e");
        let many = Case::open(&mut stage, &client, "many").await;
        let offers = [("f", soon + soon), ("g", soon), ("h", minute)];
        let offers = offers.map(|(text, delay)| (value(text), delay));
        let offered = many.offering.offer_all(offers).await;
        offered.expect("redis accepts offers");
        let (f_due_ms, g_due_ms) = (
            stage.raw.due_ms("many", b"f"),
            stage.raw.due_ms("many", b"g"),
        );

        // What Java has offered is found by its due time.
        let found = Case::open(&mut stage, &client, "found").await;
        stage
            .java
            .send(&format!("open-offering {JAVA} found string"));
        stage.java.offer(JAVA, minute, "i");
        let entry = found.offering.peek_next_due().await.expect("redis answers");
        let ticket = entry.expect("it is scheduled").ticket;
        let done = found.offering.reschedule(&ticket, soon).await;
        assert!(done.expect("redis reschedules"), "it was scheduled");
        let i_due_ms = stage.raw.due_ms("found", b"i");

        stage.take_on_time(&replaced.queue, b"a", a_due_ms);
        stage.take_on_time(&dated.queue, b"e", e_due_ms);
        stage.take_on_time(&unique.queue, b"c", c_due_ms);
        stage.take_on_time(&many.queue, b"g", g_due_ms);
        stage.take_on_time(&found.queue, b"i", i_due_ms);
        stage.take_on_time(&keyed.queue, b"b2", b_due_ms);
        stage.take_on_time(&many.queue, b"f", f_due_ms);

        let heard = messages.heard();
        let last = |name: &str| texts(&heard, name).last().cloned();
        let count = |name: &str| texts(&heard, name).len();
        assert_eq!(last("replaced"), Some(a_due_ms.to_string()), "{version}");
        assert_eq!(last("keyed"), Some(b_due_ms.to_string()), "{version}");
        assert_eq!(last("unique"), Some(c_due_ms.to_string()), "{version}");
        assert_eq!(last("dated"), Some(e_due_ms.to_string()), "{version}");
        assert_eq!(last("many"), Some(g_due_ms.to_string()), "{version}");
        assert_eq!(last("found"), Some(i_due_ms.to_string()), "{version}");
        // The first of each is that of the warm-up.
        let counts = ["replaced", "keyed", "unique", "dated", "many", "found"].map(count);
        assert_eq!(counts, [3, 4, 4, 3, 2, 3], "{version}: {heard:?}");

        let again = unique
            .offering
            .offer_unique(&value("c"), Duration::ZERO, IfPending::Keep)
            .await;
        let again = again.expect("redis accepts offers");
        assert!(matches!(again, Placed::Offered(_)), "{version}: {again:?}");
        let again_by = keyed
            .offering
            .offer_keyed("b", &value("b3"), minute, replacing)
            .await;
        assert!(
            matches!(again_by, Ok(Placed::Offered(_))),
            "{version}: {again_by:?}"
        );
        // The same when Java removes, polls or clears.
        for line in [
            "remove keyed =b3",
            "call keyed delayed removeAll [=b3]",
            "call keyed delayed poll",
            "call keyed delayed poll 3",
            "call keyed delayed pollLastAndOfferFirstTo :keyed",
            "clear keyed",
            "call keyed delayed delete",
        ] {
            let reply = stage.java.send(line);
            assert!(
                matches!(reply, interop::peer::Reply::Ok(_)),
                "{line}: {reply:?}"
            );
            let keep = IfPending::Keep;
            let free = keyed
                .offering
                .offer_keyed("b", &value("b3"), minute, keep)
                .await;
            let free = free.expect("redis accepts offers");
            assert!(
                matches!(free, Placed::Offered(_)),
                "{version}, {line}: {free:?}"
            );
        }
    });
}

const JAVA: &str = "java-offers";
