//! Logging in without `HELLO`.

use super::*;

/// Redis behind this proxy, with a password.
async fn guarded() -> (RedisServer, Proxy) {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    allow(&redis, &["~*", "&*", "+@all"]).await;
    let () = redis.run(&["ACL", "SETUSER", "default", "off"]).await;
    (redis, proxy)
}

/// Such a proxy answers `NOAUTH` to the first `HELLO`, as to everything that comes before `AUTH`.
#[tokio::test]
async fn the_login_works_without_resp3() {
    let (_redis, proxy) = guarded().await;
    let url = proxy.url().replace("redis://", "redis://service:secret@");
    let queue = orders_with(polling(), &url).await;
    let delay = Duration::from_millis(20);
    queue.offer(&"a".to_owned(), delay).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn a_failed_login_is_denied_without_resp3() {
    let (_redis, proxy) = guarded().await;
    for login in [
        "redis://service:wrong@",
        "redis://nobody:secret@",
        "redis://",
    ] {
        let url = proxy.url().replace("redis://", login);
        let refused = Client::connect(url).await;
        assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    }
}
