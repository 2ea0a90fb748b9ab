//! Results that tools gave to models in recorded runs, where a folder of recordings is at hand:
//! `RTBAS_TRACES` names it. The files are JSON lines packed with Zstandard.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;

use rtbas::region::{Content, find};
use rtbas_artifact::ir::{Format, Type};
use rtbas_artifact::value::Value;
use serde_json::{Value as Json, json};

use super::shape::{tool, types};

/// A shape that a value has: every scalar a leaf of its own.
fn shape(value: &Value) -> Json {
    match value {
        Value::List(items) => match items.iter().map(shape).reduce(merge) {
            Some(element) => json!([element]),
            None => json!(["any"]),
        },
        // A key that ends like this would say that it need not be there.
        Value::Record(fields) if fields.keys().all(|name| !name.ends_with('?')) => {
            fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        _ => json!("any"),
    }
}

fn merge(a: Json, b: Json) -> Json {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => json!([merge(a[0].clone(), b[0].clone())]),
        (Json::Object(a), Json::Object(b)) => {
            let bare = |fields: serde_json::Map<String, Json>| -> BTreeMap<String, (bool, Json)> {
                let bare = |(k, v): (String, Json)| {
                    (k.trim_end_matches('?').to_owned(), (!k.ends_with('?'), v))
                };
                fields.into_iter().map(bare).collect()
            };
            let (mut a, b) = (bare(a), bare(b));
            a.iter_mut().filter(|(name, _)| !b.contains_key(*name)).for_each(|(_, f)| f.0 = false);
            for (name, (required, shape)) in b {
                let merged = match a.remove(&name) {
                    Some((also, other)) => (required && also, merge(other, shape)),
                    None => (false, shape),
                };
                a.insert(name, merged);
            }
            let marked = |(name, (required, shape)): (String, (bool, Json))| {
                (if required { name } else { format!("{name}?") }, shape)
            };
            a.into_iter().map(marked).collect()
        }
        (a, b) if a == b => a,
        _ => json!("any"),
    }
}

fn results(folder: &Path) -> BTreeSet<String> {
    let mut results = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".jsonl.zst") {
            continue;
        }
        let file = std::fs::File::open(path).unwrap();
        for line in BufReader::new(zstd::Decoder::new(file).unwrap()).lines() {
            let run: Json = serde_json::from_str(&line.unwrap()).unwrap();
            for message in run["messages"].as_array().unwrap() {
                if message["role"] == "tool" {
                    results.extend(message["content"].as_str().map(str::to_owned));
                }
            }
        }
    }
    results
}

#[test]
fn recorded_results_have_exact_spans() {
    let Some(folder) = std::env::var_os("RTBAS_TRACES") else {
        eprintln!("skipped: RTBAS_TRACES names no folder of recorded runs");
        return;
    };
    let types: Vec<Type> = types().into_iter().map(|(_, ty)| ty).collect();
    let results = results(Path::new(&folder));
    for format in [Format::Yaml, Format::Json, Format::Python] {
        eprintln!("{}", of_format(&types, format, &results));
    }
}

fn of_format(types: &[Type], format: Format, results: &BTreeSet<String>) -> String {
    let any = tool(format, &json!("any"));
    let (mut fit, mut unfit, mut leaves) = (0, 0, 0);
    for text in results {
        let Ok(whole) = find(types, &any, text) else {
            unfit += 1;
            continue;
        };
        fit += 1;
        let whole = whole.value(0).unwrap();
        let tree = find(types, &tool(format, &shape(&whole)), text).unwrap();
        assert_eq!(tree.value(0), Some(whole), "{text:?}");
        for region in &tree {
            let Content::Leaf(value) = &region.content else { continue };
            leaves += 1;
            let alone = &text[region.span.clone()];
            // A backslash before a quote is refused at the root, where Python might have put it.
            if !alone.is_empty() && (format != Format::Yaml || !alone.contains("\\'")) {
                let again = find(types, &any, alone).unwrap();
                assert_eq!(again.value(0).as_ref(), Some(value), "{alone:?} in {text:?}");
            }
        }
    }
    assert!(leaves > 0);
    format!("{format:?}: {fit} results are some, {unfit} are none; {leaves} leaves")
}
