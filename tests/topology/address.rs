//! Addresses of several servers. Nothing connects.

use redis::IntoConnectionInfo;
use redisson_delayed_queue::{Address, Error, IntoAddress, Result};

#[track_caller]
fn assert_refused(address: Result<Address>, reason: &str) {
    let error = address.unwrap_err();
    assert!(matches!(error, Error::Settings { .. }), "{error:?}");
    assert!(error.to_string().contains(reason), "{error}");
    assert!(!format!("{error:?}").contains("secret"), "{error:?}");
}

#[test]
fn nodes_and_sentinels_are_joined_from_every_list_of_texts() {
    let all: Address = "redis+cluster://orders:secret@redis-1:7000,redis-2:7000"
        .parse()
        .unwrap();
    let texts = [
        "redis+cluster://orders:secret@redis-1:7000",
        "redis+cluster://orders:secret@redis-2:7000",
    ];
    let owned = texts.map(str::to_owned);
    assert_eq!(texts.into_address().unwrap(), all);
    assert_eq!((&texts).into_address().unwrap(), all);
    assert_eq!(texts[..].into_address().unwrap(), all);
    assert_eq!(texts.to_vec().into_address().unwrap(), all);
    assert_eq!((&texts.to_vec()).into_address().unwrap(), all);
    assert_eq!((&owned).into_address().unwrap(), all);
    assert_eq!((&owned.to_vec()).into_address().unwrap(), all);
    assert_eq!(owned.into_address().unwrap(), all);
    assert_eq!(Address::cluster(nodes(texts)).unwrap(), all);
}

/// Only one login could be used, and nobody would notice that the others are not.
#[test]
fn addresses_with_different_logins_or_databases_are_not_joined() {
    let differ = "differ in user, password or database";
    for (one, other) in [
        (
            "redis+cluster://a:secret@r-1",
            "redis+cluster://b:secret@r-2",
        ),
        (
            "redis+cluster://a:secret@r-1",
            "redis+cluster://a:secret2@r-2",
        ),
        ("redis+cluster://a:secret@r-1", "redis+cluster://r-2"),
        (
            "redis+sentinel://a:secret@s-1/m/1",
            "redis+sentinel://b:secret@s-2/m/1",
        ),
        (
            "redis+sentinel://a:secret@s-1/m/1",
            "redis+sentinel://a:secret@s-2/m/2",
        ),
    ] {
        assert_refused([one, other].into_address(), differ);
        assert_refused([other, one].into_address(), differ);
        if one.starts_with("redis+cluster") {
            assert_refused(Address::cluster(nodes([one, other])), differ);
        }
    }
    let database = Address::cluster(["redis://r-1/2"]);
    assert_refused(database, "only database 0");
}

#[test]
fn servers_that_do_not_belong_together_are_not_joined() {
    let several = "several servers are";
    for texts in [
        ["redis://r-1", "redis://r-2"],
        ["redis+cluster://r-1", "redis+sentinel://s-1/m"],
        ["redis+sentinel://s-1/m", "redis+sentinel://s-2/n"],
    ] {
        assert_refused(texts.into_address(), several);
    }
    assert_refused(
        Vec::<String>::new().into_address(),
        "list of servers is empty",
    );
    let nobody: [&str; 0] = [];
    assert_refused(Address::sentinel("m", nobody, None, 0), "is empty");
    let nested = Address::cluster(["redis+cluster://r-1"]);
    assert_refused(nested, several);
}

#[test]
fn addresses_of_different_kinds_are_different() {
    let texts = [
        "redis://h:7000",
        "redis+cluster://h:7000",
        "redis+sentinel://h:7000/m",
    ];
    let all = texts.map(|text| text.parse::<Address>().unwrap());
    for (place, one) in all.iter().enumerate() {
        assert_eq!(all.iter().position(|other| other == one), Some(place));
    }
}

/// As the driver has the nodes of a cluster.
fn nodes<const N: usize>(texts: [&str; N]) -> [redis::ConnectionInfo; N] {
    texts.map(|text| text.replace("+cluster", "").into_connection_info().unwrap())
}
