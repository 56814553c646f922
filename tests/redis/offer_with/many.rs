//! Many offers at once, of every kind.

use std::collections::BTreeSet;

use redisson_delayed_queue::Error;

use super::*;

/// Each answers as it would have alone, behind those in front of it.
#[tokio::test]
async fn many_offers_of_every_kind_take_effect_in_order() {
    let redis = RedisServer::start().await;
    for listing in [Listing::Listed, Listing::Unlisted] {
        let queue = offering(&redis).await.with_listing(listing);
        queue.pending().clear().await.unwrap();
        let end = SystemTime::now() + LONG * 9;
        let later = end + Duration::from_secs(1);
        let plain = || Offer::after(LONG);
        let replacing = |offer: Offer| offer.if_pending(Replace);
        let offers = [
            ("a", plain(), Outcome::Added),
            ("b", plain().expires_at(end), Outcome::Added),
            ("c", plain().key("k"), Outcome::Added),
            ("d", plain().key("k"), Outcome::Kept),
            ("d", replacing(plain().key("k")), Outcome::Replaced),
            ("d", replacing(plain().key("k")), Outcome::Rescheduled),
            ("e", plain().keyed_by_value(), Outcome::Added),
            ("e", plain().keyed_by_value(), Outcome::Kept),
            ("e", plain().unique_in_queue(), Outcome::Kept),
            ("a", plain().unique_in_queue(), Outcome::Kept),
            ("a", replacing(plain().unique_in_queue()), Outcome::Replaced),
            ("a", Offer::at(end).key("k"), Outcome::Kept),
            (
                "f",
                Offer::at(end).key("l").expires_at(later),
                Outcome::Added,
            ),
            ("a", Offer::at(end), Outcome::Added),
        ];
        let expected: Vec<Outcome> = offers.iter().map(|it| it.2).collect();
        let values = offers.map(|(value, offer, _)| (value.to_owned(), offer));
        let offered = queue.offer_all(values).await.unwrap();
        let outcomes: Vec<Outcome> = offered.iter().map(|it| it.outcome).collect();
        assert_eq!(outcomes, expected);
        let mut pending = queue.pending().read_all().await.unwrap();
        pending.sort();
        assert_eq!(pending, ["a", "a", "b", "d", "e", "f"]);
        // Each ticket is that of an element, wherever it was not replaced later.
        let tickets: BTreeSet<Vec<u8>> = offered
            .iter()
            .map(|it| it.ticket.as_bytes().to_vec())
            .collect();
        let contents = Contents::of(&redis).await;
        assert!(contents.timeouts.iter().all(|(it, _)| tickets.contains(it)));
        assert_eq!(tickets.len(), contents.timeouts.len() + 2);
    }
}

/// They are under way at the same time, and stand in the order in which they were given.
#[tokio::test]
async fn many_offers_with_keys_are_listed_in_order() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let values = (0..200).map(|i| (i.to_string(), Offer::after(LONG).key(i.to_string())));
    let offered = queue.offer_all(values.clone()).await.unwrap();
    let members: Vec<Vec<u8>> = offered
        .iter()
        .map(|it| it.ticket.as_bytes().to_vec())
        .collect();
    assert_eq!(Contents::of(&redis).await.ordering, members);
    let again = queue.offer_all(values).await.unwrap();
    assert!(again.iter().all(|it| it.outcome == Outcome::Kept));
    assert_eq!(again, offered.iter().map(kept).collect::<Vec<_>>());
}

/// Those beside it are made, those behind it are not, and the error says which.
#[tokio::test]
async fn an_offer_that_is_refused_among_others_is_told_by_its_index() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let too_early = SystemTime::now() + LONG / 2;
    let values = (0..50).map(|i| {
        let offer = Offer::after(LONG).key(i.to_string());
        let is_wrong = i == 10;
        let offer = if is_wrong {
            offer.expires_at(too_early)
        } else {
            offer
        };
        (i.to_string(), offer)
    });
    let error = queue.offer_all(values).await.unwrap_err();
    let Error::OfferedInPart {
        offered,
        unknown,
        source,
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(matches!(*source, Error::ExpiresBeforeDue), "{source:?}");
    assert!(unknown.is_empty());
    let indices: Vec<usize> = (0..32).filter(|i| *i != 10).collect();
    assert_eq!(offered.keys().copied().collect::<Vec<_>>(), indices);
    let values: Vec<String> = indices.iter().map(ToString::to_string).collect();
    assert_eq!(queue.pending().read_all().await.unwrap(), values);

    // Alone it is the error itself, for nothing was done.
    let wrong = Offer::after(LONG).expires_at(too_early).key("wrong");
    let error = queue.offer_all([("a".to_owned(), wrong)]).await;
    assert!(matches!(error, Err(Error::ExpiresBeforeDue)), "{error:?}");
}

/// A caller must be able to tell what stands from what may stand, and settle the rest.
#[tokio::test]
async fn offers_with_keys_whose_replies_are_lost_are_named() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().retry_window(Duration::ZERO);
    let queue = orders_with(builder.transfer(false), &proxy.url()).await;
    let value = |i: usize| format!("value {i}.");
    let offers = |from: usize, to: usize| {
        (from..to).map(move |i| (value(i), Offer::after(LONG).key(i.to_string())))
    };
    queue.offer_all(offers(1_000, 1_001)).await.unwrap();
    proxy.cut_after_request(b"value 40.", 1);
    let error = queue.offer_all(offers(0, 100)).await.unwrap_err();
    assert!(error.may_have_changed_redis());
    let Error::OfferedInPart {
        offered, unknown, ..
    } = error
    else {
        panic!("{error:?}");
    };
    // The first group stands; of the second at least that one is in doubt; the rest was not sent.
    assert!((0..32).all(|i| offered.contains_key(&i)), "{offered:?}");
    assert!(unknown.contains_key(&40), "{unknown:?}");
    let is_in_second = |i: &usize| (32..64).contains(i);
    assert!(unknown.keys().all(is_in_second), "{unknown:?}");
    assert!(unknown.keys().all(|i| !offered.contains_key(i)));
    for ticket in unknown.values() {
        queue.cancel(ticket).await.unwrap();
    }
    let pending = queue.pending().read_all().await.unwrap();
    let mut pending: BTreeSet<String> = pending.into_iter().collect();
    assert!(pending.remove(&value(1_000)));
    let expected: BTreeSet<String> = offered.keys().map(|i| value(*i)).collect();
    assert_eq!(pending, expected);
}

/// [B5] Those that were made say so again, and none is made twice.
#[tokio::test]
async fn offers_with_keys_whose_replies_are_lost_are_made_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    queue
        .offer_with(&"warm".to_owned(), Offer::after(LONG).key("warm"))
        .await
        .unwrap();
    proxy.cut_after_request(b"value 40.", 2);
    proxy.cut_after_request(b"value 70.", 1);
    let offers = (0..100).map(|i| {
        let offer = Offer::after(Duration::from_secs(2)).key(i.to_string());
        (format!("value {i}."), offer)
    });
    let offered = queue.offer_all(offers).await.unwrap();
    assert!(proxy.lost_replies() >= 3);
    assert!(offered.iter().all(|it| it.outcome == Outcome::Added));
    let contents = Contents::of(&redis).await;
    let scheduled: BTreeSet<Vec<u8>> = contents.timeouts.into_iter().map(|it| it.0).collect();
    assert_eq!(scheduled.len(), 101);
    assert!(
        offered
            .iter()
            .all(|it| scheduled.contains(&it.ticket.as_bytes()[..]))
    );
    assert_eq!(contents.ordering.len(), 101);
}
