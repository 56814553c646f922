//! How a client logs in.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use redis::{RedisConnectionInfo, RedisResult};

use crate::error::{Error, Result, Unreachable};
use crate::link::host::Host;

/// A user's name and password, for
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials). Its `Debug` form shows
/// neither.
#[derive(Clone)]
pub struct Credentials {
    user: Option<String>,
    password: String,
}

impl Credentials {
    /// The name and the password of an ACL user.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            user: Some(user.into()),
            password: password.into(),
        }
    }

    /// The password of the user that the address names, or else of the default user
    /// (`requirepass`).
    pub fn password(password: impl Into<String>) -> Self {
        Self {
            user: None,
            password: password.into(),
        }
    }

    pub(super) fn apply(&self, settings: RedisConnectionInfo) -> RedisConnectionInfo {
        let settings = settings.set_password(&self.password);
        match &self.user {
            Some(user) => settings.set_username(user),
            None => settings,
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// What a provider of credentials may fail with.
pub(crate) type ProviderError = Box<dyn std::error::Error + Send + Sync>;

/// Says at each connect how to log in.
#[derive(Clone)]
pub(crate) struct Provider(
    Arc<dyn Fn() -> BoxFuture<'static, Result<Credentials, ProviderError>> + Send + Sync>,
);

impl Provider {
    pub(crate) fn fixed(credentials: Credentials) -> Self {
        Self(Arc::new(move || ready(Ok(credentials.clone())).boxed()))
    }

    /// Asks the application.
    pub(crate) fn new<P, F>(provider: P) -> Self
    where
        P: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<Credentials, ProviderError>> + Send + 'static,
    {
        Self(Arc::new(move || provider().boxed()))
    }
}

/// How to reach a server and log in to it, apart from what its address says.
#[derive(Clone)]
pub(crate) struct Access {
    /// How `CLIENT LIST` names the client.
    pub(crate) client_name: Arc<str>,
    pub(crate) host: Host,
    /// Replaces the login that stands in the address.
    pub(crate) login: Option<Provider>,
    /// The same for sentinels.
    pub(crate) sentinels: Option<Provider>,
    #[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
    pub(crate) tls: Option<crate::link::tls::Tls>,
}

impl Access {
    /// Fails unless Redis takes the client's name.
    pub(crate) fn check_client_name(&self) -> Result<()> {
        let name = &*self.client_name;
        // The rule of `CLIENT SETNAME`.
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::ClientName {
                name: name.to_owned(),
            });
        }
        Ok(())
    }

    pub(crate) fn of_sentinels(&self) -> Self {
        Self {
            host: self.host.clone(),
            login: self.sentinels.clone(),
            ..Self::default()
        }
    }

    /// These settings with the login that is valid now.
    pub(crate) async fn log_in(
        &self,
        settings: RedisConnectionInfo,
    ) -> RedisResult<RedisConnectionInfo> {
        let Some(Provider(login)) = &self.login else {
            return Ok(settings);
        };
        // A panic must not end the task that asks: some of them are never started again.
        let asked = AssertUnwindSafe(async { login().await }).catch_unwind();
        match asked.await {
            Ok(Ok(credentials)) => Ok(credentials.apply(settings)),
            Ok(Err(error)) => Err(Unreachable::Provider(error).into()),
            Err(_) => Err(Unreachable::Provider("the provider panicked".into()).into()),
        }
    }
}

impl Default for Access {
    fn default() -> Self {
        Self {
            client_name: "rdq".into(),
            host: Host::default(),
            login: None,
            sentinels: None,
            #[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
            tls: None,
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_provider_that_panics_is_one_that_fails() {
        let at_once = || -> futures::future::Pending<_> { panic!("on purpose") };
        let later = || async { panic!("on purpose") };
        for provider in [Provider::new(at_once), Provider::new(later)] {
            let access = Access {
                login: Some(provider),
                ..Access::default()
            };
            let refused = access.log_in(RedisConnectionInfo::default()).await;
            let obstacle = Unreachable::of(&refused.unwrap_err()).map(ToString::to_string);
            assert_eq!(obstacle.as_deref(), Some("the provider panicked"));
        }
    }
}
