//! Trace contexts that go from an offer to its handler.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{
    Client, ClientBuilder, DelayedQueue, DeliveryInfo, HandlerError, TraceCarrier,
};
use testbed::{Server, eventually};
use tokio::task::JoinHandle;
use tracing::Span;

use crate::capture::{ended, install, queue};

/// Uses the id of a span as its context, and notes which handler's span got which.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<(u64, String)>>>);

impl TraceCarrier for Notes {
    fn inject(&self, offer: &Span) -> Option<String> {
        Some(format!("of span {}", offer.id()?.into_u64()))
    }

    fn extract(&self, handle: &Span, context: &str) {
        let id = handle.id().unwrap().into_u64();
        self.0.lock().unwrap().push((id, context.to_owned()));
    }
}

impl Notes {
    /// The context that the handler with this span got.
    fn of(&self, handle: u64) -> Option<String> {
        let notes = self.0.lock().unwrap();
        notes
            .iter()
            .rfind(|it| it.0 == handle)
            .map(|it| it.1.clone())
    }

    fn builder(&self) -> ClientBuilder {
        Client::builder().trace_carrier(self.clone())
    }
}

/// Handles what comes; the first `failures` attempts at each element fail.
fn handle(orders: &DelayedQueue<String>, failures: u16) -> JoinHandle<()> {
    let handler = move |_: String, info: DeliveryInfo| async move {
        if info.attempt() <= failures {
            return Err(HandlerError::retry_after(Duration::ZERO, "not yet"));
        }
        Ok(())
    };
    let consumer = orders.consumer().build().unwrap();
    tokio::spawn(consumer.run(1, handler).into_future())
}

/// How many contexts Redis has.
fn contexts(server: &Server) -> usize {
    server.run::<Vec<String>>(&["KEYS", "rdq1_trace:*"]).len()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_attempt_of_a_handler_gets_the_context_of_the_offer() {
    install();
    let server = Server::start();
    let notes = Notes::default();
    let producer = queue(notes.builder(), &server, "carried").await;
    let soon = Duration::from_millis(20);
    producer.offer(&"1".to_owned(), soon).await.unwrap();
    let offer = ended("carried", "offer", 1)[0].id;
    assert_eq!(contexts(&server), 1);
    let consumer = queue(notes.builder(), &server, "carried").await;
    let running = handle(&consumer, 2);
    let handles = ended("carried", "handle", 3);
    for span in &handles {
        assert_eq!(notes.of(span.id), Some(format!("of span {offer}")));
    }
    eventually("the context goes with the element", || {
        contexts(&server) == 0
    });
    running.abort();
}

/// Java's mover knows only the payload.
#[tokio::test(flavor = "multi_thread")]
async fn a_context_arrives_although_another_client_moves_the_element() {
    install();
    let server = Server::start();
    let notes = Notes::default();
    let keys = QueueKeys::new("foreign").unwrap();
    let orders = queue(notes.builder().transfer(false), &server, "foreign").await;
    let ticket = orders
        .offer(&"1".to_owned(), Duration::from_secs(60))
        .await
        .unwrap();
    let offer = ended("foreign", "offer", 1)[0].id;
    let mut connection = server.connection();
    let () = redis::pipe()
        .zrem(keys.timeouts(), ticket.as_bytes().as_ref())
        .lrem(keys.ordering(), 1, ticket.as_bytes().as_ref())
        .rpush(keys.target(), "1")
        .query(&mut connection)
        .unwrap();
    let running = handle(&orders, 0);
    let handles = ended("foreign", "handle", 1);
    assert_eq!(notes.of(handles[0].id), Some(format!("of span {offer}")));
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_offers_carry_the_context_of_their_call() {
    install();
    let server = Server::start();
    let notes = Notes::default();
    let orders = queue(notes.builder(), &server, "many").await;
    let offers = (0..3).map(|it| (it.to_string(), Duration::ZERO));
    orders.offer_all(offers).await.unwrap();
    let offer = ended("many", "offer", 1)[0].id;
    let running = handle(&orders, 0);
    for span in ended("many", "handle", 3) {
        assert_eq!(notes.of(span.id), Some(format!("of span {offer}")));
    }
    running.abort();
}

/// A context is worth nothing without its element, so it must not stay for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_context_that_nobody_needs_goes_by_itself() {
    install();
    let server = Server::start();
    let notes = Notes::default();
    let orders = queue(notes.builder(), &server, "kept").await;
    orders
        .offer(&"1".to_owned(), Duration::from_secs(60))
        .await
        .unwrap();
    let key = QueueKeys::new("kept").unwrap().trace(b"1");
    let ms: i64 = server.run(&["PTTL", &key]);
    assert!((1..=3_660_000).contains(&ms), "{ms}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_carrier_nothing_is_written_and_every_handler_runs() {
    install();
    let server = Server::start();
    let plain = queue(Client::builder(), &server, "plain").await;
    plain.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(contexts(&server), 0);
    // The consumer has a carrier and finds no context.
    let notes = Notes::default();
    let running = handle(&queue(notes.builder(), &server, "plain").await, 0);
    let handles = ended("plain", "handle", 1);
    assert_eq!(notes.of(handles[0].id), None);
    running.abort();
}

/// Contexts are a help. An offer or a handler must not fail for want of one.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_rights_to_contexts_offers_and_handles_all_the_same() {
    install();
    let server = Server::start();
    server.run::<()>(&["ACL", "SETUSER", "default", "-set", "-get", "-unlink"]);
    let notes = Notes::default();
    let orders = queue(notes.builder(), &server, "denied").await;
    orders.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    let running = handle(&orders, 0);
    let handles = ended("denied", "handle", 1);
    assert_eq!(notes.of(handles[0].id), None);
    running.abort();
}
