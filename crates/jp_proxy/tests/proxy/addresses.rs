//! Where a name leads is judged too.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use jp_proxy::{Reason, Resolve, Resolving, SystemResolver};
use jp_tool::access::NetRule;

use crate::support::*;

/// The status of a plain request and of a tunnel, and the address that was refused.
fn check(rules: Vec<NetRule>, host: &str, port: u16) -> (u16, u16, Option<IpAddr>) {
    let proxy = proxy(rules);
    let plain = Tool::new(&proxy).get(&format!("http://{host}:{port}/")).status;
    let tunnel = Tool::new(&proxy).connect(&format!("{host}:{port}")).status;
    let report = proxy.stop();
    let refused = report.denied.first().and_then(|it| match it.denied.reason {
        Reason::Address(address) => Some(address),
        _ => None,
    });
    (plain, tunnel, refused)
}

#[test]
fn a_name_may_not_lead_into_this_machine_unless_that_is_named() {
    let origin = Origin::new();
    let port = origin.port();
    let here = || allow("here.test", port);
    let loopback: IpAddr = [127, 0, 0, 1].into();
    assert_eq!(check(vec![here()], "here.test", port), (403, 403, Some(loopback)));
    assert_eq!(origin.lines(), Vec::<String>::new());
    for rules in [vec![here(), allow("127.0.0.1", port)], vec![here(), allow("localhost", port)]] {
        assert_eq!(check(rules.clone(), "here.test", port), (200, 200, None), "{rules:?}");
    }
    let deny = NetRule { allow: false, ..allow("127.0.0.1", port) };
    let rules = vec![here(), allow("localhost", port), deny];
    assert_eq!(check(rules, "here.test", port), (403, 403, Some(loopback)));
    let elsewhere = vec![here(), allow("localhost", port.wrapping_add(1).max(1))];
    assert_eq!(check(elsewhere, "here.test", port), (403, 403, Some(loopback)));
    assert_eq!(check(vec![allow("localhost", port)], "localhost", port), (200, 200, None));
    // The server has another name for the one who asks.
    assert_eq!(origin.asked()[0].header("host"), Some(format!("here.test:{port}").as_str()));
}

#[test]
fn private_addresses_and_metadata_services_are_refused() {
    for (host, address) in [("office.test", "10.0.0.1"), ("cloud.test", "169.254.169.254")] {
        let refused = Some(address.parse().unwrap());
        assert_eq!(check(vec![allow(host, 9)], host, 9), (403, 403, refused), "{host}");
    }
}

#[test]
fn only_the_addresses_that_are_allowed_are_tried() {
    // Two servers at one port, of which only one is allowed, and it is the second.
    let origin = Origin::new();
    let port = origin.port();
    let Ok(other) = Origin::at(&format!("127.0.0.2:{port}")) else { return };
    let rules = vec![allow("two.test", port), allow("127.0.0.1", port)];
    assert_eq!(check(rules, "two.test", port), (200, 200, None));
    assert_eq!((origin.lines().len(), other.lines().len()), (1, 0));
    // Nothing listens at the first.
    let rules = vec![allow("both.test", port), allow("localhost", port)];
    assert_eq!(check(rules, "both.test", port), (200, 200, None));
}

/// A name whose owner changes where it leads after it was looked up.
#[derive(Debug, Default)]
struct Changing(AtomicUsize);

impl Resolve for Changing {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        let last = if self.0.fetch_add(1, Relaxed) == 0 { 1 } else { 2 };
        Box::pin(std::future::ready(Ok(vec![[127, 0, 0, last].into()])))
    }
}

#[test]
fn the_address_that_was_judged_is_the_one_that_is_dialed() {
    let origin = Origin::new();
    let port = origin.port();
    let Ok(other) = Origin::at(&format!("127.0.0.2:{port}")) else { return };
    let rules = vec![allow("here.test", port), allow("127.0.0.1", port)];
    let names = Arc::new(Changing::default());
    let proxy = start(configured(rules).resolver(names.clone()));
    let url = format!("http://here.test:{port}/");
    assert_eq!(Tool::new(&proxy).get(&url).status, 200);
    assert_eq!(names.0.load(Relaxed), 1);
    assert_eq!(Tool::new(&proxy).get(&url).status, 403);
    assert_eq!((origin.lines().len(), other.lines().len()), (1, 0));
}

#[test]
fn a_name_that_is_not_allowed_is_not_looked_up() {
    // It would take for ever.
    assert_eq!(check(vec![], "never.test", 80), (403, 403, None));
}

#[test]
fn what_cannot_be_found_or_reached_is_a_bad_gateway() {
    let (_kept, closed) = closed();
    let closed = closed.port();
    let rules =
        || ["nowhere.test", "unknown.test", "127.0.0.1"].map(|it| allow(it, closed)).to_vec();
    for host in ["nowhere.test", "unknown.test", "127.0.0.1"] {
        assert_eq!(check(rules(), host, closed), (502, 502, None), "{host}");
    }
    let proxy = start(configured(vec![allow("never.test", 80)]).limits(short()));
    assert_eq!(Tool::new(&proxy).get("http://never.test/").status, 504);
    assert_eq!(Tool::new(&proxy).connect("never.test:80").status, 504);
}

#[test]
fn the_resolver_of_the_system_is_asked() {
    let origin = Origin::new();
    let rules = vec![allow("localhost", origin.port())];
    let proxy = start(configured(rules).resolver(Arc::new(SystemResolver)));
    let answer = Tool::new(&proxy).get(&format!("http://localhost:{}/", origin.port()));
    assert_eq!(answer.status, 200, "{}", answer.body);
}
