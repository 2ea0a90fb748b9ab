//! The steps of flows that only one of two policies has.
//!
//! Regions that are labelled alike take the same steps, so what is compared are classes of regions,
//! and each pair of them once.

use std::collections::BTreeMap;

use super::OpenedFlow;
use crate::verify::flow::{Flows, Named, Point, Step};

/// Steps that the second policy has and the first has not, those to one place together.
pub(super) fn compare(old: &Flows<'_>, new: &Flows<'_>) -> Vec<OpenedFlow> {
    let mut found = Found { flows: new, opened: BTreeMap::new() };
    let (before, after) = (old.told_steps(), new.told_steps());
    for (from, steps) in &after {
        found.add(&[from], before.get(from), steps);
    }
    let (old_class, mut pairs) = (old.class_of_regions(), BTreeMap::new());
    for (region, class) in new.class_of_regions() {
        let before = old_class.get(&region).copied();
        pairs.entry((before, class)).or_insert_with(Vec::new).push(region);
    }
    for ((before, class), regions) in pairs {
        let before = before.map(|class| old.next(class));
        let regions: Vec<&Named> = regions.iter().collect();
        found.add(&regions, before.as_ref(), &new.next(class));
    }
    found.opened.into_values().collect()
}

struct Found<'f> {
    flows: &'f Flows<'f>,
    opened: BTreeMap<(Named, bool), OpenedFlow>,
}

/// Where steps lead, and why.
type Steps = BTreeMap<Named, Step>;

impl Found<'_> {
    /// Enters what was not there before of the steps that these points take.
    fn add(&mut self, from: &[&Named], before: Option<&Steps>, after: &Steps) {
        for (to, step) in after {
            let is_asked = |point: &Point| matches!(point, Point::Approved(_));
            let approved = is_asked(&to.point) || from.iter().any(|from| is_asked(&from.point));
            if approved || before.is_some_and(|before| before.contains_key(to)) {
                continue;
            }
            for from in from {
                let flow = self.opened.entry((to.clone(), from.point.is_outside()));
                let flow = flow.or_insert_with(|| OpenedFlow {
                    from: Vec::new(),
                    outside: from.point.is_outside(),
                    to: to.name.clone(),
                    session: match step {
                        Step::Shown => self.flows.session(&from.point, &to.point),
                        Step::Told | Step::Unknown(_) => Vec::new(),
                    },
                    unknown: match step {
                        Step::Unknown(reason) => Some(reason.clone()),
                        Step::Told | Step::Shown => None,
                    },
                });
                flow.from.push(from.name.clone());
            }
        }
    }
}
