//! Which addresses belong to the open internet.
//!
//! All others are a way from a public name into the machine or the network around it: a name that
//! anybody can register may resolve to `127.0.0.1` or to the address at which a cloud hands out
//! credentials. An IPv6 address can carry such an IPv4 address inside, so the ways to do that are
//! looked into.
//!
//! The lists are those of the special-purpose registries. What is not assigned to anybody is not of
//! the open internet either, so that a range that gets a meaning later is not a hole until then.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 addresses that an IPv6 address carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// None.
    Nothing,
    /// It is another spelling of this one, which a translator on the way reads.
    Destination(Ipv4Addr),
    /// Packets for it are sent to these, and they pass them on.
    Gateways(Ipv4Addr, Option<Ipv4Addr>),
}

/// `::a.b.c.d`, the first attempt; `::ffff:0:a.b.c.d` and `64:ff9b::a.b.c.d`, translation.
const DESTINATION_PREFIXES: [[u16; 6]; 3] =
    [[0; 6], [0, 0, 0, 0, 0xffff, 0], [0x64, 0xff9b, 0, 0, 0, 0]];

impl Carried {
    pub(super) fn by(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(_) => Self::Nothing,
            IpAddr::V6(address) => Self::by_v6(address),
        }
    }

    fn by_v6(address: Ipv6Addr) -> Self {
        let segments = address.segments();
        let at = |index: usize| {
            let [a, b] = segments[index].to_be_bytes();
            let [c, d] = segments[index + 1].to_be_bytes();
            Ipv4Addr::new(a, b, c, d)
        };
        match segments {
            [prefix @ .., _, _] if DESTINATION_PREFIXES.contains(&prefix) => {
                Self::Destination(at(6))
            }
            // 6to4 has the address of the gateway in its prefix.
            [0x2002, ..] => Self::Gateways(at(1), isatap(segments).then(|| at(6))),
            // Teredo carries its server, and the client with every bit turned.
            [0x2001, 0, ..] => Self::Gateways(at(2), Some(Ipv4Addr::from_bits(!at(6).to_bits()))),
            _ if isatap(segments) => Self::Gateways(at(6), None),
            _ => Self::Nothing,
        }
    }

    pub(super) fn addresses(self) -> impl Iterator<Item = Ipv4Addr> {
        let (first, second) = match self {
            Self::Nothing => (None, None),
            Self::Destination(address) => (Some(address), None),
            Self::Gateways(address, other) => (Some(address), other),
        };
        first.into_iter().chain(second)
    }
}

/// Whether an address belongs to the open internet: it can be dialed without a rule that names it.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match Carried::by_v6(address) {
            Carried::Nothing => is_public_v6(address),
            Carried::Destination(inner) => is_public_v4(inner),
            gateways @ Carried::Gateways(..) => {
                is_public_v6(address) && gateways.addresses().all(is_public_v4)
            }
        },
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
        // Relays of 6to4, which nobody runs any more.
        || (a == 192 && b == 88 && c == 99)
        // Measurements of devices.
        || (a == 198 && (18..20).contains(&b))
        || address.is_documentation()
        || address == AZURE_WIRE_SERVER;
    !not_public
}

/// All that is assigned is in `2000::/3`, so loopback, private, link-local and multicast addresses and
/// translation inside one network (`64:ff9b:1::/48`) are left out by that alone.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let not_public = first & 0xe000 != 0x2000
        // 2001::/23, protocol assignments, of which Teredo is one: measurements, identifiers.
        || (first == 0x2001 && second < 0x200 && second != 0)
        // Documentation: 2001:db8::/32 and 3fff::/20.
        || (first == 0x2001 && second == 0xdb8)
        || (first == 0x3fff && second < 0x1000)
        // The test network of the first years, returned since.
        || first == 0x3ffe;
    !not_public
}

/// The last half is `0:5efe:a.b.c.d` or `200:5efe:a.b.c.d`, whatever the network.
fn isatap(segments: [u16; 8]) -> bool {
    segments[4] & !0x0200 == 0 && segments[5] == 0x5efe
}
