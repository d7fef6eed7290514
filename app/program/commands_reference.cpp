// tilestep reference: the tables of docs/keys.md and docs/commands.md (scripts/reference.py).
#include "program/commands.h"
#include "ui/actions.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::program {
namespace {

// Escapes text for one cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2) {
    text.replace(at, 1, text[at] == '|' ? "\\|" : "  ");
  }
  return text;
}

std::string keys_of(const ui::Action& action) {
  const std::string other = ui::key_name(action.other_key);
  return ui::key_name(action.key) + (other.empty() ? "" : ", " + other);
}

void print_keys() {
  using enum ui::ActionGroup;
  std::string without;
  for (const ui::ActionGroup group : {Stepping, Running, Looking, Comparing, Arranging, Working}) {
    fmt::print("\n## {}\n\n| key | name | does |\n|---|---|---|\n", ui::name(group));
    for (const ui::Action& action : ui::actions()) {
      const std::string label = cell(action.label.text());
      if (action.group == group && action.key == 0) {
        without += fmt::format("| {} | {} |\n", ui::name(group), label);
      } else if (action.group == group) {
        fmt::print("| {} | {} | {} |\n", cell(keys_of(action)), label, cell(action.tooltip.text()));
      }
    }
  }
  fmt::print("\n## Without a key\n\n| group | name in the palette |\n|---|---|\n{}", without);
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* inner) { return !inner->get_group().empty(); });
}

// "lesson check" for the command check of lesson.
std::string full_name(const CLI::App& command, const CLI::App& program) {
  const bool is_inner = &command != &program && command.get_parent() != &program;
  return is_inner ? command.get_parent()->get_name() + " " + command.get_name()
                  : command.get_name();
}

// An option that the program itself has, with the same description.
bool is_common(const CLI::Option& option, const CLI::App& program) {
  const CLI::Option* const same =
      option.get_lnames().empty() ? nullptr
                                  : program.get_option_no_throw("--" + option.get_lnames().front());
  return same != nullptr && same->get_description() == option.get_description();
}

void print_command(const CLI::App& command, const CLI::App& program) {
  fmt::print("\n## {}\n\n{}\n\n```\n{}\n```\n", full_name(command, program),
             command.get_description(), command.get_footer());
  std::string rows;
  for (const CLI::Option* option : command.get_options()) {
    const bool is_known = &command != &program && is_common(*option, program);
    if (!option->get_group().empty() && !is_known && option->get_name(true) != "kernel") {
      rows += fmt::format("| `{}` | {} |\n", cell(option->get_name(true, true)),
                          cell(option->get_description()));
    }
  }
  if (!rows.empty()) {
    fmt::print("\n| option | is |\n|---|---|\n{}", rows);
  }
  for (const CLI::App* inner :
       &command == &program ? std::vector<const CLI::App*>() : shown_commands(command)) {
    print_command(*inner, program);
  }
}

void print_commands(const CLI::App& program) {
  fmt::print("\n| command | does |\n|---|---|\n");
  for (const CLI::App* command : shown_commands(program)) {
    fmt::print("| [`{0}`](#{0}) | {1} |\n", command->get_name(), cell(command->get_description()));
  }
  print_command(program, program);
  for (const CLI::App* command : shown_commands(program)) {
    print_command(*command, program);
  }
}

}  // namespace

void add_reference_command(CLI::App& app) {
  auto* command = app.add_subcommand("reference");
  command->group("");  // not in --help
  auto of = std::make_shared<std::string>();
  command->add_option("of", *of)->required()->check(CLI::IsMember({"keys", "commands"}));
  command->callback([of, &app] { *of == "keys" ? print_keys() : print_commands(app); });
}

}  // namespace tilestep::program
