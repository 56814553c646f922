//! The queues of a shop, some of them in use, for plots and pictures.

use std::thread::sleep;
use std::time::Duration;

use redisson_delayed_queue::codec::TypedJsonJacksonCodec;
use redisson_delayed_queue::{Client, DelayedQueue, HandlerError};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::interval;

use crate::page::Page;

/// The services of the shop, until it is dropped.
pub(crate) struct Shop {
    _services: JoinSet<()>,
}

const CARRIERS: [&str; 3] = ["DHL", "GLS", "UPS"];

type Orders = DelayedQueue<Value>;

fn queue(client: &Client, name: &str) -> Orders {
    let codec = TypedJsonJacksonCodec::new();
    client.delayed_queue(name, codec).unwrap()
}

async fn fill(
    queue: &Orders,
    count: u64,
    value: impl Fn(u64) -> Value,
    delay_ms: impl Fn(u64) -> u64,
) {
    let elements = (0..count).map(|i| (value(i), Duration::from_millis(delay_ms(i))));
    queue.offer_all(elements).await.unwrap();
}

impl Shop {
    pub(crate) async fn open(url: &str) -> Self {
        let idle = Client::builder()
            .transfer(false)
            .connect(url)
            .await
            .unwrap();
        let live = Client::connect(url).await.unwrap();
        let reminder = |i| json!({ "cart": 48_000 + i, "customer": format!("c-{}", i * 7 % 1_000), "kind": "reminder" });
        // Some 120,000 over two days.
        fill(&queue(&idle, "cart-reminders"), 120_000, reminder, |i| {
            60_000 + i * 1_440
        })
        .await;
        // Nobody moves these.
        let invoice = |i| json!({ "invoice": format!("2026-{i:05}"), "amount": i * 3 + 20, "currency": "EUR" });
        fill(&queue(&idle, "invoices"), 40, invoice, |i| i * 10_000).await;
        let shipment = |i| json!({ "order": 900_000 + i, "carrier": CARRIERS[i as usize % 3] });
        fill(&queue(&idle, "shipments"), 3_200, shipment, |i| {
            5_000 + i * 900
        })
        .await;
        queue(&idle, "shipments").pause().await.unwrap();

        let mut services = JoinSet::new();
        let payments = queue(&live, "payments");
        let retry =
            |i| json!({ "payment": format!("p-{i:06}"), "amount": 4_990 + i, "attempt": 1 });
        fill(&payments, 400, retry, |i| i * 400).await;
        let consumer = payments.consumer().delivery_limit(1).build().unwrap();
        services.spawn(async move {
            let handle = |payment: Value, _| async move {
                match payment["amount"].as_u64().unwrap() % 40 {
                    0 => Err(HandlerError::reject("the bank says no: card expired")),
                    _ => Ok(()),
                }
            };
            // It goes on until the shop is dropped.
            _ = consumer.run(4, handle).await;
        });

        let mails = queue(&live, "mails");
        let (offers, takes) = (mails.clone(), mails);
        services.spawn(async move {
            let mut beats = interval(Duration::from_millis(25));
            for i in 0_u64.. {
                beats.tick().await;
                let mail = json!({ "to": format!("customer-{}@example.com", i % 500), "template": "welcome", "mail": i });
                // Some wait a moment, some for hours.
                let delay = match i % 10 {
                    0 => Duration::from_secs(60 * (i % 700)),
                    _ => Duration::from_millis(800 + i * 37 % 4_000),
                };
                offers.offer(&mail, delay).await.unwrap();
            }
        });
        services.spawn(async move { while takes.take().await.is_ok() {} });
        Self {
            _services: services,
        }
    }

    /// Writes the pictures of the documentation.
    pub(crate) fn take_pictures(&self, page: &Page) {
        // The plots need something to show.
        sleep(Duration::from_secs(75));
        for scheme in ["light", "dark"] {
            page.prefer(scheme);
            page.size(1_200, 860);
            page.picture(&format!("queue-{scheme}"));
            page.click("Queues");
            page.sees("cart-reminders");
            page.size(1_200, 460);
            page.picture(&format!("queues-{scheme}"));
            page.click("mails");
            page.wait("document.querySelectorAll('.line.second').length > 0");
        }
        page.prefer("light");
        page.size(400, 860);
        sleep(Duration::from_secs(2));
        page.picture("queue-small");
        page.click("Queues");
        page.sees("cart-reminders");
        page.picture("queues-small");
        page.size(1_200, 760);
        page.click("cart-reminders");
        page.sees("48000");
        page.click("{\"cart\":48000");
        page.sees("In the offer order");
        page.picture("element-light");
        page.press("Escape");
        page.click("Queues");
        page.click("payments");
        page.wait("document.querySelector('figcaption') !== null");
        page.click("Dead letters");
        page.sees("card expired");
        page.eval("scrollTo(0, 9999)");
        page.picture("dead-light");
        page.click("Queues");
        page.click("invoices");
        // The plots move the tabs.
        page.wait("document.querySelector('figcaption') !== null");
        page.click("Findings");
        page.sees("What to do");
        page.eval("scrollTo(0, 9999)");
        page.picture("findings-light");
    }
}
