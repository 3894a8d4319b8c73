//! Panics that are caught, and what is dropped on their way.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

struct Noisy(&'static str, Rc<RefCell<Vec<String>>>);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.1.borrow_mut().push(format!("-{}{}", self.0, if thread::panicking() { "!" } else { "" }));
    }
}

#[inline(never)]
fn fails(n: u32, at: u32) -> u32 {
    assert!(n != at, "failed at {n}");
    n * 3 + 1
}

#[inline(never)]
fn order(at: u32) -> Vec<String> {
    let log = Rc::new(RefCell::new(Vec::new()));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _a = Noisy("a", log.clone());
        let x = fails(1, at);
        let pair = (Noisy("b", log.clone()), Noisy("c", log.clone()));
        let y = fails(2, at);
        let list = vec![Noisy("d", log.clone()), Noisy("e", log.clone())];
        let z = fails(3, at);
        drop(pair);
        let boxed: Box<dyn Fn(u32) -> u32> = {
            let inner = Noisy("f", log.clone());
            Box::new(move |n| {
                let _keep = &inner;
                fails(n, at)
            })
        };
        x + y + z + boxed(4) + list.len() as u32
    }));
    log.borrow_mut().push(match result {
        Ok(sum) => format!("sum {sum}"),
        Err(error) => format!("error {}", error.downcast_ref::<String>().expect("a text")),
    });
    log.take()
}

#[derive(Debug)]
#[allow(dead_code, reason = "they are shown")]
enum Problem {
    Parse(std::num::ParseIntError),
    Negative(i64),
    Missing(String),
}

impl From<std::num::ParseIntError> for Problem {
    fn from(error: std::num::ParseIntError) -> Self {
        Problem::Parse(error)
    }
}

#[inline(never)]
fn number(text: &str) -> Result<i64, Problem> {
    let n = text.trim().parse::<i64>()?;
    if n < 0 { Err(Problem::Negative(n)) } else { Ok(n) }
}

#[inline(never)]
fn total(names: &[&str], table: &HashMap<String, String>) -> Result<i64, Problem> {
    let mut sum = 0;
    for name in names {
        let text = table.get(*name).ok_or_else(|| Problem::Missing(name.to_string()))?;
        sum += number(text)? * i64::try_from(text.len()).unwrap();
    }
    Ok(sum)
}

struct Tree {
    value: i32,
    children: Vec<Tree>,
}

impl Tree {
    #[inline(never)]
    fn build(depth: i32, limit: i32, made: &mut i32) -> Tree {
        *made += 1;
        if *made > limit {
            panic::panic_any(*made);
        }
        let children = (0..depth).map(|d| Tree::build(d, limit, made)).collect();
        Tree { value: *made, children }
    }

    fn sum(&self) -> i32 {
        self.value + self.children.iter().map(Tree::sum).sum::<i32>()
    }
}

fn show<T: Debug>(name: &str, value: T) {
    println!("{name}: {value:?}");
}

fn bounds(list: &[u64], index: usize, divisor: u64) -> Result<u64, String> {
    catch_unwind(|| list[index] / divisor + (list[index..][..2].iter().sum::<u64>()))
        .map_err(|error| error.downcast_ref::<&str>().map_or("formatted".into(), |text| text.to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn program() -> i32 {
    panic::set_hook(Box::new(|_| {}));
    for at in 0..6 {
        show("order", order(at));
    }
    let table: HashMap<String, String> =
        [("a", "12"), ("b", " 7"), ("c", "x"), ("d", "-3")].map(|(k, v)| (k.into(), v.into())).into();
    for names in [&["a", "b"][..], &["a", "c"], &["d"], &["a", "e"], &[]] {
        show("total", total(names, &table));
    }
    for limit in [5, 30, 1000] {
        let mut made = 0;
        let tree = catch_unwind(AssertUnwindSafe(|| Tree::build(6, limit, &mut made).sum()));
        show("tree", tree.map_err(|error| *error.downcast::<i32>().expect("a number")));
    }
    let list = [5, 6, 7, 8];
    for (index, divisor) in [(0, 2), (0, 0), (3, 1), (9, 1)] {
        show("bounds", bounds(&list, index, divisor));
    }
    let caught = catch_unwind(|| {
        let first = catch_unwind(|| fails(7, 7));
        resume_unwind(first.expect_err("it fails"));
    });
    show("again", caught.expect_err("it goes on").downcast_ref::<String>());
    let shared = Arc::new(Mutex::new(BTreeMap::new()));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..6u32)
        .map(|t| {
            let (shared, sender) = (shared.clone(), sender.clone());
            thread::spawn(move || {
                for n in 0..50 {
                    let result = catch_unwind(|| fails(n, t * 7));
                    *shared.lock().unwrap().entry(result.is_ok()).or_insert(0u64) += u64::from(n);
                }
                sender.send(t).unwrap();
                fails(t, 4)
            })
        })
        .collect();
    let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().ok()).collect();
    drop(sender);
    let mut order: Vec<_> = receiver.iter().collect();
    order.sort_unstable();
    show("threads", (ends, order, shared.lock().unwrap().clone()));
    let poisoned = Arc::new(Mutex::new(0));
    let other = poisoned.clone();
    let _ = thread::spawn(move || {
        let _guard = other.lock().unwrap();
        fails(1, 1);
    })
    .join();
    show("poisoned", poisoned.is_poisoned());
    17
}
