//! A real Redis and the simulated one, which get the same commands at the same time.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use sim::{Server, SessionId};
use testbed::{HeldClock, Settings};

use crate::{
    frame::{command, show, size, texts},
    values::Values,
};

/// Both servers, and who is connected to both.
#[derive(Debug)]
pub(crate) struct Pair {
    _server: testbed::Server,
    clock: HeldClock,
    pub(crate) now_us: i64,
    real: Vec<Connection>,
    pub(crate) model: Server,
    sessions: Vec<SessionId>,
    /// The last commands.
    log: Vec<String>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// A connection to both servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Role {
    /// Sees and changes the servers themselves.
    Operator,
    /// Speaks RESP2.
    Old,
    /// Speaks RESP3.
    New,
    /// Hears messages and invalidations.
    Listener,
}

const ROLES: [Role; 4] = [Role::Operator, Role::Old, Role::New, Role::Listener];
pub(crate) const CHANNELS: [&str; 2] = ["moved", "channel"];

/// Everything that a database holds, in an order of its own.
const DUMP: &str = "
local keys, all = redis.call('KEYS', '*'), {}
table.sort(keys)
for _, key in ipairs(keys) do
  local held, value = redis.call('TYPE', key).ok, nil
  if held == 'string' then
    value = redis.call('GET', key)
  elseif held == 'list' then
    value = redis.call('LRANGE', key, 0, -1)
  elseif held == 'zset' then
    value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  else
    local flat, fields = redis.call('HGETALL', key), {}
    value = {}
    for at = 1, #flat, 2 do
      fields[#fields + 1], value[flat[at]] = flat[at], flat[at + 1]
    end
    table.sort(fields)
    for at, field in ipairs(fields) do
      fields[at] = { field, value[field] }
    end
    value = fields
  end
  if key ~= ARGV[1] then
    all[#all + 1] = { key, held, redis.call('PTTL', key), value }
  end
end
return all";

impl Pair {
    pub(crate) fn start(now_us: i64) -> Self {
        let clock = HeldClock::at(now_us);
        let server = testbed::Server::with(&Settings::new().clock(&clock));
        let connect = |_| {
            let stream = TcpStream::connect(server.address()).unwrap();
            stream.set_nodelay(true).unwrap();
            Connection {
                stream,
                received: Vec::new(),
            }
        };
        let real = ROLES.iter().map(connect).collect();
        let mut pair = Self {
            _server: server,
            clock,
            now_us,
            real,
            model: Server::new(),
            sessions: Vec::new(),
            log: Vec::new(),
        };
        pair.sessions = ROLES.iter().map(|_| pair.model.connect()).collect();
        pair.set_clock(now_us);
        for role in [Role::New, Role::Listener] {
            pair.send(role, &command(&["HELLO", "3"]));
            pair.real[role as usize].frame();
            pair.model.take_output(pair.sessions[role as usize]);
        }
        pair.run(
            Role::Listener,
            &["CLIENT", "TRACKING", "ON", "OPTIN", "NOLOOP"],
        );
        for channel in CHANNELS {
            pair.run(Role::Listener, &["SUBSCRIBE", channel]);
        }
        pair
    }

    pub(crate) fn set_clock(&mut self, now_us: i64) {
        self.now_us = now_us;
        self.clock.set(now_us);
        self.model.set_clock(now_us);
    }

    /// Forgets what earlier sequences did.
    pub(crate) fn begin(&mut self) {
        self.log.clear();
        self.real_only(&["CONFIG", "SET", "maxmemory", "0"]);
        self.real_only(&["REPLICAOF", "NO", "ONE"]);
        *self.model.condition() = sim::Condition::default();
        self.run(Role::Operator, &["FLUSHALL"]);
        self.settle();
    }

    /// Runs a command on the real server, which the simulated one needs no command for.
    pub(crate) fn real_only(&mut self, words: &[&str]) {
        self.log.push(format!("real only: {words:?}"));
        let operator = &mut self.real[Role::Operator as usize];
        operator.stream.write_all(&command(words)).unwrap();
        let reply = operator.frame();
        assert!(!reply.starts_with(b"-"), "{words:?}: {}", show(&reply));
    }

    /// Runs a script on both, which changes nothing if its reply is an error.
    pub(crate) fn run_script<T: AsRef<[u8]>>(&mut self, role: Role, words: &[T]) {
        let before = self.dump();
        let reply = self.run(role, words);
        // Some arguments here are worse than those that a client sends, and fail with ERR.
        let is_refusal = reply.starts_with(b"-") && !reply.starts_with(b"-ERR");
        if is_refusal && before != self.dump() {
            let last = self.log.last().unwrap();
            panic!("{}, and yet it changed something: {last}", show(&reply));
        }
    }

    /// Runs a command on both, and compares the replies. Returns the reply.
    ///
    /// # Panics
    ///
    /// If they answer differently.
    pub(crate) fn run<T: AsRef<[u8]>>(&mut self, role: Role, words: &[T]) -> Vec<u8> {
        let sent = command(words);
        let words: Vec<String> = words.iter().map(|it| brief(it.as_ref())).collect();
        self.log
            .push(format!("{role:?} at {}: {}", self.now_us, words.join(" ")));
        self.send(role, &sent);
        let mut real = self.real[role as usize].frame();
        let mut model = self.model.take_output(self.sessions[role as usize]);
        // It goes through a table, whose order Lua leaves open.
        if words.get(1).is_some_and(|it| it.starts_with("sift")) {
            real = sorted(&real);
            model = sorted(&model);
        }
        self.compare("reply", &real, &model);
        real
    }

    /// Sends both a command to which there is no reply yet, as the `waiting`th of its kind.
    pub(crate) fn wait(&mut self, role: Role, words: &[&str], waiting: usize) {
        self.log.push(format!("{role:?} waits: {words:?}"));
        self.send(role, &command(words));
        let is_waiting = format!("blocked_clients:{waiting}\r\n");
        let operator = &mut self.real[Role::Operator as usize];
        loop {
            let info = command(&["INFO", "clients"]);
            operator.stream.write_all(&info).unwrap();
            if String::from_utf8_lossy(&operator.frame()).contains(&is_waiting) {
                break;
            }
        }
    }

    /// Compares what came for a command that had to wait.
    pub(crate) fn compare_waited(&mut self, role: Role) {
        let real = self.real[role as usize].frame();
        let model = self.model.take_output(self.sessions[role as usize]);
        self.compare("reply", &real, &model);
    }

    /// Compares what the listener heard, and everything that the servers hold.
    pub(crate) fn compare_rest(&mut self) {
        // Redis takes a key out whose time is over once somebody asks for it, or when it comes to it. One that it has
        // not taken out yet would be there again if the clock goes back.
        let exists = [b"EXISTS".to_vec()].into_iter().chain(Values::keys());
        self.run(Role::Operator, &Vec::from_iter(exists));
        self.log.pop();
        self.run(Role::Operator, &["EVAL", DUMP, "0"]);
        self.log.pop();
        let (real, model) = self.settle();
        self.compare("messages", &real, &model);
    }

    /// What a command returns, asked of the simulated server alone.
    pub(crate) fn look<T: AsRef<[u8]>>(&mut self, words: &[T]) -> Vec<Vec<u8>> {
        texts(&self.ask(Role::Operator, words))
    }

    /// The reply of the simulated server alone.
    pub(crate) fn ask<T: AsRef<[u8]>>(&mut self, role: Role, words: &[T]) -> Vec<u8> {
        let session = self.sessions[role as usize];
        self.model.receive(session, &command(words));
        self.model.take_output(session)
    }

    /// Everything that the simulated server holds.
    pub(crate) fn dump(&mut self) -> Vec<Vec<u8>> {
        self.dump_without(b"")
    }

    /// The same, but for a key.
    pub(crate) fn dump_without(&mut self, key: &[u8]) -> Vec<Vec<u8>> {
        self.look(&[b"EVAL", DUMP.as_bytes(), b"0", key])
    }

    fn send(&mut self, role: Role, sent: &[u8]) {
        self.real[role as usize].stream.write_all(sent).unwrap();
        self.model.receive(self.sessions[role as usize], sent);
    }

    /// What the listener heard on either side, sorted.
    fn settle(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.send(Role::Listener, &command(&["PING"]));
        let listener = &mut self.real[Role::Listener as usize];
        let mut real = Vec::new();
        loop {
            let frame = listener.frame();
            if frame == b"+PONG\r\n" {
                break;
            }
            real.push(frame);
        }
        let mut output = self
            .model
            .take_output(self.sessions[Role::Listener as usize]);
        let mut model = Vec::new();
        while let Some(size) = size(&output) {
            let frame: Vec<u8> = output.drain(..size).collect();
            if frame != b"+PONG\r\n" {
                model.push(frame);
            }
        }
        real.sort();
        model.sort();
        (real.concat(), model.concat())
    }

    fn compare(&self, what: &str, real: &[u8], model: &[u8]) {
        if real == model {
            return;
        }
        let at = real
            .iter()
            .zip(model)
            .take_while(|(one, other)| one == other)
            .count();
        let from = at.saturating_sub(80);
        let last = &self.log[self.log.len().saturating_sub(12)..];
        panic!(
            "{what} differs at byte {at} after\n  {}\nreal:      {}\nsimulated: {}",
            last.join("\n  "),
            show(&real[from..]),
            show(&model[from..]),
        );
    }
}

/// The lines of a reply, sorted.
fn sorted(reply: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = reply.split_inclusive(|it| *it == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

/// A word of a command. Of a script, its name, which stands in front of its own part.
fn brief(word: &[u8]) -> String {
    let text = word.escape_ascii().to_string();
    match text.rsplit_once("-- ").filter(|_| word.starts_with(b"-- ")) {
        Some((_, part)) => part.split("\\n").next().unwrap_or_default().to_owned(),
        None if text.is_empty() => "''".to_owned(),
        None => text,
    }
}

impl Connection {
    /// The next reply or message.
    fn frame(&mut self) -> Vec<u8> {
        loop {
            if let Some(size) = Some(&self.received)
                .filter(|it| !it.is_empty())
                .and_then(|it| size(it))
            {
                return self.received.drain(..size).collect();
            }
            let mut buffer = [0; 65536];
            let count = self.stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the server closed the connection");
            self.received.extend_from_slice(&buffer[..count]);
        }
    }
}
