//! The roles of `docs/acl.md`: their rights are enough, and each of them is needed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::*;
use crate::fixture::{SUBCOMMAND_RULES, documented_section, push};

mod acknowledging;
mod consumer;
mod operator;
mod producer;

/// What failed because a right was missing: calls and events by name.
type Failed = BTreeSet<&'static str>;

/// The views of a queue. If more than two calls of one fail, the guide names the view.
const VIEWS: [&str; 4] = ["dead_letters()", "destination()", "object()", "pending()"];

/// A section of `docs/acl.md`.
struct Role {
    rights: Vec<&'static str>,
    /// What fails without a right. A right that only makes things worse has a sentence instead.
    without: HashMap<String, Result<Failed, &'static str>>,
}

impl Role {
    fn read(heading: &str) -> Self {
        let rows = documented_section(heading).lines().filter_map(|row| {
            let (rights, without) = row.strip_prefix("| `")?.split_once(" | ")?;
            Some((rights, without.strip_suffix(" |")?))
        });
        let mut without = HashMap::new();
        for (rights, failed) in rows {
            // A list of names, or a sentence.
            let is_list = failed.starts_with('`') && failed.ends_with('`');
            let failed = match is_list {
                true => Ok(failed.split('`').skip(1).step_by(2).collect()),
                false => Err(failed),
            };
            // A table escapes the bar of a subcommand.
            let rights = rights.replace("\\|", "|");
            for right in rights.split('`').step_by(2).filter(|it| !it.is_empty()) {
                let earlier = without.insert(right.to_owned(), failed.clone());
                assert!(earlier.is_none(), "{right} has two rows");
            }
        }
        let rights = documented_rights(heading);
        Self { rights, without }
    }
}

/// Plays a role with all its rights, and without each of them.
async fn assert_least(heading: &str, play: impl AsyncFn(&RedisServer) -> Failed) {
    let role = Role::read(heading);
    let redis = RedisServer::start().await;
    let failed = case(&redis, &role.rights, &play).await;
    assert_eq!(failed, Failed::new(), "with all rights");
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    assert_eq!(denials(&redis).await, BTreeSet::new(), "with all rights");
    let mut wrong = BTreeMap::new();
    for right in &role.rights {
        let without = role.without.get(*right);
        if matches!(without, Some(Err(sentence)) if sentence.starts_with("Not tested")) {
            continue;
        }
        let others = role.rights.iter().copied().filter(|it| it != right);
        let others: Vec<&str> = others.collect();
        let (mut failed, mut is_denied) = (Failed::new(), false);
        let is_documented = |failed: &Failed, is_denied| match without {
            Some(Ok(documented)) => failed == documented,
            Some(Err(_)) => failed.is_empty() && is_denied,
            None => false,
        };
        // On a busy machine calls are repeated, which takes more rights. So a call may fail by chance
        // that the page does not name, and then this begins anew.
        for _ in 0..8 {
            if matches!(without, Some(Ok(documented)) if !failed.is_subset(documented)) {
                failed.clear();
            }
            failed.extend(case(&redis, &others, &play).await);
            is_denied |= !denials(&redis).await.is_empty();
            if is_documented(&failed, is_denied) {
                break;
            }
        }
        if !is_documented(&failed, is_denied) {
            wrong.insert(*right, (failed, is_denied));
        }
    }
    assert!(wrong.is_empty(), "without these fails: {wrong:#?}");
    let rows = role.without.keys().map(String::as_str);
    assert_eq!(
        rows.collect::<BTreeSet<_>>(),
        role.rights.iter().copied().collect()
    );
}

/// Plays a role with these rights on an empty server.
async fn case(
    redis: &RedisServer,
    rights: &[&str],
    play: &impl AsyncFn(&RedisServer) -> Failed,
) -> Failed {
    for command in [
        &["FLUSHALL"][..],
        &["SCRIPT", "FLUSH"],
        &["CONFIG", "RESETSTAT"],
        &["ACL", "LOG", "RESET"],
    ] {
        let () = redis.run(command).await;
    }
    allow(redis, rights).await;
    let mut failed = play(redis).await;
    for view in VIEWS {
        let of_view = |it: &&'static str| it.starts_with(view);
        if failed.iter().copied().filter(of_view).count() > 2 || failed.contains(view) {
            failed.retain(|it| !of_view(it));
            failed.insert(view);
        }
    }
    failed
}

/// What Redis has denied, but for `CLIENT SETINFO`, which the driver sends and nobody needs.
async fn denials(redis: &RedisServer) -> BTreeSet<String> {
    let log: Vec<HashMap<String, redis::Value>> = redis.run(&["ACL", "LOG"]).await;
    let objects = log
        .into_iter()
        .map(|mut entry| entry.remove("object").unwrap());
    let objects = objects.map(|it| redis::from_redis_value::<String>(it).unwrap());
    objects.filter(|it| it != "client|setinfo").collect()
}

/// Notes a call that is denied. It may fail in no other way.
#[track_caller]
fn note<T: std::fmt::Debug>(
    failed: &mut Failed,
    call: &'static str,
    result: Result<T>,
) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(Error::Denied { .. }) => {
            failed.insert(call);
            None
        }
        Err(error) => panic!("{call}: {error:?}"),
    }
}

/// A client of the role and its queue, or nothing if it may not connect.
async fn open(
    redis: &RedisServer,
    failed: &mut Failed,
    builder: redisson_delayed_queue::ClientBuilder,
) -> Option<(Client, DelayedQueue<String>, Events)> {
    let connected = builder.connect(service_url(redis)).await;
    let client = note(failed, "connect", connected)?;
    let events = client.events();
    eventually(SOON, "it has connected to deliver, too", async || {
        let list: String = redis.run(&["CLIENT", "LIST"]).await;
        list.matches(" user=service ").count() >= 2
    })
    .await;
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    Some((client, queue, events))
}

/// Otherwise a right that a role needs would be missing for the user with all roles.
#[test]
fn the_user_for_everything_has_all_roles() {
    let roles = ["Producer", "Consumer", "Acknowledging consumer", "Operator"].into_iter();
    let mut rights: BTreeSet<_> = roles.flat_map(documented_rights).collect();
    rights.extend(["+copy", "+rename"]);
    let everything: BTreeSet<_> = documented_rights("Everything").into_iter().collect();
    assert_eq!(everything, rights);
}
