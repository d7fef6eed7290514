#include "clock/stamping.h"

#include "problem/source/cuda_scanner.h"
#include "problem/source/cuda_text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::clock {
namespace {

using problem::CudaWord;

constexpr std::string_view kBarrier = "__syncthreads";
constexpr std::uint32_t kWarp = 32;
constexpr std::size_t kMostSites = 255;

constexpr std::string_view kParameters =
    "unsigned* tilestep_stamps, unsigned tilestep_limit, unsigned tilestep_stride, unsigned "
    "tilestep_sm";

// Notes the clock in `variable`. It is read under a predicate that differs between lanes: ptxas
// makes a CS2R of that. A clock that is the same for all lanes it reads with S2UR, which samples it
// some clocks later.
std::string read_clock_into(std::string_view variable) {
  return fmt::format(
      "unsigned {0}; asm volatile(\"{{.reg .pred p; setp.lt.u32 p, %1, %2; mov.u32 %0, 0; @p "
      "mov.u32 %0, "
      "%%clock;}}\" : \"=r\"({0}) : \"r\"(tilestep_place), \"r\"(tilestep_limit) : \"memory\"); ",
      variable);
}

// `second`: of 24 bits.
std::string write_record(std::size_t site, std::string_view first, std::string_view second) {
  return fmt::format(
      "asm volatile(\"{{.reg .pred p; setp.lt.u32 p, %0, %1; @p st.global.v2.u32 [%2], {{%3, "
      "%4}};}}\" :: \"r\"(tilestep_place), \"r\"(tilestep_limit), \"l\"(tilestep_stamps + 2ull * "
      "tilestep_place), \"r\"({}), \"r\"({} + {}u) : \"memory\"); tilestep_place += "
      "tilestep_stride; ",
      first, second, site << 24U);
}

// A warp writes if it is on the chosen SM: its place is then below the limit. Others begin so far
// above that no number of strides leads to a place below it before the kernel ends.
std::string start_text(std::size_t site) {
  return " unsigned tilestep_place = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + "
         "threadIdx.x); { unsigned tilestep_smid; asm volatile(\"mov.u32 %0, %%smid;\" : "
         "\"=r\"(tilestep_smid)); tilestep_place = tilestep_place % 32 == 0 && (tilestep_sm == "
         "0xffffffffu || tilestep_smid == tilestep_sm) ? ((blockIdx.z * gridDim.y + blockIdx.y) * "
         "gridDim.x + blockIdx.x) * ((blockDim.x * blockDim.y * blockDim.z + 31) / 32) + "
         "tilestep_place / 32 : 0x80000000u; " +
         read_clock_into("tilestep_before") +
         write_record(site, "tilestep_before", "tilestep_smid") + "}";
}

std::string barrier_text(std::size_t site) {
  return "do { " + read_clock_into("tilestep_before") + "__syncthreads(); " +
         read_clock_into("tilestep_after") +
         write_record(site, "tilestep_before", "tilestep_after - tilestep_before") + "} while (0)";
}

std::string end_text(std::size_t site) {
  return "{ " + read_clock_into("tilestep_before") + write_record(site, "tilestep_before", "0u") +
         "}";
}

struct Change {
  std::size_t offset = 0;  // in the text
  std::size_t length = 0;  // that is replaced
  std::string text;
};

std::string with_changes(const std::string& source, const std::vector<Change>& changes) {
  std::string result;
  std::size_t at = 0;
  for (const Change& change : changes) {
    result += source.substr(at, change.offset - at) + change.text;
    // What is replaced may span lines.
    const std::string_view replaced = std::string_view(source).substr(change.offset, change.length);
    result.append(static_cast<std::size_t>(std::ranges::count(replaced, '\n')), '\n');
    at = change.offset + change.length;
  }
  return result + source.substr(at);
}

std::size_t line_at(const std::string& source, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// "ns::matmul<16>" → "matmul"
std::string plain_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

class Stamper {
 public:
  Stamper(const std::string& source, const std::string& source_name)
      : source_(source), source_name_(source_name), words_(problem::scan_cuda(source)) {}

  Result<StampedText> stamp(const std::string& kernel, const std::string& bounds) {
    const problem::CudaText text = problem::read_cuda_text(source_);
    const auto found =
        std::ranges::find(text.kernels, kernel, [](const auto& one) { return one.name; });
    if (found == text.kernels.end() || text.tokens.size() != words_.code.size()) {
      return fail(
          tr("{}: the definition of the kernel {} was not found in this text, so timestamps cannot "
             "be added. Put it into the file itself, not into a header or a macro.",
             source_name_, kernel));
    }
    if (const auto line = unreachable_barrier(text)) {
      return fail(
          tr("{}:{}: this barrier is not in the kernel itself, so no timestamp can be added. Move "
             "__syncthreads() from the function or macro into the kernel.",
             source_name_, *line));
    }
    const std::size_t open = found->body_begin;
    const std::size_t close = found->body_end - 1;
    if (!bounds.empty()) {
      set_bounds(open, bounds);
    }
    const std::size_t last_parenthesis = open - 1;
    const bool has_parameters = words_.code[last_parenthesis - 1].text != "(";
    insert(words_.code[last_parenthesis].offset,
           (has_parameters ? ", " : "") + std::string(kParameters));
    insert(words_.code[open].offset + 1, start_text(site(StampKind::Start, open)));
    for (std::size_t i = open + 1; i < close; ++i) {
      if (is_barrier(i)) {
        replace(i, i + 2, barrier_text(site(StampKind::Barrier, i)));
      } else if (words_.code[i].text == "return" && words_.code[i + 1].text == ";") {
        replace(i, i + 1, "{ " + end_text(site(StampKind::End, i)) + " return; }");
      }
    }
    insert(words_.code[close].offset, end_text(site(StampKind::End, close)));
    if (sites_.size() > kMostSites) {
      return fail(
          tr("{}: the kernel {} needs timestamps at {} places, but at most {} are possible. Use "
             "fewer barriers and returns.",
             source_name_, kernel, sites_.size(), kMostSites));
    }
    return StampedText{with_changes(source_, changes_), std::move(sites_)};
  }

 private:
  [[nodiscard]] std::size_t line(std::size_t word) const {
    return line_at(source_, words_.code[word].offset);
  }
  // In place of the kernel's own bounds, or behind its __global__.
  void set_bounds(std::size_t open, const std::string& bounds) {
    for (std::size_t i = open; i-- > 0;) {
      const std::string_view word = words_.code[i].text;
      if (word == "__launch_bounds__") {
        std::size_t last = i + 1;  // the opening parenthesis
        for (std::size_t depth = 1; depth > 0 && last + 1 < open;) {
          ++last;
          depth += words_.code[last].text == "(" ? 1 : 0;
          depth -= words_.code[last].text == ")" ? 1 : 0;
        }
        return replace(i, last, bounds);
      }
      if (word == "__global__") {
        return insert(words_.code[i].offset + word.size(), " " + bounds);
      }
    }
  }
  // The number of a new site.
  std::size_t site(StampKind kind, std::size_t word) {
    sites_.push_back({kind, static_cast<std::uint32_t>(line(word))});
    return sites_.size();
  }
  [[nodiscard]] bool is_barrier(std::size_t i) const {
    const auto& code = words_.code;
    return i + 2 < code.size() && code[i].text == kBarrier && code[i + 1].text == "(" &&
           code[i + 2].text == ")";
  }
  // The line of the first barrier outside all kernels, or in a macro.
  [[nodiscard]] std::optional<std::size_t> unreachable_barrier(
      const problem::CudaText& text) const {
    for (std::size_t i = 0; i < words_.code.size(); ++i) {
      const bool is_inside = std::ranges::any_of(text.kernels, [&](const auto& kernel) {
        return kernel.body_begin < i && i < kernel.body_end;
      });
      if (words_.code[i].text == kBarrier && !is_inside) {
        return line(i);
      }
    }
    for (const std::vector<CudaWord>& directive : words_.directives) {
      const auto found = std::ranges::find(directive, kBarrier, &CudaWord::text);
      if (found != directive.end()) {
        return line_at(source_, found->offset);
      }
    }
    return std::nullopt;
  }
  void insert(std::size_t offset, std::string text) {
    changes_.push_back({offset, 0, std::move(text)});
  }
  // The words `first` to `last`, both included.
  void replace(std::size_t first, std::size_t last, std::string text) {
    const std::size_t offset = words_.code[first].offset;
    const std::size_t end = words_.code[last].offset + words_.code[last].text.size();
    changes_.push_back({offset, end - offset, std::move(text)});
  }

  const std::string& source_;
  const std::string& source_name_;
  problem::CudaWords words_;
  std::vector<Change> changes_;  // by offset
  std::vector<StampSite> sites_;
};

problem::Argument number(std::uint32_t value) {
  problem::Argument argument;
  argument.integer = value;
  return argument;
}

}  // namespace

std::uint32_t warps_of_block(const problem::Launch& launch) {
  return static_cast<std::uint32_t>((launch.block.count() + kWarp - 1) / kWarp);
}

Result<StampedText> stamped_text(const std::string& source, const std::string& source_name,
                                 const std::string& kernel, const std::string& bounds) {
  return Stamper(source, source_name).stamp(kernel, bounds);
}

Result<StampedLaunch> stamped_launch(problem::Launch launch, const StampOptions& options) {
  const std::string bounds =
      options.blocks_at_once > 0
          ? fmt::format("__launch_bounds__({}, {})", launch.block.count(), options.blocks_at_once)
          : "";
  auto text = stamped_text(launch.source, launch.source_name, plain_name(launch.entry), bounds);
  TILESTEP_RETURN_IF_ERROR(text);
  const std::uint64_t warps = std::uint64_t{launch.grid.count()} * warps_of_block(launch);
  if (warps * options.records * kStampWords * sizeof(std::uint32_t) > kMostStampBytes) {
    return fail(tr(
        "The timestamps of {} warps, {} for each, need more than {} MiB. Choose a smaller problem.",
        warps, options.records, kMostStampBytes >> 20U));
  }
  launch.source = std::move(text->text);
  problem::Buffer stamps;
  stamps.name = "tilestep_stamps";
  stamps.type = problem::ElementType::U32;
  stamps.rows = static_cast<int>(options.records);
  stamps.cols = static_cast<int>(warps * kStampWords);
  stamps.pitch = stamps.cols;
  stamps.role = problem::BufferRole::InOut;
  const bool is_filled = std::ranges::any_of(
      launch.buffers, [](const problem::Buffer& buffer) { return !buffer.contents.empty(); });
  if (is_filled) {
    stamps.contents.resize(problem::byte_count(stamps));
  }
  problem::Argument address;
  address.kind = problem::ArgumentSpec::Kind::Buffer;
  address.buffer = launch.buffers.size();
  launch.buffers.push_back(std::move(stamps));
  launch.arguments.push_back(std::move(address));
  const auto places = static_cast<std::uint32_t>(warps * options.records);
  const auto stride = options.records == 1 ? 0U : static_cast<std::uint32_t>(warps);
  for (const std::uint32_t value : {places, stride, options.sm}) {
    launch.arguments.push_back(number(value));
  }
  return StampedLaunch{std::move(launch), std::move(text->sites)};
}

problem::Launch without_room(const StampedLaunch& stamped) {
  problem::Launch launch = stamped.launch;
  constexpr std::size_t kLimit = 3;  // the number of places, from the end
  launch.arguments[launch.arguments.size() - kLimit].integer = 0;
  return launch;
}

}  // namespace tilestep::clock
