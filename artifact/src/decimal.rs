//! Exact decimal numbers. Guards compare money, so `0.1` must be a tenth, and `1` must equal `1.0`.
//!
//! A number is `coefficient × 10^exponent` with at most 34 digits (decimal128's precision), kept in
//! one normal form, so that equality is equality of fields.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Most significant digits that a number may have.
pub const MAX_DIGITS: u32 = 34;
/// Largest magnitude of the exponent in scientific notation.
pub const MAX_EXPONENT: i32 = 6144;

/// An exact decimal number in normal form: the coefficient is no multiple of ten, and zero has
/// exponent zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decimal {
    coefficient: i128,
    exponent: i32,
}

/// Why a text is no [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// Not a number in JSON's notation (`NaN` and infinities are none).
    NotANumber,
    /// More than [`MAX_DIGITS`] significant digits.
    TooManyDigits,
    /// The exponent lies outside ±[`MAX_EXPONENT`].
    OutOfRange,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber => f.write_str("not a number"),
            Self::TooManyDigits => write!(f, "a number of more than {MAX_DIGITS} digits"),
            Self::OutOfRange => write!(f, "a number beyond 10^{MAX_EXPONENT}"),
        }
    }
}

impl std::error::Error for DecimalError {}

impl Decimal {
    /// The number `coefficient × 10^exponent`.
    ///
    /// # Errors
    /// [`DecimalError::TooManyDigits`] or [`DecimalError::OutOfRange`], judged on the normal form.
    pub fn new(coefficient: i128, exponent: i32) -> Result<Self, DecimalError> {
        let (mut coefficient, mut exponent) = (coefficient, exponent);
        if coefficient == 0 {
            return Ok(Self { coefficient: 0, exponent: 0 });
        }
        while coefficient % 10 == 0 {
            coefficient /= 10;
            exponent = exponent.checked_add(1).ok_or(DecimalError::OutOfRange)?;
        }
        let number = Self { coefficient, exponent };
        if number.digits() > MAX_DIGITS {
            return Err(DecimalError::TooManyDigits);
        }
        match number.magnitude() {
            Some(m) if m.abs() <= MAX_EXPONENT => Ok(number),
            _ => Err(DecimalError::OutOfRange),
        }
    }

    /// Whether the number has no fractional part.
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    /// Coefficient and exponent of the normal form.
    #[must_use]
    pub fn parts(self) -> (i128, i32) {
        (self.coefficient, self.exponent)
    }

    /// Whether the fields are in normal form and within limits, as every constructed number is.
    /// Decoded bytes need the question asked.
    #[must_use]
    pub fn is_normal(self) -> bool {
        Self::new(self.coefficient, self.exponent) == Ok(self)
    }

    fn digits(self) -> u32 {
        self.coefficient.unsigned_abs().checked_ilog10().map_or(1, |n| n + 1)
    }

    /// Exponent of the leading digit, the exponent of scientific notation.
    fn magnitude(self) -> Option<i32> {
        let lead = i32::try_from(self.digits()).ok()?.checked_sub(1)?;
        self.exponent.checked_add(lead)
    }

    fn signum(self) -> i128 {
        self.coefficient.signum()
    }
}

impl From<i64> for Decimal {
    fn from(n: i64) -> Self {
        // An i64 has at most 19 digits, so it is always within limits.
        Self::new(i128::from(n), 0).unwrap_or(Self { coefficient: 0, exponent: 0 })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.signum().cmp(&other.signum());
        if by_sign != Ordering::Equal || self.coefficient == 0 {
            return by_sign;
        }
        let by_size = self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Equal leading exponents: the two exponents differ by at most 33, so the coefficient
            // with the larger one can be scaled to the smaller one within 34 digits.
            let scale = |n: &Self| {
                let by = u32::try_from(n.exponent - self.exponent.min(other.exponent)).unwrap_or(0);
                n.coefficient.unsigned_abs().saturating_mul(10_u128.saturating_pow(by))
            };
            scale(self).cmp(&scale(other))
        });
        if self.coefficient > 0 { by_size } else { by_size.reverse() }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Reads JSON's number notation (RFC 8259, section 6).
    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let bad = DecimalError::NotANumber;
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match rest.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, parse_power(power)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(bad),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return Err(bad);
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(bad);
        }
        let significant = [whole, fraction].concat();
        let tail = significant.len() - significant.trim_end_matches('0').len();
        let significant = significant.trim_matches('0');
        if significant.is_empty() {
            return Ok(Self { coefficient: 0, exponent: 0 });
        }
        if significant.len() > MAX_DIGITS as usize {
            return Err(DecimalError::TooManyDigits);
        }
        let coefficient: i128 = significant.parse().map_err(|_| bad)?;
        let shift = i64::try_from(tail).ok().zip(i64::try_from(fraction.len()).ok());
        let exponent = shift
            .and_then(|(tail, fraction)| i32::try_from(power + tail - fraction).ok())
            .ok_or(DecimalError::OutOfRange)?;
        Self::new(if negative { -coefficient } else { coefficient }, exponent)
    }
}

fn parse_power(text: &str) -> Result<i64, DecimalError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(DecimalError::NotANumber);
    }
    // Out of range in either direction, however long it is written.
    let size = digits.trim_start_matches('0');
    if size.len() > 9 {
        return Err(DecimalError::OutOfRange);
    }
    let size: i64 = if size.is_empty() { 0 } else { size.parse().unwrap_or(0) };
    Ok(if text.starts_with('-') { -size } else { size })
}

impl fmt::Display for Decimal {
    /// Plain notation where it is short, scientific notation otherwise; both read back to the same
    /// number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.coefficient < 0 { "-" } else { "" };
        let digits = self.coefficient.unsigned_abs().to_string();
        if (0..=20).contains(&self.exponent) {
            let zeros = usize::try_from(self.exponent).unwrap_or(0);
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros));
        }
        let places = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(0);
        if self.exponent < 0 && places <= 40 {
            let padded = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = padded.split_at(padded.len() - places);
            return write!(f, "{sign}{whole}.{fraction}");
        }
        write!(f, "{sign}{digits}e{}", self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn equal_numbers_have_one_form() {
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("0", "-0.00e7"), ("0.5", "5E-1")] {
            assert_eq!(number(a), number(b), "{a} {b}");
        }
    }

    #[test]
    fn order_is_the_order_of_numbers() {
        let ascending = ["-1e9", "-2.5", "-2.4", "-0.01", "0", "1e-6144", "0.1", "0.11", "9", "10"];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(number(a).cmp(&number(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        for text in ["-12.034", "1e30", "7e-60", "0", "99999999999999999999", "0.1"] {
            assert_eq!(number(&number(text).to_string()), number(text));
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", "+1", ".5", "1.", "01", "1e", "NaN", "inf", "1_0", "0x1", " 1", "１"]
        {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalError::NotANumber), "{text}");
        }
        assert_eq!("9".repeat(35).parse::<Decimal>(), Err(DecimalError::TooManyDigits));
        assert_eq!("1e6145".parse::<Decimal>(), Err(DecimalError::OutOfRange));
        let far = format!("1e{}", "9".repeat(50));
        assert_eq!(far.parse::<Decimal>(), Err(DecimalError::OutOfRange));
        assert_eq!(number(&format!("{}{}", "9".repeat(34), "0".repeat(3))).digits(), 34);
    }
}
