#include "course/launch_answers.h"

#include "compile/request.h"
#include "course/counter_path.h"
#include "insight/check/finding.h"
#include "insight/occupancy/occupancy.h"
#include "problem/tr.h"
#include "ptx/sass/sass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tilestep::course {
namespace {

constexpr int kArchitecture = 90;  // of the GPU of the shipped timings

Result<Value> loads_answer(const Asked& asked) {
  const auto& uses = asked.run().uses(name_of(asked, 0));
  return uses ? Result<Value>(number_value(static_cast<double>(uses->loads.size())))
              : tl::unexpected(uses.error());
}

Result<Value> products_answer(const Asked& asked) {
  const auto& uses = asked.run().uses(name_of(asked, 0));
  return uses ? Result<Value>(number_value(static_cast<double>(uses->products.size())))
              : tl::unexpected(uses.error());
}

Result<Value> count_with(const Asked& asked, int architecture) {
  const auto& counted = asked.run().counted(architecture);
  const auto number =
      counted ? count_at(*counted, name_of(asked, 0)) : tl::unexpected(counted.error());
  return number ? Result<Value>(number_value(*number)) : tl::unexpected(number.error());
}
Result<Value> count_answer(const Asked& asked) {
  return count_with(asked, 0);
}
Result<Value> machine_count_answer(const Asked& asked) {
  return count_with(asked, kArchitecture);
}

Result<Value> wrong_answer(const Asked& asked) {
  const auto& check = asked.run().check();
  if (!check) {
    return tl::unexpected(check.error());
  }
  if (!check->has_reference) {
    return fail(
        tr("Nothing says what this launch's result should be, so nothing is wrong or right."));
  }
  return number_value(static_cast<double>(check->comparison.wrong));
}

Result<Value> findings_answer(const Asked& asked) {
  const auto& check = asked.run().check();
  return check ? Result<Value>(number_value(static_cast<double>(check->findings.size())))
               : tl::unexpected(check.error());
}

Result<Value> found_answer(const Asked& asked) {
  const auto& check = asked.run().check();
  const auto word = evaluate(asked, *arguments_of(asked.call).front());
  if (!check || !word) {
    return tl::unexpected(check ? word.error() : check.error());
  }
  const auto kind = value_of<insight::FindingKind>(word->text);
  if (!kind) {
    return fail(tr("'{}' is no kind of finding. Kinds are {}.", word->text,
                   alternatives(file_words<insight::FindingKind>())));
  }
  return number_value(
      static_cast<double>(std::ranges::count(check->findings, *kind, &insight::Finding::kind)));
}

// "load.line", "store.thread": of the only party that loads, or stores.
Result<Value> party_field(const insight::Finding& finding, simt::AccessKind kind,
                          const std::string& field, const simt::Program& program) {
  const auto is_it = [kind](const insight::Party& party) { return party.access == kind; };
  if (std::ranges::count_if(finding.parties, is_it) != 1) {
    return fail(tr("This finding has {} parties of that kind, not one: {}",
                   std::ranges::count_if(finding.parties, is_it), finding.sentence));
  }
  const insight::Party& party = *std::ranges::find_if(finding.parties, is_it);
  const problem::Launch& launch = program.launch();
  return field == "line"
             ? line_value(party.line)
             : thread_value(program, static_cast<std::uint32_t>(launch.grid.linear(party.block)),
                            static_cast<std::uint32_t>(launch.block.linear(party.thread)));
}

Result<Value> finding_field(const insight::Finding& finding, const std::string& field,
                            const simt::Program& program) {
  if (field == "kind") {
    return text_value(std::string(word_of(finding.kind).file));
  }
  if (field == "variable") {
    return text_value(finding.variable);
  }
  if (field == "sentence") {
    return text_value(finding.sentence);
  }
  if (field == "occurrences") {
    return number_value(static_cast<double>(finding.occurrences));
  }
  if (field == "element") {
    return finding.element.empty() ? fail(tr("This finding is about no element."))
                                   : Result<Value>(cell_value(finding.element));
  }
  if (const std::size_t dot = field.find('.'); dot != std::string::npos) {
    const auto kind = field.starts_with("load") ? simt::AccessKind::Load : simt::AccessKind::Store;
    return party_field(finding, kind, field.substr(dot + 1), program);
  }
  if (finding.parties.empty()) {
    return fail(tr("This finding has no place in the text."));
  }
  const insight::Party& last = finding.parties.back();
  return field == "line"
             ? line_value(last.line)
             : thread_value(program,
                            static_cast<std::uint32_t>(program.launch().grid.linear(last.block)),
                            static_cast<std::uint32_t>(program.launch().block.linear(last.thread)));
}

Result<Value> finding_answer(const Asked& asked) {
  const auto& check = asked.run().check();
  const auto index = whole_number_of(asked, 0);
  if (!check || !index) {
    return tl::unexpected(check ? index.error() : check.error());
  }
  if (*index < 0 || static_cast<std::size_t>(*index) >= check->findings.size()) {
    return fail(tr("There is no finding {}: this launch has {}, counted from 0.", *index,
                   check->findings.size()));
  }
  return finding_field(check->findings[static_cast<std::size_t>(*index)], asked.field,
                       *asked.run().prepared()->program);
}

Result<Value> axis_of(const problem::Dim3& dim, const std::string& axis) {
  return axis == "x"   ? Result<Value>(number_value(dim.x))
         : axis == "y" ? Result<Value>(number_value(dim.y))
         : axis == "z" ? Result<Value>(number_value(dim.z))
                       : fail(tr("'{}' is no axis: x, y or z.", axis));
}

// Of the launch, as numbers.
template <class F>
Result<Value> of_launch(const Asked& asked, F&& f) {
  const auto& prepared = asked.run().prepared();
  return prepared ? Result<Value>(f(prepared->launch)) : tl::unexpected(prepared.error());
}

Result<Value> grid_answer(const Asked& asked) {
  return of_launch(asked,
                   [&](const auto& launch) { return axis_of(launch.grid, name_of(asked, 0)); });
}
Result<Value> block_answer(const Asked& asked) {
  return of_launch(asked,
                   [&](const auto& launch) { return axis_of(launch.block, name_of(asked, 0)); });
}
Result<Value> blocks_answer(const Asked& asked) {
  return of_launch(asked, [](const auto& launch) {
    return number_value(static_cast<double>(launch.grid.count()));
  });
}
Result<Value> threads_answer(const Asked& asked) {
  return of_launch(asked, [](const auto& launch) {
    return number_value(static_cast<double>(launch.grid.count() * launch.block.count()));
  });
}
Result<Value> idle_lanes_answer(const Asked& asked) {
  return of_launch(asked, [&](const auto& launch) {
    const auto size = static_cast<std::uint64_t>(asked.at.state.warp_size);
    const std::uint64_t threads = launch.block.count();
    const std::uint64_t in_last = threads % size;
    return number_value(in_last == 0 ? 0.0 : static_cast<double>(size - in_last));
  });
}

Result<problem::LaunchSpec> spec_of(const Asked& asked) {
  auto spec = problem::find_spec(asked.runs.tools().catalog, asked.at.state.kernel);
  if (spec && !asked.at.state.edited_source.empty()) {
    spec->source = asked.at.state.edited_source;
  }
  return spec;
}

// The largest size that a requirement of the kernel allows.
Result<Value> largest_launch_answer(const Asked& asked) {
  constexpr int kMost = 1 << 16;
  const std::string& axis = name_of(asked, 0);
  problem::Parameters parameters = asked.at.state.parameters;
  int* const size = axis == "M"            ? &parameters.problem.M
                    : axis == "N"          ? &parameters.problem.N
                    : axis == "K"          ? &parameters.problem.K
                    : axis == "BLOCK_SIZE" ? &parameters.block_size
                                           : nullptr;
  const auto spec = spec_of(asked);
  if (size == nullptr || !spec) {
    return spec ? fail(tr("'{}' is no size: M, N, K or BLOCK_SIZE.", axis))
                : tl::unexpected(spec.error());
  }
  const auto is_allowed = [&](int value) {
    *size = value;
    const auto launch = problem::evaluate_shape(*spec, parameters);
    return launch && launch->not_on_gpu.empty();
  };
  if (!is_allowed(1) || is_allowed(kMost)) {
    return fail(tr("No requirement of {} says how large {} may be.", spec->id, axis));
  }
  int allowed = 1;
  for (int refused = kMost; refused - allowed > 1;) {
    const int middle = (allowed + refused) / 2;
    (is_allowed(middle) ? allowed : refused) = middle;
  }
  return number_value(allowed);
}

Result<Value> occupancy_field(const insight::Occupancy& occupancy, const std::string& field) {
  const auto limiters = occupancy.limiters();
  const std::array<std::pair<const char*, double>, 7> numbers{{
      {"blocks", occupancy.blocks},
      {"warps", occupancy.warps()},
      {"warps_of_block", occupancy.warps_of_block},
      {"warps_of_sm", occupancy.warps_of_sm},
      {"percent", 100.0 * occupancy.share()},
      {"registers", occupancy.needs.registers},
      {"shared_bytes", occupancy.needs.shared_bytes},
  }};
  for (const auto& [name, number] : numbers) {
    if (field == name) {
      return number_value(number);
    }
  }
  if (field == "limiter") {
    return limiters.empty() ? fail(tr("Nothing limits it."))
                            : Result<Value>(text_value(word_of(limiters.front()).label.english));
  }
  return fail(
      tr("'{}' is nothing that occupancy tells: blocks, warps, warps_of_block, "
         "warps_of_sm, percent, registers, shared_bytes or limiter.",
         field));
}

Result<insight::Occupancy> occupancy_of(const Asked& asked, int block_size,
                                        const insight::Architecture& sm) {
  const auto spec = spec_of(asked);
  problem::Parameters parameters = asked.at.state.parameters;
  parameters.block_size = block_size;
  const auto launch =
      spec ? problem::evaluate_shape(*spec, parameters) : tl::unexpected(spec.error());
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  const auto output =
      asked.runs.tools().compiler.compile(compile::make_cubin_request(*launch, sm.number));
  if (!output) {
    return tl::unexpected(output.error());
  }
  if (!output->ok()) {
    return fail(
        tr("{} does not compile for compute capability {}.", spec->source_name, sm.version()));
  }
  const auto kernel = ptx::read_cubin(output->cubin, output->entry);
  return kernel ? Result<insight::Occupancy>(
                      insight::occupancy(insight::needs_of(*kernel, *launch), sm))
                : tl::unexpected(kernel.error());
}

// occupancy(BLOCK_SIZE, FIELD), occupancy(BLOCK_SIZE, FIELD, 8.6)
Result<Value> occupancy_answer(const Asked& asked) {
  const auto block_size = whole_number_of(asked, 0);
  const auto version =
      argument_count(asked) > 2 ? number_of(asked, 2) : Result<double>(kArchitecture / 10.0);
  if (!block_size || !version) {
    return tl::unexpected(block_size ? version.error() : block_size.error());
  }
  const insight::Architecture* const sm =
      insight::find_architecture(static_cast<int>(std::lround(*version * 10.0)));
  if (sm == nullptr) {
    return fail(tr("{} is no compute capability that is known here.", *version));
  }
  const auto occupancy = occupancy_of(asked, *block_size, *sm);
  return occupancy ? occupancy_field(*occupancy, name_of(asked, 1))
                   : tl::unexpected(occupancy.error());
}

constexpr std::array kLaunchAnswers =
    std::to_array<AnswerOf>({{"loads", loads_answer},
                             {"products", products_answer},
                             {"count", count_answer},
                             {"machine_count", machine_count_answer},
                             {"wrong", wrong_answer},
                             {"findings", findings_answer},
                             {"found", found_answer},
                             {"finding", finding_answer},
                             {"grid", grid_answer},
                             {"block", block_answer},
                             {"blocks", blocks_answer},
                             {"threads", threads_answer},
                             {"idle_lanes", idle_lanes_answer},
                             {"largest_launch", largest_launch_answer},
                             {"occupancy", occupancy_answer}});

}  // namespace

std::span<const AnswerOf> launch_answers() {
  return kLaunchAnswers;
}

Result<Value> error_answer(const Asked& asked, bool average) {
  const auto& check = asked.run().fast_check();
  if (!check) {
    return tl::unexpected(check.error());
  }
  if (!check->has_reference) {
    return fail(tr("Nothing says what this launch's result should be, so there is no error."));
  }
  return number_value(average ? check->comparison.average_rel_error
                              : check->comparison.max_rel_error);
}

}  // namespace tilestep::course
