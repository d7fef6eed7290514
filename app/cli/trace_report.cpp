#include "cli/trace_report.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "insight/trace/accumulators.h"
#include "narration/narrator.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"
#include "record/activity.h"
#include "record/place_name.h"
#include "record/recording.h"
#include "simt/exec/executors.h"
#include "simt/machine/schedule.h"
#include "timing/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace tilestep::cli {
namespace {

using nlohmann::json;

bool is_cancelled(const TraceRequest& request) {
  return request.cancelled != nullptr && *request.cancelled;
}

const char* name(ptx::Space space) {
  using enum ptx::Space;
  return space == Shared  ? "shared"
         : space == Local ? "local"
         : space == Const ? "const"
         : space == Param ? "param"
                          : "global";
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

// The kind of an access: "load", …; of an mbarrier "init", "arrive" or "ask".
std::string kind_of(const record::Activity& activity, const record::Access& access,
                    const std::set<std::uint32_t>& mbarriers) {
  const simt::MemoryEvent& event = access.event;
  if (!record::is_of_mbarrier(access, mbarriers)) {
    return std::string(word_of(event.kind).file);
  }
  if (event.kind == simt::AccessKind::Store) {
    return "init";
  }
  const std::uint32_t number = simt::mbarrier_number(
      event.addresses[static_cast<std::size_t>(std::countr_zero(event.mask))]);
  const bool arrives = std::ranges::any_of(activity.barriers, [&](const auto& b) {
    return b.warp == access.warp && b.event.id == number &&
           b.event.action == simt::BarrierAction::Arrive && (b.event.mask & event.mask) != 0;
  });
  return arrives ? "arrive" : "ask";
}

const char* name(simt::AccessAgent agent) {
  using enum simt::AccessAgent;
  return agent == TmaUnit ? "TMA unit" : agent == TensorCore ? "tensor core" : "thread";
}

const char* name(simt::BarrierAction action) {
  using enum simt::BarrierAction;
  return action == Arrive ? "arrive" : action == Acquire ? "pass" : "release";
}

json statement_json(const record::Recording& run, const record::Activity& activity,
                    std::size_t index, std::uint32_t block,
                    const std::set<std::uint32_t>& mbarriers) {
  json statement = {{"statement", index + 1},  // counted as in the window and --at
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
                                       {"kind", kind_of(activity, a, mbarriers)},
                                       {"agent", name(a.event.agent)},
                                       {"space", name(a.event.space)},
                                       {"bytes", a.event.bytes},
                                       {"lanes", lanes_of(run.program(), a)}});
    }
  }
  for (const auto& b : activity.barriers) {
    if (b.warp.block == block) {
      json barrier = {{"warp", b.warp.warp}, {"line", b.line}, {"action", name(b.event.action)}};
      if (b.event.id >= simt::kFirstMbarrier) {
        barrier["mbarrier"] = record::place_name(
            run.program(), run.program().locate(simt::mbarrier_address(b.event.id), 8));
      }
      statement["barriers"].push_back(std::move(barrier));
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

// The narration of a statement: its sentence, then its memory accesses.
json sentences_json(const narration::Narration& narration) {
  json sentences = json::array({narration::plain_text(narration.sentence.long_form)});
  for (const narration::Sentence& note : narration.notes) {
    sentences.push_back(narration::plain_text(note.long_form));
  }
  return sentences;
}

json statements_json(const record::Recording& run, const TraceRequest& request) {
  const std::set<std::uint32_t> mbarriers = record::mbarrier_lines(run.program().module());
  const narration::Narrator narrator(run, request.block);
  const insight::BlockSums sums(run, request.block);
  const auto starts = run.statement_starts();
  json all = json::array();
  record::State before = run.state_at(0);
  for (std::size_t i = 0; i + 1 < starts.size() && !is_cancelled(request); ++i) {
    record::State after = before;
    const record::Activity activity = run.advance(after, starts[i + 1]);
    json statement = statement_json(run, activity, i, request.block, mbarriers);
    if (concerns(statement)) {
      statement["sentences"] =
          sentences_json(narrator.narrate({&before, after, &activity, request.thread, &sums, {}}));
      all.push_back(std::move(statement));
    }
    before = std::move(after);
  }
  return all;
}

// A row of a CSV file: statement, step, warp, line, event, space, bytes, lanes, elements, text.
using EventRow = std::array<std::string, 10>;
std::string to_line(EventRow row) {
  for (std::string* text : {&row[8], &row[9]}) {
    *text = text->empty() ? *text : timing::csv_cell(*text);
  }
  return fmt::format("{}\n", fmt::join(row, ","));
}

std::string number(const json& value) {
  return value.dump();
}

// Texts separated by blanks.
std::string joined(const json& texts) {
  std::string out;
  for (const json& text : texts) {
    out += (out.empty() ? "" : " ") + text.get<std::string>();
  }
  return out;
}

// The executed lines, without those of headers.
std::string lines_of(const json& executed) {
  std::string out;
  std::uint32_t previous = 0;
  for (const json& e : executed) {
    const auto line = e["line"].get<std::uint32_t>();
    if (line != previous && line != 0) {
      previous = line;
      out += fmt::format("{}{}", out.empty() ? "" : " ", line);
    }
  }
  return out;
}

EventRow access_row(const json& statement, const json& access) {
  std::string elements;
  for (const json& lane : access["lanes"]) {
    elements += (elements.empty() ? "" : " ") + lane["element"].get<std::string>();
  }
  return {number(statement["statement"]),
          number(access["step"]),
          number(access["warp"]),
          number(access["line"]),
          (access["agent"] == "thread" ? "" : access["agent"].get<std::string>() + " ") +
              access["kind"].get<std::string>(),
          access["space"].get<std::string>(),
          number(access["bytes"]),
          std::to_string(access["lanes"].size()),
          elements,
          ""};
}

// The row of a barrier, a print or a fault.
EventRow event_row(const json& statement, const json& event, std::string name, std::string text) {
  const auto step = event.find("step");
  return {number(statement["statement"]),
          number(step == event.end() ? statement["last_step"] : *step),
          number(event["warp"]),
          number(event["line"]),
          std::move(name),
          "",
          "",
          "",
          "",
          std::move(text)};
}

// Null for anything that is not a number, and for numbers that JSON does not have.
json value_json(const std::string& text) {
  double number_read = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = problem::read_number(text.data(), end, number_read);
  if (error == std::errc() && stop == end && std::isfinite(number_read)) {
    return json::parse(text, nullptr, false).is_number() ? json::parse(text) : json(number_read);
  }
  return text == "–" ? json() : json(text);
}

bool executes(const record::Activity& activity, simt::WarpId warp, int lane) {
  return std::ranges::any_of(activity.executed, [&](const record::Activity::Executed& e) {
    return e.warp == warp && (e.mask >> lane & 1U) != 0;
  });
}

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

json trace_json(const record::Recording& run, const TraceRequest& request) {
  json phases = json::array();
  for (const record::Phase& phase : run.phases_of(request.block)) {
    phases.push_back(
        {{"name", *phase.name}, {"first_step", phase.first_step}, {"last_step", phase.last_step}});
  }
  return {{"kernel", request.kernel},
          {"block", request.block},
          {"phases", std::move(phases)},
          {"statements", statements_json(run, request)}};
}

std::string trace_csv(const json& trace) {
  std::string out = "statement,step,warp,line,event,space,bytes,lanes,elements,text\n";
  for (const json& s : trace["statements"]) {
    out += to_line({number(s["statement"]), number(s["first_step"]), "", lines_of(s["executed"]),
                    "statement", "", "", "", "", joined(s["sentences"])});
    for (const json& access : s["accesses"]) {
      out += to_line(access_row(s, access));
    }
    for (const json& b : s["barriers"]) {
      out += to_line(event_row(s, b, "barrier " + b["action"].get<std::string>(), ""));
    }
    for (const json& p : s["prints"]) {
      out += to_line(event_row(s, p, "print", std::string(trimmed(p["text"].get<std::string>()))));
    }
    for (const json& f : s["faults"]) {
      out += to_line(event_row(s, f, "fault", f["detail"].get<std::string>()));
    }
  }
  return out;
}

json variables_json(const record::Recording& run, const TraceRequest& request) {
  const simt::Program& program = run.program();
  const auto warp_size = program.warp_size();
  const simt::WarpId warp{request.block, request.thread / warp_size};
  const auto lane = static_cast<int>(request.thread % warp_size);
  const auto starts = run.statement_starts();
  json names = json::array();
  json all = json::array();
  record::State state = run.state_at(0);
  for (std::size_t i = 0; i + 1 < starts.size() && !is_cancelled(request); ++i) {
    const std::uint32_t line = state.line(request.block, request.thread);
    const record::Activity activity = run.advance(state, starts[i + 1]);
    if (!executes(activity, warp, lane)) {
      continue;
    }
    json values = json::object();
    for (const record::NamedValue& v : state.variables(request.block, request.thread)) {
      if (std::ranges::find(names, json(v.name)) == names.end()) {
        names.push_back(v.name);
      }
      values[v.name] = value_json(record::format_value(program, v.value));
    }
    all.push_back({{"statement", i + 1},
                   {"step", activity.last_step},
                   {"line", line},
                   {"values", std::move(values)}});
  }
  return {{"kernel", request.kernel},
          {"block", request.block},
          {"thread", request.thread},
          {"variables", std::move(names)},
          {"statements", std::move(all)}};
}

std::string variables_csv(const json& variables) {
  std::string out = "statement,step,line";
  for (const json& name : variables["variables"]) {
    out += "," + timing::csv_cell(name.get<std::string>());
  }
  out += '\n';
  for (const json& s : variables["statements"]) {
    out += fmt::format("{},{},{}", number(s["statement"]), number(s["step"]), number(s["line"]));
    for (const json& name : variables["variables"]) {
      const auto value = s["values"].find(name.get<std::string>());
      const bool is_there = value != s["values"].end() && !value->is_null();
      out += "," + (!is_there            ? std::string()
                    : value->is_string() ? timing::csv_cell(value->get<std::string>())
                                         : value->dump());
    }
    out += '\n';
  }
  return out;
}

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
