//! What is on the screen: widgets from the model.

mod board;
mod frame;
mod help;
mod plot;
mod table;
mod theme;

pub(super) use frame::draw;
pub(super) use theme::Theme;

#[cfg(test)]
mod tests;
