// tilestep origin: the source of a value. tilestep uses: the destinations of an element. tilestep
// sums: the sums of each thread.
#include "cli/command.h"
#include "cli/launch_options.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "insight/names.h"
#include "insight/trace/accumulators.h"
#include "insight/trace/origin.h"
#include "problem/describe/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/program.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilestep::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kLongList = 40;  // entries of a list in text output; JSON has all

struct OriginOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Step;
  std::string of;
  std::optional<std::uint64_t> step;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool as_json = false;
};

struct Recorded {
  Prepared prepared;
  std::shared_ptr<const record::Recording> recording;
};

Result<Recorded> record_launch(const OriginOptions& options, Context& context) {
  auto prepared = prepare(context, options.launch, options.build);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  auto recording = record_run(*prepared, "origin");
  TILESTEP_RETURN_IF_ERROR(recording);
  return Recorded{std::move(*prepared), std::move(*recording)};
}

std::string block_name(const simt::Program& program, std::uint32_t block) {
  return insight::block_name(program.block_index(block), program.launch());
}

std::string thread_name(const simt::Program& program, std::uint32_t thread) {
  return insight::thread_name(program.thread_index(thread), program.launch());
}

constexpr std::uint32_t kNoBuffer = 0xffffffffU;

// "7", "(-7)": a sign must not touch the dot.
std::string number_text(float value) {
  return std::signbit(value) && !std::isnan(value) ? fmt::format("({:g})", value)
                                                   : fmt::format("{:g}", value);
}

// "A[1][2]", or the number of a constant.
std::string factor_text(const simt::Program& program, const insight::Term::Factor& factor) {
  return factor.launch_buffer == kNoBuffer
             ? number_text(factor.value)
             : insight::name_of(program, {factor.launch_buffer, factor.row, factor.col});
}

nlohmann::json factor_json(const simt::Program& program, const insight::Term::Factor& factor) {
  return {
      {"element", factor.launch_buffer == kNoBuffer ? json() : json(factor_text(program, factor))},
      {"value", factor.value},
      {"via", factor.via},
      {"loaded_by", factor.loaded_by}};
}

nlohmann::json sum_json(const simt::Program& program, const insight::Accumulation& sum) {
  json terms = json::array();
  for (const insight::Term& term : sum.terms) {
    terms.push_back({{"a", factor_json(program, term.a)},
                     {"b", factor_json(program, term.b)},
                     {"times", term.times},
                     {"step", term.step}});
  }
  return {{"initial", sum.initial}, {"complete", sum.complete}, {"terms", std::move(terms)}};
}

// One line per term.
void print_terms(const simt::Program& program, const insight::Accumulation& sum) {
  for (const insight::Term& term : sum.terms) {
    say("  {} {}{}{}·{}{}  = {}·{}  step {}\n", term.times < 0.0 ? "−" : "+",
        std::abs(term.times) == 1.0 ? "" : fmt::format("{:g}·", std::abs(term.times)),
        factor_text(program, term.a), term.a.via.empty() ? "" : " via " + term.a.via,
        factor_text(program, term.b), term.b.via.empty() ? "" : " via " + term.b.via,
        number_text(term.a.value), number_text(term.b.value), term.step);
  }
}

void print_origin(const simt::Program& program, const insight::Origin& origin,
                  const insight::Question& question) {
  say("{} = {:g} at step {}\n", origin.name, origin.value, question.step);
  if (origin.writer) {
    const record::Writer& writer = *origin.writer;
    if (writer.written) {
      say("stored by {} of {} in step {}, line {}\n", thread_name(program, writer.thread),
          block_name(program, writer.block), writer.step, writer.line);
    } else {
      say("not stored yet\n");
    }
  }
  if (origin.sum) {
    say("sum as executed{}, starting from {:g}:\n",
        origin.sum->complete ? "" : tr(" (with terms that are not products)"), origin.sum->initial);
    print_terms(program, *origin.sum);
    return;
  }
  std::string elements;
  for (const insight::ElementRef& element : origin.elements) {
    elements += (elements.empty() ? "" : ", ") + insight::name_of(program, element);
  }
  say("from {}\n", elements.empty() ? tr("no element (a constant)") : elements);
}

json origin_json(const simt::Program& program, const insight::Origin& origin,
                 const insight::Question& question) {
  json elements = json::array();
  for (const insight::ElementRef& element : origin.elements) {
    elements.push_back(insight::name_of(program, element));
  }
  json out = {{"of", origin.name},
              {"step", question.step},
              {"block", question.block},
              {"thread", question.thread},
              {"value", origin.value},
              {"elements", std::move(elements)},
              {"sum", origin.sum ? sum_json(program, *origin.sum) : json()},
              {"written_by", json()}};
  if (origin.writer && origin.writer->written) {
    out["written_by"] = {{"block", origin.writer->block},
                         {"thread", origin.writer->thread},
                         {"step", origin.writer->step},
                         {"line", origin.writer->line}};
  }
  return out;
}

Result<int> origin(const OriginOptions& options, Context& context) {
  const auto recorded = record_launch(options, context);
  TILESTEP_RETURN_IF_ERROR(recorded);
  const record::Recording& recording = *recorded->recording;
  const insight::Question question{options.of, options.step.value_or(recording.step_count()),
                                   options.block, options.thread};
  const auto found = insight::origin_of(recording, question);
  TILESTEP_RETURN_IF_ERROR(found);
  if (options.as_json) {
    fmt::print("{}\n", json_text(origin_json(recording.program(), *found, question)));
  } else {
    print_origin(recording.program(), *found, question);
  }
  return 0;
}

json place_json(std::uint32_t block, std::uint32_t thread, std::uint64_t step) {
  return {{"block", block}, {"thread", thread}, {"step", step}};
}

// A heading and one line per entry, up to kLongList.
template <class Entries, class F>
void print_list(const simt::Program& program, const char* heading, const Entries& entries,
                F&& text) {
  say("\n{}: {}\n", heading, entries.size());
  for (std::size_t i = 0; i < entries.size() && i < kLongList; ++i) {
    const auto& e = entries[i];
    say("  step {:>6}  {}  {}  {}\n", e.step, block_name(program, e.block),
        thread_name(program, e.thread), text(e));
  }
  if (entries.size() > kLongList) {
    say("  … and {} more (--json lists them)\n", entries.size() - kLongList);
  }
}

void print_uses(const simt::Program& program, const insight::ElementUses& uses) {
  say("{}\n", insight::name_of(program, uses.element));
  print_list(program, tr("reads from global memory"), uses.loads,
             [](const auto& load) { return tr("line {}", load.line); });
  print_list(program, "stores to shared memory", uses.puts,
             [](const auto& put) { return put.cell; });
  print_list(program, "products", uses.products, [&](const auto& product) {
    return fmt::format("·{}{}", factor_text(program, product.with),
                       product.via.empty() ? "" : "  via " + product.via);
  });
  print_list(program, tr("stores of values that depend on the element"), uses.outputs,
             [](const auto& output) { return output.cell; });
}

json uses_json(const simt::Program& program, const insight::ElementUses& uses) {
  json loads = json::array();
  for (const auto& load : uses.loads) {
    loads.push_back(place_json(load.block, load.thread, load.step));
    loads.back()["line"] = load.line;
  }
  json puts = json::array();
  for (const auto& put : uses.puts) {
    puts.push_back(place_json(put.block, put.thread, put.step));
    puts.back()["cell"] = put.cell;
  }
  json products = json::array();
  for (const auto& product : uses.products) {
    products.push_back(place_json(product.block, product.thread, product.step));
    products.back()["via"] = product.via;
    products.back()["with"] = factor_json(program, product.with);
  }
  json outputs = json::array();
  for (const auto& output : uses.outputs) {
    outputs.push_back(place_json(output.block, output.thread, output.step));
    outputs.back()["cell"] = output.cell;
  }
  return {{"element", insight::name_of(program, uses.element)},
          {"loads", std::move(loads)},
          {"shared_cells", std::move(puts)},
          {"products", std::move(products)},
          {"outputs", std::move(outputs)}};
}

Result<int> uses(const OriginOptions& options, Context& context) {
  const auto recorded = record_launch(options, context);
  TILESTEP_RETURN_IF_ERROR(recorded);
  const auto found = insight::uses_of(*recorded->recording, options.of);
  TILESTEP_RETURN_IF_ERROR(found);
  const simt::Program& program = recorded->recording->program();
  if (options.as_json) {
    fmt::print("{}\n", json_text(uses_json(program, *found)));
  } else {
    print_uses(program, *found);
  }
  return 0;
}

std::shared_ptr<OriginOptions> add_shared_options(CLI::App& command, const char* of) {
  auto options = std::make_shared<OriginOptions>();
  add_launch_options(command, options->launch);
  command.add_option("--of", options->of, of)->required();
  add_word_option(command, "--build", options->build,
                  "Build: step (-G), fast (optimized) or machine (the hardware's instructions)");
  command.add_flag("--json", options->as_json, "Print JSON");
  return options;
}

using insight::BlockSums;

struct SumsOptions {
  LaunchOptions launch;
  compile::Build build = compile::Build::Step;
  std::optional<std::uint64_t> step;
  std::uint32_t block = 0;
  std::optional<std::uint32_t> thread;
  bool as_json = false;
};

const char* word(insight::SumKind kind) {
  using enum insight::SumKind;
  return kind == Products ? "products" : kind == Other ? "other" : "untraced";
}

json home_json(const insight::SumHome& home) {
  return home.kind == insight::SumHome::Kind::None ? json() : json(home.name);
}

void print_one(const simt::Program& program, const BlockSums& sums, std::size_t i,
               std::uint64_t step, bool with_terms) {
  const insight::OwnedSum& sum = sums.sums()[i];
  const insight::SumNow now = sums.now(i, step);
  const auto terms = sums.accumulation(i, step);
  const std::string home = sums.home(i, step).name;
  std::string text =
      now.assigned ? fmt::format("{:g}", now.value)
                   : std::string(sum.kind == insight::SumKind::Untraced ? tr("not traced") : "–");
  if (terms && sum.kind == insight::SumKind::Products) {
    text += "  " + plural(terms->terms.size(), "product") +
            (terms->complete ? "" : tr(" and other terms"));
  }
  if (now.compensation && sum.compensation.kind != insight::SumHome::Kind::None) {
    text += tr("  lost in rounding so far: {} = {:g}", sum.compensation.name, *now.compensation);
  }
  text += now.stored ? tr("  stored") : "";
  text += sum.atomic ? tr("  by an atomic operation: only a part of the element") : "";
  text += sum.overwritten ? tr("  another thread overwrites it later") : "";
  say("  {:<14} {:<12} {:<14} {}\n",
      insight::thread_name(program.thread_index(sum.thread), program.launch()),
      insight::name_of(program, sum.at), home.empty() ? "–" : home, text);
  if (with_terms && terms) {
    print_terms(program, *terms);
  }
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

Result<int> sums(const SumsOptions& options, Context& context) {
  auto prepared = prepare(context, options.launch, options.build);
  TILESTEP_RETURN_IF_ERROR(prepared);
  tell_guess(*prepared);
  const auto recording = record_run(*prepared, "sums");
  TILESTEP_RETURN_IF_ERROR(recording);
  const simt::Program& program = (*recording)->program();
  const std::uint64_t end = (*recording)->step_count();
  const std::uint64_t step = options.step.value_or(end);
  if (step > end || options.block >= program.block_count() ||
      options.thread.value_or(0) >= program.threads_per_block()) {
    return fail(
        tr("--step, --of-block or --of-thread is too large: the run has steps 0 to {}, blocks 0 to "
           "{} and threads 0 to {}.",
           end, program.block_count() - 1, program.threads_per_block() - 1));
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
    say("  too many values to trace each sum; choose a smaller size or BLOCK_SIZE\n");
  }
  for (std::size_t i = range.first; i < range.last; ++i) {
    print_one(program, found, i, step, options.thread.has_value());
  }
  return 0;
}

}  // namespace

void add_origin(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("origin", "Show which elements of A and B a value comes from");
  const auto options =
      add_shared_options(*command, tr("A variable (acc), register (%f3), shared-memory element "
                                      "(As[2][3]) or buffer element (C[1][2])"));
  command->add_option("--step", options->step,
                      "Number of steps to run first (default: run to the end)");
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command
      ->add_option("--of-thread", options->thread,
                   "Linear index of the thread in its block (only for variables)")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  tilestep origin tiled --size 8,8,8 --block 4 --of 'As[2][3]' --step 400\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(origin(*options, context)); });
}

void add_uses(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "uses", "List every read of an element, and every product and result that uses it");
  const auto options = add_shared_options(*command, tr("An element of a buffer: A[1][2]"));
  command->footer(
      "Example:\n"
      "  tilestep uses tiled --size 8,8,8 --block 4 --of 'A[1][2]'\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(uses(*options, context)); });
}

void add_sums(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "sums", "List the sums of each thread of a block, and where they are stored");
  const auto options = std::make_shared<SumsOptions>();
  add_launch_options(*command, options->launch);
  command->add_option("--step", options->step,
                      "Number of steps to run first (default: run to the end)");
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command->add_option("--of-thread", options->thread,
                      "Linear index of a thread in its block: lists only its sums, term by term");
  add_word_option(*command, "--build", options->build,
                  "Build: step (-G) or fast (as the hardware runs it)");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep sums register_tile_2d --size 16 --block 4 --of-thread 6 --step 4000\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = status_of(sums(*options, context)); });
}

}  // namespace tilestep::cli
