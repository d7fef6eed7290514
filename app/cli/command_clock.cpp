// tilestep clock: an estimate of what the warps of one SM do in every clock.
#include "cli/clock_numbers.h"
#include "cli/clock_stamps.h"
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "clock/estimate.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::cli {
namespace {

using clock::kWarpStates;
using clock::SmRun;
using clock::WarpState;
using nlohmann::json;

constexpr int kClockSchema = 1;
constexpr std::size_t kMostInstructions = 12;  // of the table

struct ClockOptions {
  LaunchOptions launch;
  clock::EstimateOptions estimate;
  std::string gpu = "H200";
  bool is_warm = false;
  bool as_json = false;
  bool as_csv = false;
  bool as_svg = false;
  bool measures = false;
  bool measures_gpu = false;
  std::string table;  // a file; empty: the shipped one of `gpu`
  StampOptions stamps;
};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The state that takes most, other than issuing.
WarpState longest(const clock::StateClocks& states) {
  const auto most = std::max_element(states.begin() + 1, states.end());
  return static_cast<WarpState>(most - states.begin());
}

std::string states_table(const SmRun& run) {
  Table table({tr("warps"), tr("cycles per instruction"), tr("share"), tr("Nsight Compute")});
  for (const auto& word : kWords<WarpState>) {
    const std::uint64_t clocks = run.by_state[static_cast<std::size_t>(word.value)];
    table.add({word.label.text(), fmt::format("{:.2f}", share(clocks, run.instructions)),
               fmt::format("{:.1f}%", 100.0 * share(clocks, run.warp_clocks)),
               std::string(word.file)});
  }
  return table.text();
}

// The instructions at which warps wait longest.
std::string instructions_table(const SmRun& run, const std::vector<clock::CodedInstruction>& code) {
  const std::vector<std::size_t> order = clock::longest_instructions(run);
  Table table({tr("instruction"), tr("line"), tr("count"), tr("cycles each"), tr("share"),
               tr("dominant state")},
              Table::Last::Sentence);
  for (std::size_t k = 0; k < std::min(order.size(), kMostInstructions); ++k) {
    const clock::StateClocks& states = run.by_instruction[order[k]];
    const std::uint64_t clocks = clock::all_clocks(states);
    const auto& instruction = code[order[k]];
    table.add({instruction.text, instruction.line == 0 ? "" : std::to_string(instruction.line),
               std::to_string(states[0]), fmt::format("{:.1f}", share(clocks, states[0])),
               fmt::format("{:.1f}%", 100.0 * share(clocks, run.warp_clocks)),
               word_of(longest(states)).label.text()});
  }
  return table.text();
}

std::string text(const Prepared& prepared, const clock::TimedLaunch& launch, const SmRun& run,
                 const clock::SmTable& table, const ClockOptions& options) {
  std::set<std::uint32_t> blocks;
  for (const clock::WarpLife& life : run.lives) {
    blocks.insert(life.block);
  }
  const int most = launch.most_at_once();
  const int at_once =
      options.estimate.blocks_at_once > 0 ? std::min(options.estimate.blocks_at_once, most) : most;
  const auto clocks = static_cast<std::uint64_t>(run.clocks);
  std::string out = headline(prepared) + "\n" + clock::estimate_sentence(table) + "\n\n";
  out += tr("{} on one SM, {} at once: {} cycles", plural(blocks.size(), "block"),
            std::min<std::size_t>(static_cast<std::size_t>(at_once), blocks.size()), run.clocks) +
         "\n";
  out += tr("  instructions   {}, {:.0f}% of the issue slots", run.instructions,
            100.0 * share(run.instructions, 4 * clocks)) +
         "\n";
  out += tr("  data stage     busy {:.0f}% of the cycles (shared memory and L1)",
            100.0 * share(run.passes, clocks)) +
         "\n";
  out += tr("  L1             {:.0f}% of {} sectors hit", 100.0 * share(run.l1_hits, run.sectors),
            run.sectors) +
         "\n";
  out += "\n" + states_table(run) + "\n" + instructions_table(run, launch.tracer().code());
  return out;
}

json json_of(const Prepared& prepared, const clock::TimedLaunch& launch, const SmRun& run,
             const clock::SmTable& table) {
  json states;
  for (const auto& word : kWords<WarpState>) {
    states[word.file] = run.by_state[static_cast<std::size_t>(word.value)];
  }
  json instructions = json::array();
  const auto& code = launch.tracer().code();
  for (std::size_t i = 0; i < code.size(); ++i) {
    json of;
    for (const auto& word : kWords<WarpState>) {
      const std::uint64_t clocks = run.by_instruction[i][static_cast<std::size_t>(word.value)];
      if (clocks > 0) {
        of[word.file] = clocks;
      }
    }
    if (!of.is_null()) {
      instructions.push_back(
          {{"index", i}, {"text", code[i].text}, {"line", code[i].line}, {"clocks", of}});
    }
  }
  json warps = json::array();
  for (const clock::WarpLife& life : run.lives) {
    json spans = json::array();
    for (const clock::StateSpan& span : life.spans) {
      spans.push_back({span.start, word_of(span.state).file, span.instruction});
    }
    warps.push_back({{"block", life.block},
                     {"warp", life.warp},
                     {"scheduler", life.slot % 4},
                     {"start", life.start},
                     {"end", life.end},
                     {"states", std::move(spans)}});
  }
  const auto& size = prepared.launch.parameters.problem;
  return {{"schema", "tilestep-clock"},
          {"version", kClockSchema},
          {"estimated", true},
          {"kernel", prepared.launch.id},
          {"M", size.M},
          {"N", size.N},
          {"K", size.K},
          {"block_size", prepared.launch.parameters.block_size},
          {"gpu", table.gpu},
          {"error",
           {{"launches", table.error.launches},
            {"median", table.error.median},
            {"nine_of_ten", table.error.nine_of_ten}}},
          {"clocks", run.clocks},
          {"instructions", run.instructions},
          {"passes", run.passes},
          {"sectors", run.sectors},
          {"l1_hits", run.l1_hits},
          {"states", std::move(states)},
          {"by_instruction", std::move(instructions)},
          {"warps", std::move(warps)}};
}

std::string csv_of(const clock::TimedLaunch& launch, const SmRun& run) {
  std::string out = "block,warp,scheduler,start,end,state,instruction,line,text\n";
  const auto& code = launch.tracer().code();
  for (const clock::WarpLife& life : run.lives) {
    for (std::size_t k = 0; k < life.spans.size(); ++k) {
      const clock::StateSpan& span = life.spans[k];
      const std::int64_t end = k + 1 < life.spans.size() ? life.spans[k + 1].start : life.end;
      const auto& instruction = code[span.instruction];
      out += fmt::format("{},{},{},{},{},{},{},{},\"{}\"\n", life.block, life.warp, life.slot % 4,
                         span.start, end, word_of(span.state).file, span.instruction,
                         instruction.line, instruction.text);
    }
  }
  return out;
}

// Light colors, by WarpState, as on the page of one SM.
constexpr std::array<const char*, kWarpStates> kSvgColours{
    "#1b1f24", "#c4ccd6", "#0a4fc4", "#008763", "#c0398b", "#7a6200",
    "#b85500", "#6b51c9", "#1a7037", "#8a949e", "#4a5562"};

// The warps as rows; a state that lasts less than a pixel is not drawn.
std::string svg_of(const Prepared& prepared, const SmRun& run, const clock::SmTable& table) {
  constexpr double kWidth = 1400.0;
  constexpr double kLeft = 110.0;
  constexpr double kRow = 9.0;
  constexpr double kTop = 44.0;
  const double per_clock = kWidth / static_cast<double>(std::max<std::int64_t>(run.clocks, 1));
  const double height = kTop + kRow * static_cast<double>(run.lives.size()) + 84.0;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n<text x=\"8\" y=\"18\">{}</text>\n<text x=\"8\" y=\"34\">{}</text>\n",
      kLeft + kWidth + 10.0, height, headline(prepared), clock::estimate_sentence(table));
  std::vector<const clock::WarpLife*> rows;
  for (const clock::WarpLife& life : run.lives) {
    rows.push_back(&life);
  }
  std::ranges::stable_sort(rows, {},
                           [](const auto* life) { return std::pair(life->block, life->warp); });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double y = kTop + kRow * static_cast<double>(row);
    if (rows[row]->warp == 0) {
      out += fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>\n", y + kRow,
                         tr("block {}", rows[row]->block));
    }
    const auto& spans = rows[row]->spans;
    for (std::size_t k = 0; k < spans.size(); ++k) {
      const std::int64_t end = k + 1 < spans.size() ? spans[k + 1].start : rows[row]->end;
      const double width = per_clock * static_cast<double>(end - spans[k].start);
      if (width >= 1.0) {
        out += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
            kLeft + per_clock * static_cast<double>(spans[k].start), y, width, kRow - 1.0,
            kSvgColours[static_cast<std::size_t>(spans[k].state)]);
      }
    }
  }
  double x = 8.0;
  double y = height - 66.0;
  for (const auto& word : kWords<WarpState>) {
    const auto index = static_cast<std::size_t>(word.value);
    if (run.by_state[index] * 200 < run.warp_clocks) {
      continue;
    }
    out += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"12\" fill=\"{}\"/><text "
        "x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n",
        x, y, kSvgColours[index], x + 16.0, y + 10.0, word.label.text());
    constexpr double kEntry = 290.0;
    x += kEntry;
    if (x + kEntry > kLeft + kWidth) {
      x = 8.0;
      y += 18.0;
    }
  }
  return out + "</svg>\n";
}

Result<clock::SmTable> table_of(const ClockOptions& options, const Context& context) {
  if (options.table.empty()) {
    return clock::load_sm_table(context.paths.assets / "clock", options.gpu);
  }
  return problem::read_file(options.table).and_then(clock::read_sm_table);
}

Result<int> show_clock(ClockOptions options, Context& context) {
  if (options.measures_gpu) {
    return show_numbers({options.stamps.device, options.stamps.out}, context);
  }
  if (!options.stamps.out.empty() && !options.measures) {
    return fail(tr("--out saves measurements. Add --measure or --measure-gpu."));
  }
  if (options.measures || !options.stamps.stamps.empty()) {
    options.stamps.launch = options.launch;
    options.stamps.kept = options.estimate.extent;
    options.stamps.is_warm = options.is_warm;
    options.stamps.gpu = options.gpu;
    return show_stamps(options.stamps, context);
  }
  const auto table = table_of(options, context);
  TILESTEP_RETURN_IF_ERROR(table);
  const auto prepared =
      prepare(context, options.launch, compile::Build::Machine, 0, problem::BufferContents::Filled);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  auto launch = clock::TimedLaunch::make(*prepared, *table);
  TILESTEP_RETURN_IF_ERROR(launch);
  options.estimate.is_cold = !options.is_warm;
  options.estimate.records = options.as_json || options.as_csv || options.as_svg;
  const Interrupt interrupt;
  const auto run = launch->run(*table, options.estimate, &interrupt.cancelled());
  TILESTEP_RETURN_IF_ERROR(run);
  if (run->is_cancelled) {
    return fail(tr("The estimate was canceled."));
  }
  fmt::print("{}", options.as_json  ? json_text(json_of(*prepared, *launch, *run, *table)) + "\n"
                   : options.as_csv ? csv_of(*launch, *run)
                   : options.as_svg ? svg_of(*prepared, *run, *table)
                                    : printable(text(*prepared, *launch, *run, *table, options)));
  return 0;
}

}  // namespace

void add_clock(CLI::App& app, Context& context) {
  auto options = std::make_shared<ClockOptions>();
  auto* command = app.add_subcommand(
      "clock",
      "Estimate what the warps of one SM wait for in each clock cycle, from the machine code");
  add_launch_options(*command, options->launch);
  add_word_option(*command, "--blocks", options->estimate.extent,
                  "Blocks to run: block (one alone), wave (as many as an SM holds at once) or sm "
                  "(all blocks of the SM that gets the most)");
  auto* at_once = command
                      ->add_option("--at-once", options->estimate.blocks_at_once,
                                   "Blocks on the SM at once (default: as many as fit)")
                      ->check(CLI::Range(1, 32));
  auto* gpu =
      command->add_option("--gpu", options->gpu, "GPU: H200 or H100")->capture_default_str();
  command->add_flag("--warm", options->is_warm, "The matrices are in L2 from the start");
  auto* as_json =
      command->add_flag("--json", options->as_json, "Print JSON, with the states of each warp");
  auto* as_csv =
      command->add_flag("--csv", options->as_csv, "Print CSV: a row for each state of each warp")
          ->excludes(as_json);
  auto* as_svg = command->add_flag("--svg", options->as_svg, "Print a timeline of the warps as SVG")
                     ->excludes(as_json)
                     ->excludes(as_csv);
  auto* measures =
      command->add_flag("--measure", options->measures,
                        "Run the kernel on the GPU with timestamps at its start, its barriers and "
                        "its end, and compare the times between them with the estimate");
  measures->excludes(gpu);
  auto* stamps =
      command
          ->add_option(
              "--stamps", options->stamps.stamps,
              "The same with timestamps recorded earlier: a file from --out, or the word 'shipped'")
          ->excludes(measures);
  auto* measures_gpu =
      command
          ->add_flag("--measure-gpu", options->measures_gpu,
                     "Measure the latencies and rates of this GPU's SM, and compare them with the "
                     "nearest shipped table; no kernel is needed")
          ->excludes(measures)
          ->excludes(stamps)
          ->excludes(gpu);
  auto* table =
      command
          ->add_option("--table", options->table,
                       "SM parameter table written by --measure-gpu --out, used instead of --gpu")
          ->excludes(gpu);
  for (auto* option : {measures, stamps, measures_gpu}) {
    option->excludes(as_json)->excludes(as_csv)->excludes(as_svg)->excludes(at_once);
    option->excludes(table);
  }
  command->add_option("--out", options->stamps.out,
                      "File for the measurements; for timestamps also a folder, where the file is "
                      "named after the launch");
  command->add_option("--device", options->stamps.device, "Index of the GPU")
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "Example:\n"
      "  tilestep clock tiled --size 1024 --block 16 --blocks sm\n"
      "  tilestep clock tiled --size 1024 --block 16 --measure\n"
      "  tilestep clock --measure-gpu --out mine.json\n"
      "Exit status: 0 success; 2 wrong use or input, or no GPU.");
  command->callback(
      [options, &context] { context.status = status_of(show_clock(*options, context)); });
}

}  // namespace tilestep::cli
