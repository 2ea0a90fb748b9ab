//! Columns: lines of one kind that follow each other have their colons, equals signs and the like
//! below each other.

use rtbas_grammar::Rule;

use super::{Layout, WIDTH};
use crate::format::tree::{Node, Part, first, last};

/// The widest column.
const WIDEST: usize = 40;
/// The width to which the names of fields are filled that share a label.
const NAMES: usize = 24;

/// Where a line is cut in two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The part with which its second column begins.
    pub(super) at: usize,
    /// The width of what stands before that.
    pub(super) width: usize,
}

/// The columns of a line.
#[derive(Clone, Debug, Default)]
pub(in crate::format) struct Columns {
    /// The width of its first column; of no effect if it is less than that of the line's own.
    pub(super) first: usize,
    /// The widths of the entries of a block on one line.
    pub(super) entries: Vec<usize>,
}

/// A line that can stand in columns with others of its kind.
struct Candidate<'p> {
    kind: Rule,
    cut: Cut,
    /// The width of the whole line, if it has to stay on one.
    whole: Option<usize>,
    /// The entries, if it is a block.
    entries: Vec<&'p [Part]>,
}

impl Layout<'_, '_> {
    /// The columns of lines that follow each other.
    pub(super) fn columns(&self, lines: &[&[Part]]) -> Vec<Columns> {
        let candidates: Vec<_> = lines.iter().map(|line| self.candidate(line)).collect();
        let kinds = candidates.iter().zip(lines).map(|(candidate, line)| {
            let kind = candidate.as_ref().map(|candidate| candidate.kind);
            (kind, self.has_blank_above(first(line)))
        });
        let kinds: Vec<_> = kinds.collect();
        let mut columns = Vec::with_capacity(lines.len());
        let mut rest = candidates.as_slice();
        for run in kinds.chunk_by(|(a, _), (b, blank)| a.is_some() && a == b && !blank) {
            let Some((run, below)) = rest.split_at_checked(run.len()) else { break };
            let run: Vec<&Candidate<'_>> = run.iter().flatten().collect();
            columns.extend(self.aligned(&run));
            // What is no candidate is a run of its own.
            columns.resize_with(lines.len() - below.len(), Columns::default);
            rest = below;
        }
        columns
    }

    /// The columns of lines of one kind.
    fn aligned(&self, run: &[&Candidate<'_>]) -> Vec<Columns> {
        let first = run.iter().map(|line| line.cut.width).max().unwrap_or(0);
        let fits = |line: &&Candidate<'_>| line.fits(first - line.cut.width);
        if !run.iter().all(fits) {
            return vec![Columns::default(); run.len()];
        }
        let kind = |entry: &&[Part]| entry.first().and_then(|part| part.rule(self.tree));
        let kinds = |line: &Candidate<'_>| line.entries.iter().map(kind).collect::<Vec<_>>();
        let alike = run.chunk_by(|a, b| kinds(a) == kinds(b));
        alike
            .flat_map(|run| {
                let entries = self.aligned_entries(run, first);
                run.iter().map(move |_| Columns { first, entries: entries.clone() })
            })
            .collect()
    }

    /// The widths of entries that stand below each other; none if that would be too wide.
    fn aligned_entries(&self, run: &[&Candidate<'_>], column: usize) -> Vec<usize> {
        let width = |entry: &[Part]| self.tree.width(first(entry), last(entry));
        let mut widths: Vec<usize> = Vec::new();
        for line in run {
            widths.resize(line.entries.len(), 0);
            for (most, entry) in widths.iter_mut().zip(&line.entries) {
                *most = width(entry).max(*most);
            }
        }
        // Nothing stands behind the last.
        widths.pop();
        let fits = |line: &&Candidate<'_>| {
            let padding = widths.iter().zip(&line.entries).map(|(most, own)| most - width(own));
            line.fits(padding.sum::<usize>() + column - line.cut.width)
        };
        if run.iter().all(fits) { widths } else { Vec::new() }
    }

    fn candidate<'p>(&self, line: &'p [Part]) -> Option<Candidate<'p>> {
        let [Part::Node(node)] = line else { return None };
        let cut = self.cut(node).filter(|cut| cut.width <= WIDEST)?;
        let kind = match node.rule {
            Rule::shape_line | Rule::rest_line => Rule::field_line,
            Rule::errors_line => Rule::node_line,
            Rule::tools => Rule::tool,
            rule => rule,
        };
        let (first, last) = (node.first(), node.last());
        let entries = self.block_of(node);
        let goes_on = match kind {
            Rule::field_line | Rule::node_line | Rule::message | Rule::claim => true,
            Rule::writes | Rule::decision | Rule::approval | Rule::always => true,
            Rule::store => entries.is_none(),
            _ => false,
        };
        let stays = match &entries {
            Some(_) => self.is_one_line(node),
            None => goes_on || self.tree.is_flat(first, last),
        };
        let whole = (!goes_on).then(|| self.tree.width(first, last));
        let candidate = Candidate { kind, cut, whole, entries: entries.unwrap_or_default() };
        (stays && candidate.fits(0)).then_some(candidate)
    }

    /// Where a line is cut in two, if no comment is in the way.
    pub(super) fn cut(&self, node: &Node) -> Option<Cut> {
        let with =
            |wanted: Rule| node.parts.iter().position(|part| part.rule(self.tree) == Some(wanted));
        let at = match node.rule {
            Rule::decision => Some(1),
            Rule::claim => with(Rule::arrow),
            Rule::always => with(Rule::when),
            Rule::writes => with(Rule::kw_from).or_else(|| with(Rule::equals)),
            Rule::approval => with(Rule::because),
            _ if self.block_of(node).is_some() => with(Rule::open_brace),
            _ => with(Rule::colon).or_else(|| with(Rule::equals)),
        };
        let at = at.filter(|at| *at > 0)?;
        let (first, second) = (node.first(), node.parts.get(at)?.first());
        if self.tree.has_comments(first, second) {
            return None;
        }
        let before = node.parts.get(..at)?;
        let width = match node.rule {
            Rule::field_line => self.names(before).widest,
            _ => self.tree.width(first, before.last()?.last()),
        };
        Some(Cut { at, width })
    }

    /// How the names of fields that share a label are filled into lines.
    pub(super) fn names(&self, parts: &[Part]) -> Names {
        let mut names = Names { starts: Vec::new(), widest: 0, last: 0 };
        for (index, part) in parts.iter().enumerate() {
            let own = self.tree.width(part.first(), part.last());
            let is_comma = part.rule(self.tree) == Some(Rule::comma);
            let comma = usize::from(index + 1 < parts.len());
            if is_comma || index == 0 {
                names.last += own;
            } else if names.last + 1 + own + comma > NAMES {
                names.starts.push(index);
                names.last = own;
            } else {
                names.last += 1 + own;
            }
            names.widest = names.widest.max(names.last);
        }
        names
    }

    /// Whether a blank line stands above a token, or among the comments above it.
    fn has_blank_above(&self, token: usize) -> bool {
        self.token_at(token)
            .is_some_and(|token| token.blank || token.before.iter().any(|comment| comment.blank))
    }
}

impl Candidate<'_> {
    fn fits(&self, padding: usize) -> bool {
        self.whole.is_none_or(|whole| whole + padding <= WIDTH)
    }
}

/// Names in lines.
pub(super) struct Names {
    /// The parts with which lines begin, without the first.
    pub(super) starts: Vec<usize>,
    /// The width of the widest line.
    pub(super) widest: usize,
    /// The width of the last line.
    pub(super) last: usize,
}
