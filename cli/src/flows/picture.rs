//! Flows as a graph of Graphviz and as a picture. Names come from policies and are escaped by those
//! who know how: Rust's form of a text is Graphviz's, and the layout engine escapes for SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point as Place;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;
use rtbas_compiler::verify::flow::{Point, Step};

use super::Answer;

/// Width of a character and height of a line, about.
const CHARACTER: f64 = 8.0;
const LINE: f64 = 36.0;
const FONT: usize = 15;
/// Red, green, blue and opacity.
const GREY: u32 = 0x54_5b_66_ff;

fn points<'a>(answer: &'a Answer<'_>) -> BTreeMap<&'a Point, usize> {
    let mut points: Vec<&Point> =
        answer.steps.iter().flat_map(|(from, to, _)| [from, to]).collect();
    points.sort();
    points.dedup();
    points.into_iter().zip(0..).collect()
}

/// The graph in the language of Graphviz.
pub(super) fn dot(answer: &Answer<'_>) -> String {
    let points = points(answer);
    let mut text = "digraph flows {\n  rankdir=LR\n".to_owned();
    for (point, id) in &points {
        let shape = match point {
            Point::OutsidersWrite | Point::OutsidersRead => "diamond",
            Point::Cell { .. } => "cylinder",
            Point::Region { .. } | Point::Class(_) => "ellipse",
            Point::Call(_) | Point::Approved(_) | Point::Reply => "box",
        };
        let _ = writeln!(text, "  n{id} [shape={shape}, label={:?}]", answer.name(point));
    }
    for (from, to, step) in &answer.steps {
        let style = match step {
            Step::Told => "solid",
            Step::Shown => "bold",
            Step::Unknown(_) => "dotted",
        };
        if let (Some(from), Some(to)) = (points.get(from), points.get(to)) {
            let _ = writeln!(text, "  n{from} -> n{to} [style={style}]");
        }
    }
    text + "}\n"
}

/// The graph as a picture.
pub(super) fn svg(answer: &Answer<'_>) -> String {
    let mut graph = VisualGraph::new(Orientation::LeftToRight);
    let mut handles = BTreeMap::new();
    for (point, _) in points(answer) {
        let name = answer.name(point);
        let shape = match point {
            Point::Cell { .. } | Point::Region { .. } | Point::Class(_) => {
                ShapeKind::new_circle(&name)
            }
            _ => ShapeKind::new_box(&name),
        };
        let (line, fill) = match point {
            Point::Cell { .. } => (GREY, 0xe6_e6_f7_ff),
            Point::Region { .. } | Point::Class(_) => (GREY, 0xf5_f6_f8_ff),
            Point::Approved(_) => (0x8a_5a_00_ff, 0xff_f4_dd_ff),
            Point::OutsidersWrite | Point::OutsidersRead => (0xb3_26_1e_ff, 0xfd_e3_ca_ff),
            Point::Call(_) | Point::Reply => (0x1b_6e_4f_ff, 0xe2_f1_e6_ff),
        };
        let style = StyleAttr::new(Color::new(line), 1, Some(Color::new(fill)), 4, FONT);
        let letters = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
        let size = Place::new(f64::from(letters).mul_add(CHARACTER, LINE), LINE);
        let element = Element::create(shape, style, Orientation::LeftToRight, size);
        handles.insert(point, graph.add_node(element));
    }
    for (from, to, step) in &answer.steps {
        let line = match step {
            Step::Told | Step::Shown => LineStyleKind::Normal,
            Step::Unknown(_) => LineStyleKind::Dashed,
        };
        if let (Some(&from), Some(&to)) = (handles.get(from), handles.get(to)) {
            let style = StyleAttr::new(Color::new(GREY), 1, None, 0, FONT);
            let (start, end) = (LineEndKind::None, LineEndKind::Arrow);
            graph.add_edge(Arrow::new(start, end, line, "", &style, &None, &None), from, to);
        }
    }
    let mut picture = SVGWriter::new();
    if !handles.is_empty() {
        graph.do_it(false, false, false, &mut picture);
    }
    picture.finalize() + "\n"
}
