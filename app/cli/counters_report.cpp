#include "cli/counters_report.h"

#include "cli/output.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace tilestep::cli {
namespace {

using insight::Cost;
using insight::Traffic;

constexpr std::size_t kMostSets = 4;  // sets listed per class of blocks
constexpr std::size_t kMostClasses = 12;

std::string of_ideal(std::uint64_t actual, std::uint64_t ideal) {
  return actual == 0 ? "-" : tr("{} (ideal {})", grouped(actual), grouped(ideal));
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100.0 * share);
}

std::string kernel_text(const CountersReport& report) {
  const Cost total = insight::total_cost(report.program, report.profile);
  std::string out = tr(
      "  {} warp instructions, {} barriers\n  divergence efficiency {}, not predicated off {}\n  "
      "{} flops; {:.3f} per requested byte, {:.3f} per byte of the sectors\n\n",
      grouped(total.instructions), grouped(insight::total_barriers(report.profile)),
      percent(total.divergence_efficiency()), percent(total.predicated_efficiency()),
      grouped(total.flops), total.intensity_of_bytes(), total.intensity_of_sectors());
  Table table({"", tr("requests"), tr("bytes"), tr("sectors"), tr("wavefronts"), tr("conflicts"),
               tr("degree")});
  const auto add = [&](const char* name, const Traffic& t) {
    if (t.requests != 0) {
      table.add({name, grouped(t.requests), grouped(t.bytes), of_ideal(t.sectors, t.ideal_sectors),
                 of_ideal(t.wavefronts, t.ideal_wavefronts), grouped(t.conflicts),
                 t.degree == 0 ? "-" : grouped(t.degree)});
    }
  };
  add(tr("global loads"), total.global_loads);
  add(tr("global stores"), total.global_stores);
  add(tr("global atomics"), total.global_atomics);
  add(tr("shared loads"), total.shared_loads);
  add(tr("shared stores"), total.shared_stores);
  add(tr("shared atomics"), total.shared_atomics);
  return out + table.text();
}

std::string buffers_text(const CountersReport& report) {
  Table table({tr("matrix"), tr("loads"), tr("stores"), tr("sectors"), tr("reads per element")});
  const auto costs = insight::cost_by_buffer(report.program, report.profile);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Traffic all = costs[i].loads;
    all.add(costs[i].stores);
    all.add(costs[i].atomics);
    const insight::Reuse& reuse = report.profile.reuse[i];
    table.add({report.program.launch().buffers[i].name,
               grouped(costs[i].loads.elements + costs[i].atomics.elements),
               grouped(costs[i].stores.elements + costs[i].atomics.elements),
               of_ideal(all.sectors, all.ideal_sectors),
               reuse.elements() == 0 ? tr("not computed")
                                     : tr("{} to {}, {:.2f} on average", grouped(reuse.least()),
                                          grouped(reuse.most()), reuse.mean())});
  }
  return table.text();
}

std::string forms_text(const CountersReport& report) {
  Table table({tr("closed form"), "", tr("expected"), tr("counted"), ""});
  for (const insight::ComparedForm& form : report.closed_forms) {
    table.add({form.quantity, form.formula,
               grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, form.expected))),
               grouped(form.counted), form.agrees() ? "=" : "differs"});
  }
  return table.empty() ? std::string() : "\n" + table.text();
}

std::string blocks_text(const insight::BlockSet& set) {
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  std::string out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t last = set.first[i] + (set.count[i] - 1) * set.step[i];
    if (i == 2 && last == 0) {
      continue;
    }
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", kAxes[i], set.first[i]);
    if (set.count[i] > 1) {
      out += tr(" to {}", last);
    }
    if (set.step[i] > 1) {
      out += tr(" in steps of {}", set.step[i]);
    }
  }
  return out;
}

std::string lonely_text(const insight::Profile& profile) {
  if (profile.atomic_line == 0) {
    return "";
  }
  return tr(
      " Each sampled block ran alone: line {} returned the value that the first block gets, so "
      "work that only later blocks do is not counted.",
      profile.atomic_line);
}

std::string method_text(const insight::Profile& profile) {
  if (profile.method == insight::Method::Full) {
    return tr("Counted by executing all {} blocks{}.\n", grouped(profile.blocks),
              profile.why_full.empty() ? "" : ": " + profile.why_full);
  }
  if (profile.method == insight::Method::Sample && profile.blocks_proved > 0) {
    return tr(
        "{} of {} blocks are counted exactly. The other {} are estimated; in all, {} blocks are "
        "executed. The error is ±{:.1f}% (twice the standard error). It could not be proved which "
        "of the other blocks are equivalent: {}.{} --all-blocks counts every block.\n",
        grouped(profile.blocks_proved), grouped(profile.blocks),
        grouped(profile.blocks - profile.blocks_proved), grouped(profile.blocks_executed),
        100.0 * profile.error, profile.why_full, lonely_text(profile));
  }
  if (profile.method == insight::Method::Sample) {
    return tr(
        "Estimated from {} of {} blocks, ±{:.1f}% (twice the standard error). It could not be "
        "proved which blocks are equivalent: {}.{} --all-blocks counts every block.\n",
        grouped(profile.blocks_executed), grouped(profile.blocks), 100.0 * profile.error,
        profile.why_full, lonely_text(profile));
  }
  std::string out = tr(
      "Counted by executing {} of {} blocks; each represents the blocks proved equivalent to it.\n",
      grouped(profile.blocks_executed), grouped(profile.blocks));
  for (std::size_t c = 0; c < std::min(profile.classes.size(), kMostClasses); ++c) {
    const insight::BlockClass& of = profile.classes[c];
    out += of.blocks == 1 ? tr("  class {}: {} block, blockIdx ", c, grouped(of.blocks))
                          : tr("  class {}: {} blocks, blockIdx ", c, grouped(of.blocks));
    for (std::size_t s = 0; s < std::min(of.where.size(), kMostSets); ++s) {
      out += fmt::format("{}{}", s == 0 ? "" : "; ", blocks_text(of.where[s]));
    }
    out += of.where.size() > kMostSets ? tr("; and {} more ranges\n", of.where.size() - kMostSets)
                                       : "\n";
  }
  if (profile.classes.size() > kMostClasses) {
    out += tr("  and {} more classes (--json lists them)\n", profile.classes.size() - kMostClasses);
  }
  return out;
}

std::vector<std::string> cost_cells(const Cost& cost) {
  const Traffic global = cost.global();
  const Traffic shared = cost.shared();
  return {grouped(cost.instructions),
          percent(cost.divergence_efficiency()),
          grouped(cost.flops),
          grouped(global.requests),
          of_ideal(global.sectors, global.ideal_sectors),
          grouped(shared.requests),
          of_ideal(shared.wavefronts, shared.ideal_wavefronts),
          shared.degree == 0 ? "-" : grouped(shared.degree)};
}

Table cost_table(std::string first) {
  return Table({std::move(first), tr("instructions"), tr("efficiency"), tr("flops"), tr("global"),
                tr("sectors"), tr("shared"), tr("wavefronts"), tr("degree")});
}

void add_cost(Table& table, std::string name, const Cost& cost) {
  std::vector<std::string> row{std::move(name)};
  const std::vector<std::string> cells = cost_cells(cost);
  row.insert(row.end(), cells.begin(), cells.end());
  table.add(std::move(row));
}

std::string lines_text(const CountersReport& report) {
  Table table = cost_table(tr("line"));
  for (const insight::LineCost& line : insight::cost_by_line(report.program, report.profile)) {
    add_cost(table, line.line == 0 ? tr("none") : fmt::format("{}", line.line), line.cost);
  }
  return table.text();
}

std::string warps_text(const CountersReport& report) {
  Table table = cost_table(tr("warp"));
  for (const insight::WarpCost& warp : insight::cost_by_warp(report.program, report.profile)) {
    add_cost(table,
             tr("{} of a block of class {} ({}×)", warp.warp, warp.of_class, grouped(warp.blocks)),
             warp.cost);
  }
  return table.text();
}

std::string accesses_text(const CountersReport& report) {
  Table table({tr("access"), tr("memory"), tr("line"), tr("requests"), tr("bytes"), tr("sectors"),
               tr("wavefronts"), tr("degree")});
  for (const auto& access : insight::cost_by_access(report.program, report.profile)) {
    const Traffic& t = access.traffic;
    table.add({access.instruction, insight::target_name(report.program, access.target),
               fmt::format("{}", access.line), grouped(t.requests), grouped(t.bytes),
               of_ideal(t.sectors, t.ideal_sectors), of_ideal(t.wavefronts, t.ideal_wavefronts),
               t.degree == 0 ? "-" : grouped(t.degree)});
  }
  return table.text();
}

std::string machine_code_text(const std::optional<MachineCodeNote>& note) {
  if (!note) {
    return {};
  }
  return note->agrees ? tr("Counted by executing the machine code for compute capability {}.\n{}{}",
                           note->architecture, note->padding, note->padding.empty() ? "" : "\n")
                      : tr("Counted from the PTX, not from the machine code for compute "
                           "capability {}: {}\n",
                           note->architecture, note->why_not);
}

using nlohmann::json;

constexpr int kCountersSchema = 1;
// Longer distributions are shown only by their ends and their mean.
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

std::string counters_text(const CountersReport& report, CountersBy by) {
  std::string out = report.headline + "\n" + machine_code_text(report.machine_code) + "\n";
  switch (by) {
    case CountersBy::Kernel:
      out += kernel_text(report) + "\n" + buffers_text(report) + forms_text(report);
      break;
    case CountersBy::Line:
      out += lines_text(report);
      break;
    case CountersBy::Warp:
      out += warps_text(report);
      break;
    case CountersBy::Access:
      out += accesses_text(report);
      break;
  }
  return out + "\n" + method_text(report.profile);
}

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
