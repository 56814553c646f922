//! Takes the terminal, and gives it back whatever happens.

use std::io;
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ratatui::{DefaultTerminal, Frame};

use crate::failure::{Failure, Result};

/// Holds the terminal, with a screen of its own and without echo. Dropping this gives it back.
pub(super) struct Terminal {
    terminal: DefaultTerminal,
    /// Keeps what the last panic said, which would be lost with the screen.
    panic: Arc<Mutex<Option<String>>>,
}

impl Terminal {
    pub(super) fn take() -> Result<Self> {
        let terminal = ratatui::try_init().map_err(failed)?;
        let panic = Arc::<Mutex<Option<String>>>::default();
        let said = Arc::clone(&panic);
        // The hook also runs for panics that are caught, such as those of codecs, so it leaves the
        // screen alone.
        panic::set_hook(Box::new(move |info| {
            *said.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
        }));
        Ok(Self { terminal, panic })
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result {
        self.terminal.draw(draw).map(drop).map_err(failed)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nothing helps if that fails.
        let _ = ratatui::try_restore();
        if thread::panicking() {
            let said = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            eprintln!("{}", said.as_deref().unwrap_or("rdq panicked"));
        } else {
            drop(panic::take_hook());
        }
    }
}

fn failed(source: io::Error) -> Failure {
    Failure::Io {
        what: "cannot use the terminal".to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Read;

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use vt100::Parser;

    use super::Terminal;

    /// Says to a run of this test in a terminal that it is to panic there.
    const PANIC: &str = "RDQ_TEST_PANIC";

    /// A panic would be told on the screen that goes away, and leave a terminal without echo.
    #[test]
    fn a_panic_gives_the_terminal_back_and_is_told() {
        if env::var_os(PANIC).is_some() {
            let _terminal = Terminal::take().unwrap();
            panic!("as planned");
        }
        let pty = native_pty_system().openpty(PtySize::default()).unwrap();
        let before = pty.master.get_termios().unwrap().local_flags;
        let mut command = CommandBuilder::new(env::current_exe().unwrap());
        command.args(["a_panic_gives_the_terminal_back_and_is_told", "--nocapture"]);
        command.env(PANIC, "1");
        let mut child = pty.slave.spawn_command(command).unwrap();
        let mut output = pty.master.try_clone_reader().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(pty.master.get_termios().unwrap().local_flags, before);
        drop(pty.slave);

        let mut bytes = Vec::new();
        // The end of a terminal may read as an error.
        let _ = output.read_to_end(&mut bytes);
        let mut screen = Parser::default();
        screen.process(&bytes);
        let screen = screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor());
        let told = screen.contents();
        assert!(told.contains("as planned"), "{told}");
    }
}
