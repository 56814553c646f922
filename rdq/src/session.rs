//! What a verb works with.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use redisson_delayed_queue::codec::ByteArrayCodec;
use redisson_delayed_queue::java::Schema;
use redisson_delayed_queue::{Client, ClientBuilder, Credentials, DelayedQueue, Error, Tls};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::cli::Global;
use crate::failure::{Failure, Result};
use crate::payload::{self, Payloads};
use crate::screen::{Screen, harmless};
use crate::session::profile::{Certificates, Profile, Profiles};

pub(crate) mod clock;
pub(crate) mod database;
pub(crate) mod interrupt;
pub(crate) mod profile;

/// The client, the codecs, the screen, and whether to ask.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) screen: Screen,
    /// Each task that must run to its end holds a clone of the sender.
    unfinished: (mpsc::Sender<()>, mpsc::Receiver<()>),
    profile: Profile,
    global: Global,
}

impl Session {
    /// Connects to the server that the arguments name, with these settings of the client.
    pub(crate) async fn connect_with(global: Global, settings: ClientBuilder) -> Result<Self> {
        let profile = Profiles::load(global.profiles.as_deref())?;
        let profile = profile.server(global.server.as_deref())?;
        let settings = with_timeout(settings, global.timeout);
        let settings = with_login(settings, &profile)?;
        Ok(Self {
            client: connect(settings, profile.url.as_str(), global.timeout)
                .await
                .map_err(|failure| cut_login(&profile.url).unwrap_or(failure))?,
            screen: Screen::new(global.json),
            unfinished: mpsc::channel(1),
            profile,
            global,
        })
    }

    /// Connects to another server of the same topology, with the same login and certificates.
    pub(crate) async fn beside(&self, address: &str) -> Result<Client> {
        let url = self.profile.url.as_str();
        let (scheme, rest) = url.split_once("://").unwrap_or(("redis", url));
        let scheme = if scheme.starts_with("rediss") {
            "rediss"
        } else {
            "redis"
        };
        let login = rest.split_once('@').map(|(login, _)| format!("{login}@"));
        let url = format!("{scheme}://{}{address}", login.unwrap_or_default());
        let settings = Client::builder().transfer(false).client_name(NAME);
        let settings = with_timeout(settings, self.global.timeout);
        let settings = with_login(settings, &self.profile)?;
        Ok(settings.connect(url.as_str()).await?)
    }

    /// How long to wait for an answer of a server.
    pub(crate) fn timeout(&self) -> Duration {
        self.global.timeout
    }

    /// A session of the same client, for tasks of their own. Only one of them is to be closed.
    pub(crate) fn share(&self) -> Self {
        Self {
            client: self.client.clone(),
            screen: self.screen,
            unfinished: mpsc::channel(1),
            profile: self.profile.clone(),
            global: self.global.clone(),
        }
    }

    /// The queue of this name. Its values are payloads: see [`payloads`](Self::payloads).
    pub(crate) fn queue(&self, name: &str) -> Result<DelayedQueue<Bytes>> {
        Ok(self.client.delayed_queue(name, ByteArrayCodec)?)
    }

    /// The address of the server, without credentials, or how many masters there are.
    pub(crate) fn address(&self) -> String {
        match &self.client.masters()[..] {
            [master] => master.address().to_string(),
            masters => format!("{} masters", masters.len()),
        }
    }

    /// The options by which `redis-cli` reaches a server, without credentials. Database 0 goes without
    /// saying.
    pub(crate) fn redis_cli(&self, address: &str, database: i64) -> Vec<String> {
        let is_tls = self.profile.url.starts_with("rediss");
        let number = database.to_string();
        let apart = match address.rsplit_once(':') {
            _ if address.starts_with('/') => vec!["-s", address],
            // In a URL, redis-cli takes the first colon for the end of the host.
            Some((host, port)) if host.contains(':') => {
                let host = host.trim_matches(['[', ']']);
                let tls = is_tls.then_some("--tls");
                ["-h", host, "-p", port].into_iter().chain(tls).collect()
            }
            _ => {
                let scheme = if is_tls { "rediss" } else { "redis" };
                let path = if database == 0 {
                    ""
                } else {
                    &*format!("/{number}")
                };
                return vec!["-u".to_owned(), format!("{scheme}://{address}{path}")];
            }
        };
        let database: &[&str] = if database == 0 { &[] } else { &["-n", &number] };
        let options = apart.iter().chain(database);
        options.map(|it| (*it).to_owned()).collect()
    }

    /// How payloads of this queue are shown and written.
    pub(crate) fn payloads(&self, queue: &str) -> Result<Payloads> {
        let values = self.profile.values_of(queue);
        let codec = self.global.codec.as_deref().or(values.codec.as_deref());
        let schema = self.global.schema.as_deref().or(values.schema.as_deref());
        Payloads::new(codec, schema)
    }

    /// The classes of this queue's values, if somebody described them.
    pub(crate) fn schema(&self, queue: &str) -> Result<Option<Schema>> {
        let values = self.profile.values_of(queue);
        let schema = self.global.schema.as_deref().or(values.schema.as_deref());
        schema.map(payload::read_schema).transpose()
    }

    /// The server's name in the profile file, if it was chosen by that name.
    pub(crate) fn server(&self) -> Option<&str> {
        let server = self.global.server.as_deref();
        server.filter(|it| !it.contains(":/"))
    }

    /// The time by the clock of the server that has this queue, which dates what is offered.
    pub(crate) async fn now(&self, queue: &str) -> Result<SystemTime> {
        let master = self.client.master_of(queue)?;
        Ok(UNIX_EPOCH + Duration::from_micros(clock::now_us(&master).await?))
    }

    /// Asks before something that cannot be taken back. Without a terminal, only `--yes` confirms.
    pub(crate) fn confirm(&self, question: &str) -> Result {
        if self.global.yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() {
            self.screen.note(question);
            return Err(Failure::Refused);
        }
        // Reading the answer blocks the task that would otherwise notice Ctrl-C.
        let watch = tokio::spawn(async {
            interrupt::interrupted().await;
            eprintln!();
            process::exit(Failure::Interrupted.code().into());
        });
        eprint!("{} [y/N] ", harmless(question));
        let mut answer = String::new();
        let asked = io::stderr().flush();
        let answered = asked.and_then(|()| io::stdin().lock().read_line(&mut answer));
        watch.abort();
        match answered {
            Ok(_) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => Ok(()),
            _ => Err(Failure::Refused),
        }
    }

    /// Does this work to its end, even if the verb is interrupted meanwhile: [`close`](Self::close)
    /// waits for it.
    pub(crate) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let unfinished = self.unfinished.0.clone();
        let work = tokio::spawn(async move {
            let done = work.await;
            drop(unfinished);
            done
        });
        match work.await {
            Ok(done) => done,
            // Nobody aborts the task.
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    /// Ends the client, and waits until Redis has what it gives back.
    pub(crate) async fn close(self) -> Result {
        let (own, mut unfinished) = self.unfinished;
        drop(own);
        while unfinished.recv().await.is_some() {}
        Ok(self.client.shutdown().await?)
    }
}

/// What `CLIENT LIST` calls the connections of this program.
pub(crate) const NAME: &str = "rdq-cli";

/// The settings with this timeout for all that a server may take long to do.
fn with_timeout(settings: ClientBuilder, timeout: Duration) -> ClientBuilder {
    settings.connect_timeout(timeout).response_timeout(timeout)
}

/// Connects. While a server says that it is busy or loads its data, tries again for as long as for an
/// answer.
async fn connect(settings: ClientBuilder, url: &str, patience: Duration) -> Result<Client> {
    let began = Instant::now();
    loop {
        match settings.clone().connect(url).await {
            Err(Error::Connect { source, .. })
                if ["BUSY", "LOADING"].map(Some).contains(&source.code())
                    && began.elapsed() < patience =>
            {
                sleep(BUSY_PAUSE).await;
            }
            connected => return Ok(connected?),
        }
    }
}

/// What is wrong with an address whose password ends it: the rest was taken for a path.
fn cut_login(url: &str) -> Option<Failure> {
    let (_, rest) = url.strip_prefix("redis")?.split_once("://")?;
    let (login, _) = rest.rsplit_once('@')?;
    login.contains(['/', '#', '?']).then(|| {
        Failure::usage(
            "the password in the address has characters that end it: write %40 for @, %2F for /, %23 for #, %3F \
             for ? and %25 for %, or name the password in the profile file (password-env or password-file)",
        )
    })
}

/// How long to leave a busy server alone.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// The settings with the password and the certificates of a profile.
fn with_login(mut settings: ClientBuilder, profile: &Profile) -> Result<ClientBuilder> {
    if let Some(password) = profile.password()? {
        settings = settings.credentials(Credentials::password(password));
    }
    if let Some(tls) = tls(&profile.tls)? {
        settings = settings.tls(tls);
    }
    Ok(settings)
}

fn tls(files: &Certificates) -> Result<Option<Tls>> {
    let read = |path: &Path| fs::read(path).map_err(|source| Failure::read(path, source));
    let mut tls = Tls::new();
    if let Some(ca) = &files.ca {
        tls = tls.root_certificate(read(ca)?);
    }
    match (&files.certificate, &files.key) {
        (Some(certificate), Some(key)) => {
            tls = tls.client_certificate(read(certificate)?, read(key)?);
        }
        (None, None) if files.ca.is_none() && !files.ca_only => return Ok(None),
        (None, None) => {}
        _ => return Err(Failure::usage("tls: certificate and key go together")),
    }
    Ok(Some(if files.ca_only { tls.ca_only() } else { tls }))
}
