//! Servers, clusters and Sentinels that the profile file names

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use testbed::{Certificates, Cluster, Directory, Program, Sentinels, Server, Settings};

use crate::rdq::{Run, command, queue, run, without_server};

/// A profile file in a folder of its own, which goes with it.
struct Profiles(Directory);

impl Profiles {
    fn new(text: &str) -> Self {
        let profiles = Self(Directory::new());
        profiles.write(text);
        profiles
    }

    fn write(&self, text: &str) {
        fs::write(self.0.path().join("config.toml"), text).unwrap();
    }

    /// The program for the server `live` of the file.
    fn rdq(&self, args: &[&str]) -> Command {
        let file = self.0.file("config.toml");
        let args = [args, &["--profiles", &file]].concat();
        let mut rdq = command("live", &args);
        rdq.env("LIVE_PASSWORD", "secret");
        rdq
    }

    fn run(&self, args: &[&str]) -> Run {
        Run::of(Program::run(&mut self.rdq(args)))
    }

    /// Offers, lists, changes and takes on a queue.
    fn try_all(&self, queue: &str) {
        let done = |args: &[&str]| {
            let run = self.run(args);
            assert_eq!(run.code, 0, "{args:?}: {run:?}");
            run.stdout
        };
        // The codec is that of the file.
        let ticket = done(&["offer", queue, "\"order 17\"", "--delay", "1h"]);
        let ticket = ticket.trim();
        let row: Value = serde_json::from_str(&done(&["ls", queue, "--json"])).unwrap();
        assert_eq!(row["value"], "order 17");
        let id = row["id"].as_str().unwrap();
        assert!(done(&["get", queue, id]).contains("order 17"));
        done(&["reschedule", queue, ticket, "--delay", "2h"]);
        done(&["promote", queue, ticket]);
        let taken = done(&["take", queue, "--transfer", "--wait", "30s"]);
        assert_eq!(taken, "\"order 17\"\n");
        done(&["pause", queue]);
        assert!(done(&["queues"]).contains(queue));
        done(&["resume", queue]);
    }
}

/// The URL without its password, which the profile names by its environment variable.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (_, address) = rest.rsplit_once('@').unwrap();
    format!("{scheme}://{address}")
}

/// Pasted into a shell, it must not go to another server.
#[tokio::test]
async fn advice_names_the_server_that_the_command_line_names() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    orders
        .offer(&"bread".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    orders.pause().await.unwrap();
    let advised = |mut rdq: Command| {
        let run = Run::of(Program::run(&mut rdq));
        let line = run.stderr.lines().find(|it| it.starts_with("    "));
        line.unwrap().trim().to_owned()
    };
    let named = without_server(&["take", "orders", "--server", &url]);
    assert_eq!(advised(named), format!("rdq --server {url} resume orders"));
    // An operator's hands know -u from redis-cli.
    let named = without_server(&["take", "orders", "-u", &url]);
    assert_eq!(advised(named), format!("rdq --server {url} resume orders"));
    let profiles = Profiles::new(&format!(
        "default = \"live\"\n[server.live]\nurl = \"{url}\"\n"
    ));
    let file = profiles.0.file("config.toml");
    let named = without_server(&["take", "orders", "--profiles", &file]);
    let expected = format!("rdq --profiles {file} resume orders");
    assert_eq!(advised(named), expected);
    let mut named = without_server(&["take", "orders", "-s", "live", "--profiles", "config.toml"]);
    named.current_dir(profiles.0.path());
    let expected = format!("rdq --profiles {file} --server live resume orders");
    assert_eq!(advised(named), expected);
    // A shell has the environment, too.
    assert_eq!(
        advised(command(&url, &["take", "orders"])),
        "rdq resume orders"
    );
}

#[test]
fn a_cluster_works_with_a_password_of_the_environment() {
    let cluster = Cluster::with(&Settings::new().password("secret"), 0);
    let url = without_password(&cluster.url());
    let text = format!(
        "[server.live]\nurl = \"{url}\"\npassword-env = \"LIVE_PASSWORD\"\ncodec = \"kryo5\"\n"
    );
    let profiles = Profiles::new(&text);
    for queue in ["orders", "audit", "mails"] {
        profiles.try_all(queue);
    }
    let both = text.replace("codec", "password-file = \"secret\"\ncodec");
    let refused = Profiles::new(&both).run(&["queues"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("keep one"), "{refused:?}");
    let mut nameless = profiles.rdq(&["queues"]);
    let refused = Run::of(Program::run(nameless.env_remove("LIVE_PASSWORD")));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("LIVE_PASSWORD"), "{refused:?}");
}

#[test]
fn sentinels_lead_to_the_master() {
    let sentinels = Sentinels::start();
    let url = sentinels.url();
    let text = format!("default = \"live\"\n[server.live]\nurl = \"{url}\"\ncodec = \"string\"\n");
    Profiles::new(&text).try_all("orders");
}

#[test]
fn tls_trusts_the_authority_of_the_file() {
    let certificates = Certificates::new();
    let settings = Settings::new().tls(&certificates);
    let server = Server::with(&settings.set("bind", "127.0.0.1 127.0.0.2"));
    let text = format!(
        "[server.live]\nurl = \"{}\"\ncodec = \"json\"\ntls = {{ ca = \"ca.crt\" }}\n",
        server.tls_url()
    );
    // The file stands beside the profile file.
    let profiles = Profiles::new(&text);
    fs::copy(
        certificates.ca_certificate(),
        profiles.0.path().join("ca.crt"),
    )
    .unwrap();
    profiles.try_all("orders");

    // The certificate does not name this host.
    let other = text.replace("127.0.0.1", "127.0.0.2");
    profiles.write(&other);
    let refused = profiles.run(&["queues"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    profiles.write(&other.replace("{ ca", "{ ca-only = true, ca"));
    profiles.try_all("orders");

    profiles.write(&text.replace("tls =", "# tls ="));
    let refused = profiles.run(&["queues"]);
    assert_eq!(refused.code, 1, "{refused:?}");
}

/// Such a password ends the address early, and what is left of it looks like something else.
#[test]
fn a_password_that_ends_the_address_is_explained() {
    for url in [
        "redis://:p@ss/w#rd@127.0.0.1:1",
        "redis://user:1#rd@127.0.0.1:1",
    ] {
        let refused = run(url, &["queues"]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused.stderr.contains("%40 for @, %2F for /"),
            "{refused:?}"
        );
        assert!(!refused.stderr.contains("ss/w"), "{refused:?}");
    }
}

#[test]
fn a_server_without_a_cluster_is_told_in_its_own_words() {
    let server = Server::start();
    let url = format!("redis+cluster://{}", server.address());
    let refused = run(&url, &["queues"]);
    let said = "rediss://: This instance has cluster support disabled\n";
    assert!(refused.stderr.ends_with(said), "{refused:?}");
}
