#include "ui/stage/registers.h"

#include "ptx/model/module.h"
#include "ui/stage/phase.h"
#include "ui/stage/thread_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <utility>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMostSums = 64;

// A float, or a struct like float4.
bool may_hold_floats(const ptx::Module& module, ptx::TypeId type) {
  const ptx::TypeKind kind = module.types[type].kind;
  return kind == ptx::TypeKind::Float || kind == ptx::TypeKind::Structure ||
         kind == ptx::TypeKind::Union;
}

// The floats of a variable; empty if it holds something else.
std::vector<std::optional<double>> floats_of(const ptx::Module& module,
                                             const record::Value& value) {
  using Status = record::Value::Status;
  std::vector<std::optional<double>> numbers;
  if (value.type == ptx::kNoType || value.type >= module.types.size()) {
    return numbers;
  }
  const std::size_t bytes = module.types[value.type].bytes;
  const ptx::TypeId inner = ptx::innermost_element(module, value.type, nullptr);
  if (inner == ptx::kNoType || bytes % sizeof(float) != 0 || !may_hold_floats(module, inner)) {
    return numbers;
  }
  numbers.resize(bytes / sizeof(float));
  if (value.status == Status::Ok || value.status == Status::ThreadExited) {
    for (std::size_t i = 0; i < numbers.size() && (i + 1) * sizeof(float) <= value.bytes.size();
         ++i) {
      float number = 0.0F;
      std::memcpy(&number, value.bytes.data() + i * sizeof(float), sizeof number);
      numbers[i] = static_cast<double>(number);
    }
  }
  return numbers;
}

// Two fragments alternate in an array of two: a[2][4].
constexpr std::size_t kMostTurns = 4;

using Floats = std::span<const std::optional<double>>;

// The index of the part with these numbers, in an array of at most so many parts.
std::optional<std::size_t> turn_of(Floats floats, const std::vector<double>& wanted,
                                   std::size_t most) {
  const std::size_t count = wanted.size();
  const std::size_t turns = floats.size() / count;
  for (std::size_t i = 0; i < turns && turns <= most && floats.size() % count == 0; ++i) {
    if (std::ranges::equal(floats.subspan(i * count, count), wanted)) {
      return i;
    }
  }
  return std::nullopt;
}

Fragment fragment_with(std::string name, std::vector<std::optional<double>> values,
                       bool is_over = false) {
  Fragment fragment;
  fragment.name = std::move(name);
  fragment.values = std::move(values);
  fragment.is_over = is_over;
  return fragment;
}

// The variable of that name, if it has the right number of floats or a multiple of it: then those
// that the latest products use. If it no longer holds them, the values that these products used;
// nothing once the sums are sums of others (`has_begun`: they have had values).
Fragment fragment_of(const ContentInputs& in, const std::vector<record::NamedValue>& variables,
                     const std::string& name, const std::vector<double>& factors, bool has_begun) {
  const std::size_t count = factors.size();
  for (const record::NamedValue& variable : variables) {
    if (name.empty() || variable.name != name) {
      continue;
    }
    const auto values = floats_of(in.recording.program().module(), variable.value);
    if (values.size() == count) {
      return fragment_with(name, values);
    }
    if (const auto turn = turn_of(values, factors, kMostTurns)) {
      const Floats part = Floats(values).subspan(*turn * count, count);
      return fragment_with(fmt::format("{}[{}]", name, *turn), {part.begin(), part.end()});
    }
  }
  if (name.empty()) {
    return {};
  }
  const bool all_known =
      std::ranges::none_of(factors, [](double factor) { return std::isnan(factor); });
  return all_known   ? fragment_with(name, {factors.begin(), factors.end()}, true)
         : has_begun ? Fragment{}
                     : fragment_with(name, std::vector<std::optional<double>>(count));
}

// A sum that the thread holds.
struct HeldSum {
  CellPlace place;
  RegisterSum shown;
  std::size_t values = 0;  // number of its values so far
  std::optional<insight::Term> latest;
};

// Held sums that form a rectangle.
struct HeldSums {
  std::vector<HeldSum> sums;
  std::vector<int> rows;
  std::vector<int> cols;

  [[nodiscard]] std::size_t row_of(const HeldSum& sum) const {
    return static_cast<std::size_t>(std::ranges::find(rows, sum.place.row) - rows.begin());
  }
  [[nodiscard]] std::size_t col_of(const HeldSum& sum) const {
    return static_cast<std::size_t>(std::ranges::find(cols, sum.place.col) - cols.begin());
  }
  // Factors of the latest products, by row and by column; NaN: none.
  struct Factors {
    std::vector<double> a;
    std::vector<double> b;
    std::uint64_t first = 0;  // the earliest of their steps
    bool all = true;
  };
  [[nodiscard]] Factors factors() const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    Factors f{std::vector(rows.size(), kNone), std::vector(cols.size(), kNone),
              std::numeric_limits<std::uint64_t>::max(), true};
    std::vector<std::uint64_t> row_step(rows.size());
    std::vector<std::uint64_t> col_step(cols.size());
    const auto take = [](double& number, std::uint64_t& step, float factor, std::uint64_t at) {
      if (at >= step) {
        number = static_cast<double>(factor);
        step = at;
      }
    };
    for (const HeldSum& sum : sums) {
      f.all = f.all && sum.latest.has_value();
      if (sum.latest) {
        take(f.a[row_of(sum)], row_step[row_of(sum)], sum.latest->a.value, sum.latest->step);
        take(f.b[col_of(sum)], col_step[col_of(sum)], sum.latest->b.value, sum.latest->step);
        f.first = std::min(f.first, sum.latest->step);
      }
    }
    return f;
  }
};

std::string product_text(double a, double b) {
  return factor_number(a) + "·" + factor_number(b);
}

std::string product_text(const insight::Term& term) {
  return product_text(static_cast<double>(term.a.value), static_cast<double>(term.b.value));
}

// A place in the output; in its tile for a block that leaves its sums to others.
CellPlace place_of_sum(const ContentInputs& in, const SumCell& cell) {
  const bool by_tile = cell.cell && in.shape.tile && !stores_tile(in.shape, in.block);
  return by_tile ? *cell.cell : CellPlace{cell.place.row, cell.place.col};
}

HeldSum held_sum(const ContentInputs& in, const SumCell& cell, const insight::SumNow& now,
                 std::uint64_t step) {
  HeldSum held{place_of_sum(in, cell), {}, now.values, in.sums->latest(cell.sum, step)};
  if (now.assigned) {
    held.shown.value = static_cast<double>(now.value);
  }
  held.shown.is_added_to = cell.is_added_to;
  held.shown.is_chosen = cell.is_chosen && cell.thread == now.thread;
  return held;
}

// Other threads' sums of which the thread computes a part, until they are added.
std::vector<HeldSum> held_parts(const ContentInputs& in, const StageContent& content,
                                std::uint64_t step) {
  std::vector<HeldSum> held;
  for (const SumCell& cell : content.sums) {
    for (const insight::BlockSums::Part& part : in.sums->parts(cell.sum, step)) {
      if (part.thread == in.thread) {
        HeldSum sum{place_of_sum(in, cell), {}, part.values, part.latest};
        sum.shown.value = static_cast<double>(part.value);
        sum.shown.is_added_to = in.statement != nullptr && part.step >= lit_since(in);
        held.push_back(std::move(sum));
      }
    }
  }
  return held;
}

std::optional<HeldSums> held_sums(const ContentInputs& in, const StageContent& content,
                                  std::uint64_t step) {
  if (in.sums == nullptr) {
    return std::nullopt;
  }
  HeldSums held;
  bool owns_some = false;
  for (const SumCell& cell : content.sums) {
    const insight::SumNow now = step == in.state.step() ? cell.now : in.sums->now(cell.sum, step);
    owns_some = owns_some || cell.thread == in.thread;
    if (now.thread == in.thread) {
      held.sums.push_back(held_sum(in, cell, now, step));
    }
    if (held.sums.size() > kMostSums) {
      return std::nullopt;
    }
  }
  if (held.sums.empty() && owns_some) {
    held.sums = held_parts(in, content, step);
  }
  std::set<int> rows;
  std::set<int> cols;
  for (const HeldSum& sum : held.sums) {
    rows.insert(sum.place.row);
    cols.insert(sum.place.col);
  }
  if (held.sums.size() < 2 || held.sums.size() > kMostSums ||
      held.sums.size() != rows.size() * cols.size()) {
    return std::nullopt;
  }
  held.rows.assign(rows.begin(), rows.end());
  held.cols.assign(cols.begin(), cols.end());
  return held;
}

// The innermost variable with these numbers, or an array of such variables; data on the way to
// shared memory may hold the same numbers.
std::string holder_of(const ptx::Module& module, const std::vector<record::NamedValue>& variables,
                      const std::vector<double>& numbers) {
  for (const std::size_t most : {std::size_t{1}, kMostTurns}) {
    for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable) {
      if (turn_of(floats_of(module, variable->value), numbers, most)) {
        return variable->name;
      }
    }
  }
  return "";
}

// The end of the block's last phase in which each of the sums has added a product, and their values
// then.
std::optional<HeldSums> sums_with_products(const ContentInputs& in, const StageContent& content) {
  const auto phases = in.recording.phases_of(in.block);
  for (auto phase = phases.rbegin(); phase != phases.rend(); ++phase) {
    auto held = held_sums(in, content, phase->last_step + 1);
    if (held && held->factors().all) {
      return held;
    }
  }
  return std::nullopt;
}

// The elements that the thread has read from a shared array, by their line of the tile (a row of
// A's, a column of B's), and their k. Nothing if the phase does not read one element for each line:
// then its loads say nothing about the fragment.
void note_round(const ContentInputs& in, const StageContent& content, bool is_row,
                const std::vector<int>& lines, Fragment& fragment) {
  const int sheet = is_row ? in.shape.left : in.shape.top;
  const bool takes_turns = fragment.name.ends_with(']');
  if (sheet == kNoSheet || !in.shape.tile || fragment.values.size() != lines.size() ||
      takes_turns || in.log.phase_count() == 0) {
    return;
  }
  const Sheet& s = in.shape.sheets[size(sheet)];
  const bool turned = is_turned(content.sources, sheet);
  const auto corner = in.shape.tile->corners.find(in.block);
  const bool stores = stores_tile(in.shape, in.block) && corner != in.shape.tile->corners.end();
  const int first = !stores ? 0 : is_row ? corner->second.row : corner->second.col;
  std::vector<std::optional<int>> rounds(lines.size());
  std::vector<bool> is_read(lines.size());
  std::optional<int> newest;
  for (const LoggedAccess& access : in.log.phase(in.log.phase_before(in.state.step())).accesses) {
    if (access.place.sheet != sheet || access.thread != in.thread || access.is_store) {
      continue;
    }
    const int row = access.place.row % (s.rows / s.parts);
    const bool has_line_in_row = is_row != turned;
    const int line = first + (has_line_in_row ? row : access.place.col);
    const auto at = std::ranges::find(lines, line);
    if (at == lines.end()) {
      continue;
    }
    const auto i = static_cast<std::size_t>(at - lines.begin());
    is_read[i] = true;
    if (access.step < in.state.step()) {
      rounds[i] = newest = has_line_in_row ? access.place.col : row;
    }
  }
  if (!newest || std::ranges::find(is_read, false) != is_read.end()) {
    return;
  }
  fragment.round = newest;
  for (const std::optional<int>& round : rounds) {
    fragment.is_earlier.push_back(round != newest);
  }
}

// The products for which the fragments hold the factors and that some sums lack.
void note_products_to_come(RegisterTile& tile) {
  for (std::size_t i = 0; i < tile.sums.size(); ++i) {
    if (!tile.sums[i].is_behind) {
      continue;
    }
    const std::size_t row = i / tile.cols.size();
    const std::size_t col = i % tile.cols.size();
    const bool is_known = !tile.a.is_old(row) && !tile.b.is_old(col) &&
                          row < tile.a.values.size() && col < tile.b.values.size() &&
                          tile.a.values[row] && tile.b.values[col];
    tile.sums[i].product = is_known ? product_text(*tile.a.values[row], *tile.b.values[col]) : "";
  }
}

bool holds_all_it_owns(const ContentInputs& in, const StageContent& content) {
  return std::ranges::all_of(content.sums, [&](const SumCell& cell) {
    return cell.thread != in.thread || cell.now.thread == in.thread;
  });
}

// The name of sums that threads hold for one another: as in the threads that store theirs.
std::string name_before_exchange(const ContentInputs& in, const StageContent& content) {
  for (const SumCell& cell : content.sums) {
    const insight::SumHome home = in.sums->home(cell.sum, in.state.step());
    if (cell.thread == cell.now.thread && home.kind == insight::SumHome::Kind::Variable) {
      return home.variable;
    }
  }
  return in.accumulator;
}

}  // namespace

FragmentNames find_fragments(const ContentInputs& in, const StageContent& content) {
  const std::optional<HeldSums> held = sums_with_products(in, content);
  if (!held) {
    return {};
  }
  const HeldSums::Factors factors = held->factors();
  const record::State state = in.recording.state_at(factors.first);
  const auto variables = state.variables(in.block, in.thread);
  const ptx::Module& module = in.recording.program().module();
  return {holder_of(module, variables, factors.a), holder_of(module, variables, factors.b)};
}

std::optional<RegisterTile> find_register_tile(const ContentInputs& in, const StageContent& content,
                                               const FragmentNames& fragments) {
  const std::optional<HeldSums> held = held_sums(in, content, in.state.step());
  if (!held) {
    return std::nullopt;
  }
  RegisterTile tile;
  tile.name = holds_all_it_owns(in, content) ? content.sum_name : name_before_exchange(in, content);
  tile.rows = held->rows;
  tile.cols = held->cols;
  tile.sums.resize(held->sums.size());
  std::size_t most = 0;
  for (const HeldSum& sum : held->sums) {
    most = std::max(most, sum.values);
  }
  for (const HeldSum& sum : held->sums) {
    RegisterSum& cell = tile.sums[held->row_of(sum) * tile.cols.size() + held->col_of(sum)];
    cell = sum.shown;
    cell.product = sum.latest ? product_text(*sum.latest) : "";
    cell.is_behind = sum.values < most;
  }
  const auto variables = in.state.variables(in.block, in.thread);
  const HeldSums::Factors factors = held->factors();
  tile.a = fragment_of(in, variables, fragments.a, factors.a, most > 0);
  tile.b = fragment_of(in, variables, fragments.b, factors.b, most > 0);
  note_round(in, content, true, tile.rows, tile.a);
  note_round(in, content, false, tile.cols, tile.b);
  note_products_to_come(tile);
  return tile;
}

}  // namespace tilestep::ui
