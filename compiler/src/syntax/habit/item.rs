//! Items: the first line, comments, and what other languages begin a statement with.

use super::{Advice, Stop, first_name, group, inside, last_name, range};

/// A comment as scripts write it.
pub(super) fn comment(at: &Stop<'_>) -> Option<Advice> {
    let help = "a comment begins with `//` and ends with the line";
    match at.found {
        "#" => Some(at.replace("//", help)),
        "/" if at.after().starts_with('*') => Some(Advice::say(help)),
        _ => None,
    }
}

/// Something before the line that names the policy, or in its place.
pub(super) fn header(at: &Stop<'_>) -> Option<Advice> {
    if at.expected == ["`edition`"] {
        let place = at.before().trim_end().len();
        let advice = Advice::say("name the edition of the language: write `edition 2026`");
        return Some(advice.edit(place..place, " edition 2026"));
    }
    if at.expected != ["`policy`"] {
        return None;
    }
    let is_header = |line: &&str| first_name(line) == "policy" && line.contains("edition");
    if let Some(line) = at.rest().lines().find(is_header) {
        let old = range(at.text, line);
        let new = at.offset..at.offset;
        let advice = Advice::say(format!("put this line first: `{}`", line.trim()));
        return Some(advice.edit(new, format!("{}\n", line.trim())).edit(old, ""));
    }
    let name = match at.found {
        "package" | "module" | "namespace" => first_name(at.after()),
        _ => "",
    };
    let line = format!("policy {} edition 2026", if name.is_empty() { "agent" } else { name });
    let advice = Advice::say(format!("a policy begins with its name and edition: write `{line}`"));
    Some(match name {
        "" => advice.edit(at.offset..at.offset, format!("{line}\n")),
        name => advice.edit(at.offset..range(at.text, name).end, line),
    })
}

/// `label a, b` without its braces.
pub(super) fn product(at: &Stop<'_>) -> Option<Advice> {
    let line = at.before().trim_end().rsplit('\n').next().unwrap_or_default();
    let name = line.trim().strip_prefix("label")?.trim();
    if at.expected != ["`=`"] || name.is_empty() {
        return None;
    }
    let mut names = vec![name];
    let mut end = range(at.text, name).end;
    while let Some(next) = at.text.get(end..)?.trim_start().strip_prefix(',') {
        let name = first_name(next);
        if name.is_empty() {
            break;
        }
        names.push(name);
        end = range(at.text, name).end;
    }
    let right = format!("{{ {} }}", names.join(", "));
    let help = format!("the lattices of a label stand in braces: write `label {right}`");
    Some(Advice::say(help).edit(range(at.text, name).start..end, right))
}

/// A statement that no policy has.
pub(super) fn statement(at: &Stop<'_>) -> Option<Advice> {
    let is_item = at.expects("`tool`") && at.expects("`lattice`");
    match at.found {
        "default" if is_item || at.expects("`allow`") => {
            let line = at.rest().lines().next().unwrap_or_default();
            let help =
                "what no rule allows is not allowed, so there is no default: delete the line";
            Some(Advice::say(help).edit(range(at.text, line), ""))
        }
        "permit" | "forbid" | "allow" | "deny" | "confirm" if is_item => Some(block(at)),
        "tools" if at.expected == ["a string"] && last_name(at.before()) == "import" => {
            let word = range(at.text, last_name(at.before()));
            Some(
                Advice::say("policies are imported, and tools are used: write `use`")
                    .edit(word, "use"),
            )
        }
        "unless" if is_item => before_via(at),
        "=" if last_name(at.before()) == "label" => Some(at.delete("delete `=`")),
        _ => None,
    }
}

/// The exception of a claim behind what the claim admits.
fn before_via(at: &Stop<'_>) -> Option<Advice> {
    let via = at.before().rfind(" via ")?;
    let unless = at.rest().lines().next().unwrap_or_default().trim_end();
    let help = format!("put `{unless}` before `via`");
    Some(Advice::say(help).edit(via..via, format!(" {unless}")).edit(range(at.text, unless), ""))
}

/// A decision that stands by itself, as in `permit (…) when { … };`, as the block of a tool.
fn block(at: &Stop<'_>) -> Advice {
    let help = "decisions stand in the block of their tool";
    let mut rest = at.after();
    let head_end = rest.find(['{', ';', '\n']).unwrap_or(rest.len());
    let head = match group(rest.trim_start()) {
        Some(head) if rest.trim_start().starts_with('(') => head,
        _ => rest.get(..head_end).unwrap_or_default(),
    };
    rest = at.text.get(range(at.text, head).end..).unwrap_or_default();
    // Conditions name the tool as well, in Cedar as the action of the head.
    let head = head.split([';', '\n']).next().unwrap_or_default();
    let quoted = head.rsplit('"').nth(1).filter(|_| head.contains("::"));
    let plain = head.split(" when").next().and_then(|head| head.split(" unless").next());
    let tool = quoted.unwrap_or_else(|| last_name(plain.unwrap_or_default().trim_end_matches(')')));
    if tool.is_empty() || tool == "tool" {
        return Advice::say(format!("{help}: `tool NAME {{ allow when … deny otherwise }}`"));
    }
    let mut conditions = Vec::new();
    let mut end = range(at.text, head).end;
    loop {
        let word = first_name(rest);
        let after = rest.trim_start().get(word.len()..).unwrap_or_default().trim_start();
        let Some(condition) = group(after).filter(|_| matches!(word, "when" | "unless")) else {
            break;
        };
        conditions.push(match word {
            "when" => format!("({})", inside(condition)),
            _ => format!("not ({})", inside(condition)),
        });
        end = range(at.text, condition).end;
        rest = at.text.get(end..).unwrap_or_default();
    }
    if rest.trim_start().starts_with(';') {
        end += rest.find(';').unwrap_or_default() + 1;
    }
    let effect = match at.found {
        "permit" | "allow" => "allow",
        "confirm" => "confirm",
        _ => "deny",
    };
    let rules = match conditions.as_slice() {
        [] => format!("{effect} always"),
        all => format!("{effect} when {} deny otherwise", all.join(" and ")),
    };
    let right = format!("tool {tool} {{ {rules} }}");
    Advice::say(format!("{help}: write `{right}`")).edit(at.offset..end, right)
}

/// `never L to T` for `never L -> T`.
pub(super) fn claim(at: &Stop<'_>) -> Option<Advice> {
    let is_claim = at.line_before().trim_start().starts_with("never");
    let is_arrow = matches!(at.found, "to" | "into" | "reaches" | "=>" | "flows");
    (is_claim && is_arrow && at.expects("`->`")).then(|| at.replace("->", "write `->`"))
}
