//! redissun under load: a Rust crate with the same algorithm on keys of its own.

use std::time::Duration;

use redissun::{Client, DelayedQueue, StringCodec, VecDeque};

use super::{Connection, Outcome, Queue, unsupported};

pub(crate) struct Redissun {
    client: Client<StringCodec>,
}

impl Redissun {
    pub(crate) async fn connect(url: &str) -> Outcome<Self> {
        let client = Client::builder().url(url).codec(StringCodec);
        Ok(Self {
            client: client.build().await?,
        })
    }
}

impl Connection for Redissun {
    type Queue = Both;

    fn open(&self, name: &str) -> Outcome<Both> {
        let target = self.client.vec_deque(name);
        Ok(Both {
            delayed: self.client.delayed_queue(&target),
            target,
        })
    }
}

#[derive(Clone)]
pub(crate) struct Both {
    delayed: DelayedQueue<String, StringCodec>,
    target: VecDeque<String, StringCodec>,
}

impl Queue for Both {
    async fn offer(&self, value: String, delay: Duration) -> Outcome<()> {
        Ok(self.delayed.push(&value, delay).await?)
    }

    /// It has no bulk offer: from many tasks.
    async fn offer_all(&self, values: Vec<(String, Duration)>) -> Outcome<()> {
        let mut tasks = Vec::new();
        let each = values.len().div_ceil(TASKS).max(1);
        for chunk in values.chunks(each) {
            let (queue, chunk) = (self.clone(), chunk.to_vec());
            tasks.push(tokio::spawn(async move {
                for (value, delay) in chunk {
                    queue.offer(value, delay).await?;
                }
                Outcome::Ok(())
            }));
        }
        for task in tasks {
            task.await??;
        }
        Ok(())
    }

    async fn take(&self) -> Outcome<String> {
        Ok(self.target.pop_front_wait().await?)
    }

    async fn take_many(&self, max: usize) -> Outcome<usize> {
        Ok(self.target.pop_front_many(max).await?.len())
    }

    async fn call(&self, call: &str, _member: Vec<u8>, value: String) -> Outcome<()> {
        let delay = Duration::from_millis(rand::random_range(3_600_000..7_200_000));
        match call {
            "offer" => self.delayed.push(&value, delay).await?,
            "remove" => drop(self.delayed.remove(&value).await?),
            "contains" => drop(self.delayed.contains(&value).await?),
            _ => return unsupported(),
        }
        Ok(())
    }
}

const TASKS: usize = 1_000;
