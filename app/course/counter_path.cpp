#include "course/counter_path.h"

#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilestep::course {
namespace {

using insight::Traffic;

struct TrafficField {
  std::string_view name;
  std::uint64_t Traffic::*count;
};
constexpr std::array kTrafficFields = std::to_array<TrafficField>({
    {"elements", &Traffic::elements},
    {"words", &Traffic::elements},
    {"requests", &Traffic::requests},
    {"threads", &Traffic::threads},
    {"bytes", &Traffic::bytes},
    {"sectors", &Traffic::sectors},
    {"ideal_sectors", &Traffic::ideal_sectors},
    {"wavefronts", &Traffic::wavefronts},
    {"ideal_wavefronts", &Traffic::ideal_wavefronts},
    {"conflicts", &Traffic::conflicts},
    {"degree", &Traffic::degree},
});

struct KindOfAccess {
  std::string_view name;
  Traffic insight::Cost::*traffic;
};
constexpr std::array kKindsOfAccess = std::to_array<KindOfAccess>({
    {"global_loads", &insight::Cost::global_loads},
    {"global_stores", &insight::Cost::global_stores},
    {"global_atomics", &insight::Cost::global_atomics},
    {"shared_loads", &insight::Cost::shared_loads},
    {"shared_stores", &insight::Cost::shared_stores},
    {"shared_atomics", &insight::Cost::shared_atomics},
});

struct PlainCount {
  std::string_view name;
  double (*count)(const Counted&);
};
constexpr std::array kPlainCounts = std::to_array<PlainCount>({
    {"barriers", [](const Counted& c) { return static_cast<double>(c.barriers); }},
    {"barriers_per_block",
     [](const Counted& c) {
       return static_cast<double>(c.barriers) / static_cast<double>(c.blocks);
     }},
    {"flops", [](const Counted& c) { return static_cast<double>(c.total.flops); }},
    {"instructions", [](const Counted& c) { return static_cast<double>(c.total.instructions); }},
    {"flops_per_byte", [](const Counted& c) { return c.total.intensity_of_bytes(); }},
    {"flops_per_sector_byte", [](const Counted& c) { return c.total.intensity_of_sectors(); }},
    {"shared_bytes",
     [](const Counted& c) {
       return static_cast<double>(c.program->shared_bytes() +
                                  c.program->launch().dynamic_shared_bytes);
     }},
});

// Of the access to global memory that takes most on average.
double most_sectors_per_request(const Counted& counted) {
  double most = 0.0;
  for (const insight::AccessCost& access : counted.accesses) {
    if (access.target != insight::kSharedTarget && access.traffic.requests > 0) {
      most = std::max(most, static_cast<double>(access.traffic.sectors) /
                                static_cast<double>(access.traffic.requests));
    }
  }
  return most;
}

// What is counted of a buffer's accesses, all together or of one kind.
std::optional<double> of_traffic(std::string_view what, const insight::BufferCost& cost) {
  Traffic all = cost.loads;
  all.add(cost.stores);
  all.add(cost.atomics);
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  if (what == "sectors_per_request") {
    return all.requests == 0 ? 0.0 : number(all.sectors) / number(all.requests);
  }
  return what == "loads"      ? std::optional(number(cost.loads.elements))
         : what == "stores"   ? std::optional(number(cost.stores.elements))
         : what == "atomics"  ? std::optional(number(cost.atomics.elements))
         : what == "sectors"  ? std::optional(number(all.sectors))
         : what == "requests" ? std::optional(number(all.requests))
         : what == "bytes"    ? std::optional(number(all.bytes))
                              : std::nullopt;
}

insight::BufferCost all_buffers(const Counted& counted) {
  return {counted.total.global_loads, counted.total.global_stores, counted.total.global_atomics};
}

Error no_count(const Counted& counted, const std::string& path) {
  std::vector<std::string> buffers;
  for (const problem::Buffer& buffer : counted.program->launch().buffers) {
    buffers.push_back(buffer.name);
  }
  std::vector<std::string_view> plain;
  for (const PlainCount& count : kPlainCounts) {
    plain.push_back(count.name);
  }
  return {
      tr("There is no count '{}'. There are loads, stores, atomics, sectors, requests, "
         "bytes and sectors_per_request, each also of {} (loads.{}); "
         "sectors_per_request.max; global_loads, global_stores, shared_loads and "
         "shared_stores, each with .words, .requests, .sectors, .wavefronts, .conflicts "
         "or .degree; {}.",
         path, fmt::join(buffers, ", "), buffers.empty() ? "A" : buffers.front(),
         fmt::join(plain, ", "))};
}

}  // namespace

Result<double> count_at(const Counted& counted, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  const std::string tail = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (tail.empty()) {
    for (const PlainCount& count : kPlainCounts) {
      if (count.name == head) {
        return count.count(counted);
      }
    }
    const auto of_all = of_traffic(head, all_buffers(counted));
    return of_all ? Result<double>(*of_all) : tl::unexpected(no_count(counted, path));
  }
  for (const KindOfAccess& kind : kKindsOfAccess) {
    const auto field = std::ranges::find(kTrafficFields, tail, &TrafficField::name);
    if (kind.name == head && field != kTrafficFields.end()) {
      return static_cast<double>((counted.total.*kind.traffic).*(field->count));
    }
  }
  if (path == "sectors_per_request.max") {
    return most_sectors_per_request(counted);
  }
  const auto& buffers = counted.program->launch().buffers;
  const auto buffer = std::ranges::find(buffers, tail, &problem::Buffer::name);
  if (buffer != buffers.end()) {
    const auto index = static_cast<std::size_t>(buffer - buffers.begin());
    if (const auto number = of_traffic(head, counted.by_buffer[index])) {
      return *number;
    }
  }
  return tl::unexpected(no_count(counted, path));
}

}  // namespace tilestep::course
