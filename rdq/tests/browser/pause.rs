//! A pause of a queue.

use testbed::Server;

use crate::dashboard::{Dashboard, WRITE};
use crate::orders;
use crate::page::Page;

#[tokio::test]
async fn a_queue_is_paused_and_resumed_with_the_token() {
    let server = Server::start();
    let queue = orders(&server, 1).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);
    page.eval("location.hash = '#/queue/orders'");
    page.click("Pause");
    page.sees("write token");
    page.type_in(WRITE);
    page.press("Enter");
    page.sees("Java services do not know pauses");
    page.click("Back");
    assert!(!queue.is_paused().await.unwrap());
    page.click("Pause");
    page.click("Pause queue");
    page.sees("Paused.");
    assert!(queue.is_paused().await.unwrap());
    page.click("Resume");
    page.click("Resume queue");
    page.sees("Resumed.");
    assert!(!queue.is_paused().await.unwrap());
    page.is_content();

    // Nobody is offered what cannot be done.
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = Page::open(&dashboard.url);
    page.eval("location.hash = '#/queue/orders'");
    page.sees("order 0000");
    assert_eq!(page.eval("find('Pause') === null"), true);
}
