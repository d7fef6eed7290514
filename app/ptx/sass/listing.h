// Machine code as text, as nvdisasm (CUDA Binary Utilities) writes it: `nvdisasm -g -c`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

struct SassListing {
  std::string text;                  // instructions and labels, without directives
  std::vector<std::uint32_t> lines;  // of each line of `text` its line of the source; 0: none
};

// `source_name`: the file whose lines count; those of headers have none.
[[nodiscard]] SassListing read_listing(std::string_view output, std::string_view source_name);

}  // namespace tilestep::ptx
