//! How servers are configured.

use crate::{Certificates, HeldClock};

/// The configuration of a server, or of all servers of a topology.
///
/// By default a server keeps nothing on disk and asks for no password.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    directives: Vec<(String, String)>,
    password: Option<String>,
    certificates: Option<Certificates>,
    clock: Option<HeldClock>,
}

impl Settings {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line to `redis.conf`, such as `appendonly` `yes`.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.directives.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Lets the default user in only with this password, replicas included.
    #[must_use]
    pub fn password(self, password: &str) -> Self {
        self.guard(password).set("masterauth", password)
    }

    /// Adds a TLS port. Servers talk TLS with each other, too.
    ///
    /// A client needs no certificate of its own, unless `tls-auth-clients` is set to `yes`. The
    /// port without TLS stays open for the bed.
    #[must_use]
    pub fn tls(mut self, certificates: &Certificates) -> Self {
        self.certificates = Some(certificates.clone());
        let file = |path: std::path::PathBuf| format!("\"{}\"", path.display());
        self.set("tls-cert-file", &file(certificates.server_certificate()))
            .set("tls-key-file", &file(certificates.server_key()))
            .set("tls-ca-cert-file", &file(certificates.ca_certificate()))
            .set("tls-auth-clients", "no")
            .set("tls-replication", "yes")
    }

    /// Has the server show this clock.
    #[must_use]
    pub fn clock(mut self, clock: &HeldClock) -> Self {
        self.clock = Some(clock.clone());
        self
    }

    /// As [`password`](Self::password), for a Sentinel, which has no master.
    pub(crate) fn guard(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.set("requirepass", password)
    }

    /// Adds all of `more`, which wins.
    pub(crate) fn and(mut self, more: &Self) -> Self {
        self.directives.extend_from_slice(&more.directives);
        self.password = more.password.clone().or(self.password);
        self.certificates = more.certificates.clone().or(self.certificates);
        self.clock = more.clock.clone().or(self.clock);
        self
    }

    pub(crate) fn directives(&self) -> &[(String, String)] {
        &self.directives
    }

    /// The password of the default user, if there is one.
    pub(crate) fn its_password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    pub(crate) fn held_clock(&self) -> Option<&HeldClock> {
        self.clock.as_ref()
    }

    pub(crate) fn certificates(&self) -> Option<&Certificates> {
        self.certificates.as_ref()
    }
}
