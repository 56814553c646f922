//! Large elements that go from one queue to another. How large they are shows only on the way.

use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::codec::ByteArrayCodec;
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error, Result, Side};

use super::{MOST_TRIES, blob, blobs, quiet};
use crate::fixture::{LONG, SOON, abandon, client_with};
use crate::support::{Proxy, RedisServer};

/// What calls large begins at 1 MiB, here and there with a byte more.
const MEBIBYTE: usize = 1024 * 1024;

async fn target(url: &str) -> BlockingQueue<Bytes> {
    let patient = quiet().response_timeout(SOON);
    let client = client_with(patient, url).await;
    client.blocking_queue("orders", ByteArrayCodec).unwrap()
}

async fn others(redis: &RedisServer) -> BlockingQueue<Bytes> {
    let patient = quiet().response_timeout(SOON);
    let client = client_with(patient, &redis.url()).await;
    client.blocking_queue("others", ByteArrayCodec).unwrap()
}

/// 64 MB over 16 MB a second take 4 s, of which a small call would have been given 3. One of many tries is enough, for a
/// busy machine may take longer.
#[tokio::test]
async fn an_element_of_64_mb_has_the_time_that_it_takes_to_be_moved() {
    for _ in 0..MOST_TRIES {
        match move_64_mb().await {
            Ok(()) => return,
            Err(Error::Lost { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("none had the time");
}

async fn move_64_mb() -> Result<()> {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let others = others(&redis).await;
    let direct = blobs(quiet().response_timeout(SOON), &redis.url()).await;
    let value = blob("large", 64);
    direct.destination().offer(&value).await.unwrap();
    direct.offer(&value, LONG).await.unwrap();

    proxy.limit_rate(16_000_000);
    let impatient = Client::builder()
        .transfer(false)
        .response_timeout(Duration::from_secs(3));
    let queue: DelayedQueue<Bytes> = blobs(impatient, &proxy.url()).await;
    let moved = queue
        .pending()
        .poll_last_and_offer_first_to("others")
        .await?;
    assert!(moved.as_ref() == Some(&value));
    let target = queue.destination();
    let moved = target.take_last_and_offer_first_to("others").await?;
    assert!(moved == value);
    assert_eq!(others.len().await.unwrap(), 2);
    assert!(direct.pending().is_empty().await.unwrap());

    let moved = others.move_to("orders", Side::Last, Side::First, 2).await;
    assert_eq!(moved.unwrap(), 2);
    assert_eq!(target.len().await.unwrap(), 2);
    Ok(())
}

/// A lease that ran out is moved first, and may be large as well.
#[tokio::test]
async fn a_large_element_of_a_killed_client_is_moved() {
    let redis = RedisServer::start().await;
    let queue = target(&redis.url()).await;
    let payload = "x".repeat(2 * MEBIBYTE);
    let mut connection = redis.connection().await;
    let mut store = redis::pipe();
    abandon(&mut store, 1, 0, &payload);
    let () = store.query_async(&mut connection).await.unwrap();
    let moved = queue.poll_last_and_offer_first_to("others", Duration::ZERO);
    assert!(moved.await.unwrap().as_deref() == Some(payload.as_bytes()));
    assert_eq!(others(&redis).await.len().await.unwrap(), 1);
}

/// Each side of each limit goes another way.
#[tokio::test]
async fn elements_of_a_mebibyte_more_or_less_a_byte_pass_through_every_call() {
    let redis = RedisServer::start().await;
    let queue = blobs(Client::builder().response_timeout(SOON), &redis.url()).await;
    let target = queue.destination();
    let value = |i: usize, size| Bytes::from(vec![i as u8; size]);
    let sizes = [MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1];
    let values: Vec<Bytes> = (0..).zip(sizes).map(|(i, size)| value(i, size)).collect();
    for value in &values {
        let ticket = queue.offer(value, LONG).await.unwrap();
        assert!(queue.pending().peek().await.unwrap().as_ref() == Some(value));
        assert!(queue.pending().contains(value).await.unwrap());
        assert!(queue.promote(&ticket).await.unwrap());
        assert!(queue.take().await.unwrap() == *value);
    }
    target.add_all(&values).await.unwrap();
    for value in values.iter().rev() {
        let moved = target.poll_last_and_offer_first_to("others", SOON).await;
        assert!(moved.unwrap().as_ref() == Some(value));
    }
    let others = others(&redis).await;
    let moved = others.move_to("orders", Side::First, Side::Last, 9).await;
    assert_eq!(moved.unwrap(), 3);
    for value in &values {
        assert!(queue.take().await.unwrap() == *value);
    }
}
