//! What functions make of texts, read letter by letter.

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::function::Function;
use rtbas_artifact::value::Value;

/// What a function gives for a text.
#[must_use]
pub fn apply(function: Function, text: &str) -> Option<Value> {
    let text = match function {
        Function::Lower => Some(text.chars().map(|c| c.to_ascii_lowercase()).collect()),
        Function::Host => host(text),
        Function::Domain => domain(text),
        Function::Date => return day(text).map(|day| Value::Number(day.into())),
        Function::Time => return seconds(text).map(Value::Number),
    };
    text.map(Value::Text)
}

/// Days from 1970-01-01 to a date, counted one by one.
fn day(text: &str) -> Option<i64> {
    let digits = |part: &str, count| {
        let plain = part.len() == count && part.chars().all(|c| c.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| plain)
    };
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let lengths = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let month = usize::try_from(month).ok()?.checked_sub(1)?;
    if year == 0 || !(1..=*lengths.get(month)?).contains(&day) {
        return None;
    }
    let length = |year: i64| if leap(year) { 366 } else { 365 };
    let years: i64 = match year < 1970 {
        true => -(year..1970).map(length).sum::<i64>(),
        false => (1970..year).map(length).sum(),
    };
    Some(years + lengths.iter().take(month).sum::<i64>() + day - 1)
}

/// Seconds from 1970-01-01T00:00Z to a time.
fn seconds(text: &str) -> Option<Decimal> {
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', ' '])?;
    let (clock, offset) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let of = |text: &str, most: i64| {
        let plain = text.len() == 2 && text.chars().all(|c| c.is_ascii_digit());
        text.parse::<i64>().ok().filter(|n| plain && *n <= most)
    };
    let hours_and_minutes = |text: &str| {
        let (hours, minutes) = text.split_once(':')?;
        Some(of(hours, 23)? * 3600 + of(minutes, 59)? * 60)
    };
    let (minutes, seconds) = match clock.match_indices(':').nth(1) {
        Some((at, _)) => (clock.get(..at)?, clock.get(at + 1..)?),
        None => (clock, "00"),
    };
    let (whole, fraction) = match seconds.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (seconds, "0"),
    };
    let is_fraction =
        (1..=9).contains(&fraction.len()) && fraction.chars().all(|c| c.is_ascii_digit());
    let ahead = match offset.strip_prefix('Z') {
        Some(rest) => rest.is_empty().then_some(0)?,
        None if offset.starts_with('-') => -hours_and_minutes(offset.get(1..)?)?,
        None => hours_and_minutes(offset.get(1..)?)?,
    };
    let whole = day(date)? * 86_400 + hours_and_minutes(minutes)? + of(whole, 59)? - ahead;
    // In UTC, too, its year has four digits.
    let is_known =
        (day("0001-01-01")? * 86_400..(day("9999-12-31")? + 1) * 86_400).contains(&whole);
    let whole = Some(whole).filter(|_| is_known)?;
    let nanos: i128 = format!("{fraction:0<9}").parse().ok().filter(|_| is_fraction)?;
    Decimal::new(i128::from(whole) * 1_000_000_000 + nanos, -9).ok()
}

fn host(text: &str) -> Option<String> {
    let odd = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    if text.chars().any(odd) {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    // The path begins with a slash; only there is an `@` no danger.
    let (authority, tail) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    if !tail.is_empty() && !tail.starts_with('/') && tail.contains('@') {
        return None;
    }
    let (name, port) = match authority.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (authority, None),
    };
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.chars().all(|c| c.is_ascii_digit());
    (port.is_none_or(is_port) && is_name(name)).then(|| name.to_ascii_lowercase())
}

fn domain(text: &str) -> Option<String> {
    let (local, name) = text.split_once('@')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_+'=&~-".contains(c);
    let is_atom = |atom: &str| !atom.is_empty() && atom.chars().all(plain);
    (local.split('.').all(is_atom) && is_name(name)).then(|| name.to_ascii_lowercase())
}

/// Whether this is the name of a host, or its address in four numbers.
fn is_name(name: &str) -> bool {
    let labels: Vec<String> = name.split('.').map(str::to_ascii_lowercase).collect();
    let is_number =
        |label: &String| label.parse::<u8>().is_ok_and(|number| number.to_string() == *label);
    if labels.len() == 4 && labels.iter().all(is_number) {
        return true;
    }
    let is_label = |label: &String| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let (first, last) = (label.chars().next(), label.chars().next_back());
        label.chars().all(fits)
            && first.is_some_and(|c| c != '-')
            && last.is_some_and(|c| c != '-')
            && !label.starts_with("xn--")
    };
    labels.iter().all(is_label)
        && labels.last().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_alphabetic()))
}
