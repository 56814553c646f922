//! One `redis-server`.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use redis::{Client, Connection, FromRedisValue, RedisResult};

use crate::{
    ClockOffset, HeldClock, Settings,
    place::{Directory, Port},
    signal::signal,
    wait::{PATIENCE, until},
};

/// A `redis-server` of the `PATH` on ports of its own. Clones are the same server.
///
/// It is killed when the last clone is dropped, frozen or not.
#[derive(Clone, Debug)]
pub struct Server(Arc<Process>);

#[derive(Debug)]
struct Process {
    role: Role,
    password: Option<String>,
    port: Port,
    tls_port: Option<Port>,
    /// Held so that nobody else takes it.
    _bus: Option<Port>,
    directory: Directory,
    clock: Mutex<ClockOffset>,
    held_clock: Option<HeldClock>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    is_frozen: bool,
}

/// What a server is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Role {
    Single,
    ClusterNode,
    Sentinel,
}

impl Server {
    /// Starts a Redis that keeps nothing on disk, and waits until it answers.
    ///
    /// # Panics
    ///
    /// If there is no `redis-server`, or if it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self::with(&Settings::new())
    }

    /// Starts a Redis with these settings, and waits until it answers.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start).
    #[must_use]
    pub fn with(settings: &Settings) -> Self {
        Self::start_as(Role::Single, settings)
    }

    pub(crate) fn start_as(role: Role, settings: &Settings) -> Self {
        // Someone else may take the port between the search for it and Redis's bind.
        for _ in 0..PORT_ATTEMPTS {
            let server = Self::new(role, settings);
            match server.launch() {
                Ok(()) => return server,
                Err(log) if log.contains("Address already in use") => {}
                Err(log) => panic!("redis-server stopped while starting:\n{log}"),
            }
        }
        panic!("redis-server found no free port, {PORT_ATTEMPTS} times");
    }

    /// Takes ports and a directory, and writes the configuration.
    fn new(role: Role, settings: &Settings) -> Self {
        let (mut port, mut tls_port) = (Port::free(), None);
        let mut bus = None;
        if settings.certificates().is_some() {
            tls_port = Some(Port::free());
        }
        if role == Role::ClusterNode {
            // The bus port follows the port at which other nodes are met.
            let met = tls_port.as_mut().unwrap_or(&mut port);
            let (port, its_bus) = Port::with_bus();
            (*met, bus) = (port, Some(its_bus));
        }
        let process = Process {
            role,
            password: settings.its_password().map(str::to_owned),
            port,
            tls_port,
            _bus: bus,
            directory: Directory::new(),
            clock: Mutex::default(),
            held_clock: settings.held_clock().cloned(),
            running: Mutex::new(None),
        };
        fs::write(process.file(CONFIGURATION), process.configuration(settings))
            .expect("the server's directory is writable");
        Self(Arc::new(process))
    }

    /// `127.0.0.1` and the port.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    /// The URL of database 0, with the password if there is one.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_to("redis", &[self.port()])
    }

    /// The URL for TLS, with the password if there is one.
    ///
    /// # Panics
    ///
    /// If the settings have no TLS.
    #[must_use]
    pub fn tls_url(&self) -> String {
        self.url_to("rediss", &[self.tls_port()])
    }

    /// The port without TLS. It stays the same after a restart.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port.number
    }

    /// The port with TLS.
    ///
    /// # Panics
    ///
    /// If the settings have no TLS.
    #[must_use]
    pub fn tls_port(&self) -> u16 {
        self.0
            .tls_port
            .as_ref()
            .expect("the settings have TLS")
            .number
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.0.password.as_deref()
    }

    /// The port at which other servers find this one.
    pub(crate) fn met_port(&self) -> u16 {
        self.0.tls_port.as_ref().unwrap_or(&self.0.port).number
    }

    /// A new connection, without TLS. It waits a minute for a reply.
    ///
    /// # Panics
    ///
    /// If the server does not accept it.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.connect()
            .expect("the private redis accepts connections")
    }

    /// Runs a command on a new connection.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn run<T: FromRedisValue>(&self, command: &[&str]) -> T {
        self.try_run(command)
            .unwrap_or_else(|error| panic!("{command:?} on {}: {error}", self.address()))
    }

    /// Runs a command on a new connection.
    ///
    /// # Errors
    ///
    /// As the command, or if the server does not answer.
    pub fn try_run<T: FromRedisValue>(&self, command: &[&str]) -> RedisResult<T> {
        let mut connection = self.connect()?;
        redis::cmd(command[0])
            .arg(&command[1..])
            .query(&mut connection)
    }

    /// A line of `INFO SECTION`, such as `role`. Nothing if there is no such line.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub fn info(&self, section: &str, name: &str) -> RedisResult<Option<String>> {
        let all: String = self.try_run(&["INFO", section])?;
        let mut pairs = all.lines().filter_map(|line| line.split_once(':'));
        Ok(pairs
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_owned()))
    }

    /// True if its process is there and not frozen.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running().as_ref().is_some_and(|it| !it.is_frozen)
    }

    /// Kills it at once (SIGKILL): a crash that saves nothing. Does nothing if it is dead.
    pub fn kill(&self) {
        self.0.kill();
    }

    /// Starts it again on its ports, after killing it if it still runs, and waits until it answers.
    ///
    /// It has the data that was on disk, and its place in a cluster. It has the role that Redis or
    /// a Sentinel wrote to its configuration last.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn restart(&self) {
        self.kill();
        if let Err(log) = self.launch() {
            panic!("redis-server stopped while restarting:\n{log}");
        }
    }

    /// As [`restart`](Self::restart), without its data.
    ///
    /// # Panics
    ///
    /// As [`restart`](Self::restart).
    pub fn restart_empty(&self) {
        self.kill();
        // They are not there unless the settings ask for them.
        let _ = fs::remove_file(self.0.file("dump.rdb"));
        let _ = fs::remove_file(self.0.file("appendonly.aof"));
        let _ = fs::remove_dir_all(self.0.file("appendonlydir"));
        self.restart();
    }

    /// Sets the clock that it shows from its next start on.
    pub fn set_clock(&self, offset: ClockOffset) {
        *self.0.clock.lock().unwrap_or_else(PoisonError::into_inner) = offset;
    }

    /// Freezes it with SIGSTOP: connecting works, and nothing is answered.
    ///
    /// What clients send meanwhile is executed after [`resume`](Self::resume).
    ///
    /// # Panics
    ///
    /// If it is dead.
    pub fn pause(&self) {
        self.0.signal("STOP", true);
    }

    /// Continues with SIGCONT.
    ///
    /// # Panics
    ///
    /// If it is dead.
    pub fn resume(&self) {
        self.0.signal("CONT", false);
    }

    /// Waits until `name` of `INFO replication` has this value.
    pub(crate) fn wait_for_replication(&self, name: &str, value: &str) {
        until(&format!("{name} of {}", self.address()), || {
            let found = self
                .info("replication", name)
                .map_err(|it| it.to_string())?;
            let found = found.unwrap_or_default();
            (found == value).then_some(()).ok_or(found)
        });
    }

    /// The error is the log of a process that ended.
    fn launch(&self) -> Result<(), String> {
        let mut running = self.running();
        let child = self.0.spawn();
        let ours = Some(child.id().to_string());
        let child = &mut running
            .insert(Running {
                child,
                is_frozen: false,
            })
            .child;
        let deadline = Instant::now() + PATIENCE;
        while let Ok(None) = child.try_wait() {
            // After a lost race for the port another process answers, until ours ends.
            let process = self.info("server", "process_id");
            if process.is_ok_and(|process| process == ours) && self.has_loaded() {
                if self.0.role == Role::Sentinel {
                    self.hurry();
                }
                return Ok(());
            }
            assert!(Instant::now() < deadline, "redis-server:\n{}", self.0.log());
            thread::sleep(Duration::from_millis(5));
        }
        *running = None;
        Err(self.0.log())
    }

    /// Lets a Sentinel look and talk more often, if its version can.
    fn hurry(&self) {
        let command = [
            "SENTINEL",
            "DEBUG",
            "INFO-PERIOD",
            "500",
            "PUBLISH-PERIOD",
            "300",
        ];
        let _: RedisResult<()> = self.try_run(&command);
    }

    fn has_loaded(&self) -> bool {
        self.try_run::<String>(&["PING"]).is_ok()
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.0.running()
    }

    /// A URL with these ports and this server's password.
    pub(crate) fn url_to(&self, scheme: &str, ports: &[u16]) -> String {
        let password = self.0.password.as_ref();
        let user = password.map_or_else(String::new, |it| format!(":{it}@"));
        let places: Vec<String> = ports.iter().map(|it| format!("127.0.0.1:{it}")).collect();
        format!("{scheme}://{user}{}", places.join(","))
    }

    fn connect(&self) -> RedisResult<Connection> {
        let connection = Client::open(self.url())?.get_connection_with_timeout(REPLY_DEADLINE)?;
        connection.set_read_timeout(Some(REPLY_DEADLINE))?;
        Ok(connection)
    }
}

impl PartialEq for Server {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Server {}

impl Process {
    fn configuration(&self, settings: &Settings) -> String {
        let mut lines = vec![
            format!("port {}", self.port.number),
            "bind 127.0.0.1".to_owned(),
            format!("dir \"{}\"", self.directory.path().display()),
        ];
        if let Some(port) = &self.tls_port {
            lines.push(format!("tls-port {}", port.number));
        }
        if self.role != Role::Sentinel {
            lines.push("save \"\"".to_owned());
        }
        let directives = settings.directives().iter();
        lines.extend(directives.map(|(name, value)| format!("{name} {value}")));
        lines.join("\n") + "\n"
    }

    fn spawn(&self) -> Child {
        let log = File::create(self.file(LOG)).expect("the server's directory is writable");
        let errors = log.try_clone().expect("a file handle can be duplicated");
        let mut command = Command::new("redis-server");
        command.arg(self.file(CONFIGURATION));
        if self.role == Role::Sentinel {
            command.arg("--sentinel");
        }
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.apply(&mut command);
        if let Some(clock) = &self.held_clock {
            clock.apply(&mut command);
        }
        let child = command.stdout(log).stderr(errors).spawn();
        child.unwrap_or_else(|error| {
            panic!("cannot run redis-server, try `apt-get install redis-server`: {error}")
        })
    }

    fn kill(&self) {
        if let Some(mut running) = self.running().take() {
            // It does no harm if the process has ended already.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }

    fn signal(&self, name: &str, is_frozen: bool) {
        let mut running = self.running();
        let running = running.as_mut().expect("only a live server gets signals");
        let is_delivered = signal(name, running.child.id().into());
        assert!(is_delivered, "SIG{name} is delivered");
        running.is_frozen = is_frozen;
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        // A test that panicked while it held the lock still kills the process.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.file(LOG)).unwrap_or_else(|error| format!("no log: {error}"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let end = &lines[lines.len().saturating_sub(LOG_LINES)..];
            eprintln!("redis on port {}:\n{}", self.port.number, end.join("\n"));
        }
    }
}

const CONFIGURATION: &str = "redis.conf";
const LOG: &str = "redis.log";
/// How much of a log a failed test prints.
const LOG_LINES: usize = 15;
const PORT_ATTEMPTS: usize = 10;
const REPLY_DEADLINE: Duration = Duration::from_secs(60);
