// JSON as it is printed.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilestep::cli {

// Paths and names may have bytes that are no UTF-8: these are replaced, not thrown at.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilestep::cli
