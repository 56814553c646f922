//! What an operator should look at first when no connection can be made.

use std::error::Error;
use std::io;
use std::sync::Arc;

use redis::{ErrorKind, RedisError};

/// The likely reason. Never what the error says itself, which is printed behind it.
///
/// The driver has one kind for many errors, and its words are not to be relied on: what they choose
/// here is a hint alone.
pub(super) fn likely(error: &RedisError) -> &'static str {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::InvalidClientConfig => of_settings(&text),
        ErrorKind::Client if text.contains("CryptoProvider") => NO_PROVIDER,
        ErrorKind::Client => "the attempt was broken off",
        ErrorKind::Parse => "whatever answers there is no redis",
        ErrorKind::Io => of_socket(error, &text),
        _ if text.contains("max number of clients") => "it has as many clients as it takes",
        _ if text.contains("DB index") => "it has no database of that number",
        _ if text.contains("SELECT is not allowed") => "a cluster has no database but 0",
        _ if error.code() == Some("DENIED") => "it lets in nobody from other machines",
        _ => "it refuses the handshake, as a sentinel or a redis before 6.0 does",
    }
}

const NO_PROVIDER: &str = "rustls has no crypto provider; install one as the process's default";

fn of_settings(text: &str) -> &'static str {
    if text.contains("TLS") && text.contains("feature") {
        "this build has no tls; switch on a tls feature of the redis crate"
    } else if text.contains("crypto provider") {
        NO_PROVIDER
    } else if text.contains("insecure") {
        "unchecked tls takes the feature tls-rustls-insecure of the redis crate"
    } else if text.contains("TLS") {
        "the certificate or key of this client is of no use"
    } else if text.contains("address") {
        "the host name is wrong"
    } else {
        "it should read redis://[user:password@]host[:port][/database]"
    }
}

fn of_socket(error: &RedisError, text: &str) -> &'static str {
    match io_kind(error) {
        _ if text.contains("certificate") => {
            "its certificate is not trusted, has expired or is for another name"
        }
        Some(io::ErrorKind::ConnectionRefused) => "nothing listens there",
        Some(io::ErrorKind::InvalidData) => "it speaks no tls, or none that this client knows",
        Some(io::ErrorKind::NotFound) => "no socket has that path",
        Some(io::ErrorKind::PermissionDenied) => "this process may not connect there",
        _ if error.is_timeout() => "no answer came in time",
        _ if error.is_connection_dropped() => {
            "it hangs up, as a full server, a proxy without one or a port for tls does"
        }
        _ => "the host name is wrong or the network is down",
    }
}

/// The kind that the operating system, or who encrypts, gave the error.
fn io_kind(error: &RedisError) -> Option<io::ErrorKind> {
    // The driver holds it so.
    let held = error
        .source()?
        .downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    Some(held.downcast_ref::<io::Error>()?.kind())
}

#[cfg(test)]
mod tests {
    use redis::ServerErrorKind;

    use super::*;

    fn of_io(kind: io::ErrorKind, text: &str) -> &'static str {
        likely(&io::Error::new(kind, text.to_owned()).into())
    }

    /// As rustls and OpenSSL word it.
    #[test]
    fn what_is_wrong_with_tls_is_said() {
        for untrusted in [
            "invalid peer certificate: UnknownIssuer",
            "error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify \
             failed:../ssl/statem/statem_clnt.c:1889: (self-signed certificate)",
        ] {
            assert!(of_io(io::ErrorKind::InvalidData, untrusted).contains("not trusted"));
        }
        let plain = "received corrupt message of type InvalidContentType";
        assert!(of_io(io::ErrorKind::InvalidData, plain).contains("speaks no tls"));

        let panic = "Call CryptoProvider::install_default() before this point";
        let panic = (ErrorKind::Client, "the driver panicked", panic.to_owned());
        assert_eq!(likely(&panic.into()), NO_PROVIDER);
        let missing = "No crypto provider available for rustls";
        let missing = (ErrorKind::InvalidClientConfig, missing);
        assert_eq!(likely(&missing.into()), NO_PROVIDER);
    }

    #[test]
    fn a_full_server_says_so_if_its_answer_comes_before_the_end() {
        let full = "max number of clients reached".to_owned();
        let full = (
            ServerErrorKind::ResponseError.into(),
            "response error",
            full,
        );
        assert!(likely(&full.into()).contains("as many clients"));
    }

    #[test]
    fn what_the_system_says_of_a_socket_is_told_apart() {
        use io::ErrorKind::{ConnectionRefused, NotFound, Other, PermissionDenied, TimedOut};
        let kinds = [
            ConnectionRefused,
            NotFound,
            PermissionDenied,
            TimedOut,
            Other,
        ];
        let mut reasons: Vec<_> = kinds.map(|kind| of_io(kind, "no")).into();
        reasons.sort_unstable();
        reasons.dedup();
        assert_eq!(reasons.len(), kinds.len(), "{reasons:?}");
    }
}
