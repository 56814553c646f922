//! The forms in which users say where Redis is.

use std::error::Error as _;

use redis::{AsyncCommands, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisResult};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Address, Client, Error, IntoAddress};
use testbed::Settings;
use url::Url;

use crate::fixture::{LONG, keys, never_polling};
use crate::support::RedisServer;

#[tokio::test]
async fn a_client_connects_to_an_address_in_every_form() {
    let redis = RedisServer::start().await;
    let (text, port) = (redis.url(), redis.port());
    let url = Url::parse(&text).unwrap();
    let info = text.as_str().into_connection_info().unwrap();
    let address: Address = text.parse().unwrap();
    let host = "127.0.0.1";

    assert_reaches(&redis, text.as_str()).await;
    assert_reaches(&redis, &text).await;
    assert_reaches(&redis, text).await;
    assert_reaches(&redis, &url).await;
    assert_reaches(&redis, url).await;
    assert_reaches(&redis, (host, port)).await;
    assert_reaches(&redis, (host.to_owned(), port)).await;
    assert_reaches(&redis, ConnectionAddr::Tcp(host.to_owned(), port)).await;
    assert_reaches(&redis, &info).await;
    assert_reaches(&redis, info).await;
    assert_reaches(&redis, &address).await;
    assert_reaches(&redis, address).await;
}

/// As settings have them: parsed, converted, compared.
#[test]
fn an_address_is_read_from_text_and_compared() {
    let text = "redis://orders:secret@redis-1:7000/2".to_owned();
    let address: Address = text.parse().unwrap();
    assert_eq!(Address::try_from(&text).unwrap(), address);
    assert_eq!(Address::try_from(text.as_str()).unwrap(), address);
    assert_eq!(Address::try_from(text.clone()).unwrap(), address);
    assert_eq!(text.into_address().unwrap(), address);
    for other in [
        "redis://orders:secret@redis-2:7000/2",
        "redis://invoices:secret@redis-1:7000/2",
        "redis://orders:other@redis-1:7000/2",
        "redis://orders:secret@redis-1:7000/3",
    ] {
        assert_ne!(other.parse::<Address>().unwrap(), address, "{other}");
    }
}

/// A type of the application, which knows the driver's trait alone.
#[tokio::test]
async fn a_client_connects_to_whatever_the_driver_connects_to() {
    struct Settings {
        port: u16,
    }
    impl IntoConnectionInfo for Settings {
        fn into_connection_info(self) -> RedisResult<ConnectionInfo> {
            ("127.0.0.1", self.port).into_connection_info()
        }
    }
    let redis = RedisServer::start().await;
    let port = redis.port();
    assert_reaches(&redis, Address::from_driver(Settings { port }).unwrap()).await;
}

/// Redis on the machine of its clients often listens on a Unix socket alone.
#[tokio::test]
async fn a_client_connects_to_a_unix_socket() {
    let dir = std::env::temp_dir();
    let path = dir.join(format!("rdq-address-{}.sock", std::process::id()));
    let path = path.to_str().unwrap();
    let redis = RedisServer::with(Settings::new().set("unixsocket", path)).await;
    assert_reaches(&redis, format!("unix://{path}")).await;
    assert_reaches(&redis, ConnectionAddr::Unix(path.into())).await;
    // A server that is killed leaves it behind.
    drop(redis);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn an_address_says_which_user_and_which_database() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let () = redis
        .run(&[
            "ACL", "SETUSER", "orders", "on", ">p:ss@", "~*", "&*", "+@all",
        ])
        .await;
    let url = format!("redis://orders:p%3Ass%40@127.0.0.1:{}/3", redis.port());
    let client = never_polling().connect(&url).await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    queue.offer(&"17".to_owned(), LONG).await.unwrap();

    let pending: u64 = connection.zcard(keys().timeouts()).await.unwrap();
    assert_eq!(pending, 0, "the first database has nothing");
    let () = redis::cmd("SELECT")
        .arg(3)
        .query_async(&mut connection)
        .await
        .unwrap();
    let pending: u64 = connection.zcard(keys().timeouts()).await.unwrap();
    assert_eq!(pending, 1);
    let user: String = redis.run(&["CLIENT", "LIST"]).await;
    assert!(
        user.lines()
            .any(|it| it.contains("name=rdq:calls") && it.contains("user=orders"))
    );
}

/// Errors and `Debug` forms end in logs.
#[tokio::test]
async fn no_error_of_an_address_shows_the_password() {
    for url in [
        "redis//orders:secret@127.0.0.1/",
        "https://orders:secret@127.0.0.1/",
        "redis://orders:secret@127.0.0.1:port/",
        "redis://orders:secret@127.0.0.1/database",
        "redis://orders:secret@127.0.0.1/?protocol=4",
        "redis://orders:secret%FF@127.0.0.1/",
        "redis+cluster://orders:secret@127.0.0.1/1",
        "redis+sentinel://orders:secret@127.0.0.1/",
    ] {
        let error = Client::connect(url).await.unwrap_err();
        assert!(matches!(error, Error::Settings { .. }), "{error:?}");
        let cause = error.source().map(ToString::to_string);
        let shown = format!("{error} {error:?} {cause:?}");
        assert!(!shown.contains("secret"), "{shown}");
        if let Ok(url) = Url::parse(url) {
            let error = Client::connect(url).await.unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }
    let address = "redis://orders:secret@redis-1:6380/3"
        .into_address()
        .unwrap();
    assert_eq!(format!("{address:?}"), "Address(\"redis-1:6380\")");
}

/// Asserts that a client with this address offers to this server.
async fn assert_reaches(redis: &RedisServer, address: impl IntoAddress) {
    let mut connection = redis.connection().await;
    let before: u64 = connection.zcard(keys().timeouts()).await.unwrap();
    let client = never_polling().connect(address).await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    queue.offer(&"17".to_owned(), LONG).await.unwrap();
    let after: u64 = connection.zcard(keys().timeouts()).await.unwrap();
    assert_eq!(after, before + 1);
}
