// The format "tilestep-stamps" (docs/formats/clock.md).
#include "clock/stamps.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tilestep::clock {
namespace {

using nlohmann::json;

constexpr const char* kStampFormat = "tilestep-stamps";
constexpr int kStampVersion = 1;

// The lines of a warp's stamps: start, each barrier, end.
std::vector<std::uint32_t> path_of(const StampedWarp& warp) {
  std::vector<std::uint32_t> path;
  for (const Stamp& stamp : warp.stamps) {
    if (stamp.place != StampPlace::AfterBarrier) {
      path.push_back(stamp.line);
    }
  }
  return path;
}

// A wrong number in the file, as the cause in a sentence.
struct WrongStamps {
  std::string what;
};

std::vector<Stamp> stamps_of(const std::vector<std::uint32_t>& path,
                             const std::vector<std::int64_t>& clocks) {
  if (path.size() < 2 || clocks.size() != 2 * (path.size() - 1)) {
    throw WrongStamps{tr("a warp has {} clock values, but {} lines for its timestamps",
                         clocks.size(), path.size())};
  }
  std::vector<Stamp> stamps;
  std::int64_t clock = 0;
  for (std::size_t k = 0; k < clocks.size(); ++k) {
    if (clocks[k] < 0) {
      throw WrongStamps{tr("a clock difference is {}, but must not be negative", clocks[k])};
    }
    clock += clocks[k];
    const StampPlace place = k == 0                   ? StampPlace::Start
                             : k + 1 == clocks.size() ? StampPlace::End
                             : k % 2 == 1             ? StampPlace::BeforeBarrier
                                                      : StampPlace::AfterBarrier;
    stamps.push_back({clock, path[(k + 1) / 2], place});
  }
  return stamps;
}

json warp_json(const StampedWarp& warp, std::size_t path) {
  std::vector<std::int64_t> clocks;
  std::int64_t last = 0;
  for (const Stamp& stamp : warp.stamps) {
    clocks.push_back(stamp.clock - last);
    last = stamp.clock;
  }
  return {{"block", warp.block}, {"warp", warp.warp}, {"path", path}, {"clocks", clocks}};
}

}  // namespace

std::string to_json(const StampedRun& run, std::size_t most_bytes) {
  const json head = {{"format", kStampFormat},
                     {"version", kStampVersion},
                     {"gpu", run.gpu},
                     {"driver", run.driver},
                     {"date", run.date},
                     {"kernel", run.kernel},
                     {"M", run.problem.M},
                     {"N", run.problem.N},
                     {"K", run.problem.K},
                     {"block_size", run.block_size},
                     {"at_once", run.at_once},
                     {"warm", run.is_warm},
                     {"sm", run.sm},
                     {"plain_ms", run.plain_ms},
                     {"stamped_ms", run.stamped_ms}};
  std::vector<std::vector<std::uint32_t>> paths;
  std::string warps;
  std::string block;  // of which not all warps are known yet
  const auto take_block = [&] {
    if (warps.empty() || warps.size() + block.size() <= most_bytes) {
      warps += block;
      block.clear();
      return true;
    }
    return false;
  };
  bool has_room = true;
  for (std::size_t i = 0; i < run.warps.size() && has_room; ++i) {
    const StampedWarp& warp = run.warps[i];
    const auto path = path_of(warp);
    auto known = std::ranges::find(paths, path);
    if (known == paths.end()) {
      known = paths.insert(paths.end(), path);
    }
    const auto number = static_cast<std::size_t>(known - paths.begin());
    block += (block.empty() && warps.empty() ? "" : ",\n  ") + warp_json(warp, number).dump();
    if (i + 1 == run.warps.size() || run.warps[i + 1].block != warp.block) {
      has_room = take_block();
    }
  }
  std::string text = head.dump(1);
  text.erase(text.size() - 2);  // the closing brace
  return text + ",\n \"paths\": " + json(paths).dump() + ",\n \"warps\": [\n  " + warps +
         "\n ]\n}\n";
}

Result<StampedRun> parse_stamped_run(const std::string& text, const std::string& name) {
  const auto wrong = [&](const std::string& why) {
    return fail(
        tr("{}: the timestamps cannot be read: {}. Measure again with `tilestep clock KERNEL "
           "--measure --out FILE`.",
           name, why));
  };
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object() || file.value("format", json()) != kStampFormat) {
    return wrong(tr("this is not a JSON object of format {}", kStampFormat));
  }
  if (file.value("version", json()) != kStampVersion) {
    return wrong(tr("its version is not {}", kStampVersion));
  }
  try {
    StampedRun run;
    file.at("gpu").get_to(run.gpu);
    file.at("driver").get_to(run.driver);
    file.at("date").get_to(run.date);
    file.at("kernel").get_to(run.kernel);
    run.problem = {file.at("M"), file.at("N"), file.at("K")};
    file.at("block_size").get_to(run.block_size);
    file.at("at_once").get_to(run.at_once);
    file.at("warm").get_to(run.is_warm);
    file.at("sm").get_to(run.sm);
    file.at("plain_ms").get_to(run.plain_ms);
    file.at("stamped_ms").get_to(run.stamped_ms);
    const auto paths = file.at("paths").get<std::vector<std::vector<std::uint32_t>>>();
    for (const json& warp : file.at("warps")) {
      const auto path = warp.at("path").get<std::size_t>();
      if (path >= paths.size()) {
        return wrong(tr("a warp has path {}; there are {} paths", path, paths.size()));
      }
      run.warps.push_back(
          {warp.at("block"), warp.at("warp"),
           stamps_of(paths[path], warp.at("clocks").get<std::vector<std::int64_t>>())});
    }
    if (run.warps.empty()) {
      return wrong(tr("it has no warps"));
    }
    return run;
  } catch (const json::exception& mistake) {
    return wrong(mistake.what());
  } catch (const WrongStamps& mistake) {
    return wrong(mistake.what);
  }
}

Result<StampedRun> load_stamped_run(const std::filesystem::path& file) {
  const auto text = problem::read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  return parse_stamped_run(*text, file.string());
}

std::string stamped_file_name(const std::string& kernel, const problem::Problem& problem,
                              int block_size, bool is_warm) {
  return fmt::format("{}{}_{}x{}x{}{}.json", kernel,
                     block_size > 0 ? fmt::format("_{}", block_size) : "", problem.M, problem.N,
                     problem.K, is_warm ? "_warm" : "");
}

std::optional<StampedRun> find_stamped_run(const std::filesystem::path& folder,
                                           const std::string& gpu, const std::string& kernel,
                                           const problem::Problem& problem, int block_size,
                                           bool is_warm) {
  if (kernel.find('/') != std::string::npos) {
    return std::nullopt;  // a file of the user
  }
  auto run = load_stamped_run(folder / "h200_stamps" /
                              stamped_file_name(kernel, problem, block_size, is_warm));
  if (!run || run->gpu != gpu || run->kernel != kernel || run->problem != problem ||
      run->block_size != block_size || run->is_warm != is_warm) {
    return std::nullopt;
  }
  return *std::move(run);
}

}  // namespace tilestep::clock
