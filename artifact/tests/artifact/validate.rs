//! Every fault that a policy can have is found, at its place.

use rtbas_artifact::ir::*;
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;
use rtbas_artifact::sets::{SetKind, SetLattice};
use rtbas_artifact::validate::{MAX_LATTICES, MAX_NESTING, MAX_OPEN, MAX_TEXT};
use rtbas_artifact::value::Value;

use crate::fixture::{chain, policy};

/// What is wrong with the fixture once it is changed.
fn fault(change: impl FnOnce(&mut Policy)) -> String {
    let mut policy = policy();
    change(&mut policy);
    match Program::new(policy) {
        Ok(_) => "nothing".to_owned(),
        Err(invalid) => invalid.to_string(),
    }
}

macro_rules! faults {
    ($($name:ident: $place:literal, |$policy:ident| $change:expr;)*) => { $(
        #[test]
        fn $name() {
            let found = fault(|$policy| { $change; });
            assert!(found.starts_with(concat!("`", $place, "`: ")), "{found}");
        }
    )* };
}

const FAR: u32 = 99;

faults! {
    no_lattice: "lattices", |p| p.lattices.clear();
    too_many_lattices: "lattices", |p| p.lattices = vec![chain("x", &["a"]); MAX_LATTICES + 1];
    a_name_of_two_lattices: "lattices", |p| p.lattices[1].name = "integrity".to_owned();
    a_name_of_two_levels: "lattices[0].levels",
        |p| p.lattices[0].levels[1] = "trusted".to_owned();
    a_broken_law: "lattices[1].levels", |p| p.lattices[1].up.set(0, 1, false);
    a_code_that_lies: "lattices[0].levels", |p| p.lattices[0].code.set(0, 0, true);
    an_element_of_three_levels: "lattices[0].levels", |p| {
        p.lattices[0] = chain("integrity", &["a", "b", "c"]);
        p.lattices[0].element = Some("a".to_owned());
    };
    a_name_of_a_lattice_and_a_powerset: "lattices", |p| {
        p.lattices[1].name = "integrity".to_owned();
        p.lattices[1].element = Some("a".to_owned());
    };
    a_name_of_a_closed_and_an_open_lattice: "lattices",
        |p| p.open.push(open_lattice("integrity"));
    too_many_open_lattices: "open", |p| p.open = vec![open_lattice("x"); MAX_OPEN + 1];
    a_set_missing: "labels[0].sets", |p| p.open.push(open_lattice("readers"));
    a_name_that_steers_a_terminal: "name", |p| p.name = "\u{1b}[2J".to_owned();

    a_type_of_itself: "types[5]", |p| p.types[5] = Type::List(TypeId(5));
    a_type_of_a_later_one: "types[0]", |p| p.types[0] = Type::Set(TypeId(1));
    a_field_twice: "types[3].fields", |p| {
        let Type::Record { fields, .. } = &mut p.types[3] else { return };
        fields.push(fields[0].clone());
    };
    a_union_of_nothing: "types[6].choices", |p| p.types[6] = Type::Union(vec![]);
    types_too_deep: "types[68]",
        |p| p.types.extend((6..6 + 70).map(|i| Type::List(TypeId(i))));
    types_too_large: "types[20]",
        |p| p.types.extend((6..6 + 40).map(|i| Type::Union(vec![TypeId(i), TypeId(i)])));

    a_condition_of_itself: "conditions[6]",
        |p| p.conditions[6] = Condition::Not(ConditionId(6));
    conditions_too_large: "conditions[25]", |p| p.conditions.extend(
        (9..9 + 40).map(|i| Condition::All(vec![ConditionId(i), ConditionId(i)])));
    patterns_too_large: "patterns", |p| {
        let large = rtbas_artifact::pattern::Pattern::new("(a{1000}){16}").unwrap();
        let text = Operand::Literal(Value::Text(String::new()));
        p.conditions.extend(vec![Condition::Matches(text, large); 70]);
    };
    conditions_too_deep: "conditions[73]",
        |p| p.conditions.extend((9..9 + 70).map(|i| Condition::Not(ConditionId(i))));
    the_negation_of_a_bound: "conditions[6].not",
        |p| p.conditions[6] = Condition::Not(ConditionId(0));
    the_negation_of_a_hidden_bound: "conditions[10].not",
        |p| p.conditions.push(Condition::Not(ConditionId(8)));
    a_bound_that_does_not_exist: "conditions[0].bound",
        |p| p.conditions[0] = Condition::Context(LabelId(FAR));
    a_fact_that_does_not_exist: "conditions[4].fact",
        |p| p.conditions[4] = Condition::Present(Operand::Fact(FactId(FAR), vec![]));
    a_text_that_is_too_long: "conditions[4].literal", |p| p.conditions[4] =
        Condition::Present(Operand::Literal(Value::Text("x".repeat(MAX_TEXT + 1))));
    a_path_that_is_too_long: "conditions[4].path", |p| p.conditions[4] =
        Condition::Present(Operand::Fact(FactId(0), vec![String::new(); MAX_NESTING + 1]));

    a_label_with_a_part_missing: "labels[0].parts", |p| p.labels[0].parts.truncate(1);
    a_level_that_does_not_exist: "labels[3].parts",
        |p| p.labels[3].parts[1] = LabelPart::Level(LevelId(2));

    a_fact_of_no_type: "facts[1].ty", |p| p.facts[1].ty = TypeId(FAR);
    a_name_of_two_facts: "facts", |p| p.facts[1].name = "me".to_owned();
    a_message_of_no_label: "messages.user", |p| p.messages.user = LabelId(FAR);
    a_message_whose_label_varies: "messages.reply", |p| p.messages.reply = LabelId(4);
    outsiders_whose_label_varies: "stores[0].outsiders.read",
        |p| p.stores[0].outsiders.as_mut().unwrap().read = Some(LabelId(5));
    a_name_of_two_stores: "stores", |p| p.stores.push(p.stores[0].clone());

    a_cell_of_no_store: "cells[0].store", |p| p.cells[0].store = StoreId(1);
    a_cell_of_no_type: "cells[0].ty", |p| p.cells[0].ty = Some(TypeId(FAR));
    a_cell_twice: "cells", |p| p.cells[0].part = CellPart::Shape;
    a_cell_that_reads_a_call: "cells[1].label", |p| p.cells[1].label.otherwise = LabelId(4);
    a_guard_that_reads_a_label: "cells[0].label",
        |p| p.cells[0].label.alternatives[0].when = ConditionId(0);
    a_guard_that_raises: "cells[0].label", |p| p.cells[0].label.otherwise = LabelId(2);

    tools_out_of_order: "tools", |p| p.tools.swap(0, 1);
    a_tool_twice: "tools", |p| p.tools[1].name = "list".to_owned();
    a_schema_that_is_no_object: "tools[0].schema", |p| p.tools[0].schema = "[]".to_owned();
    an_argument_twice: "tools[1].arguments",
        |p| p.tools[1].arguments[1].name = "amount".to_owned();
    an_argument_of_no_type: "tools[1].arguments[0].ty",
        |p| p.tools[1].arguments[0].ty = TypeId(FAR);
    a_default_of_another_type: "tools[1].arguments[1].default",
        |p| p.tools[1].arguments[1].default = Some(Value::Bool(true));
    a_default_too_deep: "tools[1].arguments[1].default", |p| p.tools[1].arguments[1].default =
        Some((0..66).fold(Value::Null, |v, _| Value::List(vec![v])));

    no_root: "tools[1].nodes", |p| p.tools[1].nodes.clear();
    a_region_of_itself: "tools[0].nodes[3]",
        |p| p.tools[0].nodes[3].kinds = vec![NodeKind::List(NodeId(3))];
    a_region_that_nothing_holds: "tools[0].nodes[2]",
        |p| p.tools[0].nodes[3].kinds = vec![NodeKind::List(NodeId(1))];
    names_of_a_map_that_are_no_text: "tools[0].nodes[3].key",
        |p| {
            p.tools[0].nodes[3].kinds = vec![NodeKind::Map { key: NodeId(2), value: NodeId(1) }];
        };
    a_region_that_is_nothing: "tools[0].nodes[3].kinds", |p| p.tools[0].nodes[3].kinds.clear();
    a_region_that_is_one_of_two_lists: "tools[0].nodes[3].kinds",
        |p| p.tools[0].nodes[3].kinds.push(NodeKind::List(NodeId(2)));
    a_tag_that_tells_nothing_apart: "tools[0].nodes[2].tag",
        |p| p.tools[0].nodes[2].tag = Some("subject".to_owned());
    two_records_without_a_tag: "tools[0].nodes[2].tag", |p| {
        let record = p.tools[0].nodes[2].kinds[0].clone();
        p.tools[0].nodes[2].kinds.push(record);
    };
    a_tag_of_any_text: "tools[0].nodes[2].tag", |p| {
        let record = p.tools[0].nodes[2].kinds[0].clone();
        p.tools[0].nodes[2].kinds.push(record);
        p.tools[0].nodes[2].tag = Some("subject".to_owned());
    };
    a_form_around_what_is_no_text: "tools[0].form",
        |p| p.tools[0].form = vec![String::new(), String::new()];
    a_form_around_one_value: "tools[1].form",
        |p| p.tools[1].form = vec![String::new(), String::new()];
    a_form_around_no_list: "tools[0].form", |p| {
        p.tools[0] = form_tool(p, &["", ""]);
        let record = p.tools[0].nodes[2].clone();
        p.tools[0].nodes.push(record);
        p.tools[0].nodes[3].kinds = vec![NodeKind::List(NodeId(2))];
    };
    a_form_with_a_piece_too_few: "tools[0].form", |p| p.tools[0] = form_tool(p, &["", ", "]);
    a_form_with_a_piece_too_many: "tools[0].form",
        |p| p.tools[0] = form_tool(p, &["", ", ", ", ", ""]);
    a_form_with_nothing_between: "tools[0].form", |p| p.tools[0] = form_tool(p, &["a", "", "b"]);
    a_form_with_a_value_that_may_lack: "tools[0].form", |p| {
        p.tools[0] = form_tool(p, &["", ", ", ""]);
        let NodeKind::Record(fields) = &mut p.tools[0].nodes[2].kinds[0] else { return };
        fields[1].required = false;
    };
    a_form_whose_values_choose_labels: "tools[0].form", |p| {
        p.tools[0] = form_tool(p, &["", ", ", ""]);
        p.tools[0].nodes[2].record_of = Some(StoreId(0));
    };
    a_form_with_an_endless_piece: "tools[0].form[1].piece", |p| {
        let piece = "x".repeat(MAX_TEXT + 1);
        p.tools[0] = form_tool(p, &["", &piece, ""]);
    };
    a_region_of_no_type: "tools[1].nodes[0].kinds[0].ty",
        |p| p.tools[1].nodes[0].kinds = vec![NodeKind::Leaf(TypeId(FAR))];
    a_region_of_no_store: "tools[0].nodes[2].record_of",
        |p| p.tools[0].nodes[2].record_of = Some(StoreId(1));
    a_list_that_is_a_record: "tools[0].nodes[3].record_of",
        |p| p.tools[0].nodes[3].record_of = Some(StoreId(0));
    a_region_that_shows_nothing_there_is: "tools[0].nodes[0].shows[0].cell",
        |p| p.tools[0].nodes[0].shows[0] = CellId(2);
    a_region_that_shows_a_cell_twice: "tools[0].nodes[0].shows",
        |p| p.tools[0].nodes[0].shows.push(CellId(0));
    a_region_with_a_field_twice: "tools[0].nodes[2].kinds[0].fields", |p| {
        let NodeKind::Record(fields) = &mut p.tools[0].nodes[2].kinds[0] else { return };
        fields[1].name = "subject".to_owned();
    };
    a_region_that_reads_no_record: "tools[1].nodes[0].label",
        |p| p.tools[1].nodes[0].label.as_mut().unwrap().otherwise = LabelId(5);
    a_region_that_reads_no_argument: "tools[0].nodes[1].label",
        |p| p.tools[0].nodes[1].label.as_mut().unwrap().otherwise = LabelId(4);
    an_error_that_reads_a_record: "tools[1].errors",
        |p| p.tools[1].errors.otherwise = LabelId(5);

    a_write_to_nothing: "tools[1].writes[0].cell", |p| p.tools[1].writes[0].cell = CellId(2);
    a_write_from_nothing: "tools[1].writes[0].from[0].argument",
        |p| p.tools[1].writes[0].from[0] = ArgumentId(2);
    a_cell_written_twice: "tools[1].writes[1]", |p| {
        let write = p.tools[1].writes[0].clone();
        p.tools[1].writes.push(write);
    };
    a_store_written_in_two_ways: "tools[1].writes[1]", |p| {
        let write = Write { cell: CellId(1), how: WriteKind::Adds, ..p.tools[1].writes[0].clone() };
        p.tools[1].writes.push(write);
    };
    a_change_of_a_shape: "tools[1].writes[0]", |p| {
        p.tools[1].endorsements.clear();
        let change = WriteKind::Changes;
        p.tools[1].writes[0] = Write { cell: CellId(1), from: vec![], value: None, how: change };
    };
    a_value_of_a_shape: "tools[1].writes[0].value", |p| {
        p.tools[1].endorsements.clear();
        p.tools[1].writes[0].cell = CellId(1);
        p.tools[1].writes[0].value = Some(Operand::Literal(Value::Null));
    };
    a_value_of_no_argument: "tools[1].writes[0].value",
        |p| p.tools[1].writes[0].value = Some(Operand::Argument(ArgumentId(2), vec![]));
    a_value_that_does_not_flow: "tools[1].writes[0].value",
        |p| p.tools[1].writes[0].value = Some(Operand::Argument(ArgumentId(1), vec![]));
    a_value_of_no_fact: "tools[1].writes[0].value.fact",
        |p| p.tools[1].writes[0].value = Some(Operand::Fact(FactId(FAR), vec![]));
    a_value_of_a_record: "tools[1].writes[0].value",
        |p| p.tools[1].writes[0].value = Some(Operand::Field(vec!["subject".to_owned()]));
    a_value_of_a_function: "tools[1].writes[0].value", |p| {
        let read = Box::new(Operand::Argument(ArgumentId(0), vec![]));
        let lower = rtbas_artifact::function::Function::Lower;
        p.tools[1].writes[0].value = Some(Operand::Derived(lower, read));
    };
    an_endorsement_of_what_is_not_written: "tools[1].endorsements[0].cells[0].cell",
        |p| p.tools[1].endorsements[0].cells[0] = CellId(1);

    no_rule: "tools[0].rules", |p| p.tools[0].rules.clear();
    no_last_word: "tools[1].rules", |p| p.tools[1].rules.truncate(2);
    a_rule_after_the_last_word: "tools[1].rules", |p| p.tools[1].rules[0].when = None;
    a_rule_that_reads_a_record: "tools[1].rules[0].when",
        |p| p.tools[1].rules[0].when = Some(ConditionId(9));
    a_rule_that_reads_an_argument_of_another_tool: "tools[0].rules[0].when", |p| {
        p.tools[0].rules.insert(0, Rule { effect: Effect::Deny, when: Some(ConditionId(4)) });
    };
    a_rule_of_no_condition: "tools[1].rules[1].when",
        |p| p.tools[1].rules[1].when = Some(ConditionId(FAR));

    a_claim_of_no_tool: "claims[0].target", |p| p.claims[0].target = Target::Tool(ToolId(2));
    a_claim_of_no_argument: "claims[1].target",
        |p| p.claims[1].target = Target::Argument(ToolId(1), ArgumentId(2));
    a_claim_of_no_store: "claims[0].target", |p| p.claims[0].target = Target::Store(StoreId(1));
    a_claim_of_no_cell: "claims[0].target", |p| p.claims[0].target = Target::Cell(CellId(2));
    a_claim_of_the_reply_unless_an_argument_is: "claims[0].unless",
        |p| p.claims[0].target = Target::Reply;
    a_claim_of_a_store_unless_an_argument_is: "claims[0].unless",
        |p| p.claims[0].target = Target::Store(StoreId(0));
    a_claim_that_admits_no_downgrade: "claims[0].via[0].downgrade",
        |p| p.claims[0].via.push(Exception::Downgrade(DowngradeId(0)));
    a_claim_that_admits_no_approval: "claims[0].via[0].tool",
        |p| p.claims[0].via.push(Exception::Approval(Some(ToolId(2))));
    a_claim_whose_level_varies: "claims[0].level", |p| p.claims[0].level = LabelId(4);
    a_claim_unless_a_bound_holds: "claims[0].unless",
        |p| p.claims[0].unless = Some(ConditionId(0));
}

/// The first tool, with results that are text of a form.
#[expect(clippy::indexing_slicing, reason = "the fixture has these parts")]
fn form_tool(policy: &Policy, pieces: &[&str]) -> Tool {
    let mut tool = policy.tools[0].clone();
    tool.format = Format::Text;
    tool.form = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    tool.nodes.truncate(3);
    tool.nodes[1].label = tool.nodes[2].label.clone();
    tool.nodes[2].record_of = None;
    if let NodeKind::Record(fields) = &mut tool.nodes[2].kinds[0] {
        fields[1].required = true;
    }
    tool
}

#[test]
fn a_text_with_values_in_it_is_valid() {
    assert_eq!(fault(|p| p.tools[0] = form_tool(p, &["", ", ", ""])), "nothing");
    assert_eq!(fault(|p| p.tools[0] = form_tool(p, &["From ", "\n", "."])), "nothing");
}

#[test]
fn the_fixture_itself_is_valid() {
    assert_eq!(fault(|_| {}), "nothing");
}

fn open_lattice(name: &str) -> SetLattice {
    SetLattice { name: name.to_owned(), kind: SetKind::Readers, dual: false }
}
