#include "cli/counters_report.h"
#include "cli/table.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::cli {
namespace {

using insight::Cost;
using insight::Traffic;

constexpr std::size_t kMostSets = 4;  // of a class of blocks, that are listed
constexpr std::size_t kMostClasses = 12;

std::string of_ideal(std::uint64_t actual, std::uint64_t ideal) {
  return actual == 0 ? "-" : tr("{} (ideal {})", grouped(actual), grouped(ideal));
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100.0 * share);
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
  Table table({tr("matrix"), tr("loads"), tr("stores"), tr("sectors"), tr("reads of an element")});
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
               reuse.elements() == 0 ? tr("not worked out")
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
      " Each sampled block ran alone: line {} returned to it what it returns to the first block, "
      "and "
      "what only later blocks do is missing.",
      profile.atomic_line);
}

std::string method_text(const insight::Profile& profile) {
  if (profile.method == insight::Method::Full) {
    return tr("Counted by executing all {} blocks{}.\n", grouped(profile.blocks),
              profile.why_full.empty() ? "" : ": " + profile.why_full);
  }
  if (profile.method == insight::Method::Sample && profile.blocks_proved > 0) {
    return tr(
        "{} of {} blocks are counted exactly. The other {} are estimated, in all {} blocks are "
        "executed, ±{:.1f} % (twice the standard error). No proof says which of the other blocks "
        "are alike: {}.{} --all-blocks counts every block.\n",
        grouped(profile.blocks_proved), grouped(profile.blocks),
        grouped(profile.blocks - profile.blocks_proved), grouped(profile.blocks_executed),
        100.0 * profile.error, profile.why_full, lonely_text(profile));
  }
  if (profile.method == insight::Method::Sample) {
    return tr(
        "Estimated from {} of {} blocks, ±{:.1f} % (twice the standard error). No proof says which "
        "blocks are alike: {}.{} --all-blocks counts every block.\n",
        grouped(profile.blocks_executed), grouped(profile.blocks), 100.0 * profile.error,
        profile.why_full, lonely_text(profile));
  }
  std::string out =
      tr("Counted by executing {} of {} blocks; each represents the blocks proved equal to it.\n",
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
  return note->agrees ? tr("Shared-memory loads are as wide as in the machine code for compute "
                           "capability {}.\n{}{}",
                           note->architecture, note->padding, note->padding.empty() ? "" : "\n")
                      : tr("Counted from the PTX, not from the machine code for compute "
                           "capability {}: {}\n",
                           note->architecture, note->why_not);
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

}  // namespace tilestep::cli
