// tilestep trace: the statements and memory events of one block, as text or JSON lines.
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "insight/trace/accumulators.h"
#include "narration/narrator.h"
#include "problem/text.h"
#include "record/place_name.h"
#include "record/recording.h"
#include "simt/machine/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cstdio>
#include <memory>

namespace tilestep::cli {

namespace {

using nlohmann::json;

struct TraceOptions {
  LaunchOptions launch;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool as_json = false;
};

const char* name(ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
      return "shared";
    case ptx::Space::Local:
      return "local";
    case ptx::Space::Const:
      return "const";
    case ptx::Space::Param:
      return "param";
    default:
      return "global";
  }
}

json lanes_of(const simt::Program& program, const record::Access& access) {
  json lanes = json::array();
  for (int lane = 0; lane < simt::kWarpSize; ++lane) {
    if ((access.event.mask >> lane & 1U) == 0) {
      continue;
    }
    const auto place =
        program.locate(access.event.addresses[static_cast<std::size_t>(lane)], access.event.bytes);
    lanes.push_back({{"lane", lane},
                     {"element", record::place_name(program, place)},
                     {"inside", place.inside}});
  }
  return lanes;
}

json statement_json(const record::Recording& run, const record::Activity& activity,
                    std::size_t index, std::uint32_t block) {
  json statement = {{"statement", index + 1},  // as the window and --at count them
                    {"first_step", activity.first_step},
                    {"last_step", activity.last_step},
                    {"executed", json::array()},
                    {"accesses", json::array()},
                    {"barriers", json::array()},
                    {"prints", json::array()},
                    {"faults", json::array()}};
  for (const auto& e : activity.executed) {
    if (e.warp.block == block) {
      statement["executed"].push_back(
          {{"warp", e.warp.warp}, {"line", e.line}, {"mask", e.mask}, {"live", e.live}});
    }
  }
  for (const auto& a : activity.accesses) {
    if (a.warp.block == block && a.event.space != ptx::Space::Param) {
      statement["accesses"].push_back({{"warp", a.warp.warp},
                                       {"line", a.line},
                                       {"step", a.step},
                                       {"kind", word_of(a.event.kind).file},
                                       {"space", name(a.event.space)},
                                       {"bytes", a.event.bytes},
                                       {"lanes", lanes_of(run.program(), a)}});
    }
  }
  for (const auto& b : activity.barriers) {
    if (b.warp.block == block) {
      statement["barriers"].push_back(
          {{"warp", b.warp.warp},
           {"line", b.line},
           {"action", b.event.action == simt::BarrierAction::Arrive ? "arrive" : "release"}});
    }
  }
  for (const auto& p : activity.prints) {
    if (p.warp.block == block) {
      statement["prints"].push_back(
          {{"warp", p.warp.warp}, {"lane", p.lane}, {"line", p.line}, {"text", p.text}});
    }
  }
  for (const auto& f : activity.faults) {
    if (f.warp.block == block) {
      statement["faults"].push_back(
          {{"warp", f.warp.warp}, {"line", f.line}, {"step", f.step}, {"detail", f.event.detail}});
    }
  }
  return statement;
}

bool concerns(const json& statement) {
  return !statement["executed"].empty() || !statement["barriers"].empty() ||
         !statement["faults"].empty();
}

void print_text(const json& statement) {
  const json& executed = statement["executed"];
  std::string lines;
  std::uint32_t previous = 0;
  for (const json& e : executed) {
    if (e["line"] != previous && e["line"] != 0) {  // 0: code of a header
      previous = e["line"];
      lines += fmt::format("{}{}", lines.empty() ? "" : ", ", previous);
    }
  }
  say("statement {:>5}  line {}\n", statement["statement"].get<std::size_t>(), lines);
  for (const json& sentence : statement["sentences"]) {
    say("    {}\n", sentence.get<std::string>());
  }
  for (const json& a : statement["accesses"]) {
    const json& lanes = a["lanes"];
    say("    warp {} {:<5} {:<6} {:>2} lanes  {} … {}\n", a["warp"].get<int>(),
        a["kind"].get<std::string>(), a["space"].get<std::string>(), lanes.size(),
        lanes.front()["element"].get<std::string>(), lanes.back()["element"].get<std::string>());
  }
  for (const json& b : statement["barriers"]) {
    say("    warp {} barrier: {}\n", b["warp"].get<int>(), b["action"].get<std::string>());
  }
  for (const json& p : statement["prints"]) {
    say("    warp {} lane {} prints: {}\n", p["warp"].get<int>(), p["lane"].get<int>(),
        trimmed(p["text"].get<std::string>()));
  }
  for (const json& f : statement["faults"]) {
    say("    warp {} fault: {}\n", f["warp"].get<int>(), f["detail"].get<std::string>());
  }
}

// What the narration says of a statement: its sentence, then what memory made of it.
json sentences_json(const narration::Narration& narration) {
  json sentences = json::array({narration::plain_text(narration.sentence.long_form)});
  for (const narration::Sentence& note : narration.notes) {
    sentences.push_back(narration::plain_text(note.long_form));
  }
  return sentences;
}

json statements_json(const record::Recording& run, const TraceOptions& options) {
  const narration::Narrator narrator(run, options.block);
  const insight::BlockSums sums(run, options.block);
  const auto starts = run.statement_starts();
  json all = json::array();
  record::State before = run.state_at(0);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    record::State after = before;
    const record::Activity activity = run.advance(after, starts[i + 1]);
    json statement = statement_json(run, activity, i, options.block);
    if (concerns(statement)) {
      statement["sentences"] =
          sentences_json(narrator.narrate({&before, after, &activity, options.thread, &sums, {}}));
      all.push_back(std::move(statement));
    }
    before = std::move(after);
  }
  return all;
}

int trace(const TraceOptions& options, Context& context) {
  const auto prepared = prepare(context, options.launch, compile::Build::Step);
  if (!prepared) {
    return wrong_use(prepared.error());
  }
  tell_guess(*prepared);
  if (options.block >= prepared->program->block_count()) {
    return wrong_use({fmt::format("--of-block {}: the grid has blocks 0 to {}.", options.block,
                                  prepared->program->block_count() - 1)});
  }
  if (options.thread >= prepared->program->threads_per_block()) {
    return wrong_use({fmt::format("--of-thread {}: a block has threads 0 to {}.", options.thread,
                                  prepared->program->threads_per_block() - 1)});
  }
  const auto run = record::Recording::make(prepared->program, prepared->schedule);
  if (!run) {
    return wrong_use(run.error());
  }
  json all = statements_json(**run, options);
  if (!options.as_json) {
    for (const json& statement : all) {
      print_text(statement);
    }
  }
  if (options.as_json) {
    json phases = json::array();
    for (const record::Phase& phase : (*run)->phases_of(options.block)) {
      phases.push_back({{"name", *phase.name},
                        {"first_step", phase.first_step},
                        {"last_step", phase.last_step}});
    }
    fmt::print("{}\n", json_text(json{{"kernel", prepared->launch.id},
                                      {"block", options.block},
                                      {"phases", std::move(phases)},
                                      {"statements", std::move(all)}},
                                 1));
  }
  return 0;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  auto options = std::make_shared<TraceOptions>();
  auto* command = app.add_subcommand(
      "trace", "List a block's statements, each in a sentence, and its memory accesses");
  add_launch_options(*command, options->launch);
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command
      ->add_option("--of-thread", options->thread,
                   "Linear index of the thread whose numbers the sentences give")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep trace tiled --size 8,8,8 --block 4 --of-block 1 --json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = trace(*options, context); });
}

}  // namespace tilestep::cli
