// JSON_DIAGNOSTICS makes nlohmann report the path of a wrong field ("/points/3/M").
#define JSON_DIAGNOSTICS 1

#include "timing/counter_set.h"

#include "problem/file.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tilestep::timing {
namespace {

// Its text names the field and the expected value.
class WrongNumber final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The JSON library's conversion of a number that the type cannot hold is undefined.
template <class T>
T count_in(const nlohmann::json& value, const char* key) {
  constexpr T kMost = std::numeric_limits<T>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{kMost}) {
    throw WrongNumber(tr("{}: expected an integer from 0 to {}", key, kMost));
  }
  return value.get<T>();
}

template <class T>
void read_count(const nlohmann::json& from, const char* key, T& to) {
  to = count_in<T>(from.at(key), key);
}

void read_counts(const nlohmann::json& from, const char* key, std::vector<std::uint64_t>& to) {
  for (const nlohmann::json& value : from.value(key, nlohmann::json::array())) {
    to.push_back(count_in<std::uint64_t>(value, key));
  }
}

CountedLaunch read_launch(const nlohmann::json& point) {
  CountedLaunch c;
  point.at("kernel").get_to(c.kernel);
  read_count(point, "M", c.problem.M);
  read_count(point, "N", c.problem.N);
  read_count(point, "K", c.problem.K);
  read_count(point, "block_size", c.block_size);
  read_count(point, "global_load_requests", c.global_load_requests);
  read_count(point, "global_load_sectors", c.global_load_sectors);
  read_count(point, "global_store_requests", c.global_store_requests);
  read_count(point, "global_store_sectors", c.global_store_sectors);
  read_count(point, "shared_load_instructions", c.shared_load_instructions);
  read_count(point, "shared_load_wavefronts", c.shared_load_wavefronts);
  read_count(point, "shared_store_instructions", c.shared_store_instructions);
  read_count(point, "shared_store_wavefronts", c.shared_store_wavefronts);
  read_count(point, "thread_ffma", c.thread_ffma);
  read_count(point, "warp_instructions", c.warp_instructions);
  const nlohmann::json again = point.value("again", nlohmann::json::object());
  read_counts(again, "shared_load_wavefronts", c.shared_load_wavefronts_again);
  read_counts(again, "shared_store_wavefronts", c.shared_store_wavefronts_again);
  return c;
}

}  // namespace

const CountedLaunch* CounterSet::find(const std::string& kernel, problem::Problem problem,
                                      int block_size) const {
  const auto found = std::ranges::find_if(launches, [&](const CountedLaunch& c) {
    return c.kernel == kernel && c.problem == problem && c.block_size == block_size;
  });
  return found == launches.end() ? nullptr : &*found;
}

std::vector<problem::Problem> CounterSet::problems(const std::string& kernel) const {
  std::vector<problem::Problem> all;
  for (const CountedLaunch& c : launches) {
    if (c.kernel == kernel && std::ranges::find(all, c.problem) == all.end()) {
      all.push_back(c.problem);
    }
  }
  return all;
}

Result<CounterSet> parse_counter_set(const std::string& json, const std::string& name) {
  try {
    const nlohmann::json data = nlohmann::json::parse(json);
    if (data.at("format") != "tilestep-counters" || data.at("version") != 1) {
      return fail(tr("{}: expected format tilestep-counters, version 1.", name));
    }
    CounterSet set;
    const nlohmann::json& provenance = data.at("provenance");
    provenance.at("gpu").get_to(set.gpu);
    provenance.at("driver").get_to(set.driver);
    provenance.at("date").get_to(set.date);
    provenance.at("method").get_to(set.method);
    for (const nlohmann::json& point : data.at("points")) {
      try {
        set.launches.push_back(read_launch(point));
      } catch (const WrongNumber& error) {
        throw WrongNumber(fmt::format("points[{}].{}", set.launches.size(), error.what()));
      }
    }
    return set;
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(json_mistake(name, error.what()));
  } catch (const WrongNumber& error) {
    return fail(tr("{}: {}. Record the counters again.", name, error.what()));
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
