use super::*;

#[test]
fn what_a_client_says_is_read_by_the_others() {
    let peer = Peer::random();
    let said = peer.waiting();
    assert_eq!(
        Message::parse(said.as_bytes()),
        Some(Message::Waiting(peer))
    );
}

/// As `lua/transfer.lua` writes them.
#[test]
fn what_the_script_says_is_read() {
    let said = "moved 00000000000000aa 1 3 1700000000000001 1700000005000 2 \
                00000000000000bb00000000000000cc";
    let moved = Moved {
        by: Peer(0xaa),
        takes: true,
        count: 3,
        at_us: 1_700_000_000_000_001,
        head_ms: Some(1_700_000_005_000),
        spare: 2,
        called: vec![Peer(0xbb), Peer(0xcc)],
    };
    assert_eq!(Message::parse(said.as_bytes()), Some(Message::Moved(moved)));
    let said = "moved 00000000000000aa 0 1 5 - 0 ";
    let Some(Message::Moved(moved)) = Message::parse(said.as_bytes()) else {
        panic!("it is a message");
    };
    assert_eq!((moved.takes, moved.head_ms), (false, None));
    assert!(moved.called.is_empty());
}

#[test]
fn anything_else_is_no_message() {
    for said in [
        "",
        "moved",
        "moved ",
        "waiting ",
        "waiting 00000000000000a",
        "waiting +0000000000000aa",
        "waiting 00000000000000aa ",
        "moved 00000000000000aa 1 3 x - 0 ",
        "moved 00000000000000aa 1 -3 5 - 0 ",
        "moved 00000000000000aa 1 3 5 - 99999999999999999999 ",
        "moved 00000000000000aa 1 3 5 - 0",
        "moved 00000000000000aa 1 3 5 - 0 00000000000000bb0",
        "moved 00000000000000aa 1 3 5 - 0 000000000000000\u{e4}",
        "moved 00000000000000aa 1 3 5 - 0  ",
        "1700000005000",
    ] {
        assert_eq!(Message::parse(said.as_bytes()), None, "{said:?}");
    }
    assert_eq!(Message::parse(b"waiting \xff"), None);
}
