// Properties, costs and errors of a whole launch.
#include "compile/request.h"
#include "course/asked.h"
#include "insight/check/finding.h"
#include "insight/occupancy/occupancy.h"
#include "problem/tr.h"
#include "ptx/sass/sass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tilestep::course {
namespace {

constexpr int kArchitecture = 90;  // the GPU of the shipped timings

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
  TILESTEP_RETURN_IF_ERROR(check);
  if (!check->has_reference) {
    return fail(tr("This launch has no expected result, so no element is correct or wrong."));
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
  TILESTEP_RETURN_IF_ERROR(check);
  TILESTEP_RETURN_IF_ERROR(word);
  const auto kind = value_of<insight::FindingKind>(word->text);
  if (!kind) {
    return fail(tr("'{}' is not a kind of finding. Kinds are {}.", word->text,
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
    return fail(tr("This finding has {} accesses of the requested kind, not exactly one: {}",
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
    return finding.element.empty() ? fail(tr("This finding has no element."))
                                   : Result<Value>(cell_value(finding.element));
  }
  if (const std::size_t dot = field.find('.'); dot != std::string::npos) {
    const auto kind = field.starts_with("load") ? simt::AccessKind::Load : simt::AccessKind::Store;
    return party_field(finding, kind, field.substr(dot + 1), program);
  }
  if (finding.parties.empty()) {
    return fail(tr("This finding has no position in the source."));
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
  TILESTEP_RETURN_IF_ERROR(check);
  TILESTEP_RETURN_IF_ERROR(index);
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
                       : fail(tr("'{}' is not an axis: write x, y or z.", axis));
}

// Numbers of the launch.
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
    return spec ? fail(tr("'{}' is not a size: write M, N, K or BLOCK_SIZE.", axis))
                : tl::unexpected(spec.error());
  }
  const auto is_allowed = [&](int value) {
    *size = value;
    const auto launch = problem::evaluate_shape(*spec, parameters);
    return launch && launch->not_on_gpu.empty();
  };
  if (!is_allowed(1) || is_allowed(kMost)) {
    return fail(tr("{} has no requirement that limits {}.", spec->id, axis));
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
    return limiters.empty() ? fail(tr("No resource limits the occupancy."))
                            : Result<Value>(text_value(word_of(limiters.front()).label.english));
  }
  return fail(
      tr("'{}' is not a value of occupancy: write blocks, warps, warps_of_block, warps_of_sm, "
         "percent, registers, shared_bytes or limiter.",
         field));
}

Result<insight::Occupancy> occupancy_of(const Asked& asked, int block_size,
                                        const insight::Architecture& sm) {
  const auto spec = spec_of(asked);
  problem::Parameters parameters = asked.at.state.parameters;
  parameters.block_size = block_size;
  const auto launch =
      spec ? problem::evaluate_shape(*spec, parameters) : tl::unexpected(spec.error());
  TILESTEP_RETURN_IF_ERROR(launch);
  const auto output =
      asked.runs.tools().compiler.compile(compile::make_cubin_request(*launch, sm.number));
  TILESTEP_RETURN_IF_ERROR(output);
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
  TILESTEP_RETURN_IF_ERROR(block_size);
  TILESTEP_RETURN_IF_ERROR(version);
  const insight::Architecture* const sm =
      insight::find_architecture(static_cast<int>(std::lround(*version * 10.0)));
  if (sm == nullptr) {
    return fail(tr("{} is not a known compute capability.", *version));
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

using insight::Traffic;

struct TrafficField {
  std::string_view name;
  std::uint64_t Traffic::*count;
};
constexpr std::array kTrafficFields = std::to_array<TrafficField>({
    {"elements", &Traffic::elements},
    {"words", &Traffic::elements},
    {"requests", &Traffic::requests},
    {"threads", &Traffic::threads},
    {"bytes", &Traffic::bytes},
    {"sectors", &Traffic::sectors},
    {"ideal_sectors", &Traffic::ideal_sectors},
    {"wavefronts", &Traffic::wavefronts},
    {"ideal_wavefronts", &Traffic::ideal_wavefronts},
    {"conflicts", &Traffic::conflicts},
    {"degree", &Traffic::degree},
});

struct KindOfAccess {
  std::string_view name;
  Traffic insight::Cost::*traffic;
};
constexpr std::array kKindsOfAccess = std::to_array<KindOfAccess>({
    {"global_loads", &insight::Cost::global_loads},
    {"global_stores", &insight::Cost::global_stores},
    {"global_atomics", &insight::Cost::global_atomics},
    {"shared_loads", &insight::Cost::shared_loads},
    {"shared_stores", &insight::Cost::shared_stores},
    {"shared_atomics", &insight::Cost::shared_atomics},
});

struct PlainCount {
  std::string_view name;
  double (*count)(const Counted&);
};
constexpr std::array kPlainCounts = std::to_array<PlainCount>({
    {"barriers", [](const Counted& c) { return static_cast<double>(c.barriers); }},
    {"barriers_per_block",
     [](const Counted& c) {
       return static_cast<double>(c.barriers) / static_cast<double>(c.blocks);
     }},
    {"flops", [](const Counted& c) { return static_cast<double>(c.total.flops); }},
    {"instructions", [](const Counted& c) { return static_cast<double>(c.total.instructions); }},
    {"flops_per_byte", [](const Counted& c) { return c.total.intensity_of_bytes(); }},
    {"flops_per_sector_byte", [](const Counted& c) { return c.total.intensity_of_sectors(); }},
    {"shared_bytes",
     [](const Counted& c) {
       return static_cast<double>(c.program->shared_bytes() +
                                  c.program->launch().dynamic_shared_bytes);
     }},
});

double sectors_per_request(const insight::AccessCost& access) {
  return access.target == insight::kSharedTarget || access.traffic.requests == 0
             ? 0.0
             : static_cast<double>(access.traffic.sectors) /
                   static_cast<double>(access.traffic.requests);
}

// The largest average over the accesses to global memory.
double most_sectors_per_request(const Counted& counted) {
  double most = 0.0;
  for (const insight::AccessCost& access : counted.accesses) {
    most = std::max(most, sectors_per_request(access));
  }
  return most;
}

// A count over a buffer's accesses, all together or of one kind.
std::optional<double> of_traffic(std::string_view what, const insight::BufferCost& cost) {
  Traffic all = cost.loads;
  all.add(cost.stores);
  all.add(cost.atomics);
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  if (what == "sectors_per_request") {
    return all.requests == 0 ? 0.0 : number(all.sectors) / number(all.requests);
  }
  return what == "loads"      ? std::optional(number(cost.loads.elements))
         : what == "stores"   ? std::optional(number(cost.stores.elements))
         : what == "atomics"  ? std::optional(number(cost.atomics.elements))
         : what == "sectors"  ? std::optional(number(all.sectors))
         : what == "requests" ? std::optional(number(all.requests))
         : what == "bytes"    ? std::optional(number(all.bytes))
                              : std::nullopt;
}

insight::BufferCost all_buffers(const Counted& counted) {
  return {counted.total.global_loads, counted.total.global_stores, counted.total.global_atomics};
}

// What one instruction adds to the count that `path` names.
double part_of_count(const Counted& counted, const insight::AccessCost& access,
                     const std::string& path) {
  if (path == "sectors_per_request.max") {
    return sectors_per_request(access);
  }
  Counted alone;
  alone.program = counted.program;
  alone.by_buffer.resize(counted.by_buffer.size());
  const auto part = [&](auto kind) { return access.kind == kind ? access.traffic : Traffic{}; };
  using enum simt::AccessKind;
  const insight::BufferCost cost{part(Load), part(Store), part(Atomic)};
  const bool is_shared = access.target == insight::kSharedTarget;
  (is_shared ? alone.total.shared_loads : alone.total.global_loads) = cost.loads;
  (is_shared ? alone.total.shared_stores : alone.total.global_stores) = cost.stores;
  (is_shared ? alone.total.shared_atomics : alone.total.global_atomics) = cost.atomics;
  if (access.target < alone.by_buffer.size()) {
    alone.by_buffer[access.target] = cost;
  }
  return count_at(alone, path).value_or(0.0);
}

Error no_count(const Counted& counted, const std::string& path) {
  std::vector<std::string> buffers;
  for (const problem::Buffer& buffer : counted.program->launch().buffers) {
    buffers.push_back(buffer.name);
  }
  std::vector<std::string_view> plain;
  for (const PlainCount& count : kPlainCounts) {
    plain.push_back(count.name);
  }
  return {
      tr("There is no count '{}'. Counts are loads, stores, atomics, sectors, requests, bytes and "
         "sectors_per_request, each also for {} (loads.{}); sectors_per_request.max; global_loads, "
         "global_stores, shared_loads and shared_stores, each with .words, .requests, .sectors, "
         ".wavefronts, .conflicts or .degree; {}.",
         path, fmt::join(buffers, ", "), buffers.empty() ? "A" : buffers.front(),
         fmt::join(plain, ", "))};
}

}  // namespace

std::span<const AnswerOf> launch_answers() {
  return kLaunchAnswers;
}

Result<Value> error_answer(const Asked& asked, bool average) {
  const auto& check = asked.run().fast_check();
  TILESTEP_RETURN_IF_ERROR(check);
  if (!check->has_reference) {
    return fail(tr("This launch has no expected result, so there is no error."));
  }
  return number_value(average ? check->comparison.average_rel_error
                              : check->comparison.max_rel_error);
}

Result<double> count_at(const Counted& counted, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  const std::string tail = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (tail.empty()) {
    for (const PlainCount& count : kPlainCounts) {
      if (count.name == head) {
        return count.count(counted);
      }
    }
    const auto of_all = of_traffic(head, all_buffers(counted));
    return of_all ? Result<double>(*of_all) : tl::unexpected(no_count(counted, path));
  }
  for (const KindOfAccess& kind : kKindsOfAccess) {
    const auto field = std::ranges::find(kTrafficFields, tail, &TrafficField::name);
    if (kind.name == head && field != kTrafficFields.end()) {
      return static_cast<double>((counted.total.*kind.traffic).*(field->count));
    }
  }
  if (path == "sectors_per_request.max") {
    return most_sectors_per_request(counted);
  }
  const auto& buffers = counted.program->launch().buffers;
  const auto buffer = std::ranges::find(buffers, tail, &problem::Buffer::name);
  if (buffer != buffers.end()) {
    const auto index = static_cast<std::size_t>(buffer - buffers.begin());
    if (const auto number = of_traffic(head, counted.by_buffer[index])) {
      return *number;
    }
  }
  return tl::unexpected(no_count(counted, path));
}

std::uint32_t line_of_count(const Counted& counted, const std::string& path) {
  if (path.starts_with("barriers")) {
    return counted.barrier_line;
  }
  if (std::ranges::count(kPlainCounts, path, &PlainCount::name) > 0) {
    return 0;  // of no access
  }
  std::map<std::uint32_t, double> lines;
  for (const insight::AccessCost& access : counted.accesses) {
    lines[access.line] += part_of_count(counted, access, path);
  }
  const auto most =
      std::ranges::max_element(lines, {}, [](const auto& line) { return line.second; });
  return most == lines.end() || !(most->second > 0.0) ? 0 : most->first;
}

}  // namespace tilestep::course
