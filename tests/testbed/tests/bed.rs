//! What the bed promises: it fails over, moves slots, kills and freezes.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redis::RedisResult;
use testbed::{Certificates, ClockOffset, Cluster, Sentinels, Server, Settings, Tair, until};

#[test]
fn a_killed_server_comes_back_on_its_port_with_its_data_or_empty() {
    let settings = Settings::new()
        .set("appendonly", "yes")
        .set("appendfsync", "always");
    let server = Server::with(&settings);
    server.run::<()>(&["SET", "key", "value"]);

    server.kill();
    assert!(!server.is_running());
    assert!(server.try_run::<String>(&["GET", "key"]).is_err());

    server.restart();
    assert_eq!(server.run::<String>(&["GET", "key"]), "value");
    server.restart_empty();
    assert_eq!(server.run::<Option<String>>(&["GET", "key"]), None);
}

#[test]
fn a_paused_server_answers_when_it_is_resumed() {
    let server = Server::start();
    let mut connection = server.connection();
    let moment = Some(Duration::from_millis(300));
    connection.set_read_timeout(moment).expect("not zero");
    server.pause();
    let silence: RedisResult<String> = redis::cmd("PING").query(&mut connection);
    assert!(silence.is_err_and(|it| it.is_timeout()));
    server.resume();
    assert_eq!(server.run::<String>(&["PING"]), "PONG");
}

#[test]
fn a_server_dies_with_its_last_handle_also_when_a_test_panics() {
    let server = Server::start();
    let port = server.port();
    let (_, directory): (String, String) = server.run(&["CONFIG", "GET", "dir"]);
    assert!(Path::new(&directory).exists());
    let panicked = thread::spawn(move || {
        server.pause();
        panic!("as a failing test does, {}", server.port());
    });
    assert!(panicked.join().is_err());
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!Path::new(&directory).exists());
}

/// Settings that Redis refuses must not look like a taken port.
#[test]
#[should_panic(expected = "no-such-setting")]
fn a_refused_setting_fails_with_the_reason() {
    let _ = Server::with(&Settings::new().set("no-such-setting", "1"));
}

#[test]
fn a_server_with_a_password_lets_nobody_else_in() {
    let server = Server::with(&Settings::new().password("secret"));
    assert!(server.url().contains("secret"));
    assert_eq!(server.run::<String>(&["PING"]), "PONG");
    let stranger = redis::Client::open(format!("redis://{}", server.address()));
    let refused: RedisResult<String> = stranger
        .and_then(|it| it.get_connection())
        .and_then(|mut it| redis::cmd("PING").query(&mut it));
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn openssl_accepts_the_certificates_of_every_topology_with_tls() {
    let certificates = Certificates::new();
    let settings = Settings::new()
        .tls(&certificates)
        .set("tls-auth-clients", "yes");
    let server = Server::with(&settings);
    let cluster = Cluster::with(&settings, 1);
    let sentinels = Sentinels::with(&settings, None);
    let mut all = vec![server];
    all.extend(cluster.nodes());
    all.extend(
        sentinels
            .data()
            .iter()
            .chain(sentinels.sentinels())
            .cloned(),
    );
    for server in &all {
        assert_eq!(tls_handshake(&certificates, server.tls_port()), "0 (ok)");
    }

    let moved = cluster.slot_of("key");
    cluster.master_of("key").run::<()>(&["SET", "key", "value"]);
    let to = other_master(&cluster, &cluster.master_of("key"));
    cluster.move_slot(moved, &to);
    assert_eq!(to.run::<String>(&["GET", "key"]), "value");
    assert_eq!(
        cluster.failover("key").run::<String>(&["GET", "key"]),
        "value"
    );
    let former = sentinels.master();
    assert_ne!(sentinels.failover(), former);
}

/// What `openssl` says about the server's certificate.
fn tls_handshake(certificates: &Certificates, port: u16) -> String {
    let openssl = std::process::Command::new("openssl")
        .args(["s_client", "-connect", &format!("127.0.0.1:{port}")])
        .arg("-CAfile")
        .arg(certificates.ca_certificate())
        .arg("-cert")
        .arg(certificates.client_certificate())
        .arg("-key")
        .arg(certificates.client_key())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("openssl is installed");
    let said = String::from_utf8_lossy(&openssl.stdout);
    let mut results = said
        .lines()
        .filter_map(|it| it.trim().strip_prefix("Verify return code: "));
    results.next().unwrap_or("no result").to_owned()
}

#[test]
fn a_cluster_is_ready_within_seconds_and_fails_over_planned_and_by_kill() {
    let begun = Instant::now();
    let cluster = Cluster::start();
    let took = begun.elapsed();
    println!("ready after {took:?}");
    assert_eq!((cluster.nodes().len(), cluster.masters().len()), (6, 3));
    let seeds = cluster
        .nodes()
        .iter()
        .map(Server::address)
        .collect::<Vec<_>>();
    assert_eq!(
        cluster.url(),
        format!("redis+cluster://{}", seeds.join(","))
    );

    let first = cluster.master_of("key");
    first.run::<()>(&["SET", "key", "value"]);
    let second = cluster.failover("key");
    assert_eq!(second, cluster.master_of("key"));
    assert_eq!(first, cluster.replica_of("key"));
    assert_eq!(second.run::<String>(&["GET", "key"]), "value");

    let begun = Instant::now();
    assert_eq!(cluster.kill_master_of("key"), second);
    cluster.wait_until_ok();
    println!("healed after {:?}", begun.elapsed());
    assert_eq!(cluster.master_of("key"), first);
    assert_eq!(first.run::<String>(&["GET", "key"]), "value");

    second.restart();
    cluster.wait_until_ok();
    assert_eq!(cluster.replica_of("key"), second);
}

#[test]
fn a_slot_on_the_move_answers_ask_and_then_moved() {
    let cluster = Cluster::without_replicas();
    let from = cluster.master_of("{tag}1");
    let to = other_master(&cluster, &from);
    for key in ["{tag}1", "{tag}2"] {
        from.run::<()>(&["SET", key, "value"]);
    }

    let moving = cluster.begin_move(cluster.slot_of("{tag}1"), &to);
    assert_eq!(refusal(&from, &["GET", "{tag}3"]), "ASK");
    assert_eq!(moving.move_keys(1), 1);
    assert_eq!(refusal(&from, &["MGET", "{tag}1", "{tag}2"]), "TRYAGAIN");
    assert_eq!(cluster.master_of("{tag}1"), from);

    moving.finish();
    assert_eq!(refusal(&from, &["GET", "{tag}1"]), "MOVED");
    assert_eq!(cluster.master_of("{tag}1"), to);
    assert_eq!(to.run::<usize>(&["EXISTS", "{tag}1", "{tag}2"]), 2);
}

#[test]
fn a_node_that_is_added_takes_a_slot_and_gives_it_back_when_it_is_removed() {
    let cluster = Cluster::without_replicas();
    cluster.master_of("key").run::<()>(&["SET", "key", "value"]);
    let added = cluster.add_node();
    assert_eq!((cluster.nodes().len(), cluster.masters().len()), (4, 3));
    cluster.move_slot(cluster.slot_of("key"), &added);
    assert_eq!(cluster.master_of("key"), added);

    cluster.remove_node(&added);
    assert!(!added.is_running());
    assert_eq!(cluster.nodes().len(), 3);
    assert_eq!(
        cluster.master_of("key").run::<String>(&["GET", "key"]),
        "value"
    );
}

#[test]
fn sentinels_fail_over_planned_and_by_kill_and_demote_a_former_master() {
    let begun = Instant::now();
    let sentinels = Sentinels::start();
    println!("ready after {:?}", begun.elapsed());
    let first = sentinels.master();
    first.run::<()>(&["SET", "key", "value"]);
    for replica in sentinels.replicas() {
        // What comes right after the first copy is sent up to a second later.
        until("the replica has the key", || {
            let value: RedisResult<String> = replica.try_run(&["GET", "key"]);
            value.map_err(|error| error.to_string())
        });
    }

    let begun = Instant::now();
    let second = sentinels.failover();
    println!("planned failover after {:?}", begun.elapsed());
    assert_ne!(first, second);
    assert_eq!(second.run::<String>(&["GET", "key"]), "value");

    sentinels.sentinels()[0].kill();
    let begun = Instant::now();
    assert_eq!(sentinels.kill_master(), second);
    sentinels.wait_until_ok();
    println!("healed after {:?}", begun.elapsed());
    let third = sentinels.master();
    assert_ne!(second, third);

    second.restart();
    let role = second.info("replication", "role");
    assert_eq!(role, Ok(Some("master".to_owned())), "until it is demoted");
    sentinels.sentinels()[0].restart();
    let begun = Instant::now();
    sentinels.wait_until_ok();
    println!("demoted after {:?}", begun.elapsed());
    assert_eq!(sentinels.replicas().len(), 2);
    assert_eq!(sentinels.master(), third);
}

#[test]
fn sentinels_with_passwords_fail_over_too() {
    let settings = Settings::new().password("of-the-data");
    let sentinels = Sentinels::with(&settings, Some("of-the-sentinels"));
    assert!(sentinels.sentinels()[0].url().contains("of-the-sentinels"));
    assert!(
        sentinels
            .url()
            .starts_with("redis+sentinel://:of-the-data@127")
    );
    assert!(sentinels.url().ends_with("/mymaster"));
    let former = sentinels.kill_master();
    sentinels.wait_until_ok();
    assert_ne!(sentinels.master(), former);
}

fn other_master(cluster: &Cluster, than: &Server) -> Server {
    let mut masters = cluster.masters().into_iter();
    masters.find(|it| it != than).expect("there are three")
}

/// The code of the error.
fn refusal(server: &Server, command: &[&str]) -> String {
    let error = server
        .try_run::<redis::Value>(command)
        .expect_err("it is refused");
    error.code().unwrap_or_default().to_owned()
}

#[test]
fn a_server_shows_the_clock_that_it_was_given() {
    let server = Server::start();
    let ahead = |server: &Server| {
        let (seconds, _): (i64, i64) = server.run(&["TIME"]);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        seconds - now.expect("1970 is over").as_secs() as i64
    };
    for offset in [60, -60] {
        server.set_clock(ClockOffset::ahead(offset));
        server.restart();
        assert!((ahead(&server) - offset).abs() < 30);
    }
}

/// Otherwise a suite that runs behind it would prove nothing.
#[test]
fn a_managed_cluster_refuses_a_script_that_hides_a_key() {
    let server = Server::start();
    let front = Tair::start(server.port());
    let client = redis::Client::open(front.url()).expect("a URL");
    let mut connection = client.get_connection().expect("the proxy accepts");
    let hides = "local key = KEYS[1] return redis.call('SET', key, 'x')";
    let shows = "return redis.call('SET', KEYS[1], 'y')";
    let eval = |script| redis::cmd("EVAL").arg(script).arg(1).arg("key").to_owned();
    let load = |script| redis::cmd("SCRIPT").arg("LOAD").arg(script).to_owned();

    for refused in [eval(hides), load(hides)] {
        let error = refused
            .query::<String>(&mut connection)
            .expect_err("it is refused");
        assert!(
            error
                .to_string()
                .contains("bad lua script for redis cluster"),
            "{error}"
        );
    }
    assert_eq!(server.run::<Option<String>>(&["GET", "key"]), None);
    for accepted in [eval(shows), load(shows)] {
        accepted
            .query::<()>(&mut connection)
            .expect("it is accepted");
    }
    assert_eq!(server.run::<String>(&["GET", "key"]), "y");
}
