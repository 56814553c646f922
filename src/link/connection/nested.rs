//! Errors inside scripts, as servers report them.

use redis::{RedisError, Value};

use crate::error::DENIED_INSIDE;

/// The error that a command met inside a script. Errors of other kinds stay as they are.
///
/// Redis 7.0 and later answer with that error, but call a missing right `ERR`. Redis 6.2 wraps every
/// error, as in `ERR Error running script (call to f_…): @user_script: 7: -READONLY You can't write`.
/// There is only the text to recognise it by.
pub(super) fn unwrap(error: RedisError) -> RedisError {
    let (Some(code), Some(detail)) = (error.code(), error.detail()) else {
        return error;
    };
    if code == "ERR"
        && (detail.starts_with(DENIAL) || detail.starts_with("ACL failure in script: "))
    {
        // On a server that can tell beforehand, every script asks for its rights before it writes.
        return parse(&format!("NOPERM {detail}")).unwrap_or(error);
    }
    let is_wrapped = code == "@user_script:"
        || code == "ERR" && detail.starts_with("Error running script (call to f_");
    let text = format!("{code} {detail}");
    let inner = match text.rsplit_once("@user_script:") {
        Some((_, inner)) if is_wrapped => inner,
        _ => return error,
    };
    let Some((_line, message)) = inner.split_once(": ") else {
        return error;
    };
    let message = message.trim_start_matches('-');
    let inner = if message.starts_with(DENIAL) {
        parse(&format!("{DENIED_INSIDE} {message}"))
    } else if has_code(message) {
        parse(message)
    } else {
        None
    };
    inner.unwrap_or(error)
}

/// What the driver makes of this answer.
fn parse(answer: &str) -> Option<RedisError> {
    let reply = redis::parse_redis_value(format!("-{answer}\r\n").as_bytes());
    reply.and_then(Value::extract_error).err()
}

/// True if a message begins with a code such as `READONLY`.
fn has_code(message: &str) -> bool {
    let code = message.split(' ').next().unwrap_or_default();
    code.len() > 1 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The beginning of the answer to a command for which the user lacks a right.
const DENIAL: &str = "The user executing the script ";

#[cfg(test)]
mod tests {
    use redis::{ErrorKind, ServerErrorKind};

    use super::*;

    fn unwrapped(answer: &str) -> RedisError {
        unwrap(parse(answer).unwrap())
    }

    /// The answers are those of Redis 6.2.14, 7.0.15 and 8.0.2.
    #[test]
    fn the_error_of_a_command_is_that_of_the_script() {
        let error = unwrapped(
            "ERR Error running script (call to f_030e71cb): @user_script:28: WRONGTYPE Operation \
             against a key holding the wrong kind of value",
        );
        assert_eq!(error.code(), Some("WRONGTYPE"));
        let error = unwrapped(
            "ERR Error running script (call to f_030e71cb): @user_script:7: @user_script: 7: \
             -READONLY You can't write against a read only replica.",
        );
        assert_eq!(error.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly));
        let detail = Some("You can't write against a read only replica.");
        assert_eq!(error.detail(), detail);
        // The error of `redis.pcall`, which a script returned.
        let error = unwrapped(
            "@user_script: 342: The user executing the script can't run this command or subcommand",
        );
        assert_eq!(error.code(), Some(DENIED_INSIDE));
        for denied in [
            "ERR The user executing the script can't run this command or subcommand script: \
             ae53416e, on @user_script:10.",
            "ERR ACL failure in script: User service has no permissions to run the 'type' command \
             script: ae53416e, on @user_script:10.",
        ] {
            let denied = unwrapped(denied).kind();
            assert_eq!(denied, ErrorKind::Server(ServerErrorKind::NoPerm));
        }
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        for reply in [
            "ERR unknown command 'TIME', with args beginning with: ",
            "READONLY You can't write against a read only replica.",
            "ERR Error running script (call to f_030e71cb): @user_script:3: user_script:3: attempt \
             to index a nil value",
            "WRONGTYPE Operation against a key holding '@user_script: 3: -READONLY' ",
        ] {
            let (code, detail) = reply.split_once(' ').unwrap();
            let error = unwrapped(reply);
            assert_eq!(error.code(), Some(code));
            assert_eq!(error.detail(), Some(detail));
        }
    }
}
