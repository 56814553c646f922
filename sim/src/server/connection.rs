//! Commands about a connection: who it is, what it hears, and in which protocol.

use bytes::Bytes;

use super::{State, refusal::unknown_subcommand};
use crate::{
    fault::{ErrorReply, SYNTAX},
    number::integer,
    reply::{Protocol, Reply},
    session::SessionId,
    tracking::Tracking,
};

const WRONG_PASSWORD: &str = "WRONGPASS invalid username-password pair or user is disabled.";
const DATABASES: i64 = 16;

impl State {
    pub(super) fn serve_connection(
        &mut self,
        id: SessionId,
        name: &str,
        words: &[Bytes],
    ) -> Result<Option<Reply>, ErrorReply> {
        let reply = match name {
            "acl" => self.acl(words)?,
            "auth" => {
                let (user, password) = match &words[1..] {
                    [password] => (crate::acl::Users::DEFAULT, password),
                    [user, password] => (user.clone(), password),
                    _ => return Err(SYNTAX.into()),
                };
                self.log_in(id, user, password)?;
                Reply::OK
            }
            "client" => self.client(id, words)?,
            "cluster" => self.cluster(words)?,
            "hello" => self.hello(id, words)?,
            "ping" => self.ping(id, words),
            "role" => Reply::Array(vec![
                Reply::text("master"),
                Reply::Integer(0),
                Reply::Array(vec![]),
            ]),
            "select" => {
                let database = integer(&words[1])?;
                if !(0..DATABASES).contains(&database) {
                    return Err("ERR DB index is out of range".into());
                }
                self.session(id).database = usize::try_from(database).unwrap_or_default();
                Reply::OK
            }
            "subscribe" => {
                for channel in &words[1..] {
                    self.session(id).channels.insert(channel.clone());
                    self.confirm(id, "subscribe", Reply::Bulk(channel.clone()));
                }
                return Ok(None);
            }
            _ => {
                self.unsubscribe(id, &words[1..]);
                return Ok(None);
            }
        };
        Ok(Some(reply))
    }

    fn confirm(&mut self, id: SessionId, what: &str, channel: Reply) {
        let session = self.session(id);
        let count = Reply::count(session.channels.len());
        session.push(vec![Reply::text(what), channel, count]);
    }

    fn unsubscribe(&mut self, id: SessionId, channels: &[Bytes]) {
        let all: Vec<Bytes> = self.session(id).channels.iter().cloned().collect();
        let channels = if channels.is_empty() {
            &all[..]
        } else {
            channels
        };
        for channel in channels {
            self.session(id).channels.remove(channel);
            self.confirm(id, "unsubscribe", Reply::Bulk(channel.clone()));
        }
        if channels.is_empty() {
            self.confirm(id, "unsubscribe", Reply::Null);
        }
    }

    fn ping(&mut self, id: SessionId, words: &[Bytes]) -> Reply {
        let text = words.get(1).cloned();
        if self.session(id).only_listens() {
            return Reply::bulks([Bytes::from_static(b"pong"), text.unwrap_or_default()]);
        }
        text.map_or(Reply::Status(Bytes::from_static(b"PONG")), Reply::Bulk)
    }

    fn log_in(&mut self, id: SessionId, user: Bytes, password: &Bytes) -> Result<(), ErrorReply> {
        if !self.users.is_let_in(&user, password) {
            return Err(WRONG_PASSWORD.into());
        }
        self.session(id).user = Some(user);
        Ok(())
    }

    fn hello(&mut self, id: SessionId, words: &[Bytes]) -> Result<Reply, ErrorReply> {
        let protocol = match words.get(1).map(|it| &**it) {
            None => self.session(id).protocol,
            Some(b"2") => Protocol::Resp2,
            Some(b"3") => Protocol::Resp3,
            Some(_) => return Err("NOPROTO unsupported protocol version".into()),
        };
        let mut options = words.get(2..).unwrap_or_default();
        while let [option, rest @ ..] = options {
            options = match (&*option.to_ascii_uppercase(), rest) {
                (b"AUTH", [user, password, rest @ ..]) => {
                    self.log_in(id, user.clone(), password)?;
                    rest
                }
                (b"SETNAME", [name, rest @ ..]) => {
                    self.session(id).name = name.clone();
                    rest
                }
                _ => {
                    let option = String::from_utf8_lossy(option);
                    return Err(format!("ERR Syntax error in HELLO option '{option}'").into());
                }
            };
        }
        if self.session(id).user.is_none() {
            return Err("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time".into());
        }
        self.session(id).protocol = protocol;
        let version = if protocol == Protocol::Resp2 { 2 } else { 3 };
        let role = if self.condition.is_replica {
            "replica"
        } else {
            "master"
        };
        let fields = [
            ("server", Reply::text("redis")),
            ("version", Reply::text("7.0.15")),
            ("proto", Reply::Integer(version)),
            ("id", Reply::Integer(id.0.cast_signed())),
            ("mode", Reply::text("standalone")),
            ("role", Reply::text(role)),
            ("modules", Reply::Array(vec![])),
        ];
        Ok(Reply::Map(
            fields
                .map(|(name, value)| (Reply::text(name), value))
                .into(),
        ))
    }

    fn acl(&mut self, words: &[Bytes]) -> Result<Reply, ErrorReply> {
        match (&*words[1].to_ascii_lowercase(), &words[2..]) {
            (b"setuser", [user, rules @ ..]) => {
                self.users.set(user, rules)?;
                Ok(Reply::OK)
            }
            (b"deluser", users) => {
                let removed = users.iter().filter(|it| self.users.remove(it)).count();
                Ok(Reply::count(removed))
            }
            _ => Err(unknown_subcommand("acl", &words[1])),
        }
    }

    fn client(&mut self, id: SessionId, words: &[Bytes]) -> Result<Reply, ErrorReply> {
        let session = self.session(id);
        match (&*words[1].to_ascii_lowercase(), &words[2..]) {
            (b"id", []) => Ok(Reply::Integer(id.0.cast_signed())),
            (b"setname", [name]) => {
                session.name = name.clone();
                Ok(Reply::OK)
            }
            (b"getname", []) => {
                let name = Some(session.name.clone()).filter(|it| !it.is_empty());
                Ok(Reply::bulk_or_null(name))
            }
            (b"caching", [answer]) => {
                if !session.tracking.is_on || !session.tracking.opts_in {
                    return Err("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled".into());
                }
                if !answer.eq_ignore_ascii_case(b"yes") {
                    return Err(SYNTAX.into());
                }
                session.tracking.is_caching = true;
                Ok(Reply::OK)
            }
            (b"tracking", [switch, options @ ..]) => {
                let mut tracking = Tracking {
                    is_on: switch.eq_ignore_ascii_case(b"on"),
                    ..Tracking::default()
                };
                if !tracking.is_on && !switch.eq_ignore_ascii_case(b"off") {
                    return Err(SYNTAX.into());
                }
                for option in options {
                    match &*option.to_ascii_lowercase() {
                        b"optin" => tracking.opts_in = true,
                        b"noloop" => tracking.has_no_loop = true,
                        _ => return Err(SYNTAX.into()),
                    }
                }
                session.tracking = if tracking.is_on {
                    tracking
                } else {
                    Tracking::default()
                };
                Ok(Reply::OK)
            }
            _ => Err(unknown_subcommand("client", &words[1])),
        }
    }
}
