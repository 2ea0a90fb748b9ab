//! Which types carry no free text.

use rtbas_artifact::ir::{Field, Type, TypeId};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::ty::{Narrow, narrow};
use rtbas_artifact::value::Value;

#[test]
fn narrow_types_are_those_without_free_text() {
    let pattern = |text: &str| Type::Pattern(Pattern::new(text).unwrap());
    let field = |ty, required| Field { name: format!("f{ty}"), ty: TypeId(ty), required };
    let record = |open| Type::Record { fields: vec![field(1, true), field(2, false)], open };
    let types = [
        Type::Null,
        Type::Bool,
        Type::Enumeration(vec![Value::Bool(true), Value::Null, Value::Text("a".to_owned())]),
        Type::Number,
        Type::Date,
        pattern("[A-Z]{2}[0-9]{6}"),
        pattern("[a-z ]{0,500}"),
        pattern("a*"),
        Type::Text,
        Type::Any,
        Type::List(TypeId(1)),
        record(false),
        record(true),
        Type::Union(vec![TypeId(0), TypeId(5)]),
        Type::Union(vec![TypeId(0), TypeId(4)]),
        Type::Union(vec![TypeId(0), TypeId(8)]),
    ];
    let some = |values| Some(Narrow { values });
    let expected = [
        some(Some(1)),
        some(Some(2)),
        some(Some(3)),
        some(None),
        some(None),
        some(Some(676_000_000)),
        None,
        None,
        None,
        None,
        None,
        some(Some(8)),
        None,
        some(Some(676_000_001)),
        some(None),
        None,
    ];
    let found: Vec<_> = (0..).zip(&types).map(|(id, _)| narrow(&types, TypeId(id))).collect();
    assert_eq!(found, expected);
}
