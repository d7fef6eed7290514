// Command lines, one argument per line: parsed without carrying them out, or refused with one
// sentence; and the values of options with a grammar of their own.
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/launch_options.h"
#include "lesson/place.h"
#include "require.h"
#include "targets.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

namespace tilestep::fuzz {
namespace {

template <class Value>
void require_sentence(const Result<Value>& value) {
  require(value || !value.error().message.empty(), "an error has a sentence");
}

void read_values(const std::string& text) {
  require_sentence(cli::parse_schedule(text));
  require_sentence(cli::parse_number_list(text, "--option"));
  require_sentence(cli::parse_problem_list(text, "--option"));
  require_sentence(lesson::parse_place(text));
  cli::LaunchOptions options;
  options.kernel = "";
  options.grid = options.threads = text;
  options.buffers = {"A:M,K", text};
  options.arguments = {"A", text};
  require_sentence(cli::spec_of_flags(options));
  options.size = text;
  require_sentence(cli::parse_choice({}, options, {}));
}

std::vector<std::string> lines_of(Bytes bytes) {
  std::vector<std::string> lines;
  std::istringstream stream(text_of(bytes));
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line.substr(0, line.find('\0')));
  }
  return lines;
}

}  // namespace

void read_command_line(Bytes bytes) {
  std::vector<std::string> arguments = lines_of(bytes);
  std::for_each(arguments.begin(), arguments.end(), read_values);

  cli::Context context;
  cli::WindowOptions window;
  CLI::App app;
  cli::add_everything(app, window, context, {});
  // Called before the subcommands are carried out.
  app.parse_complete_callback([] { throw CLI::Success(); });
  std::reverse(arguments.begin(), arguments.end());  // the order that the library requires
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    const std::string sentence = cli::refusal(app, error);
    require(error.get_exit_code() == 0 || sentence.ends_with(" --help."),
            "a refusal says where help is: " + sentence);
  }
}

}  // namespace tilestep::fuzz
