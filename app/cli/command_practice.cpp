// tilestep practice: questions that the program makes up, with their answers.
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/prepare.h"
#include "cli/say.h"
#include "course/practice.h"
#include "lesson/words.h"
#include "problem/describe/catalog.h"
#include "problem/language.h"
#include "problem/printable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace tilestep::cli {
namespace {

using nlohmann::json;

struct PracticeCommand {
  LaunchOptions launch;
  std::string place;
  course::PracticeOptions practice;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool as_json = false;
};

json practice_json(const course::PracticeQuestion& made) {
  const lesson::Question& question = made.question;
  json wrong = json::array();
  for (std::size_t i = 0; i < made.wrong.size(); ++i) {
    wrong.push_back({{"expression", question.wrong[i].is.text()},
                     {"value", course::told_of(made.wrong[i])},
                     {"says", question.wrong[i].says.in(spoken_language())}});
  }
  return {{"name", question.name},
          {"kind", word_of(question.kind).file},
          {"question", question.ask.in(spoken_language())},
          {"expression", question.answer.text()},
          {"answer", course::told_of(made.answer)},
          {"wrong", std::move(wrong)}};
}

void print_practice(std::size_t number, const course::PracticeQuestion& made) {
  const lesson::Question& question = made.question;
  say("{}. {}\n", number, question.ask.in(spoken_language()));
  say("   {}   ({} = {})\n", course::told_of(made.answer), word_of(question.kind).file,
      question.answer.text());
  for (std::size_t i = 0; i < made.wrong.size(); ++i) {
    say("   not {}: {}\n", course::told_of(made.wrong[i]),
        question.wrong[i].says.in(spoken_language()));
  }
}

Result<lesson::Position> position_of(PracticeCommand& options, Context& context,
                                     problem::Catalog& catalog) {
  auto own = own_kernel(context, catalog, options.launch);
  if (!own) {
    return tl::unexpected(own.error());
  }
  if (*own) {
    tell_guess((*own)->guessed);
    catalog.kernels.push_back(std::move((*own)->spec));
  }
  auto state = make_state(catalog, options.launch);
  if (!state) {
    return tl::unexpected(state.error());
  }
  lesson::Position from{std::move(*state), {}};
  from.state.focus.block = options.block;
  from.state.focus.thread = options.thread;
  if (!options.place.empty()) {
    const auto place = lesson::parse_place(options.place);
    if (!place) {
      return tl::unexpected(place.error());
    }
    from.place = *place;
    options.practice.is_here = true;
  }
  return from;
}

int practice(PracticeCommand& options, Context& context) {
  auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  const auto from = position_of(options, context, *catalog);
  if (!from) {
    return wrong_use(from.error());
  }
  course::Answers answers({context.compiler, *catalog, nullptr, nullptr});
  const auto made = course::practise(*from, options.practice, answers);
  if (!made) {
    return wrong_use(made.error());
  }
  json all = json::array();
  for (std::size_t i = 0; i < made->size(); ++i) {
    if (options.as_json) {
      all.push_back(practice_json((*made)[i]));
    } else {
      print_practice(i + 1, (*made)[i]);
    }
  }
  if (options.as_json) {
    fmt::print("{}\n", json_text(all));
  }
  return 0;
}

}  // namespace

void add_practice(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("practice", "Make up questions about a kernel, with their answers");
  auto options = std::make_shared<PracticeCommand>();
  add_launch_options(*command, options->launch);
  command->add_option("--seed", options->practice.seed, "The same seed asks the same questions")
      ->capture_default_str();
  command->add_option("--count", options->practice.count, "How many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--at", options->place,
                      "Ask of one place alone: start, statement:N, phase:N, step:N");
  command->add_option("--of-block", options->block, "With --at: the block asked about")
      ->capture_default_str();
  command->add_option("--of-thread", options->thread, "With --at: the thread asked about")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tilestep practice tiled --size 8,8,8 --block 4 --count 5 --seed 7\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = practice(*options, context); });
}

}  // namespace tilestep::cli
