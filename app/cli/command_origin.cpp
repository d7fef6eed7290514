// tilestep origin: where a value came from. tilestep uses: where an element went.
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "cli/sum_report.h"
#include "cli/word_option.h"
#include "insight/names.h"
#include "insight/trace/origin.h"
#include "problem/describe/words.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace tilestep::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kLongList = 40;  // entries of a list that text shows; JSON has all

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
  if (!prepared) {
    return tl::unexpected(prepared.error());
  }
  tell_guess(*prepared);
  auto recording = record_run(*prepared, "origin");
  if (!recording) {
    return tl::unexpected(recording.error());
  }
  return Recorded{std::move(*prepared), std::move(*recording)};
}

std::string block_name(const simt::Program& program, std::uint32_t block) {
  return insight::block_name(program.block_index(block), program.launch());
}

std::string thread_name(const simt::Program& program, std::uint32_t thread) {
  return insight::thread_name(program.thread_index(thread), program.launch());
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

int origin(const OriginOptions& options, Context& context) {
  const auto recorded = record_launch(options, context);
  if (!recorded) {
    return wrong_use(recorded.error());
  }
  const record::Recording& recording = *recorded->recording;
  const insight::Question question{options.of, options.step.value_or(recording.step_count()),
                                   options.block, options.thread};
  const auto found = insight::origin_of(recording, question);
  if (!found) {
    return wrong_use(found.error());
  }
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

// A heading and one line for each entry; not more than a reader wants.
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
  print_list(program, tr("stores of values that depend on it"), uses.outputs,
             [](const auto& output) { return output.cell; });
}

int uses(const OriginOptions& options, Context& context) {
  const auto recorded = record_launch(options, context);
  if (!recorded) {
    return wrong_use(recorded.error());
  }
  const auto found = insight::uses_of(*recorded->recording, options.of);
  if (!found) {
    return wrong_use(found.error());
  }
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
                  "Build: step (-G) or fast (as the hardware runs it)");
  command.add_flag("--json", options->as_json, "Print JSON");
  return options;
}

}  // namespace

void add_origin(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("origin", "Show which elements of A and B a value comes from");
  const auto options =
      add_shared_options(*command, tr("A variable (acc), register (%f3), shared element (As[2][3]) "
                                      "or buffer element (C[1][2])"));
  command->add_option("--step", options->step, "Look after this many steps (default: at the end)");
  command->add_option("--of-block", options->block, "Linear index of the block")
      ->capture_default_str();
  command
      ->add_option("--of-thread", options->thread,
                   "Linear index of the thread in its block, for variables")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  tilestep origin tiled --size 8,8,8 --block 4 --of 'As[2][3]' --step 400\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = origin(*options, context); });
}

void add_uses(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "uses", "List every read of an element, and every product and result that uses it");
  const auto options = add_shared_options(*command, tr("An element of a buffer: A[1][2]"));
  command->footer(
      "Example:\n"
      "  tilestep uses tiled --size 8,8,8 --block 4 --of 'A[1][2]'\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = uses(*options, context); });
}

}  // namespace tilestep::cli
