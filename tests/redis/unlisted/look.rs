//! What handles of both kinds see.

use futures::TryStreamExt;

use super::*;

/// One rule: an unlisted handle sees everything, by due time; a listed one what Java sees.
#[tokio::test]
async fn unlisted_handles_see_every_element_by_due_time_and_listed_ones_what_is_listed() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let hours = |hours: u32| LONG * hours;
    let strings = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    for queue in [&unlisted, &listed] {
        assert!(queue.pending().is_empty().await.unwrap());
        assert_eq!(queue.pending().peek().await.unwrap(), None);
        assert_eq!(queue.pending().poll().await.unwrap(), None);
        assert_eq!(
            queue
                .pending()
                .poll_last_and_offer_first_to("others")
                .await
                .unwrap(),
            None
        );
        assert_eq!(queue.pending().read_all().await.unwrap(), strings(&[]));
    }
    for (queue, value, due) in [
        (&listed, "d", 4),
        (&unlisted, "c", 3),
        (&listed, "b", 2),
        (&unlisted, "e", 5),
        (&unlisted, "a", 1),
    ] {
        queue.offer(&value.to_owned(), hours(due)).await.unwrap();
    }

    assert_eq!(
        (
            unlisted.pending().len().await.unwrap(),
            listed.pending().len().await.unwrap()
        ),
        (5, 2)
    );
    assert_eq!(
        unlisted.pending().read_all().await.unwrap(),
        strings(&["a", "b", "c", "d", "e"])
    );
    assert_eq!(
        listed.pending().read_all().await.unwrap(),
        strings(&["d", "b"])
    );
    assert_eq!(unlisted.pending().peek().await.unwrap().unwrap(), "a");
    assert_eq!(listed.pending().peek().await.unwrap().unwrap(), "d");
    for value in ["a", "b", "c", "d", "e", "f"] {
        let value = value.to_owned();
        let (sees_all, sees_listed) = (value != "f", ["b", "d"].contains(&&*value));
        assert_eq!(
            unlisted.pending().contains(&value).await.unwrap(),
            sees_all,
            "{value}"
        );
        assert_eq!(
            listed.pending().contains(&value).await.unwrap(),
            sees_listed,
            "{value}"
        );
    }
    assert!(
        unlisted
            .pending()
            .contains_all(&strings(&["e", "a", "d"]))
            .await
            .unwrap()
    );
    assert!(
        !unlisted
            .pending()
            .contains_all(&strings(&["e", "f"]))
            .await
            .unwrap()
    );
    assert!(
        !listed
            .pending()
            .contains_all(&strings(&["b", "a"]))
            .await
            .unwrap()
    );
    for queue in [&unlisted, &listed] {
        let entries: Vec<_> = queue.pending().iter().try_collect().await.unwrap();
        let values = entries.into_iter().map(|it| it.value);
        assert_eq!(
            values.collect::<Vec<_>>(),
            strings(&["a", "b", "c", "d", "e"])
        );
        assert_eq!(
            queue.pending().peek_next().await.unwrap().unwrap().value,
            "a"
        );
    }

    // What is found in one of the keys leaves both.
    assert!(!listed.pending().remove(&"a".to_owned()).await.unwrap());
    assert_eq!(
        listed
            .pending()
            .remove_all(&strings(&["a", "c"]))
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        unlisted.pending().poll_many(2).await.unwrap(),
        strings(&["a", "b"])
    );
    let contents = Contents::of(&redis).await;
    assert_eq!((contents.timeouts.len(), contents.ordering.len()), (3, 1));
    let last = unlisted
        .pending()
        .poll_last_and_offer_first_to("others")
        .await;
    assert_eq!(last.unwrap().unwrap(), "e");
    let last = unlisted
        .pending()
        .poll_last_and_offer_first_to("others")
        .await;
    assert_eq!(last.unwrap().unwrap(), "d");
    let contents = Contents::of(&redis).await;
    assert_eq!((contents.timeouts.len(), contents.ordering.len()), (1, 0));
    assert!(unlisted.pending().remove(&"c".to_owned()).await.unwrap());
    assert!(Contents::of(&redis).await.is_empty());
}

/// A search goes on where it was, page by page, whatever stands there and has the same due time.
#[tokio::test]
async fn searches_go_through_all_pages_and_over_what_is_no_element() {
    let redis = RedisServer::start().await;
    let queue = unlisted(Client::builder(), &redis).await;
    let wanted = |i: u32| i % 1_000 == 999;
    // Some 200 share each due time, and each third is no element.
    let mut pipe = redis::pipe();
    pipe.zadd(keys().timeouts(), "", 4e12).ignore();
    for i in 0..3_000_u32 {
        let value = match wanted(i) {
            true => "wanted".to_owned(),
            false => format!("filler {i}"),
        };
        let member = pack(&MemberId::from(i.to_be_bytes()), value.as_bytes());
        let score = 4e12 + f64::from(i / 200);
        pipe.zadd(keys().timeouts(), &member[..], score).ignore();
        if i % 3 == 0 {
            let text = format!("\x40{i}");
            pipe.zadd(keys().timeouts(), text, score).ignore();
        }
    }
    let mut connection = redis.connection().await;
    let () = pipe.query_async(&mut connection).await.unwrap();
    assert_eq!(queue.pending().len().await.unwrap(), 4_001);
    assert_eq!(queue.pending().read_all().await.unwrap().len(), 3_000);
    assert_eq!(queue.pending().peek().await.unwrap().unwrap(), "filler 0");
    let values = ["filler 0", "filler 1500", "filler 2998"].map(str::to_owned);
    assert!(queue.pending().contains_all(&values).await.unwrap());
    assert!(
        !queue
            .pending()
            .contains(&"filler 999".to_owned())
            .await
            .unwrap()
    );
    let last = queue.pending().poll_last_and_offer_first_to("others").await;
    assert_eq!(last.unwrap().unwrap(), "wanted");
    for found in [true, true, false] {
        assert_eq!(
            queue.pending().remove(&"wanted".to_owned()).await.unwrap(),
            found
        );
    }
    assert_eq!(queue.pending().poll().await.unwrap().unwrap(), "filler 0");
    assert_eq!(queue.pending().remove_all(&values).await.unwrap(), 2);
    assert_eq!(queue.pending().retain_all(&values).await.unwrap(), 2_994);
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1_001);
}

/// Others take away what a search has just read, the place to go on from as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_stays_is_found_while_all_around_it_come_and_go() {
    let redis = RedisServer::start().await;
    let queue = unlisted(Client::builder(), &redis).await;
    let filler = |i: u32| {
        (
            format!("filler {i}"),
            LONG + Duration::from_millis(u64::from(i % 7)),
        )
    };
    let offered = queue.offer_all((0..5_000).map(filler)).await.unwrap();
    let stays = LONG + Duration::from_millis(100);
    queue.offer(&"stays".to_owned(), stays).await.unwrap();
    let busy = tokio::spawn({
        let queue = unlisted(Client::builder(), &redis).await;
        async move {
            for (i, offered) in (0..).zip(&offered) {
                assert!(queue.cancel(&offered.ticket).await.unwrap());
                let (value, delay) = filler(i);
                queue.offer(&value, delay).await.unwrap();
            }
        }
    });
    let (stays, gone) = ("stays".to_owned(), "gone".to_owned());
    let mut looks = 0;
    while !busy.is_finished() || looks == 0 {
        assert!(queue.pending().contains(&stays).await.unwrap());
        assert!(!queue.pending().contains(&gone).await.unwrap());
        assert!(
            queue
                .pending()
                .contains_all(std::slice::from_ref(&stays))
                .await
                .unwrap()
        );
        looks += 1;
    }
    busy.await.unwrap();
    assert_eq!(queue.pending().len().await.unwrap(), 5_001);
}
