#include "cli/counters_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace tilestep::cli {
namespace {

using insight::Traffic;
using nlohmann::json;

constexpr int kCountersSchema = 1;
// Distributions with more steps than this are given by their ends and their mean only.
constexpr std::size_t kMostSteps = 256;

json machine_code_json(const std::optional<MachineCodeNote>& note) {
  return note ? json{{"architecture", note->architecture},
                     {"agrees", note->agrees},
                     {"why_not", note->why_not},
                     {"padding", note->padding}}
              : json(nullptr);
}

json global_json(const Traffic& t) {
  return {{"requests", t.requests}, {"threads", t.threads}, {"elements", t.elements},
          {"bytes", t.bytes},       {"sectors", t.sectors}, {"ideal_sectors", t.ideal_sectors}};
}

json shared_json(const Traffic& t) {
  return {{"requests", t.requests},        {"threads", t.threads},
          {"words", t.elements},           {"bytes", t.bytes},
          {"wavefronts", t.wavefronts},    {"ideal_wavefronts", t.ideal_wavefronts},
          {"bank_conflicts", t.conflicts}, {"conflict_degree", t.degree}};
}

json cost_json(const insight::Cost& cost) {
  return {{"warp_instructions", cost.instructions},
          {"thread_instructions", cost.active},
          {"thread_instructions_pred_on", cost.threads},
          {"divergence_efficiency", cost.divergence_efficiency()},
          {"predicated_efficiency", cost.predicated_efficiency()},
          {"flops", cost.flops},
          {"flops_per_requested_byte", cost.intensity_of_bytes()},
          {"flops_per_sector_byte", cost.intensity_of_sectors()},
          {"global_loads", global_json(cost.global_loads)},
          {"global_stores", global_json(cost.global_stores)},
          {"global_atomics", global_json(cost.global_atomics)},
          {"shared_loads", shared_json(cost.shared_loads)},
          {"shared_stores", shared_json(cost.shared_stores)},
          {"shared_atomics", shared_json(cost.shared_atomics)}};
}

const char* access_word(simt::AccessKind kind) {
  return kind == simt::AccessKind::Load    ? "load"
         : kind == simt::AccessKind::Store ? "store"
                                           : "atomic";
}

json method_json(const insight::Profile& profile) {
  json classes = json::array();
  for (const insight::BlockClass& c : profile.classes) {
    json where = json::array();
    for (const insight::BlockSet& set : c.where) {
      where.push_back({{"first", set.first}, {"step", set.step}, {"count", set.count}});
    }
    classes.push_back({{"blocks", c.blocks},
                       {"barriers_of_a_block", c.profile.barriers},
                       {"where", std::move(where)}});
  }
  const bool full = profile.method == insight::Method::Full;
  const bool sample = profile.method == insight::Method::Sample;
  return {{"name", full     ? "full"
                   : sample ? "sample"
                            : "representatives"},
          {"relative_error", profile.error},
          {"why_full", profile.why_full},
          {"blocks", profile.blocks},
          {"blocks_executed", profile.blocks_executed},
          {"blocks_proved", profile.blocks_proved},
          {"atomic_line", profile.atomic_line},
          {"classes", std::move(classes)}};
}

json reuse_json(const insight::Reuse& reuse) {
  json out = {{"elements", reuse.elements()},
              {"reads", reuse.reads()},
              {"min", reuse.least()},
              {"mean", reuse.mean()},
              {"max", reuse.most()}};
  if (reuse.elements_by_reads.size() <= kMostSteps) {
    json steps = json::array();
    for (const auto& [reads, elements] : reuse.elements_by_reads) {
      steps.push_back({{"reads", reads}, {"elements", elements}});
    }
    out["distribution"] = std::move(steps);
  }
  return out;
}

json buffers_json(const CountersReport& report) {
  json buffers = json::array();
  const auto costs = insight::cost_by_buffer(report.program, report.profile);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const problem::Buffer& buffer = report.program.launch().buffers[i];
    buffers.push_back({{"name", buffer.name},
                       {"rows", buffer.rows},
                       {"cols", buffer.cols},
                       {"loads", global_json(costs[i].loads)},
                       {"stores", global_json(costs[i].stores)},
                       {"atomics", global_json(costs[i].atomics)},
                       {"reads_per_element", reuse_json(report.profile.reuse[i])}});
  }
  return buffers;
}

json lines_json(const CountersReport& report) {
  json lines = json::array();
  for (const insight::LineCost& line : insight::cost_by_line(report.program, report.profile)) {
    json entry = cost_json(line.cost);
    entry["line"] = line.line;
    lines.push_back(std::move(entry));
  }
  return lines;
}

json warps_json(const CountersReport& report) {
  json warps = json::array();
  for (const insight::WarpCost& warp : insight::cost_by_warp(report.program, report.profile)) {
    json entry = cost_json(warp.cost);
    entry["class"] = warp.of_class;
    entry["warp"] = warp.warp;
    entry["blocks"] = warp.blocks;
    warps.push_back(std::move(entry));
  }
  return warps;
}

json accesses_json(const CountersReport& report) {
  json accesses = json::array();
  for (const auto& access : insight::cost_by_access(report.program, report.profile)) {
    const bool shared = access.target == insight::kSharedTarget;
    accesses.push_back(
        {{"line", access.line},
         {"instruction", access.instruction},
         {"memory", insight::target_name(report.program, access.target)},
         {"kind", access_word(access.kind)},
         {"traffic", shared ? shared_json(access.traffic) : global_json(access.traffic)}});
  }
  return accesses;
}

}  // namespace

json counters_json(const CountersReport& report) {
  const problem::Launch& launch = report.program.launch();
  const auto& size = launch.parameters.problem;
  json forms = json::array();
  for (const insight::ComparedForm& form : report.closed_forms) {
    forms.push_back({{"quantity", form.quantity},
                     {"formula", form.formula},
                     {"expected", form.expected},
                     {"counted", form.counted},
                     {"agrees", form.agrees()}});
  }
  return {{"schema", "tilestep-counters"},
          {"version", kCountersSchema},
          {"kernel", launch.id},
          {"build", report.build},
          {"machine_code", machine_code_json(report.machine_code)},
          {"M", size.M},
          {"N", size.N},
          {"K", size.K},
          {"block_size", launch.parameters.block_size},
          {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
          {"block", {launch.block.x, launch.block.y, launch.block.z}},
          {"method", method_json(report.profile)},
          {"total", cost_json(insight::total_cost(report.program, report.profile))},
          {"barriers", insight::total_barriers(report.profile)},
          {"buffers", buffers_json(report)},
          {"closed_forms", std::move(forms)},
          {"lines", lines_json(report)},
          {"warps", warps_json(report)},
          {"accesses", accesses_json(report)}};
}

std::string counters_csv(const json& counters) {
  const auto columns = [](const json& cost) {  // "global_loads.requests"
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : cost.items()) {
      if (value.is_object()) {
        for (const auto& [part, number] : value.items()) {
          all[fmt::format("{}.{}", key, part)] = number.dump();
        }
      } else if (key != "line") {
        all[key] = value.dump();
      }
    }
    return all;
  };
  std::string out = "line";
  for (const auto& [name, value] : columns(counters["total"])) {
    out += "," + name;
  }
  const auto add = [&](const std::string& line, const json& cost) {
    out += "\n" + line;
    for (const auto& [name, value] : columns(cost)) {
      out += "," + value;
    }
  };
  add("total", counters["total"]);
  for (const json& line : counters["lines"]) {
    add(line["line"].dump(), line);
  }
  return out + "\n";
}

}  // namespace tilestep::cli
