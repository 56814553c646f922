//! Where peers find Redis.

use std::{path::Path, process::Command};

/// The URL of a server, a cluster or a group of Sentinels, and what a URL cannot say.
#[derive(Clone, Debug)]
pub struct Address {
    url: String,
    /// Arguments of the peers' programs.
    options: Vec<String>,
}

impl Address {
    /// A URL as a client of this crate has it.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            options: Vec::new(),
        }
    }

    /// For TLS: the file with the certificate of the CA to trust.
    #[must_use]
    pub fn ca(self, file: &Path) -> Self {
        self.option("--ca", &file.display().to_string())
    }

    /// The password that Sentinels ask for. The one in the URL is for the master.
    #[must_use]
    pub fn sentinel_password(self, password: &str) -> Self {
        self.option("--sentinel-password", password)
    }

    fn option(mut self, name: &str, value: &str) -> Self {
        self.options.extend([name.to_owned(), value.to_owned()]);
        self
    }

    pub(crate) fn append_to(&self, command: &mut Command) {
        command.arg(&self.url).args(&self.options);
    }
}

impl From<&str> for Address {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<&String> for Address {
    fn from(url: &String) -> Self {
        Self::new(url)
    }
}

impl From<&Self> for Address {
    fn from(address: &Self) -> Self {
        address.clone()
    }
}
