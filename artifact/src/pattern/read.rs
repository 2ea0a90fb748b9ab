//! The text of a pattern → its tree. The notation is that of most regular expressions, cut down to
//! what has the same meaning everywhere; what is left out is named, with what to write instead.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, ErrorKind, GroupKind,
    HexLiteralKind, Literal, LiteralKind, Repetition, RepetitionKind, RepetitionRange, Span,
    SpecialLiteralKind,
};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::tree::{Class, Tree};
use super::{MAX_REPEAT, MAX_TEXT, PatternError, Problem};

/// Deepest nesting, in which a group with an alternation of repetitions counts four.
const MAX_NESTING: u32 = 200;

type Read<T> = Result<T, PatternError>;

/// Reads a pattern.
pub(super) fn read(text: &str) -> Read<Tree> {
    if text.len() > MAX_TEXT {
        let problem = format!("a pattern of {} bytes; at most {MAX_TEXT} are possible", text.len());
        return Err(PatternError { problem: Problem::TooLarge(problem), at: 0..text.len() });
    }
    if let Some((at, control)) = text.char_indices().find(|(_, c)| c.is_control()) {
        let problem = "a control character: write an escape, such as `\\n`".to_owned();
        let at = at..at + control.len_utf8();
        return Err(PatternError { problem: Problem::Malformed(problem), at });
    }
    match ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(text) {
        Ok(ast) => tree(&ast),
        Err(error) => Err(malformed(error.kind(), error.span())),
    }
}

fn error(at: &Span, problem: Problem) -> PatternError {
    PatternError { problem, at: at.start.offset..at.end.offset }
}

fn unsupported<T>(at: &Span, what: &'static str, help: &'static str) -> Read<T> {
    Err(error(at, Problem::Unsupported(what, help)))
}

fn malformed(kind: &ErrorKind, at: &Span) -> PatternError {
    let problem = match kind {
        ErrorKind::UnsupportedLookAround => {
            let help = "say what the whole text is; two patterns can be joined with `and not`";
            Problem::Unsupported("patterns do not look around", help)
        }
        ErrorKind::UnsupportedBackreference => {
            let help = "write the part out again, or name a character after `\\` that is no digit";
            Problem::Unsupported("patterns do not refer back", help)
        }
        ErrorKind::EscapeUnrecognized | ErrorKind::ClassEscapeInvalid => {
            let help = "letters that are escaped are `\\d`, `\\w`, `\\s`, `\\D`, `\\W`, `\\S`, \
                        `\\n`, `\\r`, `\\t` and `\\u{…}`; a backslash is `\\\\`";
            Problem::Unsupported("this escape means nothing", help)
        }
        ErrorKind::NestLimitExceeded(_) => {
            Problem::TooLarge("the groups of the pattern are nested too deeply".to_owned())
        }
        ErrorKind::RepetitionMissing => {
            let help = "put a part before it, or escape it";
            Problem::Unsupported("there is nothing to repeat", help)
        }
        other => Problem::Malformed(other.to_string()),
    };
    error(at, problem)
}

fn tree(ast: &Ast) -> Read<Tree> {
    Ok(match ast {
        Ast::Empty(at) => {
            return unsupported(at, "an empty part", "repeat the part beside it with `?`");
        }
        Ast::Literal(literal) => {
            Tree::Class(class(characters([(c(literal)?, c(literal)?)]), literal.span)?)
        }
        Ast::Dot(at) => {
            let mut all_but = characters([('\n', '\n')]);
            all_but.negate();
            Tree::Class(class(all_but, **at)?)
        }
        Ast::ClassPerl(perl) => Tree::Class(class(of_letter(perl), perl.span)?),
        Ast::ClassBracketed(bracketed) => {
            let mut set = match &bracketed.kind {
                ClassSet::Item(item) => items(item)?,
                ClassSet::BinaryOp(operation) => {
                    let help = "write out the characters, or escape the signs";
                    return unsupported(&operation.span, "classes are not computed", help);
                }
            };
            if bracketed.negated {
                set.negate();
            }
            Tree::Class(class(set, bracketed.span)?)
        }
        Ast::Repetition(repetition) => repeat(repetition)?,
        Ast::Group(group) => match &group.kind {
            GroupKind::CaptureIndex(_) => tree(&group.ast)?,
            GroupKind::NonCapturing(flags) if flags.items.is_empty() => tree(&group.ast)?,
            GroupKind::NonCapturing(flags) => return Err(flag(&flags.span)),
            GroupKind::CaptureName { name, .. } => {
                return unsupported(&name.span, "a group has no name here", "write `(…)`");
            }
        },
        Ast::Alternation(choice) => {
            Tree::Choice(choice.asts.iter().map(tree).collect::<Read<_>>()?)
        }
        Ast::Concat(parts) => Tree::Sequence(parts.asts.iter().map(tree).collect::<Read<_>>()?),
        Ast::Flags(flags) => return Err(flag(&flags.span)),
        Ast::Assertion(assertion) => {
            return match assertion.kind {
                AssertionKind::StartLine | AssertionKind::EndLine => {
                    let help =
                        "leave `^` and `$` out; the characters themselves are `\\^` and `\\$`";
                    unsupported(&assertion.span, "a pattern matches the whole text anyway", help)
                }
                _ => {
                    let help = "say what the whole text is";
                    unsupported(&assertion.span, "patterns do not look around", help)
                }
            };
        }
        Ast::ClassUnicode(unicode) => {
            let help = "write out the characters: `[a-zäöü]`";
            return unsupported(&unicode.span, "classes of Unicode have no names here", help);
        }
    })
}

fn flag(at: &Span) -> PatternError {
    let help = "write both cases: `[aA]`; a line feed is `\\n`, any character `[\\s\\S]`";
    error(at, Problem::Unsupported("patterns have no flags", help))
}

fn repeat(repetition: &Repetition) -> Read<Tree> {
    let at = &repetition.op.span;
    if !repetition.greedy {
        let help = "leave out the `?` behind it";
        return unsupported(at, "all of the text matches, so no part matches less", help);
    }
    if matches!(*repetition.ast, Ast::Repetition(_)) {
        return unsupported(at, "a repetition is repeated", "put the inner one into parentheses");
    }
    let (least, most) = match &repetition.op.kind {
        RepetitionKind::ZeroOrOne => (0, Some(1)),
        RepetitionKind::ZeroOrMore => (0, None),
        RepetitionKind::OneOrMore => (1, None),
        RepetitionKind::Range(RepetitionRange::Exactly(n)) => (*n, Some(*n)),
        RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (*n, None),
        RepetitionKind::Range(RepetitionRange::Bounded(n, m)) => (*n, Some(*m)),
    };
    let times = most.unwrap_or(least);
    if times > MAX_REPEAT {
        let problem =
            format!("a part is repeated {times} times; at most {MAX_REPEAT} are possible");
        return Err(error(at, Problem::TooLarge(problem)));
    }
    if most == Some(0) {
        return unsupported(at, "a part that is repeated no times", "leave the part out");
    }
    Ok(Tree::Repeat { part: Box::new(tree(&repetition.ast)?), least, most })
}

fn characters<const N: usize>(ranges: [(char, char); N]) -> ClassUnicode {
    let range = |(first, last)| ClassUnicodeRange::new(first, last);
    ClassUnicode::new(ranges.map(range))
}

fn class(characters: ClassUnicode, at: Span) -> Read<Class> {
    if characters.ranges().is_empty() {
        return unsupported(&at, "no character is in this class", "name some, or leave it out");
    }
    Ok(Class(characters))
}

/// The character of a literal.
fn c(literal: &Literal) -> Read<char> {
    match &literal.kind {
        LiteralKind::Verbatim
        | LiteralKind::Meta
        | LiteralKind::Superfluous
        | LiteralKind::HexFixed(HexLiteralKind::UnicodeShort)
        | LiteralKind::HexBrace(HexLiteralKind::UnicodeShort)
        | LiteralKind::Special(
            SpecialLiteralKind::Tab
            | SpecialLiteralKind::LineFeed
            | SpecialLiteralKind::CarriageReturn,
        ) => Ok(literal.c),
        _ => {
            let help = "a character by its number is `\\u{…}`, with hexadecimal digits";
            unsupported(&literal.span, "this escape means nothing", help)
        }
    }
}

/// The characters of `\d`, `\w` or `\s`, or those that it leaves.
fn of_letter(perl: &ClassPerl) -> ClassUnicode {
    let mut set = match perl.kind {
        ClassPerlKind::Digit => characters([('0', '9')]),
        ClassPerlKind::Space => characters([('\t', '\r'), (' ', ' ')]),
        ClassPerlKind::Word => characters([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    };
    if perl.negated {
        set.negate();
    }
    set
}

fn items(item: &ClassSetItem) -> Read<ClassUnicode> {
    Ok(match item {
        ClassSetItem::Empty(_) => ClassUnicode::empty(),
        ClassSetItem::Literal(literal) => characters([(c(literal)?, c(literal)?)]),
        ClassSetItem::Range(range) => characters([(c(&range.start)?, c(&range.end)?)]),
        ClassSetItem::Perl(perl) => of_letter(perl),
        ClassSetItem::Union(union) => {
            let mut all = ClassUnicode::empty();
            for item in &union.items {
                all.union(&items(item)?);
            }
            all
        }
        ClassSetItem::Ascii(named) => {
            let help = "write `\\d`, `\\w`, `\\s`, or the characters";
            return unsupported(&named.span, "classes have no names here", help);
        }
        ClassSetItem::Unicode(unicode) => {
            let help = "write out the characters: `[a-zäöü]`";
            return unsupported(&unicode.span, "classes of Unicode have no names here", help);
        }
        ClassSetItem::Bracketed(inner) => {
            let help = "write its characters beside the others; a bracket is `\\[`";
            return unsupported(&inner.span, "a class inside a class", help);
        }
    })
}
