#include "ptx_lanes.h"

#include "problem/values/random.h"
#include "ptx/model/module.h"
#include "ptx/parse.h"
#include "simt/exec/isa.h"
#include "simt/machine/schedule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace tilestep::simt {
namespace {

constexpr std::size_t kLanesPerBlock = 32;

[[nodiscard]] std::string replaced(std::string text, const std::string& what,
                                   const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

[[nodiscard]] std::string register_name(char operand, int bits, const std::string& suffix = "") {
  const std::string prefix = bits == 1 ? "%p" : bits == 16 ? "%h" : bits == 32 ? "%r" : "%l";
  return prefix + operand + suffix;
}

// `load`s an operand of any width from its 64-bit cell.
[[nodiscard]] std::string load_operand(char operand, int bits, int offset,
                                       const std::string& suffix = "") {
  const std::string from = ", [%in+" + std::to_string(offset) + "];\n";
  if (bits == 1) {
    return "ld.global.u32 %t" + from + "setp.ne.u32 " + register_name(operand, 1, suffix) +
           ", %t, 0;\n";
  }
  return "ld.global.b" + std::to_string(bits) + " " + register_name(operand, bits, suffix) + from;
}

[[nodiscard]] std::string store_result(int bits, const std::string& suffix, int offset) {
  const std::string to = "[%out+" + std::to_string(offset) + "], ";
  const std::string value = register_name('d', bits, suffix);
  if (bits == 1) {
    return "selp.u32 %t, 1, 0, " + value + ";\nst.global.u32 " + to + "%t;\n";
  }
  return "st.global.b" + std::to_string(bits) + " " + to + value + ";\n";
}

[[nodiscard]] std::string instruction_text(const LaneInstruction& instruction,
                                           const std::string& suffix) {
  std::string text =
      replaced(instruction.text, "$d", register_name('d', instruction.dest_bits, suffix));
  for (std::size_t k = 0; k < instruction.source_bits.size(); ++k) {
    const char operand = static_cast<char>('a' + (k < 3 ? k : k + 1));  // a b c e
    text = replaced(text, std::string("$") + operand,
                    register_name(operand, instruction.source_bits[k]));
  }
  return text;
}

// Cells of a lane: four sources, the destination's previous value, and whether it executes. Three
// results: all lanes, guarded, after a divergent branch.
constexpr std::size_t kCells = 6;
constexpr std::size_t kResults = 3;

[[nodiscard]] std::string kernel_text(const LaneInstruction& instruction, bool guarded = true) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .b32 %t, %index;\n.reg .b64 %in, %out, %offset;\n.reg .pred %go;\n";
  for (const char operand : {'a', 'b', 'c', 'e', 'd'}) {
    for (const char* const suffix : {"", "1", "2", "3"}) {
      const std::string tail = std::string(1, operand) + suffix;
      text += ".reg .pred %p" + tail + ";\n.reg .b16 %h" + tail + ";\n.reg .b32 %r" + tail +
              ";\n.reg .b64 %l" + tail + ";\n";
    }
  }
  text +=
      "mov.u32 %t, %ctaid.x;\nmov.u32 %index, %tid.x;\nmad.lo.u32 %index, %t, 32, %index;\n"
      "ld.param.u64 %in, [in];\nmul.wide.u32 %offset, %index, 48;\nadd.u64 %in, %in, %offset;\n"
      "ld.param.u64 %out, [out];\nmul.wide.u32 %offset, %index, 24;\n"
      "add.u64 %out, %out, %offset;\n";
  for (std::size_t k = 0; k < instruction.source_bits.size(); ++k) {
    const char operand = static_cast<char>('a' + (k < 3 ? k : k + 1));
    text += load_operand(operand, instruction.source_bits[k], static_cast<int>(8 * k));
  }
  for (const char* const suffix : {"1", "2", "3"}) {
    text += load_operand('d', instruction.dest_bits, 32, suffix);
  }
  text += "ld.global.u32 %t, [%in+40];\nsetp.ne.u32 %go, %t, 0;\n";
  text += instruction_text(instruction, "1") + "\n";
  text += (guarded ? "@%go " : "") + instruction_text(instruction, "2") + "\n";
  text += "@!%go bra after;\n" + instruction_text(instruction, "3") + "\nafter:\n";
  text += store_result(instruction.dest_bits, "1", 0);
  text += store_result(instruction.dest_bits, "2", 8);
  text += store_result(instruction.dest_bits, "3", 16);
  return text + "ret;\n}\n";
}

[[nodiscard]] std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((1ULL << bits) - 1);
}

struct LaneOutcome {
  std::vector<std::uint64_t> results;  // kResults per lane
};

[[nodiscard]] LaneOutcome run_on(const std::string& text, const std::vector<std::byte>& input,
                                 std::size_t lanes, const Isa& isa) {
  const auto blocks = static_cast<std::uint32_t>(lanes / kLanesPerBlock);
  const auto program =
      program_of(text, {blocks, 1, 1}, {kLanesPerBlock, 1, 1},
                 {input, std::vector<std::byte>(lanes * kResults * 8)}, {}, kWarpSize, &isa);
  Machine machine(program);
  Scheduler scheduler(*program, {ScheduleKind::Sequential});
  run_to_end(machine, scheduler, nullptr);
  LaneOutcome outcome;
  outcome.results.resize(lanes * kResults);
  std::memcpy(outcome.results.data(), machine.buffer(1).data(), machine.buffer(1).size());
  for (std::uint32_t block = 0; block < blocks; ++block) {
    EXPECT_EQ(machine.block_status(block), BlockStatus::Ended) << "a lane was stopped";
  }
  return outcome;
}

}  // namespace

std::shared_ptr<const Program> program_of(const std::string& ptx, problem::Dim3 grid,
                                          problem::Dim3 block,
                                          const std::vector<std::vector<std::byte>>& buffers,
                                          const std::vector<std::uint64_t>& scalars, int warp_size,
                                          const Isa* isa, std::uint32_t dynamic_shared_bytes) {
  auto parsed = ptx::parse(ptx);
  if (!parsed) {
    throw std::runtime_error(parsed.error().message);
  }
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  std::uint32_t entry = 0;
  while (!module->functions.at(entry).is_entry) {
    ++entry;
  }
  problem::Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  for (const std::vector<std::byte>& contents : buffers) {
    problem::Buffer buffer;
    buffer.name = std::string(1, static_cast<char>('A' + launch.buffers.size()));
    buffer.contents = contents;
    launch.buffers.push_back(std::move(buffer));
  }
  const auto pack = [&](const std::vector<std::uint64_t>& addresses) {
    std::vector<std::uint64_t> words = addresses;
    words.insert(words.end(), scalars.begin(), scalars.end());
    std::vector<std::byte> bytes(words.size() * 8);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return Result<std::vector<std::byte>>(std::move(bytes));
  };
  auto program = Program::make(module, entry, std::move(launch), pack, warp_size, isa);
  if (!program) {
    throw std::runtime_error(program.error().message);
  }
  return std::move(*program);
}

namespace {

[[nodiscard]] std::vector<std::uint64_t> execute(
    const LaneInstruction& instruction, const std::vector<std::vector<std::uint64_t>>& sources,
    bool guarded) {
  const std::size_t count = sources.at(0).size();
  const std::size_t lanes = (count + kLanesPerBlock - 1) / kLanesPerBlock * kLanesPerBlock;
  std::vector<std::uint64_t> cells(lanes * kCells);
  OperandBits random(0x1234 + instruction.text.size());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      cells[lane * kCells + k] = sources[k][lane % count];
    }
    cells[lane * kCells + 4] = random.next() & (instruction.dest_bits == 1 ? 1U : ~0ULL);
    cells[lane * kCells + 5] = random.next() >> 63;
  }
  std::vector<std::byte> input(cells.size() * 8);
  std::memcpy(input.data(), cells.data(), input.size());
  const std::string text = kernel_text(instruction, guarded);
  const LaneOutcome outcome = run_on(text, input, lanes, best_isa());
  EXPECT_EQ(run_on(text, input, lanes, baseline::isa()).results, outcome.results)
      << instruction.text << ": instruction sets disagree";
  std::vector<std::uint64_t> results(count);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t* const got = outcome.results.data() + lane * kResults;
    const bool executes = cells[lane * kCells + 5] != 0;
    const std::uint64_t kept = low_bits(cells[lane * kCells + 4], instruction.dest_bits);
    EXPECT_EQ(got[1], executes || !guarded ? got[0] : kept)
        << instruction.text << " guarded, lane " << lane;
    EXPECT_EQ(got[2], executes ? got[0] : kept)
        << instruction.text << " after a branch, lane " << lane;
    results[lane % count] = got[0];
  }
  return results;
}

}  // namespace

std::vector<std::uint64_t> execute_lanes(const LaneInstruction& instruction,
                                         const std::vector<std::vector<std::uint64_t>>& sources) {
  return execute(instruction, sources, true);
}

std::vector<std::uint64_t> execute_sequence(
    const LaneInstruction& instruction, const std::vector<std::vector<std::uint64_t>>& sources) {
  return execute(instruction, sources, false);
}

std::uint64_t OperandBits::next() {
  return problem::next_random(state_);
}

std::vector<std::vector<std::uint64_t>> OperandBits::combinations(
    const std::vector<std::vector<std::uint64_t>>& special, const std::vector<int>& bits,
    std::size_t count) {
  std::vector<std::vector<std::uint64_t>> operands(bits.size(), std::vector<std::uint64_t>(count));
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t index = n;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      // The first combinations cover all pairs of special values; then special and random ones mix.
      const std::size_t values = special[k].size();
      const bool pick_special = n < values * values || next() % 3 == 0;
      const std::size_t which = n < values * values ? index % values : next() % values;
      index /= values;
      operands[k][n] = low_bits(pick_special ? special[k][which] : next(), bits[k]);
    }
  }
  return operands;
}

std::vector<std::uint64_t> special_integers(int bits) {
  const std::uint64_t top = 1ULL << (bits - 1);
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       255,
                                       top - 1,
                                       top,
                                       top + 1,
                                       ~0ULL,
                                       ~0ULL - 1,
                                       0x5555555555555555ULL};
  for (std::uint64_t& value : values) {
    value = low_bits(value, bits);
  }
  return values;
}

std::vector<std::uint64_t> special_floats() {
  return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff,
          0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
          0xffc01234, 0x7f800001, 0x3f000000, 0x40000000, 0x4b000001, 0x34000000, 0x33800000};
}

std::vector<std::uint64_t> special_doubles() {
  return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
          0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
          0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
          0x7ff8000000000000, 0x3fe0000000000000, 0x4000000000000000, 0x4340000000000001,
          0x3cb0000000000000, 0x3ca0000000000000};
}

}  // namespace tilestep::simt
