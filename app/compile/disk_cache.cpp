#include "compile/disk_cache.h"

#include "compile/hash.h"

#include <fmt/format.h>

#include <cassert>
#include <sstream>
#include <string_view>
#include <utility>

namespace tilestep::compile {
namespace {

constexpr std::string_view kPtxFirstLine = "tilestep-ptx 1";
constexpr std::string_view kCubinFirstLine = "tilestep-cubin 1";
constexpr std::string_view kSuffix = ".ptx-entry";

std::string checksum(const Output& output) {
  Hash hash;
  hash.add(output.compiler);
  hash.add(output.entry);
  hash.add(output.log);
  hash.add(output.cubin.empty() ? output.ptx : output.cubin);
  return hash.hex();
}

// "<name> <value>"
bool read_field(std::istream& stream, std::string_view name, std::string& value) {
  std::string line;
  if (!std::getline(stream, line) || !line.starts_with(name) || line.size() <= name.size() ||
      line[name.size()] != ' ') {
    return false;
  }
  value = line.substr(name.size() + 1);
  return true;
}

bool read_bytes(const std::string& text, std::size_t& position, const std::string& count,
                std::string& bytes) {
  if (count.empty() || count.size() > 12 ||
      count.find_first_not_of("0123456789") != std::string::npos) {
    return false;
  }
  const std::size_t size = std::stoull(count);
  if (size > text.size() - position) {
    return false;
  }
  bytes = text.substr(position, size);
  position += size;
  return true;
}

}  // namespace

DiskCache::DiskCache(CacheOptions options) : folder_(std::move(options), std::string(kSuffix)) {}

std::string to_entry_text(const Output& output) {
  const bool is_cubin = !output.cubin.empty();
  const std::string& product = is_cubin ? output.cubin : output.ptx;
  return fmt::format("{}\ncompiler {}\nentry {}\nlog {}\n{} {}\nchecksum {}\n{}{}",
                     is_cubin ? kCubinFirstLine : kPtxFirstLine, output.compiler, output.entry,
                     output.log.size(), is_cubin ? "cubin" : "ptx", product.size(),
                     checksum(output), output.log, product);
}

std::optional<Output> from_entry_text(const std::string& text) {
  std::istringstream stream(text);
  std::string first;
  Output output;
  std::string log_bytes;
  std::string product_bytes;
  std::string sum;
  const bool has_first = static_cast<bool>(std::getline(stream, first));
  const bool is_cubin = first == kCubinFirstLine;
  std::string& product = is_cubin ? output.cubin : output.ptx;
  const bool complete = has_first && (is_cubin || first == kPtxFirstLine) &&
                        read_field(stream, "compiler", output.compiler) &&
                        read_field(stream, "entry", output.entry) &&
                        read_field(stream, "log", log_bytes) &&
                        read_field(stream, is_cubin ? "cubin" : "ptx", product_bytes) &&
                        read_field(stream, "checksum", sum) && stream.tellg() >= 0;
  if (!complete) {
    return std::nullopt;
  }
  auto position = static_cast<std::size_t>(stream.tellg());
  if (!read_bytes(text, position, log_bytes, output.log) ||
      !read_bytes(text, position, product_bytes, product) || position != text.size() ||
      checksum(output) != sum || product.empty()) {
    return std::nullopt;
  }
  output.diagnostics = parse_diagnostics(output.log);
  output.from_cache = true;
  return output;
}

std::optional<Output> DiskCache::find(const std::string& key) const {
  std::optional<Output> output;
  folder_.find(key, [&output](const std::string& text) {
    output = from_entry_text(text);
    return output.has_value();
  });
  return output;
}

void DiskCache::store(const std::string& key, const Output& output) const {
  assert(output.ok() && "what did not compile is not kept on disk");
  folder_.store(key, to_entry_text(output));
}

}  // namespace tilestep::compile
