//! Opens a room of the museum of broken queues for a visit by hand.
//!
//! ```text
//! cargo run -p rdq --example museum                  lists the rooms
//! cargo run -p rdq --example museum -- a ghost       opens one, and waits for Enter
//! rdq --server redis://127.0.0.1:20123 doctor        in another terminal
//! ```

#![allow(clippy::unwrap_used, reason = "it is a part of the tests")]

#[path = "../tests/cli/broken.rs"]
#[allow(dead_code, reason = "the tests need the rest")]
mod broken;
#[path = "../tests/museum/room.rs"]
#[allow(dead_code, reason = "the tests need the rest")]
mod room;
#[path = "../tests/museum/rooms/mod.rs"]
mod rooms;

use std::{env, io, process};

fn main() {
    let name = env::args().skip(1).collect::<Vec<_>>().join(" ");
    let room = match rooms::named(&name) {
        Ok(room) => room,
        Err(reason) => {
            rooms::lines().for_each(|it| println!("{it}"));
            if !name.is_empty() {
                eprintln!("{reason}");
                process::exit(2);
            }
            return;
        }
    };
    let visit = (room.build)();
    let line = ["rdq", "--server", &visit.url, "doctor"];
    let arguments = visit.arguments.iter().map(String::as_str);
    println!(
        "{}",
        shlex::try_join(line.into_iter().chain(arguments)).unwrap()
    );
    if visit.arguments.is_empty() {
        println!(
            "The queue, as a shell reads its name: {}",
            shlex::try_quote(room::NAME).unwrap()
        );
    }
    println!("The room is open until you press Enter.");
    io::stdin().read_line(&mut String::new()).unwrap();
}
