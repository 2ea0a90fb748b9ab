//! The solver. The only file that names z3, and the only one that must change to use another.
//!
//! Takes formulas, gives one of three answers; *unknown* is never folded into the other two. Each
//! query has a context of its own (after a resource stop, z3 cancels whatever else runs in the same
//! one), a fixed seed, and a resource limit instead of a clock, so that two runs give the same
//! answer. Trusted: z3 itself, for *unsatisfiable*; a model is replayed before anyone sees it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use rtbas_artifact::decimal::Decimal;
use z3::ast::{BV, Bool, Int, Real};
use z3::{Config, Model, Params, SatResult, Solver, StatisticsValue, with_z3_config};

use super::term::{Bits, Formula, Node, Number};

/// The version that the proofs are made with. Another may be right as well, but its resource units
/// and its models differ, and the bindings misread versions that are too old.
const VERSION: (u32, u32, u32) = (5, 3, 3);

/// Most effort that one query may take, in the solver's own units.
const RESOURCE_LIMIT: u32 = 200_000_000;

/// What the solver says.
#[derive(Debug)]
pub(super) enum Answer {
    /// No assignment makes all assertions true.
    Unsatisfiable {
        /// Effort spent.
        resource: u64,
    },
    /// This one does.
    Satisfiable(Assignment),
    /// It could not tell.
    Unknown {
        /// In the solver's words.
        reason: String,
    },
}

/// Values of variables by name.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    pub(super) formulas: BTreeMap<String, bool>,
    /// `None` for a number that has no finite decimal form.
    pub(super) numbers: BTreeMap<String, Option<Decimal>>,
    /// Only of up to 64 bits.
    pub(super) bits: BTreeMap<String, u64>,
}

impl Assignment {
    /// Whether a proposition holds; one that no assertion needed does not.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.formulas.get(name) == Some(&true)
    }

    /// Whether a formula of propositions holds.
    pub(super) fn satisfies(&self, formula: &Formula) -> bool {
        match formula.node() {
            Node::Constant(value) => *value,
            Node::Variable(name) => self.holds(name),
            Node::Not(inner) => !self.satisfies(inner),
            Node::And(parts) => parts.iter().all(|part| self.satisfies(part)),
            Node::Or(parts) => parts.iter().any(|part| self.satisfies(part)),
            _ => false,
        }
    }
}

/// The library that was loaded is not the one that the bindings were made for.
#[derive(Debug)]
pub(super) struct WrongVersion(String);

impl fmt::Display for WrongVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, build) = VERSION;
        write!(f, "the z3 library that was loaded is {}, not {major}.{minor}.{build}", self.0)
    }
}

/// Name and version of the solver.
///
/// # Errors
/// A library of another version.
pub(super) fn version() -> Result<String, WrongVersion> {
    // The full version reads `Z3 5.3.3.0` with the commit behind it.
    let full = z3::full_version();
    let number = full.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()));
    let number = number.unwrap_or(full);
    let (major, minor, build) = VERSION;
    let wanted = format!("{major}.{minor}.{build}");
    if number == wanted || number.starts_with(&format!("{wanted}.")) {
        Ok(format!("z3 {number}"))
    } else {
        Err(WrongVersion(number.to_owned()))
    }
}

/// A question that was put to the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Which obligation it belongs to.
    pub of: String,
    /// The question as SMT-LIB 2, with its `(check-sat)`.
    pub text: String,
    /// What the solver answered: `sat`, `unsat` or `unknown`.
    pub answer: &'static str,
}

thread_local! {
    /// What was asked, while somebody wants to know. It changes no answer.
    static ASKED: RefCell<Option<Vec<Query>>> = const { RefCell::new(None) };
}

/// Does something, such as compiling a policy, and gives every question that was put to the solver
/// meanwhile, in order.
pub fn recorded<T>(work: impl FnOnce() -> T) -> (T, Vec<Query>) {
    ASKED.set(Some(Vec::new()));
    let done = work();
    (done, ASKED.take().unwrap_or_default())
}

/// Says to which obligation the latest questions belong.
pub(super) fn asked_for(of: &str) {
    ASKED.with_borrow_mut(|asked| {
        let asked = asked.iter_mut().flatten().rev();
        asked
            .take_while(|query| query.of.is_empty())
            .for_each(|query| of.clone_into(&mut query.of));
    });
}

/// A name as SMT-LIB can quote it: texts of policies are in it, and neither a bar nor a backslash nor
/// anything but ASCII may stand between the bars.
fn symbol(name: &str) -> String {
    name.bytes().fold(String::new(), |mut symbol, byte| {
        match byte {
            b'%' | b'|' | b'\\' => symbol.push_str(&format!("%{byte:02x}")),
            b' '..=b'~' => symbol.push(char::from(byte)),
            _ => symbol.push_str(&format!("%{byte:02x}")),
        }
        symbol
    })
}

/// Asks whether all assertions can be true at once.
pub(super) fn solve(assertions: &[Formula]) -> Answer {
    with_z3_config(&Config::new(), || {
        let solver = Solver::new();
        let mut params = Params::new();
        params.set_u32("rlimit", RESOURCE_LIMIT);
        params.set_u32("random_seed", 0);
        solver.set_params(&params);
        let mut variables = Variables::default();
        for assertion in assertions {
            let assertion = variables.formula(assertion);
            solver.assert(&assertion);
        }
        let found = solver.check();
        ASKED.with_borrow_mut(|asked| {
            if let Some(asked) = asked {
                let answer = match found {
                    SatResult::Unsat => "unsat",
                    SatResult::Sat => "sat",
                    SatResult::Unknown => "unknown",
                };
                asked.push(Query { of: String::new(), text: solver.to_smt2(), answer });
            }
        });
        match found {
            SatResult::Unsat => Answer::Unsatisfiable { resource: resource(&solver) },
            SatResult::Sat => match solver.get_model() {
                Some(model) => Answer::Satisfiable(variables.read(&model)),
                None => Answer::Unknown { reason: "it gave no model".to_owned() },
            },
            SatResult::Unknown => Answer::Unknown {
                reason: solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_owned()),
            },
        }
    })
}

fn resource(solver: &Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(n)) => n.into(),
        _ => 0,
    }
}

/// The variables of a query, by name.
#[derive(Default)]
struct Variables {
    formulas: BTreeMap<String, Bool>,
    wholes: BTreeMap<String, Int>,
    reals: BTreeMap<String, Real>,
    bits: BTreeMap<String, BV>,
}

impl Variables {
    fn formula(&mut self, formula: &Formula) -> Bool {
        match formula.node() {
            Node::Constant(value) => Bool::from_bool(*value),
            Node::Variable(name) => self
                .formulas
                .entry(name.clone())
                .or_insert_with(|| Bool::new_const(symbol(name)))
                .clone(),
            Node::Not(inner) => self.formula(inner).not(),
            Node::And(parts) => Bool::and(&self.formulas(parts)),
            Node::Or(parts) => Bool::or(&self.formulas(parts)),
            Node::Same(a, b) => self.formula(a).iff(self.formula(b)),
            Node::NumberEqual(a, b) => self.number(a).eq(self.number(b)),
            Node::Less(a, b) => self.number(a).lt(self.number(b)),
            Node::BitsEqual(a, b) => self.row(a).eq(self.row(b)),
            Node::Below(bits, bound) => {
                let bits = self.row(bits);
                let bound = BV::from_u64(*bound, bits.get_size());
                bits.bvult(bound)
            }
        }
    }

    fn formulas(&mut self, parts: &[Formula]) -> Vec<Bool> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn number(&mut self, number: &Number) -> Real {
        match number {
            Number::Constant(value) => rational(*value),
            Number::Variable { name, whole: true } => self
                .wholes
                .entry(name.clone())
                .or_insert_with(|| Int::new_const(symbol(name)))
                .to_real(),
            Number::Variable { name, whole: false } => self
                .reals
                .entry(name.clone())
                .or_insert_with(|| Real::new_const(symbol(name)))
                .clone(),
        }
    }

    fn row(&mut self, bits: &Bits) -> BV {
        match bits {
            Bits::Constant { words, width } => row(words, *width),
            Bits::Variable { name, width } => self
                .bits
                .entry(name.clone())
                .or_insert_with(|| BV::new_const(symbol(name), *width))
                .clone(),
            Bits::And(pair) => self.row(&pair.0).bvand(self.row(&pair.1)),
            Bits::Or(pair) => self.row(&pair.0).bvor(self.row(&pair.1)),
            Bits::Lookup { rows, index } => {
                let index = self.row(index);
                let rows: Vec<BV> = rows.iter().map(|row| self.row(row)).collect();
                select(&rows, &index, index.get_size())
            }
        }
    }

    fn read(&self, model: &Model) -> Assignment {
        let mut values = Assignment::default();
        for (name, variable) in &self.formulas {
            if let Some(value) = model.eval(variable, true).and_then(|v| v.as_bool()) {
                values.formulas.insert(name.clone(), value);
            }
        }
        for (name, variable) in &self.wholes {
            let value = model.eval(variable, true).and_then(|v| v.as_i64());
            values.numbers.insert(name.clone(), value.map(Decimal::from));
        }
        for (name, variable) in &self.reals {
            let value = model.eval(variable, true).and_then(|v| v.as_rational());
            values.numbers.insert(name.clone(), value.and_then(|(n, d)| finite(n, d)));
        }
        for (name, variable) in &self.bits {
            if let Some(value) = model.eval(variable, true).and_then(|v| v.as_u64()) {
                values.bits.insert(name.clone(), value);
            }
        }
        values
    }
}

/// The row under an index of `bits` bits, by halving.
fn select(rows: &[BV], index: &BV, bits: u32) -> BV {
    match rows {
        [] => BV::from_u64(0, 1),
        [only] => only.clone(),
        _ => {
            let bit = bits.saturating_sub(1);
            let half = rows.len().min(1 << bit);
            let (low, high) = rows.split_at(half);
            let low = select(low, index, bit);
            if high.is_empty() {
                return low;
            }
            let is_high = index.extract(bit, bit).eq(BV::from_u64(1, 1));
            is_high.ite(&select(high, index, bit), &low)
        }
    }
}

fn row(words: &[u64], width: u32) -> BV {
    let bits: Vec<bool> = (0..width as usize)
        .map(|i| words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1))
        .collect();
    BV::from_bits(&bits).unwrap_or_else(|| BV::from_u64(0, width.max(1)))
}

fn rational(value: Decimal) -> Real {
    let (coefficient, exponent) = value.parts();
    let power = format!("1{}", "0".repeat(usize::try_from(exponent.unsigned_abs()).unwrap_or(0)));
    let coefficient = coefficient.to_string();
    let (numerator, denominator) = if exponent >= 0 {
        (format!("{coefficient}{}", power.trim_start_matches('1')), "1".to_owned())
    } else {
        (coefficient, power)
    };
    Real::from_rational_str(&numerator, &denominator).unwrap_or_else(|| Real::from_rational(0, 1))
}

/// The decimal of a fraction whose denominator divides a power of ten.
fn finite(numerator: i64, denominator: i64) -> Option<Decimal> {
    let (n, d) = (i128::from(numerator), i128::from(denominator));
    (0..=18_u32).find_map(|places| {
        let scaled = n.checked_mul(10_i128.checked_pow(places)?)?;
        let exact = d != 0 && scaled % d == 0;
        exact.then(|| Decimal::new(scaled / d, -i32::try_from(places).ok()?).ok()).flatten()
    })
}
