//! Reading the URL of a Redis.

use redis::ConnectionInfo;
use redis::{IntoConnectionInfo, RedisError};

use super::{Address, Kind, refused, unreadable};
use crate::error::{Error, Result, advice};

/// What stands in front of `://`.
enum Scheme {
    /// The driver reads the URL.
    Plain,
    Cluster,
    Sentinel,
}

/// A URL with several servers, in parts.
struct Parts<'a> {
    /// `redis` or `rediss`.
    scheme: &'a str,
    /// `user:password@`, or nothing.
    login: &'a str,
    /// `host:port`, with commas between.
    servers: &'a str,
    /// What follows the slash.
    path: &'a str,
    /// `?name=value`, or nothing.
    query: &'a str,
}

/// Reads a URL. Its errors do not show it, because of the password.
pub(super) fn read(url: &str) -> Result<Address> {
    let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
    let scheme = &*scheme.to_ascii_lowercase();
    let address = match (scheme_of(scheme)?, rest) {
        (Scheme::Plain, _) => {
            if !scheme.contains("unix") && names_several(rest) {
                return Err(refused(advice::SERVERS));
            }
            let server = url.into_connection_info().map_err(with_hint(scheme))?;
            Address::of(Kind::Single, vec![server])
        }
        (Scheme::Cluster, rest) => cluster(&Parts::of(scheme, rest))?,
        (Scheme::Sentinel, rest) => sentinel(&Parts::of(scheme, rest))?,
    };
    let (read, advice): (&[&str], _) = match scheme.contains("unix") {
        true => (&["db", "user", "pass", "protocol"], advice::UNIX_QUERY),
        false => (&["protocol"], advice::QUERY),
    };
    if has_more_than(read, rest) {
        return Err(refused(advice));
    }
    Ok(address)
}

/// True if the driver would silently ignore a part of the URL's query.
fn has_more_than(read: &[&str], rest: &str) -> bool {
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    let mut words = query.split('&').filter(|it| !it.is_empty());
    words.any(|it| !read.contains(&it.split('=').next().unwrap_or(it)))
}

/// True if there are several servers between the login and the path.
fn names_several(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let servers = authority.rsplit('@').next().unwrap_or_default();
    servers.contains(',')
}

fn scheme_of(scheme: &str) -> Result<Scheme> {
    match scheme {
        "redis+cluster" | "rediss+cluster" => Ok(Scheme::Cluster),
        "redis+sentinel" | "rediss+sentinel" => Ok(Scheme::Sentinel),
        "redis-cluster" | "rediss-cluster" | "redis+ssl+cluster" => {
            Err(refused(advice::CLUSTER_URL))
        }
        "redis-sentinel" | "rediss-sentinel" | "sentinel" => Err(refused(advice::SENTINEL_URL)),
        _ => Ok(Scheme::Plain),
    }
}

/// Adds a hint to the driver's error.
fn with_hint(scheme: &str) -> impl FnOnce(RedisError) -> Error {
    let has_tls = cfg!(any(feature = "tls-rustls", feature = "tls-native-tls"));
    let lacks_tls = matches!(scheme, "rediss" | "valkeys") && !has_tls;
    move |error| {
        if lacks_tls {
            refused(advice::ENABLE_TLS)
        } else {
            unreadable(error)
        }
    }
}

fn cluster(parts: &Parts<'_>) -> Result<Address> {
    if !matches!(parts.path, "" | "0") {
        return Err(refused(advice::DATABASE));
    }
    Ok(Address::of(Kind::Cluster, parts.servers("", 6_379, true)?))
}

fn sentinel(parts: &Parts<'_>) -> Result<Address> {
    let (name, database) = parts.path.split_once('/').unwrap_or((parts.path, ""));
    if name.is_empty() {
        return Err(refused(advice::MASTER));
    }
    let mut master = parts.servers(database, 6_379, true)?;
    let master = master.swap_remove(0).redis_settings().clone();
    // The URL's login is that of the master.
    let sentinels = parts.servers("", 26_379, false)?;
    let name = percent_decoded(name)?;
    Ok(Address::of(Kind::Sentinel { name, master }, sentinels))
}

impl<'a> Parts<'a> {
    fn of(scheme: &'a str, rest: &'a str) -> Self {
        let (rest, query) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        // A password may hold an unescaped @.
        let (login, servers) = authority.split_at(authority.rfind('@').map_or(0, |it| it + 1));
        Self {
            scheme: scheme.split('+').next().unwrap_or(scheme),
            login,
            servers,
            path,
            query,
        }
    }

    /// The servers as the driver reads them, with this database.
    fn servers(&self, database: &str, port: u16, with_login: bool) -> Result<Vec<ConnectionInfo>> {
        let login = if with_login { self.login } else { "" };
        let server = |server: &str| {
            // The last `:` of an IPv6 address without a port is in brackets.
            let has_port = server.rfind(':') > server.rfind(']');
            let port = if has_port {
                String::new()
            } else {
                format!(":{port}")
            };
            let (scheme, query) = (self.scheme, self.query);
            let url = format!("{scheme}://{login}{server}{port}/{database}{query}");
            url.into_connection_info().map_err(with_hint(scheme))
        };
        self.servers.split(',').map(server).collect()
    }
}

/// Reads `%20` and the like.
fn percent_decoded(text: &str) -> Result<String> {
    // The driver's own crate for URLs has no function for this alone.
    let query = format!("redis://host/?name={}", text.replace('+', "%2B"));
    let url =
        ::url::Url::parse(&query).map_err(|_| refused("the name of the master is no text"))?;
    let name = url
        .query_pairs()
        .next()
        .map(|(_, value)| value.into_owned());
    Ok(name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(address: &Address) -> Vec<String> {
        address
            .servers
            .iter()
            .map(|it| it.addr().to_string())
            .collect()
    }

    fn why(url: &str) -> String {
        read(url).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn the_url_of_one_server_is_the_drivers() {
        let address = read("redis://orders:secret@redis-1:7000/3").unwrap();
        assert!(matches!(address.kind, Kind::Single));
        assert_eq!(servers(&address), ["redis-1:7000"]);
        assert_eq!(address.servers[0].redis_settings().db(), 3);
        assert!(read("unix:///run/redis.sock?db=2").is_ok());
        assert!(read("redis://redis-1?protocol=resp3").is_ok());
    }

    #[test]
    fn the_url_of_a_cluster_names_some_of_its_nodes() {
        let address = read("redis+cluster://orders:p%40ss@redis-1:7000,redis-2,[::1],[::1]:7001/");
        let address = address.unwrap();
        assert!(matches!(address.kind, Kind::Cluster));
        let all = ["redis-1:7000", "redis-2:6379", "::1:6379", "::1:7001"];
        assert_eq!(servers(&address), all);
        for server in &address.servers {
            assert_eq!(server.redis_settings().username(), Some("orders"));
            assert_eq!(server.redis_settings().password(), Some("p@ss"));
        }
        assert!(why("redis+cluster://redis-1/2").contains("database 0"));
    }

    #[test]
    fn the_url_of_sentinels_names_the_master_and_its_database() {
        let address = read("redis+sentinel://orders:secret@s-1,s-2:26380/my%20master/2").unwrap();
        assert_eq!(servers(&address), ["s-1:26379", "s-2:26380"]);
        assert_eq!(address.servers[0].redis_settings().password(), None);
        assert_eq!(address.servers[0].redis_settings().db(), 0);
        let Kind::Sentinel { name, master } = &address.kind else {
            panic!("a sentinel");
        };
        assert_eq!(name, "my master");
        assert_eq!((master.username(), master.db()), (Some("orders"), 2));
        assert!(why("redis+sentinel://s-1:26379").contains("name the master"));
    }

    #[cfg(feature = "tls-rustls")]
    #[test]
    fn two_s_mean_tls_for_every_server() {
        let address = read("rediss+cluster://redis-1,redis-2").unwrap();
        for server in &address.servers {
            assert!(matches!(
                server.addr(),
                redis::ConnectionAddr::TcpTls { .. }
            ));
        }
    }

    #[test]
    fn a_setting_in_the_query_that_nobody_reads_is_refused() {
        for url in [
            "redis://redis-1?db=3",
            "redis://redis-1?protocol=resp3&db=3",
            "redis+cluster://redis-1?timeout=2",
            "redis+sentinel://s-1/orders?db=3",
        ] {
            assert!(why(url).contains("behind the slash"), "{url}");
        }
    }

    /// A typo must not lead to another database.
    #[test]
    fn the_query_of_a_unix_socket_is_checked_too() {
        assert!(why("unix:///run/redis.sock?database=3").contains("`db`"));
        assert!(read("unix:///run/redis.sock?db=3&user=orders&pass=x").is_ok());
    }

    #[test]
    fn several_servers_need_a_scheme_that_says_what_they_are() {
        assert!(why("redis://redis-1:7000,redis-2").contains("redis+cluster://"));
        assert!(read("redis://orders:a,b@redis-1").is_ok(), "in a password");
    }

    #[test]
    fn a_scheme_may_be_in_capitals() {
        assert!(matches!(
            read("REDIS+CLUSTER://redis-1").unwrap().kind,
            Kind::Cluster
        ));
        assert!(matches!(
            read("Redis://redis-1").unwrap().kind,
            Kind::Single
        ));
    }

    #[test]
    fn a_url_that_this_crate_does_not_know_is_refused_with_one_that_it_does() {
        assert!(why("redis-sentinel://s-1/orders").contains("redis+sentinel://"));
        assert!(why("redis-cluster://redis-1").contains("redis+cluster://"));
    }
}
