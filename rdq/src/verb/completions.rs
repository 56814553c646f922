//! `rdq completions`

use std::io;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::{Failure, Result};

/// Print what a shell needs to complete the verbs and arguments of rdq.
///
/// For bash: rdq completions bash > ~/.local/share/bash-completion/completions/rdq. For fish:
/// rdq completions fish > ~/.config/fish/completions/rdq.fish. For zsh: a file _rdq in a folder of
/// $fpath. Connects to no server.
#[derive(Args, Debug)]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, cli: &mut Command) -> Result {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, cli, "rdq", &mut script);
        io::Write::write_all(&mut io::stdout(), &script).map_err(Failure::stdout)
    }
}
