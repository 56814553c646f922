//! What clients send to Redis, one command after the other.

use std::{
    io::{BufRead, BufReader, ErrorKind, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::Result;

/// Counts from its start on, by `MONITOR`, which slows Redis: for little traffic only.
pub(crate) struct Monitor {
    stop: Arc<AtomicBool>,
    reader: JoinHandle<usize>,
    start: Instant,
}

/// What clients have sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Without those inside scripts and without `PING`.
    pub(crate) commands: usize,
    pub(crate) time: Duration,
}

impl Sent {
    pub(crate) fn per_second(self) -> f64 {
        self.commands as f64 / self.time.as_secs_f64()
    }
}

impl Monitor {
    pub(crate) fn start(address: &str) -> Result<Self> {
        let mut socket = TcpStream::connect(address)?;
        socket.write_all(b"MONITOR\r\n")?;
        let mut lines = BufReader::new(socket);
        let mut ok = String::new();
        lines.read_line(&mut ok)?;
        lines
            .get_ref()
            .set_read_timeout(Some(Duration::from_millis(50)))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        Ok(Self {
            reader: thread::spawn(move || count(lines, &stopped)),
            stop,
            start: Instant::now(),
        })
    }

    pub(crate) fn stop(self) -> Result<Sent> {
        let time = self.start.elapsed();
        self.stop.store(true, Ordering::Relaxed);
        let commands = self.reader.join().map_err(|_| "the monitor panicked")?;
        Ok(Sent { commands, time })
    }
}

fn count(mut lines: BufReader<TcpStream>, stopped: &AtomicBool) -> usize {
    let mut commands = 0;
    let mut line = Vec::new();
    loop {
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => return commands,
            Ok(_) => {
                commands += usize::from(is_sent(&String::from_utf8_lossy(&line)));
                line.clear();
            }
            // Half a line stays for the next time.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if stopped.load(Ordering::Relaxed) {
                    return commands;
                }
            }
            Err(_) => return commands,
        }
    }
}

/// True if a line is a command of a client: `+TIME [DB ADDRESS] "COMMAND" ...`.
fn is_sent(line: &str) -> bool {
    let Some((from, command)) = line.split_once("] \"") else {
        return false;
    };
    !from.ends_with(" lua") && !command.to_ascii_lowercase().starts_with("ping\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_do_and_pings_do_not_count() {
        assert!(is_sent("+1.2 [0 127.0.0.1:6] \"evalsha\" \"ab\"\r\n"));
        assert!(!is_sent("+1.2 [0 lua] \"zadd\" \"k\"\r\n"));
        assert!(!is_sent("+1.2 [0 127.0.0.1:6] \"PING\"\r\n"));
        assert!(!is_sent("+OK\r\n"));
    }
}
