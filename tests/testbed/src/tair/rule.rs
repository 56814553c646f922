//! What a managed cluster asks of a script.

/// How many arguments of a command are keys.
fn keys_of(command: &str, arguments: usize) -> usize {
    match command {
        "TIME" | "PUBLISH" => 0,
        "DEL" | "EXISTS" | "TOUCH" | "UNLINK" => arguments,
        "COPY" | "LMOVE" | "RENAME" | "RENAMENX" | "RPOPLPUSH" | "SMOVE" => 2,
        _ => 1,
    }
}

/// What is wrong with a script, or nothing.
pub(super) fn objection(script: &str) -> Option<String> {
    let tokens = tokens(script);
    let calls = tokens.windows(4).enumerate();
    let mut calls = calls.filter(|(_, it)| is_call(it)).map(|(at, _)| at + 4);
    calls.find_map(|at| {
        let arguments = arguments(&tokens[at..]);
        let call = || {
            arguments
                .iter()
                .map(|it| it.concat())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let wrong = wrong(&arguments)?;
        Some(format!(
            "{wrong}: {}",
            call().replace(['\'', '\\', '\n'], "")
        ))
    })
}

fn is_call(tokens: &[&str]) -> bool {
    matches!(tokens, ["redis", ".", "call" | "pcall", "("])
}

fn wrong(arguments: &[Vec<&str>]) -> Option<&'static str> {
    let command = match arguments.first().map(Vec::as_slice) {
        Some([command]) if command.starts_with(['\'', '"']) => &command[1..command.len() - 1],
        _ => {
            return Some(
                "first parameter of redis.call/redis.pcall must be a single literal string",
            );
        }
    };
    let rest = &arguments[1..];
    if rest.iter().any(|it| it.windows(4).any(is_call)) {
        return Some("nested redis.call/redis.pcall");
    }
    let count = keys_of(&command.to_ascii_uppercase(), rest.len());
    let is_place = |it: &Vec<&str>| matches!(it[..], ["KEYS", "[", n, "]"] if n.bytes().all(|digit| digit.is_ascii_digit()));
    if rest.len() < count || !rest[..count].iter().all(is_place) {
        return Some("all the keys that the script uses should be passed using the KEYS array");
    }
    let has_keys = rest[count..].iter().any(|it| it.contains(&"KEYS"));
    has_keys.then_some("KEYS should not be in expression")
}

/// The arguments of a call, up to the bracket that closes it.
fn arguments<'a>(tokens: &[&'a str]) -> Vec<Vec<&'a str>> {
    let (mut arguments, mut depth) = (vec![Vec::new()], 0);
    for token in tokens {
        match *token {
            ")" if depth == 0 => break,
            "," if depth == 0 => {
                arguments.push(Vec::new());
                continue;
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        arguments.last_mut().expect("there is a first").push(*token);
    }
    arguments
}

/// Words, texts and single characters of Lua, without comments and space.
fn tokens(script: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = script.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let size = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if is_word(first) {
            rest.find(|it| !is_word(it)).unwrap_or(rest.len())
        } else if first == '\'' || first == '"' {
            text_size(rest, first)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(size);
        if !token.starts_with("--") {
            tokens.push(token);
        }
        rest = after.trim_start();
    }
    tokens
}

/// How many bytes a text has, with its quotes.
fn text_size(rest: &str, quote: char) -> usize {
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return at + 1;
        } else if letter == '\\' {
            letters.next();
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::objection;

    #[test]
    fn literal_places_of_keys_are_accepted() {
        for script in [
            "return redis.call('GET', KEYS[1])",
            "local t = redis.call('TIME') redis.pcall('PUBLISH', ARGV[1], t[1])",
            "redis.call('RENAME', KEYS[1], KEYS[12]) -- redis.call('GET', key)",
            "redis.call('ZADD', KEYS[1], unpack(f(1, { 2, 3 })))",
            "redis.call('EXISTS', KEYS[1], KEYS[2]) return KEYS[i]",
        ] {
            assert_eq!(objection(script), None, "{script}");
        }
    }

    #[test]
    fn all_other_keys_are_refused() {
        for script in [
            "local key = KEYS[1] redis.call('GET', key)",
            "redis.call('GET', KEYS[i])",
            "redis.call('GET', KEYS[1] .. 'x')",
            "redis.call('GET', 'x')",
            "redis.call('GET')",
            "redis.call('RENAME', KEYS[1], other)",
            "redis.call('EXISTS', unpack(KEYS))",
            "redis.pcall('SET', KEYS[1], KEYS[2])",
            "redis.call(ARGV[1], KEYS[1])",
            "redis.call('SET' .. '', KEYS[1])",
            "redis.call('SET', KEYS[1], redis.call('GET', KEYS[2]))",
        ] {
            assert!(objection(script).is_some(), "{script}");
        }
    }
}
