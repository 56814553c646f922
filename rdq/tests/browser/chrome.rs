//! A Chromium without a window, driven through its DevTools protocol over a pipe.

use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testbed::Directory;

/// A browser with a profile of its own, until it is dropped.
pub(crate) struct Chrome {
    child: Child,
    _profile: Directory,
    commands: Mutex<ChildStdin>,
    state: Arc<Mutex<State>>,
    next: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, Sender<Value>>,
    /// What pages complained about.
    problems: Vec<String>,
}

impl Chrome {
    pub(crate) fn start() -> Self {
        let profile = Directory::new();
        let program = env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        // The protocol is on the descriptors 3 and 4, which only a shell can connect to ours.
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#,
        ]);
        shell.arg(program).args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--remote-debugging-pipe",
        ]);
        shell.arg(format!("--user-data-dir={}", profile.path().display()));
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().expect("sh runs");
        let commands = Mutex::new(child.stdin.take().expect("stdin is a pipe"));
        let answers = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let state = Arc::new(Mutex::new(State::default()));
        let heard = Arc::clone(&state);
        thread::spawn(move || {
            for message in answers.split(0) {
                let Ok(message) = message else { break };
                let message = serde_json::from_slice(&message).expect("Chromium sends JSON");
                heard.lock().unwrap().hear(message);
            }
            // Nobody waits for a browser that has ended.
            heard.lock().unwrap().waiting.clear();
        });
        Self {
            child,
            _profile: profile,
            commands,
            state,
            next: AtomicU64::new(1),
        }
    }

    /// Sends a command to the browser or to a session with a page, and returns its result.
    pub(crate) fn call(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        self.state.lock().unwrap().waiting.insert(id, sender);
        let mut command = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut text = command.to_string().into_bytes();
        text.push(0);
        let sent = self.commands.lock().unwrap().write_all(&text);
        sent.expect("is Chromium installed? tests/browser.sh installs it");
        let answer = answer.recv_timeout(Duration::from_secs(30));
        let answer = answer.unwrap_or_else(|_| panic!("Chromium does not answer {command}"));
        assert!(answer["error"].is_null(), "{command}: {answer}");
        answer["result"].clone()
    }

    /// Takes what pages complained about since the last call.
    pub(crate) fn problems(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().problems)
    }
}

impl State {
    fn hear(&mut self, message: Value) {
        if let Some(id) = message["id"].as_u64() {
            if let Some(waiting) = self.waiting.remove(&id) {
                // Who waits may have given up.
                _ = waiting.send(message);
            }
            return;
        }
        let params = &message["params"];
        let problem = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => Some(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") => Some(params["args"].to_string()),
            // Violations of the content security policy, and files that are not there.
            Some("Log.entryAdded") => Some(params["entry"].to_string()),
            Some("Inspector.targetCrashed") => Some("the page crashed".to_owned()),
            _ => None,
        };
        self.problems.extend(problem);
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        // A browser that a failed test left may hang. Its children end with it.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
