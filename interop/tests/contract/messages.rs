//! The messages with which a Rust producer wakes a Java mover.

use std::time::Duration;

use interop::{
    keyspace::keys,
    messages::{Message, Messages},
};
use redisson_delayed_queue::{Client, DelayedQueue, Ticket, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::stage::{Language, ON_TIME, Queue, Roles, Stage};

/// Java knows only what messages say, and believes each. If one is missing, Java sleeps past an
/// element; if one has a later time, Java sleeps past an earlier element. So each new head is
/// published once, with its score, and nothing else is.
pub(crate) fn wake_java(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    runtime.block_on(async {
        let client = Client::builder().transfer(false).connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");
        let earlier = Case::open(&mut stage, &client, "earlier").await;
        let cancelled = Case::open(&mut stage, &client, "cancelled").await;
        let replaced = Case::open(&mut stage, &client, "replaced").await;
        let cases = [&earlier, &cancelled, &replaced];
        let mut messages = Messages::of(&stage.url());

        // The second is due long before the first.
        let a = earlier.offer(&mut stage, "a", 60).await;
        let b = earlier.offer(&mut stage, "b", 3).await;
        // The head is cancelled, which nobody tells Java.
        let c = cancelled.offer(&mut stage, "c", 3).await;
        let d = cancelled.offer(&mut stage, "d", 5).await;
        cancelled.cancel(&c).await;
        // A cancelled head leaves the queue empty; a later one gives way to an earlier.
        let e = replaced.offer(&mut stage, "e", 60).await;
        replaced.cancel(&e).await;
        let f = replaced.offer(&mut stage, "f", 5).await;
        let g = replaced.offer(&mut stage, "g", 3).await;

        stage.take_on_time(&earlier.queue, b"b", b.due_ms);
        stage.take_on_time(&cancelled.queue, b"d", d.due_ms);
        stage.take_on_time(&replaced.queue, b"g", g.due_ms);
        stage.take_on_time(&replaced.queue, b"f", f.due_ms);
        let heads = [vec![&a, &b], vec![&c], vec![&e, &f, &g]];
        let heard = messages.heard();
        for (case, heads) in cases.iter().zip(heads) {
            let scores: Vec<String> = heads.iter().map(|head| head.due_ms.to_string()).collect();
            let name = &case.queue.name;
            assert_eq!(texts(&heard, name), scores, "{version}, {name}: messages");
        }
    });
}

/// A queue that Java transfers and that a client of this process offers to.
pub(crate) struct Case {
    pub(crate) queue: Queue,
    pub(crate) offering: DelayedQueue<String>,
}

pub(crate) struct Offered {
    pub(crate) due_ms: u64,
    pub(crate) ticket: Ticket,
}

impl Case {
    pub(crate) async fn open(stage: &mut Stage, client: &Client, name: &str) -> Self {
        let roles = Roles {
            producer: Language::Rust,
            mover: Language::Java,
            consumer: Language::Java,
        };
        let case = Self {
            queue: stage.open(roles, name, "string"),
            offering: client
                .delayed_queue(name, StringCodec)
                .expect("the client is open"),
        };
        // Redisson also looks when it has subscribed, and a reply to that overrules messages that
        // came since it was sent, which is not what is tested here. An element that was taken shows
        // that it has looked.
        let warm_up = "warm-up".to_owned();
        let offered = case.offering.offer(&warm_up, Duration::ZERO).await;
        offered.expect("redis accepts offers");
        let taken = stage.poll(&case.queue, ON_TIME);
        assert!(taken.is_some(), "{}, {name}: no warm-up", stage.version);
        case
    }

    pub(crate) async fn offer(&self, stage: &mut Stage, value: &str, seconds: u64) -> Offered {
        let (offering, delay) = (&self.offering, Duration::from_secs(seconds));
        let offered = offering.offer(&value.to_owned(), delay).await;
        let ticket = offered.expect("redis accepts offers");
        let due_ms = stage.raw.due_ms(&self.queue.name, value.as_bytes());
        Offered { due_ms, ticket }
    }

    async fn cancel(&self, offered: &Offered) {
        let cancelled = self.offering.cancel(&offered.ticket).await;
        assert!(cancelled.expect("redis removes"), "it was not yet due");
    }
}

/// What was published for the queue `name`, in order.
pub(crate) fn texts(heard: &[Message], name: &str) -> Vec<String> {
    let keys = keys(name);
    let of_queue = heard.iter().filter(|it| it.channel == keys.channel());
    of_queue.map(|message| message.text.clone()).collect()
}
