// What the JSON library says of a file, as a sentence of ours.
#pragma once

#include "problem/result.h"

#include <string>
#include <string_view>

namespace tilestep::timing {

// `what` of an nlohmann::json::exception, which names its own classes:
// "[json.exception.parse_error.101] parse error at line 1, column 12: syntax error while parsing
// array - unexpected end of input; expected ']'" → "a.json:1:12: not JSON: unexpected end of input;
// expected ']'. Mend the file, or write it again."
[[nodiscard]] Error json_mistake(const std::string& file, std::string_view what);

}  // namespace tilestep::timing
