//! A private Redis on which the contenders take turns.

use std::time::Duration;

use redis::{Connection, FromRedisValue};
use testbed::Server;

use crate::{
    Result,
    contender::{Contender, Keys},
    monitor::Monitor,
    usage::{Spent, Usage},
    worker::Worker,
};

pub(crate) struct Stage {
    server: Server,
    /// The driver's own, which waits however long a script blocks Redis.
    pub(crate) redis: Connection,
}

impl Stage {
    pub(crate) fn start() -> Result<Self> {
        Self::on(Server::start())
    }

    pub(crate) fn on(server: Server) -> Result<Self> {
        let redis = redis::Client::open(server.url())?.get_connection()?;
        let mut stage = Self { server, redis };
        let settings = [
            ("slowlog-log-slower-than", "1000"),
            ("slowlog-max-len", "20000"),
            // A script that searches a long list may take longer than the 5 s after which Redis
            // would refuse all others.
            ("busy-reply-threshold", "600000"),
        ];
        for (name, value) in settings {
            let mut set = redis::cmd("CONFIG");
            set.arg("SET").arg(name).arg(value).exec(&mut stage.redis)?;
        }
        Ok(stage)
    }

    pub(crate) fn worker(&self, contender: Contender) -> Result<Worker> {
        contender.start(&self.url())
    }

    pub(crate) fn workers(&self, contenders: &[Contender]) -> Result<Vec<Worker>> {
        contenders.iter().map(|it| self.worker(*it)).collect()
    }

    /// Empties Redis, but for its scripts.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.query::<()>(&["FLUSHALL"])
    }

    pub(crate) fn query<T: FromRedisValue>(&mut self, command: &[&str]) -> Result<T> {
        let (name, arguments) = command.split_first().ok_or("no command")?;
        let mut command = redis::cmd(name);
        for argument in arguments {
            command.arg(argument);
        }
        Ok(command.query(&mut self.redis)?)
    }

    pub(crate) fn now_ms(&mut self) -> Result<u64> {
        let (seconds, micros): (u64, u64) = self.query(&["TIME"])?;
        Ok(seconds * 1_000 + micros / 1_000)
    }

    pub(crate) fn pending(&mut self, keys: &Keys) -> Result<usize> {
        self.query(&["ZCARD", &keys.timeouts])
    }

    /// What Redis and these processes have used so far.
    pub(crate) fn usage(&mut self, workers: &[&Worker]) -> Result<Usage> {
        let processes: Vec<u32> = workers.iter().map(|it| it.process_id()).collect();
        Usage::now(&mut self.redis, &processes)
    }

    /// What a piece of work on one process uses, beside what it returns.
    pub(crate) fn spent<T>(
        &mut self,
        worker: &mut Worker,
        work: impl FnOnce(&mut Self, &mut Worker) -> Result<T>,
    ) -> Result<(T, Spent)> {
        self.query::<()>(&["SLOWLOG", "RESET"])?;
        let before = self.usage(&[worker])?;
        let done = work(self, worker)?;
        let spent = self.usage(&[worker])?.since(&before);
        Ok((done, spent))
    }

    /// The longest command since the last [`spent`](Self::spent) began, if one took a millisecond.
    pub(crate) fn longest_command(&mut self) -> Result<Option<Duration>> {
        let log: Vec<Vec<redis::Value>> = self.query(&["SLOWLOG", "GET", "-1"])?;
        let times = log.into_iter().filter_map(|entry| match entry.get(2) {
            Some(redis::Value::Int(micros)) => u64::try_from(*micros).ok(),
            _ => None,
        });
        Ok(times.max().map(Duration::from_micros))
    }

    pub(crate) fn is_on(&self, server: &Server) -> bool {
        self.server == *server
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Counts what clients send from now on.
    pub(crate) fn monitor(&self) -> Result<Monitor> {
        Monitor::start(self.url().trim_start_matches("redis://"))
    }
}
