//! The steps that are not one operation of a chosen type.

use super::body::{Body, Step};
use super::{calls, control, floats, idioms, memory, vectors};

const SPECIAL: [(usize, Step); 21] = [
    (2, calls::direct),
    (2, calls::indirect),
    (2, memory::table),
    (2, memory::atomic),
    (2, memory::blocks),
    (2, memory::aggregate),
    (2, memory::addresses),
    (2, vectors::masked),
    (2, vectors::resizing_shuffle),
    (2, vectors::variable_lane),
    (3, vectors::regular_shuffle),
    (3, vectors::widened),
    (2, vectors::clamped),
    (2, floats::half),
    (2, floats::extended),
    (1, floats::fused),
    (1, floats::exponent),
    (1, floats::sum),
    (2, control::wide_switch),
    (2, idioms::high_product),
    (2, idioms::step),
];

pub fn special(body: &mut Body) {
    body.weighted(&SPECIAL)(body);
}
