//! How far long work has come, for people who watch.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen::Screen;

/// A line on stderr that counts, if somebody sees it.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Screen {
    /// Counts `what` on stderr, if it is a terminal and `is_wanted` is true.
    pub(crate) fn progress(self, what: &str, is_wanted: bool) -> Progress {
        let bar = match is_wanted && io::stderr().is_terminal() {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} {msg}, {per_sec}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress { bar }
    }
}

impl Progress {
    /// Says how much there is to do, so that the line becomes a bar.
    pub(crate) fn of(self, count: u64) -> Self {
        let bar = "{wide_bar} {human_pos} of {human_len} {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(bar) {
            self.bar.set_style(style);
        }
        self.bar.set_length(count);
        self
    }

    pub(crate) fn add(&self, count: u64) {
        self.bar.inc(count);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
