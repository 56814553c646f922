//! What a peer is started with.

use std::{env, fs};

use redisson_delayed_queue::{Client, ClientBuilder, Credentials, Tls};

use crate::Result;

/// The URL of Redis, and what it does not say.
pub(crate) struct Settings {
    url: String,
    ca: Option<Vec<u8>>,
    sentinel_password: Option<String>,
}

impl Settings {
    /// Reads `URL [--ca FILE] [--sentinel-password PASSWORD]`.
    pub(crate) fn of_process() -> Result<Self> {
        let mut arguments = env::args().skip(1);
        let mut settings = Self {
            url: arguments.next().ok_or("usage: peer URL [OPTION...]")?,
            ca: None,
            sentinel_password: None,
        };
        while let (Some(option), Some(value)) = (arguments.next(), arguments.next()) {
            match option.as_str() {
                "--ca" => settings.ca = Some(fs::read(value)?),
                "--sentinel-password" => settings.sentinel_password = Some(value),
                _ => return Err(format!("no such option: {option}").into()),
            }
        }
        Ok(settings)
    }

    /// Connects a client that transfers, or not.
    pub(crate) async fn connect(&self, transfer: bool) -> Result<Client> {
        let mut builder: ClientBuilder = Client::builder().transfer(transfer);
        if let Some(ca) = &self.ca {
            builder = builder.tls(Tls::new().root_certificate(ca.clone()));
        }
        if let Some(password) = &self.sentinel_password {
            builder = builder.sentinel_credentials(Credentials::password(password));
        }
        Ok(builder.connect(&self.url).await?)
    }
}
