//! Random commands with random arguments.

use crate::values::{Text, Values};

/// Commands, where `$l`, `$z`, `$h` and `$s` are keys that hold a list, a sorted set, a hash or a string as
/// a rule, `$k` is any key, and the others are what [`word`] makes.
const COMMANDS: &[&str] = &[
    "COPY $k $k",
    "COPY $k $k REPLACE",
    "DEL $k",
    "DEL $k $k",
    "EXISTS $k $k",
    "PERSIST $k",
    "PEXPIRE $k $ttl",
    "PEXPIRE $k $ttl",
    "PEXPIRE $k $ttl NX",
    "PEXPIRE $k $ttl GT",
    "PEXPIRE $k $ttl LT",
    "PEXPIREAT $k $ms",
    "PTTL $k",
    "RENAME $k $k",
    "RENAMENX $k $k",
    "TOUCH $k $k",
    "TYPE $k",
    "UNLINK $k",
    "GET $s",
    "SET $s $w",
    "SET $s $w PX $ttl",
    "SET $k $w NX",
    "SET $s $w XX GET",
    "SET $s $w KEEPTTL",
    "SET $s $w EX $i",
    "HDEL $h $f $f",
    "HEXISTS $h $f",
    "HGET $h $f",
    "HINCRBY $h $f $i",
    "HLEN $h",
    "HMGET $h $f $f",
    "HSET $h $f $w",
    "HSET $h $f $w $f $i",
    "HSETNX $h $f $w",
    "HSTRLEN $h $f",
    "HSET $h $f",
    "HSET $h $f $w $f",
    "LINDEX $l $i",
    "LLEN $l",
    "LPOP $l",
    "LPOP $l $i",
    "LPOS $l $w",
    "LPOS $l $w RANK $i",
    "LPOS $l $w RANK $i MAXLEN $i",
    "LPOS $l $w COUNT $i RANK $i",
    "LPUSH $l $w $w",
    "LPUSHX $l $w",
    "LRANGE $l $i $i",
    "LREM $l $i $w",
    "LSET $l $i $w",
    "LTRIM $l $i $i",
    "RPOP $l",
    "RPUSH $l $w",
    "RPUSH $l $w $w $w",
    "RPUSHX $l $w",
    "LPOP $l 1 1",
    "ZADD $z $d $w",
    "ZADD $z $d $w $d $w",
    "ZADD $z NX $d $w",
    "ZADD $z XX $d $w",
    "ZADD $z GT CH $d $w $d $w",
    "ZADD $z INCR $d $w",
    "ZADD $z NX XX $d $w",
    "ZADD $z LT $d $w",
    "ZADD $z $d $w $d",
    "ZADD $z INCR NX $d $w",
    "ZCARD $z",
    "ZCOUNT $z $b $b",
    "ZMSCORE $z $w $w",
    "ZRANGE $z $i $i",
    "ZRANGE $z $i $i WITHSCORES",
    "ZRANGE $z $b $b BYSCORE LIMIT $i $i",
    "ZRANGE $z $b $b BYSCORE REV LIMIT $i $i WITHSCORES",
    "ZRANGE $z $i $i REV WITHSCORES",
    "ZRANGE $z $i $i LIMIT 0 1",
    "ZRANGEBYSCORE $z $b $b",
    "ZRANGEBYSCORE $z $b $b WITHSCORES LIMIT $i $i",
    "ZRANGEBYLEX {q}:grouped [$w ($w LIMIT 0 1",
    "ZRANK $z $w",
    "ZREM $z $w $w",
    "ZREMRANGEBYRANK $z $i $i",
    "ZREMRANGEBYSCORE $z $b $b",
    "ZSCORE $z $w",
    "PUBLISH moved $w",
    "PUBLISH other $w",
    "TIME",
    "PING",
    "PING $w",
    "SCRIPT EXISTS $w",
    "NOSUCH one two",
    "GET",
    "EVAL $lua 1 $k $w",
    "EVAL $lua 2 $k $w",
    "EVAL $lua 3 $k",
    "EVALSHA 0123456789012345678901234567890123456789 0",
    "CLIENT SETNAME it",
    "CLIENT GETNAME",
];

/// Small scripts, some of which fail.
const SCRIPTS: &[&str] = &[
    "return redis.call('GET', KEYS[1])",
    "redis.call('SET', KEYS[1], 1)\nreturn redis.call('LLEN', KEYS[1])",
    "return redis.pcall('LPUSH', KEYS[1], ARGV[1])",
    "return { 1, 2.9, -2.9, 'x', false, true, { ok = 'fine' }, { err = 'MY error' }, nil, 3 }",
    "return nil + 1",
    "\nreturn redis.call()",
    "return redis.call('SET', KEYS[1], {})",
    "return redis.call('NOSUCH')",
    "return redis.call('GET')",
    "return redis.error_reply('RDQ it\\nfailed')",
    "return redis.error_reply('word')",
    "return redis.error_reply('-CODE word')",
    "return redis.status_reply('fine')",
    "return math.huge",
    "return 0 / 0",
    "return redis.pcall('SUBSCRIBE', 'x')",
    "return struct.pack('>HL', 1, 2) .. struct.pack('<Bc0Lc0', 1, 'a', 2, 'bc')",
    "return { struct.unpack('>L', '12345678') }",
    "return struct.unpack('>L', '1234')",
    "return tostring(2 ^ 60)",
    "return redis.call('ZADD', KEYS[1], 'INCR', 0.1, 'x')",
    "return redis.call('ZADD', KEYS[1], 1.5, 1e17)",
    "return { redis.acl_check_cmd('ZADD', KEYS[1], '1', '1'), redis.acl_check_cmd('TIME') }",
    "return redis.acl_check_cmd('NOSUCH')",
    "return redis.sha1hex(ARGV[1] or '')",
    "error('mine')",
    "error({ err = 'MINE too' })",
    "local function f() return redis.call('LSET', KEYS[1], 100, 'x') end\nlocal x = f()\nreturn x",
    "return unknown",
    "it = 1",
    "return string.rep('x', -1) .. string.format('%.17g %.0f %d', 0.1, 1e15, 7)",
    "return this is no Lua",
    "return redis.call('TIME')",
    "return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')",
    "return redis.pcall('PUBLISH', 'moved', KEYS[1])",
    "return { redis.call('TYPE', KEYS[1]), redis.call('TYPE', KEYS[1]).ok }",
    "return string.sub('x', {})",
];

pub(crate) fn any(values: &mut Values<'_>) -> Vec<Text> {
    let template = values.one_of(COMMANDS);
    template.split(' ').map(|word| fill(values, word)).collect()
}

/// Puts a value where the word says `$`.
fn fill(values: &mut Values<'_>, word: &str) -> Text {
    match word.split_once('$') {
        None => word.into(),
        Some((before, kind)) => [before.as_bytes(), &self::word(values, kind)].concat(),
    }
}

fn word(values: &mut Values<'_>, kind: &str) -> Text {
    match kind {
        "k" => values.key(),
        "l" | "z" | "h" | "s" => values.key_for(char::from(kind.as_bytes()[0])),
        "d" => values.score(),
        "b" if values.chance(1, 3) => values.one_of(&["-inf", "+inf", "(0", ""]).into(),
        "b" => {
            let score = values.score();
            if values.chance(1, 3) {
                [&b"("[..], &score].concat()
            } else {
                score
            }
        }
        "i" if values.chance(1, 40) => values
            .one_of(&["x", "", "01", "9223372036854775807", "-9223372036854775808"])
            .into(),
        "i" => values.number(-4, 5),
        "ttl" => values.number(-10, 5000),
        "ms" => values.moment(),
        "f" => values.one_of(&["paused", "a", "b", "untidy", "n"]).into(),
        "lua" => values.one_of(SCRIPTS).into(),
        _ if values.chance(1, 4) => values.member(),
        _ => values.payload(),
    }
}
