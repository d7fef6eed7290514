#include "ui/stage/registers.h"

#include "ptx/model/array_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace tilestep::ui {
namespace {

constexpr std::size_t kMostSums = 64;

// Floats of a variable; empty where it holds something else.
std::vector<std::optional<double>> floats_of(const ptx::Module& module,
                                             const record::Value& value) {
  using Status = record::Value::Status;
  std::vector<std::optional<double>> numbers;
  if (value.type == ptx::kNoType || value.type >= module.types.size()) {
    return numbers;
  }
  const std::size_t bytes = module.types[value.type].bytes;
  const ptx::TypeId inner = ptx::innermost_element(module, value.type, nullptr);
  if (inner == ptx::kNoType || module.types[inner].kind == ptx::TypeKind::Pointer ||
      bytes % sizeof(float) != 0) {
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

// The variable of that name, where it has the right number of floats.
Fragment fragment_of(const ContentInputs& in, const std::vector<record::NamedValue>& variables,
                     const std::string& name, std::size_t count) {
  for (const record::NamedValue& variable : variables) {
    if (!name.empty() && variable.name == name) {
      auto values = floats_of(in.recording.program().module(), variable.value);
      if (values.size() == count) {
        return {variable.name, std::move(values)};
      }
    }
  }
  return {name, std::vector<std::optional<double>>(name.empty() ? 0 : count)};
}

// The thread's sums on stage, where they form a rectangle.
struct OwnSums {
  std::vector<const SumCell*> sums;
  std::vector<int> rows;
  std::vector<int> cols;
};

std::string product_text(const insight::Term& term) {
  const auto factor = [](float value) { return factor_number(static_cast<double>(value)); };
  return factor(term.a.value) + "·" + factor(term.b.value);
}

std::optional<OwnSums> own_sums(const ContentInputs& in, const StageContent& content) {
  OwnSums own;
  std::set<int> rows;
  std::set<int> cols;
  for (const SumCell& sum : content.sums) {
    if (sum.thread == in.thread) {
      own.sums.push_back(&sum);
      rows.insert(sum.place.row);
      cols.insert(sum.place.col);
    }
  }
  if (in.sums == nullptr || own.sums.size() < 2 || own.sums.size() > kMostSums ||
      own.sums.size() != rows.size() * cols.size()) {
    return std::nullopt;
  }
  own.rows.assign(rows.begin(), rows.end());
  own.cols.assign(cols.begin(), cols.end());
  return own;
}

std::size_t place_in(const std::vector<int>& indices, int index) {
  return static_cast<std::size_t>(std::ranges::find(indices, index) - indices.begin());
}

// The first variable with these numbers.
std::string holder_of(const ptx::Module& module, const std::vector<record::NamedValue>& variables,
                      const std::vector<double>& numbers) {
  for (const record::NamedValue& variable : variables) {
    const auto floats = floats_of(module, variable.value);
    if (std::ranges::equal(floats, numbers, [](const std::optional<double>& held, double wanted) {
          return held == wanted;
        })) {
      return variable.name;
    }
  }
  return "";
}

}  // namespace

FragmentNames find_fragments(const ContentInputs& in, const StageContent& content) {
  const std::optional<OwnSums> own = own_sums(in, content);
  if (!own) {
    return {};
  }
  std::vector<double> a(own->rows.size());
  std::vector<double> b(own->cols.size());
  std::uint64_t first = in.recording.step_count();
  for (const SumCell* sum : own->sums) {
    const auto latest = in.sums->latest(sum->sum, in.recording.step_count());
    if (!latest) {
      return {};
    }
    a[place_in(own->rows, sum->place.row)] = static_cast<double>(latest->a.value);
    b[place_in(own->cols, sum->place.col)] = static_cast<double>(latest->b.value);
    first = std::min(first, latest->step);
  }
  const record::State state = in.recording.state_at(first);
  const auto variables = state.variables(in.block, in.thread);
  const ptx::Module& module = in.recording.program().module();
  return {holder_of(module, variables, a), holder_of(module, variables, b)};
}

std::optional<RegisterTile> find_register_tile(const ContentInputs& in, const StageContent& content,
                                               const FragmentNames& fragments) {
  const std::optional<OwnSums> sums = own_sums(in, content);
  if (!sums) {
    return std::nullopt;
  }
  const std::vector<const SumCell*>& own = sums->sums;
  RegisterTile tile;
  tile.name = content.sum_name;
  tile.rows = sums->rows;
  tile.cols = sums->cols;
  tile.sums.resize(own.size());
  std::size_t most = 0;
  for (const SumCell* sum : own) {
    most = std::max(most, sum->now.values);
  }
  for (const SumCell* sum : own) {
    RegisterSum& cell = tile.sums[place_in(tile.rows, sum->place.row) * tile.cols.size() +
                                  place_in(tile.cols, sum->place.col)];
    if (sum->now.assigned) {
      cell.value = static_cast<double>(sum->now.value);
    }
    if (const auto latest = in.sums->latest(sum->sum, in.state.step())) {
      cell.product = product_text(*latest);
    }
    cell.is_added_to = sum->is_added_to;
    cell.is_behind = sum->now.values < most;
    cell.is_chosen = sum->is_chosen;
  }
  const auto variables = in.state.variables(in.block, in.thread);
  tile.a = fragment_of(in, variables, fragments.a, tile.rows.size());
  tile.b = fragment_of(in, variables, fragments.b, tile.cols.size());
  return tile;
}

}  // namespace tilestep::ui
