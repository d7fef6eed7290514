// tilestep sums: what the threads of a block add up, and where each sum lands.
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "cli/sum_report.h"
#include "cli/word_option.h"
#include "insight/names.h"
#include "insight/trace/accumulators.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::cli {

namespace {

using insight::BlockSums;
using nlohmann::json;

struct SumsOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Step;
  std::optional<std::uint64_t> step;
  std::uint32_t block = 0;
  std::optional<std::uint32_t> thread;
  bool as_json = false;
};

const char* word(insight::SumKind kind) {
  switch (kind) {
    case insight::SumKind::Products:
      return "products";
    case insight::SumKind::Other:
      return "other";
    case insight::SumKind::Untraced:
      return "untraced";
  }
  return "";
}

json home_json(const insight::SumHome& home) {
  return home.kind == insight::SumHome::Kind::None ? json() : json(home.name);
}

json one_json(const simt::Program& program, const BlockSums& sums, std::size_t i,
              std::uint64_t step) {
  const insight::OwnedSum& sum = sums.sums()[i];
  const insight::SumNow now = sums.now(i, step);
  const auto terms = sums.accumulation(i, step);
  return {{"thread", sum.thread},
          {"element", insight::name_of(program, sum.at)},
          {"kind", word(sum.kind)},
          {"lives_in", home_json(sums.home(i, step))},
          {"compensation_in", home_json(sum.compensation)},
          {"value", now.assigned ? json(now.value) : json()},
          {"compensation", now.compensation ? json(*now.compensation) : json()},
          {"stored", now.stored},
          {"atomic", sum.atomic},
          {"overwritten", sum.overwritten},
          {"sum", terms ? sum_json(program, *terms) : json()}};
}

void print_one(const simt::Program& program, const BlockSums& sums, std::size_t i,
               std::uint64_t step, bool with_terms) {
  const insight::OwnedSum& sum = sums.sums()[i];
  const insight::SumNow now = sums.now(i, step);
  const auto terms = sums.accumulation(i, step);
  const std::string home = sums.home(i, step).name;
  std::string text =
      now.assigned ? fmt::format("{:g}", now.value)
                   : std::string(sum.kind == insight::SumKind::Untraced ? tr("not followed") : "–");
  if (terms && sum.kind == insight::SumKind::Products) {
    text += "  " + plural(terms->terms.size(), "product") +
            (terms->complete ? "" : tr(" and other terms"));
  }
  if (now.compensation && sum.compensation.kind != insight::SumHome::Kind::None) {
    text += tr("  lost so far: {} = {:g}", sum.compensation.name, *now.compensation);
  }
  text += now.stored ? tr("  stored") : "";
  text += sum.atomic ? tr("  by an atomic operation: a part of the element") : "";
  text += sum.overwritten ? tr("  another thread stores there later") : "";
  say("  {:<14} {:<12} {:<14} {}\n",
      insight::thread_name(program.thread_index(sum.thread), program.launch()),
      insight::name_of(program, sum.at), home.empty() ? "–" : home, text);
  if (with_terms && terms) {
    print_terms(program, *terms);
  }
}

int sums(const SumsOptions& options, Context& context) {
  auto prepared = prepare(context, options.launch, options.build);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  tell_guess(*prepared);
  const auto recording = record_run(*prepared, "sums");
  if (!recording) {
    return wrong_use(recording.error());
  }
  const simt::Program& program = (*recording)->program();
  const std::uint64_t end = (*recording)->step_count();
  const std::uint64_t step = options.step.value_or(end);
  if (step > end || options.block >= program.block_count() ||
      options.thread.value_or(0) >= program.threads_per_block()) {
    return wrong_use({tr("The run has steps 0 to {}, blocks 0 to {} and threads 0 to {}.", end,
                         program.block_count() - 1, program.threads_per_block() - 1)});
  }
  const BlockSums found(**recording, options.block);
  const BlockSums::Range range =
      options.thread ? found.of_thread(*options.thread) : BlockSums::Range{0, found.sums().size()};
  if (options.as_json) {
    json list = json::array();
    for (std::size_t i = range.first; i < range.last; ++i) {
      list.push_back(one_json(program, found, i, step));
    }
    const json out = {{"block", options.block}, {"step", step}, {"sums", std::move(list)}};
    fmt::print("{}\n", json_text(out));
    return 0;
  }
  say("{} at step {} of {}: {}\n",
      insight::block_name(program.block_index(options.block), program.launch()), step, end,
      plural(range.size(), "sum"));
  if (found.is_too_large()) {
    say("  too many values to follow each sum; choose a smaller size or BLOCK_SIZE\n");
  }
  for (std::size_t i = range.first; i < range.last; ++i) {
    print_one(program, found, i, step, options.thread.has_value());
  }
  return 0;
}

}  // namespace

void add_sums(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("sums", "List what each thread of a block adds up, and where it lands");
  const auto options = std::make_shared<SumsOptions>();
  add_launch_options(*command, options->launch);
  command->add_option("--step", options->step, "Look after this many steps (default: at the end)");
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command->add_option("--of-thread", options->thread,
                      "Linear index of a thread in its block: its sums alone, term by term");
  add_word_option(*command, "--build", options->build,
                  "Build: step (-G) or fast (as the hardware runs it)");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep sums register_tile_2d --size 16 --block 4 --of-thread 6 --step 4000\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = sums(*options, context); });
}

}  // namespace tilestep::cli
