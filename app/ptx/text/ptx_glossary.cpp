#include "ptx/text/ptx_glossary.h"

#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace tilestep::ptx {
namespace {

// Chapters of "Instruction Set". A row may be in several; the type after the opcode selects one.
enum Chapter : std::uint16_t {
  kInteger = 1U << 0,
  kExtended = 1U << 1,
  kFloating = 1U << 2,
  kHalfFloating = 1U << 3,
  kComparison = 1U << 4,
  kHalfComparison = 1U << 5,
  kLogicChapter = 1U << 6,
  kMovement = 1U << 7,
  kTexture = 1U << 8,
  kSurface = 1U << 9,
  kControl = 1U << 10,
  kParallel = 1U << 11,
  kMatrixChapter = 1U << 12,
  kStack = 1U << 13,
  kVideo = 1U << 14,
  kMiscellaneous = 1U << 15,
};

struct ChapterTitle {
  Chapter chapter;
  std::string_view title;
};
constexpr ChapterTitle kChapters[] = {
    {kInteger, "Integer Arithmetic Instructions"},
    {kExtended, "Extended-Precision Integer Arithmetic Instructions"},
    {kFloating, "Floating-Point Instructions"},
    {kHalfFloating, "Half Precision Floating-Point Instructions"},
    {kComparison, "Comparison and Selection Instructions"},
    {kHalfComparison, "Half Precision Comparison Instructions"},
    {kLogicChapter, "Logic and Shift Instructions"},
    {kMovement, "Data Movement and Conversion Instructions"},
    {kTexture, "Texture Instructions"},
    {kSurface, "Surface Instructions"},
    {kControl, "Control Flow Instructions"},
    {kParallel, "Parallel Synchronization and Communication Instructions"},
    {kMatrixChapter, "Warp Level Matrix Multiply-Accumulate Instructions"},
    {kStack, "Stack Manipulation Instructions"},
    {kVideo, "SIMD Video Instructions"},
    {kMiscellaneous, "Miscellaneous Instructions"},
};

constexpr std::uint16_t kNumbers = kInteger | kFloating | kHalfFloating;

struct Term {
  std::string_view words;  // synonyms, the section's name first
  std::string_view form;
  Message meaning;
  std::uint16_t chapters;
  std::string_view title = {};  // of the section, if it is not the first word
};

// In the order of the PTX ISA. The sentences are our own.
constexpr Term kTerms[] = {
    // numbers
    {"add", "add.type  d, a, b", Message("Adds: d = a + b."), kNumbers | kExtended},
    {"sub", "sub.type  d, a, b", Message("Subtracts: d = a - b."), kNumbers | kExtended},
    {"mul", "mul{.lo|.hi|.wide}.type  d, a, b",
     Message(
         "Multiplies; for integers, .lo and .hi keep half of the product, .wide keeps all of it."),
     kNumbers},
    {"mad", "mad{.lo|.hi|.wide}.type  d, a, b, c", Message("Multiplies and adds: d = a·b + c."),
     kInteger | kFloating | kExtended},
    {"mul24", "mul24.lo|.hi.type  d, a, b", Message("Multiplies the low 24 bits of a and b."),
     kInteger},
    {"mad24", "mad24.lo|.hi.type  d, a, b, c",
     Message("Multiplies the low 24 bits of a and b and adds c."), kInteger},
    {"sad", "sad.type  d, a, b, c", Message("Adds an absolute difference: d = c + |a - b|."),
     kInteger},
    {"div", "div.type  d, a, b", Message("Divides: d = a / b; for integers, rounded toward 0."),
     kInteger | kFloating},
    {"rem", "rem.type  d, a, b", Message("Returns the remainder of an integer division."),
     kInteger},
    {"abs", "abs.type  d, a", Message("Takes the absolute value: d = |a|."), kNumbers},
    {"neg", "neg.type  d, a", Message("Negates: d = -a."), kNumbers},
    {"min", "min.type  d, a, b", Message("Returns the smaller of a and b."), kNumbers},
    {"max", "max.type  d, a, b", Message("Returns the larger of a and b."), kNumbers},
    {"popc", "popc.type  d, a", Message("Counts the bits that are 1."), kInteger},
    {"clz", "clz.type  d, a", Message("Counts the zeros above the highest 1 bit."), kInteger},
    {"bfind", "bfind{.shiftamt}.type  d, a",
     Message("Finds the highest 1 bit; for a negative number, the highest 0 bit."), kInteger},
    {"fns", "fns.b32  d, mask, base, offset",
     Message("Finds the n-th 1 bit, starting at a given bit."), kInteger},
    {"brev", "brev.type  d, a", Message("Reverses the order of the bits."), kInteger},
    {"bfe", "bfe.type  d, a, position, length", Message("Extracts a bit field from a word."),
     kInteger},
    {"bfi", "bfi.type  d, a, b, position, length", Message("Inserts a bit field into a word."),
     kInteger},
    {"szext", "szext.clamp|.wrap.type  d, a, bits",
     Message("Extends the low bits of a with zeros, or with their sign bit."), kInteger},
    {"bmsk", "bmsk.clamp|.wrap.b32  d, position, length",
     Message("Makes a mask of ones, starting at a given bit."), kInteger},
    {"dp4a", "dp4a.atype.btype  d, a, b, c",
     Message("Multiplies four pairs of bytes of a and b and adds the products to c."), kInteger},
    {"dp2a", "dp2a.lo|.hi.atype.btype  d, a, b, c",
     Message("Multiplies two half words of a by two bytes of b and adds both products to c."),
     kInteger},
    {"addc", "addc{.cc}.type  d, a, b", Message("Adds with the carry of the previous instruction."),
     kExtended},
    {"subc", "subc{.cc}.type  d, a, b",
     Message("Subtracts with the borrow of the previous instruction."), kExtended},
    {"madc", "madc.lo|.hi{.cc}.type  d, a, b, c",
     Message("Multiplies and adds, with the carry of the previous instruction."), kExtended},
    {"testp", "testp.op.type  p, a",
     Message("Tests one property of a float: finite, number, normal and so on."), kFloating},
    {"copysign", "copysign.type  d, a, b", Message("Returns b with the sign of a."), kFloating},
    {"fma", "fma.rnd.type  d, a, b, c",
     Message("Multiplies and adds with one rounding at the end: d = a·b + c."),
     kFloating | kHalfFloating},
    {"rcp", "rcp.rnd|.approx.type  d, a", Message("Returns 1 / a."), kFloating},
    {"sqrt", "sqrt.rnd|.approx.type  d, a", Message("Returns the square root of a."), kFloating},
    {"rsqrt", "rsqrt.approx.type  d, a", Message("Approximates 1 / √a."), kFloating},
    {"sin", "sin.approx.f32  d, a", Message("Approximates the sine of a."), kFloating},
    {"cos", "cos.approx.f32  d, a", Message("Approximates the cosine of a."), kFloating},
    {"lg2", "lg2.approx.f32  d, a", Message("Approximates the base-2 logarithm of a."), kFloating},
    {"ex2", "ex2.approx.type  d, a", Message("Approximates 2 to the power of a."),
     kFloating | kHalfFloating},
    {"tanh", "tanh.approx.type  d, a", Message("Approximates the hyperbolic tangent of a."),
     kFloating | kHalfFloating},
    // comparisons, bits
    {"set", "set.cmp.dtype.stype  d, a, b",
     Message("Compares and returns a number: all bits 1, or 1.0, if true; else 0."),
     kComparison | kHalfComparison},
    {"setp", "setp.cmp.type  p{|q}, a, b",
     Message("Compares and sets a predicate, which guards later instructions (@p)."),
     kComparison | kHalfComparison},
    {"selp", "selp.type  d, a, b, p", Message("Returns a if the predicate is true, else b."),
     kComparison},
    {"slct", "slct.dtype.ctype  d, a, b, c", Message("Returns a if c is not negative, else b."),
     kComparison},
    {"and", "and.type  d, a, b", Message("Bitwise AND: d = a & b."), kLogicChapter},
    {"or", "or.type  d, a, b", Message("Bitwise OR: d = a | b."), kLogicChapter},
    {"xor", "xor.type  d, a, b", Message("Bitwise XOR: d = a ^ b."), kLogicChapter},
    {"not", "not.type  d, a", Message("Inverts every bit."), kLogicChapter},
    {"cnot", "cnot.type  d, a", Message("Returns 1 if a is 0, else 0."), kLogicChapter},
    {"lop3", "lop3.b32  d, a, b, c, table",
     Message("Combines a, b and c bit by bit with an 8-entry truth table."), kLogicChapter},
    {"shf", "shf.l|.r.clamp|.wrap.b32  d, a, b, c",
     Message("Shifts the 64 bits of a and b and keeps 32 of them."), kLogicChapter},
    {"shl", "shl.type  d, a, b", Message("Shifts a to the left by b bits."), kLogicChapter},
    {"shr", "shr.type  d, a, b",
     Message("Shifts a to the right by b bits; signed types keep the sign."), kLogicChapter},
    // data movement
    {"mov", "mov.type  d, a",
     Message("Copies a register, a constant, a special register, or the address of a variable."),
     kMovement},
    {"shfl", "shfl.sync.mode.b32  d{|p}, a, b, c, mask",
     Message("Reads a register of another lane of the warp."), kMovement, "shfl.sync"},
    {"prmt", "prmt.b32{.mode}  d, a, b, c", Message("Selects four of the eight bytes of a and b."),
     kMovement},
    {"ld.global.nc", "ld.global.nc{.vec}.type  d, [a]",
     Message("Loads from global memory, through the read-only data cache."), kMovement},
    {"ld", "ld{.space}{.vec}.type  d, [a]", Message("Loads from memory into registers."),
     kMovement},
    {"ldu", "ldu{.global}{.vec}.type  d, [a]",
     Message("Loads data that is the same for all lanes of the warp."), kMovement},
    {"st", "st{.space}{.vec}.type  [a], b", Message("Stores registers to memory."), kMovement},
    {"prefetch prefetchu", "prefetch{.space}.level  [a]", Message("Prefetches a cache line."),
     kMovement, "prefetch, prefetchu"},
    {"isspacep", "isspacep.space  p, a",
     Message("Tests whether an address is in the named memory space."), kMovement},
    {"cvta", "cvta{.to}.space.type  d, a",
     Message("Converts an address in one memory space to a generic address; .to converts it back."),
     kMovement},
    {"cvt", "cvt{.rnd}{.sat}.dtype.stype  d, a", Message("Converts a number to another type."),
     kMovement},
    {"mapa", "mapa{.space}.type  d, a, block",
     Message("Returns the address of the same variable in another block of the cluster."),
     kMovement},
    {"getctarank", "getctarank{.space}.type  d, a",
     Message("Returns the block of the cluster whose shared memory holds the address."), kMovement},
    {"cp.async", "cp.async.ca|.cg.shared.global  [to], [from], bytes",
     Message("Starts an asynchronous copy from global to shared memory."), kMovement},
    {"cp.async.commit_group", "cp.async.commit_group",
     Message("Groups the copies that the thread has started since its last group."), kMovement},
    {"cp.async.wait_group cp.async.wait_all", "cp.async.wait_group  n",
     Message("Waits until at most n of the thread's copy groups are pending; wait_all: none."),
     kMovement, "cp.async.wait_group, cp.async.wait_all"},
    {"cp.async.bulk", "cp.async.bulk.shared.global  [to], [from], bytes, [mbarrier]",
     Message("Starts a copy of consecutive bytes by the TMA unit, which then signals an mbarrier."),
     kMovement},
    {"cp.async.bulk.tensor",
     "cp.async.bulk.tensor.2d.shared.global  [to], [map, {x, y}], [mbarrier]",
     Message("Starts a copy of a box of a matrix by the TMA unit, which then signals an mbarrier."),
     kMovement},
    {"cp.async.bulk.commit_group", "cp.async.bulk.commit_group",
     Message("Groups the bulk copies that the thread has started since its last group."),
     kMovement},
    {"cp.async.bulk.wait_group", "cp.async.bulk.wait_group{.read}  n",
     Message("Waits until at most n of the thread's bulk-copy groups are pending."), kMovement},
    {"prefetch.tensormap", "prefetch.tensormap  [a]",
     Message("Prefetches a tensor map for later copies."), kMovement},
    {"tex", "tex.geometry.type  d, [texture, place]",
     Message("Reads a texture at given coordinates."), kTexture},
    {"suld", "suld.b.geometry.type  d, [surface, place]",
     Message("Reads a surface at given coordinates."), kSurface},
    {"sust", "sust.b.geometry.type  [surface, place], a",
     Message("Stores to a surface at given coordinates."), kSurface},
    // control flow
    {"bra", "bra{.uni}  label",
     Message("Branches to the label; with @p, only the lanes where p is true branch."), kControl},
    {"brx.idx", "brx.idx{.uni}  index, list",
     Message("Branches to the label that an index selects."), kControl},
    {"call", "call{.uni}  (results), function, (arguments)",
     Message("Calls a function and continues after the call."), kControl},
    {"ret", "ret{.uni}", Message("Returns from the function; in a kernel, ends the thread."),
     kControl},
    {"exit", "exit", Message("Ends the thread."), kControl},
    // synchronization
    {"bar.sync barrier.sync bar.cta.sync barrier.cta.sync", "bar.sync  barrier{, threads}",
     Message("Waits until all threads of the block have arrived; then each sees what the others "
             "stored."),
     kParallel, "bar, barrier"},
    {"bar.arrive barrier.arrive bar.cta.arrive barrier.cta.arrive", "bar.arrive  barrier, threads",
     Message("Arrives at a barrier and continues without waiting."), kParallel, "bar, barrier"},
    {"bar.red barrier.red bar.cta.red barrier.cta.red", "bar.red.op.type  d, barrier{, threads}, p",
     Message("Waits for all threads of the block and combines their predicates."), kParallel,
     "bar, barrier"},
    {"bar.warp", "bar.warp.sync  mask",
     Message(
         "Waits until the lanes in the mask have arrived; then each sees what the others stored."),
     kParallel, "bar.warp.sync"},
    {"fence membar", "fence{.sem}.scope",
     Message("Orders the thread's accesses: other threads see those before the fence first, then "
             "those after it."),
     kParallel, "membar, fence"},
    {"atom", "atom{.space}.op.type  d, [a], b{, c}",
     Message("Atomically updates memory and returns the old value."), kParallel},
    {"red", "red{.space}.op.type  [a], b",
     Message("Atomically updates memory and returns nothing."), kParallel},
    {"vote", "vote.sync.mode.type  d, p, mask",
     Message("Combines a predicate of every lane in the mask: all, any, or one bit per lane."),
     kParallel, "vote.sync"},
    {"match", "match.any|.all.sync.type  d, a, mask",
     Message("Finds the lanes that hold the same value."), kParallel, "match.sync"},
    {"activemask", "activemask.b32  d",
     Message("Returns the mask of the lanes that execute this instruction now."), kParallel},
    {"redux", "redux.sync.op.type  d, a, mask",
     Message("Reduces one value of every lane in the mask: sum, minimum, maximum or a bitwise "
             "operation."),
     kParallel, "redux.sync"},
    {"griddepcontrol", "griddepcontrol.action",
     Message("Waits for earlier grids, or lets later ones start."), kParallel},
    {"elect", "elect.sync  d|p, mask", Message("Elects one lane of the mask."), kParallel,
     "elect.sync"},
    {"fence.proxy.async", "fence.proxy.async{.space}",
     Message("Makes the thread's stores visible to the TMA unit and the tensor cores."), kParallel},
    {"mbarrier.init", "mbarrier.init.shared.b64  [a], count",
     Message("Initializes an mbarrier in shared memory with its number of arrivals."), kParallel},
    {"mbarrier.inval", "mbarrier.inval.shared.b64  [a]",
     Message("Invalidates an mbarrier, so that its memory can be reused."), kParallel},
    {"mbarrier.expect_tx", "mbarrier.expect_tx.shared.b64  [a], bytes",
     Message("Makes an mbarrier also wait for the given number of bytes of asynchronous copies."),
     kParallel},
    {"mbarrier.complete_tx", "mbarrier.complete_tx.shared.b64  [a], bytes",
     Message("Signals an mbarrier: the given number of bytes arrived."), kParallel},
    {"mbarrier.arrive mbarrier.arrive.expect_tx", "mbarrier.arrive.shared.b64  state, [a]{, count}",
     Message("Arrives at an mbarrier and returns the phase to wait for."), kParallel},
    {"mbarrier.arrive_drop", "mbarrier.arrive_drop.shared.b64  state, [a]{, count}",
     Message("Arrives at an mbarrier and no longer takes part in it."), kParallel},
    {"cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive.shared.b64  [a]",
     Message("Makes an mbarrier wait for the copies that the thread has started."), kParallel},
    {"mbarrier.test_wait mbarrier.try_wait mbarrier.test_wait.parity mbarrier.try_wait.parity",
     "mbarrier.test_wait.shared.b64  p, [a], state",
     Message("Tests whether a phase of the mbarrier is complete; try_wait waits for a while."),
     kParallel, "mbarrier.test_wait, mbarrier.try_wait"},
    {"mbarrier.pending_count", "mbarrier.pending_count.b64  d, state",
     Message("Returns the number of pending arrivals of the phase."), kParallel},
    // on tensor cores
    {"wmma.load.a wmma.load.b wmma.load.c",
     "wmma.load.a|.b|.c.sync.shape.type  {d…}, [p]{, stride}",
     Message("Loads a small matrix into the registers of the warp's lanes."), kMatrixChapter,
     "wmma.load"},
    {"wmma.store.d", "wmma.store.d.sync.shape.type  [p], {r…}{, stride}",
     Message("Stores a small matrix from the registers of the warp's lanes."), kMatrixChapter,
     "wmma.store"},
    {"wmma.mma", "wmma.mma.sync.layouts.shape.types  {d…}, {a…}, {b…}, {c…}",
     Message(
         "Multiplies two small matrices and adds a third; all lanes of the warp work together."),
     kMatrixChapter},
    {"mma", "mma.sync.shape.layouts.types  {d…}, {a…}, {b…}, {c…}",
     Message(
         "Multiplies two small matrices and adds a third; all lanes of the warp work together."),
     kMatrixChapter},
    {"ldmatrix", "ldmatrix.sync.shape.num{.trans}.b16  {d…}, [p]",
     Message(
         "Loads 8×8 matrices from shared memory into the lanes' registers, in the layout of mma."),
     kMatrixChapter},
    {"stmatrix", "stmatrix.sync.shape.num{.trans}.b16  [p], {r…}",
     Message("Stores 8×8 matrices from the lanes' registers to shared memory."), kMatrixChapter},
    {"movmatrix", "movmatrix.sync.shape.trans.b16  d, a",
     Message("Transposes an 8×8 matrix in the lanes' registers."), kMatrixChapter},
    {"wgmma.mma_async", "wgmma.mma_async.sync.shape.types  {d…}, a, b, scale-d, scale-a, scale-b",
     Message("Starts a matrix product that four warps compute together; b, and optionally a, is "
             "read from shared memory."),
     kMatrixChapter},
    {"wgmma.fence", "wgmma.fence.sync.aligned",
     Message(
         "Orders earlier accesses to registers and shared memory before the products that follow."),
     kMatrixChapter},
    {"wgmma.commit_group", "wgmma.commit_group.sync.aligned",
     Message("Groups the products that the warp has started since its last group."),
     kMatrixChapter},
    {"wgmma.wait_group", "wgmma.wait_group.sync.aligned  n",
     Message("Waits until at most n of the warp's product groups are pending."), kMatrixChapter},
    // the rest
    {"setmaxnreg.inc setmaxnreg.dec", "setmaxnreg.inc|.dec.sync.aligned.u32  n",
     Message("Claims registers for the warp's threads, or releases them to the block."), kStack,
     "setmaxnreg"},
    {"stacksave", "stacksave.type  d", Message("Saves the thread's stack pointer."), kStack},
    {"stackrestore", "stackrestore.type  a", Message("Restores the thread's stack pointer."),
     kStack},
    {"alloca", "alloca.type  p, bytes", Message("Allocates memory on the thread's stack."), kStack},
    {"vabsdiff4", "vabsdiff4.types{.add}  d, a, b, c",
     Message("Returns the absolute differences of four pairs of bytes, or adds them to c."), kVideo,
     "vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4"},
    {"brkpt", "brkpt", Message("Pauses for a debugger."), kMiscellaneous},
    {"nanosleep", "nanosleep.u32  ns",
     Message("Suspends the warp for about the given number of nanoseconds."), kMiscellaneous},
    {"pmevent", "pmevent  event", Message("Reports an event to a profiler."), kMiscellaneous},
    {"trap", "trap", Message("Stops the kernel with an error."), kMiscellaneous},
};

// Whether one of a list's parts is the word.
bool holds(std::string_view list, char separator, std::string_view word) {
  for (;;) {
    const std::size_t end = list.find(separator);
    if (list.substr(0, end) == word) {
      return true;
    }
    if (end == std::string_view::npos) {
      return false;
    }
    list = list.substr(end + 1);
  }
}

const Term* find_term(std::string_view word) {
  for (;;) {
    const auto* const found = std::ranges::find_if(
        kTerms, [word](const Term& term) { return holds(term.words, ' ', word); });
    if (found != std::end(kTerms)) {
      return found;
    }
    const std::size_t dot = word.rfind('.');
    if (dot == std::string_view::npos) {
      return nullptr;
    }
    word = word.substr(0, dot);
  }
}

bool has_any(std::string_view word, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [word](std::string_view part) { return holds(word, '.', part); });
}

// The chapter of a row for the types that the opcode names.
ChapterTitle chapter_of(const Term& term, std::string_view word) {
  std::uint16_t wanted = term.chapters;
  const bool is_half = has_any(word, {"f16", "f16x2", "bf16", "bf16x2"});
  const auto narrow = [&wanted](bool holds_here, std::uint16_t to) {
    wanted = holds_here && (wanted & to) != 0 ? wanted & to : wanted;
  };
  narrow(has_any(word, {"cc"}), kExtended);
  narrow(is_half, kHalfFloating | kHalfComparison);
  narrow(has_any(word, {"f32", "f64", "f32x2"}), kFloating);
  return *std::ranges::find_if(
      kChapters, [wanted](const ChapterTitle& one) { return (one.chapter & wanted) != 0; });
}

}  // namespace

OpcodeMeaning meaning_of_opcode(std::string_view word) {
  const Term* const term = find_term(word);
  if (term == nullptr) {
    return {};
  }
  const ChapterTitle chapter = chapter_of(*term, word);
  std::string title(term->title.empty() ? term->words.substr(0, term->words.find(' '))
                                        : term->title);
  if (chapter.chapter == kExtended && !title.ends_with('c')) {
    title += ".cc";
  }
  return {term->form, term->meaning.text(),
          fmt::format("{}, {}: {}", kPtxIsa, chapter.title, title)};
}

}  // namespace tilestep::ptx
