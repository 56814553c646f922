//! The profile file: servers by name, and the codecs of their queues.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use serde::Deserialize;

use crate::failure::{Failure, Result};

/// What the profile file says.
///
/// ```toml
/// default = "staging"
///
/// [server.staging]
/// url = "redis://redis.staging:6379"
///
/// [server.live]
/// url = "redis+cluster://orders@redis-1:7000,redis-2:7000"
/// password-env = "REDIS_PASSWORD"    # or password-file
/// tls = { ca = "ca.crt", ca-only = false, certificate = "client.crt", key = "client.key" }
/// codec = "kryo5"
/// schema = "orders.json"             # beside this file, if not absolute
///
/// [server.live.queue.audit]
/// codec = "string"
/// ```
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profiles {
    /// The server that is meant if none is named.
    default: Option<String>,
    #[serde(default)]
    server: BTreeMap<String, Profile>,
    /// Where the paths in it begin.
    #[serde(skip)]
    folder: PathBuf,
}

/// One server.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Profile {
    pub(crate) url: String,
    /// The environment variable that has the password.
    password_env: Option<String>,
    /// The file that has the password in its first line.
    password_file: Option<PathBuf>,
    #[serde(default)]
    pub(crate) tls: Certificates,
    #[serde(flatten)]
    pub(crate) values: Values,
    /// What is different in some queues.
    #[serde(default)]
    pub(crate) queue: BTreeMap<String, Values>,
}

/// The files that TLS needs, in PEM form.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Certificates {
    pub(crate) ca: Option<PathBuf>,
    /// Whether a certificate of the authority may name any host.
    #[serde(default)]
    pub(crate) ca_only: bool,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
}

/// How values are written.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Values {
    pub(crate) codec: Option<String>,
    pub(crate) schema: Option<PathBuf>,
}

impl Profiles {
    /// Reads the file at `path`, or the user's own, which may be missing.
    pub(crate) fn load(path: Option<&Path>) -> Result<Self> {
        let (path, may_be_missing) = match path {
            Some(path) => (path.to_owned(), false),
            None => match own_path() {
                Some(path) => (path, true),
                None => return Ok(Self::default()),
            },
        };
        let text = match fs::read_to_string(&path) {
            Err(error) if may_be_missing && error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            text => text.map_err(|source| Failure::read(&path, source))?,
        };
        // The error's own text shows the line, which may have a password.
        let wrong = |error: toml::de::Error| {
            let before = error.span().and_then(|it| text.get(..it.start));
            let line = before.map_or(1, |it| it.matches('\n').count() + 1);
            Failure::usage(format!(
                "{}, line {line}: {}",
                path.display(),
                error.message()
            ))
        };
        let mut profiles: Self = toml::from_str(&text).map_err(wrong)?;
        profiles.folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(profiles)
    }

    /// The server of this name or at this URL. Without either, the default one, or the Redis of this
    /// machine.
    pub(crate) fn server(&self, server: Option<&str>) -> Result<Profile> {
        let local = "redis://127.0.0.1:6379";
        let server = server.or(self.default.as_deref()).unwrap_or(local);
        if let Some(profile) = self.server.get(server) {
            return Ok(profile.clone().in_folder(&self.folder));
        }
        if server.contains(":/") {
            return Ok(Profile::of_url(server));
        }
        let known: Vec<_> = self.server.keys().map(String::as_str).collect();
        let known = match known[..] {
            [] => "the profile file names none".to_owned(),
            _ => format!("the profile file has {}", known.join(", ")),
        };
        Err(Failure::usage(format!(
            "no server {}: {known}; an address begins with redis://",
            without_login(server)
        )))
    }
}

impl Profile {
    fn of_url(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            password_env: None,
            password_file: None,
            tls: Certificates::default(),
            values: Values::default(),
            queue: BTreeMap::new(),
        }
    }

    fn in_folder(mut self, folder: &Path) -> Self {
        let all_values = self.queue.values_mut().chain([&mut self.values]);
        let schemas = all_values.map(|it| &mut it.schema);
        let Certificates {
            ca,
            ca_only: _,
            certificate,
            key,
        } = &mut self.tls;
        let files = [ca, certificate, key, &mut self.password_file];
        for path in schemas.chain(files).flatten() {
            *path = folder.join(&*path);
        }
        self
    }

    /// The password, if it does not stand in the URL.
    pub(crate) fn password(&self) -> Result<Option<String>> {
        if self.password_env.is_some() && self.password_file.is_some() {
            return Err(Failure::usage(
                "the profile file names a password-env and a password-file: keep one of them",
            ));
        }
        if let Some(variable) = &self.password_env {
            let missing = |_| Failure::usage(format!("the variable {variable} is not set"));
            return env::var(variable).map(Some).map_err(missing);
        }
        let Some(path) = &self.password_file else {
            return Ok(None);
        };
        let text = fs::read_to_string(path).map_err(|source| Failure::read(path, source))?;
        Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
    }

    /// How the values of this queue are written.
    pub(crate) fn values_of(&self, queue: &str) -> Values {
        let own = self.queue.get(queue).cloned().unwrap_or_default();
        Values {
            codec: own.codec.or_else(|| self.values.codec.clone()),
            schema: own.schema.or_else(|| self.values.schema.clone()),
        }
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("url", &without_login(&self.url))
            .field("password_env", &self.password_env)
            .field("password_file", &self.password_file)
            .field("tls", &self.tls)
            .field("values", &self.values)
            .field("queue", &self.queue)
            .finish()
    }
}

/// An address as logs may have it: without the user and the password.
pub(crate) fn without_login(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.rsplit('@').next().unwrap_or_default().to_owned();
    };
    if scheme.contains("unix") {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_login = |it: &&str| it.starts_with("user=") || it.starts_with("pass=");
        let query: Vec<&str> = query.split('&').filter(|it| !is_login(it)).collect();
        let query = query.join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        return format!("{scheme}://{path}{mark}{query}");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let login = match authority.rfind('@') {
        // The name of a master may have one.
        None if scheme.ends_with("sentinel") => None,
        // No login has a slash, but somebody may have forgotten to write it as %2F.
        None => rest.rfind('@'),
        at => at,
    };
    let host = login.map_or(rest, |at| &rest[at + 1..]);
    format!("{scheme}://{host}")
}

/// Where the user's own profile file stands.
fn own_path() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".config"));
    let folder = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    Some(folder.or_else(home)?.join("rdq").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rest must lead to the same server.
    #[test]
    fn only_the_login_is_left_out() {
        let cases = [
            ("redis://u:p%40x@host:1/3", "redis://host:1/3"),
            ("redis://u:p@q@host", "redis://host"),
            ("redis://u:p/q@host", "redis://host"),
            (
                "redis+sentinel://u:p@s-1,s-2/my@master",
                "redis+sentinel://s-1,s-2/my@master",
            ),
            (
                "redis+sentinel://s-1/my@master",
                "redis+sentinel://s-1/my@master",
            ),
            ("unix:///run/a@b.sock", "unix:///run/a@b.sock"),
            ("unix:///r.sock?db=3&user=u&pass=p", "unix:///r.sock?db=3"),
            ("unix:///r.sock?pass=p", "unix:///r.sock"),
            ("u:p@host", "host"),
            ("live", "live"),
        ];
        for (url, left) in cases {
            assert_eq!(without_login(url), left);
        }
    }

    const FILE: &str = r#"
        default = "live"

        [server.live]
        url = "redis://redis-1"
        codec = "kryo5"
        schema = "orders.json"

        [server.live.queue.audit]
        codec = "string"
    "#;

    fn profiles() -> Profiles {
        let mut profiles: Profiles = toml::from_str(FILE).unwrap();
        profiles.folder = "/etc/rdq".into();
        profiles
    }

    #[test]
    fn a_queue_has_the_codec_of_its_server_unless_it_has_its_own() {
        let live = profiles().server(None).unwrap();
        let [orders, audit] = ["orders", "audit"].map(|queue| live.values_of(queue));
        assert_eq!(orders.codec.as_deref(), Some("kryo5"));
        assert_eq!(audit.codec.as_deref(), Some("string"));
        assert_eq!(orders.schema, Some("/etc/rdq/orders.json".into()));
    }

    #[test]
    fn a_server_may_be_named_by_its_url() {
        let profiles = profiles();
        let server = profiles.server(Some("rediss://elsewhere")).unwrap();
        assert_eq!(server.url, "rediss://elsewhere");
        let Err(Failure::Usage(reason)) = profiles.server(Some("elsewhere")) else {
            panic!("a server that nobody named");
        };
        assert!(reason.contains("the profile file has live"), "{reason}");
    }

    #[test]
    fn no_text_for_logs_has_a_password() {
        let secret = FILE.replace("redis://redis-1", "redis://user:s3cr@t@redis-1");
        let profiles: Profiles = toml::from_str(&secret).unwrap();
        let text = format!("{profiles:?} {:?}", profiles.server(None).unwrap());
        assert!(text.contains("redis://redis-1"), "{text}");
        assert!(!text.contains("s3cr") && !text.contains("user:"), "{text}");
    }

    #[test]
    fn a_word_that_the_file_misspells_is_refused() {
        let misspelt = FILE.replace("url", "uri");
        assert!(toml::from_str::<Profiles>(&misspelt).is_err());
    }
}
