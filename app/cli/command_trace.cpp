// tilestep trace: the statements and memory events of one block, as text or JSON lines.
#include "cli/command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "cli/trace_report.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "record/recording.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace tilestep::cli {

namespace {

using nlohmann::json;

struct TraceOptions {
  LaunchOptions launch;
  std::uint32_t block = 0;
  std::optional<std::uint32_t> thread;  // nullopt: the kernel's
  bool as_json = false;
  bool as_csv = false;
};

// A unit moves 16 bytes at a time: prints all of an instruction in one line, at its first piece.
void print_unit(const json& statement, const json& access, std::vector<json>& printed) {
  const auto key = [](const json& a) {
    return json::array({a["agent"], a["warp"], a["kind"], a["space"], a["step"], a["line"]});
  };
  if (std::ranges::find(printed, key(access)) != printed.end()) {
    return;
  }
  printed.push_back(key(access));
  std::size_t pieces = 0;
  const json* last = &access;
  for (const json& a : statement["accesses"]) {
    if (key(a) == key(access)) {
      pieces += a["lanes"].size();
      last = &a;
    }
  }
  say("    warp {} {:<5} {:<6} {}, {} × {} bytes  {} … {}\n", access["warp"].get<int>(),
      access["kind"].get<std::string>(), access["space"].get<std::string>(),
      access["agent"].get<std::string>(), pieces, access["bytes"].get<int>(),
      access["lanes"].front()["element"].get<std::string>(),
      (*last)["lanes"].back()["element"].get<std::string>());
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
  std::vector<json> printed;
  for (const json& a : statement["accesses"]) {
    if (a["agent"] != "thread") {
      print_unit(statement, a, printed);
      continue;
    }
    const json& lanes = a["lanes"];
    say("    warp {} {:<5} {:<6} {:>2} lanes  {} … {}\n", a["warp"].get<int>(),
        a["kind"].get<std::string>(), a["space"].get<std::string>(), lanes.size(),
        lanes.front()["element"].get<std::string>(), lanes.back()["element"].get<std::string>());
  }
  const json& barriers = statement["barriers"];
  for (auto at = barriers.begin(); at != barriers.end();) {
    // The lanes of a warp arrive at an mbarrier one after the other.
    const auto next = std::find_if(at, barriers.end(), [&](const json& b) { return b != *at; });
    const auto mbarrier = at->find("mbarrier");
    const std::string name = mbarrier == at->end() ? "barrier" : mbarrier->get<std::string>();
    const auto times = next - at;
    say("    warp {} {}: {}{}\n", (*at)["warp"].get<int>(), name,
        (*at)["action"].get<std::string>(), times > 1 ? fmt::format(" × {}", times) : "");
    at = next;
  }
  for (const json& p : statement["prints"]) {
    say("    warp {} lane {} prints: {}\n", p["warp"].get<int>(), p["lane"].get<int>(),
        trimmed(p["text"].get<std::string>()));
  }
  for (const json& f : statement["faults"]) {
    say("    warp {} fault: {}\n", f["warp"].get<int>(), f["detail"].get<std::string>());
  }
}

Result<int> trace(const TraceOptions& options, Context& context) {
  const auto prepared = prepare(context, options.launch, options.launch.build);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  if (options.block >= prepared->program->block_count()) {
    return fail(tr("--of-block {}: the grid has blocks 0 to {}.", options.block,
                   prepared->program->block_count() - 1));
  }
  const std::uint32_t thread = options.thread.value_or(prepared->spec.focus_thread);
  if (thread >= prepared->program->threads_per_block()) {
    return fail(tr("--of-thread {}: a block has threads 0 to {}.", thread,
                   prepared->program->threads_per_block() - 1));
  }
  const auto run = record_run(*prepared, "trace");
  TILESTEP_RETURN_IF_ERROR(run);
  const json all = trace_json(**run, {prepared->launch.id, options.block, thread});
  if (options.as_json) {
    fmt::print("{}\n", json_text(all, 1));
  } else if (options.as_csv) {
    fmt::print("{}", trace_csv(all));
  } else {
    for (const json& statement : all["statements"]) {
      print_text(statement);
    }
  }
  return 0;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  auto options = std::make_shared<TraceOptions>();
  auto* command = app.add_subcommand(
      "trace", "List the statements of a block, one sentence each, and its memory accesses");
  add_launch_options(*command, options->launch);
  add_build_option(*command, options->launch);
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command->add_option("--of-thread", options->thread,
                      "Linear index of the thread that the sentences describe (default: the "
                      "kernel's initial thread, usually 0)");
  auto* json_flag = command->add_flag("--json", options->as_json, "Print JSON");
  command->add_flag("--csv", options->as_csv, "Print CSV: a row for each statement and access")
      ->excludes(json_flag);
  command->footer(
      "Example:\n"
      "  tilestep trace tiled --size 8,8,8 --block 4 --of-block 1 --json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(trace(*options, context)); });
}

}  // namespace tilestep::cli
