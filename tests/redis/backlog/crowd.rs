//! Several who move one backlog, of members that few would write.

use std::collections::HashMap;

use super::*;

/// Members of every layout and with ids of every kind that Redisson reads, the `i`th that was offered.
fn any_member(i: usize) -> Vec<u8> {
    let size = match i % 500 {
        0 => 200_000,
        1..20 => 5_000,
        _ => 0,
    };
    let payload = payload(i, size);
    let stamp = (1_700_000_000_000 + i as u128) << 80;
    let id = match i % 6 {
        0 => MemberId::from(rand::random::<[u8; 8]>()),
        1 => MemberId::from((stamp | 7).to_be_bytes()),
        2 => MemberId::from(u32::try_from(i).unwrap().to_be_bytes()),
        3 => {
            let mut long = [b'-'; 36];
            long[20..].copy_from_slice(&stamp.to_be_bytes());
            MemberId::from(long)
        }
        4 if is_expired(i) => {
            let mut expiring = [0; 25];
            expiring[..16].copy_from_slice(&rand::random::<[u8; 16]>());
            expiring[16] = b'x';
            MemberId::from(expiring)
        }
        4 => MemberId::from(rand::random::<[u8; 12]>()),
        _ => {
            let layout = [
                &rand::random::<f64>().to_le_bytes()[..],
                &(payload.len() as u64).to_le_bytes(),
                payload.as_bytes(),
            ];
            return layout.concat();
        }
    };
    pack(&id, payload.as_bytes()).to_vec()
}

/// It is of no use any more.
fn is_expired(i: usize) -> bool {
    i % 12 == 10
}

/// One in ten has the payload of another.
fn payload(i: usize, size: usize) -> String {
    let number = if i % 10 == 9 { i - 5 } else { i };
    format!("{}{number}", "0".repeat(size))
}

/// Members that expired among them, and a pause now and then. Each client knows the places of a moment at which the others had moved less.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_clients_move_members_of_all_kinds_once_each() {
    let redis = RedisServer::start().await;
    let scores = due_scores(MANY);
    let members: Vec<_> = (0..MANY)
        .map(|i| {
            let score = if i % 4 > 0 { scores[i] } else { far_away(i) };
            (any_member(i), score)
        })
        .collect();
    for some in members.chunks(500) {
        schedule(&redis, some).await;
    }
    let queues = [
        orders(&redis.url()).await,
        orders(&redis.url()).await,
        orders(&redis.url()).await,
    ];
    let mut connection = redis.connection().await;
    eventually(SOON, "all that is due is moved", async || {
        queues[0].pause().await.unwrap();
        queues[1].resume().await.unwrap();
        let left: usize = connection.zcard(keys().timeouts()).await.unwrap();
        left <= MANY / 4
    })
    .await;
    let contents = Contents::of(&redis).await;
    let mut count_of: HashMap<&str, usize> = HashMap::new();
    for payload in &contents.target {
        let number = payload.trim_start_matches('0');
        *count_of.entry(number).or_default() += 1;
    }
    let mut expected: HashMap<String, usize> = HashMap::new();
    for i in (0..MANY).filter(|i| i % 4 > 0 && !is_expired(*i)) {
        *expected.entry(payload(i, 0)).or_default() += 1;
    }
    for (number, expected) in expected {
        let count = count_of.remove(number.as_str()).unwrap_or(0);
        assert_eq!(count, expected, "times that {number} was moved");
    }
    assert!(count_of.is_empty(), "{count_of:?} is not due");
    let stays = members.chunks(4).map(|it| &it[0].0);
    assert!(
        contents.ordering.iter().eq(stays),
        "what is not due keeps its place"
    );
    assert_eq!(contents.timeouts.len(), MANY / 4);
    assert!(contents.quarantine.is_empty());
}

/// Of two members that begin alike one may be in the list and the other in the set alone: Redisson's
/// `retainAll` leaves such. The place of the one is not that of the other.
#[tokio::test]
async fn a_member_in_no_list_costs_no_other_that_begins_like_it_its_place() {
    let redis = RedisServer::start().await;
    let alike = |i: usize, what: &str| {
        let id = MemberId::from(u16::try_from(i).unwrap().to_be_bytes());
        pack(&id, format!("the same {i:05} {what}").as_bytes()).to_vec()
    };
    let scores = due_scores(MANY);
    let members: Vec<_> = (0..MANY)
        .map(|i| match i % 10 {
            5 => (alike(i, "stays"), far_away(i)),
            _ => (Writer::Java.member(i), scores[i]),
        })
        .collect();
    schedule(&redis, &members).await;
    let mut connection = redis.connection().await;
    for i in (5..MANY).step_by(10) {
        let () = connection
            .zadd(keys().timeouts(), alike(i, "moves"), scores[i])
            .await
            .unwrap();
    }
    let _queue = orders(&redis.url()).await;
    eventually(SOON, "all that is due is moved", async || {
        Contents::of(&redis).await.target.len() == MANY
    })
    .await;
    let stays = members.iter().skip(5).step_by(10).map(|it| &it.0);
    assert!(Contents::of(&redis).await.ordering.iter().eq(stays));
}
