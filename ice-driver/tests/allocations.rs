//! In the steady state, translating a function allocates nothing.
//!
//! Every function of a program is translated twice with the same memory. The second time, no step may ask
//! the allocator for anything.

mod common;

use ice_asm::x86::Mode;
use ice_bitcode::pexe::{FunctionReader, ModuleHeader, read_module};
use ice_codegen::Checks;
use ice_driver::formats::{Bodies, BodyReader};
use ice_driver::output::RangeOutput;
use ice_driver::recipe::{FunctionCompiler, Job, Steps};
use ice_driver::repeats::Repetition;
use ice_driver::{Commentary, Emit, Error, Recipe, Timing};
use ice_ir::native::UnwindTables;
use ice_ir::{ControlFlowGraph, Filtered, Function, FunctionBuilder};
use ice_target_x86::{NativeModel, X86};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator unchanged; only their number is kept.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A program in memory, whose bodies can be read as often as one likes.
struct WholeFile<'a> {
    bytes: &'a [u8],
    header: &'a ModuleHeader,
}

impl Bodies for WholeFile<'_> {
    fn count(&self) -> usize {
        self.header.bodies.len()
    }

    fn size(&self, index: usize) -> usize {
        self.header.bodies[index].bytes().len()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(Reader { file: self, reader: FunctionReader::new() })
    }
}

struct Reader<'a> {
    file: &'a WholeFile<'a>,
    reader: FunctionReader,
}

impl BodyReader for Reader<'_> {
    fn read(
        &mut self,
        index: usize,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<Repetition, Error> {
        let WholeFile { bytes, header } = *self.file;
        let mut builder = FunctionBuilder::filtered(func, filter);
        self.reader.read(header, bytes, &header.bodies[index], &mut builder).map_err(Error::Bitcode)?;
        Ok(Repetition::None)
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        Some(self.reader.flow_graph())
    }
}

#[test]
fn the_second_translation_allocates_nothing() {
    let Some(corpus) = common::corpus() else { return };
    let bytes = std::fs::read(corpus.join("bench/nbody.pexe")).unwrap();
    let recipes = [Recipe::Om1, Recipe::O2];
    for (mode, recipe) in [Mode::Bits32, Mode::Bits64].into_iter().flat_map(|mode| recipes.map(|r| (mode, r)))
    {
        let header = read_module(&bytes).unwrap();
        let target = X86::new(mode, &header.module, NativeModel::Static).unwrap();
        let bodies = WholeFile { bytes: &bytes, header: &header };
        let steps = Steps::of(recipe, Emit::Object, &[]);
        let job = Job {
            module: &header.module,
            steps: &steps,
            emit: Emit::Object,
            print_after: &[],
            unwind: Some(UnwindTables::Async),
            diversity: ice_codegen::Diversity::NONE,
            timing: Timing::Off,
            commentary: Commentary::Off,
            // The checker has memory of its own.
            has_sources: false,
            check: Checks::Off,
        };
        let mut compiler = FunctionCompiler::new(&target, &bodies, &job);
        let mut output = RangeOutput::default();
        for round in 0..2 {
            for (body, function) in header.module.defined_functions().enumerate() {
                let before = CALLS.load(Relaxed);
                output.clear();
                compiler.compile(&job, function, body, &mut output).unwrap();
                let calls = CALLS.load(Relaxed) - before;
                assert!(round == 0 || calls == 0, "{target:?} {recipe:?} {function}: {calls} allocations");
            }
        }
    }
}
