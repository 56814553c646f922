//! The producer of `docs/acl.md`.

use redisson_delayed_queue::Offered;

use super::*;

#[tokio::test]
async fn a_producer_needs_the_documented_rights() {
    assert_least("Producer", async |redis| {
        let mut failed = Failed::new();
        // Offers with short delays then need the rights that a repeated offer needs.
        let builder = Client::builder().transfer(false).remember_offers(true);
        let Some((_client, queue, _)) = open(redis, &mut failed, builder).await else {
            return failed;
        };
        let failed = &mut failed;
        let (a, short) = ("a".to_owned(), Duration::from_secs(1));
        // The due time of two does not tell which of them is the head.
        let at = SystemTime::now() + short;
        for _ in 0..2 {
            note(failed, "offer", queue.offer_with(&a, at).await);
        }
        let ticket = note(failed, "offer", queue.offer(&a, short).await);
        let all = queue.offer_all([(&a, short), (&a, short)]).await;
        let tickets = note(failed, "offer_all", all).unwrap_or_default();
        for delay in [LONG, LONG * 2] {
            let offer = || under("17", delay, IfPending::Replace);
            note(
                failed,
                "offer_with(key)",
                queue.offer_with(&a, offer()).await,
            );
            let other = "b".to_owned();
            note(
                failed,
                "offer_with(key)",
                queue.offer_with(&other, offer()).await,
            );
            let offer = replacing(delay);
            note(
                failed,
                "offer_with(unique)",
                queue.offer_with(&a, offer).await,
            );
        }
        // It keeps the element, and so writes nothing of its own before it waits.
        let kept = under("17", LONG, IfPending::Keep);
        let kept = kept.durability(Durability::Replicas(1), Duration::from_millis(1));
        note_durable(failed, "offer_with(key)", queue.offer_with(&a, kept).await);
        // Redis searches for a bulky element itself.
        let bulky = queue.offer(&"x".repeat(1_200_000), LONG).await;
        if let Some(ticket) = note(failed, "offer", bulky) {
            note(failed, "cancel", queue.cancel(&ticket).await);
        }
        // The right to a call is the same whether or not there is something to change.
        let gone = || Ticket::from_bytes(&b"\x08notthere\x01\0\0\0\0\0\0\0a"[..]).unwrap();
        let ticket = ticket.unwrap_or_else(gone);
        note(
            failed,
            "reschedule",
            queue.reschedule(&ticket, LONG / 2).await,
        );
        note(failed, "cancel", queue.cancel(&ticket).await);
        note(
            failed,
            "cancel",
            queue.cancel_all(tickets.iter().map(|it| &it.ticket)).await,
        );
        std::mem::take(failed)
    })
    .await;
}

/// As `note`, for an offer that waits for a replica. There is none: the right to wait shows in what
/// the error says.
#[track_caller]
fn note_durable(failed: &mut Failed, call: &'static str, result: Result<Offered>) {
    match result {
        Err(Error::NotDurable { source: None, .. }) => {}
        Err(Error::NotDurable {
            source: Some(source),
            ..
        }) => {
            assert!(source.to_string().contains("NOPERM"), "{source}");
            failed.insert("offer_with(durable)");
        }
        other => {
            note(failed, call, other);
        }
    }
}
