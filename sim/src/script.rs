//! The interpreter of scripts, and the scripts that it knows.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use bytes::Bytes;
use mlua::{
    Error, Function, HookTriggers, Lua, LuaOptions, MultiValue, Result, StdLib, Table, Value,
    VmState,
};

use crate::{
    defect::Defect,
    fault::ErrorReply,
    number::spell,
    pack::{pack, unpack},
    reply::Reply,
};

/// What scripts call.
pub(crate) trait Host {
    /// Runs a command.
    fn call(&mut self, words: &[Bytes]) -> Reply;
    /// Says whether the user may run it. Nothing if there is no such command.
    fn may(&self, words: &[Bytes]) -> Option<bool>;
}

/// Scripts by the SHA-1 of their texts.
#[derive(Debug)]
pub(crate) struct Scripts {
    lua: Lua,
    run: Function,
    known: BTreeMap<String, Script>,
    /// The names of those that ran since somebody took these.
    ran: Vec<String>,
    /// The lines that ran of the script that runs, if somebody watches.
    lines: Rc<RefCell<BTreeSet<usize>>>,
    pub(crate) defect: Option<&'static Defect>,
}

#[derive(Debug)]
struct Script {
    /// That of its file, which the last heading of its text has; or nothing.
    name: String,
    function: Function,
    text: String,
    lines: BTreeSet<usize>,
}

impl Script {
    /// The first line of each block, by its place and its text, and whether it ran.
    fn branches(&self) -> impl Iterator<Item = (String, bool)> {
        let code = self.text.lines().enumerate();
        let mut code = code.filter(|(_, it)| !it.is_empty() && !it.starts_with("--"));
        let mut is_first = false;
        std::iter::from_fn(move || {
            loop {
                let (place, line) = code.next()?;
                let begins = ["then", "else", "do", "repeat"];
                let last = line.split(' ').next_back().unwrap_or_default();
                let is_branch = std::mem::replace(&mut is_first, begins.contains(&last));
                if is_branch {
                    let number = place + 1;
                    let branch = format!("{} {number}: {}", self.name, line.trim_start());
                    return Some((branch, self.lines.contains(&number)));
                }
            }
        })
    }
}

/// Why the interpreter itself does not fail.
const SOUND: &str = "the interpreter has memory, and its own part runs";

impl Scripts {
    pub(crate) fn new() -> Self {
        // Faults of Rust are not to be caught by a script.
        let options = LuaOptions::new().catch_rust_panics(false);
        let libraries = StdLib::STRING | StdLib::TABLE | StdLib::MATH;
        let lua = Lua::new_with(libraries, options).expect(SOUND);
        let run = prepare(&lua).expect(SOUND);
        Self {
            lua,
            run,
            known: BTreeMap::new(),
            ran: Vec::new(),
            lines: Rc::default(),
            defect: None,
        }
    }

    /// Notes from now on which lines run.
    pub(crate) fn watch(&mut self) {
        let lines = Rc::clone(&self.lines);
        let note = move |_: &Lua, frame: &mlua::debug::Debug<'_>| {
            if frame.source().source.as_deref() == Some("@user_script") {
                lines.borrow_mut().extend(frame.current_line());
            }
            Ok(VmState::Continue)
        };
        self.lua
            .set_hook(HookTriggers::EVERY_LINE, note)
            .expect(SOUND);
    }

    /// The branches of the scripts, and whether they ran while somebody watched.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (String, bool)> {
        self.known.values().flat_map(Script::branches)
    }

    /// Makes a script known, and returns its SHA-1.
    pub(crate) fn load(&mut self, text: &[u8]) -> std::result::Result<String, ErrorReply> {
        let sha = sha1_smol::Sha1::from(text).digest().to_string();
        if !self.known.contains_key(&sha) {
            let defective = self.defect.and_then(|it| it.put_into(text));
            let text = defective.as_deref().unwrap_or(text);
            let chunk = self.lua.load(text).set_name("@user_script");
            let function = chunk.into_function();
            assert!(defective.is_none() || function.is_ok(), "{function:?}");
            let function = function.map_err(|it| {
                ErrorReply::from(format!(
                    "ERR Error compiling script (new function): {}",
                    text_of(&it)
                ))
            })?;
            let name = String::from_utf8_lossy(text)
                .lines()
                .filter_map(|it| it.strip_prefix("-- "))
                .next_back()
                .unwrap_or_default()
                .to_owned();
            let script = Script {
                name,
                function,
                text: String::from_utf8_lossy(text).into_owned(),
                lines: BTreeSet::new(),
            };
            self.known.insert(sha.clone(), script);
        }
        Ok(sha)
    }

    pub(crate) fn knows(&self, sha: &str) -> bool {
        self.known.contains_key(sha)
    }

    pub(crate) fn flush(&mut self) {
        self.known.clear();
    }

    pub(crate) fn take_ran(&mut self) -> Vec<String> {
        std::mem::take(&mut self.ran)
    }

    /// Runs a script that is known.
    pub(crate) fn run(
        &mut self,
        sha: &str,
        keys: &[Bytes],
        arguments: &[Bytes],
        host: &mut dyn Host,
    ) -> Reply {
        self.ran.push(self.known[sha].name.clone());
        let reply = self.try_run(sha, keys, arguments, host).expect(SOUND);
        if let Some(script) = self.known.get_mut(sha) {
            script.lines.append(&mut self.lines.borrow_mut());
        }
        reply
    }

    fn try_run(
        &self,
        sha: &str,
        keys: &[Bytes],
        arguments: &[Bytes],
        host: &mut dyn Host,
    ) -> Result<Reply> {
        let texts = |of: &[Bytes]| {
            let texts = of.iter().map(|it| self.lua.create_string(it));
            self.lua
                .create_sequence_from(texts.collect::<Result<Vec<_>>>()?)
        };
        self.lua.globals().raw_set("KEYS", texts(keys)?)?;
        self.lua.globals().raw_set("ARGV", texts(arguments)?)?;
        let host = &RefCell::new(host);
        let (is_done, result): (bool, Value) = self.lua.scope(|scope| {
            let answer = move |words| match self::words(words) {
                Ok(words) => host.borrow_mut().call(&words),
                Err(ErrorReply(text)) => Reply::Error(text),
            };
            let call =
                scope.create_function(move |lua, words: MultiValue| match answer(words) {
                    Reply::Error(text) => Err(Error::external(Raised(text))),
                    reply => to_lua(lua, &reply),
                })?;
            let pcall =
                scope.create_function(move |lua, words: MultiValue| to_lua(lua, &answer(words)))?;
            let may = scope.create_function(|_, words: MultiValue| {
                let may = self::words(words)
                    .ok()
                    .and_then(|it| host.borrow().may(&it));
                may.ok_or_else(|| {
                    Error::external(Raised(Bytes::from_static(NO_COMMAND.as_bytes())))
                })
            })?;
            self.run.call((&self.known[sha].function, call, pcall, may))
        })?;
        if is_done {
            return from_lua(&result);
        }
        let error = result
            .as_table()
            .ok_or_else(|| Error::runtime("no error"))?;
        let text: mlua::LuaString = error.raw_get("err")?;
        let mut text = text.as_bytes().to_vec();
        if let Some(line) = error.raw_get::<Option<usize>>("line")? {
            text.extend(format!(" script: {sha}, on @user_script:{line}.").into_bytes());
        }
        Ok(Reply::Error(text.into()))
    }
}

/// Gives scripts what they may use, and returns the function that runs one.
fn prepare(lua: &Lua) -> Result<Function> {
    let rust = lua.create_table()?;
    rust.set("pack", lua.create_function(pack)?)?;
    rust.set("unpack", lua.create_function(unpack)?)?;
    // That of no text is that of an empty one.
    let sha1hex = |lua: &Lua, text: Value| {
        let text = lua.coerce_string(text)?;
        let text = text.map(|it| it.as_bytes().to_vec()).unwrap_or_default();
        let sha = sha1_smol::Sha1::from(text);
        Ok(sha.digest().to_string())
    };
    rust.set("sha1hex", lua.create_function(sha1hex)?)?;
    rust.set("located", lua.create_function(located)?)?;
    let chunk = lua.load(include_str!("redis.lua")).set_name("@redis");
    chunk.call(rust)
}

/// Makes a table of what a script failed with, and says on which line of the script.
fn located(lua: &Lua, error: Value) -> Result<Table> {
    let line = (1..).map_while(|level| {
        lua.inspect_stack(level, |frame| {
            let is_script = frame.source().source.as_deref() == Some("@user_script");
            is_script.then(|| frame.current_line()).flatten()
        })
    });
    let line = line.flatten().next();
    let table = match &error {
        Value::Table(table) => table.clone(),
        other => {
            let text = match other {
                Value::Error(error) if raised(error).is_some() => {
                    let table = lua.create_table()?;
                    table.set("err", lua.create_string(raised(error).unwrap_or_default())?)?;
                    table.set("line", line)?;
                    return Ok(table);
                }
                Value::Error(error) => {
                    let place = line.map(|it| format!("user_script:{it}: "));
                    place.unwrap_or_default() + &text_of(error)
                }
                other => other.to_string()?,
            };
            let table = lua.create_table()?;
            table.set("err", format!("ERR {text}"))?;
            table
        }
    };
    table.set("line", line)?;
    Ok(table)
}

/// The error reply that a script did not catch.
fn raised(error: &Error) -> Option<Bytes> {
    match error {
        Error::CallbackError { cause, .. } => raised(cause),
        Error::ExternalError(error) => error.downcast_ref::<Raised>().map(|it| it.0.clone()),
        _ => None,
    }
}

/// An error reply on its way through a script.
#[derive(Debug)]
struct Raised(Bytes);

impl std::fmt::Display for Raised {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl std::error::Error for Raised {}

const NO_COMMAND: &str = "ERR Invalid command passed to redis.acl_check_cmd()";

/// What an error says, without a trace.
fn text_of(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => text_of(cause),
        Error::RuntimeError(text) | Error::SyntaxError { message: text, .. } => text.clone(),
        other => other.to_string(),
    }
}

/// The words of a command.
fn words(values: MultiValue) -> std::result::Result<Vec<Bytes>, ErrorReply> {
    if values.is_empty() {
        return Err("ERR Please specify at least one argument for this redis lib call".into());
    }
    let word = |value| match value {
        Value::String(text) => Ok(Bytes::copy_from_slice(&text.as_bytes())),
        Value::Integer(number) => Ok(spell(number as f64).into()),
        Value::Number(number) => Ok(spell(number).into()),
        _ => Err("ERR Lua redis lib command arguments must be strings or integers".into()),
    };
    values.into_iter().map(word).collect()
}

/// A reply as scripts get it, which is as in RESP2.
fn to_lua(lua: &Lua, reply: &Reply) -> Result<Value> {
    let text = |text: &[u8]| Ok(Value::String(lua.create_string(text)?));
    let field = |name, value: &Bytes| {
        let table = lua.create_table()?;
        table.set(name, lua.create_string(value)?)?;
        Ok(Value::Table(table))
    };
    let sequence = |values: Vec<Value>| Ok(Value::Table(lua.create_sequence_from(values)?));
    let each = |replies: &mut dyn Iterator<Item = &Reply>| {
        sequence(replies.map(|it| to_lua(lua, it)).collect::<Result<_>>()?)
    };
    match reply {
        Reply::Status(it) => field("ok", it),
        Reply::Error(it) => field("err", it),
        Reply::Integer(it) => Ok(Value::Number(*it as f64)),
        Reply::Double(it) => text(spell(*it).as_bytes()),
        Reply::Bulk(it) => text(it),
        Reply::Null | Reply::NullArray => Ok(Value::Boolean(false)),
        Reply::Array(items) | Reply::Push(items) => each(&mut items.iter()),
        Reply::Map(pairs) => each(&mut pairs.iter().flat_map(|(key, value)| [key, value])),
        Reply::Scored(pairs) => {
            let mut values = Vec::with_capacity(2 * pairs.len());
            for (member, score) in pairs {
                values.extend([text(member)?, text(spell(*score).as_bytes())?]);
            }
            sequence(values)
        }
    }
}

/// The reply that a script's result makes.
fn from_lua(value: &Value) -> Result<Reply> {
    let bytes = |text: &mlua::LuaString| Bytes::copy_from_slice(&text.as_bytes());
    Ok(match value {
        Value::String(text) => Reply::Bulk(bytes(text)),
        Value::Integer(number) => Reply::Integer(*number),
        Value::Number(number) => Reply::Integer(truncate(*number)),
        Value::Boolean(true) => Reply::Integer(1),
        Value::Table(table) => {
            if let Value::String(text) = table.raw_get("err")? {
                return Ok(Reply::Error(bytes(&text)));
            }
            if let Value::String(text) = table.raw_get("ok")? {
                return Ok(Reply::Status(bytes(&text)));
            }
            let mut items = Vec::new();
            for place in 1.. {
                match table.raw_get(place)? {
                    Value::Nil => break,
                    item => items.push(from_lua(&item)?),
                }
            }
            Reply::Array(items)
        }
        _ => Reply::Null,
    })
}

/// What C makes of a number that is to be whole.
fn truncate(number: f64) -> i64 {
    let limit = -(i64::MIN as f64);
    if number >= -limit && number < limit {
        number as i64
    } else {
        i64::MIN
    }
}
