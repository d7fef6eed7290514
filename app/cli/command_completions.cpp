// tilestep completions: scripts that a package installs for the shells; not listed by --help.
#include "cli/command.h"
#include "cli/prepare.h"
#include "problem/result.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::cli {
namespace {

struct CompletedOption {
  std::vector<std::string> names;  // with their dashes
  std::string description;
  bool takes_value = false;
  std::vector<std::string> values;  // the only ones it accepts; empty: any
};

struct CompletedCommand {
  std::string name;  // empty: the program itself
  std::string description;
  std::vector<CompletedOption> options;
  bool takes_kernel = false;
  std::vector<std::string> inner;  // nested commands: "check" of "lesson check"
};

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* inner) { return !inner->get_group().empty(); });
}

// CLI11 lists an option's only values in its type, as in "TEXT:{dark,light}" and
// "{line->1,warp->2}".
std::vector<std::string> only_values(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  std::vector<std::string> values;
  if (begin != std::string::npos && end != std::string::npos && begin < end) {
    for (const std::string& value : comma_separated(type.substr(begin + 1, end - begin - 1))) {
      values.push_back(value.substr(0, value.find("->")));
    }
  }
  return values;
}

void add_options(CompletedCommand& command, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) {
      continue;
    }
    command.takes_kernel = command.takes_kernel || option->get_name(true) == "kernel";
    if (!option->nonpositional()) {
      continue;
    }
    CompletedOption completed{{},
                              option->get_description(),
                              option->get_items_expected_max() > 0,
                              only_values(option->get_type_name())};
    for (const std::string& name : option->get_snames()) {
      completed.names.push_back("-" + name);
    }
    for (const std::string& name : option->get_lnames()) {
      completed.names.push_back("--" + name);
    }
    command.options.push_back(std::move(completed));
  }
}

// Includes the options of nested commands, each once: "lesson check" has those of "lesson".
CompletedCommand completed_command(const CLI::App& app) {
  CompletedCommand command;
  command.name = app.get_parent() == nullptr ? "" : app.get_name();
  command.description = app.get_description();
  add_options(command, app);
  for (const CLI::App* inner :
       app.get_parent() == nullptr ? std::vector<const CLI::App*>() : shown_commands(app)) {
    CompletedCommand found = completed_command(*inner);
    command.inner.push_back(found.name);
    command.takes_kernel = command.takes_kernel || found.takes_kernel;
    for (CompletedOption& option : found.options) {
      if (std::ranges::find(command.options, option.names, &CompletedOption::names) ==
          command.options.end()) {
        command.options.push_back(std::move(option));
      }
    }
  }
  return command;
}

// The program itself first.
std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands{completed_command(app)};
  for (const CLI::App* inner : shown_commands(app)) {
    commands.push_back(completed_command(*inner));
  }
  return commands;
}

std::string names_between(const std::vector<CompletedCommand>& commands, const char* between) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) {
    if (!command.name.empty()) {
      names.push_back(command.name);
    }
  }
  return fmt::format("{}", fmt::join(names, between));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Quotes text for bash and zsh with single quotes.
std::string in_quotes(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

std::string bash_values(const CompletedCommand& command) {
  std::string cases;
  for (const CompletedOption& option : command.options) {
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) {
      patterns.push_back(command.name + ":" + name);
    }
    if (option.takes_value) {
      cases += fmt::format("    {}) values={} ;;\n", fmt::join(patterns, "|"),
                           option.values.empty()
                               ? "FILES"
                               : in_quotes(fmt::format("{}", fmt::join(option.values, " "))));
    }
  }
  return cases;
}

std::string bash_words(const CompletedCommand& command, const std::string& words) {
  std::vector<std::string> options;
  for (const CompletedOption& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("    {})\n      options='{}'\n      words='{}' ;;\n",
                     command.name.empty() ? "''" : command.name, fmt::join(options, " "), words);
}

// The shell needs, besides the words, the command of the line, and whether a file may be at the
// cursor.
std::string bash_script(const std::vector<CompletedCommand>& commands, const std::string& kernels) {
  std::string values;
  std::string words;
  for (const CompletedCommand& command : commands) {
    values += bash_values(command);
    const std::string first = command.name.empty() ? names_between(commands, " ") + " " : "";
    const std::string inner =
        fmt::format("{}{}", fmt::join(command.inner, " "), command.inner.empty() ? "" : " ");
    words += bash_words(command, first + inner + (command.takes_kernel ? kernels : ""));
  }
  return fmt::format(

#include "cli/completions_bash.txt.inc"
      , names_between(commands, "|"), values, words);
}

// One argument of zsh's _arguments: '(-h --help)'{-h,--help}'[text]:value:_files'
std::string zsh_option(const CompletedOption& option) {
  std::string text = replaced(option.description, "\\", "\\\\");
  for (const char* special : {"[", "]", ":"}) {
    text = replaced(text, special, std::string("\\") + special);
  }
  std::string rest = "[" + text + "]";
  if (option.takes_value) {
    rest += ":value:";
    rest += option.values.empty() ? "_files" : fmt::format("({})", fmt::join(option.values, " "));
  }
  if (option.names.size() == 1) {
    return option.names[0] + in_quotes(rest);
  }
  return fmt::format("'({})'{{{}}}{}", fmt::join(option.names, " "), fmt::join(option.names, ","),
                     in_quotes(rest));
}

std::string zsh_script(const std::vector<CompletedCommand>& commands, const std::string& kernels) {
  std::string described;
  std::string cases;
  for (const CompletedCommand& command : commands) {
    if (!command.name.empty()) {
      described += "    " + in_quotes(command.name + ":" + command.description) + "\n";
    }
    cases += fmt::format("    {})\n      _arguments", command.name.empty() ? "''" : command.name);
    for (const CompletedOption& option : command.options) {
      cases += " \\\n        " + zsh_option(option);
    }
    const std::string next = !command.inner.empty()
                                 ? fmt::format("({})", fmt::join(command.inner, " "))
                             : command.takes_kernel ? "_tilestep_kernels"
                                                    : "_files";
    cases += command.name.empty()
                 ? " \\\n        '1:command or kernel:_tilestep_first' ;;\n"
                 : fmt::format(" \\\n        '1: :({})' '*: :{}' ;;\n", command.name, next);
  }
  return fmt::format(

#include "cli/completions_zsh.txt.inc"
      , kernels, described, names_between(commands, "|"), cases);
}

std::string fish_quotes(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const std::string& when, const CompletedOption& option) {
  std::string line = "complete -c tilestep -n " + when;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.values.empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
  } else if (option.takes_value) {
    line += " -r";
  }
  return line + " -d " + fish_quotes(option.description) + "\n";
}

std::string fish_script(const std::vector<CompletedCommand>& commands, const std::string& kernels) {
  std::string script =
      "# Completions of tilestep for fish, written by `tilestep completions fish`.\n";
  for (const CompletedCommand& command : commands) {
    const bool is_program = command.name.empty();
    const std::string when =
        is_program ? "__fish_use_subcommand" : "'__fish_seen_subcommand_from " + command.name + "'";
    if (!is_program) {
      script += fmt::format("complete -c tilestep -n __fish_use_subcommand -a {} -d {}\n",
                            command.name, fish_quotes(command.description));
    }
    if (!command.inner.empty()) {
      script +=
          fmt::format("complete -c tilestep -n {} -a '{}'\n", when, fmt::join(command.inner, " "));
    }
    if (command.takes_kernel) {
      script += fmt::format("complete -c tilestep -n {} -a '{}' -d kernel\n", when, kernels);
    }
    for (const CompletedOption& option : command.options) {
      script += fish_option(when, option);
    }
  }
  return script;
}

// A script for `shell`, which is bash, zsh or fish (another one is an error): subcommands, options,
// the values of options that have a list of them, file names for the other options, and `kernels`
// for arguments that are kernels. Hidden subcommands and options are left out.
Result<std::string> completions(const CLI::App& app, const std::string& shell,
                                const std::vector<std::string>& kernels) {
  const std::vector<CompletedCommand> commands = completed_commands(app);
  const std::string words = fmt::format("{}", fmt::join(kernels, " "));
  if (shell == "bash") {
    return bash_script(commands, words);
  }
  if (shell == "zsh") {
    return zsh_script(commands, words);
  }
  if (shell == "fish") {
    return fish_script(commands, words);
  }
  return fail(tr("Completions exist for bash, zsh and fish, but not for '{}'.", shell));
}

Result<int> print_completions(const CLI::App& app, const std::string& shell,
                              const workspace::Paths& paths) {
  const auto catalog = problem::load_catalog(paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  std::vector<std::string> kernels;
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    kernels.push_back(spec.id);
  }
  if (!catalog->best.winners.empty()) {
    kernels.emplace_back(problem::kBestBySize);
  }
  const auto script = completions(app, shell, kernels);
  TILESTEP_RETURN_IF_ERROR(script);
  fmt::print("{}", *script);
  return 0;
}

}  // namespace

void add_completions(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completions", "Print completions for a shell");
  command->group("");  // not in --help
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer("Example:\n  tilestep completions bash");
  command->callback([shell, &app, &context] {
    context.status = status_of(print_completions(app, *shell, context.paths));
  });
}

}  // namespace tilestep::cli
