//! The list of queues, and the times in lists.

use std::time::{Duration, UNIX_EPOCH};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, Offer};
use serde_json::json;
use testbed::{Server, until};

use crate::dashboard::Dashboard;
use crate::page::Page;
use crate::{HOUR, orders};

const NAMES: &str = "[...document.querySelectorAll('tbody .name')].map((it) => it.textContent)";

/// Whoever opens the list sees what is wrong, however many queues are fine.
#[tokio::test]
async fn queues_in_trouble_come_first_and_then_by_name() {
    let server = Server::start();
    let url = server.url();
    let idle = Client::builder().transfer(false).connect(url.as_str());
    let (idle, live) = (
        idle.await.unwrap(),
        Client::connect(url.as_str()).await.unwrap(),
    );
    let mut queues = Vec::new();
    for name in ["a", "c-paused", "d-late", "e-quarantine", "f-findings", "b"] {
        let (client, delay) = match name {
            "d-late" => (&idle, Duration::ZERO),
            _ => (&live, HOUR),
        };
        let queue = client.delayed_queue(name, StringCodec).unwrap();
        queue.offer(&"order".to_owned(), delay).await.unwrap();
        if name == "c-paused" {
            queue.pause().await.unwrap();
        }
        queues.push(queue);
    }
    server.run::<()>(&["ZADD", "rdq1_quarantine:{e-quarantine}", "1", "x"]);
    server.run::<()>(&[
        "ZADD",
        "redisson_delay_queue_timeout:{f-findings}",
        "4102444800000",
        "x",
    ]);
    // Otherwise the doctor would say so.
    until("five clients listen", || {
        let channels = ["PUBSUB", "CHANNELS", "redisson_delay_queue_channel:*"];
        match server.run::<Vec<String>>(&channels).len() {
            5 => Ok(()),
            count => Err(count.to_string()),
        }
    });
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    for note in [
        "paused",
        "stalled: nobody listens",
        "1 in quarantine",
        "1 critical",
    ] {
        page.sees(note);
    }
    let in_trouble = ["d-late", "e-quarantine", "f-findings", "c-paused", "a", "b"];
    page.wait(&format!(
        "String({NAMES}) === String({})",
        json!(in_trouble)
    ));
    page.fits();
    page.click("Pending");
    page.wait("document.querySelector('[aria-sort=descending]')?.textContent === 'Pending'");
    page.click("Pending");
    page.click("Pending");
    page.wait(&format!(
        "String({NAMES}) === String({})",
        json!(in_trouble)
    ));
    page.is_content();
}

#[tokio::test]
async fn times_have_the_offset_of_the_viewer_and_the_exact_moment() {
    let server = Server::start();
    let queue = orders(&server, 0).await;
    // 2099-12-31 22:13:20.123 UTC is the next year in India.
    let due = UNIX_EPOCH + Duration::from_millis(4_102_438_400_123);
    let offer = Offer::at(due);
    queue.offer_with(&"order".to_owned(), offer).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.move_to("Asia/Kolkata");
    page.eval("location.hash = '#/queue/orders'");
    page.sees("2100-01-01 03:43:20 +05:30");
    page.click("order");
    page.sees("In the offer order");
    page.sees("2100-01-01 03:43:20 +05:30");
    let title = page.eval("document.querySelector('dialog time').title");
    assert_eq!(title, "2099-12-31T22:13:20.123Z");
    page.is_content();
}

/// Redis may evict elements.
#[tokio::test]
async fn findings_of_servers_stand_above_the_queues() {
    let server = Server::start();
    orders(&server, 1).await;
    server.run::<()>(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    server.run::<()>(&["CONFIG", "SET", "maxmemory", "100mb"]);
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.sees("Servers: 1 critical");
    page.eval("document.querySelector('summary').click()");
    page.sees("What to do");
    page.size(390, 800);
    page.fits();
    page.is_readable();
    page.is_content();
}
