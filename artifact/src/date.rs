//! Dates and times, as texts and as numbers.
//!
//! A date is `2024-05-31`: one text for one day, from the year 1 to the year 9999. A time is a date,
//! `T` or a blank, hours and minutes, perhaps seconds and a fraction of them, and perhaps `Z` or an
//! offset from UTC; without one it is UTC. In UTC it lies in the years 1 to 9999, too. There are no
//! leap seconds. Calendar: ISO 8601, Gregorian at all times.

use crate::decimal::Decimal;

/// Days before 1970-01-01 since 0001-01-01.
const EPOCH: i64 = 719_162;
/// Seconds from 1970-01-01T00:00Z to the first time that there is.
pub const START: i64 = -EPOCH * 86_400;
/// Seconds from 1970-01-01T00:00Z to the first time that is beyond the year 9999.
pub const END: i64 = 253_402_300_800;
/// Most digits of a fraction of a second.
const FRACTION: usize = 9;

/// Days from 1970-01-01 to a date.
#[must_use]
pub fn days(text: &str) -> Option<i64> {
    let (days, rest) = date(text)?;
    rest.is_empty().then_some(days)
}

/// Seconds from 1970-01-01T00:00Z to a time.
#[must_use]
pub fn seconds(text: &str) -> Option<Decimal> {
    let (days, rest) = date(text)?;
    let (hours, rest) = number(rest.strip_prefix(['T', ' '])?, 2, 23)?;
    let (minutes, rest) = number(rest.strip_prefix(':')?, 2, 59)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2, 59)?,
        None => (0, rest),
    };
    let (fraction, digits, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (fraction, rest) = number(rest, digits.min(FRACTION), i64::MAX)?;
            (fraction, digits, rest)
        }
        None => (0, 0, rest),
    };
    let offset = match rest.strip_prefix(['+', '-']) {
        Some(offset) => {
            let (hours, offset) = number(offset, 2, 23)?;
            let (minutes, end) = number(offset.strip_prefix(':')?, 2, 59)?;
            let minutes = end.is_empty().then_some(hours * 60 + minutes)?;
            if rest.starts_with('-') { -minutes } else { minutes }
        }
        None if rest.is_empty() || rest == "Z" => 0,
        None => return None,
    };
    let whole = days * 86_400 + hours * 3_600 + (minutes - offset) * 60 + seconds;
    if !(START..END).contains(&whole) {
        return None;
    }
    let power = u32::try_from(digits).ok().filter(|_| digits <= FRACTION)?;
    let scaled = i128::from(whole) * 10_i128.pow(power) + i128::from(fraction);
    Decimal::new(scaled, -i32::try_from(digits).ok()?).ok()
}

/// The date of so many days from 1970-01-01, if it has four digits for its year.
#[must_use]
pub fn date_of(days: i64) -> Option<String> {
    let from_start = days.checked_add(EPOCH).filter(|days| *days >= 0)?;
    // A first guess that is never too late, since no year is shorter than 365 days.
    let mut year = from_start / 366 + 1;
    while days_before(year + 1) <= from_start {
        year += 1;
    }
    let mut left = from_start - days_before(year);
    let months = (1..=12).map(|month| (month, month_days(year, month)));
    for (month, length) in months {
        if left < length {
            return (year <= 9999).then(|| format!("{year:04}-{month:02}-{:02}", left + 1));
        }
        left -= length;
    }
    None
}

/// A text for a time, if its year has four digits and its seconds are not too fine.
#[must_use]
pub fn time_of(seconds: Decimal) -> Option<String> {
    let (coefficient, exponent) = seconds.parts();
    let digits = usize::try_from(-exponent.min(0)).ok().filter(|digits| *digits <= FRACTION)?;
    let power = 10_i128.checked_pow(u32::try_from(digits).ok()?)?;
    let scaled = coefficient.checked_mul(10_i128.checked_pow(exponent.max(0).unsigned_abs())?)?;
    let (whole, fraction) = (scaled.div_euclid(power), scaled.rem_euclid(power));
    let whole = i64::try_from(whole).ok()?;
    let (days, left) = (whole.div_euclid(86_400), whole.rem_euclid(86_400));
    let (hours, minutes, seconds) = (left / 3_600, left / 60 % 60, left % 60);
    let mut text = format!("{}T{hours:02}:{minutes:02}", date_of(days)?);
    if seconds != 0 || digits > 0 {
        text.push_str(&format!(":{seconds:02}"));
    }
    if digits > 0 {
        text.push_str(&format!(".{fraction:0digits$}"));
    }
    text.push('Z');
    Some(text)
}

/// The date that a text begins with, in days from 1970-01-01, and the rest.
fn date(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = number(text, 4, 9999)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2, 12)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2, month_days(year, month))?;
    let earlier: i64 = (1..month).map(|month| month_days(year, month)).sum();
    let exists = year >= 1 && month >= 1 && day >= 1;
    exists.then(|| (days_before(year) + earlier + day - 1 - EPOCH, rest))
}

/// The number of just so many digits that a text begins with, and the rest.
fn number(text: &str, digits: usize, most: i64) -> Option<(i64, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let plain = digits > 0 && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|number| plain && *number <= most)?;
    Some((number, rest))
}

/// Days from 0001-01-01 to the first of a year.
fn days_before(year: i64) -> i64 {
    let years = year - 1;
    years * 365 + years / 4 - years / 100 + years / 400
}

fn month_days(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_within_the_calendar_in_utc() {
        for (text, is_one) in [
            ("9999-12-31T23:59:59.999999999Z", true),
            ("9999-12-31T23:00-00:59", true),
            ("9999-12-31T23:00-01:00", false),
            ("0001-01-01T00:00Z", true),
            ("0001-01-01T00:30+00:30", true),
            ("0001-01-01T00:00+00:01", false),
        ] {
            assert_eq!(seconds(text).is_some(), is_one, "{text}");
        }
        assert_eq!(END, (days("9999-12-31").unwrap() + 1) * 86_400);
    }

    #[test]
    fn dates_follow_each_other() {
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2024-05-31"), Some(19_874));
        let (first, last) = (days("0001-01-01").unwrap(), days("9999-12-31").unwrap());
        let mut before = String::new();
        for day in first..=last {
            let text = date_of(day).unwrap();
            assert_eq!(days(&text), Some(day));
            assert!(before < text, "{before} {text}");
            before = text;
        }
        assert_eq!(date_of(first - 1), None);
        assert_eq!(date_of(last + 1), None);
        assert_eq!(date_of(i64::MAX), None);
    }

    #[test]
    fn what_is_no_date_is_none() {
        let none = [
            "",
            "2024",
            "2024-05",
            "2024-5-1",
            "2024-05-32",
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "0000-01-01",
            "2024-00-01",
            "2024-13-01",
            "2024-01-00",
            "24-01-01",
            "+024-01-01",
            "2024/01/01",
            "20240101",
            "2024-01-01 ",
            " 2024-01-01",
            "2024-01-01T00:00",
            "2024-01-0é",
        ];
        assert_eq!(none.into_iter().find(|text| days(text).is_some()), None);
        assert!(days("2000-02-29").is_some() && days("2024-02-29").is_some());
    }

    #[test]
    fn times_are_instants() {
        let second = |text: &str| seconds(text).map(|s| s.to_string());
        assert_eq!(second("1970-01-01T00:00Z").as_deref(), Some("0"));
        assert_eq!(second("1970-01-01 00:01").as_deref(), Some("60"));
        assert_eq!(second("1970-01-01T00:00:01.50").as_deref(), Some("1.5"));
        assert_eq!(second("1970-01-01T02:00+02:00").as_deref(), Some("0"));
        assert_eq!(second("1969-12-31T22:30:00-01:30").as_deref(), Some("0"));
        assert_eq!(second("1969-12-31T23:59:59.75Z").as_deref(), Some("-0.25"));
        for text in ["2024-05-31T10:00Z", "0001-01-01T00:00:00.000000001Z", "9999-12-31T23:59:59Z"]
        {
            assert_eq!(time_of(seconds(text).unwrap()).as_deref(), Some(text));
        }
        let none = [
            "2024-05-31",
            "2024-05-31T10",
            "2024-05-31T24:00",
            "2024-05-31T10:60",
            "2024-05-31T10:00:60",
            "2024-05-31T10:00:00.",
            "2024-05-31T10:00:00.1234567890",
            "2024-05-31t10:00",
            "2024-05-31T10:00z",
            "2024-05-31T10:00+2",
            "2024-05-31T10:00+02:00Z",
            "2024-05-31T10:00 +02:00",
            "2024-05-31  10:00",
            "2024-05-31T10:00:00,5",
            "2024-05-31T1:00",
        ];
        assert_eq!(none.into_iter().find(|text| seconds(text).is_some()), None);
    }
}
