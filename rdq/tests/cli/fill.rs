//! Many elements, and what they cost.

use testbed::Server;

/// Puts so many pending elements into a queue. They are due within a day from now, in the order of
/// the payloads `0`, `1`, …, and were offered in that order.
pub(crate) fn fill(server: &Server, queue: &str, count: usize) {
    let script = "
        local now = redis.call('TIME')[1] * 1000
        for i = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
            local payload = tostring(i)
            local member = struct.pack('Bc0Lc0', 8, string.format('%08d', i), #payload, payload)
            redis.call('ZADD', KEYS[1], now + 3600000 + i, member)
            redis.call('RPUSH', KEYS[2], member)
        end";
    let timeouts = format!("redisson_delay_queue_timeout:{{{queue}}}");
    let ordering = format!("redisson_delay_queue:{{{queue}}}");
    for first in (0..count).step_by(10_000) {
        let (first, behind) = (first.to_string(), (first + 10_000).min(count).to_string());
        server.run::<()>(&["EVAL", script, "2", &timeouts, &ordering, &first, &behind]);
    }
}

/// How often each command ran since the statistics began, and how long it took on average, in us.
pub(crate) fn costs(server: &Server) -> Vec<(String, u64, f64)> {
    let stats: String = server.run(&["INFO", "commandstats"]);
    let cost = |line: &str| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(':')?;
        let number = |field: &str| rest.split(',').find_map(|it| it.strip_prefix(field));
        let calls = number("calls=")?.parse().ok()?;
        let mean = number("usec_per_call=")?.parse().ok()?;
        Some((name.to_owned(), calls, mean))
    };
    stats.lines().filter_map(cost).collect()
}
