// The options that determine the launch, shared by check, trace, run, render and the window.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/launch/launch.h"
#include "problem/problem.h"
#include "problem/result.h"
#include "problem/words.h"
#include "simt/machine/schedule.h"
#include "state/app_state.h"

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::cli {

// The options of a launch as given on the command line, not yet checked.
struct LaunchOptions {
  std::string kernel = "tiled";       // catalog id or .cu file
  std::string size;                   // "M,N,K" or one number; empty: the description's default
  int block_size = 0;                 // 0: the description's default
  std::string schedule = "lockstep";  // lockstep, sequential, run_ahead[:WARP], random[:SEED]
  // small, distinct, ramp, random[:SEED], unit[:SEED], identity, constant[:V], FILE.csv; empty: the
  // preset's, or small up to the size of a screen and distinct beyond.
  std::string input;
  std::string preset;  // size, BLOCK_SIZE and input unless an option above gives them
  int warp_size = 32;
  problem::Build build = problem::Build::Step;  // the build that is shown; add_build_option
  // A description by flags, for a .cu without a .toml beside it.
  std::string description;  // a .toml of any name, for a .cu
  std::string entry;
  std::string grid;
  std::string threads;
  std::string dynamic_shared;
  std::vector<std::string> buffers;  // NAME:ROWS,COLS:input|output|inout
  std::vector<std::string> arguments;
  std::vector<std::filesystem::path> include;  // include folders of a .cu

  friend bool operator==(const LaunchOptions&, const LaunchOptions&) = default;
};

// Adds only size, input and preset.
void add_problem_options(CLI::App& command, LaunchOptions& options);

void add_launch_options(CLI::App& command, LaunchOptions& options);

// The option --build of commands that show a run: the window, a picture, a film.
void add_build_option(CLI::App& command, LaunchOptions& options);

// The chosen parameters for a launch of `spec`; an explicit option has priority over the preset.
struct LaunchChoice {
  problem::Parameters parameters;
  simt::Schedule schedule;
  problem::InputSpec input;
};
[[nodiscard]] Result<LaunchChoice> parse_choice(const problem::Catalog& catalog,
                                                const LaunchOptions& options,
                                                const problem::LaunchSpec& spec);

[[nodiscard]] Result<simt::Schedule> parse_schedule(const std::string& text);
[[nodiscard]] Result<problem::InputSpec> parse_input(const std::string& text);

// The option --include of every command that takes a .cu.
void add_include_option(CLI::App& command, std::vector<std::filesystem::path>& include);

// Whether options, not only the kernel's name, determine the kernel: it must be added to a catalog
// under that name before a state can name it.
[[nodiscard]] bool has_own_spec(const LaunchOptions& options);

// The description: catalog, file, or file and flags. best_by_size is the winner for the size, which
// is reported on stderr.
[[nodiscard]] Result<problem::LaunchSpec> find_spec(const problem::Catalog& catalog,
                                                    const LaunchOptions& options);

// An AppState that shows this launch at its start.
[[nodiscard]] Result<state::AppState> make_state(const problem::Catalog& catalog,
                                                 const LaunchOptions& options);

// An option whose value is one of an enum's words.

// `words`: the allowed ones; an error lists them.
template <class Enum>
CLI::Option* add_word_option(CLI::App& command, const std::string& flags, Enum& value,
                             const std::string& help,
                             std::vector<std::string> words = file_words<Enum>()) {
  return command
      .add_option_function<std::string>(
          flags, [&value](const std::string& text) { value = *value_of<Enum>(text); }, help)
      ->check(CLI::IsMember(std::move(words)))
      ->default_str(std::string(word_of(value).file));
}

// Lists of numbers on the command line: "1..8,16,32".

// Numbers and ranges with both ends, separated by commas; every number is at least 1. `option` is
// for messages: "--block-sizes 1..x: …".
[[nodiscard]] Result<std::vector<int>> parse_number_list(const std::string& text,
                                                         const std::string& option);

// "512,1024,100x200x50": one number is M = N = K, three joined by x are M, N and K.
[[nodiscard]] Result<std::vector<problem::Problem>> parse_problem_list(const std::string& text,
                                                                       const std::string& option);

// A launch described by flags, for a .cu without a .toml: --entry, --grid, --threads,
// --dynamic-shared, --buffer, --arg.

// The description and the file's text. Errors name the flag.
[[nodiscard]] Result<problem::LaunchSpec> spec_of_flags(const LaunchOptions& options);

}  // namespace tilestep::cli
