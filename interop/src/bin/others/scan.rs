//! A table of orders that a service scans: a `SELECT` of what is due, and an `UPDATE`. SQLite in one
//! process stands for any database: no network, no wait for the disk, and nobody else on the table.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use testbed::Directory;

use crate::{
    FAR, Work,
    lateness::{Lateness, due_in, now_us},
};

/// Returns also how long a scan took on average.
pub(crate) fn measure(work: Work, each: Duration) -> (Lateness, Duration) {
    let mut table = Table::with(work.others);
    table.run("CREATE INDEX by_due ON orders (status, due);");
    let rows: Vec<_> = work
        .delays()
        .map(|it| format!("(0, {})", due_in(it)))
        .collect();
    table.run(&format!(
        "INSERT INTO orders (status, due) VALUES {};",
        rows.join(", ")
    ));
    let end = Instant::now() + work.length();
    let mut late = Lateness::of(work.due);
    let (mut scans, mut spent) = (0, Duration::ZERO);
    while !late.is_complete() && Instant::now() < end {
        thread::sleep(each);
        let began = Instant::now();
        let found = table.scan();
        spent += began.elapsed();
        scans += 1;
        found.iter().for_each(|due| late.came(due));
    }
    (late, spent / scans.max(1))
}

/// How long a scan takes that finds nothing among so many rows.
pub(crate) fn without_index(rows: usize) -> Duration {
    let mut table = Table::with(rows);
    let scans = 5;
    let began = Instant::now();
    for _ in 0..scans {
        table.scan();
    }
    began.elapsed() / scans
}

/// A table in a file of its own.
struct Table {
    sqlite: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _files: Directory,
}

impl Table {
    /// With so many rows that are due in an hour.
    fn with(rows: usize) -> Self {
        let files = Directory::new();
        let mut sqlite = Command::new("sqlite3")
            .args(["-batch", &files.file("orders.db")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sqlite3 is installed");
        let mut table = Self {
            input: sqlite.stdin.take().expect("stdin is a pipe"),
            output: BufReader::new(sqlite.stdout.take().expect("stdout is a pipe")),
            sqlite,
            _files: files,
        };
        let far = now_us() + FAR.as_micros() as i64;
        table.run(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
             CREATE TABLE orders (id INTEGER PRIMARY KEY, status INTEGER, due INTEGER);
             WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < {rows})
             INSERT INTO orders (status, due) SELECT 0, {far} FROM counted;"
        ));
        table
    }

    /// Takes the elements that are due now.
    fn scan(&mut self) -> Vec<String> {
        let is_due = format!("status = 0 AND due <= {}", now_us());
        self.run(&format!(
            "BEGIN IMMEDIATE; SELECT due FROM orders WHERE {is_due};
             UPDATE orders SET status = 1 WHERE {is_due}; COMMIT;"
        ))
    }

    /// Runs these statements, and returns the lines that they print.
    fn run(&mut self, statements: &str) -> Vec<String> {
        const END: &str = "end";
        writeln!(self.input, "{statements}\nSELECT '{END}';").expect("sqlite3 reads");
        let lines = (&mut self.output).lines();
        let lines = lines.map(|it| it.expect("sqlite3 prints text"));
        lines.take_while(|it| it != END).collect()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // It has a file of its own, which goes with it.
        let _ = self.sqlite.kill();
        let _ = self.sqlite.wait();
    }
}
