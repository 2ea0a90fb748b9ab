//! Changes to the content of an artifact that keep it an artifact's content: entries are exchanged,
//! doubled and dropped, indices moved. They are made in a form without types, so that they reach
//! whatever a policy may have.

use rtbas_artifact::certificate::Certificate;
use rtbas_artifact::ir::Policy;
use rtbas_artifact::origin::Origins;
use serde_json::Value as Json;

use crate::sample::Dice;

/// What a payload holds.
pub type Content = (Policy, Origins, Certificate);

/// The payload with some of its content changed, if it has any and the change leaves one.
pub fn payload(bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let content: Content = postcard::from_bytes(bytes).ok()?;
    let before = serde_json::to_value(content).ok()?;
    let changed = (0..16).find_map(|_| {
        let mut changed = before.clone();
        (0..=dice.below(3)).for_each(|_| change(&mut changed, &before, dice));
        serde_json::from_value::<Content>(changed).ok()
    })?;
    postcard::to_allocvec(&changed).ok()
}

/// Where a part lies: positions of entries and fields from the outside in.
type Place = Vec<usize>;

fn places(json: &Json, at: &mut Place, found: &mut Vec<Place>) {
    found.push(at.clone());
    let parts: Vec<&Json> = match json {
        Json::Array(items) => items.iter().collect(),
        Json::Object(fields) => fields.values().collect(),
        _ => return,
    };
    for (index, part) in parts.into_iter().enumerate() {
        at.push(index);
        places(part, at, found);
        at.pop();
    }
}

fn part<'j>(json: &'j mut Json, place: &[usize]) -> Option<&'j mut Json> {
    place.iter().try_fold(json, |json, &index| match json {
        Json::Array(items) => items.get_mut(index),
        Json::Object(fields) => fields.values_mut().nth(index),
        _ => None,
    })
}

fn change(json: &mut Json, before: &Json, dice: &mut Dice) {
    let mut all = Vec::new();
    places(json, &mut Place::new(), &mut all);
    let Some(target) = dice.of(&all).and_then(|place| part(json, place)) else { return };
    if dice.below(4) == 0 {
        // Another part of the same kind, from anywhere.
        let mut others = Vec::new();
        places(before, &mut Place::new(), &mut others);
        let alike = |other: &Json| std::mem::discriminant(other) == std::mem::discriminant(target);
        let mut before = before.clone();
        for _ in 0..8 {
            let other = dice.of(&others).and_then(|place| part(&mut before, place));
            if let Some(other) = other.filter(|other| alike(other)) {
                *target = other.clone();
                return;
            }
        }
    }
    // What is large is repeated seldom.
    let mut parts = Vec::new();
    places(target, &mut Place::new(), &mut parts);
    let many = dice.below(1000 / parts.len());
    match target {
        Json::Null => {}
        Json::Bool(flag) => *flag = !*flag,
        Json::Number(number) => {
            let old = number.as_u64().unwrap_or(0);
            let new = [0, 1, old.wrapping_add(1), old.saturating_sub(1), many as u64, u64::MAX];
            *target = dice.of(&new).copied().unwrap_or(0).into();
        }
        Json::String(text) => match dice.below(4) {
            0 => text.clear(),
            1 => *text = text.repeat(many),
            2 => text.push('\u{1b}'),
            _ => text.push('a'),
        },
        Json::Array(items) => {
            let at = dice.below(items.len());
            match (dice.below(4), items.get(at).cloned()) {
                (0, Some(item)) => items.insert(at, item),
                (1, Some(_)) => drop(items.remove(at)),
                (2, Some(item)) => items.extend(vec![item; many]),
                _ => items.reverse(),
            }
        }
        Json::Object(_) => {}
    }
}
