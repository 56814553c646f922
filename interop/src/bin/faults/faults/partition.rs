//! A master is cut off from all other nodes, but not from its clients.

use std::{env, process::Command, thread, time::Duration};

use rand::rngs::StdRng;
use testbed::Server;

use super::{Fault, Rhythm, Stage, Twice};
use crate::{Result, bed::Kind};

/// Each node has an address of the loopback network to itself, and rules of routing drop what
/// passes between two of them. That is safe only in a network namespace of this process.
pub(super) struct Partition;

impl Fault for Partition {
    fn name(&self) -> &'static str {
        "partition"
    }

    fn kind(&self) -> Kind {
        Kind::OpenCluster
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 3,
            pause_ms: (1_500, 3_000),
            hold_ms: (0, 0),
        }
    }

    fn twice(&self) -> Twice {
        Twice::Unheard
    }

    fn fails_over(&self) -> bool {
        true
    }

    fn possible(&self) -> Result<()> {
        match env::var_os(NAMESPACE) {
            Some(_) => Ok(()),
            None => Err("this machine lets nobody make network namespaces".into()),
        }
    }

    fn prepare(&self, stage: &Stage) -> Result<()> {
        // By default the rule for local addresses comes before all others.
        ip("rule add pref 100 lookup local")?;
        ip("rule del pref 0")?;
        let nodes = stage.bed.cluster()?.nodes();
        for name in ["bind-source-addr", "cluster-announce-ip"] {
            for (index, node) in nodes.iter().enumerate() {
                node.run::<()>(&["CONFIG", "SET", name, &address(index)]);
            }
        }
        // Links from the former address go on until they are cut.
        for node in &nodes {
            let bus = node.port() + BUS;
            ip(&format!(
                "rule add pref 10 from 127.0.0.1 ipproto tcp dport {bus} blackhole"
            ))?;
            node.run::<u64>(&["CLIENT", "KILL", "TYPE", "replica"]);
        }
        thread::sleep(Duration::from_secs(3));
        stage.bed.await_whole();
        Ok(())
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        let master = stage.bed.master();
        rules(stage, &master, "add")
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        let cut_off = self.cut_off(stage)?;
        stage.bed.await_master_after(&cut_off, &stage.group)
    }

    /// The former master hears of the new one.
    fn settle(&self, stage: &Stage) -> Result<()> {
        thread::sleep(Duration::from_secs(2));
        rules(stage, &self.cut_off(stage)?, "del")?;
        stage.bed.await_whole();
        Ok(())
    }
}

impl Partition {
    /// The node whose packets are dropped.
    fn cut_off(&self, stage: &Stage) -> Result<Server> {
        let rules = ip("rule list")?;
        let nodes = stage.bed.cluster()?.nodes();
        let mut all = nodes.into_iter().enumerate();
        let found = all.find(|(index, _)| {
            let dropped = |line: &&str| line.contains(&format!("from {} ", address(*index)));
            rules.lines().filter(dropped).count() > 1
        });
        found
            .map(|(_, node)| node)
            .ok_or_else(|| "no node is cut off".into())
    }
}

/// Adds or deletes the rules that drop what passes between this node and all others.
fn rules(stage: &Stage, node: &Server, verb: &str) -> Result<()> {
    let nodes = stage.bed.cluster()?.nodes();
    let own = nodes.iter().position(|it| it == node);
    let own = own.ok_or("the master is a node")?;
    for other in (0..nodes.len()).filter(|it| *it != own) {
        for (from, to) in [(own, other), (other, own)] {
            let (from, to) = (address(from), address(to));
            ip(&format!(
                "rule {verb} pref 10 from {from} to {to} blackhole"
            ))?;
        }
    }
    Ok(())
}

fn address(index: usize) -> String {
    format!("127.0.0.{}", 10 + index)
}

fn ip(arguments: &str) -> Result<String> {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "ip {arguments}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// How far the port for other nodes is above that for clients.
const BUS: u16 = 10_000;
/// `tests/faults.sh` sets it in a namespace of its own.
const NAMESPACE: &str = "FAULTS_NAMESPACE";
