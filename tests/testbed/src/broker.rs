//! One RabbitMQ.

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::TcpStream,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::place::{Directory, Port};
use crate::signal::signal;
use crate::until;

/// A RabbitMQ on ports of its own, as Debian's package `rabbitmq-server` installs it.
///
/// It is killed when dropped, frozen or not.
#[derive(Debug)]
pub struct Broker {
    port: Port,
    /// The port of the node, which talks to nobody.
    distribution: Port,
    /// The port of the daemon that knows the ports of Erlang's nodes.
    names: Port,
    directory: Directory,
    daemon: Child,
    running: Mutex<Option<Child>>,
}

impl Broker {
    /// The most bytes of a message that it takes.
    pub const MAX_MESSAGE: usize = 1_000_000;

    /// Starts a RabbitMQ without exchanges and queues, and waits until it answers.
    ///
    /// # Panics
    ///
    /// If it is not installed, or does not start.
    #[must_use]
    pub fn start() -> Self {
        let names = Port::free();
        let daemon = Command::new("epmd")
            .args(["-port", &names.number.to_string()])
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .stderr(Stdio::null())
            .spawn()
            .expect("epmd starts, try `apt-get install rabbitmq-server`");
        let broker = Self {
            port: Port::free(),
            distribution: Port::free(),
            names,
            directory: Directory::new(),
            daemon,
            running: Mutex::new(None),
        };
        broker.configure();
        broker.restart();
        broker
    }

    /// `amqp://127.0.0.1` and the port, with the virtual host `/`.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_at(self.port())
    }

    /// As [`url`](Self::url), by way of another port.
    #[must_use]
    pub fn url_at(&self, port: u16) -> String {
        format!("amqp://127.0.0.1:{port}/%2f")
    }

    /// The port for clients. It stays the same after a restart.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.number
    }

    /// Kills it at once (SIGKILL). Does nothing if it is dead.
    pub fn kill(&self) {
        if let Some(mut running) = self.running().take() {
            // It may have ended by itself.
            send("KILL", &running);
            let _ = running.wait();
        }
    }

    /// Freezes it with SIGSTOP.
    ///
    /// # Panics
    ///
    /// If it is dead.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Continues with SIGCONT.
    ///
    /// # Panics
    ///
    /// If it is dead.
    pub fn resume(&self) {
        self.signal("CONT");
    }

    /// Starts it again with its durable queues and their messages, after killing it if it still runs, and
    /// waits until it answers.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn restart(&self) {
        self.kill();
        let mut running = self.running();
        let child = running.insert(self.spawn());
        let deadline = Instant::now() + PATIENCE;
        while !self.answers() {
            let ended = child.try_wait().expect("its state is known");
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "rabbitmq-server does not start: {ended:?}\n{}",
                self.log()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until this name of an exchange or a queue is on disk. A broker that is killed forgets what it has
    /// confirmed in the last seconds.
    ///
    /// # Panics
    ///
    /// If it is not written in time.
    pub fn wait_until_written(&self, name: &str) {
        let data = self
            .file("data")
            .join(format!("bed{}@localhost", self.port()));
        until("the broker has written it", || {
            let files = fs::read_dir(&data).map_err(|error| error.to_string())?;
            // A file may be replaced meanwhile.
            let has_name = |file: fs::DirEntry| {
                let text = fs::read(file.path()).unwrap_or_default();
                text.windows(name.len()).any(|it| it == name.as_bytes())
            };
            let is_written = files.flatten().any(has_name);
            is_written.then_some(()).ok_or_else(|| name.to_owned())
        });
    }

    fn signal(&self, name: &str) {
        let running = self.running();
        let leader = running.as_ref().expect("the broker runs");
        assert!(send(name, leader), "SIG{name} is delivered");
    }

    fn configure(&self) {
        let lines = [
            format!("listeners.tcp.1 = 127.0.0.1:{}", self.port()),
            format!("max_message_size = {}", Self::MAX_MESSAGE),
            // The disk of a test machine may be nearly full.
            "disk_free_limit.absolute = 1MB".to_owned(),
            "log.file.level = warning".to_owned(),
        ];
        let write = |name, text: String| fs::write(self.file(name), text + "\n");
        write("rabbitmq.conf", lines.join("\n")).expect("its directory is writable");
        write("plugins", "[].".to_owned()).expect("its directory is writable");
    }

    fn spawn(&self) -> Child {
        let log = File::create(self.file("out")).expect("its directory is writable");
        let errors = log.try_clone().expect("a file handle can be duplicated");
        let mut command = Command::new(PROGRAM);
        command
            // Where it leaves the cores of its crashes.
            .current_dir(self.directory.path())
            // The home of Erlang's cookie.
            .env("HOME", self.directory.path())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("ERL_EPMD_PORT", self.names.number.to_string())
            .env("RABBITMQ_CONF_ENV_FILE", "/dev/null")
            .env("RABBITMQ_CONFIG_FILE", self.file("rabbitmq.conf"))
            .env("RABBITMQ_DIST_PORT", self.distribution.number.to_string())
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", self.file("plugins"))
            .env("RABBITMQ_LOG_BASE", self.file("log"))
            .env("RABBITMQ_MNESIA_BASE", self.file("data"))
            .env("RABBITMQ_NODENAME", format!("bed{}@localhost", self.port()))
            .env("RABBITMQ_PID_FILE", self.file("pid"))
            // Idle threads that spin would slow the test down.
            .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none")
            .stdout(log)
            .stderr(errors)
            // The program is a shell script: signals go to it and to its children.
            .process_group(0);
        command.spawn().unwrap_or_else(|error| {
            panic!("cannot run {PROGRAM}, try `apt-get install rabbitmq-server`: {error}")
        })
    }

    /// True if it answers to the first bytes of a client.
    fn answers(&self) -> bool {
        let greeted = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port()))?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"AMQP\x00\x00\x09\x01")?;
            stream.read_exact(&mut [0])
        };
        greeted().is_ok()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.file("out")).unwrap_or_else(|error| format!("no log: {error}"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn running(&self) -> MutexGuard<'_, Option<Child>> {
        // A test that panicked while it held the lock still kills the process.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// Sends a signal to the process group of `leader`. True if there is one.
fn send(name: &str, leader: &Child) -> bool {
    signal(name, -i64::from(leader.id()))
}

/// What Debian's `rabbitmq-server` of the `PATH` runs, as another user.
const PROGRAM: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
/// Long: it takes 7 s on an idle machine.
const PATIENCE: Duration = Duration::from_secs(90);
