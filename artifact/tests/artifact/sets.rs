//! Levels of open lattices against sets of the standard library.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use rtbas_artifact::sets::{NameSet, SetKind, SetLattice, SetLevel};
use rtbas_artifact::value::Value;

/// `None` is the set of all names.
type Model = Option<BTreeSet<String>>;

fn model() -> impl Strategy<Value = Model> {
    let names = prop::collection::btree_set("[a-c]|ä|A|", 0..4);
    prop_oneof![1 => Just(None), 5 => names.prop_map(Some)]
}

fn lattice() -> impl Strategy<Value = SetLattice> {
    let kind = prop_oneof![Just(SetKind::Readers), Just(SetKind::Sources)];
    (kind, any::<bool>()).prop_map(|(kind, dual)| SetLattice { name: "x".into(), kind, dual })
}

fn set(model: &Model) -> NameSet {
    match model {
        None => NameSet::All,
        Some(names) => names.iter().map(|name| Arc::from(name.as_str())).collect(),
    }
}

fn includes(outer: &Model, inner: &Model) -> bool {
    match (outer, inner) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => inner.is_subset(outer),
    }
}

fn join(a: &SetLevel, b: &SetLevel) -> SetLevel {
    let mut joined = a.clone();
    joined.join_with(b);
    joined
}

proptest! {
    #[test]
    fn the_order_is_inclusion(lattice in lattice(), a in model(), b in model()) {
        let by_union = (lattice.kind == SetKind::Sources) != lattice.dual;
        let flows = if by_union { includes(&b, &a) } else { includes(&a, &b) };
        let level = |model| lattice.level(set(model));
        prop_assert_eq!(level(&a).flows_to(&level(&b)), flows);
        prop_assert!(lattice.level(lattice.bottom()).flows_to(&level(&a)));
        prop_assert!(level(&a).flows_to(&lattice.level(lattice.top())));
    }

    #[test]
    fn a_join_is_the_least_upper_bound(
        lattice in lattice(), a in model(), b in model(), c in model(),
    ) {
        let [a, b, c] = [&a, &b, &c].map(|model| lattice.level(set(model)));
        let (joined, met) = (join(&a, &b), a.meet(&b));
        prop_assert_eq!(joined.flows_to(&c), a.flows_to(&c) && b.flows_to(&c));
        prop_assert_eq!(c.flows_to(&met), c.flows_to(&a) && c.flows_to(&b));
        prop_assert_eq!(&joined, &join(&b, &a));
        prop_assert_eq!(join(&a, &join(&b, &c)), join(&joined, &c));
    }
}

#[test]
fn what_names_what() {
    let text = |name: &str| Value::Text(name.to_owned());
    let names = |value: &Value| NameSet::of(value).map(|names| names.len());
    assert_eq!(names(&text("a")), Some(1));
    assert_eq!(names(&Value::List(vec![text("a"), text("b")])), Some(2));
    assert_eq!(names(&Value::List(Vec::new())), Some(0));
    assert_eq!(names(&Value::Record([("a".to_owned(), Value::Null)].into())), Some(1));
    assert_eq!(names(&Value::List(vec![text("a"), Value::List(vec![text("b")])])), None);
    assert_eq!(names(&Value::List(vec![text("a"), Value::Null])), None);
    assert_eq!(names(&Value::Bool(true)), None);
    assert_eq!(names(&Value::Number(1.into())), None);
    assert_eq!(names(&Value::Null), None);
}
