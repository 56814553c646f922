//! apalis under load, on Redis: a Rust crate with queues and workers of its own.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use apalis::layers::WorkerBuilderExt;
use apalis::prelude::{BoxDynError, TaskSink, WorkerBuilder, WorkerError};
use apalis_redis::{Config, ConnectionManager, RedisStorage};

use super::{
    Connection, Outcome, Queue, consumption::Consumption, load::Rate, tally::Tally, unsupported,
};

pub(crate) struct Apalis {
    redis: ConnectionManager,
}

impl Apalis {
    pub(crate) async fn connect(url: &str) -> Outcome<Self> {
        let redis = apalis_redis::connect(url).await?;
        Ok(Self { redis })
    }
}

impl Connection for Apalis {
    type Queue = Tasks;

    fn open(&self, name: &str) -> Outcome<Tasks> {
        Ok(Tasks {
            redis: self.redis.clone(),
            config: Config::default().queue(name),
        })
    }
}

#[derive(Clone)]
pub(crate) struct Tasks {
    redis: ConnectionManager,
    config: Config,
}

impl Queue for Tasks {
    async fn offer(&self, value: String, delay: Duration) -> Outcome<()> {
        self.offer_all(vec![(value, delay)]).await
    }

    /// Without delays, which have whole seconds here.
    async fn offer_all(&self, values: Vec<(String, Duration)>) -> Outcome<()> {
        let mut storage = RedisStorage::new(self.redis.clone()).with_config(self.config.clone());
        for chunk in values.chunks(CHUNK) {
            let chunk: Vec<String> = chunk.iter().map(|(value, _)| value.clone()).collect();
            storage.push_bulk(chunk).await?;
            self.transfer().await?;
        }
        Ok(())
    }

    async fn consume(&self, work: Consumption) -> Outcome<Rate> {
        let config = match work.how.as_str() {
            "default" => self.config.clone(),
            // Each fetch is a round trip. A lock searches the list of all that wait.
            "tuned" => self
                .config
                .clone()
                .batch_size(500)
                .lock_tasks(false)
                .emit_events(false),
            _ => return unsupported(),
        };
        let storage = RedisStorage::<String>::new(self.redis.clone()).with_config(config);
        let tally = Arc::new(Tally::new(work.count));
        let counted = Arc::clone(&tally);
        let handler = move |_: String| {
            counted.add();
            async { Ok::<(), BoxDynError>(()) }
        };
        let worker = WorkerBuilder::new("worker")
            .backend(storage)
            .concurrency(work.concurrency)
            .build(handler);
        let enough = Arc::clone(&tally);
        let until = async move {
            enough.wait(work.window).await;
            Ok::<(), WorkerError>(())
        };
        let start = Instant::now();
        tokio::spawn(worker.run_until(until)).await??;
        Ok(Rate::since(start, tally.count()))
    }
}

impl Tasks {
    /// Moves tasks that are due to the list that workers fetch from, as they do. Their script moves
    /// all at once, and fails if there are more than some 8,000.
    async fn transfer(&self) -> Outcome<()> {
        let mut redis = self.redis.clone();
        let (due, active) = (
            self.config.scheduled_jobs_set(),
            self.config.active_jobs_list(),
        );
        let tasks: Vec<String> = redis::cmd("ZRANGE")
            .arg(&due)
            .arg(0)
            .arg(-1)
            .query_async(&mut redis)
            .await?;
        redis::cmd("RPUSH")
            .arg(&active)
            .arg(tasks)
            .exec_async(&mut redis)
            .await?;
        redis::cmd("DEL").arg(&due).exec_async(&mut redis).await?;
        Ok(())
    }
}

const CHUNK: usize = 1_000;
