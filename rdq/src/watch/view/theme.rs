//! Says which styles texts on the screen have.

use ratatui::style::{Color, Modifier, Style};

use crate::screen::has_colours;

/// Holds the styles. No colour means anything by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    has_colour: bool,
}

impl Theme {
    /// Returns styles without colours if the user says so: see <https://no-color.org>.
    pub(crate) fn of_environment() -> Self {
        Self {
            has_colour: has_colours(),
        }
    }

    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self { has_colour: false };

    fn colour(self, colour: Color) -> Style {
        match self.has_colour {
            // The sixteen colours of the terminal fit its background.
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }

    /// The style of texts that are always there and say little: labels and frames.
    pub(crate) fn quiet(self) -> Style {
        match self.has_colour {
            true => Style::new().fg(Color::DarkGray),
            false => Style::new().add_modifier(Modifier::DIM),
        }
    }

    pub(crate) fn title(self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn number(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(crate) fn note(self) -> Style {
        self.colour(Color::Yellow)
    }

    pub(crate) fn bad(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn plot(self) -> Style {
        self.colour(Color::Cyan)
    }

    pub(crate) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
