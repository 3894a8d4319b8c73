//! Functions with parameters and results of any kind, and their calls, direct and through pointers.
//!
//! They are internal, so a compiler is free to pass everything as it likes.

use super::body::{Body, Module};
use super::types::{Type, Value};

/// A function that is defined already.
#[derive(Clone)]
pub struct Callee {
    name: String,
    parameters: Vec<Type>,
    results: Vec<Type>,
}

impl Callee {
    fn result(&self) -> String {
        match &*self.results {
            [one] => one.to_string(),
            all => format!("{{ {} }}", all.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// What is passed by value. Ice refuses what LLVM may pass in other registers than those of one vector, and says so.
fn is_parameter(ty: Type) -> bool {
    let lanes = ty.lanes.unwrap_or(1);
    let bits = lanes * ty.width.next_power_of_two().max(8);
    bits <= 128 || !ty.is_vector() || bits <= 256 && lanes.is_power_of_two()
}

/// What a function may give back alone: a scalar or a vector of a register. Ice refuses results that need more registers
/// than a convention has, and says so.
fn is_result(ty: Type) -> bool {
    match ty.is_vector() {
        true => ty.bits() == 128 && ty.width >= 8 && ty.width.is_power_of_two(),
        false => ty.width <= 64,
    }
}

/// Defines one more function that those behind it may call. Gives its text.
pub fn define(module: &mut Module) -> String {
    let name = format!("c{}", module.callees.len());
    let most = module.random.one_of(&[3, 6, 10]);
    let count = module.random.below(most + 1);
    let any = (0..count).map(|_| module.limits.any_type(&mut module.random));
    let parameters: Vec<Type> = any.filter(|&ty| is_parameter(ty)).collect();
    let mut body = Body::new(module);
    let named = parameters.iter().enumerate().map(|(n, &ty)| Value::new(ty, format!("%a{n}")));
    body.values.extend(named.clone());
    if parameters.is_empty() {
        body.values.push(Value::new(Type::I32, "7"));
    }
    body.steps(2, 12);
    let has_two = body.chance(40);
    let is_small = |ty: Type| !ty.is_vector() && ty.width <= 32;
    let results: Vec<Value> = match has_two {
        true => (0..2).filter_map(|_| body.recent(is_small)).collect(),
        false => body.recent(is_result).into_iter().collect(),
    };
    let results = if results.is_empty() { vec![body.constant(Type::I32)] } else { results };
    let types = results.iter().map(|result| result.ty).collect();
    let callee = Callee { name, parameters: parameters.clone(), results: types };
    let result = callee.result();
    match &*results {
        [one] => body.line(format!("ret {one}")),
        all => {
            let mut whole = String::from("zeroinitializer");
            for (at, value) in all.iter().enumerate() {
                whole = body.name(format!("insertvalue {result} {whole}, {value}, {at}"));
            }
            body.line(format!("ret {result} {whole}"));
        }
    }
    let named: Vec<String> = named.map(|value| value.to_string()).collect();
    let head = format!("define internal {result} @{}({}) noinline #0 {{", callee.name, named.join(", "));
    let text = format!("{head}\n{}\n}}\n", body.lines.join("\n"));
    module.callees.push(callee);
    text
}

fn any_callee(body: &mut Body) -> Option<Callee> {
    let Module { random, callees, .. } = &mut *body.module;
    (!callees.is_empty()).then(|| random.one_of(callees))
}

/// A call by name.
pub fn direct(body: &mut Body) {
    if let Some(callee) = any_callee(body) {
        let target = format!("@{}", callee.name);
        call(body, &callee, &target);
    }
}

/// A call through a pointer that no compiler follows.
pub fn indirect(body: &mut Body) {
    if let Some(callee) = any_callee(body) {
        let place = body.name("alloca ptr");
        body.line(format!("store ptr @{}, ptr {place}", callee.name));
        let target = body.name(format!("load volatile ptr, ptr {place}"));
        call(body, &callee, &target);
    }
}

fn call(body: &mut Body, callee: &Callee, target: &str) {
    let arguments: Vec<String> =
        callee.parameters.iter().map(|&ty| body.operand(ty, 15).to_string()).collect();
    let ty = callee.result();
    let text = format!("call {ty} {target}({})", arguments.join(", "));
    match &*callee.results {
        &[one] => _ = body.add(one, text),
        all => body.add_members(all, &ty, text),
    }
}
