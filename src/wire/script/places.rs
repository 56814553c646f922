//! Replaces the names of keys and arguments in a script by their places.

/// A key or an argument in the header of a script.
pub(crate) struct Named<'a> {
    /// Its place in the array, from 1.
    pub(crate) place: usize,
    pub(crate) name: &'a str,
    /// The type of the key in Redis, or of the argument.
    kind: &'a str,
}

/// The keys or the arguments in the header of a script: `array` is `KEYS` or `ARGV`.
pub(crate) fn names<'a>(script: &'a str, array: &'a str) -> impl Iterator<Item = Named<'a>> {
    let header = script.lines().take_while(|line| line.starts_with("--"));
    header.filter_map(move |line| {
        let entry = line.strip_prefix("-- ")?.strip_prefix(array)?;
        let (place, rest) = entry.strip_prefix('[')?.split_once("] ")?;
        let mut words = rest.split_whitespace();
        Some(Named {
            place: place.parse().ok()?,
            name: words.next()?,
            kind: words.next().unwrap_or_default(),
        })
    })
}

/// Joins the parts of a script, as [`Script`](super::Script) says. The last one names the keys of all.
pub(crate) fn place(parts: &[&str]) -> String {
    let last = parts.last().copied().unwrap_or_default();
    let keys: Vec<_> = names(last, "KEYS").collect();
    let mut text = String::new();
    for part in parts {
        add_code(part, &keys, &mut text);
    }
    // The last first, because a function calls only those before it.
    let mut end = text.len();
    while let Some(at) = text[..end].rfind("\nlocal function ") {
        let (before, rest) = text.split_at(at + 1);
        if let Some(fitted) = Function::read(rest).map(|it| it.fit(rest)) {
            text = [before, &fitted].concat();
        }
        end = at;
    }
    text
}

/// Adds the first word of a part's header, its arguments, and its code.
fn add_code(part: &str, keys: &[Named<'_>], text: &mut String) {
    let title = part.lines().next().and_then(|it| it.strip_prefix("-- "));
    let title = title.and_then(|it| it.split(':').next());
    text.extend(title.iter().flat_map(|it| ["-- ", it, "\n"]));
    add_arguments(part, text);
    let mut code = String::new();
    let mut before = "";
    for token in tokens(part) {
        let key = keys.iter().find(|it| it.name == token && before != ".");
        match key {
            _ if token.starts_with("--") => {}
            Some(key) => code.extend(["KEYS[", &key.place.to_string(), "]"]),
            None => code.push_str(token),
        }
        before = token;
    }
    let lines = code.lines().map(str::trim_end).filter(|it| !it.is_empty());
    text.extend(lines.flat_map(|line| [line, "\n"]));
}

/// Adds a statement that gives the arguments of a part their names.
fn add_arguments(part: &str, text: &mut String) {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for Named { place, name, kind } in self::names(part, "ARGV") {
        names.push(name);
        values.push(match kind {
            "number" => format!("tonumber(ARGV[{place}])"),
            "flag" => format!("ARGV[{place}] == '1'"),
            "text" => format!("ARGV[{place}]"),
            _ => panic!("{name} has no type: number, flag or text"),
        });
    }
    if !names.is_empty() {
        let statement = ["local ", &names.join(", "), " = ", &values.join(", "), "\n"];
        text.extend(statement);
    }
}

/// Cuts Lua into comments, strings, words, and single characters.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match first {
            _ if rest.starts_with("--") => rest.find('\n'),
            '\'' | '"' => closing(rest, first).map(|it| it + 1),
            _ if is_of_word(first) => rest.find(|it| !is_of_word(it)),
            _ => Some(first.len_utf8()),
        };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(token)
    })
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The end of the string with which `text` begins.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let mut letters = text.char_indices().skip(1);
    let end = letters.find(|(_, letter)| {
        let ends = *letter == quote && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        ends
    });
    end.map(|(at, _)| at)
}

/// A function at the left edge.
struct Function<'a> {
    name: &'a str,
    /// What it calls the keys that it takes.
    keys: Vec<&'a str>,
    /// The start of its only call, if the function only passes its other parameters on to that,
    /// behind arguments about the keys.
    opening: Option<&'a str>,
    text: &'a str,
}

impl<'a> Function<'a> {
    /// The function with which `text` begins.
    fn read(text: &'a str) -> Option<Self> {
        let (name, rest) = text.strip_prefix("local function ")?.split_once('(')?;
        let (parameters, body) = rest.split_once(")\n")?;
        let is_key = |it: &&str| it.starts_with(|letter: char| letter.is_ascii_uppercase());
        let keys: Vec<&str> = parameters.split(", ").take_while(is_key).collect();
        let others = parameters
            .rsplit_once(keys.last().unwrap_or(&""))
            .map_or("", |it| it.1);
        let size = text.len() - body.len() + body.find("\nend\n")? + "\nend\n".len();
        let (line, after) = body.split_once('\n')?;
        let passed = line
            .strip_prefix("  return ")
            .and_then(|it| it.strip_suffix(')')?.strip_suffix(others));
        Some(Self {
            name,
            keys,
            opening: passed.filter(|_| after.starts_with("end\n")),
            text: &text[..size],
        })
    }

    /// Returns `text`, which begins with the function, with a copy of the function for each list of
    /// keys with which it is called. Leaves the function out if nothing calls it, or if its calls
    /// can be spelled out.
    fn fit(&self, text: &str) -> String {
        let after = &text[self.text.len()..];
        if self.keys.is_empty() {
            let is_used = tokens(after).any(|it| it == self.name);
            return if is_used { text } else { after }.to_owned();
        }
        let mut calls = Vec::new();
        let after = self.rename(after, |places| {
            if !calls.contains(places) {
                calls.push(places.clone());
            }
        });
        if self.opening.is_some() {
            return after;
        }
        let copies = calls.iter().map(|places| {
            let copy = self.with_keys(self.text, places);
            self.rename(&copy, |_| {})
        });
        copies.collect::<String>() + &after
    }

    /// Some text of the function, for the keys at these places.
    fn with_keys(&self, text: &str, places: &[&str]) -> String {
        let place = |token: &str| match self.keys.iter().position(|key| *key == token) {
            Some(nth) => format!("KEYS[{}]", places[nth]),
            None => token.to_owned(),
        };
        tokens(text).map(place).collect()
    }

    /// Makes calls of the function call its copies, or spells them out. Passes the places of the
    /// keys of each call to `visit`.
    fn rename<'b>(&self, text: &'b str, mut visit: impl FnMut(&Vec<&'b str>)) -> String {
        let mut renamed = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(self.name) {
            let (before, call) = rest.split_at(at);
            let (name, after) = call.split_at(self.name.len());
            renamed.push_str(before);
            rest = after;
            let Some((places, arguments)) =
                self.places(after).filter(|_| !before.ends_with(is_of_word))
            else {
                renamed.push_str(name);
                continue;
            };
            visit(&places);
            if let Some(opening) = self.opening {
                renamed.push_str(&self.with_keys(opening, &places));
                renamed.push_str(if arguments.starts_with(')') { "" } else { ", " });
            } else {
                renamed.push_str(name);
                renamed.extend(places.iter().flat_map(|place| ["_", place]));
                renamed.push('(');
            }
            rest = arguments;
        }
        renamed + rest
    }

    /// The places of the keys with which a list of arguments begins, and what follows them.
    fn places<'b>(&self, arguments: &'b str) -> Option<(Vec<&'b str>, &'b str)> {
        let mut rest = arguments.strip_prefix('(')?;
        let mut places = Vec::new();
        for _ in &self.keys {
            let (place, after) = rest.strip_prefix("KEYS[")?.split_once(']')?;
            places.push(place);
            rest = after.strip_prefix(", ").unwrap_or(after);
        }
        Some((places, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_fields_and_comments_keep_their_words() {
        let script = "\
-- it: says `one`.
-- KEYS[1] one
-- KEYS[2] two

-- Not one.
redis.call('SET', one, 'one', two) -- one
local it = { 'it\\'s one' }
it.one = \"one\" .. one_more
";
        let text = "\
-- it
redis.call('SET', KEYS[1], 'one', KEYS[2])
local it = { 'it\\'s one' }
it.one = \"one\" .. one_more
";
        assert_eq!(place(&[script]), text);
    }

    #[test]
    fn arguments_have_the_types_that_the_header_says() {
        let script = "\
-- it: does something.
-- ARGV[1]  most   number  how many
-- ARGV[3]  first  flag    from the first on
-- ARGV[10] name   text    what it is called
-- ARGV    from 11 on: others
return { most, first, name }
";
        let text = "\
-- it
local most, first, name = tonumber(ARGV[1]), ARGV[3] == '1', ARGV[10]
return { most, first, name }
";
        assert_eq!(place(&[script]), text);
    }

    #[test]
    fn a_function_that_takes_keys_may_call_another() {
        let script = "\
-- KEYS[1] one
-- KEYS[2] two
local function size(KEY)
  local size = redis.call('LLEN', KEY)
  return size
end
local function move(FROM, TO, most)
  redis.call('LMOVE', FROM, TO, most, size(TO))
end
move(one, two, 7)
move(one, one, size(one))
";
        let text = place(&[script]);
        for part in [
            "local function size_1()\n  local size = redis.call('LLEN', KEYS[1])\n  return size\nend\n",
            "local function move_1_2(most)\n  redis.call('LMOVE', KEYS[1], KEYS[2], most, size_2())\nend\n",
            "\nmove_1_2(7)\nmove_1_1(size_1())\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("KEY,") && !text.contains("TO"), "{text}");
    }

    /// Redis makes each function anew at each call of the script.
    #[test]
    fn a_function_that_only_passes_parameters_on_is_spelled_where_it_is_called() {
        let script = "\
-- KEYS[1] one
local function first(KEY)
  return head(redis.call('LRANGE', KEY, 0, 0))
end
local function check(KEY, wanted, ...)
  return is_fit(redis.call('TYPE', KEY).ok, KEY, wanted, ...)
end
local function unlike(KEY, it)
  return compare(it, KEY)
end
return check(one, 'list', 1, 2) and first(one) and unlike(one, 3)
";
        let text = "\
-- KEYS[1] one
local function unlike_1(it)
  return compare(it, KEYS[1])
end
return is_fit(redis.call('TYPE', KEYS[1]).ok, KEYS[1], 'list', 1, 2) and head(redis.call('LRANGE', KEYS[1], 0, 0)) \
and unlike_1(3)
";
        assert_eq!(place(&[script]), text);
    }

    /// It would stand in every script that uses its file.
    #[test]
    fn a_function_that_nothing_calls_is_left_out() {
        for function in [
            "local function size(KEY)\n  return KEY\nend\n",
            "local function size()\n  return 7\nend\n",
        ] {
            let script = format!("-- KEYS[1] one\n{function}return one\n");
            assert_eq!(place(&[&script]), "-- KEYS[1] one\nreturn KEYS[1]\n");
        }
    }
}
