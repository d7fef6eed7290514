#include "loading/prepare.h"

#include "loading/arguments.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "ptx/sass/loops.h"
#include "ptx/sass/ptxas.h"
#include "ptx/sass/sass.h"
#include "ptx/sass/translate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::loading {
namespace {

void take_machine_code(Prepared& prepared, compile::Compiler& compiler, int architecture) {
  auto translated = as_machine_code(compiler, prepared.launch, prepared.kernel, architecture);
  if (!translated) {
    prepared.why_not_machine_code = translated.error().message;
    return;
  }
  prepared.is_machine_code = translated->agrees;
  prepared.why_not_machine_code = std::move(translated->why_not);
  prepared.padding = std::move(translated->padding);
  prepared.kernel = std::move(translated->kernel);
}

using ptx::CountedLoop;
using ptx::CubinKernel;
using ptx::find_counted_loops;
using ptx::Function;
using ptx::innermost_loop;
using ptx::Instruction;
using ptx::kNoPc;
using ptx::kPaddingOfCopies;
using ptx::mark_copy_padding;
using ptx::merge_loads;
using ptx::Module;
using ptx::Opcode;
using ptx::read_cubin;
using ptx::read_sass;
using ptx::Sass;
using ptx::SassAccess;
using ptx::SassKind;
using ptx::Space;
using ptx::unroll;

// Loads from shared memory by width: of 32, 64 and 128 bits, and others.
using Widths = std::array<std::int64_t, 4>;

std::size_t width_place(int bits) {
  return bits == 32 ? 0U : bits == 64 ? 1U : bits == 128 ? 2U : 3U;
}

Widths widths_of(const Sass& sass) {
  Widths widths{};
  for (const SassAccess& access : sass.accesses) {
    if (access.kind == SassKind::SharedLoad && !access.is_never) {
      ++widths[width_place(access.bits)];
    }
  }
  return widths;
}

// By loop: ptxas copies the body of a loop that it unrolls, with all its loads.
std::vector<Widths> widths_by_loop(const Function& function, Widths& outside) {
  std::map<std::uint32_t, Widths> loops;
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    const Instruction& instruction = function.instructions[pc];
    if (instruction.op != Opcode::Ld || instruction.space != Space::Shared) {
      continue;
    }
    const std::uint32_t loop = innermost_loop(function, pc);
    Widths& widths = loop == kNoPc ? outside : loops[loop];
    ++widths[width_place(static_cast<int>(8 * byte_size(instruction.type)) * instruction.vector)];
  }
  std::vector<Widths> all;
  for (const auto& [loop, widths] : loops) {
    all.push_back(widths);
  }
  return all;
}

// Whether `left` is the sum of the loops' loads, each loop at least once.
bool is_made_of(const Widths& left, const std::vector<Widths>& loops, std::size_t first) {
  if (std::any_of(left.begin(), left.end(), [](std::int64_t count) { return count < 0; })) {
    return false;
  }
  if (first == loops.size()) {
    return left == Widths{};
  }
  Widths less = left;
  while (true) {
    for (std::size_t w = 0; w < less.size(); ++w) {
      less[w] -= loops[first][w];
    }
    if (std::any_of(less.begin(), less.end(), [](std::int64_t count) { return count < 0; })) {
      return false;
    }
    if (is_made_of(less, loops, first + 1)) {
      return true;
    }
  }
}

bool has_widths(const Function& function, const Widths& machine_code) {
  Widths outside{};
  const std::vector<Widths> loops = widths_by_loop(function, outside);
  Widths left = machine_code;
  for (std::size_t w = 0; w < left.size(); ++w) {
    left[w] -= outside[w];
  }
  // If all loads have the same width, none was merged, however the loops were unrolled.
  Widths sum = outside;
  for (const Widths& loop : loops) {
    for (std::size_t w = 0; w < sum.size(); ++w) {
      sum[w] += loop[w];
    }
  }
  const Widths narrow{machine_code[0], 0, 0, 0};
  return (machine_code == narrow && sum == Widths{sum[0], 0, 0, 0}) || is_made_of(left, loops, 0);
}

std::string difference(const Function& function, const Widths& machine_code) {
  Widths ours{};
  for (const Widths& widths : widths_by_loop(function, ours)) {
    for (std::size_t w = 0; w < ours.size(); ++w) {
      ours[w] += widths[w];
    }
  }
  return tr(
      "The machine code has {} shared-memory loads of 32 bits, {} of 64 and {} of 128; merging the "
      "PTX's loads gives {}, {} and {}.",
      machine_code[0], machine_code[1], machine_code[2], ours[0], ours[1], ours[2]);
}

// The module with loads of these widths: unchanged, or after unrolling one of its loops, most
// bodies first.
std::optional<Module> merged_like(const Module& module, std::uint32_t entry, const Widths& widths) {
  Module merged = merge_loads(module, entry);
  if (has_widths(merged.functions[entry], widths)) {
    return merged;
  }
  for (const CountedLoop& loop : find_counted_loops(module.functions[entry])) {
    for (std::uint32_t times = loop.passes; times >= 2; --times) {
      if (times < loop.passes && times > loop.passes / 2) {
        continue;  // the same as all passes
      }
      Module unrolled = module;
      unroll(unrolled, entry, loop, times);
      merged = merge_loads(std::move(unrolled), entry);
      if (has_widths(merged.functions[entry], widths)) {
        return merged;
      }
    }
  }
  return std::nullopt;
}

constexpr Message kPaddingNotCounted =
    "Before asynchronous copies, the machine code has loads that are never executed. The hardware "
    "counts them as shared loads; they are not counted here.";

std::string padding_text(const Function& function) {
  return function.padding.empty()
             ? std::string()
             : tr("Shared loads include those that ptxas puts before asynchronous copies and that "
                  "are never executed ({} per place, {}): the hardware counts them.",
                  kPaddingOfCopies, plural(function.padding.size(), "place"));
}

}  // namespace

bool can_be_filled(const problem::Launch& launch) {
  constexpr std::uint64_t kMostContents = 96 << 20;  // bytes
  std::uint64_t bytes = 0;
  for (const problem::Buffer& buffer : launch.buffers) {
    bytes += problem::byte_count(buffer);
  }
  return bytes <= kMostContents;
}

tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler, problem::Launch launch,
                                            const PrepareOptions& options) {
  auto kernel = load_kernel(compiler, launch, options.build, options.declarations);
  TILESTEP_RETURN_IF_ERROR(kernel);
  Prepared prepared;
  prepared.launch = std::move(launch);
  prepared.kernel = std::move(*kernel);
  if (options.architecture != 0) {
    take_machine_code(prepared, compiler, options.architecture);
  }
  auto program = make_program(prepared.kernel, prepared.launch, options.warp_size);
  if (!program) {
    return tl::unexpected(
        LoadFailure{program.error(), std::move(prepared.kernel.output.diagnostics)});
  }
  prepared.program = std::move(*program);
  return prepared;
}

tl::expected<Prepared, LoadFailure> prepare(compile::Compiler& compiler,
                                            const problem::LaunchSpec& spec,
                                            const problem::Parameters& parameters,
                                            const problem::InputSpec& input,
                                            const PrepareOptions& options) {
  auto launch = problem::evaluate(spec, parameters, input, options.contents);
  if (!launch) {
    return tl::unexpected(LoadFailure{launch.error(), {}});
  }
  return prepare(compiler, std::move(*launch), options);
}

Result<std::shared_ptr<const simt::Program>> make_program(const Kernel& kernel,
                                                          const problem::Launch& launch,
                                                          int warp_size) {
  const simt::Program::PackParameters pack = [&](const std::vector<std::uint64_t>& addresses) {
    return pack_arguments(kernel, launch, addresses, machine_tensor_map);
  };
  return simt::Program::make(kernel.module, kernel.entry, launch, pack, warp_size);
}

Result<MachineCodeKernel> as_machine_code(compile::Compiler& compiler,
                                          const problem::Launch& launch, const Kernel& kernel,
                                          int architecture) {
  assert(kernel.build == compile::Build::Fast && "ptxas does not merge loads in a step build");
  Result<compile::Output> output =
      compiler.compile(compile::make_cubin_request(launch, architecture));
  TILESTEP_RETURN_IF_ERROR(output);
  if (!output->ok()) {
    return fail(tr("{} did not compile for compute capability {}.{}: {}", launch.source_name,
                   architecture / 10, architecture % 10, output->log));
  }
  const Result<CubinKernel> cubin = read_cubin(output->cubin, output->entry);
  TILESTEP_RETURN_IF_ERROR(cubin);
  if (auto translated = ptx::translate_sass(*cubin, *kernel.module, kernel.entry)) {
    MachineCodeKernel result{kernel, architecture, true, {}, {}};
    result.kernel.module = std::make_shared<const Module>(std::move(*translated));
    result.kernel.entry = 0;
    return result;
  } else if (std::getenv("TILESTEP_SASS") != nullptr) {
    return tl::unexpected(translated.error());
  }
  const Sass sass = read_sass(*cubin);
  const Widths widths = widths_of(sass);
  MachineCodeKernel result{kernel, architecture, false, {}, {}};
  if (auto merged = merged_like(*kernel.module, kernel.entry, widths)) {
    result.padding = mark_copy_padding(merged->functions[kernel.entry], sass)
                         ? padding_text(merged->functions[kernel.entry])
                         : kPaddingNotCounted.text();
    result.kernel.module = std::make_shared<const Module>(std::move(*merged));
    result.agrees = true;
  } else {
    result.why_not =
        difference(merge_loads(*kernel.module, kernel.entry).functions[kernel.entry], widths);
  }
  return result;
}

}  // namespace tilestep::loading
