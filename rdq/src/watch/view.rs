//! Draws the screen: makes widgets of the model.

mod board;
mod compact;
mod frame;
mod help;
mod plot;
mod table;
mod theme;

pub(super) use frame::draw;
pub(super) use theme::Theme;

#[cfg(test)]
mod tests;
