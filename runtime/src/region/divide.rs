//! Divides a document into the regions that the policy declares.
//!
//! A record has the declared fields and no others, each at most once; a field that need not be
//! there is left out rather than null, unless its own type holds null. Lists and records are never
//! null. A map has any names, each once, and each is a region like the value behind it.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use rtbas_artifact::ir::{Node, NodeField, NodeId, NodeKind, Tool, Type, TypeId};
use rtbas_artifact::ty;
use rtbas_artifact::value::Value;

use super::token::{Expected, Reader, Scalar, Token};
use super::value::{ONCE, Undivided, named};
use super::{Beside, Content, Region, SHAPE, Step, Tree, Unfit, root};

/// Finds the regions of a document that a reader begins to read.
pub(super) fn divide<'t>(
    types: &[Type],
    tool: &Tool,
    reader: impl Reader<'t>,
) -> Result<Tree, Unfit> {
    let unfit = |expected| Unfit::new(&[], 0, expected);
    let root = root(tool).ok_or_else(|| unfit(SHAPE))?;
    let mut divider = Divider::new(types, tool, reader);
    let first = divider.token()?;
    divider.region(root, None, Step::Root, first)?;
    Ok(Tree { regions: divider.finish()?, beside: Beside::Nothing })
}

/// Divides the values of a document.
pub(super) struct Divider<'a, 't, R> {
    types: &'a [Type],
    tool: &'a Tool,
    reader: Ahead<'t, R>,
    regions: Vec<Region>,
}

impl<'a, 't, R: Reader<'t>> Divider<'a, 't, R> {
    pub(super) fn new(types: &'a [Type], tool: &'a Tool, reader: R) -> Self {
        let reader = Ahead { reader, tokens: VecDeque::new() };
        Self { types, tool, reader, regions: Vec::new() }
    }

    /// The next piece of the document that lies in no region.
    pub(super) fn token(&mut self) -> Result<Token<'t>, Unfit> {
        self.reader.next().map_err(|e| Unfit::new(&[], 0, e))
    }

    /// A value that is not divided, and where it stands.
    pub(super) fn undivided(
        &mut self,
        first: Token<'t>,
    ) -> Result<(Undivided<'t>, Range<usize>), Expected> {
        Undivided::read(&mut self.reader, first)
    }

    /// The regions, if the document ends here.
    pub(super) fn finish(self) -> Result<Vec<Region>, Unfit> {
        self.reader.finish().map_err(|e| Unfit::new(&[], 0, e))?;
        Ok(self.regions)
    }

    /// Adds the region that begins with a token, and those below it.
    pub(super) fn region(
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
        let kind = match node.kinds.as_slice() {
            [kind] => kind,
            _ => self.kind(index, node, &first)?,
        };
        let (content, span) = match (kind, first) {
            (NodeKind::Leaf(_), first) => {
                let read = Undivided::read(&mut self.reader, first);
                let (value, span) = read.map_err(|e| self.unfit(index, e))?;
                let types = || node.kinds.iter().filter_map(leaf);
                let value = types().find_map(|ty| value.fit(self.types, ty));
                let describe = || {
                    let types = types().map(|ty| ty::describe(self.types, ty));
                    self.unfit(index, &types.collect::<Vec<_>>().join(" or "))
                };
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

    /// Which of several kinds a value is that begins with a token.
    fn kind(
        &mut self,
        index: usize,
        node: &'a Node,
        first: &Token<'t>,
    ) -> Result<&'a NodeKind, Unfit> {
        if let (Token::Record(_), Some(tag)) = (first, &node.tag) {
            return self.tagged(index, node, tag);
        }
        let is_such = |kind: &&NodeKind| match first {
            Token::List(_) => matches!(kind, NodeKind::List(_)),
            Token::Record(_) => matches!(kind, NodeKind::Record(_) | NodeKind::Map { .. }),
            Token::Scalar(_) | Token::End(_) => false,
        };
        let leaf = || node.kinds.iter().find(|kind| leaf(kind).is_some());
        let found = node.kinds.iter().find(is_such).or_else(leaf);
        found.ok_or_else(|| self.unfit(index, "one of the declared kinds of values"))
    }

    /// Which of several records has begun. Its tag may stand anywhere in it, so it is read ahead.
    fn tagged(&mut self, index: usize, node: &'a Node, tag: &str) -> Result<&'a NodeKind, Unfit> {
        let found = self.reader.scalar_of(tag).map_err(|e| self.unfit(index, e))?;
        let unfit = |expected: &str| self.unfit(index, expected).under(tag);
        let written = Undivided::Scalar(found.ok_or_else(|| unfit("a value"))?);
        let is_such = |kind: &&NodeKind| {
            let NodeKind::Record(fields) = kind else { return false };
            let field = fields.iter().find(|field| field.name == tag);
            let ty = field.and_then(|field| self.tool.nodes.get(field.node.index())?.leaf());
            ty.is_some_and(|ty| written.fit(self.types, ty).is_some())
        };
        let found = node.kinds.iter().find(is_such);
        found.ok_or_else(|| unfit("a value that tells which record this is"))
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

fn leaf(kind: &NodeKind) -> Option<TypeId> {
    match kind {
        NodeKind::Leaf(ty) => Some(*ty),
        NodeKind::List(_) | NodeKind::Record(_) | NodeKind::Map { .. } => None,
    }
}

/// A reader of which some tokens have been read already.
struct Ahead<'t, R> {
    reader: R,
    tokens: VecDeque<Token<'t>>,
}

impl<'t, R: Reader<'t>> Ahead<'t, R> {
    /// The scalar in a field of the record that has begun, if it has one. What was read up to the
    /// end of the record is read again.
    fn scalar_of(&mut self, field: &str) -> Result<Option<Scalar<'t>>, Expected> {
        let (mut seen, mut found) = (Vec::new(), None);
        loop {
            let name = self.next()?;
            let is_tag = matches!(&name, Token::Scalar(name) if name.text == field);
            let is_end = matches!(name, Token::End(_));
            seen.push(name);
            if is_end {
                break;
            }
            let value = self.next()?;
            if let Token::Scalar(scalar) = &value {
                found = found.or_else(|| is_tag.then(|| scalar.clone()));
            }
            self.value(value, &mut seen)?;
        }
        seen.into_iter().rev().for_each(|token| self.tokens.push_front(token));
        Ok(found)
    }

    /// Passes over the value that begins with a token.
    fn value(&mut self, first: Token<'t>, seen: &mut Vec<Token<'t>>) -> Result<(), Expected> {
        let (mut token, mut depth) = (first, 0_usize);
        loop {
            match token {
                Token::List(_) | Token::Record(_) => depth += 1,
                Token::End(_) => depth = depth.saturating_sub(1),
                Token::Scalar(_) => {}
            }
            seen.push(token);
            if depth == 0 {
                return Ok(());
            }
            token = self.next()?;
        }
    }
}

impl<'t, R: Reader<'t>> Reader<'t> for Ahead<'t, R> {
    fn next(&mut self) -> Result<Token<'t>, Expected> {
        match self.tokens.pop_front() {
            Some(token) => Ok(token),
            None => self.reader.next(),
        }
    }

    fn finish(self) -> Result<(), Expected> {
        self.reader.finish()
    }
}
