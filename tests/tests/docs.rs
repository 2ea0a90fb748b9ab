//! The documents keep their word: every `pol` block in them is a policy that compiles, or gives just
//! the codes that its fence promises, and every relative link leads to a file and a heading.
//!
//! A block is compiled as if it stood alone in the document's place, so tool lists are found beside
//! the document and messages name the document's own lines. A fence reads `pol`, `pol error=E0203`,
//! `pol warning=W0201` or `pol note=N0401`; a note that is not promised is not counted.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use rtbas_compiler::diag::render::human;
use rtbas_compiler::diag::{Code, Severity};
use rtbas_compiler::source::Sources;

type Failure = Box<dyn std::error::Error>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents: paths below the root, and their texts.
fn documents() -> Result<Vec<(String, String)>, Failure> {
    let mut paths = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/errors"] {
        for entry in fs::read_dir(root().join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                paths.push(format!("{folder}/{name}"));
            }
        }
    }
    paths.sort();
    let read = |path: String| Ok((path.clone(), fs::read_to_string(root().join(path))?));
    paths.into_iter().map(read).collect()
}

/// A fenced policy.
struct Block {
    /// The codes that the fence promises.
    promised: BTreeSet<String>,
    /// The policy, below as many empty lines as stand above it in the document.
    text: String,
}

/// The `pol` blocks of a document.
fn blocks(document: &str) -> Result<Vec<Block>, Failure> {
    let mut blocks = Vec::new();
    let mut open: Option<BTreeSet<String>> = None;
    for (event, range) in Parser::new(document).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => open = promises(&info)?,
            Event::End(TagEnd::CodeBlock) => open = None,
            Event::Text(text) => {
                if let Some(promised) = open.take() {
                    let above = document.get(..range.start).unwrap_or_default();
                    let lines = "\n".repeat(above.matches('\n').count());
                    blocks.push(Block { promised, text: format!("{lines}{text}") });
                }
            }
            _ => {}
        }
    }
    Ok(blocks)
}

/// What a fence promises; `None` if it holds no policy.
fn promises(info: &str) -> Result<Option<BTreeSet<String>>, Failure> {
    let mut words = info.split_whitespace();
    if words.next() != Some("pol") {
        return Ok(None);
    }
    let code = |word: &str| {
        let mut kinds = ["error=", "warning=", "note="].iter();
        let code = kinds.find_map(|kind| word.strip_prefix(kind));
        code.map(str::to_owned).ok_or_else(|| format!("the fence says `{word}`").into())
    };
    words.map(code).collect::<Result<_, _>>().map(Some)
}

/// Compiles a block in a document's place; gives the codes that count, and the messages.
fn compile(path: &str, block: &Block) -> (BTreeSet<String>, String) {
    let mut load = |wanted: &str| match wanted == path {
        true => Ok(block.text.clone()),
        false => fs::read_to_string(root().join(wanted)).map_err(|error| error.to_string()),
    };
    let mut sources = Sources::new(&mut load);
    let (_, diagnostics) = rtbas_compiler::compile(&mut sources, path);
    let codes = diagnostics.iter().map(|found| (found.severity, found.code.to_string()));
    let codes = codes
        .filter(|(severity, code)| *severity < Severity::Note || block.promised.contains(code));
    let codes = codes.map(|(_, code)| code).collect();
    (codes, human(&sources, &diagnostics, false))
}

#[test]
fn every_policy_in_the_documents_compiles_or_fails_as_promised() {
    let mut wrong = String::new();
    let mut compiled = BTreeSet::new();
    for (path, document) in documents().unwrap() {
        for block in blocks(&document).unwrap_or_else(|error| panic!("{path}: {error}")) {
            let (codes, messages) = compile(&path, &block);
            if codes != block.promised {
                let promised = &block.promised;
                wrong += &format!("{path}: promised {promised:?}, found {codes:?}\n{messages}\n");
            }
            compiled.insert(path.clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    for path in ["README.md", "docs/language.md"] {
        assert!(compiled.contains(path), "{path} holds no policy");
    }
}

#[test]
fn every_policy_in_the_documents_is_canonical() {
    let mut wrong = String::new();
    for (path, document) in documents().unwrap() {
        for block in blocks(&document).unwrap_or_else(|error| panic!("{path}: {error}")) {
            let text = block.text.trim_start_matches('\n');
            let line = block.text.len() - text.len();
            let mut load = |_: &str| Ok(text.to_owned());
            let (formatted, _) = rtbas_compiler::format(&mut Sources::new(&mut load), &path);
            if let Some(formatted) = formatted.filter(|formatted| formatted != text) {
                wrong += &format!("{path}:{line}: `rtbasc fmt -` makes of it\n{formatted}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_block_that_breaks_its_promise_is_found() {
    let document = "text\n\n```pol error=E0301\npolicy p edition 2026\nlattice l { a }\n```\n";
    let found = blocks(document).unwrap();
    let [block] = found.as_slice() else { panic!("{} blocks", found.len()) };
    let (codes, messages) = compile("docs/document.md", block);
    assert!(!codes.is_empty() && codes != block.promised, "{messages}");
    assert!(messages.contains("docs/document.md:4:"), "{messages}");
}

/// The headings of a document, as they are written in links.
fn anchors(document: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take().map(|h| slug(&h))),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What is wrong with a link in a document; `None` if nothing is, or if it leads elsewhere.
fn broken(path: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let here = root().join(path);
    let target = match file {
        "" => here,
        _ => here.with_file_name("").join(file),
    };
    if !target.exists() {
        return Some(format!("{path}: `{link}` leads to no file"));
    }
    if anchor.is_empty() {
        return None;
    }
    let text = fs::read_to_string(&target).unwrap_or_default();
    (!anchors(&text).contains(anchor)).then(|| format!("{path}: `{link}` leads to no heading"))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for (path, document) in documents().unwrap() {
        for event in Parser::new(&document) {
            if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
                wrong.extend(broken(&path, &dest_url));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(broken("docs/language.md", "no-such-file.md").is_some());
    assert!(broken("docs/language.md", "semantics.md#no-such-heading").is_some());
}

#[test]
fn the_reference_lists_every_code() {
    let language = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let line = |code: &Code| format!("| [{code}](errors/{code}.md) | {} |", code.summary());
    let missing: Vec<String> =
        Code::ALL.iter().map(line).filter(|line| !language.contains(line)).collect();
    assert!(missing.is_empty(), "docs/language.md, among its codes, lacks\n{}", missing.join("\n"));
}

/// Codes that no text of a policy brings about, and why.
const UNSHOWN: [(Code, &str); 3] = [
    (Code::E0101, "a text that cannot be read stands in no block"),
    (Code::E0509, "a fault of the compiler that we knew of would be mended"),
    (Code::E0602, "the library is another one, whatever the policy"),
];

/// What the page of a code lacks.
fn lacks(code: Code) -> Vec<String> {
    let (page, name) = (code.page(), code.to_string());
    let mut lacks = Vec::new();
    let title = format!("# {code}: {}", code.summary());
    if page.lines().next() != Some(&title) {
        lacks.push(format!("the title `{title}`"));
    }
    let blocks = match blocks(page) {
        Ok(blocks) => blocks,
        Err(error) => return vec![format!("fences that can be read: {error}")],
    };
    let unshown = UNSHOWN.iter().any(|(unshown, _)| *unshown == code);
    let bad = blocks.iter().filter(|block| block.promised == BTreeSet::from([name.clone()]));
    let kind = match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    if (bad.count() == 0) != unshown {
        lacks.push(match unshown {
            false => format!("a block ```pol {kind}={code}``` that gives just this code"),
            true => "a place among the codes that policies bring about: `UNSHOWN`".to_owned(),
        });
    }
    if !unshown && !blocks.iter().any(|block| block.promised.is_empty()) {
        lacks.push("a block ```pol``` that does it right".to_owned());
    }
    lacks
}

#[test]
fn every_code_has_a_page_with_a_bad_and_a_good_program() {
    let mut wrong = Vec::new();
    for code in Code::ALL {
        wrong.extend(lacks(*code).iter().map(|what| format!("{} lacks {what}", code.page_path())));
    }
    for entry in fs::read_dir(root().join("docs/errors")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".md")
            && !Code::ALL.iter().any(|code| code.name() == stem)
        {
            wrong.push(format!("docs/errors/{name} explains a code that there is not"));
        }
    }
    let help = "a code has a page: what it means, a program that brings it about, and one that \
                does it right";
    assert!(wrong.is_empty(), "{help}\n  {}", wrong.join("\n  "));
}
