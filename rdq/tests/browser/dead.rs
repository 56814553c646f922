//! Dead letters, which are saved to a file before they are deleted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use testbed::{Directory, Server, until};

use crate::dashboard::{Dashboard, WRITE};
use crate::page::Page;

pub(crate) async fn reject(server: &Server, count: usize) {
    let client = Client::connect(server.url().as_str()).await.unwrap();
    let orders = client.delayed_queue::<String, _>("orders", StringCodec);
    let orders = orders.unwrap();
    let consumer = orders.consumer().build().unwrap();
    let values = (0..count).map(|i| (format!("order {i:03}"), Duration::ZERO));
    orders.offer_all(values).await.unwrap();
    for _ in 0..count {
        let delivery = consumer.recv().await.unwrap();
        delivery.reject("no stock").await.unwrap();
    }
    client.shutdown().await.unwrap();
}

/// The lines of the one file in this folder. Takes it away.
fn saved(folder: &Path) -> Vec<String> {
    let file = until("the browser saves a file", || {
        let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        let mut done = files.filter(|it| it.extension().is_some_and(|it| it == "jsonl"));
        done.next().ok_or("there is none".to_owned())
    });
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn letters_are_saved_and_purged_one_and_all() {
    let server = Server::start();
    reject(&server, 130).await;
    let left = || server.run::<i64>(&["LLEN", "{orders}-dead"]);
    let dashboard = Dashboard::with_writers(&server.url());
    let page = Page::open(&dashboard.url);
    let saving = Directory::new();
    let folder = saving.path();
    page.save_to(folder);

    page.eval("location.hash = '#/queue/orders'");
    page.sees("130");
    page.press("3");
    page.sees("order 129");
    page.click("Purge …");
    page.sees("write token");
    page.type_in(WRITE);
    page.press("Enter");
    page.sees("Nobody will get it.");
    page.click("Back");
    page.sees("order 129");
    assert_eq!(left(), 130);
    page.click("Purge …");
    page.click("Save and purge");
    page.sees("Purged.");
    // The header, the letter, its note, and the end.
    let lines = saved(folder);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[1], r#"{"kind":"dead","payload":"b3JkZXIgMTI5"}"#);
    assert_eq!(left(), 129);

    page.click("Purge all");
    page.sees("Nobody will get them.");
    page.click("Save and purge all");
    page.sees("Purged 129 dead letters.");
    page.sees("There are no dead letters.");
    let lines = saved(folder);
    assert_eq!(lines.len(), 2 * 129 + 2);
    assert_eq!(lines[1], r#"{"kind":"dead","payload":"b3JkZXIgMDAw"}"#);
    assert_eq!(left(), 0);
    page.is_content();

    let file = saving.file("letters");
    fs::write(&file, lines.join("\n")).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_rdq"));
    import.args(["--server", &server.url(), "import", "orders"]);
    assert!(import.arg(&file).status().unwrap().success());
    assert_eq!(left(), 129);
}
