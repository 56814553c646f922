//! The rules of `docs/operating/rights.md`: their rights are enough, and each of them is needed.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use testbed::{Directory, Program, Server};

use crate::rdq::{command, json, queue, run};

const GUIDE: &str = include_str!("../../../docs/operating/rights.md");

/// The rights of the rule in a section of the guide.
fn documented(heading: &str) -> Vec<&'static str> {
    let mut sections = GUIDE.split("\n## ");
    let section = sections.find(|it| it.starts_with(heading));
    let rule = section
        .expect("the guide has the section")
        .split("```")
        .nth(1);
    let words = rule.expect("the section has a rule").split_whitespace();
    words.filter(|it| it.starts_with(['~', '&', '+'])).collect()
}

/// Says whether the guide has a row about the right, because verbs go on without it.
fn only_adds(right: &str) -> bool {
    let cell = format!("`{}`", right.replace('|', "\\|"));
    GUIDE
        .lines()
        .any(|it| it.starts_with("| `") && it.contains(&cell))
}

/// A verb with its arguments, separated by blanks. In braces: the first, second, … ticket, dead
/// letter or quarantined member.
type Verb = &'static str;

/// What stands for the names in braces.
type Names = [(String, String)];

/// A server with a queue in which each verb finds something, and a user with few rights.
struct Shop {
    server: Server,
    /// Logs in as that user.
    limited: String,
    /// Each key of the queue, as `DUMP` gives it.
    stock: Vec<(String, Vec<u8>)>,
    /// Another program, whose rights the doctor examines.
    _service: redis::Connection,
}

impl Shop {
    async fn open() -> Self {
        let server = Server::start();
        let script = "
            local old = struct.pack('dLc0', 0.5, 1, 'o')
            redis.call('RPUSH', KEYS[2], old, struct.pack('Bc0Lc0', 8, 'a ghost.', 1, 'g'))
            redis.call('ZADD', KEYS[1], 9e12, old, 9e12, 'junk')
            for _, id in ipairs({ 'element1', 'element2', 'element3', 'element4' }) do
                local member = struct.pack('Bc0Lc0', 8, id, 1, 'p')
                redis.call('ZADD', KEYS[1], 8e12, member)
                redis.call('RPUSH', KEYS[2], member)
            end
            redis.call('ZADD', KEYS[3], 5, 'poison', 6, 'venom')
            redis.call('RPUSH', KEYS[4], 'dead', 'buried', 'gone')
            redis.call('RPUSH', KEYS[5], 'in flight', 'ready', 'steady')
            local origin = string.rep('\\7', 16) .. '\\0\\0' .. struct.pack('>L', 1)
            redis.call('HSET', KEYS[7], origin, 'l')
            redis.call('ZADD', KEYS[6], 1000, origin)
            redis.call('HSET', KEYS[7], string.rep('\\8', 16) .. '\\0\\0' .. struct.pack('>L', 1), 'no lease')";
        let keys = [
            "redisson_delay_queue_timeout:{orders}",
            "redisson_delay_queue:{orders}",
            "rdq1_quarantine:{orders}",
            "{orders}-dead",
            "orders",
            "rdq1_leases:{orders}",
            "rdq1_deliveries:{orders}",
        ];
        let _: () = server.run(&[&["EVAL", script, "7"], &keys[..]].concat());
        let orders = queue(&server.url(), "orders").await;
        let consumer = orders.consumer().prefetch(0).build().unwrap();
        let delivery = consumer.recv().await.unwrap();
        let mut connection = server.connection();
        let names: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        let stock = names.into_iter().map(|key| {
            let held = redis::cmd("DUMP").arg(&key).query(&mut connection);
            (key, held.unwrap())
        });
        let stock = stock.collect();
        delivery.ack().await.unwrap();
        let limited = server.url().replace("redis://", "redis://limited:secret@");
        Self {
            limited,
            stock,
            _service: connection,
            server,
        }
    }

    fn grant(&self, rights: &[&str]) {
        let user = [
            "ACL",
            "SETUSER",
            "limited",
            "reset",
            "on",
            ">secret",
            "resetchannels",
        ];
        let _: () = self.server.run(&[&user, rights].concat());
    }

    /// Fills the queue anew.
    fn fill(&self) {
        let mut connection = self.server.connection();
        let _: () = redis::cmd("FLUSHALL").query(&mut connection).unwrap();
        let _: () = self.server.run(&["SCRIPT", "FLUSH"]);
        for (key, held) in &self.stock {
            let mut restore = redis::cmd("RESTORE");
            let _: () = restore
                .arg(key)
                .arg(0)
                .arg(held)
                .query(&mut connection)
                .unwrap();
        }
    }

    /// What stands for the names in braces.
    fn names(&self) -> Vec<(String, String)> {
        self.fill();
        let url = self.server.url();
        let mut names = Vec::new();
        for (verb, field) in [
            (&["ls"][..], "ticket"),
            (&["dlq", "ls"], "letter"),
            (&["quarantine", "ls"], "member"),
        ] {
            let rows = json(&url, &[verb, &["orders"]].concat());
            for (row, place) in rows.iter().zip(1..) {
                let name = row[field].as_str().unwrap().to_owned();
                names.push((format!("{{{field}{place}}}"), name));
            }
        }
        names
    }

    /// Runs these verbs as the user. Returns those that failed or were denied something, and what they
    /// printed.
    fn failures<'a>(
        &'a self,
        verbs: &'a [Verb],
        names: &'a Names,
    ) -> impl Iterator<Item = String> + 'a {
        self.fill();
        verbs.iter().filter_map(move |verb| {
            let mut line = (*verb).to_owned();
            for (name, is) in names {
                line = line.replace(name, is);
            }
            let files = Directory::new();
            line = line.replace("{file}", &files.file("backup"));
            let _: () = self.server.run(&["ACL", "LOG", "RESET"]);
            let args: Vec<&str> = line.split(' ').collect();
            let (is_done, printed) = match args[0] {
                "watch" | "top" => self.first_reading(&args),
                _ => {
                    let run = run(&self.limited, &args);
                    // The doctor has findings.
                    let is_done = run.code == 0 || args[0] == "doctor" && run.code > 4;
                    (is_done, format!("{run:?}"))
                }
            };
            let denied: Vec<redis::Value> = self.server.run(&["ACL", "LOG"]);
            (!is_done || !denied.is_empty()).then(|| format!("{line}: {printed} {denied:?}"))
        })
    }

    /// Runs a dashboard until its first reading.
    fn first_reading(&self, args: &[&str]) -> (bool, String) {
        let mut rdq = command(&self.limited, args);
        rdq.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut rdq = Program::start(&mut rdq);
        let mut line = String::new();
        let stdout = rdq.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        (line.contains("orders"), line)
    }
}

/// Runs the verbs with these rights, and then without each of the last `most`.
async fn assert_least(rights: &[&str], most: usize, verbs: &[Verb]) {
    let shop = Shop::open().await;
    let names = shop.names();
    shop.grant(rights);
    let failures: Vec<String> = shop.failures(verbs, &names).collect();
    assert!(failures.is_empty(), "with all rights: {failures:#?}");
    let needless = rights[rights.len() - most..].iter().filter(|right| {
        let others: Vec<&str> = rights.iter().copied().filter(|it| it != *right).collect();
        shop.grant(&others);
        !only_adds(right) && shop.failures(verbs, &names).next().is_none()
    });
    let needless: Vec<_> = needless.collect();
    assert!(needless.is_empty(), "not needed: {needless:?}");
}

#[tokio::test]
async fn the_rights_to_look_are_enough_and_each_is_needed() {
    let rights = documented("To look");
    assert_least(
        &rights,
        rights.len(),
        &[
            "watch orders --json",
            "top --json",
            "export orders",
            "tail orders --for 1ms",
            "get orders {ticket1}",
            "ls orders",
            "ls orders --offered",
            "ls orders --ready",
            "leases ls orders",
            "quarantine ls orders",
            "quarantine show orders {member1}",
            "dlq ls orders",
            "rate orders",
            "sniff orders",
            "stats orders",
            "queues",
            "keys orders",
            "repair orders",
            // Last, because it looks twice, a second apart.
            "doctor orders --full",
        ],
    )
    .await;
}

#[tokio::test]
async fn the_rights_to_change_are_enough_and_each_is_needed() {
    let change = documented("To change");
    assert_least(
        &[documented("To look"), change.clone()].concat(),
        change.len(),
        &[
            "leases release orders --expired --yes",
            "leases release orders --all --yes",
            "leases release orders --unleased --yes",
            "hand-back orders --yes",
            "take orders --transfer --wait 5s --codec string",
            "repair orders --apply --yes --backup {file}",
            "migrate orders --yes",
            "offer orders \"x\" --codec string --delay 1h",
            "offer orders \"k\" --codec string --delay 1h --key k",
            "offer orders \"u\" --codec string --delay 1h --unique",
            "cancel orders {ticket1}",
            "cancel orders --value \"p\" --codec string",
            "reschedule orders {ticket3} --delay 2h",
            "promote orders {ticket4}",
            "quarantine drop orders {member1} --yes",
            "quarantine drop orders --all --yes",
            "dlq requeue orders {letter1} --yes",
            "dlq purge orders {letter2} --yes",
            "dlq requeue orders --all --yes",
            "rate orders 5/1s",
            "rate orders --off",
            "pause orders",
            "resume orders",
            "drain orders --yes --output -",
        ],
    )
    .await;
}
