//! TLS: certificates of the user's own, and a provider of the cryptography.

use std::fmt;

use redis::{ClientTlsConfig, ConnectionAddr, ConnectionInfo, TlsCertificates};

use crate::error::{Error, Result, advice};

/// Certificates for connections with TLS (`rediss://`), in PEM form.
///
/// Without this, a client trusts the certificates that the system trusts, and shows none itself.
/// The `Debug` form shows nothing.
///
/// [`connect`](crate::ClientBuilder::connect) fails with
/// [`Error::Settings`](crate::Error::Settings) if a certificate or the key cannot be read, or if the
/// address has no TLS.
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{Client, Tls};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let tls = Tls::new()
///     .root_certificate(std::fs::read("ca.crt")?)
///     .client_certificate(std::fs::read("client.crt")?, std::fs::read("client.key")?);
/// let client = Client::builder().tls(tls).connect("rediss://redis-1:6379").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
#[must_use = "certificates do nothing until `ClientBuilder::tls`"]
pub struct Tls {
    root: Option<Vec<u8>>,
    client: Option<(Vec<u8>, Vec<u8>)>,
    ca_only: bool,
}

impl Tls {
    /// Trusts what the system trusts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts servers with a certificate that these authorities signed, and no others.
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root = Some(pem.into());
        self
    }

    /// Shows this certificate, with the certificates between it and an authority, to servers that
    /// ask for one (`tls-auth-clients`).
    pub fn client_certificate(
        mut self,
        certificate: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.client = Some((certificate.into(), key.into()));
        self
    }

    /// Accepts a certificate of a trusted authority for any host, as Redisson does with
    /// `sslVerificationMode` `CA_ONLY`. Clusters and Sentinels need it if they announce addresses
    /// that the certificates of their servers do not name.
    ///
    /// Anyone who has a certificate of the authority can then pose as the server. So name an authority
    /// of your own with [`root_certificate`](Self::root_certificate).
    pub fn ca_only(mut self) -> Self {
        self.ca_only = true;
        self
    }

    /// This server, reached with these certificates.
    fn apply(&self, server: ConnectionInfo) -> Result<ConnectionInfo> {
        if !matches!(server.addr(), ConnectionAddr::TcpTls { .. }) {
            return Err(Error::of_settings(advice::TLS_URL, None));
        }
        if self.root.as_ref().is_some_and(|it| !has_certificate(it)) {
            return Err(Error::of_settings(advice::ROOT_CERTIFICATE, None));
        }
        let client_tls = self.client_tls()?;
        let with = |client_tls| {
            let root_cert = self.root.clone();
            let certificates = TlsCertificates {
                client_tls,
                root_cert,
            };
            redis::Client::build_with_tls(server.clone(), certificates)
        };
        let refused = |advice| move |error| Error::of_settings(advice, Some(error));
        // The driver does not say which of them it cannot read.
        with(None).map_err(refused(advice::ROOT_CERTIFICATE))?;
        let client = with(client_tls).map_err(refused(advice::CLIENT_CERTIFICATE))?;
        let server = client.get_connection_info().clone();
        let mut addr = server.addr().clone();
        addr.set_danger_accept_invalid_hostnames(self.ca_only);
        Ok(server.set_addr(addr))
    }

    fn client_tls(&self) -> Result<Option<ClientTlsConfig>> {
        let Some((client_cert, client_key)) = self.client.clone() else {
            return Ok(None);
        };
        if !has_certificate(&client_cert) {
            return Err(Error::of_settings(advice::CLIENT_CERTIFICATE, None));
        }
        Ok(Some(ClientTlsConfig {
            client_cert,
            client_key,
        }))
    }
}

/// These servers, reached with the certificates that were chosen.
pub(crate) fn with_tls(
    servers: Vec<ConnectionInfo>,
    tls: Option<&Tls>,
) -> Result<Vec<ConnectionInfo>> {
    #[cfg(feature = "tls-rustls")]
    provide_cryptography();
    match tls {
        Some(tls) => servers.into_iter().map(|it| tls.apply(it)).collect(),
        None => Ok(servers),
    }
}

/// Makes sure that rustls has cryptography to use: the driver panics without.
///
/// The application's own choice stands.
#[cfg(feature = "tls-rustls")]
fn provide_cryptography() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only if another thread has just chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// False if the text has no certificate. The driver would accept it as an empty list.
fn has_certificate(pem: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
    pem.windows(BEGIN.len()).any(|window| window == BEGIN)
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}
