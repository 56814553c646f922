//! A Sentinel that says what a test wants.

use testbed::{Sentinels, Server};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio::task::JoinSet;

/// It names one master for ever, and announces what it is told to.
pub(crate) struct Announcer {
    port: u16,
    messages: broadcast::Sender<String>,
    _serving: JoinSet<()>,
}

impl Announcer {
    pub(crate) async fn naming(master: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let messages = broadcast::Sender::new(1_024);
        let (master, sender) = (master.port(), messages.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut clients = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                clients.spawn(serve(client, master, sender.subscribe()));
            }
        });
        Self {
            port,
            messages,
            _serving: serving,
        }
    }

    pub(crate) fn url(&self) -> String {
        let (port, name) = (self.port, Sentinels::MASTER);
        format!("redis+sentinel://127.0.0.1:{port}/{name}")
    }

    /// Says that it is about to promote `replica`.
    pub(crate) fn choose(&self, replica: &Server, master: &Server) {
        let channel = "+failover-state-send-slaveof-noone";
        let (replica, name, master) = (replica.port(), Sentinels::MASTER, master.port());
        let text = format!("slave replica 127.0.0.1 {replica} @ {name} 127.0.0.1 {master}");
        let message = array('>', &["message", channel, &text]);
        // Nobody may be connected.
        let _ = self.messages.send(message);
    }
}

async fn serve(client: TcpStream, master: u16, mut messages: broadcast::Receiver<String>) {
    let (read, mut write) = client.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut words, mut missing) = (Vec::new(), 0);
    loop {
        let answer = tokio::select! {
            message = messages.recv() => message.unwrap(),
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                if missing == 0 {
                    // A length and a text for each word.
                    missing = 2 * line[1..].parse::<usize>().unwrap();
                    words.clear();
                    continue;
                }
                missing -= 1;
                if missing % 2 == 0 {
                    words.push(line.to_uppercase());
                }
                if missing > 0 {
                    continue;
                }
                answer(&words, master)
            }
        };
        if write.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn answer(words: &[String], master: u16) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["HELLO", ..] => "%1\r\n+proto\r\n:3\r\n".to_owned(),
        ["SUBSCRIBE", channel] => array('>', &["subscribe", channel, "1"]),
        ["SENTINEL", "MASTER", _] => "%1\r\n+config-epoch\r\n+1\r\n".to_owned(),
        ["SENTINEL", ..] => array('*', &["127.0.0.1", &master.to_string()]),
        _ => "+OK\r\n".to_owned(),
    }
}

fn array(kind: char, texts: &[&str]) -> String {
    let texts = texts.iter().map(|it| format!("${}\r\n{it}\r\n", it.len()));
    format!("{kind}{}\r\n", texts.len()) + &texts.collect::<String>()
}
