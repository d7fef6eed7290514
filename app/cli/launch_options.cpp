#include "cli/launch_options.h"

#include "problem/describe/words.h"
#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace tilestep::cli {
namespace {

std::optional<int> to_int(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

// "random:7" → {"random", "7"}
std::pair<std::string, std::string> name_and_value(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? std::pair{text, std::string()}
                                    : std::pair{text.substr(0, colon), text.substr(colon + 1)};
}

// "lockstep, sequential, run_ahead[:WARP] or random[:SEED]".
std::string schedules() {
  std::vector<std::string> all;
  for (const Word<simt::ScheduleKind>& word : words_of<simt::ScheduleKind>()) {
    all.push_back(std::string(word.file) + (word.value == simt::ScheduleKind::RunAhead ? "[:WARP]"
                                            : word.value == simt::ScheduleKind::Random ? "[:SEED]"
                                                                                       : ""));
  }
  return alternatives(all);
}

// The sliders' maximum: a size whose numbers are read one by one.
constexpr int kLargestOnStage = 64;

// A file is given by its path, not by the word.
bool is_file(problem::Pattern pattern) {
  return pattern == problem::Pattern::Csv || pattern == problem::Pattern::Npy;
}

// "distinct, ramp, random[:SEED], … or a .csv file"
std::string inputs() {
  using enum problem::Pattern;
  std::vector<std::string> all;
  for (const Word<problem::Pattern>& word : words_of<problem::Pattern>()) {
    if (!is_file(word.value)) {
      all.push_back(std::string(word.file) +
                    (word.value == Random || word.value == Unit || word.value == Decades ? "[:SEED]"
                     : word.value == Constant ? "[:VALUE]"
                                              : ""));
    }
  }
  all.emplace_back(tr("a .csv file"));
  return alternatives(all);
}

Result<problem::Problem> parse_size(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = to_int(part);
    if (!number || *number < 1) {
      return fail(
          tr("--size {}: '{}' is not a positive integer. Write M,N,K, for example 64,48,32.", text,
             part));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() == 1) {
    return problem::Problem{numbers[0], numbers[0], numbers[0]};
  }
  if (numbers.size() == 3) {
    return problem::Problem{numbers[0], numbers[1], numbers[2]};
  }
  return fail(tr("--size {}: write M,N,K, or one number for all three.", text));
}

constexpr int kMostNumbers = 10000;

std::optional<int> to_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < 1) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + separator.size());
  }
}

Error bad(const std::string& option, const std::string& text, std::string_view part,
          const char* example) {
  return {tr("{} {}: '{}' is not valid. Example: {}.", option, text, part, example)};
}

}  // namespace

void add_problem_options(CLI::App& command, LaunchOptions& options) {
  command.add_option("--size,--problem", options.size,
                     "Problem size: M,N,K, or one number for all three");
  command.add_option("--input", options.input,
                     tr("Values of A and B: {} (default: the preset's; without a preset, small up "
                        "to {} rows and columns, else distinct)",
                        inputs(), kLargestOnStage));
  command.add_option("--preset", options.preset,
                     "Named size (and input) from the catalog, for example 2x3_3x4");
}

void add_include_option(CLI::App& command, std::vector<std::filesystem::path>& include) {
  command.add_option("--include", include, "Additional include folder for a .cu; repeatable")
      ->allow_extra_args(false);
}

void add_build_option(CLI::App& command, LaunchOptions& options) {
  add_word_option(command, "--build", options.build,
                  "Build to show: step (-G, line by line), fast (optimized) or machine (the "
                  "hardware's instructions)");
}

bool has_own_spec(const LaunchOptions& options) {
  return !options.entry.empty() || !options.include.empty();
}

void add_launch_options(CLI::App& command, LaunchOptions& options) {
  command.add_option("kernel", options.kernel, "Catalog id, or a .cu file")->capture_default_str();
  add_include_option(command, options.include);
  add_problem_options(command, options);
  command.add_option("--block", options.block_size, "BLOCK_SIZE")
      ->check(CLI::Range(1, problem::kLargestBlockSize));
  command.add_option("--schedule", options.schedule, tr("Order of warps: {}", schedules()))
      ->capture_default_str();
  command
      .add_option("--warp-size", options.warp_size,
                  "Lanes per warp; fewer than 32: a teaching warp")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}))
      ->capture_default_str();
  // CLI11's option group is a subcommand without a name, which an empty argument would call.
  const auto of_own_file = [](CLI::Option* option) {
    option->group(tr("A .cu without a .toml in its folder"));
  };
  of_own_file(command.add_option("--description", options.description,
                                 "A .toml with another name, as `tilestep describe` writes it"));
  of_own_file(command.add_option("--entry", options.entry, "Kernel: NAME or NAME<BLOCK_SIZE>"));
  of_own_file(
      command.add_option("--grid", options.grid, "Blocks in the grid: X,Y[,Z] as expressions"));
  of_own_file(command.add_option("--threads", options.threads,
                                 "Threads per block: X,Y[,Z] as expressions"));
  of_own_file(command.add_option("--dynamic-shared", options.dynamic_shared,
                                 "Bytes of dynamic shared memory"));
  of_own_file(command.add_option("--buffer", options.buffers,
                                 "Buffer: NAME:ROWS,COLS:input|output|inout, repeatable"));
  of_own_file(command.add_option("--arg", options.arguments,
                                 "Argument: a buffer or an expression, repeatable"));
}

Result<LaunchChoice> parse_choice(const problem::Catalog& catalog, const LaunchOptions& options,
                                  const problem::LaunchSpec& spec) {
  LaunchChoice choice;
  std::optional<problem::InputSpec> preset_input;
  choice.parameters = problem::default_parameters(spec);
  if (!options.preset.empty()) {
    const auto preset = problem::find_preset(catalog, options.preset);
    TILESTEP_RETURN_IF_ERROR(preset);
    choice.parameters = {preset->problem, preset->block_size.value_or(spec.default_block_size)};
    preset_input = preset->input;
  }
  if (options.block_size > 0) {
    choice.parameters.block_size = options.block_size;
  }
  const auto size = options.size.empty() ? Result<problem::Problem>(choice.parameters.problem)
                                         : parse_size(options.size);
  const auto schedule = parse_schedule(options.schedule);
  const auto input = options.input.empty()
                         ? Result<problem::InputSpec>(preset_input.value_or(problem::InputSpec{}))
                         : parse_input(options.input);
  TILESTEP_RETURN_IF_ERROR(size);
  TILESTEP_RETURN_IF_ERROR(schedule);
  TILESTEP_RETURN_IF_ERROR(input);
  choice.parameters.problem = *size;
  choice.schedule = *schedule;
  choice.input = *input;
  const auto [M, N, K] = choice.parameters.problem;
  if (options.input.empty() && !preset_input && std::max({M, N, K}) <= kLargestOnStage) {
    choice.input.pattern = problem::Pattern::SmallIntegers;
  }
  return choice;
}

Result<simt::Schedule> parse_schedule(const std::string& text) {
  const auto [name, value] = name_and_value(text);
  simt::Schedule schedule;
  const auto number = value.empty() ? std::optional<int>(-1) : to_int(value);
  if (!number) {
    return fail(tr("--schedule {}: '{}' is not a number.", text, value));
  }
  const auto kind = value_of<simt::ScheduleKind>(name);
  if (!kind) {
    return fail(tr("--schedule {}: choose {}.", text, schedules()));
  }
  schedule.kind = *kind;
  if (*kind == simt::ScheduleKind::RunAhead) {
    schedule.run_ahead_warp = *number < 0 ? 0U : static_cast<std::uint32_t>(*number);
  } else if (*kind == simt::ScheduleKind::Random) {
    schedule.seed = *number < 0 ? 1U : static_cast<std::uint32_t>(*number);
  }
  return schedule;
}

Result<problem::InputSpec> parse_input(const std::string& text) {
  const auto [name, value] = name_and_value(text);
  problem::InputSpec input;
  const auto pattern = value_of<problem::Pattern>(name);
  if (pattern && !is_file(*pattern)) {
    input.pattern = *pattern;
  }
  if (pattern == problem::Pattern::Random || pattern == problem::Pattern::Unit ||
      pattern == problem::Pattern::Decades) {
    const auto seed = value.empty() ? std::optional<int>(1) : to_int(value);
    if (!seed) {
      return fail(tr("--input {}: '{}' is not a seed.", text, value));
    }
    input.seed = static_cast<std::uint32_t>(*seed);
  } else if (pattern == problem::Pattern::Constant) {
    std::istringstream number(value.empty() ? "1" : value);
    if (!(number >> input.constant) || !number.eof()) {
      return fail(tr("--input {}: '{}' is not a number.", text, value));
    }
  } else if (std::filesystem::path(text).extension() == ".csv") {
    auto csv = problem::read_file(text);
    TILESTEP_RETURN_IF_ERROR(csv);
    input.pattern = problem::Pattern::Csv;
    input.csv = std::move(*csv);
    input.csv_name = std::filesystem::path(text).filename().string();
  } else if (!pattern || is_file(*pattern)) {
    return fail(tr("--input {}: choose {}.", text, inputs()));
  }
  return input;
}

namespace {

// The kernel depends on the size, so no description can give it.
Result<problem::LaunchSpec> best_spec(const problem::Catalog& catalog,
                                      const LaunchOptions& options) {
  if (options.size.empty() && options.preset.empty()) {
    return fail(tr("{} depends on the problem size. Add --size, for example --size 1024.",
                   problem::kBestBySize));
  }
  const auto choice = parse_choice(catalog, options, {});
  TILESTEP_RETURN_IF_ERROR(choice);
  const problem::Problem& wanted = choice->parameters.problem;
  const auto best = problem::best_for(catalog, wanted);
  TILESTEP_RETURN_IF_ERROR(best);
  fmt::print(stderr, "{}\n", problem::explanation(*best, catalog.best, wanted));
  return *best->spec;
}

}  // namespace

Result<problem::LaunchSpec> find_spec(const problem::Catalog& catalog,
                                      const LaunchOptions& options) {
  if (options.kernel == problem::kBestBySize) {
    return best_spec(catalog, options);
  }
  if (!options.description.empty()) {
    return options.entry.empty()
               ? problem::load_kernel_file(options.kernel, options.description, options.include)
               : fail(tr("--description {} and --entry {}: the description already names "
                         "the kernel. Use only one of the two.",
                         options.description, options.entry));
  }
  if (options.entry.empty()) {
    return problem::find_spec(catalog, options.kernel, options.include);
  }
  return spec_of_flags(options);
}

Result<state::AppState> make_state(const problem::Catalog& catalog, const LaunchOptions& options) {
  const auto spec = find_spec(catalog, options);
  TILESTEP_RETURN_IF_ERROR(spec);
  const auto choice = parse_choice(catalog, options, *spec);
  TILESTEP_RETURN_IF_ERROR(choice);
  state::AppState state;
  // A description with another name must give its `source`.
  state.kernel = options.kernel == problem::kBestBySize ? spec->id
                 : options.description.empty()          ? options.kernel
                                                        : options.description;
  state.parameters = choice->parameters;
  state.schedule = choice->schedule;
  state.input = choice->input;
  state.warp_size = options.warp_size;
  state.build = options.build;
  state.focus.thread = spec->focus_thread;
  return state;
}

Result<std::vector<int>> parse_number_list(const std::string& text, const std::string& option) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ",")) {
    const auto ends = split(part, "..");
    const auto first = to_number(ends.front());
    const auto last = to_number(ends.back());
    if (ends.size() > 2 || !first || !last || *last < *first || *last - *first >= kMostNumbers) {
      return tl::unexpected(bad(option, text, part, "1..8,16,32"));
    }
    for (int number = *first; number <= *last; ++number) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

Result<std::vector<problem::Problem>> parse_problem_list(const std::string& text,
                                                         const std::string& option) {
  std::vector<problem::Problem> problems;
  for (const std::string_view part : split(text, ",")) {
    const auto sizes = split(part, "x");
    const auto M = to_number(sizes[0]);
    const auto N = sizes.size() == 3 ? to_number(sizes[1]) : M;
    const auto K = sizes.size() == 3 ? to_number(sizes[2]) : M;
    if ((sizes.size() != 1 && sizes.size() != 3) || !M || !N || !K) {
      return tl::unexpected(bad(option, text, part, "512,1024,100x200x50"));
    }
    problems.push_back({*M, *N, *K});
  }
  return problems;
}

}  // namespace tilestep::cli
