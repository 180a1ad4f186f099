//! Numbers for tests that try very many cases: the same in every run, and random enough that the
//! cases differ.

/// A source of numbers below a bound.
pub(crate) fn draws() -> impl FnMut(usize) -> usize {
    let mut state = 76_u64;
    move |below| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    }
}
