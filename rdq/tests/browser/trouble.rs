//! Servers that go away, and texts that pretend to be others.

use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use testbed::Server;

use crate::dashboard::Dashboard;
use crate::page::Page;
use crate::{HOUR, orders};

/// The last counts stay, and one line says what is wrong. All is live again when the server is.
#[tokio::test]
async fn a_server_that_goes_away_leaves_the_last_counts() {
    let server = Server::start();
    orders(&server, 7).await;
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.sees("orders");
    page.wait("document.querySelector('td[data-label=Pending]')?.textContent === '7'");
    server.kill();
    page.sees("cannot connect");
    page.wait("document.getElementById('main').classList.contains('stale')");
    let pending = page.eval("document.querySelector('td[data-label=Pending]').textContent");
    assert_eq!(pending, "7");

    page.click("orders");
    page.wait("document.title === 'orders – rdq'");
    page.press("6");
    page.wait("document.querySelector('.findings .problem') !== null");
    page.sees("cannot connect");
    server.restart();
    page.wait("document.getElementById('trouble').hidden");
    page.sees("Nothing is wrong.");
}

/// Characters that move, hide or turn texts are shown as what they are.
#[tokio::test]
async fn names_and_values_hide_nothing() {
    let server = Server::start();
    let client = Client::builder().transfer(false);
    let client = client.connect(server.url().as_str()).await.unwrap();
    let name = " a\nb\u{202e}c";
    let queue = client.delayed_queue(name, StringCodec).unwrap();
    queue.offer(&"x\u{202e}y".to_owned(), HOUR).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.sees(r"a\nb\u202ec");
    page.click(r"a\nb\u202ec");
    page.wait(r"document.querySelector('h1').textContent === ' a\\nb\\u202ec'");
    page.sees(r#""x\u202ey""#);
    page.click(r"x\u202ey");
    page.sees("In the offer order");
    page.sees(r#""x\u202ey""#);
    page.is_content();
}
