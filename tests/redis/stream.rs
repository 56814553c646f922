//! Streams as values: a struct can hold each of them by its name.

use futures::{FutureExt, Stream, StreamExt};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Entries, Events, QueueStream, Selector};
use tokio::time::timeout;

use crate::fixture::{LONG, SOON, client_with, connected, keys, push};
use crate::support::{RedisServer, eventually};

/// What a service may hold.
#[derive(Debug)]
struct Dashboard {
    pending: Entries<String>,
    due: QueueStream<String>,
    taken: QueueStream<String>,
    selected: QueueStream<(String, String)>,
    events: Events,
}

#[tokio::test]
async fn a_struct_holds_all_streams_and_a_task_reads_them() {
    let redis = RedisServer::start().await;
    let client = Client::builder().transfer(false);
    let client = client_with(client, &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    queue.offer(&"later".to_owned(), LONG).await.unwrap();
    push(&redis, &["a", "b"]).await;
    let dashboard = Dashboard {
        pending: queue.pending().iter(),
        due: queue.destination().iter(),
        taken: queue.stream(),
        selected: Selector::new([queue.clone()]).stream(),
        events: client.events(),
    };
    assert!(format!("{dashboard:?}").matches("orders").count() >= 3);

    let reading = tokio::spawn(async move {
        let mut board = dashboard;
        let entry = board.pending.next().await.unwrap().unwrap();
        let due: Vec<_> = board.due.by_ref().map(Result::unwrap).collect().await;
        let taken = board.taken.next().await.unwrap().unwrap();
        let selected = board.selected.next().await.unwrap().unwrap();
        (board, entry.value, due, taken, selected)
    });
    let (mut board, pending, due, taken, selected) = reading.await.unwrap();
    assert_eq!(pending, "later");
    assert_eq!(due, ["a", "b"]);
    assert_eq!(taken, "a");
    assert_eq!(selected, (keys().target().to_owned(), "b".to_owned()));

    client.shutdown().await.unwrap();
    for _ in 0..2 {
        assert!(board.pending.next().await.is_none());
        assert!(board.due.next().await.is_none());
    }
    while board.events.next().await.is_some() {}
    assert!(board.events.next().await.is_none());
}

/// A caller that gave up while it waited must not take the event along.
#[tokio::test]
async fn a_call_for_the_next_event_that_is_dropped_takes_none() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let mut events = client.events();
    queue.try_take().await.unwrap();
    loop {
        let mut waiting = Box::pin(events.next());
        // Otherwise it is that of the first connection.
        if futures::poll!(&mut waiting).is_pending() {
            redis.kill_clients("normal").await;
            eventually(SOON, "it connects again", async || {
                queue.try_take().await.is_ok()
            })
            .await;
            break;
        }
    }
    let event = events.next().now_or_never().flatten();
    assert!(event.is_some());
}

/// Events can be mixed with other streams, as a service does that has several clients.
#[tokio::test]
async fn the_events_of_two_clients_are_one_stream() {
    let redis = RedisServer::start().await;
    let one = connected(&redis.url()).await;
    let two = connected(&redis.url()).await;
    let mut both = futures::stream::select(one.events(), two.events());
    redis.kill_clients("normal").await;
    let event = timeout(SOON, both.next()).await.unwrap();
    assert!(event.is_some());
    one.shutdown().await.unwrap();
    two.shutdown().await.unwrap();
    while both.next().await.is_some() {}
}

/// The streams need no value that can be sent: they hold payloads.
#[test]
fn streams_can_be_sent_and_moved_whatever_their_values() {
    fn check<S: Stream + Send + Unpin + std::fmt::Debug>() {}
    /// It can neither be sent nor shown.
    struct Local(#[expect(dead_code)] std::rc::Rc<str>);
    check::<Entries<Local>>();
    check::<QueueStream<Local>>();
    check::<Events>();
    fn shared<S: Sync>() {}
    shared::<Events>();
}
