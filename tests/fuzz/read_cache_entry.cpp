// Entries of the compile cache: any bytes are an entry or an error; and a compiler's output made of
// these bytes (product, log and name, separated by zero bytes) is read from its entry unchanged.
#include "compile/cache.h"
#include "require.h"
#include "targets.h"

#include <algorithm>

namespace tilestep::fuzz {
namespace {

std::string take_part(std::string& text) {
  const std::string part = text.substr(0, text.find('\0'));
  text.erase(0, std::min(part.size() + 1, text.size()));
  return part;
}

void write_and_read(std::string text) {
  compile::Output output;
  output.compiler = "NVRTC 13.0";
  std::string& product = text.starts_with('\x7f') ? output.cubin : output.ptx;
  product = take_part(text);
  output.entry = take_part(text);
  output.log = text;
  const bool is_written = output.ok() && output.entry.find('\n') == std::string::npos;
  if (!is_written) {
    return;
  }
  const auto read = compile::from_entry_text(compile::to_entry_text(output));
  require(read && read->ptx == output.ptx && read->cubin == output.cubin &&
              read->entry == output.entry && read->log == output.log &&
              read->compiler == output.compiler,
          "an entry is read as it was written");
}

}  // namespace

void read_cache_entry(Bytes bytes) {
  const std::string text = text_of(bytes);
  if (const auto output = compile::from_entry_text(text)) {
    require(output->ok(), "an entry has a product");
    require(compile::to_entry_text(*output) == text, "an entry is written as it was read");
  }
  write_and_read(text);
}

}  // namespace tilestep::fuzz
