//! Records that are printed before what they hold is deleted.

use crate::failure::Result;
use crate::queue::record::{Header, Record};
use crate::screen::Screen;
use crate::session::Session;

/// The lines of a file from which `rdq import` brings back what was deleted.
pub(crate) struct Printed {
    screen: Screen,
    records: u64,
}

impl Printed {
    /// Prints the first line.
    pub(crate) async fn begin(session: &Session, queue: &str) -> Result<Self> {
        let now = session.now(queue).await?;
        let screen = session.screen;
        screen.line(&Record::Queue(Header::new(queue, now)))?;
        Ok(Self { screen, records: 0 })
    }

    /// Prints a record, and returns when the system has it.
    pub(crate) fn add(&mut self, record: &Record) -> Result {
        self.screen.line(record)?;
        self.records += 1;
        Ok(())
    }

    /// Prints the last line.
    pub(crate) fn end(self) -> Result {
        let Self { screen, records } = self;
        screen.line(&Record::End { records })
    }
}
