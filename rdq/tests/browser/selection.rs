//! Several rows at once.

use testbed::{Directory, Server};

use crate::dashboard::{Dashboard, WRITE};
use crate::dead::reject;
use crate::page::Page;
use crate::{orders, pending};

#[tokio::test]
async fn selected_elements_are_cancelled_and_others_stay() {
    let server = Server::start();
    let queue = orders(&server, 60).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);
    page.eval("location.hash = '#/queue/orders'");
    page.click("Select row 1");
    page.click("Select row 3");
    page.sees("2 selected");
    page.is_readable();
    page.fits();
    page.click("Cancel selected");
    page.type_in(WRITE);
    page.press("Enter");
    page.sees("these 2 elements");
    page.click("Back");
    assert_eq!(pending(&server), 60);
    page.click("Cancel selected");
    // Somebody else is faster with one of them.
    let first = queue.pending().peek_next().await.unwrap().unwrap();
    assert!(queue.cancel(&first.ticket).await.unwrap());
    page.click("Cancel elements");
    page.sees("Cancelled 1 of 2.");
    page.complains("404");
    assert_eq!(pending(&server), 58);
    let next = queue.pending().peek_next().await.unwrap().unwrap();
    assert_eq!(next.value, "order 0001");

    // Until the list is read again it has rows of elements that are gone.
    page.wait("!/order 000[02]/.test(document.querySelector('tbody').innerText)");
    page.click("Select this page");
    page.sees("50 selected");
    page.click("Promote selected");
    page.click("Promote");
    page.sees("Promoted 50 of 50.");
    page.is_content();
}

#[tokio::test]
async fn selected_letters_are_requeued_and_purged() {
    let server = Server::start();
    reject(&server, 6).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);
    let saving = Directory::new();
    page.save_to(saving.path());
    page.eval("location.hash = '#/queue/orders'");
    page.click("Dead letters");
    page.click("Select row 1");
    page.click("Select row 2");
    page.click("Requeue selected");
    page.type_in(WRITE);
    page.press("Enter");
    page.sees("Put 2 dead letters back");
    page.click("Requeue");
    page.sees("Requeued 2 of 2.");
    let ready: Vec<String> = server.run(&["LRANGE", "orders", "0", "-1"]);
    assert_eq!(ready, ["order 004", "order 005"]);
    page.wait("document.querySelectorAll('tbody tr').length === 4");
    page.click("Select row 1");
    page.click("Select row 4");
    page.click("Purge selected");
    page.click("Save and purge");
    page.sees("Purged 2 dead letters.");
    let left: Vec<String> = server.run(&["LRANGE", "{orders}-dead", "0", "-1"]);
    assert_eq!(left.len(), 2);
    assert!(
        left.iter()
            .all(|it| ["order 001", "order 002"].contains(&it.as_str()))
    );
    page.is_content();
}
