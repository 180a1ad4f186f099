//! Three functions of the mathematical library of the system, in the program itself.
//!
//! Nothing else of that library is used (filters of templates, the ranking of SQLite's search and pauses between
//! tries do), and to look for it, map it and link with it takes the loader a thirtieth of the time in which a plugin
//! starts. The linker prefers what is in the program.

#![expect(unsafe_code, reason = "the linker has to find them by the names that C gives them")]

/// `x` to the power of `y`.
// SAFETY: it has the name, the types and the meaning of the function of the C library that it stands for.
#[unsafe(no_mangle)]
extern "C" fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The natural logarithm.
// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn log(x: f64) -> f64 {
    libm::log(x)
}

/// `x` times two to the power of `exponent`.
// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn ldexp(x: f64, exponent: std::ffi::c_int) -> f64 {
    libm::ldexp(x, exponent)
}

#[cfg(test)]
mod tests {
    /// Where they are called as usual, too: the compiler uses them for what it cannot compute itself.
    #[test]
    fn they_are_right() {
        let ten = std::hint::black_box(10.0_f64);
        assert!((ten.powf(0.5) - 3.162_277_660_168_379_5).abs() < 1e-15);
        assert!((ten.ln() - std::f64::consts::LN_10).abs() < 1e-15);
        assert!((super::ldexp(0.75, 3) - 6.0).abs() < f64::EPSILON);
    }
}
