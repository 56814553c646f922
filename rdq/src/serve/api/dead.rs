//! `/api/queues/{queue}/dead`: the dead letters of a queue.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bytes::Bytes;
use futures::stream::{StreamExt, TryStreamExt};
use redisson_delayed_queue::{DeadLetter, DeadLetters};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::brief::Text;
use super::elements::Part;
use crate::element::letter::name_of;
use crate::element::unix_ms;
use crate::failure::Failure;
use crate::payload::Shown;
use crate::queue::names::ensure_known;
use crate::queue::record::{Header, Record};
use crate::serve::app::App;
use crate::serve::page::Page;
use crate::serve::refusal::{Answer, Refusal};
use crate::serve::request::{Asked, QueueName, Sent};

/// A dead letter in a list. What is not known of it is null.
#[derive(Serialize)]
pub(in crate::serve) struct Letter {
    /// The letter's name, as `rdq dlq ls` shows it.
    letter: String,
    died_ms: Option<u64>,
    attempts: Option<u16>,
    reason: Option<String>,
    /// The queue that it came from.
    from: Option<String>,
    #[serde(flatten)]
    text: Text,
    /// The letter and its note as `rdq dlq purge` prints them, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<Record>,
}

/// A page of dead letters.
#[derive(Serialize)]
pub(in crate::serve) struct LetterPage {
    /// The first line of a file of records, if records were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Record>,
    #[serde(flatten)]
    page: Page<Letter>,
}

/// The newest first.
pub(in crate::serve) async fn list(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(part): Asked<Part>,
) -> Answer<Json<LetterPage>> {
    let payloads = app.session.payloads(&name)?;
    let first = part.count()?;
    let letters = letters(&app, &name)?.iter().map_err(Failure::from);
    let letters = letters.skip(usize::try_from(first).unwrap_or(usize::MAX));
    let rows = letters.map_ok(|it| (Shown::new(&payloads, it.payload()), it));
    let mut place = first;
    let page = Page::read(
        rows,
        |(shown, letter)| {
            if part
                .letter
                .as_ref()
                .is_some_and(|it| *it != name_of(letter))
            {
                return false;
            }
            let reason = letter.reason().unwrap_or_default();
            part.matches(shown) || reason.contains(&part.text)
        },
        |(shown, _)| shown.size,
        |_| {
            place += 1;
            place.to_string()
        },
    );
    let row = |(shown, letter): (Shown, DeadLetter<Bytes>)| Letter {
        letter: name_of(&letter),
        died_ms: letter.died_at().map(unix_ms),
        attempts: letter.attempts(),
        reason: letter.reason().map(str::to_owned),
        from: letter.queue().map(str::to_owned),
        text: Text::brief(&shown),
        records: match part.records {
            true => Record::of_letter(&letter),
            false => Vec::new(),
        },
    };
    let page = page.await?.map(row);
    let header = match part.records {
        true => Some(Header::new(&name, app.session.now(&name).await?)),
        false => None,
    };
    Ok(Json(LetterPage {
        header: header.map(Record::Queue),
        page,
    }))
}

#[derive(Deserialize)]
pub(in crate::serve) struct Which {
    letter: String,
}

/// Puts a dead letter back to the end of the queue that it came from.
pub(in crate::serve) async fn requeue(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(which): Sent<Which>,
) -> Answer<Json<Value>> {
    let dead = letters(&app, &name)?;
    let mut all = dead.iter();
    while let Some(letter) = all.try_next().await? {
        if name_of(&letter) == which.letter {
            let done = dead.requeue(&letter).await?;
            return app.changed(&name, "requeue", &which.letter, done).await;
        }
    }
    Err(Refusal::new(StatusCode::NOT_FOUND, GONE))
}

/// Puts all dead letters back.
pub(in crate::serve) async fn requeue_all(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
) -> Answer<Json<Value>> {
    ensure_known(&app.session.client, std::slice::from_ref(&name)).await?;
    let count = letters(&app, &name)?.requeue_all().await?;
    app.changed(&name, "requeue", &format!("{count} dead letters"), true)
        .await
}

/// Which dead letters to delete. One that stands there twice is deleted twice.
#[derive(Deserialize)]
pub(in crate::serve) struct Purged {
    letters: Vec<String>,
}

/// Deletes dead letters. Those that are gone already are left out.
pub(in crate::serve) async fn purge(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(Purged { letters: names }): Sent<Purged>,
) -> Answer<Json<Value>> {
    if names.is_empty() || names.len() > MOST {
        let reason = format!("name 1 to {MOST} dead letters");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, reason));
    }
    let mut wanted = HashMap::<String, usize>::new();
    for name in names {
        *wanted.entry(name).or_default() += 1;
    }
    let dead = letters(&app, &name)?;
    let mut all = dead.iter();
    let mut found = Vec::new();
    while !wanted.is_empty() {
        let Some(letter) = all.try_next().await? else {
            break;
        };
        let its_name = name_of(&letter);
        let Some(copies) = wanted.get_mut(&its_name) else {
            continue;
        };
        *copies -= 1;
        if *copies == 0 {
            wanted.remove(&its_name);
        }
        found.push((its_name, letter));
    }
    // Not before all are found: a list that becomes shorter meanwhile hides some of its letters.
    let mut count = 0;
    for (its_name, letter) in found {
        let done = dead.purge(&letter).await?;
        app.log(&name, "purge", &its_name, done);
        count += usize::from(done);
    }
    app.readings.forget(&name).await;
    match count {
        0 => Err(Refusal::new(StatusCode::NOT_FOUND, GONE)),
        _ => Ok(Json(json!({ "done": true, "purged": count }))),
    }
}

/// How many letters to delete in one request, which has them all in memory.
const MOST: usize = 1_000;

/// The dead letters of the default name.
fn letters(app: &App, queue: &str) -> Answer<DeadLetters<Bytes>> {
    let consumer = app.session.queue(queue)?.consumer().build()?;
    Ok(consumer.dead_letters())
}

const GONE: &str = "the dead letter is gone: somebody took, requeued or deleted it";
