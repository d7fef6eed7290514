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

// The variable with numbers of that matrix and the right number of them.
Fragment fragment_of(const ContentInputs& in, const std::vector<record::NamedValue>& variables,
                     insight::ValueRole role, std::size_t count) {
  for (const record::NamedValue& variable : variables) {
    if (in.sums->role_of(variable.name) == role) {
      auto values = floats_of(in.recording.program().module(), variable.value);
      if (values.size() == count) {
        return {variable.name, std::move(values)};
      }
    }
  }
  return {"", std::vector<std::optional<double>>(count)};
}

std::string product_text(const insight::Term& term) {
  const auto factor = [](float value) { return factor_number(static_cast<double>(value)); };
  return factor(term.a.value) + "·" + factor(term.b.value);
}

std::vector<int> indices(const std::set<int>& found) {
  return {found.begin(), found.end()};
}

}  // namespace

std::optional<RegisterTile> find_register_tile(const ContentInputs& in,
                                               const StageContent& content) {
  std::vector<const SumCell*> own;
  std::set<int> rows;
  std::set<int> cols;
  for (const SumCell& sum : content.sums) {
    if (sum.thread == in.thread) {
      own.push_back(&sum);
      rows.insert(sum.place.row);
      cols.insert(sum.place.col);
    }
  }
  if (in.sums == nullptr || own.size() < 2 || own.size() > kMostSums ||
      own.size() != rows.size() * cols.size()) {
    return std::nullopt;
  }
  RegisterTile tile;
  tile.name = in.sums->sums()[own.front()->sum].home.variable;
  tile.rows = indices(rows);
  tile.cols = indices(cols);
  tile.sums.resize(own.size());
  std::size_t most = 0;
  for (const SumCell* sum : own) {
    most = std::max(most, sum->now.values);
  }
  for (const SumCell* sum : own) {
    const auto row = std::ranges::find(tile.rows, sum->place.row) - tile.rows.begin();
    const auto col = std::ranges::find(tile.cols, sum->place.col) - tile.cols.begin();
    RegisterSum& cell =
        tile.sums[static_cast<std::size_t>(row) * tile.cols.size() + static_cast<std::size_t>(col)];
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
  tile.a = fragment_of(in, variables, insight::ValueRole::A, tile.rows.size());
  tile.b = fragment_of(in, variables, insight::ValueRole::B, tile.cols.size());
  return tile;
}

}  // namespace tilestep::ui
