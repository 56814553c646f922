//! Elements that Rust offers in the place of others, or at a moment, while Java transfers.

use std::time::{Duration, SystemTime};

use interop::messages::Messages;
use redisson_delayed_queue::{Client, IfPending, Listing, Offer, Outcome};
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
        let a = replaced
            .offering
            .offer_with(
                &value("a"),
                Offer::after(soon).unique_in_queue().if_pending(replacing),
            )
            .await;
        assert!(
            matches!(&a, Ok(it) if it.outcome == Outcome::Replaced),
            "{a:?}"
        );
        let a_due_ms = stage.raw.due_ms("replaced", b"a");

        // The element of a Java program is in the way.
        let kept = Case::open(&mut stage, &client, "kept").await;
        stage
            .java
            .send(&format!("open-offering {JAVA} kept string"));
        stage.java.offer(JAVA, soon, "k");
        let k_due_ms = stage.raw.due_ms("kept", b"k");
        for listing in [Listing::Listed, Listing::Unlisted] {
            let offering = kept.offering.clone().with_listing(listing);
            let offer = Offer::after(Duration::ZERO).unique_in_queue();
            let k = offering.offer_with(&value("k"), offer).await;
            let k = k.expect("redis accepts offers");
            assert_eq!(k.outcome, Outcome::Kept, "{version}, {listing:?}");
            assert_eq!(stage.raw.due_ms("kept", b"k"), k_due_ms, "{version}");
        }

        // A payload gives way to another, which comes earlier; then to one that comes later.
        let keyed = Case::open(&mut stage, &client, "keyed").await;
        for (text, delay) in [("b0", minute), ("b1", soon), ("b2", soon + soon)] {
            let placed = keyed
                .offering
                .offer_with(
                    &value(text),
                    Offer::after(delay).key("b").if_pending(replacing),
                )
                .await;
            placed.expect("redis accepts offers");
        }
        let b_due_ms = stage.raw.due_ms("keyed", b"b2");

        // The same payload comes earlier, and then later.
        let unique = Case::open(&mut stage, &client, "unique").await;
        for delay in [minute, soon, soon + soon, soon] {
            let placed = unique
                .offering
                .offer_with(
                    &value("c"),
                    Offer::after(delay).keyed_by_value().if_pending(replacing),
                )
                .await;
            placed.expect("redis accepts offers");
        }
        let c_due_ms = stage.raw.due_ms("unique", b"c");

        // To a moment; of many, the second is the head.
        let dated = Case::open(&mut stage, &client, "dated").await;
        let offered = dated
            .offering
            .offer_with(&value("d"), SystemTime::now() + minute)
            .await;
        offered.expect("redis accepts offers");
        let offered = dated
            .offering
            .offer_with(&value("e"), SystemTime::now() + soon)
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
        let entry = found
            .offering
            .pending()
            .peek_next()
            .await
            .expect("redis answers");
        let ticket = entry.expect("it is scheduled").ticket;
        let done = found.offering.reschedule(&ticket, soon).await;
        assert!(done.expect("redis reschedules"), "it was scheduled");
        let i_due_ms = stage.raw.due_ms("found", b"i");

        stage.take_on_time(&replaced.queue, b"a", a_due_ms);
        stage.take_on_time(&kept.queue, b"k", k_due_ms);
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
            .offer_with(&value("c"), Offer::after(Duration::ZERO).keyed_by_value())
            .await;
        let again = again.expect("redis accepts offers");
        assert_eq!(again.outcome, Outcome::Added, "{version}");
        let again_by = keyed
            .offering
            .offer_with(
                &value("b3"),
                Offer::after(minute).key("b").if_pending(replacing),
            )
            .await;
        assert!(
            matches!(&again_by, Ok(it) if it.outcome == Outcome::Added),
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
            let free = keyed
                .offering
                .offer_with(&value("b3"), Offer::after(minute).key("b"))
                .await;
            let free = free.expect("redis accepts offers");
            assert_eq!(free.outcome, Outcome::Added, "{version}, {line}");
        }
    });
}

const JAVA: &str = "java-offers";
