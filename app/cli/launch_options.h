// The options that say what is launched; check, trace, run, render and the window share them.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/launch/build.h"
#include "simt/machine/schedule.h"
#include "state/app_state.h"

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::cli {

struct LaunchOptions {
  std::string kernel = "tiled";       // catalog id or .cu file
  std::string size;                   // "M,N,K" or one number; empty: the description's own
  int block_size = 0;                 // 0: the description's own
  std::string schedule = "lockstep";  // lockstep, sequential, run_ahead[:WARP], random[:SEED]
  // small, distinct, ramp, random[:SEED], unit[:SEED], identity, constant[:V], FILE.csv; empty: the
  // preset's, or small up to the size of a screen and distinct beyond
  std::string input;
  std::string preset;  // size, BLOCK_SIZE and input where no option above gives them
  int warp_size = 32;
  problem::Build build = problem::Build::Step;  // what is shown; add_build_option
  // A description by flags, for a .cu without a .toml beside it.
  std::string description;  // a .toml of any name, for a .cu
  std::string entry;
  std::string grid;
  std::string threads;
  std::string dynamic_shared;
  std::vector<std::string> buffers;  // NAME:ROWS,COLS:input|output|inout
  std::vector<std::string> arguments;
  std::vector<std::filesystem::path> include;  // folders of what a .cu includes

  friend bool operator==(const LaunchOptions&, const LaunchOptions&) = default;
};

// Size, input and preset alone.
void add_problem_options(CLI::App& command, LaunchOptions& options);

void add_launch_options(CLI::App& command, LaunchOptions& options);

// The option --build of what shows a run: the window, a picture, a film.
void add_build_option(CLI::App& command, LaunchOptions& options);

// What the options say about a launch of `spec`; an option of its own goes before the preset's.
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

// Whether options, not the kernel's name alone, say what the kernel is: it joins a catalog under
// that name before a state can name it.
[[nodiscard]] bool has_own_spec(const LaunchOptions& options);

// The description: catalog, file, or file and flags. best_by_size is the winner for the size, which
// it says on stderr.
[[nodiscard]] Result<problem::LaunchSpec> find_spec(const problem::Catalog& catalog,
                                                    const LaunchOptions& options);

// An AppState that shows this launch at its start.
[[nodiscard]] Result<state::AppState> make_state(const problem::Catalog& catalog,
                                                 const LaunchOptions& options);

}  // namespace tilestep::cli
