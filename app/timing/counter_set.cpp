// Diagnostics make nlohmann name the path of a wrong field ("/points/3/M").
#define JSON_DIAGNOSTICS 1

#include "timing/counter_set.h"

#include "problem/file.h"
#include "timing/json_mistake.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tilestep::timing {
namespace {

CountedLaunch read_launch(const nlohmann::json& point) {
  CountedLaunch c;
  point.at("kernel").get_to(c.kernel);
  point.at("M").get_to(c.problem.M);
  point.at("N").get_to(c.problem.N);
  point.at("K").get_to(c.problem.K);
  point.at("block_size").get_to(c.block_size);
  point.at("global_load_requests").get_to(c.global_load_requests);
  point.at("global_load_sectors").get_to(c.global_load_sectors);
  point.at("global_store_requests").get_to(c.global_store_requests);
  point.at("global_store_sectors").get_to(c.global_store_sectors);
  point.at("shared_load_instructions").get_to(c.shared_load_instructions);
  point.at("shared_load_wavefronts").get_to(c.shared_load_wavefronts);
  point.at("shared_store_instructions").get_to(c.shared_store_instructions);
  point.at("shared_store_wavefronts").get_to(c.shared_store_wavefronts);
  point.at("thread_ffma").get_to(c.thread_ffma);
  point.at("warp_instructions").get_to(c.warp_instructions);
  const nlohmann::json again = point.value("again", nlohmann::json::object());
  c.shared_load_wavefronts_again =
      again.value("shared_load_wavefronts", c.shared_load_wavefronts_again);
  c.shared_store_wavefronts_again =
      again.value("shared_store_wavefronts", c.shared_store_wavefronts_again);
  return c;
}

}  // namespace

const CountedLaunch* CounterSet::find(const std::string& kernel, problem::Problem problem,
                                      int block_size) const {
  const auto found = std::find_if(launches.begin(), launches.end(), [&](const CountedLaunch& c) {
    return c.kernel == kernel && c.problem == problem && c.block_size == block_size;
  });
  return found == launches.end() ? nullptr : &*found;
}

std::vector<problem::Problem> CounterSet::problems(const std::string& kernel) const {
  std::vector<problem::Problem> all;
  for (const CountedLaunch& c : launches) {
    if (c.kernel == kernel && std::find(all.begin(), all.end(), c.problem) == all.end()) {
      all.push_back(c.problem);
    }
  }
  return all;
}

Result<CounterSet> parse_counter_set(const std::string& json, const std::string& name) {
  try {
    const nlohmann::json data = nlohmann::json::parse(json);
    if (data.at("format") != "tilestep-counters" || data.at("version") != 1) {
      return fail(fmt::format("{}: expected format tilestep-counters, version 1.", name));
    }
    CounterSet set;
    const nlohmann::json& provenance = data.at("provenance");
    provenance.at("gpu").get_to(set.gpu);
    provenance.at("driver").get_to(set.driver);
    provenance.at("date").get_to(set.date);
    provenance.at("method").get_to(set.method);
    for (const nlohmann::json& point : data.at("points")) {
      set.launches.push_back(read_launch(point));
    }
    return set;
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(json_mistake(name, error.what()));
  }
}

Result<CounterSet> load_counter_set(const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<CounterSet> set = parse_counter_set(*text, file.string());
  if (set) {
    set->name = file.stem().string();
  }
  return set;
}

}  // namespace tilestep::timing
