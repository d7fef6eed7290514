// Instructions on a GPU and on our machine, bit by bit, for special values in all combinations and
// for random ones; skipped without a GPU.
//
// Approximate instructions may differ by the manual's bounds (PTX ISA 9.0, 9.7.3).
#include "gpu/device.h"
#include "gpu/instruction_cases.h"
#include "simt/machine/schedule.h"
#include "simt/ptx_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tilestep {
namespace {

constexpr std::uint32_t kThreads = 1024;
constexpr std::uint32_t kBlocks = 8;
constexpr std::size_t kSources = 4;
constexpr std::size_t kExamples = 12;

using test::Approximate;
using test::Case;
using test::kApproximate;
using test::kExact;

std::string declared(char kind, const std::string& name) {
  switch (kind) {
    case 'p':
      return "  .reg .pred " + name + ";\n";
    case 'h':
      return "  .reg .b16 " + name + ";\n";
    case 'f':
      return "  .reg .f32 " + name + ";\n";
    case 'x':
      return "  .reg .f64 " + name + ";\n";
    case 'd':
      return "  .reg .b64 " + name + ";\n";
    default:
      return "  .reg .b32 " + name + ";\n";
  }
}

std::string type_of(char kind) {
  switch (kind) {
    case 'h':
      return "b16";
    case 'd':
      return "b64";
    case 'x':
      return "f64";
    case 'f':
      return "f32";
    default:
      return "b32";
  }
}

// Thread i reads its sources from cells of 8 bytes, kSources per thread, and stores one result.
std::string kernel_of(const Case& instruction) {
  std::string text =
      ".version 8.1\n.target sm_90\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 in, .param .u64 out)\n{\n"
      "  .reg .b64 %in, %out, %at;\n  .reg .b32 %i, %n;\n";
  text += declared(instruction.dest, "%D");
  const std::string names = "ABCE";
  const std::string sources = instruction.sources;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    text += declared(sources[k], "%" + names.substr(k, 1));
  }
  text +=
      "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n"
      "  mov.u32 %i, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n  mul.lo.u32 %n, %n, %i;\n"
      "  mov.u32 %i, %tid.x;\n  add.u32 %i, %i, %n;\n"
      "  mul.wide.u32 %at, %i, 32;\n  add.u64 %in, %in, %at;\n"
      "  mul.wide.u32 %at, %i, 8;\n  add.u64 %out, %out, %at;\n";
  for (std::size_t k = 0; k < sources.size(); ++k) {
    text += "  ld.global." + type_of(sources[k]) + " %" + names.substr(k, 1) + ", [%in+" +
            std::to_string(8 * k) + "];\n";
  }
  std::string body = instruction.text;
  for (std::size_t at = body.find('$'); at != std::string::npos; at = body.find('$', at)) {
    const std::string name(1, static_cast<char>(std::toupper(body[at + 1])));
    body.replace(at, 2, "%" + name);
  }
  text += "  " + body + "\n";
  text += instruction.dest == 'p' ? "  selp.b32 %i, 1, 0, %D;\n  st.global.b32 [%out], %i;\n"
                                  : "  st.global." + type_of(instruction.dest) + " [%out], %D;\n";
  return text + "  ret;\n}\n";
}

std::uint64_t half_of(std::uint64_t bits) {
  return bits >> 16 & 0xffff;  // of a float: a bfloat16, and some value for an f16
}

// NaNs with payloads, quiet and signaling.
std::vector<std::uint64_t> nans(char kind) {
  switch (kind) {
    case 'f':
      return {0x7f800001, 0xffc12345, 0x7fa54321, 0xffbfffff};
    case 'x':
      return {0x7ff0000000000001, 0xfff8123456789abc, 0x7ff4321000054321, 0xfff7ffffffffffff};
    case 'h':
      return {0x7c01, 0xfe12, 0x7d34, 0xff81, 0x7f91};
    default:
      return {};
  }
}

// Special values of each source in all combinations, then random bits.
std::vector<std::uint64_t> operands_of(const Case& instruction) {
  const std::string sources = instruction.sources;
  std::vector<std::vector<std::uint64_t>> special;
  std::vector<int> bits;
  for (const char kind : sources) {
    const bool is_long = kind == 'd' || kind == 'x';
    std::vector<std::uint64_t> values = kind == 'f'   ? simt::special_floats()
                                        : kind == 'x' ? simt::special_doubles()
                                        : kind == 'h' ? simt::special_floats()
                                                      : simt::special_integers(is_long ? 64 : 32);
    if (kind == 'h') {
      std::transform(values.begin(), values.end(), values.begin(), half_of);
    }
    const std::vector<std::uint64_t> more = nans(kind);
    values.insert(values.end(), more.begin(), more.end());
    special.push_back(std::move(values));
    bits.push_back(is_long ? 64 : kind == 'h' ? 16 : 32);
  }
  simt::OperandBits random(std::hash<std::string>{}(instruction.text));
  const auto columns = random.combinations(special, bits, std::size_t{kThreads} * kBlocks);
  std::vector<std::uint64_t> cells(std::size_t{kThreads} * kBlocks * kSources);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (std::size_t i = 0; i < std::size_t{kThreads} * kBlocks; ++i) {
      cells[i * kSources + k] = columns[k].at(i);
    }
  }
  return cells;
}

std::vector<std::uint64_t> on_machine(const std::string& ptx,
                                      const std::vector<std::uint64_t>& operands) {
  std::vector<std::byte> in(operands.size() * 8);
  std::memcpy(in.data(), operands.data(), in.size());
  const auto program =
      simt::program_of(ptx, {kBlocks, 1, 1}, {kThreads, 1, 1},
                       {in, std::vector<std::byte>(std::size_t{kThreads} * kBlocks * 8)});
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  simt::run_to_end(machine, scheduler, nullptr);
  std::vector<std::uint64_t> out(machine.buffer(1).size() / 8);
  std::memcpy(out.data(), machine.buffer(1).data(), machine.buffer(1).size());
  return out;
}

double value_of(std::uint64_t bits, char kind) {
  if (kind == 'h') {  // f16
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = static_cast<double>(bits & 1023);
    const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                             : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                              : std::ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// Distance in units of the last place of the smaller one.
double ulps_between(std::uint64_t a, std::uint64_t b, char kind) {
  const double x = value_of(a, kind);
  const double y = value_of(b, kind);
  if (a == b || (std::isnan(x) && std::isnan(y)) || x == y) {
    return 0;
  }
  if (!std::isfinite(x) || !std::isfinite(y)) {
    return INFINITY;
  }
  const int digits = kind == 'h' ? 10 : 23;
  const int lowest = kind == 'h' ? -14 : -126;
  const double least = std::min(std::abs(x), std::abs(y));
  const int exponent = least == 0 ? lowest : std::max(std::ilogb(least), lowest);
  return std::abs(x - y) / std::ldexp(1.0, exponent - digits);
}

TEST(InstructionsOfTheComparison, AreAllSimulated) {
  struct Faults : simt::Observer {
    std::string detail;
    void on_fault(const simt::StepInfo&, const simt::FaultEvent& fault) override {
      detail += fault.detail;
    }
  };
  const auto run = [](const Case& instruction) {
    const auto program = simt::program_of(
        kernel_of(instruction), {1, 1, 1}, {32, 1, 1},
        {std::vector<std::byte>(32 * kSources * 8), std::vector<std::byte>(std::size_t{32} * 8)});
    simt::Machine machine(program);
    simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
    Faults faults;
    simt::run_to_end(machine, scheduler, &faults);
    EXPECT_EQ(faults.detail, "") << instruction.text;
  };
  for (const Case& instruction : kExact) {
    run(instruction);
  }
  for (const Approximate& approximate : kApproximate) {
    run(approximate.instruction);
  }
}

class Instructions : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = gpu::Device::open();
    if (!opened) {
      GTEST_SKIP() << "skipped: " << opened.error().message;
    }
    device = std::move(*opened);
  }

  std::vector<std::uint64_t> on_gpu(const std::string& ptx,
                                    const std::vector<std::uint64_t>& operands) {
    const auto kernel = device->load(ptx, "kernel");
    if (!kernel) {
      ADD_FAILURE() << kernel.error().message << "\n" << ptx;
      return {};
    }
    gpu::Buffer in = device->make_buffer(operands.size() * 8);
    gpu::Buffer out = device->make_buffer(std::size_t{kThreads} * kBlocks * 8);
    in.write(std::as_bytes(std::span(operands)));
    out.fill(std::byte{0});
    const std::uint64_t arguments[] = {in.address(), out.address()};
    device->launch(*kernel, {{kBlocks, 1, 1}, {kThreads, 1, 1}, 0},
                   std::as_bytes(std::span(arguments)));
    const std::vector<std::byte> bytes = out.read();
    std::vector<std::uint64_t> result(bytes.size() / 8);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }

  std::unique_ptr<gpu::Device> device;
};

TEST_F(Instructions, GiveTheSameBitsOnAGpu) {
  for (const Case& instruction : kExact) {
    const std::string ptx = kernel_of(instruction);
    const auto operands = operands_of(instruction);
    const auto wanted = on_gpu(ptx, operands);
    const auto got = on_machine(ptx, operands);
    std::size_t different = 0;
    std::ostringstream examples;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (got[i] != wanted[i] && ++different <= kExamples) {
        examples << std::hex << "\n  of";
        for (std::size_t k = 0; k < std::strlen(instruction.sources); ++k) {
          examples << " 0x" << operands[i * kSources + k];
        }
        examples << " the GPU makes 0x" << wanted[i] << ", we 0x" << got[i];
      }
    }
    EXPECT_EQ(different, 0U) << instruction.text << examples.str();
  }
}

TEST_F(Instructions, ThatApproximateAreAsNearAsTheManualSays) {
  for (const auto& [instruction, ulps] : kApproximate) {
    const std::string ptx = kernel_of(instruction);
    const auto operands = operands_of(instruction);
    const auto wanted = on_gpu(ptx, operands);
    const auto got = on_machine(ptx, operands);
    double worst = 0;
    std::size_t at = 0;
    std::size_t beyond = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double distance = ulps_between(got[i], wanted[i], instruction.dest);
      at = distance > worst ? i : at;
      worst = std::max(worst, distance);
      beyond += distance > ulps ? 1 : 0;
    }
    EXPECT_EQ(beyond, 0U) << instruction.text << " differs by up to " << worst << " ulp, at 0x"
                          << std::hex << operands[at * kSources] << ": GPU 0x" << wanted.at(at)
                          << ", we 0x" << got.at(at);
    RecordProperty(instruction.text, std::to_string(worst));
  }
}

}  // namespace
}  // namespace tilestep
