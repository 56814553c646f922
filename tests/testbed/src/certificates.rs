//! Certificates for TLS.

use std::{path::PathBuf, process::Command, sync::Arc};

use crate::place::Directory;

/// A CA of its own, and what it has issued: a certificate for servers on `127.0.0.1` and
/// `localhost`, and one for clients. The program `openssl` makes them.
///
/// All files are PEM, keys are PKCS #8. They go away with the last clone.
#[derive(Clone, Debug)]
pub struct Certificates(Arc<Directory>);

impl Certificates {
    /// Makes a new CA and the certificates.
    ///
    /// # Panics
    ///
    /// If there is no `openssl`, or one before 3.0.
    #[must_use]
    pub fn new() -> Self {
        let made = Self(Arc::new(Directory::new()));
        made.issue("ca", &[], "critical,CA:TRUE");
        for name in ["server", "client"] {
            made.issue(name, &["-CA", "ca.crt", "-CAkey", "ca.key"], "CA:FALSE");
        }
        made
    }

    /// Whom to trust.
    #[must_use]
    pub fn ca_certificate(&self) -> PathBuf {
        self.file("ca.crt")
    }

    /// What servers show.
    #[must_use]
    pub fn server_certificate(&self) -> PathBuf {
        self.file("server.crt")
    }

    /// The key of servers.
    #[must_use]
    pub fn server_key(&self) -> PathBuf {
        self.file("server.key")
    }

    /// What a client may show.
    #[must_use]
    pub fn client_certificate(&self) -> PathBuf {
        self.file("client.crt")
    }

    /// The key of a client.
    #[must_use]
    pub fn client_key(&self) -> PathBuf {
        self.file("client.key")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn issue(&self, name: &str, issuer: &[&str], constraints: &str) {
        let mut openssl = Command::new("openssl");
        openssl
            .current_dir(self.0.path())
            // The machine's own configuration adds extensions that contradict these.
            .env("OPENSSL_CONF", "/dev/null")
            .args(["req", "-x509", "-nodes", "-days", "30"])
            .args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
            .args(["-subj", &format!("/CN=testbed {name}")])
            .args(["-addext", &format!("basicConstraints={constraints}")])
            .args(["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
            .args([
                "-keyout",
                &format!("{name}.key"),
                "-out",
                &format!("{name}.crt"),
            ])
            .args(issuer);
        let output = openssl.output().expect("openssl is installed");
        assert!(
            output.status.success(),
            "{openssl:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

impl Default for Certificates {
    fn default() -> Self {
        Self::new()
    }
}
