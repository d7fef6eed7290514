// What the warps of a block execute in machine code, instruction by instruction, with the requests
// that they make to memory: the input of the model of an SM (sm.h).
//
// The kernel runs in the simulator (Build::Machine), so control flow, addresses and predicates are
// those of the hardware. Values do not matter for time, unless a branch depends on them.
//
// Pure: values in, values out.
#pragma once

#include "loading/loader.h"
#include "problem/result.h"
#include "ptx/sass/decode.h"
#include "simt/machine/program.h"
#include "simt/state/event.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::clock {

// The part of an SM that executes an instruction.
enum class Unit : std::uint8_t {
  Alu,          // integers, comparisons, moves: 16 lanes a scheduler
  Fma,          // FFMA, FMUL, FADD: 32 lanes
  FmaHeavy,     // IMAD, HFMA2: one half of them
  Uniform,      // the datapath of values that all threads share
  Tensor,       // HMMA
  Special,      // MUFU, conversions, S2R: through the queue of memory instructions
  SharedLoad,   // LDS
  SharedStore,  // STS
  GlobalLoad,   // LDG, LDL, atomic operations
  GlobalStore,  // STG, STL
  AsyncCopy,    // LDGSTS
  Constant,     // LDC with an address in a register
  Barrier,      // BAR
  Branch,       // BRA, CALL, BSYNC
  CopyGroup,    // LDGDEPBAR: the copies so far are a group
  CopyWait,     // DEPBAR: until at most `groups` of them are under way
  Exit,
  Other,  // NOP, BSSY, MEMBAR …
};
[[nodiscard]] constexpr bool is_math(Unit unit) {
  return unit == Unit::Alu || unit == Unit::Fma || unit == Unit::FmaHeavy || unit == Unit::Tensor;
}
[[nodiscard]] constexpr bool is_global(Unit unit) {
  return unit == Unit::GlobalLoad || unit == Unit::GlobalStore || unit == Unit::AsyncCopy;
}
[[nodiscard]] constexpr bool is_memory(Unit unit) {
  return is_global(unit) || unit == Unit::SharedLoad || unit == Unit::SharedStore;
}

// What the model needs to know of an instruction.
struct CodedInstruction {
  Unit unit = Unit::Other;
  std::uint8_t stall = 1;          // clocks until the warp's next instruction may start
  std::uint8_t result_board = 7;   // scoreboard that is held until the result is there; 7: none
  std::uint8_t operand_board = 7;  // … until the operands are read
  std::uint8_t awaited_boards = 0;
  std::uint8_t groups = 0;      // CopyWait
  std::uint8_t barrier = 0;     // Barrier: its number
  bool is_wide = false;         // an access of 128 bits, IMAD.WIDE
  bool bypasses_l1 = false;     // AsyncCopy of 16 bytes
  bool reads_clock = false;     // the SM's clock
  bool prefers_others = false;  // the scheduler should choose another warp next
  // Registers that it reads; ptx::kZeroRegister: none. `kept`: a bit for each that the next
  // instruction need not read again (.reuse).
  std::array<std::uint8_t, 3> sources{ptx::kZeroRegister, ptx::kZeroRegister, ptx::kZeroRegister};
  std::uint8_t kept = 0;
  std::uint8_t destination = ptx::kZeroRegister;  // the register that it writes; zero: none
  std::uint32_t line = 0;                         // of the source; 0: none
  std::string text;                               // as nvdisasm writes it
};

// 32-byte sectors of a 128-byte line, a bit each.
struct LineSectors {
  std::int32_t line = 0;  // relative to the request's first line
  std::uint8_t sectors = 0;

  friend auto operator<=>(const LineSectors&, const LineSectors&) = default;
};

// A request of a warp, without its place.
struct RequestShape {
  std::uint32_t passes = 0;         // through the data stage: words of one bank
  std::uint32_t stored_passes = 0;  // AsyncCopy: those of its store to shared memory
  std::vector<LineSectors> lines;   // of global memory; empty: shared memory

  friend auto operator<=>(const RequestShape&, const RequestShape&) = default;
};

inline constexpr std::uint32_t kNoRequest = 0xffffffffU;

struct TraceStep {
  std::uint32_t instruction = 0;       // index in Tracer::code()
  std::uint32_t request = kNoRequest;  // index in WarpTrace::requests
  bool is_taken = false;               // the next instruction of the code does not follow
  bool is_executed = true;             // by some lane: its guard is true
};

struct Request {
  std::uint64_t line = 0;   // generic address / 128 of its first line; shared memory: 0
  std::uint32_t shape = 0;  // index in Tracer::shapes()
};

struct WarpTrace {
  std::vector<TraceStep> steps;
  std::vector<Request> requests;
};

struct BlockTrace {
  std::uint32_t block = 0;
  std::vector<WarpTrace> warps;
};

// Executes blocks of a launch, each alone.
class Tracer {
 public:
  // `program`: of `kernel`, a Build::Machine. Fails if the machine code cannot be decoded.
  [[nodiscard]] static Result<Tracer> make(const loading::Kernel& kernel,
                                           std::shared_ptr<const simt::Program> program);

  // Fails if the block waits for another one, or for itself, or executes more than 20 million
  // instructions; with an empty sentence if it is canceled.
  [[nodiscard]] Result<BlockTrace> trace(std::uint32_t block,
                                         const std::atomic<bool>* cancel = nullptr);

  [[nodiscard]] const std::vector<CodedInstruction>& code() const { return code_; }
  [[nodiscard]] const std::vector<RequestShape>& shapes() const { return shapes_; }
  [[nodiscard]] const simt::Program& program() const { return *program_; }

 private:
  class Recorder;
  // An access that has been seen: the lanes' distances, and where it begins in its line.
  struct Known {
    std::uint32_t mask = 0;
    std::uint32_t bytes = 0;
    std::uint64_t start = 0;  // of the first lane: bytes from the beginning of its line
    std::array<std::int64_t, simt::kWarpSize> distance{};
    std::uint32_t shape = 0;
    std::int64_t first_line = 0;  // relative to the first lane's
  };
  explicit Tracer(std::shared_ptr<const simt::Program> program) : program_(std::move(program)) {}

  [[nodiscard]] Request request(std::uint32_t instruction, const simt::MemoryEvent& event);
  [[nodiscard]] std::uint32_t shape_number(RequestShape shape);

  std::shared_ptr<const simt::Program> program_;
  std::vector<CodedInstruction> code_;
  std::vector<std::uint32_t> padding_;  // by instruction: never executed loads directly before it
  std::vector<RequestShape> shapes_;
  std::vector<std::vector<Known>> known_;  // by instruction
};

}  // namespace tilestep::clock
