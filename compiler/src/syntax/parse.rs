//! Matched rules → syntax tree: items. Terms are in [`term`], tools in [`tool`].
//!
//! Trusts the grammar for what stands inside a rule; where the two disagree, a function returns
//! `None`, and [`policy`] reports that as the internal error that it is. Mistakes that the grammar
//! cannot see (a number out of range, a field twice) are reported here.

use rtbas_artifact::ir::DowngradeWord;
use rtbas_artifact::sets::SetKind;
use rtbas_grammar::{Pair, Rule};

use super::ast::{
    Claim, ClaimTarget, Condition, Downgrade, Exception, Label, LabelRule, Lattice, LatticeForm,
    Lint, Message, MessageKind, Name, Outsiders, Policy, Product, Store, StoreLine, StorePart,
    Type,
};
use crate::diag::lint::Stance;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

mod term;
mod test;
mod tool;

/// The one edition there is.
const EDITION: u16 = 2026;

/// The tree of a file.
pub(super) fn policy(
    file: FileId,
    parsed: &Pair<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Policy> {
    let policy = Builder { file, diagnostics }.policy(parsed);
    if policy.is_none() {
        let message = "internal error: the grammar and the syntax tree disagree about this file";
        let span = Span::new(file, 0..0);
        diagnostics.push(Diagnostic::new(Code::E0105, span, message));
    }
    policy
}

struct Builder<'d> {
    file: FileId,
    diagnostics: &'d mut Diagnostics,
}

/// The parts of a match that are of one rule, in order.
fn all<'t>(pair: &Pair<'t>, rule: Rule) -> impl Iterator<Item = Pair<'t>> + use<'t> {
    pair.clone().into_inner().filter(move |part| part.as_rule() == rule)
}

/// The first part of a match that is of one rule.
fn one<'t>(pair: &Pair<'t>, rule: Rule) -> Option<Pair<'t>> {
    all(pair, rule).next()
}

/// Whether a match has a part of this rule.
fn has(pair: &Pair<'_>, rule: Rule) -> bool {
    one(pair, rule).is_some()
}

impl Builder<'_> {
    /// Where a match stands. The generated parser counts blanks and comments at the end of a match
    /// as a part of it; its last part knows better.
    fn span(&self, pair: &Pair<'_>) -> Span {
        let mut last = pair.clone();
        while let Some(part) = last.clone().into_inner().next_back() {
            last = part;
        }
        Span::new(self.file, pair.as_span().start()..last.as_span().end())
    }

    fn name(&self, pair: &Pair<'_>) -> Name {
        let text = pair.as_str().trim_matches('`').to_owned();
        Name { text, span: self.span(pair) }
    }

    fn one_name(&self, pair: &Pair<'_>) -> Option<Name> {
        one(pair, Rule::name).map(|name| self.name(&name))
    }

    fn names(&self, pair: &Pair<'_>) -> Vec<Name> {
        all(pair, Rule::name).map(|name| self.name(&name)).collect()
    }

    fn policy(&mut self, file: &Pair<'_>) -> Option<Policy> {
        let header = one(file, Rule::header)?;
        let mut policy = Policy {
            file: self.file,
            name: self.one_name(&header)?,
            edition: self.edition(&one(&header, Rule::integer)?),
            version: match one(&header, Rule::version) {
                Some(version) => self.version(&version),
                None => 1,
            },
            imports: Vec::new(),
            lattices: Vec::new(),
            products: Vec::new(),
            abbreviations: Vec::new(),
            conditions: Vec::new(),
            facts: Vec::new(),
            types: Vec::new(),
            uses: Vec::new(),
            stores: Vec::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            downgrades: Vec::new(),
            claims: Vec::new(),
            tests: Vec::new(),
            lints: Vec::new(),
            end: Span::new(self.file, file.as_span().end()..file.as_span().end()),
        };
        for item in file.clone().into_inner() {
            match item.as_rule() {
                Rule::import => {
                    let path = one(&item, Rule::string)?;
                    policy.imports.push((self.string(&path), self.span(&item)));
                }
                Rule::lattice => policy.lattices.push(self.lattice(&item)?),
                Rule::product => policy
                    .products
                    .push(Product { lattices: self.names(&item), span: self.span(&item) }),
                Rule::condition_item => policy.conditions.push(self.named_condition(&item)?),
                Rule::abbreviation => {
                    let name = self.one_name(&item)?;
                    policy.abbreviations.push((name, self.one_label(&item)?));
                }
                Rule::fact => policy.facts.push(self.typed(&item)?),
                Rule::type_item => policy.types.push(self.typed(&item)?),
                Rule::use_tools => {
                    let path = one(&item, Rule::string)?;
                    policy.uses.push((self.string(&path), self.span(&item)));
                }
                Rule::store => policy.stores.push(self.store(&item)?),
                Rule::message => policy.messages.push(self.message(&item)?),
                Rule::tool | Rule::tools => policy.tools.push(self.tool_block(&item)?),
                Rule::downgrade => policy.downgrades.push(self.downgrade(&item)?),
                Rule::claim => policy.claims.push(self.claim(&item)?),
                Rule::always => policy.claims.push(self.always(&item)?),
                Rule::test => policy.tests.push(self.test(&item)?),
                Rule::lint => policy.lints.push(self.lint(&item)?),
                _ => {}
            }
        }
        Some(policy)
    }

    fn edition(&mut self, pair: &Pair<'_>) -> u16 {
        if pair.as_str().parse() != Ok(EDITION) {
            let message = format!("there is no edition {} of the language", pair.as_str());
            let diagnostic = Diagnostic::new(Code::E0106, self.span(pair), message);
            self.diagnostics.push(diagnostic.help(format!("write `edition {EDITION}`")));
        }
        EDITION
    }

    fn version(&mut self, pair: &Pair<'_>) -> u64 {
        pair.as_str().trim_end().parse().unwrap_or_else(|_| {
            let message = format!("a version is a whole number up to {}", u64::MAX);
            self.diagnostics.push(Diagnostic::new(Code::E0106, self.span(pair), message));
            1
        })
    }

    fn lattice(&mut self, pair: &Pair<'_>) -> Option<Lattice> {
        let name = self.one_name(pair)?;
        let Some(form) = one(pair, Rule::lattice_form) else {
            let chains = all(pair, Rule::chain).map(|chain| self.names(&chain)).collect();
            return Some(Lattice { name, form: LatticeForm::Chains(chains), dual: false });
        };
        let dual = has(&form, Rule::kw_dual);
        let last = form.into_inner().next_back()?;
        let form = match last.as_rule() {
            Rule::powerset => LatticeForm::Powerset(self.names(&last)),
            Rule::factors => LatticeForm::Product(self.names(&last)),
            Rule::kw_readers => LatticeForm::Open(SetKind::Readers),
            Rule::kw_sources => LatticeForm::Open(SetKind::Sources),
            _ => LatticeForm::Lattice(self.name(&last)),
        };
        Some(Lattice { name, form, dual })
    }

    fn typed(&mut self, pair: &Pair<'_>) -> Option<(Name, Type)> {
        Some((self.one_name(pair)?, self.ty(&one(pair, Rule::ty)?)?))
    }

    fn message(&mut self, pair: &Pair<'_>) -> Option<Message> {
        let kind = if has(pair, Rule::kw_system) {
            MessageKind::System
        } else if has(pair, Rule::kw_user) {
            MessageKind::User
        } else {
            MessageKind::Reply
        };
        let label = self.one_label(pair)?;
        Some(Message { kind, label, span: self.span(pair) })
    }

    fn store(&mut self, pair: &Pair<'_>) -> Option<Store> {
        let of = match one(pair, Rule::store_of) {
            Some(of) => Some(self.ty(&one(&of, Rule::ty)?)?),
            None => None,
        };
        let (mut lines, mut outsiders) = (Vec::new(), Vec::new());
        if has(pair, Rule::label_rule) {
            lines.push(self.store_line(pair, StorePart::All)?);
        }
        for line in pair.clone().into_inner() {
            match line.as_rule() {
                Rule::shape_line => lines.push(self.store_line(&line, StorePart::Shape)?),
                Rule::rest_line => lines.push(self.store_line(&line, StorePart::Rest)?),
                Rule::field_line => {
                    let fields = self.fields_of(&line)?;
                    lines.push(self.store_line(&line, StorePart::Fields(fields))?);
                }
                Rule::outsiders_line => outsiders.push(self.outsiders(&line)?),
                _ => {}
            }
        }
        Some(Store { name: self.one_name(pair)?, of, lines, outsiders })
    }

    /// The fields that a line labels.
    fn fields_of(&mut self, line: &Pair<'_>) -> Option<Vec<Name>> {
        let mut fields = Vec::new();
        for part in all(line, Rule::field_name) {
            match part.as_str().trim_end() {
                own @ ("shape" | "*") => {
                    let rule = one(line, Rule::label_rule)?;
                    // Guards read fields, and the shape is no part of one record.
                    let label = match own {
                        "shape" => all(&rule, Rule::label).last()?,
                        _ => rule,
                    };
                    let message = format!("`{own}` has a line of its own");
                    let diagnostic = Diagnostic::new(Code::E0105, self.span(&part), message);
                    let label: Vec<&str> = label.as_str().split_whitespace().collect();
                    let help =
                        format!("take it out of this one, and add:\n{own} : {}", label.join(" "));
                    let diagnostic = diagnostic.help(help);
                    self.diagnostics.push(match own {
                        "shape" => diagnostic.note("a field of that name stands in backticks"),
                        _ => diagnostic,
                    });
                }
                _ => fields.push(self.one_name(&part)?),
            }
        }
        Some(fields)
    }

    fn store_line(&mut self, pair: &Pair<'_>, part: StorePart) -> Option<StoreLine> {
        let label = self.one_label_rule(pair)?;
        Some(StoreLine { part, label, because: self.because(pair)?, span: self.span(pair) })
    }

    fn outsiders(&mut self, pair: &Pair<'_>) -> Option<Outsiders> {
        let mut label = |rule| match one(pair, rule) {
            Some(side) => self.one_label(&side).map(Some),
            None => Some(None),
        };
        let read = label(Rule::outsiders_read)?;
        let write = label(Rule::outsiders_write)?;
        Some(Outsiders { read, write, span: self.span(pair) })
    }

    fn downgrade(&mut self, pair: &Pair<'_>) -> Option<Downgrade> {
        let region = one(pair, Rule::region)?;
        let mut labels = all(pair, Rule::label);
        let mut condition = |rule| match one(pair, rule) {
            Some(guard) => self.one_condition(&guard).map(Some),
            None => Some(None),
        };
        let (when, checked) = (condition(Rule::when)?, condition(Rule::checked)?);
        Some(Downgrade {
            word: match has(pair, Rule::kw_endorse) {
                true => DowngradeWord::Endorse,
                false => DowngradeWord::Declassify,
            },
            name: self.one_name(pair)?,
            tool: self.one_name(&region)?,
            path: self.node_path(&one(&region, Rule::node_path)?)?,
            from: self.label(&labels.next()?)?,
            to: self.label(&labels.next()?)?,
            when,
            checked,
            by: self.by(&one(pair, Rule::by)?)?,
            because: self.because(pair)??,
        })
    }

    fn claim(&mut self, pair: &Pair<'_>) -> Option<Claim> {
        let mut targets = Vec::new();
        for target in all(pair, Rule::target) {
            targets.push(match one(&target, Rule::name) {
                None => ClaimTarget::Reply,
                Some(name) => match one(&target, Rule::cell) {
                    None => ClaimTarget::Whole(self.name(&name)),
                    Some(cell) => ClaimTarget::Part(self.name(&name), self.cell(&cell)),
                },
            });
        }
        let level = Some(self.one_label(pair)?);
        let unless = match one(pair, Rule::unless) {
            Some(unless) => Some(self.one_condition(&unless)?),
            None => None,
        };
        let via = self.via(pair)?;
        Some(Claim { level, targets, unless, via, span: self.span(pair) })
    }

    /// That a call is asked about is that whatever made it, it never runs unasked.
    fn always(&mut self, pair: &Pair<'_>) -> Option<Claim> {
        let targets = vec![ClaimTarget::Tool(self.one_name(pair)?)];
        let when = self.one_condition(&one(pair, Rule::when)?)?;
        let unless = Some(Condition::Not(Box::new(when)));
        Some(Claim { level: None, targets, unless, via: Vec::new(), span: self.span(pair) })
    }

    fn via(&mut self, pair: &Pair<'_>) -> Option<Vec<Exception>> {
        let mut found = Vec::new();
        for exception in one(pair, Rule::via).iter().flat_map(|via| all(via, Rule::exception)) {
            let name = self.one_name(&exception);
            found.push(match has(&exception, Rule::kw_approval) {
                true => Exception::Approval(name),
                false => Exception::Downgrade(name?),
            });
        }
        Some(found)
    }

    /// The reason that a match gives; the inner `None` if it gives none.
    fn because(&mut self, pair: &Pair<'_>) -> Option<Option<String>> {
        match one(pair, Rule::because) {
            Some(because) => {
                let help = "say why, so that a reviewer can judge it: `because \"…\"`";
                self.told(&because, "this reason says nothing", help).map(Some)
            }
            None => Some(None),
        }
    }

    fn by(&mut self, pair: &Pair<'_>) -> Option<String> {
        let help = "name who answers for it: `by \"…\"`";
        self.told(pair, "nobody answers for this", help)
    }

    /// A text for those who review the policy, who cannot judge an empty one.
    fn told(&mut self, pair: &Pair<'_>, message: &str, help: &str) -> Option<String> {
        let string = one(pair, Rule::string)?;
        let text = self.string(&string);
        if text.trim().is_empty() {
            let diagnostic = Diagnostic::new(Code::E0112, self.span(&string), message);
            self.diagnostics.push(diagnostic.help(help));
        }
        Some(text)
    }

    fn lint(&mut self, pair: &Pair<'_>) -> Option<Lint> {
        let (line, stance) = match one(pair, Rule::lint_allow) {
            Some(line) => (line, Stance::Allow),
            None => (one(pair, Rule::lint_deny)?, Stance::Deny),
        };
        // The reason has to be a string, though nothing but readers read it.
        self.because(&line)?;
        Some(Lint { stance, code: self.one_name(&line)?, span: self.span(pair) })
    }

    fn one_label(&mut self, pair: &Pair<'_>) -> Option<Label> {
        self.label(&one(pair, Rule::label)?)
    }

    fn one_label_rule(&mut self, pair: &Pair<'_>) -> Option<LabelRule> {
        self.label_rule(&one(pair, Rule::label_rule)?)
    }
}
