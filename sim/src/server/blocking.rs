//! Connections that wait until a list has an entry.

use bytes::Bytes;

use super::State;
use crate::{command::Command, reply::Reply, session::SessionId};

/// The connections that wait. The one that has waited longest comes first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    sessions: Vec<(SessionId, Bytes)>,
    /// The entries that they have got since the last [`take_popped`](Self::take_popped).
    popped: Vec<Bytes>,
}

impl Waiting {
    /// Has a connection wait for the first entry of a list.
    pub(super) fn add(&mut self, id: SessionId, list: Bytes) {
        self.sessions.push((id, list));
    }

    pub(super) fn forget(&mut self, id: SessionId) {
        self.sessions.retain(|it| it.0 != id);
    }

    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.sessions.iter().map(|it| it.0).collect()
    }

    pub(super) fn take_popped(&mut self) -> Vec<Bytes> {
        std::mem::take(&mut self.popped)
    }
}

impl State {
    /// Gives those that wait what the lists have.
    pub(super) fn serve_waiting(&mut self) {
        let mut place = 0;
        while let Some((id, list)) = self.waiting.sessions.get(place).cloned() {
            let words = [Bytes::from_static(b"lpop"), list.clone()];
            let pop = Command::find(&words[0]).and_then(|it| Some((it, it.run?)));
            let Some((command, run)) = pop else {
                unreachable!("the command is there")
            };
            if let Ok(Reply::Bulk(entry)) = self.run_data(id, command, &words, run) {
                self.waiting.sessions.remove(place);
                self.waiting.popped.push(entry.clone());
                self.session(id).send(&Reply::bulks([list, entry]));
            } else {
                place += 1;
            }
        }
    }
}
