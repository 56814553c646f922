//! Why a connection could not be made: what an operator should check first.

use std::error::Error;
use std::io;
use std::sync::Arc;

use redis::{ErrorKind, RedisError};

use super::Unreachable;

/// The likely reason. It never repeats the error's own text, which is printed after it.
///
/// Errors of this crate say it themselves. The driver has one kind for many errors, so for those
/// this looks for words in the text, too. The driver may change its words, so the result is only a
/// hint.
pub(super) fn likely(error: &RedisError) -> &'static str {
    if let Some(own) = Unreachable::of(error) {
        return own.advice();
    }
    let text = error.to_string();
    match error.kind() {
        ErrorKind::InvalidClientConfig => of_settings(&text),
        ErrorKind::ClusterConnectionNotFound => "it has no slots of a cluster",
        ErrorKind::Client if text.contains("CryptoProvider") => NO_PROVIDER,
        ErrorKind::Client => "the attempt was cut off",
        ErrorKind::Parse => "the server there is not redis",
        ErrorKind::Io => of_socket(error, &text),
        _ if error.code() == Some("BUSY") => {
            "a script keeps it busy; it answers when that has ended, or after SCRIPT KILL"
        }
        _ if error.code() == Some("LOADING") => {
            "it is loading its data; it answers when that is done"
        }
        _ if text.contains("max number of clients") => "it has reached its limit of clients",
        _ if text.contains("DB index") => "it has no database with that number",
        _ if text.contains("SELECT is not allowed") => advice::DATABASE,
        _ if error.code() == Some("DENIED") => "it accepts clients from its own machine only",
        _ if text.contains("'SENTINEL'") => {
            "it is no sentinel; write redis:// for a server, redis+cluster:// for a cluster"
        }
        _ if text.contains("'CLUSTER'") => {
            "it is no node of a cluster; it may be a sentinel (redis+sentinel://host:port/master)"
        }
        _ => "it refused the handshake; it may be a sentinel or a redis before 6.0",
    }
}

const NO_PROVIDER: &str = "rustls has no crypto provider; install one as the process's default";

/// What to do about settings that cannot be used.
#[allow(dead_code, reason = "which are used depends on the features")]
pub(crate) mod advice {
    pub(crate) const ENABLE_TLS: &str =
        "this build has no tls; enable the feature tls-rustls or tls-native-tls of this crate";
    pub(crate) const URL: &str = "an address looks like \
        redis://[user:password@]host[:port][/database], redis+cluster://…, redis+sentinel://…, with \
        rediss for tls, or unix:///path; a password with special characters belongs into \
        ClientBuilder::credentials";
    pub(crate) const CLUSTER_URL: &str =
        "write redis+cluster://host:port,host:port, or rediss+cluster:// with tls";
    pub(crate) const SENTINEL_URL: &str =
        "write redis+sentinel://host:port,host:port/master, or rediss+sentinel:// with tls";
    pub(crate) const MASTER: &str =
        "name the master: redis+sentinel://host:port,host:port/master[/database]";
    pub(crate) const QUERY: &str = "only `protocol` is read behind the question mark; \
        a database stands behind the slash: redis://host:6379/3";
    pub(crate) const UNIX_QUERY: &str =
        "only `db`, `user`, `pass` and `protocol` are read behind the question mark of unix://";
    pub(crate) const DATABASE: &str = "a cluster has only database 0";
    pub(crate) const SERVERS: &str = "several servers are nodes of a cluster \
        (redis+cluster://) or sentinels of one master (redis+sentinel://)";
    pub(crate) const LOGINS: &str =
        "the addresses differ in user, password or database; give all of them the same";
    pub(crate) const NO_SERVER: &str = "the list of servers is empty";
    pub(crate) const TLS_URL: &str = "certificates need an address with tls: rediss://…, \
        rediss+cluster://… or rediss+sentinel://…";
    pub(crate) const ROOT_CERTIFICATE: &str =
        "Tls::root_certificate needs a certificate in PEM form";
    pub(crate) const CLIENT_CERTIFICATE: &str =
        "Tls::client_certificate needs a certificate and its key in PEM form";
}

/// The driver's complaint about settings that it finds only when it connects.
fn of_settings(text: &str) -> &'static str {
    if text.contains("crypto provider") {
        NO_PROVIDER
    } else if text.contains("TLS parameters") {
        "this client's own certificate and key do not belong together"
    } else if text.contains("TLS") {
        advice::ENABLE_TLS
    } else if text.contains("address") {
        "the host name is wrong"
    } else {
        advice::URL
    }
}

fn of_socket(error: &RedisError, text: &str) -> &'static str {
    // The alert of rustls, and that of OpenSSL.
    let wants_certificate = ["CertificateRequired", "certificate required"];
    match io_error(error).map(io::Error::kind) {
        _ if wants_certificate.iter().any(|it| text.contains(it)) => {
            "it wants a certificate of the client: Tls::client_certificate"
        }
        _ if text.contains("certificate") => {
            "its certificate is not trusted, has expired or is for another name: see Tls"
        }
        Some(io::ErrorKind::ConnectionRefused) => "nothing listens there",
        Some(io::ErrorKind::InvalidData) => {
            "it does not speak tls, or no version that this client knows"
        }
        Some(io::ErrorKind::NotFound) => "there is no socket at that path",
        Some(io::ErrorKind::PermissionDenied) => "this process has no permission to connect there",
        _ if error.is_timeout() => {
            "no answer came in time; it may be busy or frozen, or the network drops what is sent"
        }
        _ if error.is_connection_dropped() => {
            "it hung up; it may be full, expect tls, or be a proxy without a server"
        }
        _ => "the host name is wrong or the network is down",
    }
}

/// The error of the operating system, the TLS library or this crate.
pub(super) fn io_error(error: &RedisError) -> Option<&io::Error> {
    // The driver wraps the error like this.
    let held = error
        .source()?
        .downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    held.downcast_ref()
}

#[cfg(test)]
mod tests {
    use redis::ServerErrorKind;

    use super::*;
    use crate::error::Cause;

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
        for required in [
            "received fatal alert: CertificateRequired",
            "error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required",
        ] {
            let reason = of_io(io::ErrorKind::InvalidData, required);
            assert!(reason.contains("client_certificate"), "{reason}");
        }
        let plain = "received corrupt message of type InvalidContentType";
        assert!(of_io(io::ErrorKind::InvalidData, plain).contains("does not speak tls"));

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
        assert!(likely(&full.into()).contains("limit of clients"));
    }

    /// These causes pass by themselves, so the text must not blame the address.
    #[test]
    fn a_server_that_answers_later_says_why() {
        let of = |error: ServerErrorKind, text: &str| {
            let error = (error.into(), "response error", text.to_owned());
            likely(&error.into())
        };
        let loading = of(ServerErrorKind::BusyLoading, "Redis is loading the dataset");
        assert!(loading.contains("loading its data"), "{loading}");
        let silent = of_io(io::ErrorKind::TimedOut, "timed out");
        assert!(
            silent.contains("busy or frozen") && !silent.contains("tls"),
            "{silent}"
        );
    }

    /// None of them may blame the network or the name of the host.
    #[test]
    fn what_this_crate_knows_itself_is_said() {
        let answer = |detail: &str| {
            let kind = ServerErrorKind::ResponseError.into();
            Cause::of(RedisError::from((
                kind,
                "response error",
                detail.to_owned(),
            )))
        };
        let rows = [
            (
                Unreachable::NoThread(io::ErrorKind::WouldBlock.into()),
                "no further thread",
                "operation would block",
            ),
            (
                Unreachable::NotInCluster(answer("This instance has cluster support disabled")),
                "no node of a cluster",
                "cluster support disabled",
            ),
            (
                Unreachable::Provider("the vault is sealed".into()),
                "provider of credentials",
                "the vault is sealed",
            ),
            (
                Unreachable::SilentOverTls,
                "may not speak tls",
                "no answer came in time",
            ),
            (Unreachable::Replica, "it is a replica", "is a replica"),
            (Unreachable::Sentinel, "redis+sentinel://", "is a sentinel"),
            (
                Unreachable::SilentSentinel,
                "do not say where",
                "does not say where",
            ),
            (
                Unreachable::UnknownMaster(answer("No such master with that name")),
                "no master of that name",
                "No such master",
            ),
        ];
        for (obstacle, reason, text) in rows {
            let error = RedisError::from(obstacle);
            assert!(likely(&error).contains(reason), "{}", likely(&error));
            let cause = Cause::of(error).to_string();
            assert!(cause.contains(text), "{cause}");
        }
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
