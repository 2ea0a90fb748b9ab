//! A module list is the order of permitted imports: a module uses the modules that stand above it
//! in the list, its own parts, and what the modules around it declare themselves.

use std::collections::BTreeMap;

use super::code::Code;
use super::tree::{CRATES, File, none, sources};

/// The way to a module from the crate's root, which has the empty one.
type Way = Vec<String>;

/// The modules of a crate, each with the path of its file.
type Modules = BTreeMap<Way, (String, Code)>;

#[test]
fn modules_use_only_those_above_them() {
    let broken: Vec<String> = CRATES.iter().flat_map(|of| breaches(&sources(of))).collect();
    none(
        "a module uses only those that stand above it in the list; reorder list or code:",
        &broken,
    );
}

#[test]
fn a_use_of_a_later_module_is_found() {
    let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
    let root = "mod a;\nmod b;\nmod c;\nuse b::{self as other, x::Inner};\npub use c::Late;\n";
    let found = breaches(&[
        file("k/src/lib.rs", root),
        file(
            "k/src/a.rs",
            "//! [`crate::b`]\nfn f() -> &'static str {\n  crate::c::f(\"crate::b\")\n}",
        ),
        file(
            "k/src/b.rs",
            "mod x;\nmod y;\nuse crate::{\n  a::{A, B},\n  c::C,\n};\nuse crate::Late;",
        ),
        file("k/src/b/x.rs", "use super::y::Y;\nuse super::super::a::A;\nuse super::Z;"),
        file("k/src/b/y.rs", "use super::x;\n#[cfg(test)]\nmod tests { use crate::c::C; }\n"),
        file("k/src/c.rs", "use crate::{a, b};\nuse std::fmt;"),
    ]);
    assert_eq!(
        found,
        [
            "k/src/a.rs:3: `crate::c::f` uses `c`, which k/src/lib.rs lists below `a`",
            "k/src/b.rs:5: `crate::c::C` uses `c`, which k/src/lib.rs lists below `b`",
            "k/src/b.rs:7: `crate::Late` uses `c`, which k/src/lib.rs lists below `b`",
            "k/src/b/x.rs:1: `super::y::Y` uses `y`, which k/src/b.rs lists below `x`",
        ]
    );
}

/// Every use of a module that stands below.
fn breaches(files: &[File]) -> Vec<String> {
    let modules: Modules =
        files.iter().map(|file| (way(&file.path), (file.path.clone(), Code::of(file)))).collect();
    let mut found = Vec::new();
    for (from, (file, code)) in &modules {
        for path in &code.paths {
            let Some(to) = target(&modules, from, &path.segments) else { continue };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let (Some(user), Some(used)) = (from.get(shared), to.get(shared)) else { continue };
            let (list, parent) = &modules[&from[..shared]];
            let place = |name: &String| parent.modules.iter().position(|listed| listed == name);
            if place(used) > place(user) {
                let (line, path) = (path.line, path.segments.join("::"));
                found.push(format!(
                    "{file}:{line}: `{path}` uses `{used}`, which {list} lists below `{user}`"
                ));
            }
        }
    }
    found
}

/// The way to the module of a file: `compiler/src/diag/code.rs` holds `diag::code`.
fn way(file: &str) -> Way {
    let (_, below) = file.split_once("/src/").unwrap();
    match below.strip_suffix(".rs").unwrap() {
        "lib" | "main" => Way::new(),
        module => module.split('/').map(str::to_owned).collect(),
    }
}

/// The module of this crate that a path leads to, through names that modules import.
fn target(modules: &Modules, from: &[String], path: &[String]) -> Option<Way> {
    let (first, mut rest) = path.split_first()?;
    let mut at = from.to_vec();
    match first.as_str() {
        "crate" => at.clear(),
        "self" => {}
        "super" => drop(at.pop()?),
        child if modules.get(from)?.1.modules.iter().any(|listed| listed == child) => rest = path,
        _ => return None,
    }
    while let Some((name, behind)) = rest.split_first() {
        let code = &modules.get(&at)?.1;
        let import = code.paths.iter().find(|path| path.import.as_ref() == Some(name));
        if name == "super" {
            at.pop()?;
        } else if code.modules.contains(name) {
            at.push(name.clone());
        } else if let Some(import) = import {
            let whole = [&import.segments, behind].concat();
            return target(modules, &at, &whole).or(Some(at));
        } else {
            break;
        }
        rest = behind;
    }
    Some(at)
}
