//! Which addresses belong to the open internet.
//!
//! All others are a way from a public name into the machine or the network around it: a name that
//! anybody can register may resolve to `127.0.0.1` or to the address at which a cloud hands out
//! credentials. An IPv6 address can carry such an IPv4 address inside, so the ways to do that are
//! looked into.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address can be dialed without a rule that names it.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    // Answers at an address that looks public, inside one cloud, and hands out certificates.
    const AZURE_WIRE_SERVER: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);
    let [a, b, c, _] = address.octets();
    let not_public = address.is_private()
        || address.is_loopback()
        // Metadata services are here, at 169.254.169.254.
        || address.is_link_local()
        // Multicast, reserved, broadcast.
        || a >= 224
        // "This network"; 0.0.0.0 leads to the machine itself.
        || a == 0
        // Shared by the customers of a provider. One cloud has its metadata here.
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments. One cloud has its metadata here.
        || (a == 192 && b == 0 && c == 0)
        || address == AZURE_WIRE_SERVER;
    !not_public
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let not_public = address.is_unspecified()
        || address.is_loopback()
        // fc00::/7; metadata services are here, at fd00:ec2::254.
        || address.is_unique_local()
        || address.is_unicast_link_local()
        // fec0::/10, which link-local and private addresses replaced.
        || segments[0] & 0xffc0 == 0xfec0
        || address.is_multicast()
        // 64:ff9b:1::/48, translation inside one network; where the IPv4 address is in it is not known.
        || segments[..3] == [0x64, 0xff9b, 1];
    !not_public && embedded(address).into_iter().flatten().all(is_public_v4)
}

/// The IPv4 addresses that an IPv6 address carries.
fn embedded(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let segments = address.segments();
    let at = |index: usize| {
        let [a, b] = segments[index].to_be_bytes();
        let [c, d] = segments[index + 1].to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // The old form ::a.b.c.d, and translation to IPv4.
        [0, 0, 0, 0, 0, 0, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => [Some(at(6)), None],
        // 6to4 carries the address of the gateway.
        [0x2002, ..] => [Some(at(1)), None],
        // Teredo carries its server, and the client with every bit turned.
        [0x2001, 0, ..] => [Some(at(2)), Some(Ipv4Addr::from_bits(!at(6).to_bits()))],
        _ => [None, None],
    }
}
