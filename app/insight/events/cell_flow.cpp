#include "insight/events/cell_flow.h"

#include "insight/events/event.h"
#include "insight/names.h"
#include "insight/trace/origin.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "simt/machine/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace tilestep::insight {
namespace {

constexpr std::size_t kFewCells = 3;
constexpr std::size_t kFewToName = 4;

std::string plain_value(double value) {
  return fmt::format("{}{:g}", value < 0 ? "−" : "", std::abs(value));
}

std::string counted_products(std::size_t count) {
  return plural(count, "product");
}

struct TwoIndices {
  std::string name;
  std::array<int, 2> at{};
};
// "C[1][2]"; empty for names of another form.
std::optional<TwoIndices> two_indices(const std::string& cell) {
  TwoIndices found{cell.substr(0, cell.find('[')), {}};
  std::size_t at = cell.find('[');
  for (int& index : found.at) {
    if (at == std::string::npos || at >= cell.size() || cell[at] != '[') {
      return std::nullopt;
    }
    const std::size_t end = cell.find(']', at);
    const auto [stop, error] =
        std::from_chars(cell.data() + at + 1, cell.data() + cell.size(), index);
    if (error != std::errc{} || end == std::string::npos || stop != cell.data() + end) {
      return std::nullopt;
    }
    at = end + 1;
  }
  return at == cell.size() ? std::optional(found) : std::nullopt;
}

std::string range_text(int first, int last) {
  return first == last ? fmt::format("[{}]", first) : fmt::format("[{}..{}]", first, last);
}

// One rectangle of one array; empty if they do not form one.
std::optional<std::string> rectangle(const std::set<std::string>& cells) {
  std::optional<TwoIndices> low;
  std::array<int, 2> high{};
  for (const std::string& cell : cells) {
    const auto now = two_indices(cell);
    if (!now || (low && now->name != low->name)) {
      return std::nullopt;
    }
    if (!low) {
      low = now;
      high = now->at;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      low->at[i] = std::min(low->at[i], now->at[i]);
      high[i] = std::max(high[i], now->at[i]);
    }
  }
  if (!low) {
    return std::nullopt;
  }
  const auto size =
      static_cast<std::size_t>((high[0] - low->at[0] + 1) * (high[1] - low->at[1] + 1));
  return size == cells.size() ? std::optional(low->name + range_text(low->at[0], high[0]) +
                                              range_text(low->at[1], high[1]))
                              : std::nullopt;
}

// Counts the loads of one element, thread by thread.
class LoadCount final : public simt::Observer {
 public:
  explicit LoadCount(const Cell& cell) : cell_(cell) {}
  void on_memory(const simt::StepInfo&, const simt::MemoryEvent& event) override {
    if (event.space != ptx::Space::Global || event.kind == simt::AccessKind::Store) {
      return;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t first = event.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      count_ += first <= cell_.address && cell_.address < first + event.bytes ? 1U : 0U;
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  Cell cell_;
  std::uint64_t count_ = 0;
};

class FlowFinder {
 public:
  FlowFinder(const record::Recording& recording, const FlowQuestion& q)
      : recording_(recording), program_(recording.program()), q_(q) {}

  Result<CellFlow> of_shared(const Cell& cell) {
    const auto origin = origin_of(recording_, {q_.cell, q_.step, q_.block, 0});
    if (!origin) {
      return tl::unexpected(origin.error());
    }
    flow_.cell = cell.name;
    if (!origin->writer || !origin->writer->written) {
      flow_.sentence = tr("{}: not stored yet", cell.name);
      return flow_;
    }
    add_sources(*origin);
    find_readers(cell, origin->writer->step);
    const std::string value = plain_value(static_cast<double>(origin->value));
    const std::string writer = thread(origin->writer->thread);
    const std::string readers =
        tr_n("read by {} thread", "read by {} threads", flow_.readers.size());
    flow_.sentence = source_names_.empty()
                         ? tr("{} = {} · stored by {} · {}", cell.name, value, writer, readers)
                         : tr("{} = {} · from {}, stored by {} · {}", cell.name, value,
                              cells_text(source_names_), writer, readers);
    return flow_;
  }

  // An output's element at the end of the run.
  Result<CellFlow> of_output(const Cell& cell) {
    const auto origin = origin_of(recording_, {q_.cell, recording_.step_count(), q_.block, 0});
    if (!origin) {
      return tl::unexpected(origin.error());
    }
    flow_.cell = cell.name;
    add_sources(*origin);
    const record::Writer& writer = *origin->writer;
    const std::string parts = by_array(source_names_);
    const std::string from =
        origin->sum && origin->sum->complete && !origin->sum->terms.empty()
            ? tr_n("{} product of {}", "{} products of {}", origin->sum->terms.size(), parts)
        : parts.empty() ? std::string(tr("computed from constants"))
                        : tr("computed from {}", parts);
    flow_.sentence = tr("{} = {} at the end · {} · stored by {}", cell.name,
                        plain_value(static_cast<double>(origin->value)), from,
                        thread_of_block(program_.thread_index(writer.thread),
                                        program_.block_index(writer.block), program_.launch()));
    return flow_;
  }

  Result<CellFlow> of_input(const Cell& cell, std::optional<std::uint64_t> elsewhere_loads,
                            const std::string& elsewhere) {
    const auto uses = uses_of(recording_, q_.cell);
    const auto origin = origin_of(recording_, {q_.cell, 0, q_.block, 0});
    if (!uses || !origin) {
      return tl::unexpected(uses ? origin.error() : uses.error());
    }
    flow_.cell = cell.name;
    std::set<std::string> outputs;
    for (const ElementUses::Output& output : uses->outputs) {
      outputs.insert(output.cell);
      add_use(output.cell);
    }
    std::set<std::uint32_t> readers;
    for (const ElementUses::Put& put : uses->puts) {
      if (put.block == q_.block) {
        add_use(put.cell);
      }
    }
    for (const ElementUses::Product& product : uses->products) {
      if (product.block == q_.block) {
        readers.insert(product.thread);
      }
    }
    flow_.readers.assign(readers.begin(), readers.end());
    flow_.loads = uses->loads.size();
    flow_.sentence =
        tr("{} = {} · loaded {}×{}{} · {}", cell.name,
           plain_value(static_cast<double>(origin->value)), flow_.loads, blocks_text(*uses),
           elsewhere_loads ? tr("; by {}: {}×", elsewhere, *elsewhere_loads) : "",
           counted_products(uses->products.size()));
    if (!outputs.empty()) {
      flow_.sentence += " · " + tr("used for {}", cells_text({outputs.begin(), outputs.end()}));
    }
    return flow_;
  }

 private:
  [[nodiscard]] std::string thread(std::uint32_t linear) const {
    return thread_name(program_.thread_index(linear), program_.launch());
  }

  void add_sources(const Origin& origin) {
    for (const ElementRef& element : origin.elements) {
      const std::string name = name_of(program_, element);
      if (const auto cell = find_cell(program_, name)) {
        flow_.sources.push_back(cell->address);
        source_names_.push_back(name);
      }
    }
  }
  void add_use(const std::string& name) {
    const auto cell = find_cell(program_, name);
    if (cell && std::ranges::find(flow_.uses, cell->address) == flow_.uses.end()) {
      flow_.uses.push_back(cell->address);
    }
  }

  // "A[1][0..7] and B[0..7][6]"
  [[nodiscard]] static std::string by_array(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::vector<std::string>>> arrays;
    for (const std::string& name : names) {
      const std::string array = name.substr(0, name.find('['));
      auto at =
          std::ranges::find_if(arrays, [&](const auto& entry) { return entry.first == array; });
      if (at == arrays.end()) {
        at = arrays.insert(arrays.end(), {array, {}});
      }
      at->second.push_back(name);
    }
    std::string text;
    for (const auto& [array, cells] : arrays) {
      text = text.empty() ? cells_text(cells) : tr("{} and {}", text, cells_text(cells));
    }
    return text;
  }

  // " (blocks (0,0), (1,0))"
  [[nodiscard]] std::string blocks_text(const ElementUses& uses) const {
    std::set<std::uint32_t> blocks;
    for (const ElementUses::Load& load : uses.loads) {
      blocks.insert(load.block);
    }
    if (program_.block_count() == 1 || blocks.empty()) {
      return {};
    }
    if (blocks.size() > kFewToName) {
      return tr(" ({} blocks)", blocks.size());
    }
    std::vector<std::string> names;
    for (const std::uint32_t block : blocks) {
      names.push_back(coordinates(program_.block_index(block), program_.launch()));
    }
    return names.size() == 1 ? tr(" (block {})", names[0])
                             : tr(" (blocks {})", fmt::join(names, ", "));
  }

  // Threads that read the cell before something else is stored there: in the phase of the store and
  // the two after it.
  void find_readers(const Cell& cell, std::uint64_t stored) {
    std::uint64_t last = recording_.step_count();
    const auto phases = recording_.phases_of(q_.block);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases[i].first_step <= stored && stored < phases[i].last_step) {
        last = phases[std::min(i + 2, phases.size() - 1)].last_step;
      }
    }
    const auto hits = events_between(
        recording_, {.kind = record::EventKind::Access, .block = q_.block, .what = cell.name},
        stored + 1, std::max(last, stored + 1));
    std::set<std::uint32_t> readers;
    const auto size = program_.warp_size();
    for (const EventHit& hit : hits.value_or(std::vector<EventHit>())) {
      const record::Activity one = recording_.activity(hit.step, hit.step + 1);
      const bool stores = std::ranges::any_of(one.accesses, [](const record::Access& access) {
        return access.event.space == ptx::Space::Shared &&
               access.event.kind != simt::AccessKind::Load;
      });
      if (stores) {
        break;
      }
      for (std::uint32_t rest = hit.lanes; rest != 0; rest &= rest - 1) {
        readers.insert(hit.warp.warp * size + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
    flow_.readers.assign(readers.begin(), readers.end());
  }

  const record::Recording& recording_;
  const simt::Program& program_;
  const FlowQuestion& q_;
  CellFlow flow_;
  std::vector<std::string> source_names_;
};

}  // namespace

std::string cells_text(const std::vector<std::string>& cells) {
  const std::set<std::string> all(cells.begin(), cells.end());
  if (const auto text = rectangle(all)) {
    return *text;
  }
  std::string text;
  std::size_t listed = 0;
  for (const std::string& cell : all) {
    if (listed == kFewCells) {
      return tr("{}, … and {} more", text, all.size() - listed);
    }
    text += (listed++ == 0 ? "" : ", ") + cell;
  }
  return text;
}

std::optional<std::uint64_t> count_loads(const std::shared_ptr<const simt::Program>& program,
                                         const std::string& cell) {
  const auto found = find_cell(*program, cell);
  if (!found || found->shared) {
    return std::nullopt;
  }
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  LoadCount loads(*found);
  simt::run_to_end(machine, scheduler, &loads);
  return loads.count();
}

Result<CellFlow> cell_flow(const record::Recording& recording, const FlowQuestion& question,
                           std::optional<std::uint64_t> elsewhere_loads,
                           const std::string& elsewhere) {
  const auto cell = find_cell(recording.program(), question.cell);
  if (!cell) {
    return tl::unexpected(cell.error());
  }
  FlowFinder finder(recording, question);
  if (cell->shared) {
    return finder.of_shared(*cell);
  }
  const record::State end = recording.state_at(recording.step_count());
  const bool is_stored =
      end.buffer_writer(cell->launch_buffer, cell->address % simt::kWindowBytes / 4).written;
  return is_stored ? finder.of_output(*cell) : finder.of_input(*cell, elsewhere_loads, elsewhere);
}

}  // namespace tilestep::insight
