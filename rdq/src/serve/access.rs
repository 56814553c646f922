//! Who may read and write: tokens, and the sessions of browsers that showed one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use serde::Serialize;
use subtle::ConstantTimeEq;

use super::attempts::Attempts;
use super::peer::Peer;
use super::refusal::{Answer, Refusal};

/// What the sender of a request may do. Whoever may write may also read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Right {
    Nothing,
    Read,
    Write,
}

/// A secret that gives its owner a right.
pub(crate) struct Token(Vec<u8>);

/// The tokens, and the sessions of browsers that showed one.
#[derive(Debug)]
pub(crate) struct Access {
    read: Option<Token>,
    write: Option<Token>,
    attempts: Attempts,
    /// Keyed by the value of the cookie.
    sessions: Mutex<HashMap<String, BrowserSession>>,
}

#[derive(Debug)]
struct BrowserSession {
    right: Right,
    ends: Instant,
}

impl Token {
    /// Makes a token of this text. Refuses texts that somebody could guess.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.len() < Self::SHORTEST {
            return Err(format!(
                "a token has at least {} characters, such as those of `openssl rand -hex 32`",
                Self::SHORTEST
            ));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token has only letters, digits and signs of ASCII".to_owned());
        }
        Ok(Self(text.into()))
    }

    /// Takes as long for each wrong text of the same length.
    fn is(&self, text: &str) -> bool {
        self.0.ct_eq(text.as_bytes()).into()
    }

    /// Long enough that nobody gets to it by trying.
    const SHORTEST: usize = 20;
}

impl Access {
    pub(crate) fn new(read: Option<Token>, write: Option<Token>) -> Self {
        Self {
            read,
            write,
            attempts: Attempts::default(),
            sessions: Mutex::default(),
        }
    }

    /// Whether anybody can get the right to write.
    pub(super) fn is_read_only(&self) -> bool {
        self.write.is_none()
    }

    /// What the sender of a request with these headers may do: by the token in `Authorization`, or
    /// by the cookie of a session. Refuses tokens of a peer that showed too many wrong ones.
    pub(super) fn right_of(&self, headers: &HeaderMap, peer: Peer, port: u16) -> Answer<Right> {
        let right = match (bearer(headers), cookie(headers, port)) {
            (Some(token), _) => self.right_of_token(token, peer)?,
            (None, Some(id)) => self.right_of_session(id),
            (None, None) => Right::Nothing,
        };
        let everybody = match self.read {
            Some(_) => Right::Nothing,
            None => Right::Read,
        };
        Ok(right.max(everybody))
    }

    /// Begins a session for the owner of this token. `None` if the token is wrong.
    pub(super) fn log_in(&self, token: &str, peer: Peer) -> Answer<Option<(Right, String)>> {
        let right = self.right_of_token(token, peer)?;
        if right == Right::Nothing {
            return Ok(None);
        }
        let id = rand::random::<[u8; 32]>().map(|byte| format!("{byte:02x}"));
        let id = id.concat();
        let now = Instant::now();
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.ends > now);
        let ends = now + SESSION;
        sessions.insert(id.clone(), BrowserSession { right, ends });
        Ok(Some((right, id)))
    }

    /// Ends the session of this request, if it has one.
    pub(super) fn log_out(&self, headers: &HeaderMap, port: u16) {
        if let Some(id) = cookie(headers, port) {
            self.sessions().remove(id);
        }
    }

    fn right_of_token(&self, token: &str, peer: Peer) -> Answer<Right> {
        // Without tokens there is nothing to guess.
        if self.read.is_none() && self.write.is_none() {
            return Ok(Right::Nothing);
        }
        let now = Instant::now();
        if let Some(wait) = self.attempts.wait(peer.0, now) {
            return Err(Refusal::wait(wait));
        }
        let is = |known: &Option<Token>| known.as_ref().is_some_and(|it| it.is(token));
        Ok(match (is(&self.write), is(&self.read)) {
            (true, _) => Right::Write,
            (_, true) => Right::Read,
            _ => {
                self.attempts.count(peer.0, token, now);
                Right::Nothing
            }
        })
    }

    fn right_of_session(&self, id: &str) -> Right {
        let sessions = self.sessions();
        let live = sessions.get(id).filter(|it| it.ends > Instant::now());
        live.map_or(Right::Nothing, |it| it.right)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, BrowserSession>> {
        // No code that holds the lock leaves the map half changed.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the secret out of logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// How long a session lasts. After that the browser must show the token again.
pub(super) const SESSION: Duration = Duration::from_secs(12 * 3_600);

/// The name of the cookie. Browsers send cookies to all ports of a host, so each port has its own.
pub(super) fn cookie_name(port: u16) -> String {
    format!("rdq-session-{port}")
}

/// Whether a request shows a token of its own, as scripts do. No page of another site can make a
/// browser send one.
pub(super) fn has_bearer(headers: &HeaderMap) -> bool {
    bearer(headers).is_some()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    // As HTTP says, capitals do not matter.
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookie(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = cookie_name(port);
    let cookies = headers.get_all(header::COOKIE).iter();
    let texts = cookies.filter_map(|it| it.to_str().ok());
    let mut pairs = texts
        .flat_map(|it| it.split(';'))
        .filter_map(|it| it.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 6390;
    const READ: &str = "read-read-read-read-read";
    const WRITE: &str = "write-write-write-write";
    const PEER: Peer = Peer(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    fn access(read: Option<&str>, write: Option<&str>) -> Access {
        let token = |it: &str| Token::new(it).unwrap();
        Access::new(read.map(token), write.map(token))
    }

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn a_token_gives_its_right_and_no_other() {
        let access = access(Some(READ), Some(WRITE));
        let right = |token: &str| {
            let headers = headers(header::AUTHORIZATION, &format!("bearer {token}"));
            access.right_of(&headers, PEER, PORT).unwrap()
        };
        assert_eq!(right(READ), Right::Read);
        assert_eq!(right(WRITE), Right::Write);
        assert_eq!(right(&WRITE[1..]), Right::Nothing);
        assert_eq!(right(""), Right::Nothing);
        let nothing = access.right_of(&HeaderMap::new(), PEER, PORT);
        assert_eq!(nothing.unwrap(), Right::Nothing);
    }

    #[test]
    fn everybody_reads_and_nobody_writes_without_tokens() {
        let access = access(None, None);
        let wrong = headers(header::AUTHORIZATION, &format!("Bearer {WRITE}"));
        for headers in [HeaderMap::new(), wrong] {
            let right = access.right_of(&headers, PEER, PORT);
            assert_eq!(right.unwrap(), Right::Read);
        }
        assert_eq!(access.log_in(WRITE, PEER).unwrap(), None);
    }

    #[test]
    fn a_session_lasts_until_it_is_ended() {
        let access = access(None, Some(WRITE));
        let (right, id) = access.log_in(WRITE, PEER).unwrap().unwrap();
        assert_eq!(right, Right::Write);
        let shown = format!("other=1; {}={id}", cookie_name(PORT));
        let shown = headers(header::COOKIE, &shown);
        let right = |port| access.right_of(&shown, PEER, port).unwrap();
        assert_eq!(right(PORT), Right::Write);
        // A cookie for another port is that of another server on this host.
        assert_eq!(right(PORT + 1), Right::Read);
        access.log_out(&shown, PORT);
        assert_eq!(right(PORT), Right::Read);
    }

    #[test]
    fn tokens_that_can_be_guessed_are_refused() {
        assert!(Token::new("secret").is_err());
        assert!(Token::new("with spaces in between it").is_err());
        assert_eq!(format!("{:?}", Token::new(WRITE).unwrap()), "Token(..)");
    }
}
