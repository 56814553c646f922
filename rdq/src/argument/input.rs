//! Lines that the user gives on stdin.

use std::io::{self, BufRead, Read};
use std::thread;

use futures::stream::{self, Stream, TryStreamExt};
use tokio::sync::mpsc;

use crate::failure::{Failure, Result};

/// How many lines to read ahead.
const AHEAD: usize = 500;

/// The lines of stdin with their numbers from 1 on, as they come. Empty lines are left out.
pub(crate) fn lines() -> impl Stream<Item = Result<(u64, String)>> + Unpin {
    read(AHEAD)
}

/// These names, with those on stdin, one a line, in the place of `-`.
pub(crate) async fn named(names: &[String]) -> Result<Vec<String>> {
    let mut read = Vec::new();
    for name in names {
        match &**name {
            "-" => {
                let lines = lines().map_ok(|(_, line)| line.trim().to_owned());
                read.extend(lines.try_collect::<Vec<_>>().await?);
            }
            _ => read.push(name.trim().to_owned()),
        }
    }
    Ok(read)
}

/// As [`lines`], for lines that may be too long to be read ahead.
pub(crate) fn long_lines() -> impl Stream<Item = Result<(u64, String)>> + Unpin {
    read(1)
}

fn read(ahead: usize) -> impl Stream<Item = Result<(u64, String)>> + Unpin {
    let (sender, receiver) = mpsc::channel(ahead);
    // A thread of its own: a read that waits for a terminal must not keep Ctrl-C waiting, nor the
    // end of the program.
    thread::spawn(move || {
        for (number, line) in (1..).zip(io::stdin().lock().lines()) {
            let line = line.map(|line| (number, line)).map_err(failed);
            let is_last = line.is_err();
            if sender.blocking_send(line).is_err() || is_last {
                break;
            }
        }
    });
    let lines = stream::unfold(receiver, |mut receiver| async {
        loop {
            match receiver.recv().await? {
                Ok((_, line)) if line.trim().is_empty() => {}
                line => return Some((line, receiver)),
            }
        }
    });
    Box::pin(lines)
}

/// All of stdin.
pub(crate) async fn whole() -> Result<Vec<u8>> {
    let (sender, mut receiver) = mpsc::channel(1);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        sender.blocking_send(read.map(|_| bytes).map_err(failed))
    });
    // The thread sends before it ends.
    receiver.recv().await.unwrap_or_else(|| Ok(Vec::new()))
}

fn failed(source: io::Error) -> Failure {
    let what = "cannot read stdin".to_owned();
    Failure::Io { what, source }
}
