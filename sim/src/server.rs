//! A server: its databases, its users, its connections, and what is wrong with it.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    acl::{Denial, Users},
    command::{Answer, Command},
    defect::Defect,
    fault::ErrorReply,
    keyspace::Keyspace,
    reply::Reply,
    request,
    script::{Host, Scripts},
    session::{Session, SessionId},
    tracking::Readers,
    work::Work,
};

mod blocking;
mod connection;
mod refusal;
pub(crate) mod slots;

/// A Redis.
#[derive(Debug)]
pub struct Server {
    scripts: Scripts,
    work: Work,
    commands: BTreeMap<String, usize>,
    state: State,
}

/// What may be wrong with a server.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// It has no memory left, and refuses what needs some.
    pub is_full: bool,
    /// It is a replica, and refuses to write.
    pub is_replica: bool,
    /// It reads its data from disk.
    pub is_loading: bool,
    /// It runs a script that does not end.
    pub is_busy: bool,
}

impl Condition {
    /// A replica leaves its memory to its master.
    fn lacks_memory(&self) -> bool {
        self.is_full && !self.is_replica
    }
}

/// Everything but the interpreter.
#[derive(Debug)]
struct State {
    databases: BTreeMap<usize, Keyspace>,
    users: Users,
    sessions: BTreeMap<SessionId, Session>,
    readers: Readers,
    waiting: blocking::Waiting,
    condition: Condition,
    /// None if it stands alone.
    slots: Option<slots::Slots>,
    /// The lists that got entries at their tails since somebody asked, each with the entries.
    pushed: Vec<(Bytes, Vec<Bytes>)>,
    /// What was published here, for the other servers of the cluster.
    published: Vec<(Bytes, Bytes)>,
    now_us: i64,
    sessions_so_far: u64,
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl Server {
    /// An empty server at the beginning of 1970.
    #[must_use]
    pub fn new() -> Self {
        Self {
            scripts: Scripts::new(),
            work: Work::default(),
            commands: BTreeMap::new(),
            state: State {
                databases: BTreeMap::new(),
                users: Users::new(),
                sessions: BTreeMap::new(),
                readers: Readers::default(),
                waiting: blocking::Waiting::default(),
                condition: Condition::default(),
                slots: None,
                pushed: Vec::new(),
                published: Vec::new(),
                now_us: 0,
                sessions_so_far: 0,
            },
        }
    }

    /// The names of the scripts that ran since somebody took these.
    pub(crate) fn take_ran(&mut self) -> Vec<String> {
        self.scripts.take_ran()
    }

    /// The names of the commands that clients have sent since somebody took these, and how many of each.
    pub fn take_commands(&mut self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.commands)
    }

    /// Notes from now on which branches of scripts run.
    pub(crate) fn watch_branches(&mut self) {
        self.scripts.watch();
    }

    /// The branches of the scripts that it knows, and whether they ran while somebody watched.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (String, bool)> {
        self.scripts.branches()
    }

    /// Takes the entries that waiting connections have got since the last call.
    pub(crate) fn take_popped(&mut self) -> Vec<Bytes> {
        self.state.waiting.take_popped()
    }

    /// Takes what came to the tails of lists since the last call: each list, with the entries.
    pub(crate) fn take_pushed(&mut self) -> Vec<(Bytes, Vec<Bytes>)> {
        std::mem::take(&mut self.state.pushed)
    }

    /// What scripts read and wrote since somebody asked.
    pub fn take_work(&mut self) -> Work {
        std::mem::take(&mut self.work)
    }

    /// Gives the scripts that it learns from now on this defect.
    pub(crate) fn set_defect(&mut self, defect: Option<&'static Defect>) {
        self.scripts.defect = defect;
    }

    /// Sets its clock, unix us. It stands still otherwise, and may go back.
    pub fn set_clock(&mut self, now_us: i64) {
        self.state.now_us = now_us;
    }

    /// What is wrong with it.
    pub fn condition(&mut self) -> &mut Condition {
        &mut self.state.condition
    }

    /// Forgets all scripts.
    pub(crate) fn flush_scripts(&mut self) {
        self.scripts.flush();
    }

    /// Makes it a replica. Returns the connections that wait for a list: Redis closes them.
    pub(crate) fn demote(&mut self) -> Vec<SessionId> {
        self.state.condition.is_replica = true;
        self.state.waiting.sessions()
    }

    /// What a database holds.
    #[must_use]
    pub fn keyspace(&self, database: usize) -> Keyspace {
        self.state
            .databases
            .get(&database)
            .cloned()
            .unwrap_or_default()
    }

    /// Replaces what a database holds, as a restart does that loses the last writes.
    pub fn set_keyspace(&mut self, database: usize, keyspace: Keyspace) {
        self.state.databases.insert(database, keyspace);
        self.state.forget_readers();
    }

    /// Accepts a connection.
    pub fn connect(&mut self) -> SessionId {
        self.state.sessions_so_far += 1;
        let id = SessionId(self.state.sessions_so_far);
        let session = Session {
            user: self.state.users.at_first(),
            ..Session::default()
        };
        self.state.sessions.insert(id, session);
        id
    }

    /// Forgets a connection.
    pub fn disconnect(&mut self, session: SessionId) {
        self.state.sessions.remove(&session);
        self.state.waiting.forget(session);
    }

    /// Runs the commands in what a client sends. The rest waits for more.
    ///
    /// # Panics
    ///
    /// If there is no such connection, or if these are not a client's bytes.
    pub fn receive(&mut self, id: SessionId, bytes: &[u8]) {
        self.state.session(id).incoming.extend_from_slice(bytes);
        while let Some(words) = request::take(&mut self.state.session(id).incoming) {
            if !words.is_empty() {
                self.run(id, &words);
            }
        }
    }

    /// What the server has to send on this connection.
    ///
    /// # Panics
    ///
    /// If there is no such connection.
    pub fn take_output(&mut self, id: SessionId) -> Vec<u8> {
        std::mem::take(&mut self.state.session(id).outgoing)
    }

    fn run(&mut self, id: SessionId, words: &[Bytes]) {
        let name = String::from_utf8_lossy(&words[0]).to_ascii_lowercase();
        *self.commands.entry(name).or_default() += 1;
        let answer = self
            .state
            .admit(id, words)
            .and_then(|command| match command.name {
                "eval" | "evalsha" => self.evaluate(id, words, command.name == "evalsha"),
                "script" => self.script(words).map(Some),
                _ => self.state.serve(id, command, words),
            });
        match answer {
            Ok(Some(reply)) => self.state.session(id).send(&reply),
            Ok(None) => {}
            Err(ErrorReply(text)) => self.state.session(id).send(&Reply::Error(text)),
        }
        self.state.serve_waiting();
        if !words[0].eq_ignore_ascii_case(b"client") {
            self.state.session(id).tracking.is_caching = false;
        }
    }

    fn evaluate(
        &mut self,
        id: SessionId,
        words: &[Bytes],
        by_sha: bool,
    ) -> Result<Option<Reply>, ErrorReply> {
        let count = crate::number::integer(&words[2])?;
        let count = usize::try_from(count).map_err(|_| "ERR Number of keys can't be negative")?;
        if count > words.len() - 3 {
            return Err("ERR Number of keys can't be greater than number of args".into());
        }
        let sha = if by_sha {
            String::from_utf8_lossy(&words[1]).to_ascii_lowercase()
        } else {
            self.scripts.load(&words[1])?
        };
        if !self.scripts.knows(&sha) {
            return Err("NOSCRIPT No matching script. Please use EVAL.".into());
        }
        let (keys, arguments) = words[3..].split_at(count);
        let mut host = InScript {
            id,
            is_full: self.state.condition.lacks_memory(),
            has_written: false,
            state: &mut self.state,
            work: &mut self.work,
        };
        Ok(Some(self.scripts.run(&sha, keys, arguments, &mut host)))
    }

    fn script(&mut self, words: &[Bytes]) -> Answer {
        match (&*words[1].to_ascii_lowercase(), &words[2..]) {
            (b"load", [text]) => Ok(Reply::text(self.scripts.load(text)?)),
            (b"exists", shas) => {
                let knows = |sha: &Bytes| self.scripts.knows(&String::from_utf8_lossy(sha));
                Ok(Reply::Array(
                    shas.iter().map(|it| Reply::yes(knows(it))).collect(),
                ))
            }
            (b"flush", _) => {
                self.scripts.flush();
                Ok(Reply::OK)
            }
            _ => Err(refusal::unknown_subcommand("script", &words[1])),
        }
    }
}

impl State {
    fn session(&mut self, id: SessionId) -> &mut Session {
        self.sessions.get_mut(&id).expect("the connection is there")
    }

    /// Runs a command that is no script. Nothing is answered to one that has sent its replies.
    fn serve(
        &mut self,
        id: SessionId,
        command: &Command,
        words: &[Bytes],
    ) -> Result<Option<Reply>, ErrorReply> {
        if let Some(run) = command.run {
            return self.run_data(id, command, words, run).map(Some);
        }
        match command.name {
            "blpop" => {
                self.waiting.add(id, words[1].clone());
                Ok(None)
            }
            "flushall" => {
                self.databases.clear();
                self.forget_readers();
                Ok(Some(Reply::OK))
            }
            "publish" => Ok(Some(Reply::count(self.publish(&words[1], &words[2])))),
            "time" => {
                let (seconds, us) = (
                    self.now_us.div_euclid(1_000_000),
                    self.now_us.rem_euclid(1_000_000),
                );
                Ok(Some(Reply::Array(vec![
                    Reply::text(seconds.to_string()),
                    Reply::text(us.to_string()),
                ])))
            }
            "wait" => Ok(Some(Reply::Integer(0))),
            _ => self.serve_connection(id, command.name, words),
        }
    }

    fn run_data(
        &mut self,
        id: SessionId,
        command: &Command,
        words: &[Bytes],
        run: fn(&mut Keyspace, &[Bytes]) -> Answer,
    ) -> Answer {
        let session = &self.sessions[&id];
        let tracks = session.tracking.applies() && !command.writes;
        let space = self.databases.entry(session.database).or_default();
        space.now_us = self.now_us;
        let keys = command.keys(words);
        // A replica waits for its master to do it.
        if !self.condition.is_replica {
            space.expire();
        }
        let expired = std::mem::take(&mut space.changed);
        let answer = run(space, words);
        let changed = std::mem::take(&mut space.changed);
        if command.name == "rpush" && answer.is_ok() {
            self.pushed.push((words[1].clone(), words[2..].to_vec()));
        }
        // Nobody's command did that, and what this one reads now is newer.
        for key in &expired {
            self.tell_readers(None, key);
        }
        for key in &changed {
            self.tell_readers(Some(id), key);
        }
        if tracks {
            for key in keys {
                self.readers.add(key, id);
            }
        }
        answer
    }

    /// Tells connections that read the key that it changed.
    fn tell_readers(&mut self, changer: Option<SessionId>, key: &Bytes) {
        for reader in self.readers.take(key) {
            let session = self.sessions.get_mut(&reader);
            let session = session.filter(|it| it.tracking.is_on);
            let session = session.filter(|it| Some(reader) != changer || !it.tracking.has_no_loop);
            if let Some(session) = session {
                session.push(vec![Reply::text("invalidate"), Reply::bulks([key.clone()])]);
            }
        }
    }

    /// Tells connections that all keys changed.
    fn forget_readers(&mut self) {
        self.readers = Readers::default();
        for session in self.sessions.values_mut().filter(|it| it.tracking.is_on) {
            session.push(vec![Reply::text("invalidate"), Reply::Null]);
        }
    }

    /// Returns how many connections to this server hear it.
    fn publish(&mut self, channel: &Bytes, message: &Bytes) -> usize {
        if self.slots.is_some() {
            self.published.push((channel.clone(), message.clone()));
        }
        self.tell_listeners(channel, message)
    }

    fn tell_listeners(&mut self, channel: &Bytes, message: &Bytes) -> usize {
        let listeners = self
            .sessions
            .values_mut()
            .filter(|it| it.channels.contains(channel));
        listeners
            .map(|it| {
                let words = [
                    Bytes::from_static(b"message"),
                    channel.clone(),
                    message.clone(),
                ];
                it.push(words.into_iter().map(Reply::Bulk).collect());
            })
            .count()
    }

    /// What the user of a connection lacks to run a command.
    fn denial(&self, id: SessionId, command: &Command, words: &[Bytes]) -> Option<Denial> {
        match &self.sessions[&id].user {
            Some(user) => self.users.denial(user, command, words),
            None => Some(Denial::Command),
        }
    }
}

/// A script that runs.
struct InScript<'a> {
    id: SessionId,
    state: &'a mut State,
    work: &'a mut Work,
    /// Memory was full when it began.
    is_full: bool,
    has_written: bool,
}

impl Host for InScript<'_> {
    fn call(&mut self, words: &[Bytes]) -> Reply {
        let answer = self.admit(words).and_then(|command| {
            self.has_written |= command.writes;
            self.state.serve(self.id, command, words)
        });
        let reply = match answer {
            Ok(reply) => reply.unwrap_or(Reply::Null),
            Err(ErrorReply(text)) => Reply::Error(text),
        };
        self.work.add(words, &reply);
        reply
    }

    fn may(&self, words: &[Bytes]) -> Option<bool> {
        let command = Command::find(&words[0])?;
        Some(self.state.denial(self.id, command, words).is_none())
    }
}
