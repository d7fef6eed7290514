#include "cli/prepare.h"

#include "cli/describe.h"
#include "cli/output.h"
#include "clock/places.h"
#include "problem/describe/spec_parts.h"
#include "problem/launch/launch.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace tilestep::cli {
namespace {

// "a.cu:3:5: ", as far as known.
std::string place_of(const compile::Diagnostic& diagnostic) {
  const bool has_file = !diagnostic.file.empty();
  if (diagnostic.line == 0) {
    return has_file ? diagnostic.file + ": " : std::string();
  }
  return fmt::format("{}{}:{} ", has_file ? diagnostic.file + ":" : "line ", diagnostic.line,
                     diagnostic.column == 0 ? "" : fmt::format("{}:", diagnostic.column));
}

// A user's text without a description.
bool is_bare(const problem::Catalog& catalog, const LaunchOptions& options) {
  const std::filesystem::path file = options.kernel;
  std::error_code ignored;
  return options.description.empty() && options.entry.empty() && file.extension() == ".cu" &&
         catalog.find(options.kernel) == nullptr &&
         std::filesystem::is_regular_file(file, ignored) &&
         !std::filesystem::exists(std::filesystem::path(file).replace_extension(".toml"), ignored);
}

struct Described {
  problem::LaunchSpec spec;
  std::string guessed;
};

Result<Described> described(Context& context, const problem::Catalog& catalog,
                            const LaunchOptions& options) {
  if (!is_bare(catalog, options)) {
    auto spec = find_spec(catalog, options);
    return spec ? Result<Described>({std::move(*spec), ""}) : tl::unexpected(spec.error());
  }
  auto inference = infer_launch(context.compiler, options.kernel, "", options.include);
  TILESTEP_RETURN_IF_ERROR(inference);
  auto guessed = what_was_guessed(*inference, options.kernel);
  return guessed ? Result<Described>({std::move(inference->proposal.spec), std::move(*guessed)})
                 : tl::unexpected(guessed.error());
}

}  // namespace

Error compile_error(const loading::LoadFailure& failure) {
  std::string message = failure.error.message;
  for (const compile::Diagnostic& diagnostic : failure.diagnostics) {
    // A missing header may be the cause.
    const bool is_shown = diagnostic.severity == compile::Severity::Error ||
                          compile::names_missing_header(diagnostic);
    const bool is_above = failure.error.message.find(diagnostic.message) != std::string::npos;
    const std::string place = place_of(diagnostic);
    const bool is_first = failure.error.message == place + diagnostic.message;
    if (is_shown && !is_first && !(is_above && diagnostic.line == 0)) {
      message += "\n  " + place + diagnostic.message;
    }
  }
  return {message};
}

Result<Prepared> prepare(Context& context, const LaunchOptions& options, compile::Build build,
                         int architecture, problem::BufferContents contents,
                         const problem::LaunchSpec* known) {
  const auto catalog = problem::load_catalog(context.paths.kernels, options.kernel);
  TILESTEP_RETURN_IF_ERROR(catalog);
  auto found =
      known != nullptr ? Result<Described>({*known, ""}) : described(context, *catalog, options);
  TILESTEP_RETURN_IF_ERROR(found);
  const auto choice = parse_choice(*catalog, options, found->spec);
  TILESTEP_RETURN_IF_ERROR(choice);
  auto prepared = loading::prepare(
      context.compiler, found->spec, choice->parameters, choice->input,
      {build, options.warp_size, loading::Declarations::Always, architecture, contents});
  if (!prepared) {
    return tl::unexpected(compile_error(prepared.error()));
  }
  auto schedule =
      clock::with_clocks(choice->schedule, prepared->program, context.compiler, found->spec,
                         choice->parameters, choice->input, context.paths.assets / "clock");
  TILESTEP_RETURN_IF_ERROR(schedule);
  return Prepared{std::move(*prepared), std::move(found->spec), *std::move(schedule),
                  std::move(found->guessed)};
}

Result<std::shared_ptr<const record::Recording>> record_run(const Prepared& prepared,
                                                            const std::string& command) {
  const ProgressLine progress(command, 0);
  return record::Recording::make(prepared.program, prepared.schedule);
}

void tell_guess(const std::string& guessed) {
  if (!guessed.empty()) {
    fmt::print(stderr, "{}\n", printable(guessed));
  }
}
void tell_guess(const Prepared& prepared) {
  tell_guess(prepared.guessed);
}

Result<std::optional<OwnKernel>> own_kernel(Context& context, const problem::Catalog& catalog,
                                            const LaunchOptions& options) {
  if (has_own_spec(options)) {
    auto spec = find_spec(catalog, options);
    TILESTEP_RETURN_IF_ERROR(spec);
    spec->id = options.description.empty() ? options.kernel : options.description;
    return OwnKernel{std::move(*spec), ""};
  }
  if (!is_bare(catalog, options)) {
    return std::nullopt;
  }
  auto inference = infer_launch(context.compiler, options.kernel, "", options.include);
  if (!inference) {
    return std::nullopt;  // opening it will report the error
  }
  auto guessed = what_was_guessed(*inference, options.kernel);
  inference->proposal.spec.id = options.kernel;
  return OwnKernel{std::move(inference->proposal.spec),
                   guessed ? std::move(*guessed) : guessed.error().message};
}

std::string headline(const Prepared& p) {
  const auto& size = p.launch.parameters.problem;
  std::string line = p.launch.id;
  if (problem::mentions_problem(p.spec)) {
    line += fmt::format("  {}×{}×{}", size.M, size.N, size.K);
  }
  if (p.spec.uses_block_size) {
    line += tr("  BLOCK_SIZE {}", p.launch.parameters.block_size);
  }
  return line + tr("  {} blocks of {} threads", problem::extent_text(p.launch.grid),
                   problem::extent_text(p.launch.block));
}

int wrong_use(const Error& error) {
  fmt::print(stderr, "tilestep: {}\n", printable(error.message));
  return 2;
}

int status_of(const Result<int>& done) {
  return done ? *done : wrong_use(done.error());
}

void Interrupt::set_save(std::function<void()> save) {
  const std::lock_guard lock(mutex_);
  save_ = std::move(save);
}

void Interrupt::end_program(int status) {
  const std::lock_guard lock(mutex_);
  if (save_) {
    save_();
  }
  std::_Exit(status);
}

namespace fs = std::filesystem;

Result<CourseTools> course_tools(const Context& context) {
  auto catalog = problem::load_catalog(context.paths.kernels);
  TILESTEP_RETURN_IF_ERROR(catalog);
  return CourseTools{std::move(*catalog), timing::UnreadDataSet(shipped_timings(context.paths))};
}

std::vector<fs::path> lesson_files(const Context& context) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(context.paths.assets / "lessons", ignored)) {
    if (entry.path().extension() == ".md") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace tilestep::cli
