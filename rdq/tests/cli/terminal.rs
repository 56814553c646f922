//! Runs the program in a terminal of its own.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use testbed::{signal, until, variables_of_rdq};
use vt100::Parser;

/// A terminal with the program in it.
pub(crate) struct Terminal {
    /// Keeps the terminal when the program has ended.
    _slave: Box<dyn SlavePty + Send>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    rdq: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<Parser>>,
    /// The modes of the terminal before the program ran.
    modes: String,
}

impl Terminal {
    /// Runs the program in a terminal of this size. Without columns, it does not know its width.
    pub(crate) fn run(url: &str, args: &[&str], columns: u16, lines: u16) -> Self {
        let size = PtySize {
            rows: lines,
            cols: columns,
            ..PtySize::default()
        };
        let pty = native_pty_system().openpty(size).unwrap();
        let modes = modes(&*pty.master);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_rdq"));
        command.args(args);
        command.env("XDG_CONFIG_HOME", "/nonexistent");
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        command.env_remove("COLUMNS");
        for variable in variables_of_rdq() {
            command.env_remove(variable);
        }
        command.env("RDQ_SERVER", url);
        let rdq = pty.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(parser(
            lines,
            if columns == 0 { 80 } else { columns },
        )));
        let shown = Arc::clone(&screen);
        let mut output = pty.master.try_clone_reader().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        Self {
            keys: pty.master.take_writer().unwrap(),
            _slave: pty.slave,
            master: pty.master,
            rdq,
            screen,
            modes,
        }
    }

    /// Waits until all of these texts are on the screen at once.
    pub(crate) fn shows(&self, texts: &[&str]) {
        until(&format!("{texts:?}"), || {
            let screen = self.text();
            let is_shown = texts.iter().all(|it| screen.contains(it));
            is_shown.then_some(()).ok_or(format!("\n{screen}"))
        });
    }

    /// Waits until this text is not on the screen.
    pub(crate) fn lacks(&self, text: &str) {
        until(&format!("no {text:?}"), || {
            let screen = self.text();
            (!screen.contains(text))
                .then_some(())
                .ok_or(format!("\n{screen}"))
        });
    }

    /// Types these characters.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Sends the program a signal, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let process = self.rdq.process_id().unwrap();
        assert!(signal(name, process.into()));
    }

    /// Waits for the program's end, and returns its exit code.
    pub(crate) fn ends(&mut self) -> i32 {
        until("rdq ends", || {
            let ended = self.rdq.try_wait().map_err(|it| it.to_string())?;
            let status = ended.ok_or_else(|| self.screen.lock().unwrap().screen().contents())?;
            Ok(status.exit_code() as i32)
        })
    }

    /// The program has a screen of its own, and reads keys without echo.
    pub(crate) fn assert_is_taken(&self) {
        assert!(self.screen.lock().unwrap().screen().alternate_screen());
        assert_ne!(modes(&*self.master), self.modes);
    }

    /// Everything is as it was before the program ran.
    pub(crate) fn assert_is_restored(&self) {
        until("the screen is given back", || {
            let screen = self.screen.lock().unwrap();
            let screen = screen.screen();
            let is_back = !screen.alternate_screen() && !screen.hide_cursor();
            is_back.then_some(()).ok_or(screen.contents())
        });
        assert_eq!(modes(&*self.master), self.modes);
    }

    /// True if a character on the screen has a colour of its own.
    pub(crate) fn has_colours(&self) -> bool {
        let screen = self.screen.lock().unwrap();
        let screen = screen.screen();
        let (lines, columns) = screen.size();
        let colour = |line, column| screen.cell(line, column).map(vt100::Cell::fgcolor);
        let (lines, columns) = (lines.get(), columns.get());
        let mut cells = (0..lines).flat_map(|line| (0..columns).map(move |it| (line, it)));
        cells.any(|(line, column)| colour(line, column) != Some(vt100::Color::Default))
    }

    /// What is on the screen, with single spaces: columns are nobody's business here.
    fn text(&self) -> String {
        let screen = self.screen.lock().unwrap();
        let contents = screen.screen().contents();
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        contents.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has usually ended.
        let _ = self.rdq.kill();
        let _ = self.rdq.wait();
    }
}

fn parser(lines: u16, columns: u16) -> Parser {
    let size = |it: u16| it.try_into().unwrap();
    Parser::new(size(lines), size(columns), 0)
}

/// Echo, line by line, signals: how the terminal treats what is typed and printed.
fn modes(master: &dyn MasterPty) -> String {
    let modes = master.get_termios().unwrap();
    format!(
        "{:?} {:?} {:?} {:?}",
        modes.input_flags, modes.output_flags, modes.control_flags, modes.local_flags
    )
}
