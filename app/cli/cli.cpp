#include "cli/cli.h"

#include "cli/prepare.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace tilestep::cli {
namespace {

// The library's own words in a help text, by its name of each.
constexpr std::array<std::pair<const char*, Message>, 5> kHelpLabels{
    {{"Usage", Message("Usage")},
     {"Positionals", Message("Arguments")},
     {"OPTIONS", Message("OPTIONS")},
     {"SUBCOMMAND", Message("SUBCOMMAND")},
     {"REQUIRED", Message("REQUIRED")}}};

constexpr Message kHelpOption = "Print this help message and exit";

constexpr Message kOptionsGroup = "Options";

constexpr Message kCommandsGroup = "Subcommands";

constexpr const char* kLanguage = "--language";
constexpr std::string_view kHandout = "handout";
constexpr std::string_view kLanguageIs = "--language=";

// "tilestep check": the subcommand in the arguments, as far as they were parsed.
std::string command_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + chosen.front()->get_name();
}

// An option without a value must be left out; an empty value is a script's mistake.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_items_expected_max() > 0) {
      option->check([](const std::string& value) {
        return std::string(value.empty() ? tr("the value is empty") : "");
      });
    }
  }
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*command);
  }
}

constexpr const char* kOpen = "open";
constexpr const char* kFresh = "--fresh";
constexpr const char* kSession = "--session";
constexpr const char* kSentences = "--sentences";
constexpr const char* kLesson = "lesson";

// True unless a subcommand did its work itself.
bool opens_window(const CLI::App& app, const WindowOptions& window) {
  return app.get_subcommands().empty() || app.got_subcommand(kOpen) ||
         (app.got_subcommand(kLesson) && !window.lesson.empty());
}

// Options before a subcommand belong to the window and would have no effect, except those of a
// window that `open` or `lesson` opens.
void refuse_before_command(CLI::App& app, const WindowOptions& window) {
  app.parse_complete_callback([&app, &window] {
    if (app.get_subcommands().empty()) {
      return;
    }
    for (const CLI::Option* const option : app.get_options()) {
      const bool is_of_window = option->check_name(kFresh) || option->check_name(kSession) ||
                                option->check_name(kSentences);
      if (option->count() > 0 && !(is_of_window && opens_window(app, window))) {
        const std::string command = app.get_subcommands().front()->get_name();
        const std::string what = option->get_positional() ? option->results().front()
                                                          : "--" + option->get_lnames().front();
        throw CLI::ParseError(tr("'{}' before {} has no effect. Write it after: tilestep {} {}{}",
                                 what, command, command, what,
                                 option->get_positional() || option->get_items_expected_max() == 0
                                     ? ""
                                     : " " + fmt::format("{}", fmt::join(option->results(), " "))),
                              CLI::ExitCodes::ExtrasError);
      }
    }
  });
}

// After `handout` it is the handout's language, which the program need not have.
std::string take_language(std::vector<char*>& arguments) {
  std::string language;
  for (auto at = arguments.begin(); at != arguments.end() && std::string_view(*at) != "--";) {
    const std::string_view text = *at;
    if (text == kHandout) {
      break;
    }
    if (text.starts_with(kLanguageIs)) {
      language = text.substr(kLanguageIs.size());
      at = arguments.erase(at);
    } else if (text == kLanguage && std::next(at) != arguments.end()) {
      language = *std::next(at);
      at = arguments.erase(at, at + 2);
    } else {
      ++at;
    }
  }
  return language;
}

// Translates the help and footers of an application and its subcommands to the current language.
void translate_help(CLI::App& app) {
  for (const auto& [name, label] : kHelpLabels) {
    app.get_formatter()->label(name, label.text());
  }
  app.set_help_flag("-h,--help", kHelpOption.text());
  if (app.get_parent() != nullptr && app.get_group() == kCommandsGroup.english) {
    app.group(kCommandsGroup.text());
  }
  app.description(tr(app.get_description().c_str()));
  app.footer(tr(app.get_footer().c_str()));
  for (CLI::Option* const option : app.get_options()) {
    option->description(tr(option->get_description().c_str()));
    if (const std::string group = option->get_group(); group == kOptionsGroup.english) {
      option->group(kOptionsGroup.text());
    } else if (!group.empty()) {
      option->group(tr(group.c_str()));
    }
  }
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    translate_help(*command);
  }
}

}  // namespace

// The library's messages name place and cause, but list unexpected arguments without separators,
// and omit empty ones.
std::string refusal(const CLI::App& app, const CLI::ParseError& error) {
  const std::string command = command_name(app);
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> unknown = app.remaining(true);
    for (std::string& word : unknown) {
      word = tr("'{}'", word);
    }
    what = tr("{} has no option or argument {}", command, fmt::join(unknown, ", "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    what = tr("{} has too few or too many values", what.substr(0, what.find(':')));
  }
  return tr("{}. See {} --help.", what, command);
}

namespace {

void add_session_options(CLI::App& app, WindowOptions& window) {
  app.add_flag(kFresh, window.fresh, "Open the window in its initial state");
  app.add_option(kSession, window.session, "Name of the session to continue and save")
      ->option_text("NAME");
  app.add_flag(kSentences, window.sentences,
               "Print what the window says as it changes, for a screen reader: sentences, lessons, "
               "questions, verdicts");
}

void add_open(CLI::App& app, WindowOptions& window) {
  auto* command = app.add_subcommand(kOpen, "Open the window and show a scene");
  command->add_option("scene", window.scene, "A link ('tilestep:…'), or a scene's .toml")
      ->required()
      ->option_text("LINK|FILE");
  command->add_flag("--embed", window.embed, "Only the stage, its sentence and the step bar");
  command->footer(
      "Example:\n  tilestep open 'tilestep:version=1&kernel=%22naive%22&step=40'\n"
      "Exit status: 0 the window was closed; 2 wrong use or input.");
}

// `tilestep lesson 3` opens the window; `check` and `list` do not.
void add_lesson_to_open(CLI::App& app, WindowOptions& window) {
  app.get_subcommand(kLesson)
      ->add_option("lesson", window.lesson,
                   "Open the window and show a lesson: its number, its id, or your own file")
      ->option_text("3|ID|FILE.md");
}

}  // namespace

void add_everything(CLI::App& app, WindowOptions& window, Context& context, const Hooks& hooks) {
  app.description(
      "Steps through CUDA tiled matrix multiplication: shows which tile each block loads, what "
      "each thread adds up, and what this costs.");
  app.name("tilestep");
  app.set_version_flag("--version", hooks.version, "Print the version");
  app.footer(
      "Examples:\n  tilestep                          opens the window with the tiled kernel\n  "
      "tilestep naive --size 8,12,16     opens another kernel and size\n  tilestep my_kernel.cu    "
      "         opens your own, with my_kernel.toml in its folder\n  tilestep SUBCOMMAND --help    "
      "    each subcommand has an example");
  add_launch_options(app, window.launch);
  add_build_option(app, window.launch);
  add_session_options(app, window);
  add_open(app, window);
  app.add_option(
         kLanguage,
         "Language, for every subcommand: en, zh (default: from LC_ALL, LC_MESSAGES or LANG)")
      ->type_name("TAG");
  app.require_subcommand(0, 1);
  add_check(app, context);
  add_describe(app, context);
  add_counters(app, context);
  add_occupancy(app, context);
  add_clock(app, context);
  add_why(app, context);
  add_chart(app, context);
  add_trace(app, context);
  add_sums(app, context);
  add_origin(app, context);
  add_uses(app, context);
  add_run(app, context);
  add_bench(app, context);
  add_tune(app, context);
  add_errors(app, context);
  add_ceilings(app, context);
  add_merge(app, context);
  add_convert(app, context);
  add_launch(app, context);
  add_host(app, context);
  add_lesson(app, context);
  add_lab(app, context);
  add_lesson_to_open(app, window);
  add_practice(app, context);
  add_doctor(app, context, hooks.gl);
  if (hooks.add_render) {
    hooks.add_render(app, context);
  }
  add_completions(app, context);
  refuse_empty_values(app);
  refuse_before_command(app, window);
  assert(app.get_subcommands([](const CLI::App* command) { return command->get_name().empty(); })
             .empty() &&
         "an empty argument would call it");
}

int run(int argc, char** argv, const Hooks& hooks) {
  const auto owned = std::make_shared<Context>();
  Context& context = *owned;
  find_languages(context.paths.assets / "words");
  std::vector<char*> arguments(argv, argv + argc);
  context.language = take_language(arguments);
  if (const Result<void> spoken = set_usual_language(context.language); !spoken) {
    return wrong_use(spoken.error());
  }
  WindowOptions window;
  CLI::App app;
  add_everything(app, window, context, hooks);
  translate_help(app);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      return wrong_use({refusal(app, error)});
    }
    std::ostringstream asked_for;  // --help, --version
    app.exit(error, asked_for);
    fmt::print("{}", asked_for.str());
    return 0;
  }
  if (!opens_window(app, window)) {
    return context.status;
  }
  if (!hooks.open_window) {
    return wrong_use({tr("This build has no window. See tilestep --help.")});
  }
  return status_of(hooks.open_window(window, owned));
}

}  // namespace tilestep::cli
