//! A process that is measured, as the driver sees it.

use std::{str::FromStr, time::Duration};

use interop::peer::{Peer, Reply};

use crate::{Result, contender::Contender, usage};

pub(crate) struct Worker {
    pub(crate) contender: Contender,
    peer: Peer,
}

/// How many elements in which time, as the process measured it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) count: usize,
    pub(crate) time: Duration,
}

impl Rate {
    pub(crate) fn per_second(self) -> f64 {
        self.count as f64 / self.time.as_secs_f64()
    }
}

/// An element in the hands of a consumer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) number: usize,
    /// Since the Unix epoch.
    pub(crate) micros: u64,
}

impl Worker {
    pub(crate) fn new(contender: Contender, mut peer: Peer) -> Self {
        peer.set_deadline(DEADLINE);
        Self { contender, peer }
    }

    /// A command that answers with nothing.
    pub(crate) fn done(&mut self, command: &str) -> Result<()> {
        match self.peer.send(command) {
            Reply::Ok(rest) if rest.is_empty() => Ok(()),
            reply => Err(self.unexpected(command, &reply)),
        }
    }

    pub(crate) fn rate(&mut self, command: &str) -> Result<Rate> {
        let rate = self.numbers(command)?;
        let [count, micros] = rate.ok_or("unsupported")?[..] else {
            return Err(format!("{} replied no rate to {command}", self.contender).into());
        };
        Ok(Rate {
            count: usize::try_from(count)?,
            time: Duration::from_micros(micros),
        })
    }

    /// How long each call took; none if the library has no such call.
    pub(crate) fn times(&mut self, command: &str) -> Result<Option<Vec<Duration>>> {
        let times = self.numbers(command)?;
        Ok(times.map(|times| times.into_iter().map(Duration::from_micros).collect()))
    }

    /// The moment that a command answers with, in us since the Unix epoch.
    pub(crate) fn moment(&mut self, command: &str) -> Result<u64> {
        let moment = self.numbers(command)?;
        let [micros] = moment.ok_or("unsupported")?[..] else {
            return Err(format!("{} replied no moment to {command}", self.contender).into());
        };
        Ok(micros)
    }

    /// Begins a command that [`arrivals`](Self::arrivals) ends.
    pub(crate) fn start(&mut self, command: &str) {
        self.peer.start(command);
    }

    pub(crate) fn arrivals(&mut self) -> Result<Vec<Arrival>> {
        let reply = self.peer.finish();
        let Reply::Ok(rest) = &reply else {
            return Err(self.unexpected("collect", &reply));
        };
        let arrival = |token: &str| {
            let (number, micros) = token.split_once(':')?;
            Some(Arrival {
                number: number.parse().ok()?,
                micros: micros.parse().ok()?,
            })
        };
        let arrivals: Option<Vec<_>> = rest.split(' ').map(arrival).collect();
        Ok(arrivals.ok_or("not an arrival")?)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.peer.process_id()
    }

    /// The memory of the process that is in use, in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        usage::memory(self.peer.process_id())
    }

    fn numbers(&mut self, command: &str) -> Result<Option<Vec<u64>>> {
        match self.peer.send(command) {
            Reply::Ok(rest) => {
                let numbers: std::result::Result<Vec<u64>, _> =
                    rest.split_terminator(' ').map(u64::from_str).collect();
                Ok(Some(numbers?))
            }
            Reply::Err(message) if message == "unsupported" => Ok(None),
            reply => Err(self.unexpected(command, &reply)),
        }
    }

    fn unexpected(&self, command: &str, reply: &Reply) -> Box<dyn std::error::Error> {
        let command: String = command.chars().take(60).collect();
        format!("{} replied {reply:?} to {command}", self.contender).into()
    }
}

/// For what is slow and not stuck.
const DEADLINE: Duration = Duration::from_secs(180);
