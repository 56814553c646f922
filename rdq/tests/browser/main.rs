//! The dashboard of `rdq serve` in a real browser: Debian's Chromium, without a window.
//!
//! `tests/browser.sh` installs it and runs these tests. They are no part of `cargo test`, which
//! needs no browser.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod chrome;
#[path = "../serve/dashboard.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod dashboard;
mod dead;
mod list;
mod page;
mod pause;
mod selection;
mod shop;
mod trouble;

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use testbed::Server;

use dashboard::{Dashboard, WRITE};
use page::Page;
use shop::Shop;

const HOUR: Duration = Duration::from_secs(3_600);

/// A queue whose elements nobody moves, with orders that become due from an hour on.
async fn orders(server: &Server, count: usize) -> DelayedQueue<String> {
    let client = Client::builder().transfer(false);
    let client = client.connect(server.url().as_str()).await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    let orders = (0..count).map(|i| {
        (
            format!("order {i:04}"),
            HOUR + Duration::from_secs(i as u64),
        )
    });
    queue.offer_all(orders).await.unwrap();
    queue
}

fn pending(server: &Server) -> i64 {
    server.run(&["ZCARD", "redisson_delay_queue_timeout:{orders}"])
}

#[tokio::test]
async fn an_element_is_found_and_cancelled_with_the_mouse() {
    let server = Server::start();
    orders(&server, 120).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);

    page.sees("1 queue");
    page.click("orders");
    page.sees("order 0000");
    page.click("Next");
    page.sees("order 0050");
    page.click("Search values");
    page.type_in("order 0117");
    page.press("Enter");
    page.sees("120 searched, 1 found");
    page.click("order 0117");
    page.sees("In the offer order");

    // Whoever looks without a token is asked for it.
    page.click("Cancel");
    page.sees("write token");
    page.type_in("no-token-no-token-no-token");
    page.click("Log in");
    page.sees("that is no token");
    page.complains("401");
    page.eval("document.activeElement.value = ''; find('Token').value = ''; find('Token').focus()");
    page.type_in(WRITE);
    page.click("Log in");

    page.sees("Nobody will get it.");
    page.click("Back");
    page.sees("In the offer order");
    assert_eq!(pending(&server), 120);
    page.click("Cancel");
    page.click("Cancel element");
    page.sees("Cancelled.");
    page.sees("0 found");
    assert_eq!(pending(&server), 119);
    page.is_content();
}

/// JavaScript would round the second number, and drop a digit of the first.
#[tokio::test]
async fn numbers_of_a_value_are_shown_as_they_are_written() {
    let server = Server::start();
    let queue = orders(&server, 0).await;
    let value = r#"{"total":12.50,"id":9007199254740993}"#;
    queue.offer(&value.to_owned(), HOUR).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.sees("1 queue");
    page.click("orders");
    page.sees(value);
    page.click(value);
    page.sees(r#""total": 12.50,"#);
    page.sees(r#""id": 9007199254740993"#);
    page.is_content();
}

#[tokio::test]
async fn an_element_is_rescheduled_with_the_keyboard_alone() {
    let server = Server::start();
    let queue = orders(&server, 3).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);

    page.sees("1 queue");
    page.press("j");
    page.press("Enter");
    page.sees("order 0000");
    page.press("/");
    page.type_in("0001");
    page.press("Enter");
    page.sees("3 searched, 1 found");
    page.tab_to("order 0001");
    page.press("Enter");
    page.sees("In the offer order");
    page.tab_to("Reschedule");
    page.press("Enter");
    page.sees("write token");
    // The focus stays within the dialog.
    for _ in 0..5 {
        page.press("Tab");
        page.wait(
            "document.activeElement === document.body || front().contains(document.activeElement)",
        );
    }
    page.tab_to("Token");
    page.type_in(WRITE);
    page.press("Enter");
    page.sees("Due from now in");
    page.press("Enter");
    page.sees("Rescheduled.");
    let next = queue.pending().peek_next().await.unwrap().unwrap();
    assert_eq!(next.value, "order 0001");

    page.press("?");
    page.sees("Keyboard shortcuts");
    page.press("Escape");
    page.press("2");
    page.sees("Nothing is ready.");
    page.press("ArrowRight");
    page.sees("There are no dead letters.");
    page.press("u");
    page.sees("1 queue");
    page.is_content();
}

#[tokio::test]
async fn texts_can_be_read_in_light_and_dark_and_fit_a_small_screen() {
    let server = Server::start();
    orders(&server, 60).await;
    let long = "<script>document.title = 'owned'</script>".repeat(20);
    let client = Client::builder().transfer(false);
    let client = client.connect(server.url().as_str()).await.unwrap();
    let name = format!("a/queue?with#{}", "long-name-".repeat(12));
    let queue = client.delayed_queue(&name, StringCodec).unwrap();
    queue.offer(&long, Duration::ZERO).await.unwrap();
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);

    for (scheme, width) in [
        ("light", 1_200),
        ("dark", 1_200),
        ("dark", 390),
        ("light", 390),
    ] {
        page.prefer(scheme);
        page.size(width, 800);
        page.sees("2 queues");
        page.fits();
        page.is_readable();
        page.click("a/queue?with#");
        page.sees("<script>");
        page.wait("document.querySelector('figcaption') !== null");
        page.fits();
        page.is_readable();
        page.click("<script>");
        page.sees("In the offer order");
        page.fits();
        page.is_readable();
        page.press("Escape");
        page.click("Findings");
        page.sees("What to do");
        page.fits();
        page.is_readable();
        page.click("Queues");
    }
    page.wait("document.title === 'Queues – rdq'");
    page.is_content();
}

#[tokio::test(flavor = "multi_thread")]
async fn plots_follow_a_live_queue() {
    let server = Server::start();
    let url = server.url();
    let shop = Shop::open(&url).await;
    let dashboard = Dashboard::with_writers(&url);
    let page = Page::open(&dashboard.url);
    page.sees("cart-reminders");
    page.click("mails");
    // Two readings tell a rate.
    let is_drawn = "document.querySelector('.line.second')?.getAttribute('d').includes('L')";
    page.wait(&format!("{is_drawn} ?? false"));
    page.wait("parseFloat(document.querySelector('.key.second b').textContent) > 0");
    if std::env::var("SCREENSHOTS").is_ok() {
        shop.take_pictures(&page);
    }
    page.is_content();
}
