//! What spans show.

use std::time::Duration;

use redisson_delayed_queue::{Client, DeliveryInfo, HandlerError, Offer, Selector};
use testbed::{Server, eventually};
use tracing::{Instrument, Level, info_span};

use crate::capture::{SOON, ended, everything, install, queue, spans};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A ticket holds the payload, which may be private.
#[tokio::test(flavor = "multi_thread")]
async fn an_offer_shows_its_queue_and_the_id_of_its_ticket_and_no_payload() {
    install();
    let server = Server::start();
    let orders = queue(Client::builder(), &server, "offered").await;
    let secret = "a secret that only the queue knows".to_owned();
    let request = orders.offer(&secret, Duration::from_secs(60));
    let ticket = request.instrument(info_span!("request")).await.unwrap();
    let offer = Offer::after(Duration::from_secs(60)).key("17");
    let keyed = orders.offer_with(&secret, offer).await.unwrap().ticket;
    let many = (0..3).map(|_| (secret.clone(), Duration::from_secs(60)));
    orders.offer_all(many).await.unwrap();

    let offers = ended("offered", "offer", 3);
    let [first, second, all] = offers.try_into().unwrap();
    assert_eq!(first.parent, Some("request"));
    assert_eq!(first.level, Level::INFO);
    for (span, ticket) in [(&first, &ticket), (&second, &keyed)] {
        assert_eq!(span.fields["ticket"], hex(ticket.id()));
        assert_eq!(span.fields["otel.kind"], "producer");
    }
    assert_eq!(all.fields["count"], "3");
    assert!(
        !everything().contains("secret that only"),
        "{}",
        everything()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_shows_how_many_elements_it_moved_and_a_take_how_many_came() {
    install();
    let server = Server::start();
    let orders = queue(Client::builder(), &server, "moved").await;
    let offers = (0..3).map(|it| (it.to_string(), Duration::from_millis(10)));
    orders.offer_all(offers).await.unwrap();
    orders.poll(SOON).await.unwrap().unwrap();
    let mut taken = 1;
    while taken < 3 {
        taken += orders.take_many(10, SOON).await.unwrap().len();
    }
    assert!(orders.try_take().await.unwrap().is_none());

    let moved = || {
        let counts = spans("moved", "transfer").into_iter();
        let counts = counts.filter_map(|it| it.fields.get("moved")?.parse::<u32>().ok());
        counts.sum::<u32>()
    };
    eventually("the runs say what they moved", || moved() == 3);
    assert!(
        spans("moved", "transfer")
            .iter()
            .all(|it| it.level == Level::DEBUG)
    );
    let takes = spans("moved", "take").into_iter();
    let counts: Vec<u32> = takes
        .map(|it| it.fields["count"].parse().unwrap())
        .collect();
    assert_eq!(counts.iter().sum::<u32>(), 3);
    assert_eq!((counts[0], counts.last()), (1, Some(&0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selector_shows_which_queue_the_element_came_from() {
    install();
    let server = Server::start();
    let idle = queue(Client::builder(), &server, "idle").await;
    let busy = queue(Client::builder(), &server, "busy").await;
    let selector = Selector::new([idle, busy.clone()]);
    busy.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    selector.take().await.unwrap();
    assert_eq!(ended("busy", "take", 1)[0].fields["count"], "1");
    assert!(spans("idle", "take").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_runs_in_a_span_with_its_delivery_and_attempt_and_says_if_it_failed() {
    install();
    let server = Server::start();
    let orders = queue(Client::builder(), &server, "handled").await;
    orders.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    let (send, mut ids) = tokio::sync::mpsc::unbounded_channel();
    let handler = move |_: String, info: DeliveryInfo| {
        let send = send.clone();
        async move {
            info_span!("work", queue = "handled").in_scope(|| {});
            send.send(info.id()).unwrap();
            match info.attempt() {
                1 => Err(HandlerError::retry_after(Duration::ZERO, "not yet")),
                _ => Ok(()),
            }
        }
    };
    let consumer = orders.consumer().build().unwrap();
    let running = tokio::spawn(consumer.run(1, handler).into_future());
    let handles = ended("handled", "handle", 2);
    running.abort();
    let id = ids.recv().await.unwrap().to_string();
    for (attempt, span) in ["1", "2"].into_iter().zip(&handles) {
        assert_eq!(span.fields["attempt"], attempt);
        assert_eq!(span.fields["delivery"], id);
        assert_eq!(span.fields["otel.kind"], "consumer");
    }
    let status = |place: usize| handles[place].fields.get("otel.status_code").cloned();
    assert_eq!((status(0).as_deref(), status(1)), (Some("ERROR"), None));
    assert!(
        spans("handled", "work")
            .iter()
            .all(|it| it.parent == Some("handle"))
    );
}
