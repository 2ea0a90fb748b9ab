//! Matched rules → syntax tree: tests.

use rtbas_artifact::ir::Effect;
use rtbas_grammar::{Pair, Rule};

use super::{Builder, all, has, one};
use crate::syntax::ast::{Call, Outcome, Test, TestStep};

impl Builder<'_> {
    pub(super) fn test(&mut self, pair: &Pair<'_>) -> Option<Test> {
        let title = one(pair, Rule::string)?;
        let (mut facts, mut steps) = (Vec::new(), Vec::new());
        for line in pair.clone().into_inner() {
            match line.as_rule() {
                Rule::given => {
                    let value = one(&line, Rule::value)?;
                    let span = self.span(&value);
                    facts.push((self.one_name(&line)?, self.value(&value)?, span));
                }
                Rule::said => {
                    let text = self.string(&one(&line, Rule::string)?);
                    let by_system = has(&line, Rule::kw_system);
                    let said = if by_system { TestStep::System } else { TestStep::User };
                    steps.push(said(text));
                }
                Rule::call => steps.push(TestStep::Call(self.call(&line)?)),
                Rule::reply => {
                    let text = self.string(&one(&line, Rule::string)?);
                    steps.push(TestStep::Reply(text, self.expected(&line)?, self.span(&line)));
                }
                _ => {}
            }
        }
        Some(Test { name: self.string(&title), span: self.span(&title), facts, steps })
    }

    fn call(&mut self, pair: &Pair<'_>) -> Option<Call> {
        let mut arguments = Vec::new();
        for argument in all(pair, Rule::argument) {
            let value = one(&argument, Rule::value)?;
            let span = self.span(&value);
            arguments.push((self.one_name(&argument)?, self.value(&value)?, span));
        }
        let outcome = match (one(pair, Rule::returns), one(pair, Rule::fails)) {
            (Some(returns), _) => {
                let value = one(&returns, Rule::value)?;
                Some(Outcome::Returns(self.value(&value)?, self.span(&value)))
            }
            (None, Some(fails)) => {
                let text = one(&fails, Rule::string)?;
                Some(Outcome::Fails(self.string(&text), self.span(&text)))
            }
            (None, None) => None,
        };
        let expected = self.expected(pair)?;
        let span = self.span(pair);
        Some(Call { tool: self.one_name(pair)?, arguments, outcome, expected, span })
    }

    /// The decision that a line expects; the inner `None` if it expects none.
    fn expected(&self, pair: &Pair<'_>) -> Option<Option<Effect>> {
        match one(pair, Rule::expected) {
            Some(expected) => self.effect(&expected).map(Some),
            None => Some(None),
        }
    }
}
