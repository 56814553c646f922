//! Real servers that speak TLS.

use std::fs;

use redisson_delayed_queue::{Client, Error, Tls};
use testbed::{Certificates, Cluster, Server, Settings};
use tokio::time::timeout;

use crate::fixture::{LONG, SHORT, client, queue};

fn own_authority(certificates: &Certificates) -> Tls {
    Tls::new().root_certificate(fs::read(certificates.ca_certificate()).unwrap())
}

fn with_client_certificate(certificates: &Certificates) -> Tls {
    own_authority(certificates).client_certificate(
        fs::read(certificates.client_certificate()).unwrap(),
        fs::read(certificates.client_key()).unwrap(),
    )
}

#[tokio::test]
async fn a_queue_works_over_tls_with_an_authority_of_its_own() {
    let certificates = Certificates::new();
    let server = Server::with(&Settings::new().tls(&certificates));
    let tls = with_client_certificate(&certificates);
    let client = client().tls(tls).connect(server.tls_url()).await.unwrap();
    let queue = queue(&client, "orders");
    queue.offer(&"17".to_owned(), SHORT).await.unwrap();
    assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
}

#[tokio::test]
async fn a_server_that_nobody_trusts_is_refused_unless_nothing_is_checked() {
    let certificates = Certificates::new();
    let server = Server::with(&Settings::new().tls(&certificates));
    let error = Client::connect(server.tls_url()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");

    let tls = Tls::new().client_certificate(
        fs::read(certificates.client_certificate()).unwrap(),
        fs::read(certificates.client_key()).unwrap(),
    );
    let unchecked = format!("{}/#insecure", server.tls_url());
    client().tls(tls).connect(unchecked).await.unwrap();
}

/// The certificates name 127.0.0.1.
const OTHER_HOST: &str = "127.0.0.2";
const BOTH_HOSTS: &str = "127.0.0.1 127.0.0.2";

#[tokio::test]
async fn a_certificate_for_another_host_is_refused_unless_the_authority_is_enough() {
    let certificates = Certificates::new();
    let settings = Settings::new().tls(&certificates).set("bind", BOTH_HOSTS);
    let server = Server::with(&settings);
    let url = server.tls_url().replace("127.0.0.1", OTHER_HOST);
    let connect = |tls: Tls| client().tls(tls).connect(url.clone());
    let trusts = with_client_certificate(&certificates);

    let error = connect(trusts.clone()).await.unwrap_err();
    assert!(error.to_string().contains("for another name"), "{error}");
    connect(trusts.ca_only()).await.unwrap();
    let stranger = with_client_certificate(&Certificates::new());
    let error = connect(stranger.ca_only()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
}

/// The server is not to blame, and there is none.
#[tokio::test]
async fn certificates_that_cannot_be_read_are_errors_of_the_settings() {
    let certificates = Certificates::new();
    let certificate = fs::read(certificates.client_certificate()).unwrap();
    let key = fs::read(certificates.client_key()).unwrap();
    let broken = b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
    let root = "Tls::root_certificate";
    let own = "Tls::client_certificate";
    let url = "rediss://127.0.0.1:1";
    for (tls, url, reason) in [
        (Tls::new(), "redis://127.0.0.1:1", "rediss://"),
        (
            Tls::new(),
            "redis+cluster://127.0.0.1:1",
            "rediss+cluster://",
        ),
        (Tls::new().root_certificate("ca.crt"), url, root),
        (Tls::new().root_certificate(*broken), url, root),
        (
            Tls::new().client_certificate("client.crt", key.clone()),
            url,
            own,
        ),
        (Tls::new().client_certificate(*broken, key), url, own),
        (
            Tls::new().client_certificate(certificate, "client.key"),
            url,
            own,
        ),
    ] {
        let error = client().tls(tls).connect(url).await.unwrap_err();
        assert!(matches!(error, Error::Settings { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn every_node_of_a_cluster_is_reached_over_tls() {
    let certificates = Certificates::new();
    let cluster = Cluster::with(&Settings::new().tls(&certificates), 0);
    let tls = with_client_certificate(&certificates);
    let client = client().tls(tls).connect(cluster.tls_url()).await.unwrap();
    for name in ["orders-0", "orders-1", "orders-2", "orders-3"] {
        let queue = queue(&client, name);
        queue.offer(&"17".to_owned(), SHORT).await.unwrap();
        assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
    }
}

#[tokio::test]
async fn nodes_are_reached_at_addresses_that_their_certificate_does_not_name() {
    let certificates = Certificates::new();
    let settings = Settings::new()
        .tls(&certificates)
        .set("bind", BOTH_HOSTS)
        .set("cluster-announce-ip", OTHER_HOST);
    let cluster = Cluster::with(&settings, 0);
    let tls = with_client_certificate(&certificates).ca_only();
    let client = client().tls(tls).connect(cluster.tls_url()).await.unwrap();
    for name in ["orders-0", "orders-1", "orders-2", "orders-3"] {
        let queue = queue(&client, name);
        queue.offer(&"17".to_owned(), SHORT).await.unwrap();
        assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "17");
    }
}
