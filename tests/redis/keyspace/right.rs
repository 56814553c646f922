//! Calls about a whole queue by a user who lacks a right.

use super::*;

/// Without one right the whole is refused, and not a half of it done.
#[tokio::test]
async fn without_a_right_nothing_is_changed() {
    if lacks((7, 0), RIGHTS_BEFOREHAND) {
        return;
    }
    let redis = RedisServer::start().await;
    fill(&redis, "orders", "value").await;
    fill(&redis, "new", "value in the way").await;
    let before = (held(&redis, "orders").await, held(&redis, "new").await);
    let rules: [&[&str]; 8] = [
        &["~*", "-unlink"],
        &["~*", "-pexpireat", "-persist"],
        &["~*", "-rename"],
        &["~*", "-copy"],
        // All but one key.
        &["~orders", "~redisson*", "~rdq1_[!p]*", "~new"],
        // All of the old name.
        &["~orders", "~*{orders}"],
        // The copy may be written and the origin not even read.
        &["~new", "~*{new}", "%W~orders", "%W~*{orders}"],
        &["~new", "~*{new}", "%R~orders", "%R~*{orders}"],
    ];
    for rules in rules {
        let mut command = redis::cmd("ACL");
        command.arg(&[
            "SETUSER", "service", "reset", "on", ">secret", "&*", "+@all",
        ]);
        let () = command
            .arg(rules)
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
        let url = redis.url().replace("redis://", "redis://service:secret@");
        let queue = orders_with(Client::builder().transfer(false), &url).await;
        let mut denied = Vec::new();
        for step in [Step::Rename, Step::Copy] {
            let done = match step {
                Step::Rename => queue.object().rename("new").await,
                _ => queue.object().copy_replacing("new").await,
            };
            if let Err(Error::Denied { step: it, .. }) = done {
                assert_eq!(it, step);
                denied.push(step);
                continue;
            }
            // What was allowed is done as a whole, and undone for the next.
            assert!(done.unwrap(), "{step} with {rules:?}");
            for name in ["orders", "new"] {
                let every = KINDS.map(|(_, it)| it(&keys(name)).to_owned());
                let () = redis.connection().await.del(&every[..]).await.unwrap();
            }
            fill(&redis, "orders", "value").await;
            fill(&redis, "new", "value in the way").await;
        }
        let after = (held(&redis, "orders").await, held(&redis, "new").await);
        assert_eq!(after, before, "{rules:?}");
        if rules.contains(&"-pexpireat") {
            assert!(denied.is_empty());
            assert_denied(queue.object().expire(LONG).await, Step::Expire);
            assert_denied(queue.object().clear_expire().await, Step::Expire);
        } else {
            assert!(!denied.is_empty(), "{rules:?}");
        }
        if rules.contains(&"-unlink") {
            assert_denied(queue.object().delete().await, Step::Delete);
        }
        let after = (held(&redis, "orders").await, held(&redis, "new").await);
        assert_eq!(after, before, "{rules:?}");
    }
}

#[track_caller]
fn assert_denied(result: Result<bool>, during: Step) {
    let error = result.expect_err("a right is missing");
    assert!(
        matches!(error, Error::Denied { step, .. } if step == during),
        "{error:?}"
    );
}
