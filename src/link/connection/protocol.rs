//! RESP3, and RESP2 for servers and proxies that refuse it.
//!
//! Each new connection asks for RESP3, so that an upgraded server or another master is used fully as
//! soon as a socket leads there. A refusal costs one more socket and one more round trip.

use redis::{ErrorKind, ProtocolVersion, RedisError, RedisResult};

/// The same server, reached in RESP2.
pub(super) fn in_resp2(client: &redis::Client) -> RedisResult<redis::Client> {
    let info = client.get_connection_info().clone();
    let settings = info.redis_settings().clone();
    let settings = settings.set_protocol(ProtocolVersion::RESP2);
    redis::Client::open(info.set_redis_settings(settings))
}

/// True if this reply to `HELLO 3` may mean that only RESP3 is refused. False if the login failed,
/// or the server takes no client now.
pub(super) fn refuses_resp3(client: &redis::Client, error: &RedisError) -> bool {
    if error.kind() == ErrorKind::RESP3NotSupported {
        return true;
    }
    match error.code() {
        Some("WRONGPASS" | "DENIED" | "LOADING" | "BUSY" | "MASTERDOWN") | None => false,
        // A proxy that does not know `HELLO` answers so until it has seen `AUTH`.
        Some("NOAUTH") => {
            let settings = client.get_connection_info().redis_settings();
            settings.password().is_some()
        }
        Some(_) => {
            let detail = error.detail().unwrap_or_default();
            !detail.contains("max number of clients")
        }
    }
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::*;

    /// What the driver makes of this error of the server.
    fn error(line: &str) -> RedisError {
        let reply = redis::parse_redis_value(format!("-{line}\r\n").as_bytes()).unwrap();
        match reply {
            Value::ServerError(error) => error.into(),
            reply => panic!("{reply:?}"),
        }
    }

    #[test]
    fn servers_without_resp3_are_told_from_those_that_refuse_the_client() {
        let client = redis::Client::open("redis://127.0.0.1/").unwrap();
        for line in [
            "ERR unknown command 'HELLO', with args beginning with: '3' ",
            "ERR unknown command `HELLO`, with args beginning with: `3`, ",
            "NOPROTO unsupported protocol version",
            "NOPERM this user has no permissions to run the 'hello' command",
            "ERR unsupported by the proxy",
        ] {
            assert!(refuses_resp3(&client, &error(line)), "{line}");
        }
        for line in [
            "WRONGPASS invalid username-password pair or user is disabled.",
            "NOAUTH HELLO must be called with the client already authenticated",
            "ERR max number of clients reached",
            "DENIED Redis is running in protected mode",
            "LOADING Redis is loading the dataset in memory",
        ] {
            assert!(!refuses_resp3(&client, &error(line)), "{line}");
        }
        let lost = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert!(!refuses_resp3(&client, &lost.into()));
    }

    #[test]
    fn a_proxy_may_want_to_see_the_password_before_it_understands_anything() {
        let client = redis::Client::open("redis://:secret@127.0.0.1/").unwrap();
        let error = error("NOAUTH Authentication required.");
        assert!(refuses_resp3(&client, &error));
    }

    #[test]
    fn the_login_and_the_address_are_the_same_in_resp2() {
        let client = redis::Client::open("redis://user:secret@127.0.0.1:7/?protocol=resp3");
        let client = in_resp2(&client.unwrap()).unwrap();
        let info = client.get_connection_info();
        assert_eq!(info.addr().to_string(), "127.0.0.1:7");
        let settings = info.redis_settings();
        assert_eq!(settings.username(), Some("user"));
        assert_eq!(settings.password(), Some("secret"));
        assert_eq!(settings.protocol(), ProtocolVersion::RESP2);
    }
}
