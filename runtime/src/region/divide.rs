//! Divides a document into the regions that the policy declares.
//!
//! A record has the declared fields and no others, each at most once; a field that need not be
//! there is left out rather than null, unless its own type holds null. Lists and records are never
//! null. A map has any names, each once, and each is a region like the value behind it.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{NodeField, NodeId, NodeKind, Tool, Type};
use rtbas_artifact::ty;
use rtbas_artifact::value::Value;

use super::token::{Reader, Token};
use super::value::{ONCE, Undivided, named};
use super::{Content, Region, SHAPE, Step, Tree, Unfit, root};

/// Finds the regions of a document that a reader begins to read.
pub(super) fn divide<'t>(
    types: &[Type],
    tool: &Tool,
    mut reader: impl Reader<'t>,
) -> Result<Tree, Unfit> {
    let unfit = |expected| Unfit::new(&[], 0, expected);
    let root = root(tool).ok_or_else(|| unfit(SHAPE))?;
    let first = reader.next().map_err(unfit)?;
    let mut divider = Divider { types, tool, reader, regions: Vec::new() };
    divider.region(root, None, Step::Root, first)?;
    divider.reader.finish().map_err(unfit)?;
    Ok(Tree { regions: divider.regions })
}

struct Divider<'a, R> {
    types: &'a [Type],
    tool: &'a Tool,
    reader: R,
    regions: Vec<Region>,
}

impl<'a, 't, R: Reader<'t>> Divider<'a, R> {
    /// Adds the region that begins with a token, and those below it.
    fn region(
        &mut self,
        node: NodeId,
        parent: Option<usize>,
        step: Step,
        first: Token<'t>,
    ) -> Result<(), Unfit> {
        let index = self.regions.len();
        let content = Content::Leaf(Value::Null);
        self.regions.push(Region { node, parent, step, span: 0..0, content, end: index + 1 });
        let tool = self.tool;
        let node = tool.nodes.get(node.index()).ok_or_else(|| self.unfit(index, SHAPE))?;
        let (content, span) = match (&node.kind, first) {
            (NodeKind::Leaf(ty), first) => {
                let read = Undivided::read(&mut self.reader, first);
                let (value, span) = read.map_err(|e| self.unfit(index, e))?;
                let value = value.fit(self.types, *ty);
                let describe = || self.unfit(index, &ty::describe(self.types, *ty));
                (Content::Leaf(value.ok_or_else(describe)?), span)
            }
            (NodeKind::List(element), Token::List(start)) => {
                (Content::List, start..self.list(index, *element)?)
            }
            (NodeKind::Record(fields), Token::Record(start)) => {
                (Content::Record, start..self.record(index, fields)?)
            }
            (NodeKind::Map { key, value }, Token::Record(start)) => {
                (Content::Map, start..self.map(index, *key, *value)?)
            }
            (NodeKind::Map { .. }, _) => return Err(self.unfit(index, "a map")),
            (NodeKind::List(_), _) => return Err(self.unfit(index, "a list")),
            (NodeKind::Record(_), _) => return Err(self.unfit(index, "a record")),
        };
        let end = self.regions.len();
        if let Some(region) = self.regions.get_mut(index) {
            (region.content, region.span, region.end) = (content, span, end);
        }
        Ok(())
    }

    /// Adds the elements of a list; gives the byte where it ends.
    fn list(&mut self, index: usize, element: NodeId) -> Result<usize, Unfit> {
        for position in 0.. {
            match self.next(index)? {
                Token::End(end) => return Ok(end),
                first => self.region(element, Some(index), Step::Index(position), first)?,
            }
        }
        Err(self.unfit(index, "a list that ends"))
    }

    /// Adds the fields of a record; gives the byte where it ends.
    fn record(&mut self, index: usize, fields: &'a [NodeField]) -> Result<usize, Unfit> {
        let mut seen = vec![false; fields.len()];
        let mut likely = 0;
        let end = loop {
            let name = match self.next(index)? {
                Token::End(end) => break end,
                key => named(key).map_err(|e| self.unfit(index, e))?.0,
            };
            let is_named = |field: &NodeField| field.name == name;
            // Most tools give fields in one order, so the next one is nearly always the right one.
            let at = match fields.get(likely) {
                Some(field) if is_named(field) => Some(likely),
                _ => fields.iter().position(is_named),
            };
            let known = at.and_then(|at| Some((at, fields.get(at)?, seen.get_mut(at)?)));
            let Some((at, field, seen)) = known else {
                return Err(self.unfit(index, "no fields beside those declared"));
            };
            if std::mem::replace(seen, true) {
                return Err(self.unfit(index, ONCE));
            }
            likely = at + 1;
            let first = self.next(index).map_err(|unfit| unfit.under(&field.name))?;
            self.region(field.node, Some(index), Step::Field(field.name.clone()), first)?;
        };
        match fields.iter().zip(seen).find(|(field, seen)| field.required && !seen) {
            Some((field, _)) => Err(self.unfit(index, "a value").under(&field.name)),
            None => Ok(end),
        }
    }

    /// Adds the names and values of a map; gives the byte where it ends.
    fn map(&mut self, index: usize, key: NodeId, value: NodeId) -> Result<usize, Unfit> {
        let mut seen = BTreeSet::new();
        for position in 0.. {
            let (name, span) = match self.next(index)? {
                Token::End(end) => return Ok(end),
                token => named(token).map_err(|e| self.unfit(index, e))?,
            };
            if !seen.insert(name.clone()) {
                return Err(self.unfit(index, ONCE));
            }
            let (parent, end) = (Some(index), self.regions.len() + 1);
            let content = Content::Leaf(Value::Text(name.into_owned()));
            let step = Step::Key(position);
            self.regions.push(Region { node: key, parent, step, span, content, end });
            let first = self.next(index)?;
            self.region(value, parent, Step::Index(position), first)?;
        }
        Err(self.unfit(index, "a map that ends"))
    }

    fn next(&mut self, index: usize) -> Result<Token<'t>, Unfit> {
        self.reader.next().map_err(|e| self.unfit(index, e))
    }

    fn unfit(&self, index: usize, expected: &str) -> Unfit {
        Unfit::new(&self.regions, index, expected)
    }
}
