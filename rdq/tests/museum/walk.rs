//! Walks through a room.

use std::collections::BTreeSet;
use std::fs;

use redis::{RedisResult, cmd};
use serde_json::Value;
use testbed::{Directory, Program, until};

use crate::broken::{Broken, Contents};
use crate::rdq::{Run, command, run, shell, without_server};
use crate::room::{Effect, NAME, Room, Visit};

/// What the doctor said in a room.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) room: &'static str,
    pub(crate) finding: &'static str,
    pub(crate) commands: Vec<String>,
}

/// Checks what the doctor finds in a room, and that its advice does what the room says.
pub(crate) fn walk(room: &Room) -> Found {
    let mut said = Vec::new();
    let mut begun: Option<(Visit, Vec<String>)> = None;
    for (place, (part, effect)) in room.advice.iter().enumerate() {
        let (visit, commands) = begun.take().unwrap_or_else(|| enter(room));
        assert!(
            commands[place].contains(part),
            "{}: {commands:#?}",
            room.name
        );
        follow(room, &visit, &commands[place], *effect);
        said.push(commands[place].clone());
        begun = (*effect == Effect::Begins).then_some((visit, commands));
    }
    if room.advice.is_empty() {
        enter(room);
    }
    Found {
        room: room.name,
        finding: room.finding,
        commands: said,
    }
}

/// Builds a room, and returns what the doctor advises there.
fn enter(room: &Room) -> (Visit, Vec<String>) {
    let visit = (room.build)();
    let finding = only(room, &visit);
    if !finding["queue"].is_null() && visit.arguments.is_empty() {
        assert_eq!(finding["queue"], NAME, "{}", room.name);
    }
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let commands: Vec<_> = finding["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    assert_eq!(
        commands.len(),
        room.advice.len(),
        "{}: {commands:#?}",
        room.name
    );
    // A command has its line for itself, because people copy whole lines, and backticks are live in a shell.
    let advice = finding["advice"].as_str().unwrap();
    let lines = advice.lines().filter_map(|it| it.strip_prefix("    "));
    assert_eq!(lines.collect::<Vec<_>>(), commands, "{}", room.name);
    // A setting that nobody writes down is gone after a restart.
    let is_kept = |command: &str, place: &str| !advice.contains(command) || advice.contains(place);
    let is_lasting = is_kept("CONFIG SET", "redis.conf") && is_kept("ACL SETUSER", "ACL SAVE");
    assert!(
        is_lasting || advice.contains("Until then"),
        "{}: {advice}",
        room.name
    );
    (visit, commands)
}

/// Runs an advised command, and looks what it has done.
fn follow(room: &Room, visit: &Visit, advised: &str, effect: Effect) {
    let words = shlex::split(advised).expect("a shell reads it");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let files = Directory::new();
    let before = Stock::of(visit);
    if let ["rdq", "transfer", ..] = words[..] {
        let mover = Program::start(&mut command(&visit.url, &words[1..]));
        until("the mover mends it", || match &found(visit)[..] {
            [] => Ok(()),
            some => Err(format!("{}: {some:#?}", room.name)),
        });
        drop(mover);
        return assert_eq!(Stock::of(visit).count, before.count, "{advised}");
    }
    let said = match words[0] {
        "rdq" => {
            let args = [&words[1..], &["--yes"]].concat();
            let mut rdq = command(&visit.url, &args);
            if args.contains(&"--server") {
                // The advice names another address.
                rdq = without_server(&args);
            }
            let run = Run::of(Program::run(rdq.current_dir(files.path())));
            let is_fine = run.code == 0 || args[0] == "doctor" && run.code >= 5;
            assert!(is_fine, "{}: {advised}: {run:?}", room.name);
            run.stdout
        }
        _ => {
            shell(advised);
            String::new()
        }
    };
    let found = found(visit);
    match effect {
        Effect::Begins => return,
        Effect::Shows => assert!(!found.is_empty(), "{}: {advised}", room.name),
        Effect::Becomes(other) => {
            let is_other = found.len() == 1 && found[0]["check"] == other;
            assert!(is_other, "{}: {advised}: {found:#?}", room.name);
        }
        Effect::Mends | Effect::Deletes => {
            assert!(found.is_empty(), "{}: {advised}: {found:#?}", room.name);
        }
    }
    let after = Stock::of(visit);
    let kept = files_in(&files);
    if effect == Effect::Deletes {
        let text: String = kept
            .iter()
            .map(|it| fs::read_to_string(it).unwrap())
            .collect();
        let lines = text.lines().chain(said.lines()).count();
        assert!(after.count < before.count, "{}: {advised}", room.name);
        assert!(
            lines >= before.count - after.count,
            "{}: {advised}",
            room.name
        );
    } else {
        assert_eq!(after.count, before.count, "{}: {advised}", room.name);
    }
    let is_delivered = after.ready() != before.ready();
    if let (["rdq", "repair", ..], false) = (&words[..], is_delivered || effect == Effect::Shows) {
        let [file] = &kept[..] else {
            panic!("{}: {advised}: {kept:?}", room.name);
        };
        let undo = run(&visit.url, &["repair", NAME, "--undo", file, "--yes"]);
        assert_eq!(undo.code, 0, "{}: {undo:?}", room.name);
        assert_eq!(
            Stock::of(visit).contents,
            before.contents,
            "{}: {advised}",
            room.name
        );
    }
}

fn files_in(directory: &Directory) -> Vec<String> {
    let files = fs::read_dir(directory.path()).unwrap();
    files
        .map(|it| it.unwrap().path().to_str().unwrap().to_owned())
        .collect()
}

/// What the doctor finds.
pub(crate) fn found(visit: &Visit) -> Vec<Value> {
    let arguments = visit.arguments.iter().map(String::as_str);
    let args: Vec<&str> = ["doctor", "--json"].into_iter().chain(arguments).collect();
    let run = run(&visit.url, &args);
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{run:?}"));
    let found: Vec<Value> = run.stdout.lines().map(read).collect();
    assert!(!found.is_empty() || run.code == 0, "{run:?}");
    found
}

/// The only finding, which is that of the room.
fn only(room: &Room, visit: &Visit) -> Value {
    let found = found(visit);
    let checks: BTreeSet<_> = found
        .iter()
        .map(|it| it["check"].as_str().unwrap())
        .collect();
    assert_eq!(
        checks,
        BTreeSet::from([room.finding]),
        "{}: {found:#?}",
        room.name
    );
    found[0].clone()
}

/// What is in the queue of a room.
struct Stock {
    /// `None` if a key has another type.
    contents: Option<Contents>,
    /// How many elements there are, wherever they stand.
    count: usize,
}

impl Stock {
    fn of(visit: &Visit) -> Self {
        const COUNT: &str = "
            local function all(command, key, ...)
                local found = redis.pcall(command, key, ...)
                return found.err and {} or found
            end
            local seen, count = {}, 0
            local function see(element)
                if not seen[element] then
                    seen[element], count = true, count + 1
                end
            end
            for _, it in ipairs(all('ZRANGE', KEYS[1], 0, -1)) do see(it) end
            for _, it in ipairs(all('LRANGE', KEYS[2], 0, -1)) do see(it) end
            for i = 3, 4 do
                count = count + #all('LRANGE', KEYS[i], 0, -1)
            end
            count = count + #all('ZRANGE', KEYS[5], 0, -1)
            return count + #all('HKEYS', KEYS[6])";
        let mut queue = Broken::at(&visit.server, NAME);
        let keys = queue.keys.clone();
        let mut count = cmd("EVAL");
        count.arg(COUNT).arg(6);
        count.arg(&[keys.timeouts(), keys.ordering(), keys.target()]);
        count.arg(keys.default_dead_letters());
        count.arg(&[keys.quarantine(), keys.deliveries()]);
        let is_of = |key: &str, wanted: &str| {
            let held: RedisResult<String> =
                cmd("TYPE").arg(key).query(&mut visit.server.connection());
            held.is_ok_and(|it| it == "none" || it == wanted)
        };
        let is_whole = is_of(keys.target(), "list") && is_of(keys.quarantine(), "zset");
        Self {
            contents: is_whole.then(|| queue.contents()),
            // A node of a cluster has nothing of queues that other nodes have.
            count: count.query(&mut visit.server.connection()).unwrap_or(0),
        }
    }

    fn ready(&self) -> usize {
        self.contents.as_ref().map_or(0, |it| it.ready.len())
    }
}
