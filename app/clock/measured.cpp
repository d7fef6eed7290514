#include "clock/measured.h"

#include "problem/file.h"
#include "problem/tr.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tilestep::clock {

using nlohmann::json;

const MeasuredLaunch* MeasuredLaunches::find(const std::string& kernel,
                                             const problem::Problem& size, int block_size) const {
  const auto found = std::ranges::find_if(launches, [&](const MeasuredLaunch& one) {
    return one.kernel == kernel && one.problem == size &&
           (one.block_size == block_size || one.block_size == 0);
  });
  return found == launches.end() ? nullptr : &*found;
}

const MeasuredWave* MeasuredLaunches::find_wave(const std::string& kernel, int block_size,
                                                int K) const {
  const auto found = std::ranges::find_if(waves, [&](const MeasuredWave& one) {
    return one.kernel == kernel && one.block_size == block_size && one.K == K;
  });
  return found == waves.end() ? nullptr : &*found;
}

Result<MeasuredLaunches> load_measured_launches(const std::filesystem::path& file) {
  const auto text = problem::read_file(file);
  TILESTEP_RETURN_IF_ERROR(text);
  try {
    const json all = json::parse(*text);
    MeasuredLaunches result;
    result.gpu = all.at("provenance").at("gpu");
    result.date = all.at("provenance").at("date");
    result.fitted = all.at("fitted").get<std::vector<std::string>>();
    for (const json& point : all.at("points")) {
      MeasuredLaunch one;
      point.at("kernel").get_to(one.kernel);
      one.problem = {point.at("M"), point.at("N"), point.at("K")};
      point.at("block_size").get_to(one.block_size);
      point.at("blocks").get_to(one.blocks);
      point.at("clocks_busiest").get_to(one.clocks_busiest);
      point.at("clocks_mean").get_to(one.clocks_mean);
      point.at("instructions").get_to(one.instructions);
      for (const auto& word : kWords<WarpState>) {
        one.states[static_cast<std::size_t>(word.value)] =
            point.at("states").value(std::string(word.file), 0.0);
      }
      result.launches.push_back(std::move(one));
    }
    for (const json& wave : all.at("waves")) {
      MeasuredWave one{wave.at("kernel"), wave.at("block_size"), wave.at("K"), {}};
      wave.at("clocks").get_to(one.clocks);
      result.waves.push_back(std::move(one));
    }
    return result;
  } catch (const json::exception& mistake) {
    return fail(tr("{}: the measured cycles cannot be read: {}", file.string(), mistake.what()));
  }
}

Result<MeasuredLaunches> load_measured_launches(const std::filesystem::path& folder,
                                                const std::string& gpu) {
  auto launches = load_measured_launches(folder / "h200_launches.json");
  if (launches && launches->gpu != gpu) {
    return fail(
        tr("The cycle counts of launches were measured on {}, not on {}.", launches->gpu, gpu));
  }
  return launches;
}

}  // namespace tilestep::clock
