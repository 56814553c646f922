//! `rdq man`

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::failure::{Failure, Result};

/// Print the manual page of rdq, or write one for each verb.
///
/// Connects to no server. To read the page: rdq man | man -l -
#[derive(Args, Debug)]
pub(crate) struct Man {
    /// Write rdq.1 and a page for each verb, such as rdq-ls.1, into this folder.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, cli: &mut Command) -> Result {
        cli.build();
        let Some(folder) = self.dir else {
            let page = rendered(cli.clone()).map_err(Failure::stdout)?;
            return io::stdout().write_all(&page).map_err(Failure::stdout);
        };
        let mut pages = vec![cli.clone()];
        while let Some(command) = pages.pop() {
            let name = command.get_display_name().unwrap_or(command.get_name());
            let path = folder.join(format!("{name}.1"));
            let subcommands = command
                .get_subcommands()
                .filter(|it| it.get_name() != "help");
            pages.extend(subcommands.cloned());
            let written = rendered(command).and_then(|page| {
                fs::create_dir_all(&folder)?;
                fs::write(&path, page)
            });
            written.map_err(|source| Failure::write(&path, source))?;
        }
        Ok(())
    }
}

fn rendered(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(command).render(&mut page)?;
    Ok(page)
}
