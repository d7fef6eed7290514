#include "ptx/text/ptx_glossary.h"

#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace tilestep::ptx {
namespace {

// Chapters of "Instruction Set". A row may be in several; the type after the opcode says which.
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
  std::string_view words;  // names of one meaning, the section's first
  std::string_view form;
  Message meaning;
  std::uint16_t chapters;
  std::string_view title = {};  // of the section, where it is not the first word
};

// As they follow each other in the PTX ISA. The sentences are our own.
constexpr Term kTerms[] = {
    // numbers
    {"add", "add.type  d, a, b", Message("Adds: d = a + b."), kNumbers | kExtended},
    {"sub", "sub.type  d, a, b", Message("Subtracts: d = a - b."), kNumbers | kExtended},
    {"mul", "mul{.lo|.hi|.wide}.type  d, a, b",
     Message(
         "Multiplies; of integers .lo and .hi keep half of the product, .wide keeps all of it."),
     kNumbers},
    {"mad", "mad{.lo|.hi|.wide}.type  d, a, b, c", Message("Multiplies and adds: d = a·b + c."),
     kInteger | kFloating | kExtended},
    {"mul24", "mul24.lo|.hi.type  d, a, b", Message("Multiplies the low 24 bits of both."),
     kInteger},
    {"mad24", "mad24.lo|.hi.type  d, a, b, c",
     Message("Multiplies the low 24 bits of both and adds c."), kInteger},
    {"sad", "sad.type  d, a, b, c", Message("Adds a distance: d = c + |a - b|."), kInteger},
    {"div", "div.type  d, a, b",
     Message("Divides: d = a / b; of integers the part before the point."), kInteger | kFloating},
    {"rem", "rem.type  d, a, b", Message("Gives what a division of integers leaves over."),
     kInteger},
    {"abs", "abs.type  d, a", Message("Takes the sign away: d = |a|."), kNumbers},
    {"neg", "neg.type  d, a", Message("Turns the sign: d = -a."), kNumbers},
    {"min", "min.type  d, a, b", Message("Gives the smaller of the two."), kNumbers},
    {"max", "max.type  d, a, b", Message("Gives the larger of the two."), kNumbers},
    {"popc", "popc.type  d, a", Message("Counts the bits that are 1."), kInteger},
    {"clz", "clz.type  d, a", Message("Counts the zeros above the highest bit that is 1."),
     kInteger},
    {"bfind", "bfind{.shiftamt}.type  d, a",
     Message("Finds the highest bit that is 1; of a negative number the highest that is 0."),
     kInteger},
    {"fns", "fns.b32  d, mask, base, offset",
     Message("Finds the n-th bit that is 1 from a bit on."), kInteger},
    {"brev", "brev.type  d, a", Message("Turns the order of the bits around."), kInteger},
    {"bfe", "bfe.type  d, a, position, length", Message("Takes a field of bits out of a word."),
     kInteger},
    {"bfi", "bfi.type  d, a, b, position, length", Message("Puts a field of bits into a word."),
     kInteger},
    {"szext", "szext.clamp|.wrap.type  d, a, bits",
     Message("Widens the low bits of a: with zeros, or with copies of their sign."), kInteger},
    {"bmsk", "bmsk.clamp|.wrap.b32  d, position, length",
     Message("Makes a row of ones from a bit on."), kInteger},
    {"dp4a", "dp4a.atype.btype  d, a, b, c",
     Message("Multiplies four bytes of a by four of b and adds all products to c."), kInteger},
    {"dp2a", "dp2a.lo|.hi.atype.btype  d, a, b, c",
     Message("Multiplies two half words of a by two bytes of b and adds both products to c."),
     kInteger},
    {"addc", "addc{.cc}.type  d, a, b", Message("Adds with the carry of the instruction before."),
     kExtended},
    {"subc", "subc{.cc}.type  d, a, b",
     Message("Subtracts with the borrow of the instruction before."), kExtended},
    {"madc", "madc.lo|.hi{.cc}.type  d, a, b, c",
     Message("Multiplies and adds, with the carry of the instruction before."), kExtended},
    {"testp", "testp.op.type  p, a",
     Message("Asks whether a float is finite, a number, normal and so on."), kFloating},
    {"copysign", "copysign.type  d, a, b", Message("Gives b with the sign of a."), kFloating},
    {"fma", "fma.rnd.type  d, a, b, c",
     Message("Multiplies and adds with one rounding at the end: d = a·b + c."),
     kFloating | kHalfFloating},
    {"rcp", "rcp.rnd|.approx.type  d, a", Message("Gives 1 / a."), kFloating},
    {"sqrt", "sqrt.rnd|.approx.type  d, a", Message("Gives the square root of a."), kFloating},
    {"rsqrt", "rsqrt.approx.type  d, a", Message("Gives 1 / √a, nearly."), kFloating},
    {"sin", "sin.approx.f32  d, a", Message("Gives the sine of a, nearly."), kFloating},
    {"cos", "cos.approx.f32  d, a", Message("Gives the cosine of a, nearly."), kFloating},
    {"lg2", "lg2.approx.f32  d, a", Message("Gives the logarithm of a to the base 2, nearly."),
     kFloating},
    {"ex2", "ex2.approx.type  d, a", Message("Gives 2 to the power of a, nearly."),
     kFloating | kHalfFloating},
    {"tanh", "tanh.approx.type  d, a", Message("Gives the hyperbolic tangent of a, nearly."),
     kFloating | kHalfFloating},
    // comparisons, bits
    {"set", "set.cmp.dtype.stype  d, a, b",
     Message("Compares and gives a number: all ones or 1.0 where it holds, else 0."),
     kComparison | kHalfComparison},
    {"setp", "setp.cmp.type  p{|q}, a, b",
     Message("Compares and gives a predicate, which later instructions are guarded by (@p)."),
     kComparison | kHalfComparison},
    {"selp", "selp.type  d, a, b, p", Message("Gives a where the predicate holds, else b."),
     kComparison},
    {"slct", "slct.dtype.ctype  d, a, b, c", Message("Gives a where c is not negative, else b."),
     kComparison},
    {"and", "and.type  d, a, b", Message("Gives the bits that are 1 in both."), kLogicChapter},
    {"or", "or.type  d, a, b", Message("Gives the bits that are 1 in one of them at least."),
     kLogicChapter},
    {"xor", "xor.type  d, a, b", Message("Gives the bits that differ."), kLogicChapter},
    {"not", "not.type  d, a", Message("Turns every bit."), kLogicChapter},
    {"cnot", "cnot.type  d, a", Message("Gives 1 where a is 0, else 0."), kLogicChapter},
    {"lop3", "lop3.b32  d, a, b, c, table",
     Message("Looks up every bit by those of a, b and c in a table of eight."), kLogicChapter},
    {"shf", "shf.l|.r.clamp|.wrap.b32  d, a, b, c",
     Message("Shifts the 64 bits of a and b and keeps 32 of them."), kLogicChapter},
    {"shl", "shl.type  d, a, b", Message("Shifts a to the left by b bits."), kLogicChapter},
    {"shr", "shr.type  d, a, b",
     Message("Shifts a to the right by b bits; signed types keep the sign."), kLogicChapter},
    // from place to place
    {"mov", "mov.type  d, a",
     Message("Copies a register, a constant, a special register, or the address of a variable."),
     kMovement},
    {"shfl", "shfl.sync.mode.b32  d{|p}, a, b, c, mask",
     Message("Gets the register of another lane of the warp."), kMovement, "shfl.sync"},
    {"prmt", "prmt.b32{.mode}  d, a, b, c", Message("Picks four of the eight bytes of a and b."),
     kMovement},
    {"ld.global.nc", "ld.global.nc{.vec}.type  d, [a]",
     Message(
         "Loads from global memory, through the cache of data that nobody stores to meanwhile."),
     kMovement},
    {"ld", "ld{.space}{.vec}.type  d, [a]", Message("Loads from memory into registers."),
     kMovement},
    {"ldu", "ldu{.global}{.vec}.type  d, [a]",
     Message("Loads what is the same for all lanes of the warp."), kMovement},
    {"st", "st{.space}{.vec}.type  [a], b", Message("Stores registers to memory."), kMovement},
    {"prefetch prefetchu", "prefetch{.space}.level  [a]",
     Message("Brings a line into a cache ahead of time."), kMovement, "prefetch, prefetchu"},
    {"isspacep", "isspacep.space  p, a", Message("Asks whether an address lies in that memory."),
     kMovement},
    {"cvta", "cvta{.to}.space.type  d, a",
     Message("Turns an address within one memory into a generic one; .to turns it back."),
     kMovement},
    {"cvt", "cvt{.rnd}{.sat}.dtype.stype  d, a", Message("Converts a number to another type."),
     kMovement},
    {"mapa", "mapa{.space}.type  d, a, block",
     Message("Gives the address of the same variable in another block of the cluster."), kMovement},
    {"getctarank", "getctarank{.space}.type  d, a",
     Message("Gives the block of the cluster whose shared memory the address is in."), kMovement},
    {"cp.async", "cp.async.ca|.cg.shared.global  [to], [from], bytes",
     Message("Begins a copy from global to shared memory that goes on beside the code."),
     kMovement},
    {"cp.async.commit_group", "cp.async.commit_group",
     Message("Closes the group of the copies that the thread has begun."), kMovement},
    {"cp.async.wait_group cp.async.wait_all", "cp.async.wait_group  n",
     Message("Waits until at most n of the thread's groups are on their way; wait_all: none."),
     kMovement, "cp.async.wait_group, cp.async.wait_all"},
    {"cp.async.bulk", "cp.async.bulk.shared.global  [to], [from], bytes, [mbarrier]",
     Message("Asks the copy engine to copy bytes that follow each other, and to tell an mbarrier."),
     kMovement},
    {"cp.async.bulk.tensor",
     "cp.async.bulk.tensor.2d.shared.global  [to], [map, {x, y}], [mbarrier]",
     Message("Asks the copy engine to copy a box of a matrix, and to tell an mbarrier."),
     kMovement},
    {"cp.async.bulk.commit_group", "cp.async.bulk.commit_group",
     Message("Closes the group of the bulk copies that the thread has asked for."), kMovement},
    {"cp.async.bulk.wait_group", "cp.async.bulk.wait_group{.read}  n",
     Message("Waits until at most n of the thread's groups of bulk copies are on their way."),
     kMovement},
    {"prefetch.tensormap", "prefetch.tensormap  [a]",
     Message("Brings a tensor map near, for copies to come."), kMovement},
    {"tex", "tex.geometry.type  d, [texture, place]", Message("Reads a texture at a place."),
     kTexture},
    {"suld", "suld.b.geometry.type  d, [surface, place]", Message("Reads a surface at a place."),
     kSurface},
    {"sust", "sust.b.geometry.type  [surface, place], a", Message("Writes a surface at a place."),
     kSurface},
    // where it goes on
    {"bra", "bra{.uni}  label",
     Message("Goes on at the label; with @p only the lanes where p holds."), kControl},
    {"brx.idx", "brx.idx{.uni}  index, list", Message("Goes on at the label that an index picks."),
     kControl},
    {"call", "call{.uni}  (results), function, (arguments)",
     Message("Calls a function and goes on behind it afterwards."), kControl},
    {"ret", "ret{.uni}",
     Message("Goes back to where the function was called; of a kernel: ends the thread."),
     kControl},
    {"exit", "exit", Message("Ends the thread."), kControl},
    // with others
    {"bar.sync barrier.sync bar.cta.sync barrier.cta.sync", "bar.sync  barrier{, threads}",
     Message(
         "Waits until all threads of the block are here; then each sees what the others stored."),
     kParallel, "bar, barrier"},
    {"bar.arrive barrier.arrive bar.cta.arrive barrier.cta.arrive", "bar.arrive  barrier, threads",
     Message("Tells a barrier that the thread has come and goes on without waiting."), kParallel,
     "bar, barrier"},
    {"bar.red barrier.red bar.cta.red barrier.cta.red", "bar.red.op.type  d, barrier{, threads}, p",
     Message("Waits for all threads of the block and joins a predicate of each."), kParallel,
     "bar, barrier"},
    {"bar.warp", "bar.warp.sync  mask",
     Message("Waits until the lanes in the mask are here; then each sees what the others stored."),
     kParallel, "bar.warp.sync"},
    {"fence membar", "fence{.sem}.scope",
     Message("Orders the thread's accesses: those before it are seen before those after it."),
     kParallel, "membar, fence"},
    {"atom", "atom{.space}.op.type  d, [a], b{, c}",
     Message(
         "Changes memory in one step that no other thread comes into, and gives what was there."),
     kParallel},
    {"red", "red{.space}.op.type  [a], b",
     Message("Changes memory in one step that no other thread comes into, and gives nothing."),
     kParallel},
    {"vote", "vote.sync.mode.type  d, p, mask",
     Message("Asks a predicate of every lane in the mask: all, any, or a bit for each."), kParallel,
     "vote.sync"},
    {"match", "match.any|.all.sync.type  d, a, mask",
     Message("Tells which lanes hold the same value."), kParallel, "match.sync"},
    {"activemask", "activemask.b32  d",
     Message("Gives a bit for each lane that executes this now."), kParallel},
    {"redux", "redux.sync.op.type  d, a, mask",
     Message("Joins one value of every lane in the mask: sum, least, largest, bits."), kParallel,
     "redux.sync"},
    {"griddepcontrol", "griddepcontrol.action",
     Message("Waits for the grids before this one, or lets those after it begin."), kParallel},
    {"elect", "elect.sync  d|p, mask", Message("Picks one lane of the mask."), kParallel,
     "elect.sync"},
    {"fence.proxy.async", "fence.proxy.async{.space}",
     Message("Makes what the thread has stored visible to the copy engine and the tensor cores."),
     kParallel},
    {"mbarrier.init", "mbarrier.init.shared.b64  [a], count",
     Message("Makes a barrier in shared memory that waits for so many arrivals."), kParallel},
    {"mbarrier.inval", "mbarrier.inval.shared.b64  [a]",
     Message("Ends a barrier in shared memory, so that its place may hold something else."),
     kParallel},
    {"mbarrier.expect_tx", "mbarrier.expect_tx.shared.b64  [a], bytes",
     Message("Lets a barrier wait for so many more bytes of asynchronous copies."), kParallel},
    {"mbarrier.complete_tx", "mbarrier.complete_tx.shared.b64  [a], bytes",
     Message("Tells a barrier that so many bytes have come."), kParallel},
    {"mbarrier.arrive mbarrier.arrive.expect_tx", "mbarrier.arrive.shared.b64  state, [a]{, count}",
     Message("Tells a barrier that the thread has come, and gives the phase to wait for."),
     kParallel},
    {"mbarrier.arrive_drop", "mbarrier.arrive_drop.shared.b64  state, [a]{, count}",
     Message("Tells a barrier that the thread has come, and will not come again."), kParallel},
    {"cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive.shared.b64  [a]",
     Message("Lets a barrier wait for the copies that the thread has begun."), kParallel},
    {"mbarrier.test_wait mbarrier.try_wait mbarrier.test_wait.parity mbarrier.try_wait.parity",
     "mbarrier.test_wait.shared.b64  p, [a], state",
     Message("Asks whether a phase of the barrier is over; try_wait waits a while for it."),
     kParallel, "mbarrier.test_wait, mbarrier.try_wait"},
    {"mbarrier.pending_count", "mbarrier.pending_count.b64  d, state",
     Message("Gives how many arrivals the phase still waited for."), kParallel},
    // on tensor cores
    {"wmma.load.a wmma.load.b wmma.load.c",
     "wmma.load.a|.b|.c.sync.shape.type  {d…}, [p]{, stride}",
     Message("Loads a small matrix, spread over the registers of the warp's lanes."),
     kMatrixChapter, "wmma.load"},
    {"wmma.store.d", "wmma.store.d.sync.shape.type  [p], {r…}{, stride}",
     Message("Stores a small matrix from the registers of the warp's lanes."), kMatrixChapter,
     "wmma.store"},
    {"wmma.mma", "wmma.mma.sync.layouts.shape.types  {d…}, {a…}, {b…}, {c…}",
     Message("Multiplies two small matrices and adds a third, by all lanes of the warp together."),
     kMatrixChapter},
    {"mma", "mma.sync.shape.layouts.types  {d…}, {a…}, {b…}, {c…}",
     Message("Multiplies two small matrices and adds a third, by all lanes of the warp together."),
     kMatrixChapter},
    {"ldmatrix", "ldmatrix.sync.shape.num{.trans}.b16  {d…}, [p]",
     Message("Loads 8×8 matrices from shared memory as mma wants them in the lanes' registers."),
     kMatrixChapter},
    {"stmatrix", "stmatrix.sync.shape.num{.trans}.b16  [p], {r…}",
     Message("Stores 8×8 matrices from the lanes' registers to shared memory."), kMatrixChapter},
    {"movmatrix", "movmatrix.sync.shape.trans.b16  d, a",
     Message("Transposes an 8×8 matrix in the lanes' registers."), kMatrixChapter},
    {"wgmma.mma_async", "wgmma.mma_async.sync.shape.types  {d…}, a, b, scale-d, scale-a, scale-b",
     Message("Starts a product of two matrices by four warps; b, and perhaps a, is read in shared "
             "memory."),
     kMatrixChapter},
    {"wgmma.fence", "wgmma.fence.sync.aligned",
     Message("Orders registers and shared memory before the products that follow."),
     kMatrixChapter},
    {"wgmma.commit_group", "wgmma.commit_group.sync.aligned",
     Message("Closes the group of the products that the warp has started."), kMatrixChapter},
    {"wgmma.wait_group", "wgmma.wait_group.sync.aligned  n",
     Message("Waits until at most n of the warp's groups of products are under way."),
     kMatrixChapter},
    // the rest
    {"setmaxnreg.inc setmaxnreg.dec", "setmaxnreg.inc|.dec.sync.aligned.u32  n",
     Message("Takes registers for the warp's threads, or gives them back to the block."), kStack,
     "setmaxnreg"},
    {"stacksave", "stacksave.type  d", Message("Keeps where the thread's stack ends."), kStack},
    {"stackrestore", "stackrestore.type  a", Message("Gives back the stack beyond a place."),
     kStack},
    {"alloca", "alloca.type  p, bytes", Message("Takes memory from the thread's stack."), kStack},
    {"vabsdiff4", "vabsdiff4.types{.add}  d, a, b, c",
     Message("Gives the distances of four pairs of bytes, or adds them to c."), kVideo,
     "vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4"},
    {"brkpt", "brkpt", Message("Stops for a debugger."), kMiscellaneous},
    {"nanosleep", "nanosleep.u32  ns", Message("Lets the warp rest for about so many nanoseconds."),
     kMiscellaneous},
    {"pmevent", "pmevent  event", Message("Tells a profiler of an event."), kMiscellaneous},
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

// Of the chapters that a row is in, the one for the types that the opcode names.
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
