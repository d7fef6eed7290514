#include "clock/sm_table.h"

#include "problem/file.h"
#include "problem/tr.h"

#include <nlohmann/json.hpp>

#include <array>

namespace tilestep::clock {

using nlohmann::json;

std::span<const SmField> sm_fields() {
  using N = SmNumbers;
  static constexpr std::array kFields = std::to_array<SmField>({
      {"shared_load", "clocks", &N::shared_load},
      {"l1_hit", "clocks", &N::l1_hit},
      {"l2_hit", "clocks", &N::l2_hit},
      {"dram", "clocks", &N::dram},
      {"constant_load", "clocks", &N::constant_load},
      {"special", "clocks", &N::special},
      {"operands_read", "clocks", &N::operands_read},
      {"variable", "clocks", &N::variable},
      {"barrier", "clocks", &N::barrier},
      {"barrier_arrival", "clocks", &N::barrier_arrival},
      {"taken_branch", "clocks", &N::taken_branch},
      {"queue_delay", "clocks", &N::queue_delay},
      {"queue_places", "instructions", &N::queue_places},
      {"global_places", "instructions", &N::global_places},
      {"scheduler_shared_gap", "clocks", &N::scheduler_shared_gap},
      {"scheduler_global_gap", "clocks", &N::scheduler_global_gap},
      {"shared_gap", "clocks", &N::shared_gap},
      {"global_gap", "clocks", &N::global_gap},
      {"shared_backlog", "passes", &N::shared_backlog},
      {"global_backlog", "passes", &N::global_backlog},
      {"line_gap", "clocks per line", &N::line_gap},
      {"wide_sector_gap", "clocks per sector", &N::wide_sector_gap},
      {"barrier_passes", "passes", &N::barrier_passes},
      {"barrier_gap", "clocks", &N::barrier_gap},
      {"store_passes", "passes", &N::store_passes},
      {"copy_passes", "passes", &N::copy_passes},
      {"global_store", "clocks", &N::global_store},
      {"global_dispatch", "clocks", &N::global_dispatch},
      {"wide_dispatch", "clocks", &N::wide_dispatch},
      {"port_clocks", "clocks", &N::port_clocks},
      {"l2_bytes", "bytes per clock", &N::l2_bytes},
      {"l2_line", "clocks per line", &N::l2_line},
      {"l1_kib", "KiB", &N::l1_kib},
      {"next_block", "clocks", &N::next_block},
      {"block_gap", "clocks", &N::block_gap},
      {"warp_gap", "clocks", &N::warp_gap},
      {"sm_spread", "of the time", &N::sm_spread},
      {"tensor_clocks", "clocks", &N::tensor_clocks},
      {"tensor_latency", "clocks", &N::tensor_latency},
  });
  return kFields;
}

Result<SmTable> read_sm_table(const std::string& text) {
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object() || file.value("format", "") != "tilestep-sm") {
    return fail(tr("The SM parameter table is not a JSON object of format tilestep-sm."));
  }
  SmTable table;
  table.gpu = file.value("gpu", "");
  table.architecture = file.value("architecture", 0);
  table.sms = file.value("sms", 0);
  table.shared_kib = file.value("shared_kib", std::vector<double>{});
  table.provenance = file.value("provenance", "");
  const json error = file.value("error", json::object());
  table.error = {error.value("launches", 0), error.value("median", 0.0),
                 error.value("nine_of_ten", 0.0)};
  const json numbers = file.value("numbers", json::object());
  for (const SmField& field : sm_fields()) {
    const json one = numbers.value(std::string(field.name), json::object());
    const std::string origin = one.value("origin", "");
    if (!one.contains("value") || !one["value"].is_number() ||
        (origin != "measured" && origin != "fitted" && origin != "guess")) {
      return fail(
          tr("The SM parameter table for {}: '{}' needs a value and an origin (measured, fitted or "
             "guess).",
             table.gpu, field.name));
    }
    table.numbers.*field.number = one["value"].get<double>();
    table.origins.push_back(origin == "measured" ? Origin::Measured
                            : origin == "fitted" ? Origin::Fitted
                                                 : Origin::Guess);
    table.sources.push_back(one.value("source", ""));
  }
  return table;
}

std::string to_json(const SmTable& table) {
  nlohmann::ordered_json numbers;
  const auto fields = sm_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Origin origin = table.origins[i];
    numbers[std::string(fields[i].name)] = {{"value", table.numbers.*fields[i].number},
                                            {"origin", origin == Origin::Measured ? "measured"
                                                       : origin == Origin::Fitted ? "fitted"
                                                                                  : "guess"},
                                            {"source", table.sources[i]}};
  }
  const nlohmann::ordered_json file = {{"format", "tilestep-sm"},
                                       {"gpu", table.gpu},
                                       {"architecture", table.architecture},
                                       {"sms", table.sms},
                                       {"shared_kib", table.shared_kib},
                                       {"provenance", table.provenance},
                                       {"error",
                                        {{"launches", table.error.launches},
                                         {"median", table.error.median},
                                         {"nine_of_ten", table.error.nine_of_ten}}},
                                       {"numbers", numbers}};
  return file.dump(1) + "\n";
}

Result<SmTable> load_sm_table(const std::filesystem::path& folder, const std::string& gpu,
                              OtherGpu other) {
  // The first one replaces others.
  constexpr std::array kTables{"h200.json", "h100.json"};
  std::string known;
  for (const char* const name : kTables) {
    const auto text = problem::read_file(folder / name);
    TILESTEP_RETURN_IF_ERROR(text);
    auto table = read_sm_table(*text);
    TILESTEP_RETURN_IF_ERROR(table);
    const bool is_it = table->gpu.find(gpu) != std::string::npos;
    if (is_it) {
      return table;
    }
    known += (known.empty() ? "" : ", ") + table->gpu;
  }
  return other == OtherGpu::Replaced
             ? load_sm_table(folder, "H200")
             : fail(tr("No SM parameter table for the GPU '{}'. There are tables for {}.", gpu,
                       known));
}

std::string estimate_sentence(const SmTable& table) {
  if (table.error.launches == 0) {
    return tr("Estimated by an SM model for {}, whose error is unknown.", table.gpu);
  }
  return tr(
      "Estimated by an SM model for {}. Of {} launches that Nsight Compute measured, of kernels "
      "not used to fit the model, half are estimated within {:.1f}% of the measured time, and nine "
      "of ten within {:.1f}%.",
      table.gpu, table.error.launches, 100.0 * table.error.median, 100.0 * table.error.nine_of_ten);
}

std::string error_words(const SmTable& table) {
  return table.error.launches == 0 ? tr("error unknown")
                                   : tr("median error {:.1f}%", 100.0 * table.error.median);
}

}  // namespace tilestep::clock
